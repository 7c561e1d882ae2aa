//! Forgetting, which stores do as late as they can, against plain forms that let every weight fade in every round.

mod common;

use common::{Pair, PairPart, Random, many_class_stream, pair, sparse, stream};
use surefoot_core::learner::{Binary, Multiclass};
use surefoot_core::param::Params;
use surefoot_core::rule::{RULES, RuleSpec, Step};
use surefoot_core::state::{State, Tensor};
use surefoot_core::store::{
    self, Gain, HALF_LIFE, NaturalParams, PRIOR, Projection, STORES, Shape, Store, StoreSpec, Weight,
};
use surefoot_core::transform::View;
use surefoot_core::{
    Learner, LearnerPart, Merging, PartRole, Result, Scores, SparseVec, Spec, Target, Task, Vector,
};

/// A store that never forgets, made to: what it knows is taken out of it after every round, and put back faded.
#[derive(Debug, Clone)]
struct Eager {
    inner: Box<dyn Store>,
    lambda: f64,
    inflates: bool,
    prior: f64,
    blocks: usize,
    fade: fn(&mut Eager),
}

impl Eager {
    fn build(params: &Params, shape: Shape, name: &str, fade: fn(&mut Eager)) -> Result<Box<dyn Store>> {
        let mut plain = params.clone();
        plain.set(&HALF_LIFE, "none")?;
        let inner = (store::find(name)?.build)(&plain, shape)?;
        let lambda = 0.5f64.powf(1.0 / params.number(HALF_LIFE.name));
        let (inflates, prior) = (params.word("forget") == "inflate", params.number(PRIOR.name));
        Ok(Box::new(Self { inner, lambda, inflates, prior, blocks: shape.blocks, fade }))
    }

    fn gaussian(&self, mean: f64, variance: f64) -> [f64; 2] {
        let faded = 1.0 / (self.lambda / variance + (1.0 - self.lambda) / self.prior);
        [if self.inflates { mean } else { self.lambda * mean / variance * faded }, faded]
    }

    /// Rows of cells: all blocks' first numbers, then all blocks' second.
    fn fade_cells<const N: usize>(&mut self, faded: impl Fn(&Self, [f64; N]) -> [f64; N]) {
        let mut state = self.inner.save().into_owned();
        let sparse = state.has("row");
        let single = matches!(state.iter().find(|(name, _)| *name == "cells"), Some((_, Tensor::F32(_))));
        let mut cells: Vec<f64> = if single {
            state.take_f32("cells").unwrap().into_iter().map(f64::from).collect()
        } else {
            state.take_f64("cells").unwrap()
        };
        let width = if sparse { 1 } else { self.blocks };
        for row in cells.chunks_mut(N * width) {
            for block in 0..width {
                let cell = faded(self, std::array::from_fn(|n| row[n * width + block]));
                (0..N).for_each(|n| row[n * width + block] = cell[n]);
            }
        }
        state.put(
            "cells",
            if single {
                Tensor::F32(cells.into_iter().map(|x| x as f32).collect())
            } else {
                Tensor::F64(cells.into())
            },
        );
        self.inner.restore(state, self.blocks).unwrap();
    }

    fn fade_matrices(&mut self) {
        for block in 0..self.blocks {
            let NaturalParams { mut shift, gain: Gain::Full(mut gain) } =
                self.inner.natural_params(block, 1.0).unwrap()
            else {
                panic!("a full store")
            };
            gain.iter_mut().for_each(|entry| *entry *= self.lambda);
            if self.inflates {
                let means: Vec<f64> =
                    (0..shift.len()).map(|i| self.inner.weight(i, block).unwrap().mean).collect();
                let entry = |i: usize, j: usize| gain[i.max(j) * (i.max(j) + 1) / 2 + i.min(j)];
                for (i, shift) in shift.iter_mut().enumerate() {
                    let row = means.iter().enumerate().map(|(j, mean)| entry(i, j) * mean);
                    *shift = means[i] / self.prior + row.sum::<f64>();
                }
            } else {
                shift.iter_mut().for_each(|eta| *eta *= self.lambda);
            }
            self.inner.from_natural(block, NaturalParams { shift, gain: Gain::Full(gain) }).unwrap();
        }
    }

    fn fade_supports(&mut self) {
        let mut state = self.inner.save().into_owned();
        for name in ["nu", "pi"] {
            let mut numbers = state.take_f64(name).unwrap();
            let left = if name == "nu" && self.inflates { 1.0 } else { self.lambda };
            numbers.iter_mut().for_each(|x| *x *= left);
            state.put(name, Tensor::F64(numbers.into()));
        }
        self.inner.restore(state, self.blocks).unwrap();
    }
}

impl Store for Eager {
    fn grow(&mut self, blocks: usize) -> Result<()> {
        self.blocks = blocks;
        self.inner.grow(blocks)
    }

    fn scores(&self, x: SparseVec<'_>, means: &mut [f64], v: Option<&mut [f64]>, scratch: &mut Projection) {
        self.inner.scores(x, means, v, scratch);
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        self.inner.project(x, block, out);
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, p: &mut Projection, step: Step) -> Result<()> {
        self.inner.absorb(x, block, p, step)
    }

    fn variance_after(&self, x: SparseVec<'_>, block: usize, p: &Projection, gain: f64) -> f64 {
        self.inner.variance_after(x, block, p, gain)
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        self.inner.prior_variance(x)
    }

    fn end_round(&mut self) {
        self.inner.end_round();
        (self.fade)(self);
    }

    fn discount(&mut self, share: f64) {
        self.inner.discount(share);
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        self.inner.weight(feature, block)
    }

    fn save(&self) -> State<'_> {
        self.inner.save()
    }

    fn restore(&mut self, state: State<'_>, blocks: usize) -> Result<()> {
        self.inner.restore(state, blocks)
    }
}

/// Averaged weights by their definition: Σ λ^age·w over the rounds, by Σ λ^age.
#[derive(Debug, Clone)]
struct EagerAverage {
    weights: Vec<[f64; 16]>,
    sums: Vec<[f64; 16]>,
    rounds: f64,
    lambda: f64,
}

impl Store for EagerAverage {
    fn grow(&mut self, blocks: usize) -> Result<()> {
        self.weights.resize(blocks, [0.0; 16]);
        self.sums.resize(blocks, [0.0; 16]);
        Ok(())
    }

    fn scores(&self, x: SparseVec<'_>, means: &mut [f64], v: Option<&mut [f64]>, _: &mut Projection) {
        for (mean, sums) in means.iter_mut().zip(&self.sums) {
            *mean = x.iter().map(|(f, value)| value * sums[f]).sum::<f64>() / self.rounds.max(1.0);
        }
        v.into_iter().for_each(|v| v.fill(x.squared_norm()));
    }

    fn predicts_as_it_learns(&self) -> bool {
        false
    }

    fn project(&self, x: SparseVec<'_>, block: usize, out: &mut Projection) {
        out.mean = x.iter().map(|(f, value)| value * self.weights[block][f]).sum();
        out.variance = x.squared_norm();
    }

    fn absorb(&mut self, x: SparseVec<'_>, block: usize, _: &mut Projection, step: Step) -> Result<()> {
        x.iter().for_each(|(f, value)| self.weights[block][f] += step.alpha * value);
        Ok(())
    }

    fn variance_after(&self, _: SparseVec<'_>, _: usize, p: &Projection, _: f64) -> f64 {
        p.variance
    }

    fn prior_variance(&self, x: SparseVec<'_>) -> f64 {
        x.squared_norm()
    }

    fn end_round(&mut self) {
        self.rounds = self.lambda * self.rounds + 1.0;
        for (weights, sums) in self.weights.iter_mut().zip(&mut self.sums) {
            for (weight, sum) in weights.iter_mut().zip(sums) {
                *weight *= self.lambda;
                *sum = self.lambda * *sum + *weight;
            }
        }
    }

    fn discount(&mut self, share: f64) {
        self.rounds *= share;
        for numbers in self.weights.iter_mut().chain(&mut self.sums) {
            numbers.iter_mut().for_each(|number| *number *= share);
        }
    }

    fn weight(&self, feature: usize, block: usize) -> Option<Weight> {
        let mean = self.sums[block][feature] / self.rounds.max(1.0);
        Some(Weight { mean, variance: 1.0, prior: 1.0 })
    }

    fn save(&self) -> State<'_> {
        State::default()
    }

    fn restore(&mut self, _: State<'_>, _: usize) -> Result<()> {
        Ok(())
    }
}

fn average(params: &Params, shape: Shape) -> Result<Box<dyn Store>> {
    let lambda = 0.5f64.powf(1.0 / params.number(HALF_LIFE.name));
    let (weights, sums) = (vec![[0.0; 16]; shape.blocks], vec![[0.0; 16]; shape.blocks]);
    Ok(Box::new(EagerAverage { weights, sums, rounds: 0.0, lambda }))
}

/// A reference in the place of a store.
fn reference(name: &str, averages: bool) -> StoreSpec {
    let own = store::find(name).unwrap();
    let build: fn(&Params, Shape) -> Result<Box<dyn Store>> = match (name, averages) {
        ("diagonal", _) => |params, shape| {
            Eager::build(params, shape, "diagonal", |own| {
                own.fade_cells(|own, [mean, variance]| own.gaussian(mean, variance));
            })
        },
        ("compact", _) => |params, shape| {
            Eager::build(params, shape, "compact", |own| {
                own.fade_cells(|own, [mean, variance]| own.gaussian(mean, variance));
            })
        },
        // As long as nothing is compressed, a factored precision is a full one.
        ("full" | "factored", _) => |params, shape| Eager::build(params, shape, "full", Eager::fade_matrices),
        ("kernel", _) => |params, shape| Eager::build(params, shape, "kernel", Eager::fade_supports),
        (_, false) => |params, shape| {
            Eager::build(params, shape, "identity", |own| {
                own.fade_cells(|own, [weight]| [own.lambda * weight])
            })
        },
        (_, true) => average,
    };
    StoreSpec { build, params: own.params, ..*own }
}

const FEATURES: usize = 12;

/// A few of the features in each example, and their weights.
fn examples(seed: u64, classes: usize) -> Vec<(Vector, usize, f64)> {
    let mut random = Random(seed);
    let truth: Vec<Vec<f64>> = (0..classes).map(|_| random.dense(FEATURES)).collect();
    let weights = [1.0, 0.5, 1.0, 0.0, 2.0];
    (0..60)
        .map(|round| {
            let x = sparse(&mut random, FEATURES, 4);
            let score = |k: usize| x.features().iter().map(|(f, value)| value * truth[k][f]).sum::<f64>();
            let best = (0..classes).max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap_or(0);
            (x, if round % 9 == 0 { round % classes } else { best }, weights[round % 5])
        })
        .collect()
}

/// Both learn the same rounds, and say the same before each, in the middle of what is forgotten and at the end.
fn assert_alike(
    name: &str,
    own: &mut dyn Learner,
    eager: &mut dyn Learner,
    examples: &[(Vector, usize, f64)],
    tolerance: f64,
) {
    let close = |a: f64, b: f64, what: &str| {
        assert!((a - b).abs() <= tolerance * (1.0 + b.abs()), "{name}: {what} {a} for {b}");
    };
    let (mut scores, mut other) = (Scores::default(), Scores::default());
    for (x, class, weight) in examples {
        own.scores(x.features(), &mut other);
        own.update(x.features(), Target::Class(*class), *weight, &mut scores).unwrap();
        assert_eq!(
            (scores.of(0), scores.variance(0)),
            (other.of(0), other.variance(0)),
            "{name}: as it reads"
        );
        eager.update(x.features(), Target::Class(*class), *weight, &mut other).unwrap();
        scores.of(0).iter().zip(other.of(0)).for_each(|(a, b)| close(*a, *b, "a score of"));
        close(scores.variance(0), other.variance(0), "a variance of");
    }
    let blocks = if own.classes() == 2 && scores.binary() { 1 } else { own.classes() };
    for (feature, block) in (0..FEATURES).flat_map(|f| (0..blocks).map(move |b| (f, b))) {
        let [a, b] = [own.weight(0, feature, block), eager.weight(0, feature, block)];
        let (Some(a), Some(b)) = (a, b) else { continue };
        close(a.mean, b.mean, "a weight of");
        close(a.variance, b.variance, "a weight's variance of");
    }
}

/// Every way of a rule on a store to forget.
fn forms(rule: &RuleSpec, store: &StoreSpec) -> Vec<String> {
    let extra: &[&str] = match store.name {
        "identity" => &["half-life=5", "half-life=40,average=true"],
        "factored" => &["half-life=5,rank=64", "half-life=40,rank=3,buffer=90,forget=inflate"],
        "kernel" => &["half-life=5,kernel=linear", "half-life=40,forget=inflate"],
        _ => &["half-life=5", "half-life=40,forget=inflate", "half-life=3,forget=discount,prior=0.4"],
    };
    extra.iter().map(|extra| format!("{}/{}:{extra}", rule.name, store.name)).collect()
}

fn every(mut check: impl FnMut(&RuleSpec, &StoreSpec, String)) {
    for rule in RULES {
        for store in STORES {
            forms(rule, store).into_iter().for_each(|text| check(rule, store, text));
        }
    }
}

fn tolerance(store: &StoreSpec) -> f64 {
    if store.name == "compact" { 1e-3 } else { 1e-10 }
}

#[test]
fn what_fades_late_is_what_fades_in_every_round() {
    let examples = examples(17, 2);
    every(|rule, store, text| {
        let params = Spec::parse(&text).unwrap().params().unwrap();
        let mut own = Binary::new(rule, store, &params).unwrap();
        let reference = reference(store.name, text.contains("average"));
        let mut eager = Binary::new(rule, &reference, &params).unwrap();
        assert_alike(&text, &mut own, &mut eager, &examples, tolerance(store));
    });
}

#[test]
fn what_fades_late_fades_with_many_classes_too() {
    let examples = examples(23, 4);
    every(|rule, store, text| {
        for schedule in ["sequential", "parallel", "exact", "one-vs-rest"] {
            let text = format!("{text},top=2,schedule={schedule}");
            // Not every rule has an exact update.
            let Ok(spec) = Spec::parse(&text) else { continue };
            let params = spec.params().unwrap();
            let mut own = Multiclass::new(rule, store, &params, 4).unwrap();
            let reference = reference(store.name, text.contains("average"));
            let mut eager = Multiclass::new(rule, &reference, &params, 4).unwrap();
            // The exact update is found by iteration, and stops at 1e-14 of totals.
            let tolerance = if schedule == "exact" { 1e-8_f64 } else { 1e-10 }.max(tolerance(store));
            assert_alike(&text, &mut own, &mut eager, &examples, tolerance);
        }
    });
}

/// From 129 classes on, rows list the classes that were touched.
#[test]
fn sparse_rows_fade() {
    let examples = examples(29, 140);
    for text in ["arow:half-life=7", "cw-var/diagonal:half-life=7,forget=inflate", "pa1/identity:half-life=7"]
    {
        let spec = Spec::parse(text).unwrap();
        let params = spec.params().unwrap();
        let mut own = Multiclass::new(spec.rule(), spec.store(), &params, 140).unwrap();
        let reference = reference(spec.store().name, false);
        let mut eager = Multiclass::new(spec.rule(), &reference, &params, 140).unwrap();
        assert_alike(text, &mut own, &mut eager, &examples, 1e-10);
    }
}

/// Factored precisions are compressed: what is left still fades, and nothing leaves its range.
#[test]
fn compressed_precisions_fade_towards_the_prior() {
    for rest in ["", ",forget=inflate", ",compression=em", ",compression=drop", ",buffer=0", ",sweeps=3"] {
        let text = format!("arow/factored:rank=2,half-life=20{rest}");
        let mut learner = pair(&text, Task::Binary, 2);
        for (x, class) in stream(5, 8, 400, 0.1) {
            let prior = learner.store().prior_variance(x.features());
            let round = learner.learn(x.features(), class, 1.0).unwrap();
            assert!(
                round.prediction.variance <= prior * (1.0 + 1e-9) && round.prediction.variance > 0.0,
                "{text}"
            );
        }
        let known = learner.store().weight(3, 0).unwrap();
        let other = Vector::from_pairs([(9, 1.0)]).unwrap();
        (0..400).for_each(|round| _ = learner.learn(other.features(), round % 2, 1.0).unwrap());
        let faded = learner.store().weight(3, 0).unwrap();
        assert!((faded.variance - 1.0).abs() < 1e-3 && known.variance < 0.9, "{text}: {known:?} {faded:?}");
        let kept = if rest.contains("inflate") { known.mean } else { 0.0 };
        assert!((faded.mean - kept).abs() < 1e-3 * (1.0 + kept.abs()), "{text}: {known:?} {faded:?}");
    }
}

/// Full and factored stores forget the rounds of an interval together where the half-life is long.
#[test]
fn long_half_lives_are_forgotten_by_and_by() {
    for (store, tolerance) in [("diagonal", 0.0), ("full", 0.02), ("factored", 0.02)] {
        let spec = Spec::parse(&format!("arow/{store}:half-life=640")).unwrap();
        let shape = Shape { blocks: 1, all_touched: true };
        let mut store = (spec.store().build)(&spec.params().unwrap(), shape).unwrap();
        let (x, mut p) = (Vector::from_pairs([(0, 1.0)]).unwrap(), Projection::default());
        store.project(x.features(), 0, &mut p);
        store.absorb(x.features(), 0, &mut p, Step { alpha: 0.5, gain: 3.0 }).unwrap();
        for round in 1..=700 {
            store.end_round();
            let gained = 1.0 / store.weight(0, 0).unwrap().variance - 1.0;
            let exact = 3.0 * 0.5f64.powf(f64::from(round) / 640.0);
            let allowed = if round % 10 == 0 { 1e-12 } else { 1e-12 + tolerance * exact };
            assert!((gained - exact).abs() < allowed, "{store:?} in round {round}: {gained} for {exact}");
        }
    }
}

fn with(rule: &str, store: &str, rest: &str) -> String {
    let colon = if store.contains(':') { "," } else { ":" };
    format!("{rule}{store}{colon}{rest}")
}

fn fingerprint(learner: &Pair) -> String {
    format!("{:?}", learner.save())
}

/// Learning A, saving, loading and learning B is learning A, then B, to the last bit, whatever was touched when.
#[test]
fn a_save_in_the_middle_changes_nothing() {
    let (two, four) = (examples(31, 2), examples(37, 4));
    every(|_, _, text| {
        for (task, examples, classes) in [(Task::Binary, &two, 2), (Task::Multiclass, &four, 4)] {
            for cut in [1, 20, 41] {
                let (first, second) = examples.split_at(cut);
                let [mut straight, mut resumed] = [0, 1].map(|_| pair(&text, task, classes));
                for (x, class, weight) in first {
                    straight.learn(x.features(), *class, *weight).unwrap();
                }
                resumed.restore(straight.save()).unwrap();
                assert_eq!(fingerprint(&resumed), fingerprint(&straight), "{text}");
                for (x, class, weight) in second {
                    let x = x.features();
                    assert_eq!(resumed.predict(x), straight.predict(x), "{text}");
                    straight.learn(x, *class, *weight).unwrap();
                    resumed.learn(x, *class, *weight).unwrap();
                }
                assert_eq!(fingerprint(&resumed), fingerprint(&straight), "{text}");
            }
        }
    });
}

#[test]
fn an_example_of_no_weight_makes_nothing_older() {
    let far = Vector::from_pairs([(2, 1.0), (7, -1.0), (300, 0.5)]).unwrap();
    every(|_, _, text| {
        let mut learner = pair(&text, Task::Binary, 2);
        for (x, class, weight) in examples(3, 2) {
            learner.learn(x.features(), class, weight).unwrap();
        }
        let before = fingerprint(&learner);
        learner.learn(far.features(), 1, 0.0).unwrap();
        assert_eq!(before, fingerprint(&learner), "{text}");
    });
}

/// Members that share a table, each with a half-life of its own or none, are what they are alone.
#[test]
fn members_of_an_ensemble_forget_as_they_do_alone() {
    for (store, view) in [("diagonal", "none"), ("compact", "sqrt+l2")] {
        let members = [
            format!("arow/{store}:half-life=6"),
            format!("logistic/{store}:half-life=9,forget=inflate"),
            format!("scw1/{store}:projection=covariance,half-life=90"),
            format!("cw-stdev/{store}"),
        ];
        let text: Vec<String> = members.iter().map(|member| format!("{member}@{view}")).collect();
        let mut ensemble = pair(&format!("ensemble({})", text.join(";")), Task::Binary, 2);
        assert!(ensemble.save().has("learner.table00.stamp"), "in one table that forgets");
        let mut alone: Vec<_> = members.iter().map(|member| pair(member, Task::Binary, 2)).collect();
        let (view, mut values) = (View::parse(view).unwrap(), Vec::new());
        for (x, class, weight) in &examples(43, 2) {
            view.apply(x.features(), false, &mut values);
            let seen = SparseVec::new(x.features().ids(), &values).unwrap();
            let mut scores = Scores::default();
            ensemble.learner.scores(x.features(), &mut scores);
            for (i, learner) in alone.iter_mut().enumerate() {
                let own = learner.learn(seen, *class, *weight).unwrap().prediction.clone();
                assert_eq!(
                    (&own.scores[..], own.variance),
                    (scores.of(i), scores.variance(i)),
                    "{}",
                    members[i]
                );
            }
            ensemble.learn(x.features(), *class, *weight).unwrap();
        }
        for (i, learner) in alone.iter().enumerate() {
            let own = ensemble.learner.as_ensemble().unwrap().member(i).unwrap();
            let extracted = Pair::new(own, ensemble.head.member(i));
            assert_eq!(fingerprint(&extracted), fingerprint(learner), "{}", members[i]);
            for feature in 0..=FEATURES {
                let (a, b) = (ensemble.learner.weight(i, feature, 0), learner.learner.weight(0, feature, 0));
                assert_eq!(a, b, "{}, feature {feature}", members[i]);
            }
        }
        let text = format!("ensemble({})", text.join(";"));
        let mut again = pair(&text, Task::Binary, 2);
        again.restore(ensemble.save()).unwrap();
        assert_eq!(fingerprint(&again), fingerprint(&ensemble));
    }
}

fn part_of<'a>(own: &'a Pair, features: &'a [u32]) -> PairPart<'a> {
    (own, LearnerPart { features, classes: &[0], examples: 60.0, role: PartRole::Part })
}

/// Models that learned apart are merged as they are now: what one has half forgotten counts half.
#[test]
fn merging_takes_what_is_left() {
    for store in ["diagonal", "full", "factored:rank=64"] {
        let text = with("arow/", store, "half-life=8");
        let [mut one, mut two, mut merged] = [0, 1, 2].map(|_| pair(&text, Task::Binary, 2));
        for (x, class, weight) in &examples(47, 2) {
            one.learn(x.features(), *class, *weight).unwrap();
        }
        for (x, class, weight) in &examples(53, 2) {
            two.learn(x.features(), *class, *weight).unwrap();
        }
        let features: Vec<u32> = (0..FEATURES as u32).collect();
        let parts = [&one, &two].map(|own| part_of(own, &features));
        merged.merge(&parts, Merging::Exact).unwrap();
        let precisions = |pair: &Pair| match pair.store().natural_params(0, 1.0) {
            Ok(NaturalParams { gain: Gain::Full(gain), .. }) => gain,
            // Beside columns of their own.
            Ok(NaturalParams { gain: Gain::Factored { diagonal, .. }, .. }) => diagonal,
            Ok(other) => panic!("{other:?}"),
            Err(_) => {
                (0..FEATURES).map(|f| 1.0 / pair.store().weight(f, 0).unwrap().variance - 1.0).collect()
            }
        };
        for ((merged, one), two) in precisions(&merged).iter().zip(precisions(&one)).zip(precisions(&two)) {
            assert!(
                (merged - (one + two)).abs() < 1e-9 * (1.0 + merged.abs()),
                "{store}: {merged} {one} {two}"
            );
        }
        // It goes on learning, and forgetting.
        for (x, class, weight) in &examples(59, 2) {
            merged.learn(x.features(), *class, *weight).unwrap();
        }
        let mut again = pair(&text, Task::Binary, 2);
        again.restore(merged.save()).unwrap();
        assert_eq!(fingerprint(&again), fingerprint(&merged));
    }
}

#[test]
fn ensembles_that_forget_are_merged() {
    let text = "ensemble(arow:half-life=8@none; logistic@none; scw1:half-life=5,forget=inflate@none)";
    let [mut one, mut two, mut merged] = [0, 1, 2].map(|_| pair(text, Task::Binary, 2));
    for (x, class, weight) in &examples(61, 2) {
        one.learn(x.features(), *class, *weight).unwrap();
        two.learn(x.features(), 1 - *class, *weight).unwrap();
    }
    let features: Vec<u32> = (0..FEATURES as u32).collect();
    let parts = [&one, &two].map(|own| part_of(own, &features));
    merged.merge(&parts, Merging::Measured).unwrap();
    let own = |pair: &Pair, member| pair.learner.weight(member, 3, 0).unwrap();
    for member in 0..3 {
        let all = [&merged, &one, &two].map(|pair| 1.0 / own(pair, member).variance - 1.0);
        assert!((all[0] - all[1] - all[2]).abs() < 1e-9 * (1.0 + all[0]), "member {member}: {all:?}");
    }
    merged.learn(stream(3, FEATURES, 1, 0.0)[0].0.features(), 1, 1.0).unwrap();
}

/// The clock of 32 bits begins anew before it runs out; nothing is lost then.
#[test]
fn a_clock_that_runs_out_starts_anew() {
    let late = |state: &mut State<'_>, prefix: &str| {
        let [clock] = state.take_counts(&format!("{prefix}.clock")).unwrap();
        let more = u32::MAX - 3 - clock as u32;
        let stamps = state.take_u32(&format!("{prefix}.stamp")).unwrap();
        state.put_counts(format!("{prefix}.clock"), &[u64::from(u32::MAX) - 3]);
        let stamps: Vec<u32> = stamps.into_iter().map(|stamp| stamp + more).collect();
        state.put(format!("{prefix}.stamp"), Tensor::U32(stamps.into()));
    };
    let (few, single) = ("arow:half-life=10", "ensemble(arow:half-life=10@none; logistic@none)");
    for (text, prefix) in [(few, "learner.store"), (single, "learner.table00")] {
        let [mut plain, mut other] = [0, 1].map(|_| pair(text, Task::Binary, 2));
        let (first, second) = (examples(67, 2), examples(71, 2));
        for (x, class, _) in &first {
            plain.learn(x.features(), *class, 1.0).unwrap();
        }
        let mut state = plain.save().into_owned();
        late(&mut state, prefix);
        other.restore(state).unwrap();
        for (x, class, _) in &second {
            let [own, late] = [&mut plain, &mut other]
                .map(|pair| pair.learn(x.features(), *class, 1.0).unwrap().prediction.score);
            assert!((own - late).abs() < 1e-12 * (1.0 + own.abs()), "{own} {late}");
        }
        let clock = |pair: &Pair| pair.save().take_counts::<1>(&format!("{prefix}.clock")).unwrap()[0];
        assert_eq!((clock(&plain), clock(&other)), (120, 57));
    }
}

#[test]
fn damaged_ages_are_refused() {
    let refused = |text: &str, name: &str, tensor: Tensor<'static>| {
        let mut learner = pair(text, Task::Binary, 2);
        for (x, class, weight) in &examples(73, 2) {
            learner.learn(x.features(), *class, *weight).unwrap();
        }
        let mut state = learner.learner.save().into_owned();
        state.put(format!("store.{name}"), tensor);
        pair(text, Task::Binary, 2).learner.restore(state).unwrap_err().to_string()
    };
    let (cells, full) = ("arow:half-life=10", "arow/full:half-life=640");
    let late = refused(cells, "stamp", Tensor::U32(vec![0, 1, 99, 0, 0, 0, 0, 0, 0, 0, 0, 0].into()));
    assert!(late.contains("row 2 is of round 99, and the clock says 48"), "{late}");
    let short = refused(cells, "stamp", Tensor::U32(vec![0; 3].into()));
    assert!(short.contains("`stamp` has 3 numbers; expected 12"), "{short}");
    let beyond = refused(cells, "clock", Tensor::U64(vec![u64::from(u32::MAX)].into()));
    assert!(beyond.contains("`clock` is damaged"), "{beyond}");
    let passed = refused(full, "passed", Tensor::U64(vec![10].into()));
    assert!(passed.contains("10 rounds since it last forgot, which is every 10"), "{passed}");
    let strange = refused("arow", "clock", Tensor::U64(vec![3].into()));
    assert!(strange.contains("belongs to nothing"), "{strange}");
}

#[test]
fn a_spec_that_never_forgets_does_not_speak_of_it() {
    let text = |text: &str| Spec::parse(text).unwrap().text(Task::Binary).unwrap();
    assert!(!text("arow").contains("forget") && !text("arow:half-life=none").contains("half-life"));
    let own = text("arow:half-life=30,forget=inflate");
    assert!(own.contains("half-life=30") && own.contains("forget=inflate"), "{own}");
    assert_eq!(text(&own), own);
    let error = Spec::parse("arow:forget=inflate").unwrap_err().to_string();
    assert!(error.contains("forget=inflate says how to forget and needs a half-life"), "{error}");
    for wrong in ["half-life=0", "half-life=-1", "half-life=1.5", "half-life=inf", "half-life=1,forget=all"] {
        assert!(Spec::parse(&format!("arow:{wrong}")).is_err(), "{wrong}");
    }
    assert!(
        Spec::parse("pa/identity:half-life=3,forget=inflate").is_err(),
        "there is no variance to inflate"
    );
}

/// A change of everything that was true is learned sooner by what forgets, on every store.
#[test]
fn what_forgets_follows_a_change() {
    let mut data = many_class_stream(79, 2, 8, 800);
    data[400..].iter_mut().for_each(|(_, class)| *class = 1 - *class);
    for store in STORES {
        let text = |rest: &str| {
            format!("{}/{}:{rest}", if store.learns_covariance { "arow" } else { "pa1" }, store.name)
        };
        let kernel = if store.name == "kernel" { ",kernel=linear,budget=100" } else { "" };
        let wrong = |spec: String| {
            let mut learner = pair(&spec, Task::Binary, 2);
            let mut wrong = 0;
            for (i, (x, class)) in data.iter().enumerate() {
                let prediction = learner.learn(x.features(), *class, 1.0).unwrap().prediction;
                wrong += usize::from(i >= 400 && prediction.label != Some(*class));
            }
            wrong
        };
        let c = if store.learns_covariance { "r=1" } else { "c=0.01" };
        let (never, forgets) =
            (wrong(text(&format!("{c}{kernel}"))), wrong(text(&format!("{c}{kernel},half-life=50"))));
        assert!(forgets < never, "{}: {forgets} for {never}", store.name);
    }
}
