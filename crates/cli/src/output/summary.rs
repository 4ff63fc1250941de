//! A short list of facts for a person.

use std::time::Duration;

/// Names and values in two columns.
#[derive(Default)]
pub struct Summary {
    lines: Vec<(String, String)>,
}

impl Summary {
    /// Adds a line.
    pub fn line(mut self, name: impl Into<String>, value: impl Into<String>) -> Self {
        self.lines.push((name.into(), value.into()));
        self
    }

    /// Adds a line if there is something to say.
    pub fn maybe(self, name: &str, value: Option<impl Into<String>>) -> Self {
        match value {
            Some(value) => self.line(name, value),
            None => self,
        }
    }

    /// The text, with the values aligned.
    pub fn to_text(&self) -> String {
        let widest = self.lines.iter().map(|(name, _)| name.chars().count()).max().unwrap_or(0);
        let line = |(name, value): &(String, String)| format!("{name:<widest$}  {value}\n");
        self.lines.iter().map(line).collect()
    }
}

/// Lines of cells with their columns aligned.
pub fn aligned(lines: &[Vec<String>]) -> String {
    let columns = lines.iter().map(Vec::len).max().unwrap_or(0);
    let width = |c: usize| lines.iter().filter_map(|l| l.get(c)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|c| width(c).unwrap_or(0)).collect();
    let line = |cells: &Vec<String>| {
        let padded: Vec<String> = cells.iter().zip(&widths).map(|(cell, w)| format!("{cell:<w$}")).collect();
        format!("{}\n", padded.join("  ").trim_end())
    };
    lines.iter().map(line).collect()
}

/// A time as people say it.
pub fn duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        s if s < 1.0 => format!("{:.0} ms", 1e3 * s),
        s if s < 120.0 => format!("{s:.1} s"),
        s => format!("{} min {:02.0} s", (s / 60.0) as u64, s % 60.0),
    }
}

/// A count with its noun: `1 row`, `2 rows`, `2 classes`.
pub fn count(n: usize, noun: &str) -> String {
    let ending = if noun.ends_with('s') { "es" } else { "s" };
    if n == 1 { format!("1 {noun}") } else { format!("{n} {noun}{ending}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_aligned() {
        let text = Summary::default().line("a", "1").line("long", "2").maybe("no", None::<String>).to_text();
        assert_eq!(text, "a     1\nlong  2\n");
    }

    #[test]
    fn times_and_counts_read_well() {
        assert_eq!(duration(Duration::from_millis(12)), "12 ms");
        assert_eq!(duration(Duration::from_secs(125)), "2 min 05 s");
        assert_eq!((count(1, "row"), count(0, "row")), ("1 row".into(), "0 rows".into()));
    }
}
