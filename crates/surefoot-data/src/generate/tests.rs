use super::*;

fn mean(values: impl Iterator<Item = f64> + Clone) -> f64 {
    values.clone().sum::<f64>() / values.count() as f64
}

#[test]
fn a_seed_is_a_stream() {
    for spec in STREAMS {
        let points = |seed| {
            let mut stream = stream(spec.name, &[], seed).unwrap();
            let mut points = vec![Point::default(); 50];
            points.iter_mut().for_each(|point| stream.fill(point));
            points
        };
        assert_eq!(points(1), points(1), "{}", spec.name);
        assert_ne!(points(1), points(2), "{}", spec.name);
        for point in points(3) {
            assert_eq!(point.ids.len(), point.values.len());
            assert!(point.ids.is_sorted_by(|one, other| one < other) && point.ids[0] > 0);
            assert!(point.values.iter().all(|value| *value != 0.0 && value.is_finite()));
        }
    }
}

#[test]
fn the_sequence_is_frozen() {
    // Streams are part of recorded experiments: a change of these numbers is a change of the results.
    let mut random = Random::new(42);
    let drawn = [random.uniform(), random.uniform(), random.normal(), random.normal()];
    let frozen = [0x3fe0_b89b_d0e6_203c, 0x3fea_fe5b_eddb_dd5a, 0xbfee_b34f_802d_1ebe, 0xbfe5_cdef_93bb_0d5d];
    assert_eq!(drawn.map(f64::to_bits), frozen);
}

#[test]
fn normal_numbers_have_mean_zero_and_variance_one() {
    let mut random = Random::new(5);
    let drawn: Vec<f64> = (0..200_000).map(|_| random.normal()).collect();
    assert!(mean(drawn.iter().copied()).abs() < 0.01);
    assert!((mean(drawn.iter().map(|x| x * x)) - 1.0).abs() < 0.02);
    assert!((mean(drawn.iter().map(|x| x.powi(4))) - 3.0).abs() < 0.15);
}

#[test]
fn the_ellipse_is_the_papers() {
    let points = Ellipse::new(1.0, 4.0, 2.0, 20, 1).take_points(20_000);
    let at = |dimension: usize| points.iter().map(move |point| point.values[dimension]);
    // Along and across: variances 16 and 1, so each of the first two has 8.5 and their product 7.5 on average.
    assert!((mean(at(0).map(|x| x * x)) - 8.5).abs() < 0.3);
    assert!((mean(at(0).zip(at(1)).map(|(x, y)| x * y)) - 7.5).abs() < 0.3);
    assert!((mean(at(19).map(|x| x * x)) - 2.0).abs() < 0.1);
    for point in &points {
        assert_eq!(point.label, if point.values[1] - point.values[0] >= 0.0 { 1 } else { -1 });
    }
}

#[test]
fn coins_agree_with_their_copies_but_for_the_flips() {
    let points = Coins::new(4, 0.05, 9).take_points(5_000);
    let agreeing = mean(points.iter().map(|point| (point.values[3] == point.values[33]) as u8 as f64));
    // Both right or both turned over: 0.95² + 0.05².
    assert!((agreeing - 0.905).abs() < 0.015, "{agreeing}");
    assert!(Coins::new(1, 0.0, 9).take_points(100).iter().all(|point| point.values.len() == 10));
}

#[test]
fn zipf_rows_are_like_text() {
    let points = Zipf::new(1_000_000, 85, 0.15, 0.05, 2, 4).take_points(2_000);
    let features = mean(points.iter().map(|point| point.ids.len() as f64));
    assert!((features - 75.0).abs() < 3.0, "{features} features a row");
    let first = mean(points.iter().map(|point| (point.ids[0] == 1) as u8 as f64));
    assert!(first > 0.9, "the most frequent word is in {first} of the rows");
    let positive = mean(points.iter().map(|point| (point.label == 1) as u8 as f64));
    assert!((positive - 0.5).abs() < 0.05);
}

#[test]
fn weighed_rows_have_length_one_and_so_many_digits() {
    let rows = |decimals| Zipf::new(10_000, 85, 0.15, 0.05, 2, 4).weighed(decimals).take_points(50);
    for (counted, weighed) in rows(0).iter().zip(&rows(8)) {
        assert_eq!((counted.label, &counted.ids), (weighed.label, &weighed.ids));
        let length: f64 = weighed.values.iter().map(|value| value * value).sum();
        assert!((length - 1.0).abs() < 1e-6, "{length}");
        assert!(weighed.values.iter().all(|value| value.to_string().len() <= "0.12345678".len()));
        // A rare word weighs more than a common one that occurs as often.
        let once = |at: &usize| counted.values[*at] == 1.0;
        let mut singles = (0..weighed.ids.len()).filter(once).map(|at| weighed.values[at]);
        assert!(singles.by_ref().is_sorted());
    }
    assert!(rows(1).iter().flat_map(|row| &row.values).all(|value| *value >= 0.1));
}

#[test]
fn zipf_labels_can_be_learnt() {
    // Naive counting of (word, label) pairs does far better than chance on what comes after.
    let mut stream = Zipf::new(10_000, 85, 0.15, 0.0, 4, 4);
    let mut counts = vec![[1.0f64; 4]; 10_001];
    for point in stream.take_points(4_000) {
        point.ids.iter().for_each(|&id| counts[id as usize][point.label as usize - 1] += 1.0);
    }
    let right = stream.take_points(500).into_iter().filter(|point| {
        let score = |class: usize| -> f64 {
            let share = |id: &u64| counts[*id as usize][class] / counts[*id as usize].iter().sum::<f64>();
            point.ids.iter().map(|id| share(id).ln()).sum()
        };
        let best = (0..4).max_by(|&a, &b| score(a).total_cmp(&score(b))).unwrap();
        best as i64 + 1 == point.label
    });
    let right = right.count();
    assert!(right > 300, "{right} of 500");
}

fn accuracy(points: &[Point], positive: impl Fn(&Point) -> bool) -> f64 {
    mean(points.iter().map(|point| f64::from(u8::from((point.label == 1) == positive(point)))))
}

#[test]
fn sea_has_four_thresholds_in_turn_and_noise() {
    let points = Sea::new(5_000, 0, 0.1, 1).take_points(25_000);
    let below = |threshold: f64| move |point: &Point| point.values[0] + point.values[1] <= threshold;
    for (block, threshold) in points.chunks(5_000).zip([8.0, 9.0, 7.0, 9.5, 8.0]) {
        assert!((accuracy(block, below(threshold)) - 0.9).abs() < 0.015);
        assert!(accuracy(block, below(threshold + 1.0)) < 0.87);
    }
    assert!(
        points.iter().all(|point| point.ids == [1, 2, 3] && point.values.iter().all(|value| *value < 10.0))
    );
    // One of the concepts alone, as files for a mixture are made.
    let third = Sea::new(10, 3, 0.0, 1).take_points(1_000);
    assert_eq!(accuracy(&third, below(7.0)), 1.0);
}

#[test]
fn the_hyperplane_turns() {
    let mut still = Hyperplane::new(5, 3);
    let weights = still.weights.clone();
    let side = |weights: &[f64], point: &Point| {
        weights.iter().zip(&point.values).map(|(weight, value)| weight * (value - 0.5)).sum::<f64>() >= 0.0
    };
    assert_eq!(accuracy(&still.take_points(2_000), |point| side(&weights, point)), 1.0);
    // Three weights go one way all the time, the others stay.
    let mut moving = Hyperplane::new(5, 3).drifting(3, 0.01, 0.0).noise(0.05);
    let points = moving.take_points(20_000);
    let moved: Vec<f64> = moving.weights.iter().zip(&weights).map(|(now, then)| now - then).collect();
    assert!(moved[..3].iter().all(|by| (by - 200.0).abs() < 1e-6) && moved[3..] == [0.0, 0.0], "{moved:?}");
    assert!((accuracy(&points[..20], |point| side(&weights, point)) - 0.95).abs() < 0.1);
    assert!((accuracy(&points[19_000..], |point| side(&moving.weights, point)) - 0.95).abs() < 0.02);
    assert!(accuracy(&points[10_000..], |point| side(&weights, point)) < 0.94);
    // Those that turn do not come as far.
    let mut turning = Hyperplane::new(5, 3).drifting(5, 0.01, 0.1);
    turning.take_points(20_000);
    assert!(turning.weights.iter().all(|weight| weight.abs() < 100.0), "{:?}", turning.weights);
    assert!((mean(points.iter().map(|point| f64::from(u8::from(point.label == 1)))) - 0.5).abs() < 0.02);
}

#[test]
fn stagger_has_three_concepts_in_turn() {
    let points = Stagger::new(40, 0, 0.0, 1).take_points(12_000);
    let has = |point: &Point, id: u64| point.ids.contains(&id);
    for (turn, block) in points.chunks(40).enumerate() {
        for point in block {
            let expected = match turn % 3 {
                0 => has(point, 1) && has(point, 4),
                1 => has(point, 5) || has(point, 8),
                _ => has(point, 2) || has(point, 3),
            };
            assert_eq!(point.label == 1, expected, "{point:?}");
            assert_eq!(point.values, [1.0; 3]);
        }
    }
    for id in 1..=9 {
        assert!(
            (mean(points.iter().map(|point| f64::from(u8::from(has(point, id))))) - 1.0 / 3.0).abs() < 0.02
        );
    }
}

#[test]
fn unknown_names_and_values_are_refused() {
    let refused = |name, set: &[(&str, f64)]| stream(name, set, 0).err().unwrap().to_string();
    assert_eq!(
        refused("circle", &[]),
        "there is no stream 'circle'; choose one of ellipse, coins, zipf, zipf-classes, sea, hyperplane, stagger"
    );
    assert_eq!(refused("coins", &[("k", 1.0)]), "the stream coins has no parameter 'k'; it has copies, flip");
    assert_eq!(refused("coins", &[("flip", 2.0)]), "flip is 2; it must be from 0 to 1");
    assert_eq!(refused("zipf", &[("noise", f64::NAN)]), "noise is NaN; it must be from 0 to 1");
}
