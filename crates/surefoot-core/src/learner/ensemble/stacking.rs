//! What an ensemble predicts: one more learner of this family, whose features are the members' logits.
//!
//! A class's score is the sum of the members' calibrated logits for it, each times the member's weight. The weights
//! start at 1/M, the plain mean, and are learned by Bayesian logistic regression with a full covariance, because
//! members are much alike. Two weak members that err apart are then worth more than the best one alone, which no
//! mixture by past loss can see.
//!
//! Of many classes the truth stands against all its rivals together: ln p = ln σ(s − ln Σexp(sᵣ)), so z is what each
//! member holds for the truth less the rivals' mean by their shares, the gradient of that margin. A calibration then
//! turns the scores into probabilities.

use super::super::Calibration;
use crate::rule::Rule;
use crate::state::State;
use crate::store::{Gain, NaturalParams, Projection, Shape, Store};
use crate::{Prediction, Result, SparseVec, Spec, Task};

/// Being surer than a million to one counts no more: one absurd member must not drown the others.
const MOST: f64 = 13.8;

/// In so many examples what was learned of the members comes to count half: which of them is right changes with the data, and
/// with what they have seen. Shorter ones cost log loss where nothing changes, longer ones follow a change too late.
const HALF_LIFE: u32 = 3000;

/// How much of what one stacking has learned is left when several are merged.
const KEPT: f64 = 0.5;

/// A weight below this one is negative, and not 0 with a rounding error.
const NEGATIVE: f64 = -1e-9;

/// Sweeps over the weights until those that may not be negative stand still.
const SWEEPS: usize = 1000;

/// Weights of the members, and how sure they are.
#[derive(Debug, Clone)]
pub(in crate::learner) struct Stacking {
    rule: Box<dyn Rule>,
    /// How far each weight has moved from the mean's 1/M.
    store: Box<dyn Store>,
    calibration: Calibration,
    /// Whether there are two classes with one score between them.
    binary: bool,
    /// The place of each class among the labels, as far as it was told.
    ranks: Vec<u32>,
    weights: Vec<f64>,
    ids: Vec<u32>,
    /// The logits of the last example: all classes of a member side by side.
    logits: Vec<f64>,
    own: Vec<f64>,
    /// The share of each class among the rivals of the true one.
    rivals: Vec<f64>,
    rivalry: Vec<f64>,
    projection: Projection,
}

impl Stacking {
    /// The plain mean of so many members.
    pub(in crate::learner) fn new(members: usize, task: Task) -> Result<Self> {
        let even = 1.0 / members as f64;
        let spec = Spec::parse(&format!("logistic/full:prior={even},half-life={HALF_LIFE}"))?;
        let params = spec.params()?;
        Ok(Self {
            rule: (spec.rule().build)(&params),
            store: (spec.store().build)(&params, Shape { blocks: 1, all_touched: true })?,
            calibration: Calibration::of_logits(),
            binary: task == Task::Binary,
            ranks: Vec::new(),
            weights: vec![even; members],
            ids: (0..members as u32).collect(),
            logits: Vec::new(),
            own: Vec::new(),
            rivals: Vec::new(),
            rivalry: Vec::new(),
            projection: Projection::default(),
        })
    }

    /// The place of each class among the labels: ties go to the smaller one.
    pub(in crate::learner) fn set_ranks(&mut self, ranks: &[u32]) {
        self.ranks.clear();
        self.ranks.extend_from_slice(ranks);
    }

    /// The places as they were told.
    pub(in crate::learner) fn ranks(&self) -> &[u32] {
        &self.ranks
    }

    /// The best class; ties go to the smaller label.
    fn best(&self, scores: &[f64]) -> Option<usize> {
        let place = |class: usize| self.ranks.get(class).copied().unwrap_or(u32::MAX);
        let before =
            |a: usize, b: usize| scores[a] > scores[b] || (scores[a] == scores[b] && place(a) < place(b));
        (0..scores.len()).reduce(|a, b| if before(b, a) { b } else { a })
    }

    /// The share of each member in the next prediction: its weight, if it has any, of all of them.
    pub(in crate::learner) fn shares(&self) -> Vec<f64> {
        let total: f64 = self.weights.iter().map(|w| w.max(0.0)).sum();
        let share = |w: &f64| if total > 0.0 { w.max(0.0) / total } else { 1.0 / self.weights.len() as f64 };
        self.weights.iter().map(share).collect()
    }

    /// What the members predict together.
    pub(in crate::learner) fn combine(&self, members: &[Prediction], classes: usize, out: &mut Prediction) {
        let (mut logits, mut own) = (Vec::new(), Vec::new());
        gather(members, classes, &mut logits, &mut own);
        self.score(&logits, classes, out);
        out.variance = self.variance(members);
    }

    /// What a unit of each member's score counts in the log odds of a label over its rival: its weight, its own slope, and the
    /// slope of all together; less where a member would be surer than it may be.
    pub(in crate::learner) fn logit_factors(
        &self,
        members: &[Prediction],
        classes: usize,
        label: usize,
        rival: usize,
    ) -> Vec<f64> {
        let (mut logits, mut own, mut together) = (Vec::new(), Vec::new(), Prediction::default());
        gather(members, classes, &mut logits, &mut own);
        self.calibration.stamp(&mut together);
        let factor = |(member, weight): (usize, &f64)| {
            let (row, alone) = (&logits[member * classes..][..classes], &members[member]);
            let (capped, apart) = (row[label] - row[rival], alone.score_of(label) - alone.score_of(rival));
            // Of two classes each score is the other's with the sign turned.
            let apart = if alone.binary { 0.5 * apart } else { apart };
            let exceeds = (alone.slope * apart - capped).abs() > 1e-9 * capped.abs();
            together.slope * weight * if exceeds { capped / apart } else { alone.slope }
        };
        self.weights.iter().enumerate().map(factor).collect()
    }

    /// As [`Stacking::combine`], in memory that is there already.
    pub(in crate::learner) fn combine_again(
        &mut self,
        members: &[Prediction],
        classes: usize,
        out: &mut Prediction,
    ) {
        gather(members, classes, &mut self.logits, &mut self.own);
        self.score(&self.logits, classes, out);
        out.variance = self.variance(members);
    }

    /// What the members predict together, and then the truth about it: returns the probability that it had been given.
    pub(in crate::learner) fn learn(
        &mut self,
        members: &[Prediction],
        classes: usize,
        class: usize,
        weight: f64,
        out: &mut Prediction,
    ) -> Result<f64> {
        gather(members, classes, &mut self.logits, &mut self.own);
        self.score(&self.logits, classes, out);
        let variance = self.variance(members);
        let probability = if class < classes {
            self.absorb(classes, class, weight, out)?;
            self.calibration.learn(out, class, weight)
        } else {
            0.0
        };
        out.variance = variance;
        Ok(probability)
    }

    /// The variance of what the members predict together; scores and learning know of none. Members have seen the same
    /// examples, and what one does not know the others do not know either, so their standard deviations add up, each of
    /// the score that the member gives to the label it prefers.
    fn variance(&self, members: &[Prediction]) -> f64 {
        // A logit is never larger than MOST, and so is not more uncertain; a variance beyond all numbers is NaN here.
        let deviation = |member: &Prediction| (member.slope * member.variance.max(0.0).sqrt()).min(MOST);
        let deviations =
            members.iter().zip(&self.weights).map(|(member, weight)| weight.abs() * deviation(member));
        deviations.sum::<f64>().powi(2)
    }

    /// Scores are log odds for two classes, logits for many. The slope is that of a score without a variance.
    fn score(&self, logits: &[f64], classes: usize, out: &mut Prediction) {
        (out.variance, out.binary, out.relative) = (0.0, self.binary, !self.binary);
        self.calibration.stamp(out);
        out.scores.clear();
        out.scores.resize(classes, 0.0);
        for (row, weight) in logits.chunks_exact(classes.max(1)).zip(&self.weights) {
            out.scores.iter_mut().zip(row).for_each(|(sum, logit)| *sum += weight * logit);
        }
        if self.binary {
            let odds = out.scores[1] - out.scores[0];
            out.scores.truncate(1);
            (out.scores[0], out.score, out.label) = (odds, odds, Some(usize::from(odds >= 0.0)));
        } else {
            out.label = self.best(&out.scores);
            out.score = out.label.map_or(0.0, |label| out.scores[label]);
        }
    }

    /// One step of the truth against its rivals together.
    fn absorb(&mut self, classes: usize, class: usize, weight: f64, predicted: &Prediction) -> Result<()> {
        self.rivalry.clear();
        let margin = if self.binary {
            // The one rival of a class is the other, and of a pair of logits only the second is not 0.
            let sign = if class == 1 { 1.0 } else { -1.0 };
            self.rivalry.extend(self.logits.chunks_exact(classes).map(|pair| sign * pair[1]));
            sign * predicted.score
        } else {
            let Some(margin) = against_rivals(&predicted.scores, class, &mut self.rivals) else {
                return Ok(());
            };
            for row in self.logits.chunks_exact(classes) {
                let rivals: f64 = row.iter().zip(&self.rivals).map(|(logit, share)| logit * share).sum();
                self.rivalry.push(row[class] - rivals);
            }
            margin
        };
        let z = SparseVec::new(&self.ids, &self.rivalry)?;
        self.store.begin_round(z);
        self.projection.ready = false;
        self.store.project(z, 0, &mut self.projection);
        if let Some(step) = self.rule.checked_step(margin, self.projection.variance, weight) {
            self.store.absorb(z, 0, &mut self.projection, step)?;
        }
        self.store.end_round();
        self.read_weights();
        Ok(())
    }

    /// Takes the most probable weights of which none is negative: of the Gaussian over weights, the point of the largest density
    /// where all are at least 0, found one weight at a time. A negative weight corrects another member, and does so only as
    /// long as both go on as they did when it was learned. Where nothing would be left, the weights stay as they are: a few
    /// examples may have said that no member is to be trusted.
    pub(in crate::learner) fn drop_negative_weights(&mut self) -> Result<()> {
        if self.weights.iter().all(|&weight| weight >= NEGATIVE) {
            return Ok(());
        }
        let members = self.weights.len();
        let mut params = self.store.natural_params(0, 1.0)?;
        let Gain::Full(gain) = &params.gain else { return Ok(()) };
        let even = 1.0 / members as f64;
        let precision = |i: usize, j: usize| {
            let (row, column) = (i.max(j), i.min(j));
            // The prior variance of a weight is that of the mean's 1/M.
            gain[row * (row + 1) / 2 + column] + if i == j { 1.0 / even } else { 0.0 }
        };
        let image =
            |moved: &[f64], i: usize| moved.iter().enumerate().map(|(j, m)| precision(i, j) * m).sum::<f64>();
        let mut moved: Vec<f64> = self.weights.iter().map(|weight| weight.max(0.0) - even).collect();
        for _ in 0..SWEEPS {
            for i in 0..members {
                let slope = image(&moved, i) - params.shift[i];
                moved[i] = (moved[i] - slope / precision(i, i)).max(-even);
            }
        }
        if moved.iter().all(|own| own + even <= -NEGATIVE) {
            return Ok(());
        }
        params.shift = (0..members).map(|i| image(&moved, i)).collect();
        let task = if self.binary { Task::Binary } else { Task::Multiclass };
        self.store = Self::new(members, task)?.store;
        self.store.from_natural(0, params)?;
        self.read_weights();
        Ok(())
    }

    fn read_weights(&mut self) {
        let even = 1.0 / self.weights.len() as f64;
        for (member, weight) in self.weights.iter_mut().enumerate() {
            *weight = even + self.store.weight(member, 0).map_or(0.0, |moved| moved.mean);
        }
    }

    /// Takes over what several have learned apart: the mean of their natural parameters, by examples, half as sure as one of them. It
    /// does not add up, because all of them speak of weights for members of their own, and the merged members are others:
    /// better ones, where the shards were small, so the weights go back towards the plain mean.
    pub(in crate::learner) fn merge(&mut self, parts: &[(&Stacking, f64)]) -> Result<()> {
        let total: f64 = parts.iter().map(|(_, examples)| examples).sum();
        let mut sum: Option<NaturalParams> = None;
        for &(stacking, examples) in parts {
            let own = stacking.store.natural_params(0, examples)?;
            let share = KEPT * examples / total;
            sum.get_or_insert_with(|| NaturalParams::none_like(&own)).add(&own, &self.ids, share)?;
        }
        self.calibration =
            Calibration::mean(parts.iter().map(|(stacking, examples)| (&stacking.calibration, *examples)));
        if let Some(sum) = sum {
            self.store.from_natural(0, sum)?;
        }
        self.read_weights();
        Ok(())
    }

    pub(in crate::learner) fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.join("store", self.store.save());
        state.join("calibration", self.calibration.save());
        state
    }

    pub(in crate::learner) fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.store.restore(state.split("store"), 1)?;
        self.calibration.restore(state.split("calibration"))?;
        self.read_weights();
        state.finish()
    }
}

/// The members' logits, class by class, against the class that each prefers.
fn gather(members: &[Prediction], classes: usize, logits: &mut Vec<f64>, own: &mut Vec<f64>) {
    logits.clear();
    for member in members {
        member.logits(own);
        if member.binary {
            logits.extend([0.0, own[0].clamp(-MOST, MOST)]);
        } else {
            let most = own.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            own.resize(classes, f64::NEG_INFINITY);
            logits.extend(own.iter().map(|logit| (logit - most).max(-MOST)));
        }
    }
}

/// The margin of a class against its rivals together, s − ln Σexp(sᵣ), and each rival's share exp(sᵣ)/Σ.
fn against_rivals(scores: &[f64], class: usize, shares: &mut Vec<f64>) -> Option<f64> {
    let rivals = (0..scores.len()).filter(|&rival| rival != class);
    let most = rivals.map(|rival| scores[rival]).reduce(|a, b| if b > a { b } else { a })?;
    let power = |(i, score): (usize, &f64)| if i == class { 0.0 } else { libm::exp(score - most) };
    shares.clear();
    shares.extend(scores.iter().enumerate().map(power));
    let total: f64 = shares.iter().sum();
    shares.iter_mut().for_each(|share| *share /= total);
    Some(scores[class] - most - libm::log(total))
}

#[cfg(test)]
mod tests;
