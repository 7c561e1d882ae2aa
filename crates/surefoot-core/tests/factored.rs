//! The factored store against the full store, a textbook CW-fact and the paper's figures.

mod common;

use common::{Pair, Random, coins, many_class_stream, mistakes, pair, pair_of, sparse, stream};
use nalgebra::{DMatrix, DVector};
use surefoot_core::rule::{RULES, Rule, RuleSpec};
use surefoot_core::state::{State, Tensor};
use surefoot_core::{Spec, Task, Vector};

fn build(spec: &str) -> Pair {
    pair(spec, Task::Binary, 2)
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

fn has_gain(rule: &RuleSpec) -> bool {
    let rule = (rule.build)(&Spec::parse(rule.name).unwrap().params().unwrap());
    rule.checked_step(-1.0, 1.0, 1.0).is_some_and(|step| step.gain > 0.0)
}

#[test]
fn with_room_for_every_update_it_is_the_full_store() {
    let train = stream(21, 12, 150, 0.05);
    let rules: Vec<_> = RULES.iter().filter(|rule| has_gain(rule)).collect();
    assert!(rules.len() >= 8);
    for rule in rules {
        for compression in ["em", "rows", "drop"] {
            let spec = format!("{}/factored:rank=3,buffer=150,compression={compression}", rule.name);
            let mut factored = build(&spec);
            let mut full = build(&format!("{}/full", rule.name));
            for (x, class) in &train {
                let ours = factored.learn(x.features(), *class, 1.0).unwrap().prediction.clone();
                let theirs = full.learn(x.features(), *class, 1.0).unwrap().prediction.clone();
                assert!(close(ours.score, theirs.score, 1e-9), "{spec}: {} {}", ours.score, theirs.score);
                assert!(close(ours.variance, theirs.variance, 1e-9), "{spec}");
            }
            for feature in 0..12 {
                let (ours, theirs) = (factored.store().weight(feature, 0), full.store().weight(feature, 0));
                let (ours, theirs) = (ours.unwrap(), theirs.unwrap());
                assert!(close(ours.mean, theirs.mean, 1e-9) && close(ours.variance, theirs.variance, 1e-9));
            }
        }
    }
}

/// CW-fact as [FACT] §3.2 has it, with dense matrices and direct inverses.
struct Textbook {
    mean: DVector<f64>,
    d: DMatrix<f64>,
    r: Vec<DVector<f64>>,
    b: Vec<DVector<f64>>,
    rank: usize,
    buffer: usize,
}

impl Textbook {
    fn new(size: usize, rank: usize, buffer: usize) -> Self {
        let (r, b) = Default::default();
        Self { mean: DVector::zeros(size), d: DMatrix::identity(size, size), r, b, rank, buffer }
    }

    fn precision(&self) -> DMatrix<f64> {
        self.r.iter().chain(&self.b).fold(self.d.clone(), |sum, column| sum + column * column.transpose())
    }

    fn learn(&mut self, rule: &dyn Rule, x: &DVector<f64>, y: f64) -> (f64, f64) {
        let image = self.precision().try_inverse().unwrap() * x;
        let (score, v) = (self.mean.dot(x), image.dot(x));
        if let Some(step) = rule.checked_step(y * score, v, 1.0) {
            self.mean += &image * (y * step.alpha);
            let column = x * step.gain.sqrt();
            if self.r.len() < self.rank {
                self.r.push(column)
            } else {
                self.b.push(column)
            }
            if !self.b.is_empty() && self.b.len() >= self.buffer {
                self.compress();
            }
        }
        (score, v)
    }

    fn compress(&mut self) {
        let p = self.precision();
        let (mut d, mut r) = (self.d.clone(), DMatrix::from_columns(&self.r));
        for _ in 0..10 {
            let inverse = d.clone().try_inverse().unwrap();
            let phi = DMatrix::identity(self.rank, self.rank) + r.transpose() * &inverse * &r;
            let phi = phi.try_inverse().unwrap();
            let upsilon = &phi * r.transpose() * inverse;
            let inner = &phi + &upsilon * &p * upsilon.transpose();
            r = &p * upsilon.transpose() * inner.try_inverse().unwrap();
            d = DMatrix::from_diagonal(&(&p - &r * upsilon * &p).diagonal());
        }
        (self.d, self.r) = (d, r.column_iter().map(|c| c.into_owned()).collect());
        self.b.clear();
    }
}

#[test]
fn em_is_the_textbook() {
    for (rank, buffer) in [(3, 3), (2, 0), (4, 1), (2, 7)] {
        for rule in ["cw-stdev", "cw-var", "arow", "scw2", "logistic"] {
            let spec = format!("{rule}/factored:rank={rank},buffer={buffer},compression=em,floor=0");
            let spec = Spec::parse(&spec).unwrap();
            let rule = (spec.rule().build)(&spec.params().unwrap());
            let mut ours = pair_of(&spec, Task::Binary, 2);
            let mut textbook = Textbook::new(30, rank, buffer);
            let mut random = Random(31);
            let truth = random.dense(30);
            for round in 0..60 {
                let x = sparse(&mut random, 30, 12);
                let mut dense = DVector::zeros(30);
                x.features().iter().for_each(|(i, value)| dense[i] = value);
                let class = usize::from(dense.dot(&DVector::from_column_slice(&truth)) >= 0.0);
                let (score, v) = textbook.learn(&*rule, &dense, if class == 1 { 1.0 } else { -1.0 });
                let prediction = ours.learn(x.features(), class, 1.0).unwrap().prediction;
                let same = close(prediction.score, score, 1e-7) && close(prediction.variance, v, 1e-7);
                assert!(same, "{spec:?}, round {round}: {prediction:?}, {score}, {v}");
            }
        }
    }
}

#[test]
fn first_order_rules_see_the_identity() {
    let train = stream(5, 8, 100, 0.1);
    for rule in RULES.iter().filter(|rule| !has_gain(rule)) {
        let (mut ours, mut theirs) =
            (build(&format!("{}/factored", rule.name)), build(&format!("{}/identity", rule.name)));
        for (x, class) in &train {
            let score = ours.learn(x.features(), *class, 1.0).unwrap().prediction.score;
            let theirs = theirs.learn(x.features(), *class, 1.0).unwrap().prediction.score;
            assert!(close(score, theirs, 1e-12), "{}", rule.name);
        }
    }
}

/// Ten coins, of which a share is seen wrongly; ten features, of which a share of the labels is wrong; ten features that
/// go together, with such labels.
fn few_dimensions(reading: usize, seed: u64) -> Vec<(Vector, usize)> {
    const ROUNDS: usize = 20_000;
    if reading < 2 {
        return if reading == 0 { coins(seed, 1, ROUNDS, 0.05) } else { stream(seed, 10, ROUNDS, 0.05) };
    }
    let mut random = Random(seed);
    let truth = random.dense(10);
    let mix: Vec<Vec<f64>> = (0..10).map(|_| random.dense(3)).collect();
    let dot = |a: &[f64], b: &[f64]| a.iter().zip(b).map(|(a, b)| a * b).sum::<f64>();
    let mut example = || {
        let common = random.dense(3);
        let x: Vec<f64> = mix.iter().map(|row| dot(row, &common) + 0.3 * random.normal()).collect();
        let class = (dot(&x, &truth) >= 0.0) != (random.uniform() < 0.05);
        (Vector::from_dense(&x).unwrap(), usize::from(class))
    };
    (0..ROUNDS).map(|_| example()).collect()
}

/// Mistakes of a learner that never leaves the range of numbers.
fn mistakes_within_range(spec: &str, train: &[(Vector, usize)]) -> f64 {
    let mut learner = build(spec);
    let mut count = 0;
    for (x, class) in train {
        let prediction = learner.learn(x.features(), *class, 1.0).unwrap().prediction;
        assert!(prediction.score.is_finite() && prediction.variance.is_finite(), "{spec}");
        assert!(prediction.variance > 0.0, "{spec}");
        count += usize::from(prediction.label != Some(*class));
    }
    f64::from(count as u32)
}

#[test]
fn on_noise_in_few_dimensions_it_is_no_worse_than_the_diagonal_store() {
    // Over 24 seeds the first two readings differ from the diagonal store by +11 ± 9 and −19 ± 18 mistakes of some
    // 2000, the third by −218 ± 32 (docs/factored.md); over a few seeds the chance is larger.
    const SEEDS: u64 = 5;
    let mut difference = 0.0;
    for reading in 0..3 {
        let (mut diagonal, mut factored) = (0.0, 0.0);
        for seed in 1..=SEEDS {
            let train = few_dimensions(reading, seed);
            diagonal += mistakes_within_range("cw-stdev/diagonal:confidence=0.9", &train);
            factored += mistakes_within_range("cw-stdev/factored:confidence=0.9,rank=4", &train);
            mistakes_within_range("cw-stdev/factored:confidence=0.9,rank=4,compression=em", &train);
        }
        assert!(factored < 1.03 * diagonal, "reading {reading}: {factored} mistakes, diagonal {diagonal}");
        difference += factored - diagonal;
    }
    assert!(difference <= 0.0, "{difference} more mistakes than the diagonal store");
}

#[test]
fn without_a_guard_it_is_still_finite() {
    let train = coins(3, 1, 5_000, 0.05);
    for compression in ["rows", "em", "drop"] {
        for confidence in [0.75, 0.99] {
            let spec =
                format!("cw-stdev/factored:confidence={confidence},rank=4,floor=0,compression={compression}");
            let mut learner = build(&spec);
            for (x, class) in &train {
                let prediction = learner.learn(x.features(), *class, 1.0).unwrap().prediction;
                assert!(prediction.score.is_finite(), "{spec}");
                assert!(
                    prediction.variance.is_finite() && prediction.variance > 0.0,
                    "{spec} {prediction:?}"
                );
            }
        }
    }
}

#[test]
fn wild_values_do_not_break_it() {
    let mut random = Random(12);
    for compression in ["rows", "em", "drop"] {
        let mut learner = build(&format!("arow/factored:rank=2,compression={compression}"));
        for round in 0..200 {
            let scale = 10f64.powi([0, 100, -100, 140, 3][round % 5]);
            let x = random.dense(6).into_iter().map(|x| x * scale).collect::<Vec<_>>();
            let x = Vector::from_dense(&x).unwrap();
            learner.learn(x.features(), round % 2, 1.0).unwrap();
            let ones = learner.predict(Vector::from_dense(&[1.0; 6]).unwrap().features());
            assert!(ones.score.is_finite() && ones.variance >= 0.0, "{compression}, {round}: {ones:?}");
        }
    }
}

/// Mean mistakes over some runs of [FACT] §3.3.
fn paper(spec: &str, runs: u64) -> f64 {
    let total: usize = (1..=runs).map(|seed| mistakes(spec, &coins(seed, 100, 1000, 0.05))).sum();
    total as f64 / runs as f64
}

#[test]
fn the_paper_s_order_of_ranks() {
    // The mistakes of all 100 runs are in docs/factored.md; these are the first of them.
    const RUNS: u64 = 8;
    let of = |rank: usize| paper(&format!("cw-stdev/factored:confidence=0.9,rank={rank}"), RUNS);
    let (diagonal, full) =
        (paper("cw-stdev/diagonal:confidence=0.9", RUNS), paper("cw-stdev/full:confidence=0.9", RUNS));
    let (two, eight, sixteen) = (of(2), of(8), of(16));
    assert!(diagonal > two && two > eight + 5.0, "{diagonal} {two} {eight}");
    assert!((eight - full).abs() < 5.0, "rank 8: {eight}, full: {full}");
    assert!((sixteen - full).abs() < 1.5, "rank 16: {sixteen}, full: {full}");
}

#[test]
fn a_saved_learner_goes_on_bit_for_bit() {
    let mut random = Random(41);
    for compression in ["rows", "em", "drop"] {
        let spec = format!("cw-var/factored:rank=3,buffer=4,compression={compression}");
        let mut straight = build(&spec);
        let mut resumed = build(&spec);
        for round in 0..400 {
            let x = sparse(&mut random, 2000, 5);
            let class = random.below(2);
            straight.learn(x.features(), class, 1.0).unwrap();
            resumed.learn(x.features(), class, 1.0).unwrap();
            if round % 57 == 0 {
                let saved = resumed.save().into_owned();
                resumed = build(&spec);
                resumed.restore(saved).unwrap();
            }
        }
        assert_eq!(format!("{:?}", straight.save()), format!("{:?}", resumed.save()), "{compression}");
    }
}

/// A state with one tensor changed.
fn damaged<'a>(state: &State<'a>, name: &str, change: impl Fn(&mut Tensor<'_>)) -> State<'a> {
    let mut copy = State::default();
    for (key, tensor) in state.iter() {
        let mut tensor = tensor.clone();
        if key == format!("store.{name}") {
            change(&mut tensor);
        }
        copy.put(key, tensor);
    }
    copy
}

#[test]
fn a_damaged_state_is_refused() {
    let spec = "cw-var/factored:rank=2,buffer=4";
    let mut learner = build(spec);
    let mut random = Random(43);
    for _ in 0..40 {
        learner.learn(sparse(&mut random, 500, 4).features(), random.below(2), 1.0).unwrap();
    }
    let state = learner.learner.save();
    assert!(build(spec).learner.restore(damaged(&state, "", |_| ())).is_ok());
    let names: Vec<String> =
        state.iter().filter_map(|(name, _)| name.strip_prefix("store.").map(str::to_string)).collect();
    assert_eq!(names.len(), 13);
    for name in &names {
        let longer = damaged(&state, name, |tensor| match tensor {
            Tensor::F64(data) => data.to_mut().push(1.0),
            Tensor::F32(data) => data.to_mut().push(1.0),
            Tensor::U32(data) => data.to_mut().push(0),
            Tensor::U64(data) => data.to_mut().push(0),
            Tensor::U8(data) => data.to_mut().push(0),
        });
        assert!(build(spec).learner.restore(longer).is_err(), "`{name}` is too long");
        let wild = damaged(&state, name, |tensor| match tensor {
            Tensor::F64(data) => data.to_mut().iter_mut().for_each(|x| *x = f64::NAN),
            Tensor::F32(data) => data.to_mut().iter_mut().for_each(|x| *x = f32::NAN),
            Tensor::U32(data) => data.to_mut().iter_mut().for_each(|x| *x = 1 << 30),
            Tensor::U64(data) => data.to_mut().iter_mut().for_each(|x| *x = 1 << 60),
            Tensor::U8(data) => data.to_mut().fill(u8::MAX),
        });
        // Any number of rows worked on is possible.
        assert!(name == "worked" || build(spec).learner.restore(wild).is_err(), "`{name}` is wild");
    }
}

#[test]
fn every_class_has_its_own_block() {
    let train = many_class_stream(6, 4, 8, 300);
    let spec = "cw-var/factored:rank=2,buffer=500,schedule=parallel,top=2";
    let mut ours = pair(spec, Task::Multiclass, 4);
    let full = Spec::parse("cw-var/full:schedule=parallel,top=2").unwrap();
    let mut full = pair_of(&full, Task::Multiclass, 4);
    for (x, class) in &train {
        let a = ours.learn(x.features(), *class, 1.0).unwrap().prediction.clone();
        let b = full.learn(x.features(), *class, 1.0).unwrap().prediction.clone();
        assert!(a.scores.iter().zip(&b.scores).all(|(a, b)| close(*a, *b, 1e-9)));
    }
}

#[test]
fn a_far_feature_costs_a_page() {
    let mut learner = build("arow/factored");
    for id in [(1 << 28) - 1, 7] {
        let x = Vector::from_pairs([(id, 1.0)]).unwrap();
        learner.learn(x.features(), 1, 1.0).unwrap();
        assert!(learner.store().weight(id as usize, 0).unwrap().mean > 0.0);
    }
    let prior = learner.store().weight(9, 0).unwrap();
    assert_eq!((prior.mean, prior.variance), (0.0, 1.0));
}

#[test]
fn settings_that_make_no_sense_are_refused() {
    for (spec, word) in [
        ("arow/factored:rank=0", "rank"),
        ("arow/factored:buffer=-1", "buffer"),
        ("arow/factored:sweeps=0", "sweeps"),
        ("arow/factored:compression=svd", "compression"),
    ] {
        assert!(Spec::parse(spec).unwrap_err().to_string().contains(word), "{spec}");
    }
    let spec = Spec::parse("arow/factored:compression=drop,buffer=0").unwrap();
    assert!(spec.build(Task::Binary, 2).unwrap_err().to_string().contains("buffer"));
}
