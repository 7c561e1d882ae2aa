//! Many classes (`[MCCW]`): the same rules and stores, one block of weights a class.
//!
//! Rank the labels, then apply the rule to the true label against the `top` best wrong ones. For a rival r the
//! direction is z = f(x, y) − f(x, r): its margin is the difference of two scores, its variance the sum of theirs.

use super::binary::two_votes;
use super::merge::{Common, Pooling, Summand};
use super::restart::Restart;
use super::round::{check_target, held};
use super::row_unit::RowUnit;
use super::{Learner, LearnerPart, LearnerSum, Scores};
use crate::param::{Param, Params, Range};
use crate::probability::Voter;
use crate::rule::{CONFIDENCE, Rule, RuleSpec, Step, VarianceFloor};
use crate::state::{State, Tensor};
use crate::store::{PROJECTION, Projection, Shape, Store, StoreSpec, Weight};
use crate::{Error, Result, SparseVec, Target, Task};

mod exact;
mod schedule;

use schedule::Schedule;

/// The parameters that only matter for many classes.
pub const PARAMS: &[Param] = &[TOP, SCHEDULE, BOUND, DECISION];

/// What they are where a row may have several labels and nothing else is said.
pub(crate) const MULTILABEL: [(&str, &str); 2] = [(SCHEDULE.name, ONE_VS_REST), (TOP.name, "all")];

const ONE_VS_REST: &str = "one-vs-rest";

const TOP: Param = Param {
    name: "top",
    range: Range::CountOr(1, "all"),
    default: "1",
    help: "many classes: how many of the best-ranked wrong labels each update is made against",
};

const SCHEDULE: Param = Param {
    name: "schedule",
    range: Range::Word(&["sequential", "parallel", "exact", ONE_VS_REST]),
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

/// A rule on a store for many classes, of which a row has one, or several if it is built so.
///
/// ```
/// use surefoot_core::{Learner, Scores, Spec, Target, Task, Vector};
/// let spec = Spec::parse("cw-var:top=2,schedule=parallel")?;
/// let mut learner = spec.build(Task::Multiclass, 3)?;
/// let (x, mut scores) = (Vector::from_pairs([(0, 1.0)])?, Scores::default());
/// learner.update(x.features(), Target::Class(2), 1.0, &mut scores)?;
/// learner.scores(x.features(), &mut scores);
/// assert_eq!(scores.label(0), Some(2));
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Multiclass {
    rule: Box<dyn Rule>,
    store: Box<dyn Store>,
    floor: VarianceFloor,
    restart: Option<Restart>,
    row_unit: Option<RowUnit>,
    top: usize,
    schedule: Schedule,
    /// Whether a row may have several labels, or none.
    several: bool,
    /// Whether the covariance projection's β is that of the whole z.
    covariance: bool,
    decision_by_vote: bool,
    /// What rebuilds the rule when the inner bound's confidence changes with the number of classes.
    inner: Option<Rebuild>,
    classes: usize,
    /// The place of each class among the labels; perhaps of the next one too.
    ranks: Vec<u32>,
    scratch: MulticlassScratch,
}

/// A rule's build function and the parameters it was built with.
type Rebuild = (fn(&Params) -> Box<dyn Rule>, Params);

/// Buffers of a round, reused.
#[derive(Debug, Clone, Default)]
struct MulticlassScratch {
    /// Scores with the weights that learn.
    scores: Vec<f64>,
    /// Rivals, best first.
    rivals: Vec<usize>,
    truth: Projection,
    /// A step a class, or none.
    steps: Vec<Option<Step>>,
    projections: Vec<Projection>,
    exact: exact::Workspace,
    scoring: Scoring,
}

/// Buffers of the scores, reused while learning.
#[derive(Debug, Clone, Default)]
struct Scoring {
    means: Vec<f64>,
    variances: Vec<f64>,
    votes: Vec<f64>,
    projection: Projection,
    /// Made when first asked for: it holds a table.
    voter: Option<Voter>,
}

impl Multiclass {
    /// Builds the rule and the store from checked parameters.
    pub fn new(rule: &RuleSpec, store: &StoreSpec, params: &Params, classes: usize) -> Result<Self> {
        Self::build(rule, store, params, classes, false)
    }

    /// The same for rows that may have several labels, or none.
    pub fn of_several(rule: &RuleSpec, store: &StoreSpec, params: &Params, classes: usize) -> Result<Self> {
        Self::build(rule, store, params, classes, true)
    }

    fn build(
        rule: &RuleSpec,
        store: &StoreSpec,
        params: &Params,
        classes: usize,
        several: bool,
    ) -> Result<Self> {
        let schedule = Schedule::from_word(params.word(SCHEDULE.name));
        let top = params.count(TOP.name);
        let all_touched = schedule == Schedule::OneVsRest && (!several || top == usize::MAX);
        let shape = Shape { blocks: classes, all_touched };
        let mut learner = Self {
            rule: (rule.build)(params),
            store: (store.build)(params, shape)?,
            floor: VarianceFloor::new(params),
            restart: Restart::new(params),
            row_unit: RowUnit::new(params),
            top,
            schedule,
            several,
            covariance: params.word(PROJECTION.name) == "covariance",
            decision_by_vote: params.word(DECISION.name) == "vote",
            inner: (params.word(BOUND.name) == "inner" && params.has(CONFIDENCE.name))
                .then(|| (rule.build, params.clone())),
            classes: 0,
            ranks: Vec::new(),
            scratch: MulticlassScratch::default(),
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
        scores[a] > scores[b] || (scores[a] == scores[b] && self.ranks[a] < self.ranks[b])
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

    /// The scores with the weights that predict; with `all` it leaves the variances of all classes in the buffers.
    fn score(&self, buffers: &mut Scoring, x: SparseVec<'_>, all: bool, out: &mut Scores) {
        let Scoring { means, variances, votes, projection, voter } = buffers;
        means.resize(self.classes, 0.0);
        let all = all || self.several;
        let asked = (all || self.decision_by_vote).then(|| {
            variances.resize(self.classes, 0.0);
            &mut variances[..]
        });
        self.store.scores(x, means, asked, projection);
        means.iter_mut().for_each(|mean| *mean = held(*mean));
        let label = if self.decision_by_vote && !self.several {
            self.hold_vote(voter.get_or_insert_with(Voter::new), means, variances, votes);
            self.best(votes)
        } else {
            self.best(means)
        };
        let variance = match label {
            None => 0.0,
            Some(label) if all => variances[label],
            Some(label) => {
                projection.ready = false;
                self.store.project(x, label, projection);
                projection.variance
            }
        };
        out.begin(self.task(), self.classes);
        match self.several {
            true => out.push_labels(means, variances, label),
            false => out.push_many(means, label, variance),
        }
    }

    fn task(&self) -> Task {
        if self.several { Task::Multilabel } else { Task::Multiclass }
    }

    /// The rivals of what is true, best first, at most `top` of them, ranked once a round.
    fn rank_rivals(&mut self, target: Target<'_>) {
        let mut rivals = std::mem::take(&mut self.scratch.rivals);
        let scores = &self.scratch.scores;
        rivals.clear();
        if self.top == 1 {
            let others = (0..scores.len()).filter(|&k| !target.holds(k));
            rivals.extend(others.reduce(|a, b| if self.ranks_before(scores, b, a) { b } else { a }));
        } else {
            rivals.extend((0..scores.len()).filter(|&k| !target.holds(k)));
            rivals.sort_unstable_by(|&a, &b| {
                scores[b].total_cmp(&scores[a]).then_with(|| self.ranks[a].cmp(&self.ranks[b]))
            });
            rivals.truncate(self.top);
        }
        self.scratch.rivals = rivals;
    }

    /// Moves the weights of an example that was just scored. True if anything moved.
    fn move_weights(&mut self, x: SparseVec<'_>, target: Target<'_>, weight: f64) -> Result<bool> {
        if self.store.predicts_as_it_learns() {
            self.scratch.scores.clone_from(&self.scratch.scoring.means);
            self.scratch.scores.resize(self.classes, 0.0);
        } else {
            let mut scores = std::mem::take(&mut self.scratch.scores);
            scores.resize(self.classes, 0.0);
            for (block, score) in scores.iter_mut().enumerate() {
                self.project_truth(x, block);
                *score = self.scratch.truth.mean;
            }
            self.scratch.scores = scores;
        }
        if self.schedule == Schedule::OneVsRest {
            return self.one_vs_rest(x, target, weight);
        }
        self.rank_rivals(target);
        let mut updated = false;
        for class in target.classes() {
            updated |= self.against_rivals(x, class, weight)?;
        }
        // Of one class a row the scores are only ever compared with each other.
        Ok(if self.several { self.against_zero(x, target, weight)? || updated } else { updated })
    }

    /// A true class against the rivals of the round.
    fn against_rivals(&mut self, x: SparseVec<'_>, class: usize, weight: f64) -> Result<bool> {
        match self.schedule {
            Schedule::Sequential | Schedule::OneVsRest => self.sequential(x, class, weight),
            Schedule::Parallel => self.parallel(x, class, weight),
            Schedule::Exact => {
                let mut work = std::mem::take(&mut self.scratch.exact);
                let updated = self.exact(&mut work, x, class, weight);
                self.scratch.exact = work;
                updated
            }
        }
    }

    /// Makes a class known, if it is the next one.
    fn meet(&mut self, class: usize) -> Result<()> {
        match class.cmp(&self.classes()) {
            std::cmp::Ordering::Less => Ok(()),
            std::cmp::Ordering::Equal => {
                let mut ranks = std::mem::take(&mut self.ranks);
                if ranks.len() == class {
                    ranks.push(ranks.iter().max().map_or(0, |&rank| rank + 1));
                }
                self.set_classes(class + 1, &ranks)
            }
            std::cmp::Ordering::Greater => Err(Error::Example(format!(
                "class {class} when only {} are known: classes come to life one after the other",
                self.classes()
            ))),
        }
    }

    /// Starts anew, or takes back what it knew before, where its mistakes ask for it.
    fn watch_itself(
        &mut self,
        x: SparseVec<'_>,
        truth: (Target<'_>, f64),
        scores: &mut Scores,
    ) -> Result<()> {
        let Some(mut restart) = self.restart.take() else { return Ok(()) };
        let done = restart.act(self, x, truth, scores);
        self.restart = Some(restart);
        done
    }
}

impl Learner for Multiclass {
    fn classes(&self) -> usize {
        self.classes
    }

    fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        if classes < self.classes || ranks.len() < classes {
            let found =
                format!("{classes} classes with {} ranks, after {} classes", ranks.len(), self.classes);
            return Err(Error::Conflict(found));
        }
        self.restart.iter_mut().try_for_each(|restart| restart.set_classes(classes, ranks))?;
        self.store.grow(classes)?;
        self.floor.grow(classes);
        self.ranks.clear();
        self.ranks.extend_from_slice(ranks);
        if std::mem::replace(&mut self.classes, classes) == classes { Ok(()) } else { self.tighten_bound() }
    }

    fn scores(&self, x: SparseVec<'_>, out: &mut Scores) {
        self.score(&mut Scoring::default(), x, false, out);
    }

    fn update(
        &mut self,
        x: SparseVec<'_>,
        target: Target<'_>,
        weight: f64,
        scores: &mut Scores,
    ) -> Result<()> {
        check_target(target, weight, self.task())?;
        if weight > 0.0 {
            self.store.begin_round(x);
        }
        let mut buffers = std::mem::take(&mut self.scratch.scoring);
        // A round of one against the rest needs the variances of all classes.
        self.score(&mut buffers, x, self.schedule == Schedule::OneVsRest, scores);
        self.scratch.scoring = buffers;
        // Even an example of no weight makes its class known: labels and classes stay in step.
        target.classes().try_for_each(|class| self.meet(class))?;
        if weight > 0.0 {
            let weighed = RowUnit::weigh(&mut self.row_unit, x, weight);
            scores.updated = self.move_weights(x, target, weighed)?;
            self.store.end_round();
            self.watch_itself(x, (target, weight), scores)?;
        }
        Ok(())
    }

    fn prefetch(&self, ids: &[u32]) {
        self.store.prefetch(ids);
    }

    fn votes(&self, x: SparseVec<'_>, _: &[f64], voter: &mut Voter, votes: &mut Vec<f64>) {
        let (mut means, mut variances) = (vec![0.0; self.classes], vec![0.0; self.classes]);
        self.store.scores(x, &mut means, Some(&mut variances), &mut Projection::default());
        if self.several {
            votes.clear();
            // Each label against the rest.
            votes.extend(
                means.iter().zip(&variances).map(|(&mean, &variance)| two_votes((mean, variance))[1]),
            );
            return;
        }
        self.hold_vote(voter, &means, &variances, votes);
    }

    fn discount(&mut self, share: f64) {
        self.restart.iter_mut().for_each(Restart::end_trial);
        self.store.discount(share);
        self.floor.discount(share);
    }

    fn weight(&self, _: usize, feature: usize, block: usize) -> Option<Weight> {
        self.store.weight(feature, block)
    }

    fn store(&self) -> Option<&dyn Store> {
        Some(&*self.store)
    }

    fn add_to(&self, sum: &mut LearnerSum, part: &LearnerPart<'_>) -> Result<()> {
        let apart = self.schedule == Schedule::OneVsRest;
        let common = Some(if apart { Common::Largest } else { Common::Sum });
        let pooling = Pooling { share: self.rule.prior_share(), common };
        sum.add(Summand { store: &*self.store, blocks: self.classes, unit: self.row_unit, pooling }, part)
    }

    fn take(&mut self, sum: LearnerSum) -> Result<()> {
        // Of the merged learner no mistakes are known.
        self.restart.iter_mut().for_each(|restart| *restart = Restart::default());
        sum.fill(&mut *self.store, &mut self.row_unit)
    }

    fn move_mean(&mut self, _: usize, feature: usize, block: usize, by: f64) -> Result<()> {
        self.store.move_mean(feature, block, by)
    }

    fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.put("ranks", Tensor::U32(self.ranks[..self.classes].into()));
        state.join("store", self.store.save());
        state.join("floor", self.floor.save());
        self.restart.iter().for_each(|restart| state.join("restart", restart.save()));
        RowUnit::save(self.row_unit, &mut state);
        state
    }

    fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        let ranks = state.take_u32("ranks")?;
        self.store.restore(state.split("store"), ranks.len())?;
        self.floor.restore(state.split("floor"))?;
        RowUnit::restore(&mut self.row_unit, &mut state)?;
        (self.classes, self.ranks) = (ranks.len(), ranks);
        self.tighten_bound()?;
        if let Some(mut restart) = self.restart.take() {
            restart.restore(state.split("restart"), || Ok(Box::new(self.clone())))?;
            self.restart = Some(restart);
        }
        state.finish()
    }
}
