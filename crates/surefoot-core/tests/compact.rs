//! The compact store: what the diagonal one learns, to single precision, and its ends of the range.

mod common;

use common::{Pair, many_class_stream, pair, pair_of, stream};
use surefoot_core::rule::{RULES, Step};
use surefoot_core::state::Tensor;
use surefoot_core::store::{Projection, STORES, Store};
use surefoot_core::{Spec, Task, Vector};

fn learned(text: &str, task: Task, train: &[(Vector, usize)]) -> Pair {
    let mut learner = pair(text, task, 4);
    train.iter().for_each(|(x, class)| _ = learner.learn(x.features(), *class, 1.0).unwrap());
    learner
}

/// Beside the largest mean of all: one near zero is what is left when larger steps cancel.
fn assert_near(name: &str, compact: &Pair, diagonal: &Pair, features: usize) {
    let weights = |learner: &Pair| -> Vec<_> {
        let blocks = 0..learner.classes();
        blocks
            .flat_map(|b| (0..features).map(move |f| (f, b)))
            .filter_map(|(f, b)| learner.store().weight(f, b))
            .collect()
    };
    let (ours, theirs) = (weights(compact), weights(diagonal));
    let scale = theirs.iter().map(|w| w.mean.abs()).fold(0.0, f64::max);
    assert!(ours.len() == theirs.len() && scale > 0.0, "{name}");
    for (a, b) in ours.iter().zip(&theirs) {
        assert!((a.mean - b.mean).abs() <= 1e-5 * scale, "{name}: {a:?} beside {b:?}");
        assert!((a.variance / b.variance - 1.0).abs() <= 1e-5, "{name}: {a:?} beside {b:?}");
    }
}

#[test]
fn it_learns_what_the_diagonal_store_learns() {
    let (two, many) = (stream(5, 12, 300, 0.1), many_class_stream(5, 4, 8, 300));
    for rule in RULES {
        // A perceptron steps by the sign of a score, which may be that of a rounding.
        for projection in ["precision", "covariance"].iter().filter(|_| rule.name != "perceptron") {
            let text = |store: &str| format!("{}/{store}:projection={projection}", rule.name);
            let (compact, diagonal) = (text("compact"), text("diagonal"));
            let two = |text: &str| learned(text, Task::Binary, &two);
            assert_near(&compact, &two(&compact), &two(&diagonal), 12);
            let many = |text: &str| learned(text, Task::Multiclass, &many);
            assert_near(&compact, &many(&compact), &many(&diagonal), 8);
        }
    }
}

#[test]
fn a_prior_that_has_no_single_precision_is_the_prior_of_every_untouched_weight() {
    let learner = learned("arow/compact:prior=0.1", Task::Binary, &[]);
    let weight = learner.store().weight(3, 0).unwrap();
    assert_eq!(weight.variance, weight.prior);
    assert!(weight.prior != 0.1 && (weight.prior - 0.1).abs() < 1e-8);
}

fn store(prior: &str) -> Box<dyn Store> {
    let spec = Spec::parse(&format!("arow/compact:prior={prior}")).unwrap();
    let shape = surefoot_core::store::Shape { blocks: 1, all_touched: false };
    (spec.store().build)(&spec.params().unwrap(), shape).unwrap()
}

fn absorb(store: &mut dyn Store, x: &Vector, alpha: f64, gain: f64) {
    let mut p = Projection::default();
    store.project(x.features(), 0, &mut p);
    store.absorb(x.features(), 0, &mut p, Step { alpha, gain }).unwrap();
}

#[test]
fn a_variance_never_dies_and_a_mean_never_leaves_the_range() {
    let x = Vector::from_pairs([(0, 1e10), (1, -1e10)]).unwrap();
    let mut store = store("1");
    (0..40).for_each(|_| absorb(&mut *store, &x, 1e5, 1e280));
    let weight = store.weight(0, 0).unwrap();
    assert_eq!(weight.variance, f64::from(f32::MIN_POSITIVE));
    // It can still move.
    absorb(&mut *store, &x, 1e60, 0.0);
    assert!(store.weight(0, 0).unwrap().mean > weight.mean);
    absorb(&mut *store, &x, 1e300, 0.0);
    let ends = [store.weight(0, 0).unwrap().mean, store.weight(1, 0).unwrap().mean];
    assert_eq!(ends, [f64::from(f32::MAX), f64::from(f32::MIN)]);
}

#[test]
fn priors_beyond_the_range_are_held_at_its_ends() {
    for (prior, kept) in [("1e-200", f32::MIN_POSITIVE), ("1e200", f32::MAX)] {
        assert_eq!(store(prior).weight(0, 0).unwrap().prior, f64::from(kept), "{prior}");
    }
}

#[test]
fn values_of_any_size_leave_numbers() {
    let sizes = [1e-300, 1e-40, 1e-20, 1.0, 1e18, 1e40, 1e150, 1e300];
    for rule in RULES {
        for projection in ["precision", "covariance"] {
            let text = format!("{}/compact:projection={projection}", rule.name);
            let mut learner = learned(&text, Task::Binary, &[]);
            for round in 0..400 {
                let pairs = [(0, sizes[round % 8]), (1, 1.0), (2, -sizes[(round / 8) % 8])];
                let x = Vector::from_pairs(pairs).unwrap();
                learner.learn(x.features(), round % 2, 1.0).unwrap();
            }
            for weight in (0..3).filter_map(|feature| learner.store().weight(feature, 0)) {
                assert!(weight.mean.is_finite() && weight.variance.is_finite(), "{text}: {weight:?}");
                assert!(weight.variance > 0.0, "{text}: {weight:?}");
            }
        }
    }
}

#[test]
fn a_damaged_state_is_refused() {
    let spec = Spec::parse("arow/compact").unwrap();
    let sound = learned("arow/compact", Task::Binary, &stream(3, 4, 20, 0.0));
    let damaged = |tensor: Tensor<'static>| {
        let mut state = sound.learner.save();
        state.put("store.cells", tensor);
        pair_of(&spec, Task::Binary, 2).learner.restore(state).map_err(|error| error.to_string())
    };
    let cells = sound.learner.save().take_f32("store.cells").unwrap();
    let with = |place: usize, number: f32| {
        let mut cells = cells.clone();
        cells[place] = number;
        damaged(Tensor::F32(cells.into()))
    };
    assert!(damaged(Tensor::F32(cells.clone().into())).is_ok());
    assert!(with(0, f32::NAN).unwrap_err().contains("NaN"));
    assert!(with(3, f32::INFINITY).unwrap_err().contains("inf"));
    assert!(with(1, -1.0).unwrap_err().contains("negative variance"));
    assert!(damaged(Tensor::F32(cells[1..].to_vec().into())).unwrap_err().contains("another size"));
    let doubles = cells.iter().map(|&x| f64::from(x)).collect();
    assert!(damaged(Tensor::F64(doubles)).unwrap_err().contains("another kind"));
}

#[test]
fn its_parameters_are_those_of_the_diagonal_store() {
    let names = |name: &str| -> Vec<&str> {
        let store = STORES.iter().find(|store| store.name == name).unwrap();
        store.params.iter().map(|param| param.name).collect()
    };
    assert_eq!(names("compact"), names("diagonal"));
}
