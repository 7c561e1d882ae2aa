//! Streams for the tests, seeded: the same numbers on every run.
#![allow(dead_code)]

use surefoot_core::probability::Voter;
use surefoot_core::state::State;
use surefoot_core::store::Store;
use surefoot_core::{
    Head, HeadPart, Learner, LearnerPart, LearnerSpec, LearnerSum, Merging, PartRole, Prediction, Result,
    Scores, SparseVec, Spec, Target, Task, Vector,
};

/// A learner and its head: what it takes for whole rounds.
#[derive(Debug)]
pub struct Pair {
    pub learner: Box<dyn Learner>,
    pub head: Head,
    scores: Scores,
    prediction: Prediction,
}

/// One of the pairs that are merged.
pub type PairPart<'a> = (&'a Pair, LearnerPart<'a>);

/// What happened in a round: the prediction made before learning, and whether anything changed.
#[derive(Debug)]
pub struct Round<'a> {
    pub prediction: &'a Prediction,
    /// What the prediction gave to the true class.
    pub probability: f64,
    /// Whether weights moved.
    pub updated: bool,
}

/// Learner and head of a SPEC, `auto` or `ensemble(…)` at the start of their stream.
pub fn pair(text: &str, task: Task, classes: usize) -> Pair {
    let spec = LearnerSpec::parse(text).unwrap();
    Pair::new(spec.build(task, classes, false).unwrap(), spec.head(task).unwrap())
}

/// As [`pair`], of a SPEC that was read.
pub fn pair_of(spec: &Spec, task: Task, classes: usize) -> Pair {
    Pair::new(spec.build(task, classes).unwrap(), Head::new(1, false, task).unwrap())
}

impl Pair {
    pub fn new(learner: Box<dyn Learner>, head: Head) -> Self {
        Self { learner, head, scores: Scores::default(), prediction: Prediction::default() }
    }

    /// One whole round.
    pub fn learn(&mut self, x: SparseVec<'_>, class: usize, weight: f64) -> Result<Round<'_>> {
        self.learn_target(x, Target::Class(class), weight)
    }

    /// The same with whatever is true of the example.
    pub fn learn_target(&mut self, x: SparseVec<'_>, target: Target<'_>, weight: f64) -> Result<Round<'_>> {
        let Self { learner, head, scores, prediction } = self;
        learner.update(x, target, weight, scores)?;
        let probability = head.update(scores, target, weight, prediction)?;
        Ok(Round { prediction, probability, updated: scores.updated() })
    }

    pub fn predict(&self, x: SparseVec<'_>) -> Prediction {
        let (mut scores, mut prediction) = (Scores::default(), Prediction::default());
        self.learner.scores(x, &mut scores);
        self.head.predict(&scores, &mut prediction);
        prediction
    }

    pub fn vote(&self, x: SparseVec<'_>) -> Vec<f64> {
        let mut votes = Vec::new();
        self.learner.votes(x, &self.head.shares(), &mut Voter::new(), &mut votes);
        votes
    }

    pub fn set_classes(&mut self, classes: usize, ranks: &[u32]) -> Result<()> {
        self.head.set_classes(ranks);
        self.learner.set_classes(classes, ranks)
    }

    pub fn classes(&self) -> usize {
        self.learner.classes()
    }

    /// Becomes what others are together, of which one may be the base of all others.
    pub fn merge(&mut self, parts: &[PairPart<'_>], merging: Merging) -> Result<()> {
        let mut sum = LearnerSum::new(merging);
        let own = parts.iter().filter(|(_, part)| part.role == PartRole::Part);
        let base = || parts.iter().filter(|(_, part)| part.role == PartRole::Base);
        for (pair, part) in base().chain(own.clone()) {
            pair.learner.add_to(&mut sum, part)?;
        }
        for (pair, part) in base() {
            pair.learner.add_to(&mut sum, &LearnerPart { role: PartRole::Last, ..*part })?;
        }
        self.learner.take(sum)?;
        let again = 1.0 - own.clone().count() as f64;
        let heads = parts.iter().map(|(pair, part)| HeadPart {
            head: &pair.head,
            examples: part.examples,
            times: if part.role == PartRole::Part { 1.0 } else { again },
            classes: part.classes,
        });
        self.head.merge(&heads.collect::<Vec<_>>())
    }

    /// The one store of a learner that is no ensemble.
    pub fn store(&self) -> &dyn Store {
        self.learner.store().unwrap()
    }

    /// Everything that both have learned.
    pub fn save(&self) -> State<'_> {
        let mut state = State::default();
        state.join("learner", self.learner.save());
        state.join("head", self.head.save());
        state
    }

    pub fn restore(&mut self, mut state: State<'_>) -> Result<()> {
        self.learner.restore(state.split("learner"))?;
        self.head.restore(state.split("head"))?;
        state.finish()
    }
}

/// SplitMix64: small, seeded, good enough for test data.
pub struct Random(pub u64);

impl Random {
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ (z >> 31)
    }

    /// Uniform in (0, 1).
    pub fn uniform(&mut self) -> f64 {
        ((self.bits() >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    }

    pub fn below(&mut self, n: usize) -> usize {
        (self.uniform() * n as f64) as usize
    }

    /// Standard normal.
    pub fn normal(&mut self) -> f64 {
        surefoot_core::normal::quantile(self.uniform())
    }

    pub fn dense(&mut self, d: usize) -> Vec<f64> {
        (0..d).map(|_| self.normal()).collect()
    }
}

/// A sparse random vector over `d` features.
pub fn sparse(random: &mut Random, d: usize, nonzeros: usize) -> Vector {
    let pairs: Vec<(u32, f64)> = (0..nonzeros).map(|_| (random.below(d) as u32, random.normal())).collect();
    Vector::from_pairs(pairs).expect("finite")
}

/// Examples labelled by a random hyperplane, a share of the labels flipped.
pub fn stream(seed: u64, d: usize, n: usize, flips: f64) -> Vec<(Vector, usize)> {
    let mut random = Random(seed);
    let truth = random.dense(d);
    (0..n)
        .map(|_| {
            let x = random.dense(d);
            let score: f64 = x.iter().zip(&truth).map(|(a, b)| a * b).sum();
            let flip = random.uniform() < flips;
            (Vector::from_dense(&x).expect("finite"), usize::from((score >= 0.0) != flip))
        })
        .collect()
}

/// The same examples, each scaled to length 1.
pub fn unit_rows(data: Vec<(Vector, usize)>) -> Vec<(Vector, usize)> {
    let unit = |x: &Vector| {
        let (x, length) = (x.features(), x.features().squared_norm().sqrt());
        let pairs = x.ids().iter().zip(x.values()).map(|(id, value)| (*id, value / length));
        Vector::from_pairs(pairs).expect("finite")
    };
    data.into_iter().map(|(x, class)| (unit(&x), class)).collect()
}

/// Examples of `classes` classes, each the argmax of a random linear score.
pub fn many_class_stream(seed: u64, classes: usize, d: usize, n: usize) -> Vec<(Vector, usize)> {
    let mut random = Random(seed);
    let truth: Vec<Vec<f64>> = (0..classes).map(|_| random.dense(d)).collect();
    (0..n)
        .map(|_| {
            let x = random.dense(d);
            let score = |k: usize| -> f64 { x.iter().zip(&truth[k]).map(|(a, b)| a * b).sum() };
            let best = (0..classes).max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap_or(0);
            (Vector::from_dense(&x).expect("finite"), best)
        })
        .collect()
}

/// Examples that have each of `labels` labels or not, as a random linear score of each says: a third of them with a bias that
/// makes them rare, so that rows have none, one or several.
pub fn label_stream(seed: u64, labels: usize, d: usize, n: usize) -> Vec<(Vector, Vec<u32>)> {
    let mut random = Random(seed);
    let truth: Vec<Vec<f64>> = (0..labels).map(|_| random.dense(d)).collect();
    (0..n)
        .map(|_| {
            let x = random.dense(d);
            let score = |k: usize| -> f64 {
                let sum: f64 = x.iter().zip(&truth[k]).map(|(a, b)| a * b).sum();
                sum - if k.is_multiple_of(3) { 2.0 } else { 0.5 }
            };
            let own = (0..labels).filter(|&k| score(k) > 0.0).map(|k| k as u32).collect();
            // The last feature is a bias.
            let x = x.into_iter().chain([1.0]).collect::<Vec<_>>();
            (Vector::from_dense(&x).expect("finite"), own)
        })
        .collect()
}

/// The stream of [FACT] §2.2: ten coins that decide the label, each copied, a share of the copies flipped.
pub fn coins(seed: u64, copies: usize, examples: usize, flips: f64) -> Vec<(Vector, usize)> {
    let mut random = Random(seed);
    let truth = random.dense(10);
    (0..examples)
        .map(|_| {
            let coins: Vec<f64> =
                (0..10).map(|_| if random.bits() >> 63 == 0 { 1.0 } else { -1.0 }).collect();
            let score: f64 = coins.iter().zip(&truth).map(|(z, w)| z * w).sum();
            let mut flip = |z: f64| if random.uniform() < flips { -z } else { z };
            let observed: Vec<f64> = (0..copies).flat_map(|_| &coins).map(|&z| flip(z)).collect();
            (Vector::from_dense(&observed).expect("finite"), usize::from(score >= 0.0))
        })
        .collect()
}

/// Progressive mistakes of a binary learner.
pub fn mistakes(spec: &str, stream: &[(Vector, usize)]) -> usize {
    let mut learner = pair(spec, Task::Binary, 2);
    let mut wrong = 0;
    for (x, class) in stream {
        wrong +=
            usize::from(learner.learn(x.features(), *class, 1.0).unwrap().prediction.label != Some(*class));
    }
    wrong
}
