//! Writing HTML and SVG elements: the only place where text becomes markup, and so the only place that escapes.

use std::fmt::{Display, Write};

/// One attribute: its name and value.
pub(crate) type Attribute<'a> = (&'a str, &'a dyn Display);

/// A growing piece of markup.
#[derive(Default)]
pub(crate) struct Markup {
    out: String,
}

impl Markup {
    /// `<tag a="b">`
    pub fn open(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.start(tag, attributes);
        self.out.push('>');
    }

    /// `</tag>`
    pub fn close(&mut self, tag: &str) {
        self.out.push_str("</");
        self.out.push_str(tag);
        self.out.push_str(">\n");
    }

    /// `<tag a="b"/>`
    pub fn empty(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.start(tag, attributes);
        self.out.push_str("/>");
    }

    /// `<tag a="b">text</tag>`
    pub fn text(&mut self, tag: &str, attributes: &[Attribute<'_>], text: impl Display) {
        self.open(tag, attributes);
        self.words(text);
        self.close(tag);
    }

    /// Text between elements.
    pub fn words(&mut self, text: impl Display) {
        // Writing to a string cannot fail.
        let _ = write!(Escape(&mut self.out), "{text}");
    }

    /// Markup that was made by this type, or is a constant of this crate.
    pub fn raw(&mut self, markup: &str) {
        self.out.push_str(markup);
    }

    /// What was written.
    pub fn finish(self) -> String {
        self.out
    }

    fn start(&mut self, tag: &str, attributes: &[Attribute<'_>]) {
        self.out.push('<');
        self.out.push_str(tag);
        for (name, value) in attributes {
            self.out.push(' ');
            self.out.push_str(name);
            self.out.push_str("=\"");
            let _ = write!(Escape(&mut self.out), "{value}");
            self.out.push('"');
        }
    }
}

/// Escapes what passes through it. Control characters, which XML forbids even when escaped, become U+FFFD.
struct Escape<'a>(&'a mut String);

impl Write for Escape<'_> {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        for c in text.chars() {
            match c {
                '&' => self.0.push_str("&amp;"),
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '"' => self.0.push_str("&quot;"),
                '\'' => self.0.push_str("&#39;"),
                '\n' | '\t' => self.0.push(c),
                c if c.is_control() || matches!(c, '\u{fffe}' | '\u{ffff}') => self.0.push('\u{fffd}'),
                c => self.0.push(c),
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Markup;

    #[test]
    fn text_and_attributes_are_escaped() {
        let mut m = Markup::default();
        m.text("p", &[("title", &"\"><script>")], "a < b & 'c'\u{0}");
        assert_eq!(
            m.finish(),
            "<p title=\"&quot;&gt;&lt;script&gt;\">a &lt; b &amp; &#39;c&#39;\u{fffd}</p>\n"
        );
    }
}
