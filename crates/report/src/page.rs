//! One HTML page that holds everything: style and pictures inside, no script, no network.

use crate::chart::Chart;
use crate::markup::Markup;
use crate::palette;
use crate::table::Table;

/// A page under construction.
#[derive(Clone, Debug)]
pub struct Page {
    title: String,
    lead: Vec<String>,
    sections: Vec<Section>,
    foot: String,
}

/// A part of a page, under a heading of its own.
#[derive(Clone, Debug)]
pub struct Section {
    title: String,
    blocks: Vec<Block>,
}

#[derive(Clone, Debug)]
enum Block {
    Heading(String),
    Paragraph(String),
    List(Vec<String>),
    Settings(Vec<(String, String)>),
    Table(Table),
    Charts(Vec<Chart>),
    Details(String, Vec<Block>),
}

const PAGE_STYLE: &str = include_str!("page.css");

impl Page {
    /// An empty page.
    pub fn new(title: impl Into<String>) -> Self {
        Page { title: title.into(), lead: Vec::new(), sections: Vec::new(), foot: String::new() }
    }

    /// Adds a sentence below the title.
    pub fn lead(mut self, text: impl Into<String>) -> Self {
        self.lead.push(text.into());
        self
    }

    /// Adds a section.
    pub fn section(mut self, section: Section) -> Self {
        self.sections.push(section);
        self
    }

    /// Sets the last line, e.g. which program wrote the page.
    pub fn foot(mut self, text: impl Into<String>) -> Self {
        self.foot = text.into();
        self
    }

    /// The whole page.
    pub fn to_html(&self) -> String {
        let mut m = Markup::default();
        m.raw("<!DOCTYPE html>\n");
        m.open("html", &[("lang", &"en")]);
        m.open("head", &[]);
        m.empty("meta", &[("charset", &"utf-8")]);
        m.empty("meta", &[("name", &"viewport"), ("content", &"width=device-width, initial-scale=1")]);
        // The page must not reach out, whatever a label in it may say.
        let policy = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";
        m.empty("meta", &[("http-equiv", &"Content-Security-Policy"), ("content", &policy)]);
        m.empty("meta", &[("name", &"color-scheme"), ("content", &"light dark")]);
        m.text("title", &[], &self.title);
        m.open("style", &[]);
        m.raw(PAGE_STYLE);
        m.raw(palette::CHART_STYLE);
        m.close("style");
        m.close("head");
        m.open("body", &[]);
        m.open("main", &[]);
        m.text("h1", &[], &self.title);
        for line in &self.lead {
            m.text("p", &[("class", &"lead")], line);
        }
        for section in &self.sections {
            section.write(&mut m);
        }
        m.close("main");
        if !self.foot.is_empty() {
            m.text("footer", &[], &self.foot);
        }
        m.close("body");
        m.close("html");
        m.finish()
    }
}

impl Section {
    /// An empty section.
    pub fn new(title: impl Into<String>) -> Self {
        Section { title: title.into(), blocks: Vec::new() }
    }

    /// Adds a paragraph.
    pub fn text(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Paragraph(text.into()));
        self
    }

    /// Adds a heading within the section.
    pub fn heading(mut self, text: impl Into<String>) -> Self {
        self.blocks.push(Block::Heading(text.into()));
        self
    }

    /// Adds a list of sentences.
    pub fn list(mut self, items: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.blocks.push(Block::List(items.into_iter().map(Into::into).collect()));
        self
    }

    /// Adds everything of another section under a heading within this one.
    pub fn join(mut self, other: Section) -> Self {
        self.blocks.push(Block::Heading(other.title));
        self.blocks.extend(other.blocks);
        self
    }

    /// Adds a list of names and values.
    pub fn settings(
        mut self,
        pairs: impl IntoIterator<Item = (impl Into<String>, impl Into<String>)>,
    ) -> Self {
        self.blocks.push(Block::Settings(pairs.into_iter().map(|(k, v)| (k.into(), v.into())).collect()));
        self
    }

    /// Adds a table.
    pub fn table(mut self, table: Table) -> Self {
        self.blocks.push(Block::Table(table));
        self
    }

    /// Adds a table behind a line that opens it; printed pages show it open.
    pub fn folded_table(mut self, line: impl Into<String>, table: Table) -> Self {
        self.blocks.push(Block::Details(line.into(), vec![Block::Table(table)]));
        self
    }

    /// Adds a chart behind a line that opens it; printed pages show it open.
    pub fn folded_chart(mut self, line: impl Into<String>, chart: Chart) -> Self {
        self.blocks.push(Block::Details(line.into(), vec![Block::Charts(vec![chart])]));
        self
    }

    /// Adds a chart; charts that follow each other stand side by side where there is room.
    pub fn chart(mut self, chart: Chart) -> Self {
        match self.blocks.last_mut() {
            Some(Block::Charts(charts)) => charts.push(chart),
            _ => self.blocks.push(Block::Charts(vec![chart])),
        }
        self
    }

    fn write(&self, m: &mut Markup) {
        m.open("section", &[("data-section", &self.title)]);
        m.text("h2", &[], &self.title);
        for block in &self.blocks {
            block.write(m);
        }
        m.close("section");
    }
}

impl Block {
    fn write(&self, m: &mut Markup) {
        match self {
            Block::Heading(text) => m.text("h3", &[], text),
            Block::Paragraph(text) => m.text("p", &[], text),
            Block::List(items) => {
                m.open("ul", &[]);
                items.iter().for_each(|item| m.text("li", &[], item));
                m.close("ul");
            }
            Block::Table(table) => table.write(m),
            Block::Settings(pairs) => {
                m.open("dl", &[]);
                for (name, value) in pairs {
                    // Long values would make their neighbours' row as tall as themselves.
                    let wide: &[(&str, &dyn std::fmt::Display)] =
                        if value.chars().count() > 100 { &[("class", &"wide")] } else { &[] };
                    m.open("div", wide);
                    m.text("dt", &[], name);
                    m.text("dd", &[("data-setting", name)], value);
                    m.close("div");
                }
                m.close("dl");
            }
            Block::Charts(charts) => {
                m.open("div", &[("class", &"charts")]);
                for chart in charts {
                    m.open("figure", &[]);
                    m.raw(&chart.to_svg());
                    m.close("figure");
                }
                m.close("div");
            }
            Block::Details(line, blocks) => {
                m.open("details", &[]);
                m.text("summary", &[], line);
                blocks.iter().for_each(|block| block.write(m));
                m.close("details");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_stands_alone_and_is_escaped() {
        let html = Page::new("<b>")
            .lead("a & b")
            .section(
                Section::new("S")
                    .settings([("seed", "\"7\"")])
                    .chart(Chart::new("one"))
                    .chart(Chart::new("two"))
                    .folded_table("more", Table::new("t", ["a"]).row(["1"])),
            )
            .to_html();
        assert!(html.starts_with("<!DOCTYPE html>"));
        assert!(
            html.contains("<h1>&lt;b&gt;</h1>")
                && html.contains("a &amp; b")
                && html.contains("&quot;7&quot;")
        );
        assert_eq!(html.matches("<figure>").count(), 2);
        assert_eq!(html.matches("class=\"charts\"").count(), 1);
        let without_names = html.replace("http://www.w3.org/2000/svg", "");
        assert!(
            !without_names.contains("http:")
                && !without_names.contains("https:")
                && !html.contains("<script")
        );
    }
}
