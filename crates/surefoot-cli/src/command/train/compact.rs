//! `--compact`: a smaller model, and what it costs.

use std::io::Write;

use serde::Serialize;
use surefoot::data::Source;
use surefoot::{Model, Reading, evaluate};

use crate::failure::Result;
use crate::output::{counted, note, percent, thousands};

/// A model before and after it was made compact.
#[derive(Debug, Clone, Serialize)]
pub(super) struct Compacted {
    features: BeforeAfter<usize>,
    bytes: BeforeAfter<usize>,
    /// On the data of --test; none if there is none.
    #[serde(skip_serializing_if = "Option::is_none")]
    test: Option<TestedCompact>,
}

/// How both do on data that neither has learned from.
#[derive(Debug, Clone, Serialize)]
struct TestedCompact {
    examples: u64,
    error_rate: BeforeAfter<f64>,
    log_loss: BeforeAfter<Option<f64>>,
}

/// A number before and after.
#[derive(Debug, Clone, Copy, Serialize)]
struct BeforeAfter<T> {
    before: T,
    after: T,
}

impl Compacted {
    /// Makes a model compact, and compares the two. An ensemble that was joined by a member which cannot be made so stays whole.
    pub(super) fn new(model: Model, test: Vec<Source>, reading: &Reading) -> Result<(Model, Option<Self>)> {
        if !model.learner_spec().is_compactable() {
            note(
                "note: the model is saved whole: its rows are dense, and a member that keeps correlations cannot be made compact",
            );
            return Ok((model, None));
        }
        let small = model.compact()?;
        let features =
            BeforeAfter { before: model.encoder().index().len(), after: small.encoder().index().len() };
        let bytes = BeforeAfter { before: model.to_bytes()?.len(), after: small.to_bytes()?.len() };
        let test = if test.is_empty() {
            None
        } else {
            let (before, after) =
                (evaluate(&model, test.clone(), reading)?, evaluate(&small, test, reading)?);
            Some(TestedCompact {
                examples: before.examples,
                error_rate: BeforeAfter { before: before.error_rate(), after: after.error_rate() },
                log_loss: BeforeAfter { before: before.metric("log-loss"), after: after.metric("log-loss") },
            })
        };
        Ok((small, Some(Compacted { features, bytes, test })))
    }

    /// For people.
    pub(super) fn print(&self, out: &mut dyn Write) -> Result<()> {
        let Self { features, bytes, test } = self;
        let size = |bytes: usize| format!("{:.1} MB", bytes as f64 / 1e6);
        writeln!(
            out,
            "\ncompact: {} of {} kept, {} instead of {}",
            thousands(features.after as u64),
            counted(features.before as u64, "feature"),
            size(bytes.after),
            size(bytes.before)
        )?;
        let Some(test) = test else {
            writeln!(
                out,
                "what that costs in error: train with --test FILE, or surefoot test MODEL FILE with both"
            )?;
            return Ok(());
        };
        let (examples, error) = (counted(test.examples, "held-out example"), test.error_rate);
        write!(out, "on {examples}: error {} instead of {}", percent(error.after), percent(error.before))?;
        if let (Some(before), Some(after)) = (test.log_loss.before, test.log_loss.after) {
            write!(out, ", log loss {after:.3} instead of {before:.3}")?;
        }
        Ok(writeln!(out)?)
    }
}
