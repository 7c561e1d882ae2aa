//! Many candidates, settings of a learner beside the default, in as few passes over the data as can be; the one with the
//! smallest progressive loss wins.

mod features;
mod grid;
mod trials;

use std::time::Duration;

use serde::Serialize;
use surefoot_core::LearnerSpec;
use surefoot_core::metric::{self, METRICS, MetricSpec};
use surefoot_data::Source;

pub use features::FeatureSearch;
pub use grid::settings;

use crate::compare::Contender;
use crate::options::options;
use crate::train::TrainOptions;
use crate::{Error, Metrics, Model, Result};
use trials::Trials;

options! {
    /// What is tried, and what the best is best in.
    pub struct Search {
        /// The learners with their features. Of equals the first is the best.
        candidates: Vec<Contender> = Vec::new(),
        /// The metric that is to be best, of the first pass; mistakes and then the log loss decide between equals.
        metric: &'static MetricSpec = tuning_metrics().next().unwrap_or(METRICS[0]),
        /// Which features are tried with the best candidate, one change after the other.
        features: FeatureSearch = FeatureSearch::default(),
        /// The time after which no further pass is begun.
        budget: Option<Duration> = None,
    }
}

impl Search {
    /// The learners that are tried, in their order.
    pub fn learners(&self) -> impl Iterator<Item = LearnerSpec> + '_ {
        self.candidates.iter().map(|own| own.learner.clone())
    }
}

/// The metrics that a search can be judged by, the usual one first: known after the pass, and better one way.
pub fn tuning_metrics() -> impl Iterator<Item = &'static MetricSpec> {
    let followed = METRICS.iter().copied().filter(|spec| spec.progressive && spec.higher_is_better.is_some());
    metric::find("error-rate").into_iter().chain(followed)
}

/// The table of a search, best candidate first.
#[derive(Debug, Clone, Serialize)]
pub struct Tuning {
    /// The metric that decided.
    pub metric: &'static str,
    /// Examples of the pass.
    pub examples: u64,
    /// Lines that were skipped.
    pub bad_lines: u64,
    /// One row a candidate.
    pub rows: Vec<Setting>,
    /// Candidates that there was no time for.
    pub untried: Vec<Untried>,
}

/// A candidate and how it did.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// The SPEC with every parameter filled in; an ensemble as it was named.
    pub learner: String,
    /// The flags that make its features, where those are not as they were given.
    pub features: String,
    /// Whether it is what `train` learns when nothing is said.
    pub default: bool,
    /// Progressive mistakes.
    pub mistakes: u64,
    /// Mistakes an example.
    pub error_rate: f64,
    /// The metrics of the list that training follows, of the calibrated probabilities.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Time spent in this candidate alone.
    pub seconds: f64,
}

impl Setting {
    /// What it is for people: the name of the learner, whether that is the default, and the flags of its features.
    #[must_use]
    pub fn described(&self, name: &str) -> String {
        match (self.default, self.features.is_empty()) {
            (true, _) => format!("{name}, the default"),
            (false, true) => name.to_string(),
            (false, false) => format!("{name} {}", self.features),
        }
    }

    /// The number of a metric.
    #[must_use]
    pub fn metric(&self, name: &str) -> Option<f64> {
        if name == "error-rate" { Some(self.error_rate) } else { self.metrics.get(name) }
    }
}

/// A candidate that was not tried.
#[derive(Debug, Clone, Serialize, PartialEq, Eq)]
pub struct Untried {
    /// The learner, as it was named.
    pub learner: String,
    /// The flags that make its features, where those are not as they were given.
    pub features: String,
}

impl Untried {
    /// What it is for people: the name of the learner, and the flags of its features.
    #[must_use]
    pub fn described(&self, name: &str) -> String {
        [name, &self.features].join(" ").trim_end().to_string()
    }
}

/// Learns all candidates, those with the same features side by side; returns the model of the best, which is the one that
/// training it alone makes, and the table. The learner and the recipe of `options` are not used.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{Contender, Search, settings, tune};
///
/// let data = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\n");
/// let mut candidates = vec![Contender::default()];
/// candidates.extend(Contender::all(&settings("arow:r=0.1|1|10")?, &surefoot::default_recipe())?);
/// let search = Search::default().candidates(candidates);
/// let (model, table) = tune(&[data], &search, &TrainOptions::default())?;
/// assert_eq!(table.rows.len(), 4);
/// assert_eq!(table.rows[0].default, model.learner_spec().is_ensemble());
/// # Ok::<(), Error>(())
/// ```
pub fn tune(sources: &[Source], search: &Search, options: &TrainOptions) -> Result<(Model, Tuning)> {
    check(sources, search)?;
    let mut trials = Trials::new(sources, search, options);
    trials.run(trials.candidates())?;
    features::search(&mut trials, &search.features)?;
    trials.finish()
}

/// Refuses what needs the data several times where it can be read once.
fn check(sources: &[Source], search: &Search) -> Result<()> {
    let once = sources.iter().any(|source| matches!(source, Source::Stdin));
    let [first, others @ ..] = &search.candidates[..] else { return Ok(()) };
    let why = "standard input can be read only once, and this search reads the data several times; put it into a file";
    if once && search.features.any() {
        return Err(Error::Other(why.into()));
    }
    if once && others.iter().any(|other| !first.is_beside(other)) {
        return Err(Error::Other(format!(
            "{why}, or try only learners that see the same features (--no-default)"
        )));
    }
    Ok(())
}
