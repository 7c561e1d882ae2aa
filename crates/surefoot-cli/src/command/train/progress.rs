//! Progress on standard error: a table with rows at powers of two, and a bar.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressStyle};
use surefoot::data::Progress;
use surefoot::train::CurvePoint;

use super::When;
use crate::output::{self, thousands};

const HEADER: &str = "  examples  error so far  error since    updates   features";

/// What is shown of a run.
pub(super) struct ProgressDisplay {
    shown: bool,
    bar: Option<ProgressBar>,
}

impl ProgressDisplay {
    /// Nothing is shown if the program is to be `quiet`.
    pub(super) fn new(when: When, quiet: bool) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let shown = !quiet && (when == When::Always || (when == When::Auto && terminal));
        let bar = (shown && terminal).then(ProgressBar::no_length);
        Self { shown, bar }
    }

    /// Shows a row of the table.
    pub(super) fn row(&self, row: &CurvePoint, updates: u64, features: usize) {
        if !self.shown {
            return;
        }
        if row.examples == 1 {
            self.say(HEADER);
        }
        self.say(&format!(
            "{:>10}  {:>12.4}  {:>11.4} {:>10} {:>10}",
            thousands(row.examples),
            row.error,
            row.recent,
            thousands(updates),
            thousands(features as u64)
        ));
    }

    /// A line of its own, shown in any case.
    pub(super) fn say(&self, line: &str) {
        match &self.bar {
            Some(bar) => bar.suspend(|| output::note(line)),
            None => output::note(line),
        }
    }

    /// Moves the bar; so many examples were seen.
    pub(super) fn reading(&self, reading: Progress, examples: u64) {
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
        let rate = examples as f64 / bar.elapsed().as_secs_f64().max(1e-3);
        bar.set_message(format!("{} examples/s", thousands(rate as u64)));
        bar.set_position(reading.bytes_read);
    }

    /// A line between the rows.
    pub(super) fn note(&self, line: &str) {
        if self.shown {
            self.say(line);
        }
    }

    /// Takes the bar away.
    pub(super) fn finish(&self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
