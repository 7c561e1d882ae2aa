//! Many classes (`[MCCW]`): the same rules and stores, one block of weights a class.
//!
//! Rank the labels, then apply the rule to the true label against the `top` best wrong ones. For a rival r the
//! direction is z = f(x, y) − f(x, r): its margin is the difference of two scores, its variance the sum of theirs.

use super::merge::{merge_calibrations, merge_stores};
use super::pool::Common;
use super::{Calibration, Learner, Merging, Part, Prediction, Round, VarianceFloor, check_weight};
use crate::param::{Param, Params, Range};
use crate::probability::Voter;
use crate::rule::{CONFIDENCE, Rule, RuleSpec, Step};
use crate::state::{State, Tensor};
use crate::store::{PROJECTION, Projection, Shape, Store, StoreSpec};
use crate::{Error, Features, Result};

mod exact;
mod root;
mod schedule;

use schedule::Schedule;

/// How often a round asks for some of the memory of the next.
const ASKED: usize = 3;

/// The parameters that only matter for many classes.
pub const PARAMS: &[Param] = &[TOP, SCHEDULE, BOUND, DECISION];

const TOP: Param = Param {
    name: "top",
    range: Range::CountOr(1, "all"),
    default: "1",
    help: "many classes: how many of the best-ranked wrong labels each update is made against",
};

const SCHEDULE: Param = Param {
    name: "schedule",
    range: Range::Word(&["sequential", "parallel", "exact", "one-vs-rest"]),
    default: "sequential",
    help: "many classes: how the updates against several rivals are combined",
};

const BOUND: Param = Param {
    name: "bound",
    range: Range::Word(&["outer", "inner"]),
    default: "outer",
    help: "many classes: outer asks for the confidence against each rival, inner for all of them together",
};

const DECISION: Param = Param {
    name: "decision",
    range: Range::Word(&["mean", "vote"]),
    default: "mean",
    help: "many classes: predict the label with the largest mean score, or with the largest vote",
};

/// A rule on a store for many classes.
///
/// ```
/// use surefoot_core::{Learner, Spec, Task, Vector};
/// let spec = Spec::parse("cw-var:top=2,schedule=parallel")?;
/// let mut learner = spec.build(Task::Multiclass { classes: 3 })?;
/// let x = Vector::from_pairs([(0, 1.0)])?;
/// learner.learn(x.features(), 2, 1.0)?;
/// assert_eq!(learner.predict(x.features()).label, Some(2));
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Multiclass {
    rule: Box<dyn Rule>,
    store: Box<dyn Store>,
    guard: VarianceFloor,
    calibration: Calibration,
    top: usize,
    schedule: Schedule,
    /// Whether the covariance projection's β is that of the whole z.
    covariance: bool,
    decision_by_vote: bool,
    /// What rebuilds the rule when the inner bound's confidence changes with the number of classes.
    inner: Option<Rebuild>,
    classes: usize,
    /// The place of each class among the labels; perhaps of the next one too.
    order: Vec<u32>,
    scratch: Scratch,
}

/// A rule's build function and the parameters it was built with.
type Rebuild = (fn(&Params) -> Box<dyn Rule>, Params);

/// Buffers of a round, reused.
#[derive(Debug, Default)]
struct Scratch {
    prediction: Prediction,
    /// Scores with the weights that learn.
    scores: Vec<f64>,
    /// Rivals, best first.
    rivals: Vec<usize>,
    truth: Projection,
    /// A step a class, or none.
    steps: Vec<Option<Step>>,
    projections: Vec<Projection>,
    exact: exact::Workspace,
    desk: Desk,
}

/// Buffers of a prediction, reused while learning.
#[derive(Default)]
struct Desk {
    projection: Projection,
    variances: Vec<f64>,
    votes: Vec<f64>,
    /// Made when first asked for: it holds a table.
    voter: Option<Voter>,
}

impl std::fmt::Debug for Desk {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Desk")
    }
}

impl Multiclass {
    /// Builds both halves from checked parameters.
    pub fn new(rule: &RuleSpec, store: &StoreSpec, params: &Params, classes: usize) -> Result<Self> {
        let schedule = Schedule::from_word(params.word(SCHEDULE.name));
        let shape = Shape { blocks: classes, all_touched: schedule == Schedule::OneVsRest };
        let mut learner = Self {
            rule: (rule.build)(params),
            store: (store.build)(params, shape)?,
            guard: VarianceFloor::new(params),
            calibration: Calibration::default(),
            top: params.count(TOP.name),
            schedule,
            covariance: params.word(PROJECTION.name) == "covariance",
            decision_by_vote: params.word(DECISION.name) == "vote",
            inner: (params.word(BOUND.name) == "inner" && params.has(CONFIDENCE.name))
                .then(|| (rule.build, params.clone())),
            classes: 0,
            order: Vec::new(),
            scratch: Scratch::default(),
        };
        learner.set_classes(classes, &(0..classes as u32).collect::<Vec<_>>())?;
        Ok(learner)
    }

    /// The inner bound: each rival gets its share of the doubt.
    fn tighten_bound(&mut self) -> Result<()> {
        let rivals = self.classes.saturating_sub(1).max(1) as f64;
        if let Some((build, params)) = &self.inner {
            let confidence = 1.0 - (1.0 - params.number(CONFIDENCE.name)) / rivals; // [MCCW] §4, inner bound
            let mut tightened = params.clone();
            tightened.set(&CONFIDENCE, &confidence.to_string())?;
            self.rule = build(&tightened);
        }
        Ok(())
    }

    /// The best class; ties go to the smaller label.
    fn best(&self, scores: &[f64]) -> Option<usize> {
        (0..scores.len()).reduce(|a, b| if self.ranks_before(scores, b, a) { b } else { a })
    }

    fn ranks_before(&self, scores: &[f64], a: usize, b: usize) -> bool {
        scores[a] > scores[b] || (scores[a] == scores[b] && self.order[a] < self.order[b])
    }

    /// The score of every class, and its variance.
    fn moments(&self, x: Features<'_>, variances: &mut Vec<f64>) -> Vec<f64> {
        let mut means = vec![0.0; self.classes()];
        variances.clear();
        variances.resize(self.classes(), 0.0);
        self.store.scores(x, &mut means, Some(variances), &mut Projection::default());
        means
    }

    /// The votes of these scores. The voter gives all that equal scores without variance get to the class that came first;
    /// it belongs to the smaller label.
    fn hold_vote(&self, voter: &mut Voter, means: &[f64], variances: &[f64], votes: &mut Vec<f64>) {
        votes.resize(means.len(), 0.0);
        voter.distribution(means, variances, votes);
        let certain = || (0..means.len()).filter(|&k| variances[k] <= 0.0);
        let first = certain().reduce(|a, b| if means[b] > means[a] { b } else { a });
        let best = certain().reduce(|a, b| if self.ranks_before(means, b, a) { b } else { a });
        if let (Some(first), Some(best)) = (first, best) {
            votes.swap(first, best);
        }
    }

    /// Whether a round needs the variances of all classes, and takes them when it predicts.
    fn takes_all(&self) -> bool {
        self.schedule == Schedule::OneVsRest
    }

    /// A prediction; with `all` it leaves the variances of all classes on the desk.
    fn predict_at(&self, desk: &mut Desk, x: Features<'_>, all: bool, out: &mut Prediction) {
        let classes = self.classes();
        out.binary = false;
        out.scores.resize(classes, 0.0);
        let variances = (all || self.decision_by_vote).then(|| {
            desk.variances.resize(classes, 0.0);
            &mut desk.variances[..]
        });
        self.store.scores(x, &mut out.scores, variances, &mut desk.projection);
        out.label = self.best(&out.scores);
        if self.decision_by_vote {
            let voter = desk.voter.get_or_insert_with(Voter::new);
            self.hold_vote(voter, &out.scores, &desk.variances, &mut desk.votes);
            out.label = self.best(&desk.votes);
        }
        (out.score, out.variance) = (0.0, 0.0);
        if let (Some(label), true) = (out.label, all) {
            (out.score, out.variance) = (out.scores[label], desk.variances[label]);
        } else if let Some(label) = out.label {
            desk.projection.ready = false;
            self.store.project(x, label, &mut desk.projection);
            (out.score, out.variance) = (out.scores[label], desk.projection.variance);
        }
        self.calibration.stamp(out);
    }

    /// The rivals of a class, best first, at most `top` of them, ranked once a round.
    fn rank_rivals(&mut self, class: usize) {
        let mut rivals = std::mem::take(&mut self.scratch.rivals);
        let scores = &self.scratch.scores;
        rivals.clear();
        if self.top == 1 {
            let others = (0..scores.len()).filter(|&k| k != class);
            rivals.extend(others.reduce(|a, b| if self.ranks_before(scores, b, a) { b } else { a }));
        } else {
            rivals.extend((0..scores.len()).filter(|&k| k != class));
            rivals.sort_unstable_by(|&a, &b| {
                scores[b].total_cmp(&scores[a]).then_with(|| self.order[a].cmp(&self.order[b]))
            });
            rivals.truncate(self.top);
        }
        self.scratch.rivals = rivals;
    }

    fn update(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<bool> {
        if self.store.predicts_as_it_learns() {
            self.scratch.scores.clone_from(&self.scratch.prediction.scores);
            self.scratch.scores.resize(self.classes(), 0.0);
        } else {
            let mut scores = std::mem::take(&mut self.scratch.scores);
            scores.resize(self.classes(), 0.0);
            for (block, score) in scores.iter_mut().enumerate() {
                self.project_truth(x, block);
                *score = self.scratch.truth.mean;
            }
            self.scratch.scores = scores;
        }
        match self.schedule {
            Schedule::OneVsRest => self.one_vs_rest(x, class, weight),
            Schedule::Sequential => self.sequential(x, class, weight),
            Schedule::Parallel => self.parallel(x, class, weight),
            Schedule::Exact => self.exact(x, class, weight),
        }
    }

    fn meet(&mut self, class: usize) -> Result<()> {
        match class.cmp(&self.classes()) {
            std::cmp::Ordering::Less => Ok(()),
            std::cmp::Ordering::Equal => {
                let mut order = std::mem::take(&mut self.order);
                if order.len() == class {
                    order.push(order.iter().max().map_or(0, |&o| o + 1));
                }
                self.set_classes(class + 1, &order)
            }
            std::cmp::Ordering::Greater => Err(Error::Example(format!(
                "class {class} when only {} are known: classes come to life one after the other",
                self.classes()
            ))),
        }
    }
}

impl Learner for Multiclass {
    fn classes(&self) -> usize {
        self.classes
    }

    fn set_classes(&mut self, classes: usize, order: &[u32]) -> Result<()> {
        if classes < self.classes || order.len() < classes {
            let found =
                format!("{classes} classes with {} places, after {} classes", order.len(), self.classes);
            return Err(Error::Conflict(found));
        }
        self.store.grow(classes)?;
        self.guard.grow(classes);
        self.order.clear();
        self.order.extend_from_slice(order);
        if std::mem::replace(&mut self.classes, classes) == classes { Ok(()) } else { self.tighten_bound() }
    }

    fn predict_into(&self, x: Features<'_>, out: &mut Prediction) {
        self.predict_at(&mut Desk::default(), x, false, out);
    }

    fn learn(&mut self, x: Features<'_>, class: usize, weight: f64) -> Result<Round<'_>> {
        check_weight(weight)?;
        let mut prediction = std::mem::take(&mut self.scratch.prediction);
        let mut desk = std::mem::take(&mut self.scratch.desk);
        self.store.prefetch(x.next_part(0, ASKED));
        self.predict_at(&mut desk, x, self.takes_all(), &mut prediction);
        self.store.prefetch(x.next_part(1, ASKED));
        (self.scratch.prediction, self.scratch.desk) = (prediction, desk);
        let (mut updated, mut probability) = (false, 0.0);
        // Even an example of no weight makes its class known: labels and classes stay in step.
        self.meet(class)?;
        if weight > 0.0 {
            updated = self.update(x, class, weight)?;
            self.store.end_round();
            probability = self.calibration.learn(&self.scratch.prediction, class, weight);
        }
        self.store.prefetch(x.next_part(2, ASKED));
        Ok(Round { prediction: &self.scratch.prediction, probability, updated })
    }

    fn variances_into(&self, x: Features<'_>, variances: &mut Vec<f64>) {
        self.moments(x, variances);
    }

    fn vote_into(&self, x: Features<'_>, voter: &mut Voter, votes: &mut Vec<f64>) {
        let mut variances = Vec::new();
        let means = self.moments(x, &mut variances);
        self.hold_vote(voter, &means, &variances, votes);
    }

    fn gaussian(&self) -> &dyn Store {
        &*self.store
    }

    fn calibration(&self) -> Option<&Calibration> {
        Some(&self.calibration)
    }

    fn merge(&mut self, parts: &[Part<'_>], merging: Merging) -> Result<()> {
        let apart = self.schedule == Schedule::OneVsRest;
        let common = if apart { Common::Largest } else { Common::Sum };
        merge_stores(&mut *self.store, self.classes, &*self.rule, parts, merging, common)?;
        self.calibration = merge_calibrations(parts);
        Ok(())
    }

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.put("order", Tensor::U32(self.order[..self.classes].into()));
        state.join("store", self.store.save());
        state.join("calibration", self.calibration.save());
        state.join("guard", self.guard.save());
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let order = state.take_u32("order")?;
        self.store.restore(state.split("store"), order.len())?;
        self.calibration.restore(state.split("calibration"))?;
        self.guard.restore(state.split("guard"))?;
        (self.classes, self.order) = (order.len(), order);
        self.tighten_bound()?;
        state.finish()
    }
}
