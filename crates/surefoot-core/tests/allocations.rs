//! No allocation per example after warm-up: learners, votes and metrics reuse what they own.

// Counting allocations means to be the allocator, which is an unsafe trait; it only passes the calls on.
#![allow(unsafe_code)]

mod common;

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use common::{Pair, many_class_stream, pair, pair_of, stream};
use surefoot_core::Target;
use surefoot_core::metric::{ClassCounts, Confusion, METRICS, Outcome};
use surefoot_core::probability::Voter;
use surefoot_core::rule::RULES;
use surefoot_core::store::{STORES, StoreSpec};
use surefoot_core::transform::SCALINGS;
use surefoot_core::{Spec, Task, Vector};

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // While a thread ends its counter is gone, and its allocations no longer matter.
    let _ = ALLOCATIONS.try_with(|n| n.set(n.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        unsafe { System.alloc(layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
        unsafe { System.realloc(pointer, layout, size) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// How often `run` allocates on this thread.
fn allocations(run: impl FnOnce()) -> u64 {
    let before = ALLOCATIONS.get();
    run();
    ALLOCATIONS.get() - before
}

#[test]
fn the_counter_counts() {
    assert_eq!(allocations(|| drop(std::hint::black_box(vec![1.0; 10]))), 1);
}

#[test]
fn votes_allocate_nothing() {
    let means: Vec<f64> = (0..50).map(|k| f64::from(k % 7) * 0.3).collect();
    let variances: Vec<f64> = (0..50).map(|k| f64::from(k % 5) * 0.5).collect();
    let (mut voter, mut votes) = (Voter::new(), vec![0.0; 50]);
    let mut round = || voter.distribution(&means, &variances, &mut votes);
    round();
    assert_eq!(allocations(|| (0..100).for_each(|_| round())), 0);
}

#[test]
fn metrics_allocate_nothing() {
    let mut metrics: Vec<_> = METRICS.iter().map(|spec| (spec.build)()).collect();
    let (mut confusion, mut counts) = (Confusion::default(), ClassCounts::default());
    let mut stream = |rounds: std::ops::Range<usize>| {
        for i in rounds {
            let score = (i as f64 * 0.618).fract();
            let probabilities = [1.0 - score, score];
            let outcome = Outcome {
                truth: Target::Class(i % 2),
                predicted: Some(i / 3 % 2),
                probabilities: &probabilities,
                score,
                labels: &[],
            };
            metrics.iter_mut().for_each(|metric| metric.update(&outcome, 1.0));
            confusion.update(&outcome, 1.0);
            counts.update(&outcome, 1.0);
        }
    };
    // The bins of the ROC area take until they have overflowed twice to reach their size.
    stream(0..20_000);
    assert_eq!(allocations(|| stream(20_000..60_000)), 0);
}

/// Every store whose rounds are all alike: kernel stores gather examples, factored ones compress every so many updates.
fn stores() -> impl Iterator<Item = &'static &'static StoreSpec> {
    STORES.iter().filter(|store| !["kernel", "factored"].contains(&store.name))
}

fn assert_quiet(name: &str, learner: &mut Pair, examples: &[(Vector, usize)]) {
    let mut learn = |part: &[(Vector, usize)]| {
        for (x, class) in part {
            learner.learn(x.features(), *class, 1.0).unwrap();
        }
    };
    let (warm_up, rest) = examples.split_at(examples.len() / 2);
    learn(warm_up);
    let count = allocations(|| learn(rest));
    assert_eq!(count, 0, "{name}: {count} allocations in {} rounds", rest.len());
}

#[test]
fn binary_rounds_do_not_allocate() {
    let examples = stream(3, 12, 400, 0.1);
    for rule in RULES {
        for store in stores() {
            let text = format!("{}/{}", rule.name, store.name);
            let mut learner = pair(&text, Task::Binary, 2);
            assert_quiet(&text, &mut learner, &examples);
        }
    }
}

#[test]
fn rounds_of_ensembles_do_not_allocate() {
    let (two, many) = (stream(3, 12, 400, 0.1), many_class_stream(5, 6, 12, 400));
    for text in ["auto", "ensemble(arow@none; arow/full@sqrt+l2; logistic@none)"] {
        assert_quiet(text, &mut pair(text, Task::Binary, 2), &two);
        assert_quiet(text, &mut pair(text, Task::Multiclass, 6), &many);
    }
}

#[test]
fn rounds_of_members_with_scalings_do_not_allocate() {
    let (two, many) = (stream(3, 12, 400, 0.1), many_class_stream(5, 6, 12, 400));
    for scaling in SCALINGS {
        let name = scaling.name;
        let text = format!("ensemble(arow:per-row=true@{name}+l2; arow/full@{name}; scw1@{name}; arow@none)");
        assert_quiet(&text, &mut pair(&text, Task::Binary, 2), &two);
        assert_quiet(&text, &mut pair(&text, Task::Multiclass, 6), &many);
    }
}

#[test]
fn rounds_that_forget_do_not_allocate() {
    let (two, many) = (stream(3, 12, 400, 0.1), many_class_stream(5, 6, 12, 400));
    for text in [
        "arow:half-life=50",
        "cw-var/compact:half-life=50,forget=inflate",
        "pa1/identity:half-life=50",
        "ensemble(arow:half-life=50@none; logistic@sqrt+l2)",
    ] {
        assert_quiet(text, &mut pair(text, Task::Binary, 2), &two);
        assert_quiet(text, &mut pair(text, Task::Multiclass, 6), &many);
    }
}

#[test]
fn a_kernel_does_not_allocate_once_its_budget_is_full() {
    let examples = stream(3, 12, 400, 0.3);
    for rule in RULES {
        let text = format!("{}/kernel:budget=20", rule.name);
        let mut learner = pair(&text, Task::Binary, 2);
        assert_quiet(&text, &mut learner, &examples);
    }
}

#[test]
fn many_class_rounds_do_not_allocate() {
    let examples = many_class_stream(5, 6, 12, 400);
    for rule in RULES {
        for store in stores() {
            for schedule in ["sequential", "parallel", "exact", "one-vs-rest"] {
                for rest in ["top=1", "top=3", "top=all,decision=vote"] {
                    let text = format!("{}/{}:schedule={schedule},{rest}", rule.name, store.name);
                    // Not every rule has an exact update.
                    let Ok(spec) = Spec::parse(&text) else { continue };
                    let mut learner = pair_of(&spec, Task::Multiclass, 6);
                    assert_quiet(&text, &mut learner, &examples);
                }
            }
        }
    }
}
