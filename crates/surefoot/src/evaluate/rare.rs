//! Labels of which there are few: there a small error says little.

use serde::Serialize;
use surefoot_core::metric::ClassCounts;

use super::Metrics;

/// A label counts as rare below this part of an even share: of two labels below 20 %, of twenty below 2 %.
const RARE: f64 = 0.4;

/// The label with the fewest examples.
#[derive(Debug, Clone, Serialize, PartialEq)]
pub struct RarestLabel {
    /// The label.
    pub label: String,
    /// Its share of the examples.
    pub share: f64,
    /// Whether that is so little that the error alone says little: always guessing another label would err little too.
    pub rare: bool,
}

impl RarestLabel {
    pub(crate) fn of(counts: &ClassCounts, name: impl Fn(usize) -> String) -> Option<Self> {
        let (class, share) = counts.rarest()?;
        let labels = (0..counts.len()).filter(|&class| counts.support(class) > 0.0).count();
        Some(Self { label: name(class), share, rare: share * (labels as f64) < RARE })
    }

    /// What to look at beside the error, if the label is rare: F1 and the area under precision–recall of the rarer of two
    /// labels, macro F1 of more.
    #[must_use]
    pub fn telling(&self, metrics: &Metrics) -> Vec<(&'static str, f64)> {
        let names: &[&str] = match metrics.get("f1") {
            _ if !self.rare => &[],
            Some(_) => &["f1", "pr-auc"],
            None => &["macro-f1"],
        };
        let found = metrics.iter().filter(|(spec, _)| names.contains(&spec.name));
        let mut found: Vec<_> = found.filter_map(|(spec, value)| Some((spec, value?))).collect();
        found.sort_by_key(|(spec, _)| names.iter().position(|name| *name == spec.name));
        found.into_iter().map(|(spec, value)| (spec.title, value)).collect()
    }
}
