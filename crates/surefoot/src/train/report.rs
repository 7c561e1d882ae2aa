//! What a run comes to, for people and for programs.

use serde::Serialize;

use super::{DataChange, OnDrift, Progressive, Weighted};
use crate::{Familiarity, Metrics, Model, RarestLabel, Result};

/// Where the time went.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Seconds {
    /// Waiting for examples, parsing by this thread included.
    pub read: f64,
    /// Preparing, predicting and learning.
    pub learn: f64,
    /// All of it.
    pub total: f64,
}

/// The result of a run; `--json` prints it as it is.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Examples of the first pass.
    pub examples: u64,
    /// Progressive mistakes of the first pass.
    pub mistakes: u64,
    /// Mistakes an example.
    pub error_rate: f64,
    /// The error by importance, where not all examples were of importance 1; everything else counts each example once.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub weighted: Option<Weighted>,
    /// Where the data changed, by more than chance explains, as the first pass shows it.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<DataChange>,
    /// What was done about it, if anything was to be done besides telling people.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub on_drift: Option<OnDrift>,
    /// The metrics of the list that training follows, of the calibrated probabilities of the first pass.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// The label with the fewest examples of the first pass; none unless there are two.
    pub rarest_label: Option<RarestLabel>,
    /// Rounds that changed the model.
    pub updates: u64,
    /// Features that have a weight, the bias included.
    pub features: usize,
    /// Labels.
    pub labels: usize,
    /// Passes of this run.
    pub passes: u64,
    /// Where the time went.
    pub seconds: Seconds,
    /// The SPEC with every parameter filled in.
    pub learner: String,
    /// `balanced` if all labels counted alike, however rare some were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub class_weight: Option<&'static str>,
    /// Lines that were skipped.
    pub bad_lines: u64,
    /// How much of the examples a model that went on knew before.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub familiarity: Option<Familiarity>,
    /// What was understood without being told, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// What the user may not have meant, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub warnings: Vec<String>,
}

impl Report {
    /// A followed metric by name (`log-loss`); none if the examples do not determine it.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        self.metrics.get(name)
    }

    pub(super) fn new(
        model: &Model,
        run: &Progressive,
        passes: u64,
        seconds: Seconds,
        bad_lines: u64,
        warnings: Vec<String>,
    ) -> Result<Self> {
        Ok(Self {
            examples: run.examples(),
            mistakes: run.mistakes(),
            error_rate: run.error_rate(),
            weighted: run.weighted(),
            changes: model.changes(),
            on_drift: Some(model.on_drift()).filter(|own| *own != OnDrift::Report),
            metrics: run.metrics(),
            rarest_label: run.rarest_label(|class| model.labels().name(class as u32).to_string()),
            updates: run.updates(),
            features: model.encoder().index().len(),
            labels: model.labels().len(),
            passes,
            seconds,
            learner: model.spec()?,
            class_weight: model.is_balanced().then_some("balanced"),
            bad_lines,
            familiarity: None,
            notes: Vec::new(),
            warnings,
        })
    }
}
