//! The area under the ROC curve.

use super::ranking::RankingMetric;
use super::{MadeOf, MetricSpec, Ranking, Tasks, ValueScale};

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "roc-auc",
    key: "auc",
    title: "area under ROC",
    help: "area under the ROC curve",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::TwoClasses,
    progressive: true,
    tally: MadeOf::Ranking(Ranking::roc_area),
    build: || RankingMetric::boxed(Ranking::roc_area),
};
