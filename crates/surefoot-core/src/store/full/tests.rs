use proptest::prelude::*;

use super::*;
use crate::Vector;

const D: usize = 21;

/// Examples of which about two thirds of the values are zero, and their gains.
fn updates(most: usize) -> impl Strategy<Value = Vec<(Vec<f64>, f64)>> {
    let value = prop_oneof![2 => Just(0.0), 1 => -2.0..2.0];
    prop::collection::vec((prop::collection::vec(value, D), 0.01..10.0), 1..most)
}

fn learned(updates: &[(Vec<f64>, f64)], delay: usize) -> FullBlock {
    let mut block = FullBlock::default();
    block.grow(D, 0.7);
    for (x, gain) in updates {
        let mut image = Vec::new();
        let v = block.image_dense(x, &mut image);
        block.narrow(TriangleView::Dense(x), &image, v, *gain, Some(delay));
    }
    block
}

proptest! {
    #[test]
    fn the_sparse_path_and_the_dense_path_have_the_same_bits(past in updates(9), now in updates(2)) {
        let block = learned(&past, 4);
        let dense = &now[0].0;
        let owned = Vector::from_dense(dense).unwrap();
        let (sparse, dense) = (TriangleView::Sparse(owned.features()), TriangleView::Dense(dense));
        prop_assert_eq!(block.variance(sparse), block.variance(dense));
        let (mut one, mut other) = (Vec::new(), Vec::new());
        block.image(sparse, &mut one);
        block.image(dense, &mut other);
        prop_assert_eq!(one, other);
    }

    #[test]
    fn the_variance_of_a_dense_image_is_that_of_an_early_exit(past in updates(9), now in updates(2)) {
        let block = learned(&past, 4);
        let variance = block.image_dense(&now[0].0, &mut Vec::new());
        prop_assert_eq!(variance, block.variance(TriangleView::Dense(&now[0].0)));
    }

    #[test]
    fn a_delayed_flush_is_the_immediate_update(past in updates(40)) {
        let (at_once, late) = (learned(&past, 1), learned(&past, 7));
        for feature in 0..D {
            let (a, b) = (at_once.variance_of(feature), late.variance_of(feature));
            prop_assert!((a - b).abs() <= 1e-12, "{} {}", a, b);
        }
        for (x, _) in &past {
            let (a, b) = (at_once.variance(TriangleView::Dense(x)), late.variance(TriangleView::Dense(x)));
            prop_assert!((a - b).abs() <= 1e-12, "{} {}", a, b);
        }
    }
}

/// Along one feature the immediate update loses nothing, however far the variance falls. Waiting columns would.
#[test]
fn updates_that_shrink_a_variance_a_lot_do_not_wait() {
    let mut x = vec![0.0; D];
    x[3] = 2.0;
    let mut block = learned(&[(vec![1.0; D], 1.0)], 7);
    assert_eq!(block.betas.len(), 1);
    for power in 1..30 {
        let mut image = Vec::new();
        let v = block.image_dense(&x, &mut image);
        let gain = 1e3 / v;
        block.narrow(TriangleView::Dense(&x), &image, v, gain, Some(7));
        let ratio = block.variance(TriangleView::Dense(&x)) / shrunk(v, gain);
        assert!((ratio - 1.0).abs() < 1e-6, "after {power} steps the variance is off by {ratio}");
    }
}

#[test]
fn a_block_grows_under_waiting_columns() {
    let past = vec![(vec![1.0; D], 1.0), (vec![-0.5; D], 2.0)];
    let mut block = learned(&past, 7);
    let before = block.variance(TriangleView::Dense(&[1.0; D]));
    block.grow(D + 5, 0.7);
    let mut wider = vec![1.0; D];
    wider.resize(D + 5, 2.0);
    let expected = before + 5.0 * 0.7 * 4.0;
    assert!((block.variance(TriangleView::Dense(&wider)) - expected).abs() < 1e-12);
}
