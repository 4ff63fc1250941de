//! Tables, and cells shaded by their share (for a confusion matrix).

use crate::markup::Markup;

/// A table with a head line. Cells that look like numbers are aligned to the right.
#[derive(Clone, Debug, Default)]
pub struct Table {
    name: String,
    head: Vec<String>,
    rows: Vec<Vec<String>>,
    shades: Vec<Vec<f64>>,
    row_heads: bool,
    stacking: bool,
}

impl Table {
    /// A table; `name` becomes its caption.
    pub fn new(name: impl Into<String>, head: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Table { name: name.into(), head: head.into_iter().map(Into::into).collect(), ..Table::default() }
    }

    /// Adds a row.
    pub fn row(mut self, cells: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.rows.push(cells.into_iter().map(Into::into).collect());
        self
    }

    /// Lets each row become a block of lines on narrow screens, every cell with the name of its column before it, so
    /// that nothing is scrolled out of sight.
    pub fn stacking(mut self) -> Self {
        self.stacking = true;
        self
    }

    /// A confusion matrix: `counts[i * labels.len() + j]` rows of true class `i` were taken for class `j`.
    /// Cells are shaded by their share of the true class.
    pub fn confusion(name: impl Into<String>, labels: &[String], counts: &[u64]) -> Self {
        let mut table =
            Table::new(name, std::iter::once("true \\ predicted".to_owned()).chain(labels.iter().cloned()));
        table.row_heads = true;
        for (label, row) in labels.iter().zip(counts.chunks(labels.len().max(1))) {
            let total = row.iter().sum::<u64>().max(1) as f64;
            table.shades.push(row.iter().map(|&c| c as f64 / total).collect());
            table = table.row(std::iter::once(label.clone()).chain(row.iter().map(u64::to_string)));
        }
        table
    }

    pub(crate) fn write(&self, m: &mut Markup) {
        m.open("div", &[("class", &"scroll")]);
        let class = if self.stacking { "stacking" } else { "" };
        m.open("table", &[("class", &class), ("data-table", &self.name), ("data-rows", &self.rows.len())]);
        if !self.name.is_empty() {
            m.text("caption", &[], &self.name);
        }
        if !self.head.is_empty() {
            m.open("thead", &[]);
            m.open("tr", &[]);
            for (j, cell) in self.head.iter().enumerate() {
                let numeric = self.rows.first().and_then(|row| row.get(j)).is_some_and(|c| looks_numeric(c));
                let class = if numeric { "number" } else { "" };
                m.text("th", &[("scope", &"col"), ("class", &class)], cell);
            }
            m.close("tr");
            m.close("thead");
        }
        m.open("tbody", &[]);
        for (i, row) in self.rows.iter().enumerate() {
            self.write_row(m, row, self.shades.get(i));
        }
        m.close("tbody");
        m.close("table");
        m.close("div");
    }

    fn write_row(&self, m: &mut Markup, row: &[String], shades: Option<&Vec<f64>>) {
        m.open("tr", &[]);
        for (j, cell) in row.iter().enumerate() {
            if j == 0 && self.row_heads {
                m.text("th", &[("scope", &"row")], cell);
                continue;
            }
            let class = if looks_numeric(cell) { "number" } else { "" };
            // The first column is the row's label where there are shades.
            let shade = shades.and_then(|s| s.get(j.wrapping_sub(1)));
            match shade {
                Some(share) => {
                    let style = format!("--share:{:.0}%", 100.0 * share);
                    m.text("td", &[("class", &"number shade"), ("style", &style)], cell);
                }
                None if self.stacking => {
                    let label = self.head.get(j).map_or("", String::as_str);
                    m.text("td", &[("class", &class), ("data-label", &label)], cell);
                }
                None => m.text("td", &[("class", &class)], cell),
            }
        }
        m.close("tr");
    }
}

fn looks_numeric(cell: &str) -> bool {
    // A dash stands for a number that there is not.
    cell == "–"
        || cell
            .split_whitespace()
            .next()
            .is_some_and(|word| word.trim_end_matches('%').parse::<f64>().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn confusion_matrices_keep_their_order() {
        let mut m = Markup::default();
        let labels = ["a<b".to_owned(), "c".to_owned()];
        Table::confusion("test", &labels, &[9, 1, 0, 5]).write(&mut m);
        let html = m.finish();
        assert!(html.contains("a&lt;b"));
        assert!(html.contains("--share:90%\">9<"));
        assert!(html.contains("data-rows=\"2\""));
    }
}
