//! What an experiment found: plain data that is recorded, drawn, tabled and compared.

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Digits that are recorded of a number; what lies beyond is of no interest to anyone.
const DIGITS: usize = 6;

/// Everything an experiment found. All but the timings is reproduced exactly by running it again.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// The data that was used.
    pub data: Vec<DataUsed>,
    /// Numbers for the page, ours beside the paper's.
    pub tables: Vec<Table>,
    /// Numbers for the plots.
    pub series: Vec<Series>,
    /// What the paper says in words, and whether it is so here.
    pub claims: Vec<Claim>,
    /// What depends on the machine and its mood.
    #[serde(default)]
    pub timings: Vec<Table>,
}

/// A data set that was used.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct DataUsed {
    /// Its name: a file of the data folder, or how it was generated.
    pub name: String,
    /// Its rows.
    pub rows: usize,
}

/// A table; the first column names the row.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Table {
    /// What it shows.
    pub title: String,
    /// Heads of the columns.
    pub columns: Vec<String>,
    /// Words, numbers, or null where there is nothing to say.
    pub rows: Vec<Vec<Value>>,
}

/// Points of a plot, with a spread around y if there is one.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Which panel it belongs to; empty if there is one panel alone.
    #[serde(default)]
    pub panel: String,
    /// What the legend says.
    pub name: String,
    /// Abscissae.
    pub x: Vec<f64>,
    /// Ordinates.
    pub y: Vec<f64>,
    /// Half the height of the band or of the error bar; may be empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub spread: Vec<f64>,
}

/// A statement of a paper, judged by our numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What is said.
    pub says: String,
    /// Whether it is so here.
    pub holds: bool,
}

impl Findings {
    /// Notes a data set.
    pub fn used(&mut self, name: impl Into<String>, rows: usize) {
        let name = name.into();
        if self.data.iter().all(|data| data.name != name) {
            self.data.push(DataUsed { name, rows });
        }
    }

    /// Judges a statement.
    pub fn claim(&mut self, says: impl Into<String>, holds: bool) {
        self.claims.push(Claim { says: says.into(), holds });
    }

    /// The series of a panel.
    pub fn panel<'a>(&'a self, panel: &'a str) -> impl Iterator<Item = &'a Series> {
        self.series.iter().filter(move |series| series.panel == panel)
    }

    /// The table of this title.
    #[must_use]
    pub fn table(&self, title: &str) -> Option<&Table> {
        self.tables.iter().find(|table| table.title == title)
    }
}

impl Table {
    /// An empty table.
    pub fn new(title: &str, columns: &[&str]) -> Self {
        let columns = columns.iter().map(|column| (*column).to_string()).collect();
        Self { title: title.to_string(), columns, rows: Vec::new() }
    }

    /// Adds a row; what is missing at its end is nothing.
    pub fn row(&mut self, name: &str, cells: impl IntoIterator<Item = impl Into<Value>>) {
        let mut row = vec![Value::from(name)];
        row.extend(cells.into_iter().map(|cell| rounded(cell.into())));
        row.resize(row.len().max(self.columns.len()), Value::Null);
        self.rows.push(row);
    }

    /// The number in the row of this name and the column of this head.
    #[must_use]
    pub fn number(&self, row: &str, column: &str) -> Option<f64> {
        let at = self.columns.iter().position(|head| head == column)?;
        self.rows.iter().find(|cells| cells[0] == row)?.get(at)?.as_f64()
    }

    /// The names of the rows.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.rows.iter().filter_map(|row| row.first()?.as_str())
    }
}

impl Series {
    /// A series without spread.
    pub fn new(panel: &str, name: &str, points: impl IntoIterator<Item = (f64, f64)>) -> Self {
        let (x, y) = points.into_iter().map(|(x, y)| (round(x), round(y))).unzip();
        Self { panel: panel.to_string(), name: name.to_string(), x, y, spread: Vec::new() }
    }

    /// The same with a spread at each point.
    #[must_use]
    pub fn with_spread(mut self, spread: impl IntoIterator<Item = f64>) -> Self {
        self.spread = spread.into_iter().map(round).collect();
        self
    }

    /// Its points.
    pub fn points(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        self.x.iter().copied().zip(self.y.iter().copied())
    }
}

/// A number as it is recorded.
fn round(number: f64) -> f64 {
    format!("{number:.*e}", DIGITS - 1).parse().unwrap_or(number)
}

fn rounded(cell: Value) -> Value {
    match cell.as_f64() {
        Some(number) if !cell.is_u64() && !cell.is_i64() => Value::from(round(number)),
        _ => cell,
    }
}
