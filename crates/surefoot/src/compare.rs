//! Learners side by side on the same data, with the question whether their differences are chance.

use serde::Serialize;
use surefoot_core::metric::METRICS;
use surefoot_core::metric::significance::{PairedMistakes, paired_t};
use surefoot_core::transform::{Cuts, View};
use surefoot_core::{LearnerSpec, Task};
use surefoot_data::{Normalize, Recipe, Source};

use crate::side_by_side::{ContestantRecord, cross_validate, progressive};
use crate::train::TrainOptions;
use crate::{DEFAULT_LEARNER, Error, Metrics, Result, cut_for, default_recipe_for};

/// A learner and how it sees the data.
#[derive(Debug, Clone)]
pub struct Contender {
    /// What to call it.
    pub name: String,
    /// The learner or ensemble.
    pub learner: LearnerSpec,
    /// From parsed pieces to numbers.
    pub recipe: Recipe,
}

impl Default for Contender {
    /// What `train` learns when nothing is said.
    fn default() -> Self {
        let learner = TrainOptions::default().learner;
        Self { name: DEFAULT_LEARNER.into(), recipe: default_recipe_for(&learner), learner }
    }
}

impl Contender {
    /// Learners that see the data alike, but for ensembles, the members of which have views of their own.
    pub fn all(learners: &[LearnerSpec], recipe: &Recipe) -> Result<Vec<Self>> {
        let name = |learner: &LearnerSpec| match learner {
            LearnerSpec::Auto { .. } => Ok(DEFAULT_LEARNER.into()),
            decided => decided.text(Task::Multiclass),
        };
        let own_recipe = |learner: &LearnerSpec| match learner {
            LearnerSpec::One(_) => recipe.clone(),
            _ => cut_for(learner, with_view(recipe.clone(), View::default())),
        };
        let each = |learner: &LearnerSpec| {
            Ok(Self { name: name(learner)?, learner: learner.clone(), recipe: own_recipe(learner) })
        };
        learners.iter().map(each).collect()
    }

    /// Whether it is the learner that `train` takes when nothing is said.
    #[must_use]
    pub fn is_default(&self) -> bool {
        self.name == DEFAULT_LEARNER
    }

    /// Whether the other can learn from the same examples in the same pass and end as the model that it is alone. Where one of
    /// them takes no gaps between features, those have other numbers.
    pub(crate) fn is_beside(&self, other: &Self) -> bool {
        self.recipe == other.recipe && self.learner.takes_gaps() == other.learner.takes_gaps()
    }

    /// Reads `SPEC`, `SPEC@VIEW`, `auto` or `ensemble(…)`. A view (`sqrt+l2`, `none`, …) replaces the recipe's transforms
    /// and normalisation; an ensemble's members have their own.
    ///
    /// ```
    /// use surefoot::core::transform::Transform;
    /// use surefoot::{Contender, data::{Normalize, Recipe}};
    /// let contender = Contender::parse("arow:r=0.1@sqrt+l2", &Recipe::default())?;
    /// assert_eq!((contender.recipe.values, contender.recipe.normalize), (Transform::Sqrt, Normalize::L2));
    /// # Ok::<(), surefoot::Error>(())
    /// ```
    pub fn parse(text: &str, recipe: &Recipe) -> Result<Self> {
        let name = text.trim().to_string();
        let own = name.rsplit_once('@').filter(|_| !name.ends_with(')'));
        let own = own.map(|(spec, view)| Ok::<_, Error>((spec, View::parse(view)?))).transpose()?;
        let (learner, view) = match own {
            Some((spec, view)) if is_plain(view) => (LearnerSpec::parse(spec)?, Some(view)),
            _ => (LearnerSpec::parse(&name)?, None),
        };
        let view = view.or(learner.is_ensemble().then(View::default));
        let recipe = view.map_or_else(|| recipe.clone(), |view| with_view(recipe.clone(), view));
        let recipe = cut_for(&learner, recipe);
        Ok(Self { name, learner, recipe })
    }
}

/// Whether a recipe can do what a view does.
pub(crate) fn is_plain(view: View) -> bool {
    view.scaling.is_none() && [Cuts::ALL, Cuts::WORDS].contains(&view.cuts)
}

/// The recipe with the transforms, the normalisation and the words of a [plain](is_plain) view.
pub(crate) fn with_view(mut recipe: Recipe, view: View) -> Recipe {
    (recipe.values, recipe.text.values) = (view.transform, view.transform);
    recipe.normalize = if view.unit { Normalize::L2 } else { Normalize::None };
    if view.cuts == Cuts::WORDS {
        recipe.text = recipe.text.uncut();
    }
    recipe
}

/// How learners are compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Protocol {
    /// Every example is predicted, then learned; one pass.
    Progressive,
    /// Cross-validation with so many folds.
    Folds(usize),
}

/// The table of a comparison, in the order in which the learners were given.
#[derive(Debug, Clone, Serialize)]
pub struct Comparison {
    /// How they were compared.
    pub protocol: Protocol,
    /// Examples that each was judged on.
    pub examples: u64,
    /// Lines that were skipped.
    pub bad_lines: u64,
    /// Which row has the fewest mistakes (then the smallest log loss).
    pub best: usize,
    /// One row a learner.
    pub rows: Vec<ComparisonRow>,
}

/// One learner's line of the table.
#[derive(Debug, Clone, Serialize)]
pub struct ComparisonRow {
    /// The learner, as it was named.
    pub learner: String,
    /// Whether it is what `train` learns when nothing is said.
    pub default: bool,
    /// Mistakes.
    pub mistakes: u64,
    /// Mistakes an example.
    pub error_rate: f64,
    /// The metrics of the list that training follows, of the calibrated probabilities; of folds their mean.
    #[serde(flatten)]
    pub metrics: Metrics,
    /// Time spent in this learner alone.
    pub seconds: f64,
    /// McNemar's p-value of "it errs as often as the best one"; none for the best one itself.
    pub mcnemar: Option<f64>,
    /// The paired t-test's p-value over the folds; none for the best one itself and without folds.
    pub paired_t: Option<f64>,
    /// The error rate of each fold.
    pub folds: Vec<f64>,
}

/// Runs the contenders side by side. Those with the same recipe share one reading of the data; `options` says the
/// rest, and its learner and recipe are not used.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{Contender, Protocol, compare, default_recipe};
///
/// let mut lines = String::new();
/// for i in 0..60 {
///     lines += if i % 2 == 0 { "spam\tcheap pills\n" } else { "ham\tlunch today\n" };
/// }
/// let data = Source::memory("mail.tsv", lines.into_bytes());
/// let contenders = ["arow", "perceptron"].map(|spec| Contender::parse(spec, &default_recipe()).unwrap());
/// let table = compare(&[data], &contenders, Protocol::Folds(3), &TrainOptions::default())?;
/// assert_eq!((table.examples, table.rows[0].mistakes), (60, 0));
/// assert_eq!(table.rows[1].mcnemar, Some(1.0));
/// # Ok::<(), Error>(())
/// ```
pub fn compare(
    sources: &[Source],
    contenders: &[Contender],
    protocol: Protocol,
    options: &TrainOptions,
) -> Result<Comparison> {
    check(sources, contenders, protocol)?;
    let mut scored: Vec<Option<Scored>> = contenders.iter().map(|_| None).collect();
    let mut bad_lines = 0;
    for (at, contender) in contenders.iter().enumerate() {
        if scored[at].is_some() {
            continue;
        }
        let group: Vec<usize> =
            (at..contenders.len()).filter(|&i| contenders[i].recipe == contender.recipe).collect();
        let specs: Vec<LearnerSpec> = group.iter().map(|&i| contenders[i].learner.clone()).collect();
        let options = options.clone().recipe(contender.recipe.clone());
        let (own, skipped) = score(sources, &specs, protocol, &options)?;
        bad_lines = skipped.max(bad_lines);
        group.into_iter().zip(own).for_each(|(i, own)| scored[i] = Some(own));
    }
    let scored: Vec<Scored> = scored.into_iter().flatten().collect();
    let better = |a: usize, b: usize| if scored[b].order() < scored[a].order() { b } else { a };
    let best = (0..scored.len()).reduce(better).unwrap_or(0);
    let rows = contenders.iter().zip(&scored).enumerate();
    Ok(Comparison {
        protocol,
        examples: scored.first().map_or(0, Scored::examples),
        bad_lines,
        best,
        rows: rows.map(|(i, (who, own))| row(who, own, (i != best).then(|| &scored[best]))).collect(),
    })
}

fn check(sources: &[Source], contenders: &[Contender], protocol: Protocol) -> Result<()> {
    let Some(first) = contenders.first() else {
        return Err(Error::Other("no learner to compare; name at least one".into()));
    };
    if let Protocol::Folds(folds @ (0 | 1)) = protocol {
        return Err(Error::Other(format!("{folds} folds; cross-validation needs at least 2")));
    }
    let again = protocol != Protocol::Progressive || contenders.iter().any(|c| c.recipe != first.recipe);
    if again && sources.iter().any(|source| matches!(source, Source::Stdin)) {
        let why = "standard input can be read only once, and this comparison reads the data several times";
        let how = "put it into a file, or compare learners that see the same features, without the default (--no-default)";
        return Err(Error::Other(format!("{why}; {how}")));
    }
    Ok(())
}

/// A contender's records: one, or one a fold.
struct Scored(Vec<ContestantRecord>);

fn score(
    sources: &[Source],
    specs: &[LearnerSpec],
    protocol: Protocol,
    options: &TrainOptions,
) -> Result<(Vec<Scored>, u64)> {
    let (found, each) = match protocol {
        Protocol::Progressive => (progressive(sources.to_vec(), specs, &options.clone().passes(1))?, 1),
        Protocol::Folds(folds) => (cross_validate(sources, specs, folds, options)?, folds),
    };
    let mut records = found.records.into_iter();
    let scored = specs.iter().map(|_| Scored(records.by_ref().take(each).collect())).collect();
    Ok((scored, found.bad_lines))
}

impl Scored {
    fn mistakes(&self) -> u64 {
        self.0.iter().map(|record| record.scores.mistakes()).sum()
    }

    fn examples(&self) -> u64 {
        self.0.iter().map(|record| record.scores.examples()).sum()
    }

    fn errors(&self) -> Vec<f64> {
        self.0.iter().map(|record| record.scores.error_rate()).collect()
    }

    /// The mean of a metric over the folds, by their examples.
    fn metric(&self, name: &str) -> Option<f64> {
        let parts = self.0.iter().map(|r| Some(r.scores.metric(name)? * r.scores.examples() as f64));
        let sum: Option<f64> = parts.sum();
        sum.map(|sum| sum / self.examples().max(1) as f64)
    }

    fn metrics(&self) -> Metrics {
        let followed = METRICS.iter().copied().filter(|spec| spec.progressive);
        followed.map(|spec| (spec, self.metric(spec.name))).collect()
    }

    fn wrong(&self) -> impl Iterator<Item = bool> + '_ {
        self.0.iter().flat_map(|record| record.wrong.iter().copied())
    }

    fn order(&self) -> (u64, f64) {
        (self.mistakes(), self.metric("log-loss").unwrap_or(f64::INFINITY))
    }
}

fn row(contender: &Contender, own: &Scored, best: Option<&Scored>) -> ComparisonRow {
    let mcnemar = |best: &Scored| {
        let mut paired = PairedMistakes::default();
        own.wrong().zip(best.wrong()).for_each(|(own, best)| paired.update(own, best));
        paired.p_value()
    };
    let folds = if own.0.len() > 1 { own.errors() } else { Vec::new() };
    // Of several labels a row, learners have other defaults.
    let several = own.metric("f1-micro").filter(|_| !contender.is_default());
    let learner = several.and_then(|_| contender.learner.text(Task::Multilabel).ok());
    ComparisonRow {
        learner: learner.unwrap_or_else(|| contender.name.clone()),
        default: contender.is_default(),
        mistakes: own.mistakes(),
        error_rate: own.mistakes() as f64 / own.examples().max(1) as f64,
        metrics: own.metrics(),
        seconds: own.0.iter().map(|record| record.seconds).sum(),
        mcnemar: best.map(mcnemar),
        paired_t: best.and_then(|best| paired_t(&own.errors(), &best.errors())).map(|test| test.p_value),
        folds,
    }
}
