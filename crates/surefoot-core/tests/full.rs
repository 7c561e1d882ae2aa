//! The full store against its definition, Σ⁻¹ ← Σ⁻¹ + gain·xxᵀ, with a direct inverse each round.

mod common;

use common::{Random, pair_of, sparse, stream};
use nalgebra::{DMatrix, DVector};
use surefoot_core::rule::{RULES, Rule, Step};
use surefoot_core::store::{Full, Projection, Store};
use surefoot_core::{Error, SparseVec, Spec, Task, Vector};

/// μ and Σ⁻¹, nothing clever.
struct Direct {
    mean: DVector<f64>,
    precision: DMatrix<f64>,
}

impl Direct {
    fn new(d: usize, prior: f64) -> Self {
        Self { mean: DVector::zeros(d), precision: DMatrix::identity(d, d) / prior }
    }

    fn covariance(&self) -> DMatrix<f64> {
        self.precision.clone().try_inverse().expect("positive definite")
    }

    fn absorb(&mut self, x: &DVector<f64>, step: Step) {
        self.mean += self.covariance() * x * step.alpha;
        self.precision += x * x.transpose() * step.gain;
    }
}

fn dense(x: SparseVec<'_>, d: usize) -> DVector<f64> {
    let mut out = DVector::zeros(d);
    x.iter().for_each(|(i, value)| out[i] = value);
    out
}

fn close(a: f64, b: f64, tolerance: f64) -> bool {
    (a - b).abs() <= tolerance * (1.0 + a.abs().max(b.abs()))
}

fn each_rule(mut check: impl FnMut(&str, &dyn Rule)) {
    for rule in RULES {
        let spec = Spec::parse(&format!("{}/full", rule.name)).unwrap();
        check(rule.name, &*(rule.build)(&spec.params().unwrap()));
    }
}

#[test]
fn full_is_the_direct_inverse_for_every_rule() {
    let d = 40;
    each_rule(|name, rule| {
        let mut random = Random(5);
        let (mut direct, mut p) = (Direct::new(d, 0.5), Projection::default());
        let mut store = Full::with_delay(1, 0.5, 6);
        for round in 0..120 {
            let x = sparse(&mut random, d, if round % 2 == 0 { 5 } else { 40 });
            let (x, y) = (x.features(), if random.uniform() < 0.5 { 1.0 } else { -1.0 });
            p.ready = false;
            store.project(x, 0, &mut p);
            let full = dense(x, d);
            let (mean, variance) = (direct.mean.dot(&full), full.dot(&(direct.covariance() * &full)));
            assert!(close(p.mean, mean, 1e-8), "{name} round {round}: mean {} {mean}", p.mean);
            assert!(close(p.variance, variance, 1e-8), "{name} round {round}: {} {variance}", p.variance);
            // A bound on the gain keeps the oracle's own inverse accurate.
            let Some(step) = rule.checked_step(y * p.mean, p.variance, 1.0) else { continue };
            let step = Step { alpha: y * step.alpha.min(10.0), gain: step.gain.min(10.0) };
            store.absorb(x, 0, &mut p, step).unwrap();
            direct.absorb(&full, step);
        }
        let covariance = direct.covariance();
        for feature in 0..d {
            let weight = store.weight(feature, 0).unwrap();
            assert!(close(weight.mean, direct.mean[feature], 1e-8), "{name}");
            assert!(close(weight.variance, covariance[(feature, feature)], 1e-8), "{name}");
        }
    });
}

#[test]
fn the_variance_after_a_gain_is_what_absorbing_it_gives() {
    let mut random = Random(8);
    let (mut store, mut p) = (Full::new(1, 1.0), Projection::default());
    for round in 0..200 {
        let x = sparse(&mut random, 30, if round % 2 == 0 { 4 } else { 30 });
        store.project(x.features(), 0, &mut p);
        let gain = random.uniform() * 5.0;
        let expected = store.variance_after(x.features(), 0, &p, gain);
        store.absorb(x.features(), 0, &mut p, Step { alpha: 0.1, gain }).unwrap();
        store.project(x.features(), 0, &mut p);
        assert!(close(p.variance, expected, 1e-12), "round {round}: {} {expected}", p.variance);
    }
}

#[test]
fn gains_beyond_the_numbers_leave_no_variance_and_no_nan() {
    let (mut store, mut p) = (Full::new(1, 1e10), Projection::default());
    let x = Vector::from_pairs([(0, 1.0), (1, 1.0)]).unwrap();
    store.project(x.features(), 0, &mut p);
    let after = store.variance_after(x.features(), 0, &p, 1e300);
    assert!(after > 0.0 && after < 1e-290);
    store.absorb(x.features(), 0, &mut p, Step { alpha: 1e-12, gain: 1e300 }).unwrap();
    store.project(x.features(), 0, &mut p);
    assert!(p.variance < 1e-5 && p.mean.is_finite());
    let other = Vector::from_pairs([(0, 1.0), (1, -1.0)]).unwrap();
    store.project(other.features(), 0, &mut p);
    assert!(close(p.variance, 2e10, 1e-12));
}

#[test]
fn scores_say_what_projections_say() {
    let mut random = Random(2);
    let mut store = Full::new(3, 1.0);
    let mut p = Projection::default();
    for round in 0..300 {
        let x = sparse(&mut random, 64, if round % 3 == 0 { 60 } else { 6 });
        let (mut means, mut variances) = ([0.0; 3], [0.0; 3]);
        store.scores(x.features(), &mut means, Some(&mut variances), &mut Projection::default());
        for block in 0..3 {
            p.ready = false;
            store.project(x.features(), block, &mut p);
            assert_eq!((p.mean, p.variance), (means[block], variances[block]), "round {round}");
        }
        store.absorb(x.features(), 2, &mut p, Step { alpha: 0.2, gain: 0.5 }).unwrap();
    }
    assert_eq!(store.weight(0, 1).unwrap().variance, 1.0, "block 1 never learned");
}

#[test]
fn updates_that_wait_are_saved_as_they_are() {
    let train = stream(4, 50, 90, 0.1);
    for cut in 40..60 {
        let spec = Spec::parse("arow/full").unwrap();
        let mut straight = pair_of(&spec, Task::Binary, 2);
        let mut resumed = pair_of(&spec, Task::Binary, 2);
        for (i, (x, class)) in train.iter().enumerate() {
            straight.learn(x.features(), *class, 1.0).unwrap();
            resumed.learn(x.features(), *class, 1.0).unwrap();
            if i == cut {
                let saved = resumed.save().into_owned();
                resumed = pair_of(&spec, Task::Binary, 2);
                resumed.restore(saved).unwrap();
            }
        }
        assert_eq!(straight.save(), resumed.save(), "cut after {cut}");
    }
}

#[test]
fn a_damaged_state_is_refused() {
    use surefoot_core::state::Tensor;
    let (mut store, mut p) = (Full::with_delay(2, 1.0, 4), Projection::default());
    let x = Vector::from_dense(&[1.0, 2.0, 3.0]).unwrap();
    store.project(x.features(), 1, &mut p);
    store.absorb(x.features(), 1, &mut p, Step { alpha: 1.0, gain: 1.0 }).unwrap();
    assert_eq!(Full::new(0, 1.0).restore(store.save(), 2), Ok(()));
    assert!(matches!(Full::new(0, 1.0).restore(store.save(), 3), Err(Error::State(_))));
    let damages = [
        ("features", Tensor::U64(vec![0, 4].into())),
        ("features", Tensor::U64(vec![0, u64::MAX].into())),
        ("features", Tensor::U64(vec![3].into())),
        ("waiting", Tensor::U64(vec![0, 0].into())),
        ("waiting", Tensor::U64(vec![u64::MAX, 1].into())),
        ("mean", Tensor::F64(vec![0.0; 4].into())),
        ("covariance", Tensor::F64(vec![f64::NAN; 6].into())),
        ("column", Tensor::F64(vec![].into())),
        ("beta", Tensor::U32(vec![1].into())),
        ("shrink", Tensor::F64(vec![0.0].into())),
        ("guest", Tensor::F64(vec![].into())),
    ];
    for (name, tensor) in damages {
        let mut state = store.save();
        state.put(name, tensor.clone());
        assert!(matches!(Full::new(0, 1.0).restore(state, 2), Err(Error::State(_) | Error::TooLarge { .. })));
    }
}

#[test]
fn too_many_features_are_refused_before_anything_is_allocated() {
    let (mut store, mut p) = (Full::new(1, 1.0), Projection::default());
    let far = Vector::from_pairs([(8192, 1.0)]).unwrap();
    store.project(far.features(), 0, &mut p);
    assert_eq!(p.variance, 1.0);
    let error = store.absorb(far.features(), 0, &mut p, Step { alpha: 1.0, gain: 1.0 }).unwrap_err();
    assert_eq!(
        error.to_string(),
        "the features of a full covariance would need 8193, the limit is 8192; use the factored or the \
         diagonal store"
    );
    assert_eq!(store.weight(0, 0).unwrap().variance, 1.0);
    assert_eq!(store.save(), Full::new(1, 1.0).save());
}
