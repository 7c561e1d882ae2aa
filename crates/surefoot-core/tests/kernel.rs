//! The kernel store: [ECCW] Theorem 2 (corrected, ERRATA E7 and E8), and what the budget does.

mod common;

use common::{Pair, Random, pair, pair_of, sparse, stream};
use nalgebra::{DMatrix, DVector};
use surefoot_core::rule::{RULES, Step};
use surefoot_core::store::{Dual, Full, Kernel, Projection, Store};
use surefoot_core::{Error, SparseVec, Spec, Task, Vector};

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

/// Both learners see the same stream, the second through `map`; scores, variances and decisions must agree.
fn agree(one: &str, other: &str, data: &[(Vector, usize)], map: impl Fn(&Vector) -> Vector) {
    let build = |spec: &str| pair(spec, Task::Binary, 2);
    let (mut dual, mut primal) = (build(one), build(other));
    for (round, (x, class)) in data.iter().enumerate() {
        let mapped = map(x);
        let a = dual.learn(x.features(), *class, 1.0).unwrap();
        let b = primal.learn(mapped.features(), *class, 1.0).unwrap();
        let (p, q) = (a.prediction, b.prediction);
        assert!(close(p.score, q.score, 1e-8), "{one} round {round}: {} {}", p.score, q.score);
        assert!(close(p.variance, q.variance, 1e-8), "{one} round {round}: {} {}", p.variance, q.variance);
        assert_eq!(a.updated, b.updated, "{one} round {round}");
    }
}

#[test]
fn the_linear_kernel_is_the_full_store_for_every_rule() {
    let mut random = Random(3);
    let mut data = stream(9, 12, 120, 0.1);
    data.extend((0..120).map(|i| (sparse(&mut random, 25, 6), i % 2)));
    for rule in RULES {
        let full = format!("{}/full:prior=0.8", rule.name);
        let kernel = format!("{}/kernel:kernel=linear,prior=0.8", rule.name);
        agree(&kernel, &full, &data, Vector::clone);
    }
}

#[test]
fn a_quadratic_kernel_is_the_full_store_on_explicit_features() {
    let data = stream(21, 4, 200, 0.1);
    let (gamma, coef0): (f64, f64) = (0.5, 1.5);
    // (γ·x·z + c)² = Σ γ²(x_i x_j)(z_i z_j) + Σ 2γc·x_i z_i + c².
    let explicit = |x: &Vector| {
        let x: Vec<f64> = x.features().values().to_vec();
        let pairs = x.iter().flat_map(|a| x.iter().map(move |b| gamma * a * b));
        let singles = x.iter().map(|a| (2.0 * gamma * coef0).sqrt() * a);
        Vector::from_dense(&pairs.chain(singles).chain([coef0]).collect::<Vec<_>>()).unwrap()
    };
    for rule in RULES {
        let kernel = format!("{}/kernel:kernel=poly,gamma={gamma},coef0={coef0}", rule.name);
        agree(&kernel, &format!("{}/full", rule.name), &data, explicit);
    }
}

#[test]
fn weights_exist_for_the_linear_kernel_only() {
    let (mut full, mut dual) = (Full::new(1, 0.5), Dual::new(1, 0.5, Kernel::Linear, 100).unwrap());
    let (mut p, mut q) = (Projection::default(), Projection::default());
    let mut random = Random(4);
    for _ in 0..40 {
        let x = sparse(&mut random, 10, 4);
        let step = Step { alpha: random.normal(), gain: random.uniform() };
        full.project(x.features(), 0, &mut p);
        full.absorb(x.features(), 0, &mut p, step).unwrap();
        dual.project(x.features(), 0, &mut q);
        dual.absorb(x.features(), 0, &mut q, step).unwrap();
    }
    for feature in 0..12 {
        let (a, b) = (full.weight(feature, 0).unwrap(), dual.weight(feature, 0).unwrap());
        assert!(close(a.mean, b.mean, 1e-10) && close(a.variance, b.variance, 1e-10), "{a:?} {b:?}");
    }
    assert_eq!(Dual::new(1, 0.5, Kernel::Rbf { gamma: 1.0 }, 100).unwrap().weight(0, 0), None);
}

#[test]
fn an_example_that_is_a_support_already_takes_no_new_place() {
    let x = Vector::from_dense(&[1.0, 2.0]).unwrap();
    let twice = Vector::from_dense(&[2.0, 4.0]).unwrap();
    let mut dual = Dual::new(1, 1.0, Kernel::Linear, 10).unwrap();
    let mut p = Projection::default();
    for _ in 0..5 {
        dual.project(x.features(), 0, &mut p);
        let after = dual.variance_after(x.features(), 0, &p, 0.3);
        dual.absorb(x.features(), 0, &mut p, Step { alpha: 0.1, gain: 0.3 }).unwrap();
        dual.project(x.features(), 0, &mut p);
        assert!(close(p.variance, after, 1e-12));
    }
    assert_eq!(dual.supports(0), 1);
    dual.project(twice.features(), 0, &mut p);
    assert!(close(p.variance, 20.0 / (1.0 + 5.0 * 0.3 * 5.0), 1e-12), "{}", p.variance);
}

/// The support examples of the only block, from the saved state.
fn supports(store: &Dual, d: usize) -> DMatrix<f64> {
    use surefoot_core::state::Tensor;
    let state = store.save();
    match state.iter().find(|(name, _)| *name == "value") {
        Some((_, Tensor::F64(values))) => DMatrix::from_column_slice(d, values.len() / d, values),
        other => panic!("no values in the state: {other:?}"),
    }
}

fn moments(store: &Dual, x: &DVector<f64>) -> (f64, f64) {
    let mut p = Projection::default();
    store.project(Vector::from_dense(x.as_slice()).unwrap().features(), 0, &mut p);
    (p.mean, p.variance)
}

/// With P the projection on what is kept, μ becomes Pμ and Σ becomes PΣP + a(I − P).
#[test]
fn forgetting_keeps_all_scores_in_the_span_of_the_rest() {
    let (d, budget, prior) = (9, 5, 0.7);
    let mut random = Random(12);
    let new = |budget| Dual::new(1, prior, Kernel::Linear, budget).unwrap();
    let (mut roomy, mut tight) = (new(100), new(budget));
    let mut p = Projection::default();
    for round in 0..60 {
        let before = tight.clone();
        let x = Vector::from_dense(&random.dense(d)).unwrap();
        let step = Step { alpha: random.normal(), gain: random.uniform() * 3.0 };
        tight.project(x.features(), 0, &mut p);
        tight.absorb(x.features(), 0, &mut p, step).unwrap();
        roomy.restore(before.save(), 1).unwrap();
        roomy.project(x.features(), 0, &mut p);
        roomy.absorb(x.features(), 0, &mut p, step).unwrap();
        let kept = supports(&tight, d);
        assert_eq!(kept.ncols(), budget.min(round + 1));
        let weights = DVector::from_vec(random.dense(kept.ncols()));
        let (inside, anywhere) = (&kept * weights, DVector::from_vec(random.dense(d)));
        let (a, b) = (moments(&tight, &inside), moments(&roomy, &inside));
        // The inverse that projects has a ridge of a millionth.
        assert!(close(a.0, b.0, 1e-4) && close(a.1, b.1, 1e-4), "round {round}: {a:?} {b:?}");
        let projector = &kept * kept.clone().pseudo_inverse(1e-12).unwrap();
        let outside = &anywhere - projector * &anywhere;
        let (mean, variance) = moments(&tight, &outside);
        assert!(mean.abs() < 1e-9, "round {round}");
        assert!(close(variance, prior * outside.norm_squared(), 1e-9), "round {round}");
    }
}

/// The explicit space has 15 dimensions, so 25 supports span it and nothing is lost but digits.
#[test]
fn a_budget_that_spans_the_space_costs_no_mistakes() {
    let data = stream(21, 4, 600, 0.2);
    for rule in RULES {
        let mistakes = |store: &str| {
            let text = format!("{}/kernel:kernel=poly,gamma=0.5{store}", rule.name);
            let mut learner = pair(&text, Task::Binary, 2);
            let wrong = |(x, class): &&(Vector, usize)| {
                learner.learn(x.features(), *class, 1.0).unwrap().prediction.label != Some(*class)
            };
            data.iter().filter(wrong).count() as f64
        };
        let (roomy, tight) = (mistakes(""), mistakes(",budget=25"));
        assert!(tight <= 1.05 * roomy, "{}: {roomy} mistakes, {tight} in the budget", rule.name);
    }
}

#[test]
fn a_budget_is_kept_and_variances_stay_positive_on_noise() {
    let data = stream(31, 5, 1500, 0.25);
    for rule in RULES {
        for kernel in ["linear", "poly", "rbf"] {
            let text = format!("{}/kernel:kernel={kernel},gamma=0.3,budget=40", rule.name);
            let mut learner = pair(&text, Task::Binary, 2);
            for (x, class) in &data {
                let round = learner.learn(x.features(), *class, 1.0).unwrap();
                let (score, variance) = (round.prediction.score, round.prediction.variance);
                assert!(score.is_finite() && variance.is_finite() && variance > 0.0, "{text}: {variance}");
            }
            assert!(support_count(&learner) <= 40, "{text}");
        }
    }
}

fn support_count(learner: &Pair) -> usize {
    use surefoot_core::state::Tensor;
    let state = learner.save();
    match state.iter().find(|(name, _)| *name == "learner.store.nu") {
        Some((_, Tensor::F64(nu))) => nu.len(),
        other => panic!("no ν in the state: {other:?}"),
    }
}

#[test]
fn the_oldest_of_the_least_supports_is_forgotten() {
    let mut dual = Dual::new(1, 1.0, Kernel::Linear, 2).unwrap();
    let mut p = Projection::default();
    for (feature, alpha) in [(0, 0.5), (1, 0.5), (2, 0.8), (3, 0.1)] {
        let x = Vector::from_pairs([(feature, 1.0)]).unwrap();
        dual.project(x.features(), 0, &mut p);
        dual.absorb(x.features(), 0, &mut p, Step { alpha, gain: 1.0 }).unwrap();
    }
    // 0 leaves for 2: a tie with 1, but older. 3 changes the mean least of all, so it does not stay.
    let means: Vec<f64> = (0..4).map(|f| dual.weight(f, 0).unwrap().mean).collect();
    assert_eq!(means, [0.0, 0.5, 0.8, 0.0]);
    assert_eq!(dual.weight(0, 0).unwrap().variance, 1.0, "back at the prior");
}

#[test]
fn blocks_are_apart_and_scores_say_what_projections_say() {
    let mut random = Random(6);
    let mut dual = Dual::new(1, 1.0, Kernel::Rbf { gamma: 0.2 }, 20).unwrap();
    dual.grow(3).unwrap();
    let mut p = Projection::default();
    for round in 0..100 {
        let x = sparse(&mut random, 8, 5);
        let (mut means, mut variances) = ([0.0; 3], [0.0; 3]);
        dual.scores(x.features(), &mut means, Some(&mut variances), &mut p);
        let mut alone = [0.0; 3];
        dual.scores(x.features(), &mut alone, None, &mut p);
        assert_eq!(means, alone);
        for block in 0..3 {
            dual.project(x.features(), block, &mut p);
            assert_eq!((p.mean, p.variance), (means[block], variances[block]), "round {round}");
        }
        // The image of block 2 is not built by `scores`; the other way round it is taken over.
        p.ready = round % 2 == 0;
        dual.absorb(x.features(), 2, &mut p, Step { alpha: 0.2, gain: 0.5 }).unwrap();
    }
    assert_eq!((0..3).map(|b| dual.supports(b)).collect::<Vec<_>>(), [0, 0, 20]);
}

#[test]
fn a_save_in_the_middle_changes_nothing_with_a_full_budget() {
    let data = stream(17, 6, 200, 0.2);
    let spec = Spec::parse("arow/kernel:budget=15,gamma=0.1").unwrap();
    let (mut straight, mut resumed) = (pair_of(&spec, Task::Binary, 2), pair_of(&spec, Task::Binary, 2));
    for (i, (x, class)) in data.iter().enumerate() {
        straight.learn(x.features(), *class, 1.0).unwrap();
        resumed.learn(x.features(), *class, 1.0).unwrap();
        if i % 20 == 10 {
            let saved = resumed.save().into_owned();
            resumed = pair_of(&spec, Task::Binary, 2);
            resumed.restore(saved).unwrap();
        }
    }
    assert_eq!(straight.save(), resumed.save());
}

#[test]
fn a_damaged_state_is_refused() {
    use surefoot_core::state::Tensor;
    let fresh = || Dual::new(0, 1.0, Kernel::Linear, 3).unwrap();
    let (mut dual, mut p) = (Dual::new(2, 1.0, Kernel::Linear, 3).unwrap(), Projection::default());
    for values in [[1.0, 2.0], [3.0, 4.0]] {
        let x = Vector::from_dense(&values).unwrap();
        dual.project(x.features(), 1, &mut p);
        dual.absorb(x.features(), 1, &mut p, Step { alpha: 1.0, gain: 1.0 }).unwrap();
    }
    assert_eq!(fresh().restore(dual.save(), 2), Ok(()));
    let damages = [
        ("supports", Tensor::U64(vec![0, 3].into())),
        ("supports", Tensor::U64(vec![1, 1].into())),
        ("supports", Tensor::U64(vec![0, u64::MAX].into())),
        ("length", Tensor::U32(vec![2, u32::MAX].into())),
        ("length", Tensor::U32(vec![2, 1].into())),
        ("id", Tensor::U32(vec![0, 1, 1, 1].into())),
        ("id", Tensor::U32(vec![0, 1, 1, 0].into())),
        ("value", Tensor::F64(vec![1.0, 2.0, 3.0, f64::INFINITY].into())),
        ("nu", Tensor::F64(vec![1.0, 2.0, 3.0].into())),
        ("pi", Tensor::F64(vec![f64::NAN; 3].into())),
        ("inverse", Tensor::F64(vec![1.0, 0.0, -1.0].into())),
        ("guest", Tensor::F64(vec![].into())),
    ];
    for (name, tensor) in damages {
        let mut state = dual.save();
        state.put(name, tensor.clone());
        assert!(matches!(fresh().restore(state, 2), Err(Error::State(_))), "{name}: {tensor:?}");
    }
}

#[test]
fn a_budget_without_end_is_refused() {
    let error = Spec::parse("arow/kernel:budget=1000000").unwrap().build(Task::Binary, 2).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the support examples of a kernel would need 1000000, the limit is 8192; lower `budget`"
    );
}

#[test]
fn values_whose_kernel_overflows_make_no_step() {
    let mut learner = pair("arow/kernel:kernel=poly,degree=9", Task::Binary, 2);
    let huge = SparseVec::new(&[0], &[1e200]).unwrap();
    assert!(!learner.learn(huge, 1, 1.0).unwrap().updated);
    let usual = SparseVec::new(&[0], &[1.0]).unwrap();
    learner.learn(usual, 0, 1.0).unwrap();
    assert!(!learner.learn(huge, 1, 1.0).unwrap().updated);
    assert_eq!(learner.predict(usual).label, Some(0));
}
