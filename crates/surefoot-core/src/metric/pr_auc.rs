//! The area under the curve of precision over recall, for classes of which one is rare.

use super::ranking::RankingMetric;
use super::{MadeOf, MetricSpec, Ranking, Tasks, ValueScale};

/// The entry in the list of metrics.
pub static SPEC: MetricSpec = MetricSpec {
    name: "pr-auc",
    key: "pr_auc",
    title: "area under PR",
    help: "area under precision–recall of the rarer label",
    higher_is_better: Some(true),
    scale: ValueScale::Share,
    tasks: Tasks::TwoClasses,
    progressive: true,
    tally: MadeOf::Ranking(Ranking::average_precision),
    build: || RankingMetric::boxed(Ranking::average_precision),
};
