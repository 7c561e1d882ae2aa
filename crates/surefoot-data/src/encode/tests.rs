use proptest::prelude::*;

use super::*;
use crate::recipe::SpaceKind;

fn plan(scale: Scale, normalize: Normalize, bias: bool) -> Arc<Plan> {
    let recipe = Recipe { space: SpaceKind::AsGiven, scale, normalize, bias, ..Recipe::default() };
    Arc::new(Plan::new(recipe).unwrap())
}

fn encoder(scale: Scale, normalize: Normalize, bias: bool) -> Encoder {
    Encoder::new(Labels::open(), plan(scale, normalize, bias), false)
}

fn learn(encoder: &mut Encoder, ids: &[u64], values: &[f64]) -> Row {
    let mut row = Row::new();
    encoder.encode(&KeyedFeatures::given(ids, values), b"1", 1.0, &mut row).unwrap();
    row
}

fn predict(encoder: &Encoder, ids: &[u64], values: &[f64]) -> Row {
    let mut row = Row::new();
    encoder.encode_known(&KeyedFeatures::given(ids, values), &mut row);
    row
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{found:?} {expected:?}"));
}

#[test]
fn bias_comes_last_and_is_not_normalised() {
    let mut encoder = encoder(Scale::None, Normalize::L2, true);
    let row = learn(&mut encoder, &[1, 2], &[3.0, 4.0]);
    assert_eq!(row.ids, [0, 1, 2]);
    assert_eq!(row.values, [0.6, 0.8, 1.0]);
    let row = learn(&mut encoder, &[2, 9], &[3.0, -4.0]);
    assert_eq!(row.ids, [1, 3, 2]);
    assert_eq!(encoder.index().name(2).unwrap().to_string(), "(bias)");
}

#[test]
fn an_empty_example_is_the_bias_alone() {
    let mut encoder = encoder(Scale::Rms, Normalize::L2, true);
    let row = learn(&mut encoder, &[], &[]);
    assert_eq!((row.ids, row.values), (vec![0], vec![1.0]));
}

#[test]
fn extreme_rows_have_length_one_too() {
    for values in [[3e200, 4e200], [3e-200, 4e-200], [3e-310, 4e-310]] {
        let mut encoder = encoder(Scale::None, Normalize::L2, false);
        let row = learn(&mut encoder, &[1, 2], &values);
        assert!((row.values[0] - 0.6).abs() < 1e-9 && (row.values[1] - 0.8).abs() < 1e-9);
    }
}

#[test]
fn rms_counts_the_example_before_scaling_it() {
    let mut encoder = encoder(Scale::Rms, Normalize::None, false);
    assert_eq!(learn(&mut encoder, &[5], &[-700.0]).values, [-1.0]);
    // Mean square of 700 and 100 is 250,000.
    close(&learn(&mut encoder, &[5], &[100.0]).values, &[0.2]);
    close(&learn(&mut encoder, &[6], &[1e-3]).values, &[1.0]);
    close(&predict(&encoder, &[5, 6, 7], &[1000.0, 2e-3, 9.0]).values, &[2.0, 2.0, 1.0]);
    assert_eq!(predict(&encoder, &[5, 6, 7], &[1.0, 1.0, 9.0]).ids, [0, 1, 2]);
}

#[test]
fn rms_survives_values_at_the_ends_of_the_range() {
    let mut encoder = encoder(Scale::Rms, Normalize::None, false);
    for value in [1e-320, 1e308, -1e308, 5e-324] {
        let row = learn(&mut encoder, &[1], &[value]);
        assert!(row.values.iter().all(|value| value.is_finite()), "{value} {row:?}");
    }
}

#[test]
fn standardised_columns_count_zeros() {
    let mut encoder = encoder(Scale::Standardize, Normalize::None, true);
    // Column 1: 4, 0, 2. Column 2: 0, 1, 1, first met in round 2.
    assert_eq!(learn(&mut encoder, &[1], &[4.0]).values, [1.0]);
    let row = learn(&mut encoder, &[2], &[1.0]);
    assert_eq!(row.ids, [0, 2, 1]);
    close(&row.values, &[-1.0, 1.0, 1.0]);
    let row = learn(&mut encoder, &[1, 2], &[2.0, 1.0]);
    close(&row.values, &[(1.0f64 - 2.0 / 3.0) / (2.0f64 / 9.0).sqrt(), 1.0]);
    let zeros = predict(&encoder, &[], &[]);
    close(&zeros.values, &[-2.0 / (8.0f64 / 3.0).sqrt(), -(2.0 / 3.0) / (2.0f64 / 9.0).sqrt(), 1.0]);
}

#[test]
fn too_many_columns_are_refused_and_known_ones_are_not() {
    let mut encoder = encoder(Scale::Standardize, Normalize::None, true);
    let ids: Vec<u64> = (0..COLUMN_LIMIT as u64 - 1).collect();
    let values = vec![1.0; ids.len()];
    learn(&mut encoder, &ids, &values);
    learn(&mut encoder, &ids, &values);
    let before = encoder.labels().clone();
    let new = KeyedFeatures::given(&[1 << 40], &[1.0]);
    let full = encoder.encode(&new, b"2", 1.0, &mut Row::new()).unwrap_err();
    assert_eq!((encoder.labels(), encoder.index().len()), (&before, COLUMN_LIMIT));
    assert!(full.to_string().starts_with("more than 65536 features; standardising makes"), "{full}");
}

type Rows = Vec<Vec<(u64, f64)>>;

fn rows() -> impl Strategy<Value = Rows> {
    let row = prop::collection::btree_map(0u64..12, -1e3..1e3, 0..8);
    prop::collection::vec(row.prop_map(|row| row.into_iter().filter(|&(_, x)| x != 0.0).collect()), 1..20)
}

fn run(encoder: &mut Encoder, rows: &Rows) -> Vec<(Vec<u32>, Vec<u64>)> {
    let mut seen = Vec::new();
    for row in rows {
        let (ids, values): (Vec<u64>, Vec<f64>) = row.iter().copied().unzip();
        let row = learn(encoder, &ids, &values);
        seen.push((row.ids, row.values.into_iter().map(f64::to_bits).collect()));
    }
    seen
}

fn stored_and_loaded(encoder: &Encoder) -> Encoder {
    let mut state = State::new();
    encoder.export(&mut state);
    Encoder::load(encoder.labels().clone(), encoder.plan().clone(), &mut state).unwrap()
}

/// Everything that is kept of an encoder.
fn shown(encoder: &Encoder) -> String {
    let mut state = State::new();
    encoder.export(&mut state);
    format!("{state:?} {:?}", encoder.labels())
}

#[test]
fn what_is_refused_changes_nothing() {
    let labels = Labels::declared(&["a", "b"]).unwrap();
    let mut encoder = Encoder::new(labels, plan(Scale::Rms, Normalize::None, true), true);
    learn_as(&mut encoder, b"a");
    let before = shown(&encoder);
    let new = |value| (vec![900u64], vec![value]);
    for ((ids, values), label, weight, message) in [
        (new(1.0), &b"b"[..], -1.0, "importance weight -1.0"),
        (new(1.0), b"b", f64::NAN, "importance weight NaN"),
        (new(1.0), b"c", 1.0, "label 'c' is a third label"),
        (new(f64::INFINITY), b"b", 1.0, "feature '900' has the value inf; values must be finite numbers"),
    ] {
        let refused = encoder.encode(&KeyedFeatures::given(&ids, &values), label, weight, &mut Row::new());
        let text = refused.unwrap_err().to_string();
        assert!(text.starts_with(message), "{text}");
        assert_eq!(shown(&encoder), before, "{message}");
    }
}

fn learn_as(encoder: &mut Encoder, label: &[u8]) -> Encoded {
    encoder.encode(&KeyedFeatures::given(&[1], &[2.0]), label, 1.0, &mut Row::new()).unwrap()
}

#[test]
fn classes_come_with_their_labels_and_are_ranked_by_them() {
    let mut encoder = encoder(Scale::None, Normalize::None, true);
    assert_eq!(encoder.task(), Task::Multiclass);
    let expected =
        [("c", 0, Some(0)), ("a", 1, Some(1)), ("c", 0, None), ("b", 2, Some(2)), ("7", 3, Some(3))];
    for (label, class, known) in expected {
        assert_eq!(learn_as(&mut encoder, label.as_bytes()), Encoded { class, known }, "{label}");
    }
    assert_eq!(encoder.ranks(), [3, 1, 2, 0]);
    for (label, class, _) in expected.into_iter().cycle().take(40) {
        assert_eq!(learn_as(&mut encoder, label.as_bytes()), Encoded { class, known: None }, "{label}");
    }
}

#[test]
fn a_partner_that_shows_its_spelling_is_no_new_class() {
    let labels = task::TaskDetector::new(Some(Task::Binary)).see(Some(b"+1"), 1).unwrap();
    let mut encoder = Encoder::new(labels, plan(Scale::None, Normalize::None, true), true);
    for label in [&b"+1"[..], b"0", b"+1", b"0"] {
        assert_eq!(
            learn_as(&mut encoder, label),
            Encoded { class: usize::from(label == b"+1"), known: None }
        );
    }
    assert_eq!(encoder.labels().name(0).to_string(), "0");
}

#[test]
fn features_can_be_looked_up_before_they_are_encoded() {
    let mut encoder = Encoder::new(Labels::open(), plan(Scale::None, Normalize::None, true), true);
    let row = learn(&mut encoder, &[17, 18, 1 << 40], &[1.0; 3]);
    assert_eq!(row.ids, [1, 2, 16, 47], "neighbours share a page, and the bias has one too");
    let mut found = FoundFeatures { indices: vec![7], new: vec![7] };
    encoder.look_up(&[18, 19, 33, 1 << 40], &mut found);
    assert_eq!(found, FoundFeatures { indices: vec![2, 3, UNKNOWN, 16], new: vec![1, 2] });
    let row = predict(&encoder, &[19, 18, 33], &[1.0; 3]);
    assert_eq!(row.ids, [3, 2, 48, 47], "what was not met has a row of its page, or is past the index");
    // Features that were found before are encoded as they are without that.
    let (mut again, features) = (encoder.clone(), KeyedFeatures::given(&[18, 19, 33, 34], &[1.0; 4]));
    encoder.look_up(features.keys(), &mut found);
    let (mut one, mut other) = (Row::new(), Row::new());
    encoder.encode_found(&features, &found, b"a", 1.0, &mut one).unwrap();
    again.encode(&features, b"a", 1.0, &mut other).unwrap();
    assert_eq!((one.ids, shown(&encoder)), (other.ids, shown(&again)));
}

#[test]
fn a_copy_goes_its_own_way() {
    let mut encoder = encoder(Scale::Rms, Normalize::None, true);
    learn_as(&mut encoder, b"a");
    let (copy, before) = (encoder.clone(), shown(&encoder));
    learn(&mut encoder, &[5], &[3.0]);
    assert_eq!(shown(&copy), before);
    assert_ne!(shown(&encoder), before);
}

#[test]
fn merged_statistics_are_those_of_all_examples() {
    for scale in [Scale::None, Scale::Rms, Scale::Standardize] {
        let plan = plan(scale, Normalize::None, true);
        let [mut one, mut two, mut both] = [0; 3].map(|_| Encoder::new(Labels::open(), plan.clone(), true));
        for (part, ids) in [(&mut one, [40, 41]), (&mut two, [90, 41])] {
            for value in [1.0, 2.0, 4.0] {
                learn(part, &ids, &[value, -value]);
                learn(&mut both, &ids, &[value, -value]);
            }
        }
        let merge = |parts: [(&Encoder, f64); 2]| {
            let mut merged = Encoder::new(Labels::open(), plan.clone(), false);
            let places = parts.map(|(part, times)| {
                let places = merged.absorb(part).unwrap();
                merged.add_statistics(part, &places, times);
                places
            });
            (merged, places)
        };
        let (merged, places) = merge([(&one, 1.0), (&two, 1.0)]);
        assert_eq!(merged.index().len(), 4);
        for (part, places) in [&one, &two].into_iter().zip(&places) {
            assert_eq!(places.len(), part.index().bound());
            for (index, &place) in (0..).zip(places) {
                assert_eq!(part.index().name(index), merged.index().name(place), "{index}");
            }
        }
        for id in [40, 41, 90, 3] {
            let (found, expected) = (predict(&merged, &[id], &[3.0]), predict(&both, &[id], &[3.0]));
            close(&found.values, &expected.values);
        }
        // Taken off again, the second leaves what the first had.
        let (less, _) = merge([(&merged, 1.0), (&two, -1.0)]);
        close(&predict(&less, &[40], &[3.0]).values[..1], &predict(&one, &[40], &[3.0]).values[..1]);
    }
}

proptest! {
    #[test]
    fn storing_between_two_parts_changes_no_bit(one in rows(), two in rows(), gaps: bool) {
        for scale in [Scale::None, Scale::Rms, Scale::Standardize] {
            let mut whole = Encoder::new(Labels::open(), plan(scale, Normalize::L2, true), gaps);
            run(&mut whole, &one);
            let mut resumed = stored_and_loaded(&whole);
            prop_assert_eq!(run(&mut whole, &two), run(&mut resumed, &two));
            prop_assert_eq!(shown(&whole), shown(&resumed));
        }
    }

    #[test]
    fn prediction_of_a_known_example_is_what_learning_saw(rows in rows(), gaps: bool) {
        let mut encoder = Encoder::new(Labels::open(), plan(Scale::Rms, Normalize::L2, true), gaps);
        for row in &rows {
            let (ids, values): (Vec<u64>, Vec<f64>) = row.iter().copied().unzip();
            let learnt = learn(&mut encoder, &ids, &values);
            let predicted = predict(&encoder, &ids, &values);
            prop_assert_eq!(learnt.values, predicted.values);
            prop_assert_eq!(learnt.ids, predicted.ids);
        }
    }

    #[test]
    fn gaps_change_nothing_but_indices(rows in rows()) {
        for scale in [Scale::None, Scale::Rms, Scale::Standardize] {
            let plan = plan(scale, Normalize::L2, true);
            let [mut gapless, mut paged] =
                [false, true].map(|gaps| Encoder::new(Labels::open(), plan.clone(), gaps));
            for (one, other) in run(&mut gapless, &rows).into_iter().zip(run(&mut paged, &rows)) {
                prop_assert_eq!(one.1, other.1);
                let names = |encoder: &Encoder, ids: Vec<u32>| -> Vec<String> {
                    ids.into_iter().map(|id| encoder.index().name(id).unwrap().to_string()).collect()
                };
                prop_assert_eq!(names(&gapless, one.0), names(&paged, other.0));
            }
            prop_assert_eq!(gapless.index().len(), gapless.index().bound());
            prop_assert_eq!(gapless.index().len(), paged.index().len());
        }
    }
}
