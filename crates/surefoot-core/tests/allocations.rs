//! No allocation per example after warm-up: votes and metrics reuse what they own.

// Counting allocations means to be the allocator, which is an unsafe trait; it only passes the calls on.
#![allow(unsafe_code)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use surefoot_core::metric::{ClassCounts, Confusion, METRICS, Outcome};
use surefoot_core::probability::Voter;

thread_local! {
    static ALLOCATIONS: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

fn count() {
    // While a thread ends its counter is gone, and nobody asks for it.
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
    let (mut voter, mut votes, mut top) = (Voter::new(), vec![0.0; 50], Vec::new());
    let mut round = || {
        voter.distribution(&means, &variances, &mut votes);
        voter.top(&means, &variances, 5, &mut top);
    };
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
            let outcome =
                Outcome { truth: i % 2, predicted: Some(i / 3 % 2), probabilities: &probabilities, score };
            metrics.iter_mut().for_each(|metric| metric.update(&outcome, 1.0));
            confusion.update(&outcome, 1.0);
            counts.update(&outcome, 1.0);
        }
    };
    // The bins of the ROC area take until they have overflowed twice to reach their size.
    stream(0..20_000);
    assert_eq!(allocations(|| stream(20_000..60_000)), 0);
}
