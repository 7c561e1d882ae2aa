//! Progress on standard error: a table with rows at powers of two, and a bar.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use surefoot::data::Progress as Reading;

use super::When;
use crate::output::thousands;

const HEADER: &str = "  examples  error so far  error since    updates   features";

/// Counts of the first pass, and what was shown of them.
pub(super) struct Progress {
    shown: bool,
    bar: Option<ProgressBar>,
    examples: u64,
    mistakes: u64,
    updates: u64,
    features: usize,
    /// Examples and mistakes at the last row.
    last: (u64, u64),
    next: u64,
    /// The rows, for reports.
    curve: Vec<Row>,
}

/// One row of the table.
#[derive(Debug, Clone, Copy)]
pub(super) struct Row {
    /// Examples so far.
    pub(super) examples: u64,
    /// Share of mistakes so far.
    pub(super) error: f64,
    /// Share of mistakes since the row before.
    pub(super) recent: f64,
}

impl Progress {
    pub(super) fn new(when: When) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let shown = when == When::Always || (when == When::Auto && terminal);
        Self {
            shown,
            bar: (shown && terminal).then(ProgressBar::no_length),
            examples: 0,
            mistakes: 0,
            updates: 0,
            features: 0,
            last: (0, 0),
            next: 1,
            curve: Vec::new(),
        }
    }

    /// Takes in a round of the first pass.
    pub(super) fn round(&mut self, mistake: bool, updated: bool, features: usize) {
        self.examples += 1;
        self.mistakes += u64::from(mistake);
        self.updates += u64::from(updated);
        self.features = features;
        if self.examples == self.next {
            self.next *= 2;
            self.row();
        }
    }

    fn row(&mut self) {
        let (examples, mistakes) = (self.examples - self.last.0, self.mistakes - self.last.1);
        let row = Row {
            examples: self.examples,
            error: self.mistakes as f64 / self.examples as f64,
            recent: mistakes as f64 / examples.max(1) as f64,
        };
        if self.shown && self.curve.is_empty() {
            self.say(HEADER);
        }
        if self.shown {
            self.say(&format!(
                "{:>10}  {:>12.4}  {:>11.4} {:>10} {:>10}",
                thousands(row.examples),
                row.error,
                row.recent,
                thousands(self.updates),
                thousands(self.features as u64)
            ));
        }
        self.curve.push(row);
        self.last = (self.examples, self.mistakes);
    }

    fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| eprintln!("{line}")),
            None => eprintln!("{line}"),
        }
    }

    /// Moves the bar.
    pub(super) fn reading(&self, reading: Reading) {
        let Some(bar) = &self.bar else { return };
        if let (Some(total), None | Some(0)) = (reading.bytes_total, bar.length()) {
            bar.set_length(total);
        }
        let template = match reading.bytes_total {
            Some(_) => "{bar:30} {percent:>3} %  {msg}  {eta} left",
            None => "{spinner} {bytes}  {msg}",
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        let rate = self.examples as f64 / bar.elapsed().as_secs_f64().max(1e-3);
        bar.set_message(format!("{} examples/s", thousands(rate as u64)));
        bar.set_position(reading.bytes_read);
    }

    /// A line between the rows.
    pub(super) fn note(&self, line: &str) {
        if self.shown {
            self.say(line);
        }
    }

    /// Ends the table with a row for the last example; gives back all rows.
    pub(super) fn finish(mut self) -> Vec<Row> {
        if self.examples > self.last.0 {
            self.row();
        }
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
        self.curve
    }
}
