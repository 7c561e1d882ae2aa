//! The baselines of the papers against their textbook definitions.

use nalgebra::{DMatrix, DVector};
use surefoot_core::Task;

use crate::common::{Random, pair, sparse, stream};
use crate::dense::{dense, inverse, sign};

#[test]
fn the_second_order_perceptron_is_its_textbook_definition() {
    let (d, a) = (6, 2.0);
    // The textbook's a is the start of the matrix A; ours is that of A⁻¹.
    let mut learner = pair(&format!("sop/full:floor=0,prior={}", 1.0 / a), Task::Binary, 2);
    let mut matrix = DMatrix::identity(d, d) * a;
    let mut sum = DVector::zeros(d);
    let mut mistakes = 0;
    for (x, class) in stream(61, d, 400, 0.1) {
        let dense_x = dense(&x, d);
        // Predict with the current instance in the matrix ...
        let with_current = &matrix + &dense_x * dense_x.transpose();
        let score = (inverse(&with_current) * &sum).dot(&dense_x);
        let round = learner.learn(x.features(), class, 1.0).unwrap();
        let (mean, v) = (round.prediction.score, round.prediction.variance);
        assert!((mean / (1.0 + v) - score).abs() < 1e-9, "{mean} / (1 + {v}) is not {score}");
        // ... and learn from mistakes only; a score of 0 with no sign is a mistake too.
        let mistake = sign(class) * score <= 0.0;
        assert_eq!(round.updated, mistake);
        if mistake {
            (matrix, sum) = (with_current, sum + dense_x * sign(class));
            mistakes += 1;
        }
    }
    assert!((20..200).contains(&mistakes), "{mistakes}");
}

#[test]
fn a_weighted_mistake_of_the_second_order_perceptron_counts_so_often() {
    let mut weighted = pair("sop/full:floor=0", Task::Binary, 2);
    let x = stream(67, 4, 1, 0.0).remove(0).0;
    weighted.learn(x.features(), 0, 3.0).unwrap();
    let dense_x = dense(&x, 4);
    let matrix = DMatrix::identity(4, 4) + &dense_x * dense_x.transpose() * 3.0;
    let expected = inverse(&matrix) * &dense_x * -3.0;
    for feature in 0..4 {
        let found = weighted.store().weight(feature, 0).unwrap().mean;
        assert!((found - expected[feature]).abs() < 1e-12);
    }
}

/// The mean of the raw weights after each past round, kept round by round.
struct BruteAverage {
    sum: DVector<f64>,
    rounds: f64,
}

#[test]
fn averaged_weights_are_the_mean_over_past_rounds() {
    let d = 12;
    for rule in ["perceptron", "pa", "pa1", "pa2"] {
        let build = |average: bool| pair(&format!("{rule}/identity:average={average}"), Task::Binary, 2);
        let (mut averaged, mut raw) = (build(true), build(false));
        let mut brute = BruteAverage { sum: DVector::zeros(d), rounds: 0.0 };
        let mut random = Random(71);
        let mut quiet_rounds = 0;
        for i in 0..300 {
            let x = sparse(&mut random, d, 4);
            let class = usize::from(random.normal() + x.features().values()[0] > 0.0);
            // A round of weight 0 is no round.
            let weight = if i % 10 == 9 { 0.0 } else { 1.0 };
            let expected = brute.sum.dot(&dense(&x, d)) / brute.rounds.max(1.0);
            let round = averaged.learn(x.features(), class, weight).unwrap();
            assert!((round.prediction.score - expected).abs() < 1e-10, "{rule} in round {i}");
            let updated = round.updated;
            assert_eq!(updated, raw.learn(x.features(), class, weight).unwrap().updated, "{rule} learns raw");
            quiet_rounds += usize::from(!updated);
            if weight > 0.0 {
                brute.sum += DVector::from_fn(d, |f, _| raw.store().weight(f, 0).unwrap().mean);
                brute.rounds += 1.0;
            }
        }
        assert!(quiet_rounds > 40, "{rule}: rounds without an update count too");
        for feature in 0..d {
            let found = averaged.store().weight(feature, 0).unwrap().mean;
            assert!((found - brute.sum[feature] / brute.rounds).abs() < 1e-10, "{rule}");
        }
    }
}
