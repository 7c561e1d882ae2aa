use proptest::prelude::*;

use super::*;
use crate::builder::Builder;
use crate::recipe::SpaceKind;

fn plan(scale: Scale, normalize: Normalize, bias: bool) -> Plan {
    Plan::new(Recipe { space: SpaceKind::AsGiven, scale, normalize, bias, ..Recipe::default() }).unwrap()
}

fn learn(preparer: &mut Preparer, ids: &[u64], values: &[f64]) -> Vectors {
    let mut out = Vectors::new();
    preparer.learn(&Features::given(ids, values), &mut out).unwrap();
    out
}

fn predict(preparer: &Preparer, ids: &[u64], values: &[f64]) -> Vectors {
    let mut out = Vectors::new();
    preparer.predict(&Features::given(ids, values), &mut out);
    out
}

fn close(found: &[f64], expected: &[f64]) {
    assert_eq!(found.len(), expected.len());
    found.iter().zip(expected).for_each(|(a, b)| assert!((a - b).abs() < 1e-12, "{found:?} {expected:?}"));
}

#[test]
fn bias_comes_last_and_is_not_normalised() {
    let mut preparer = Preparer::new(&plan(Scale::None, Normalize::L2, true));
    let vectors = learn(&mut preparer, &[1, 2], &[3.0, 4.0]);
    assert_eq!(vectors.ids, [0, 1, 2]);
    assert_eq!(vectors.values, [0.6, 0.8, 1.0]);
    let vectors = learn(&mut preparer, &[2, 9], &[3.0, -4.0]);
    assert_eq!(vectors.ids, [1, 3, 2]);
    assert_eq!(preparer.space().name(2).to_string(), "(bias)");
}

#[test]
fn an_empty_example_is_the_bias_alone() {
    let mut preparer = Preparer::new(&plan(Scale::Rms, Normalize::L2, true));
    let vectors = learn(&mut preparer, &[], &[]);
    assert_eq!((vectors.ids, vectors.values), (vec![0], vec![1.0]));
}

#[test]
fn extreme_rows_have_length_one_too() {
    for values in [[3e200, 4e200], [3e-200, 4e-200], [3e-310, 4e-310]] {
        let mut preparer = Preparer::new(&plan(Scale::None, Normalize::L2, false));
        let vectors = learn(&mut preparer, &[1, 2], &values);
        assert!((vectors.values[0] - 0.6).abs() < 1e-9 && (vectors.values[1] - 0.8).abs() < 1e-9);
    }
}

#[test]
fn rms_counts_the_example_before_scaling_it() {
    let mut preparer = Preparer::new(&plan(Scale::Rms, Normalize::None, false));
    assert_eq!(learn(&mut preparer, &[5], &[-700.0]).values, [-1.0]);
    // Mean square of 700 and 100 is 250,000.
    close(&learn(&mut preparer, &[5], &[100.0]).values, &[0.2]);
    close(&learn(&mut preparer, &[6], &[1e-3]).values, &[1.0]);
    close(&predict(&preparer, &[5, 6, 7], &[1000.0, 2e-3, 9.0]).values, &[2.0, 2.0, 1.0]);
    assert_eq!(predict(&preparer, &[5, 6, 7], &[1.0, 1.0, 9.0]).ids, [0, 1, 2]);
}

#[test]
fn rms_survives_values_at_the_ends_of_the_range() {
    let mut preparer = Preparer::new(&plan(Scale::Rms, Normalize::None, false));
    for value in [1e-320, 1e308, -1e308, 5e-324] {
        let vectors = learn(&mut preparer, &[1], &[value]);
        assert!(vectors.values.iter().all(|value| value.is_finite()), "{value} {vectors:?}");
    }
}

#[test]
fn standardised_columns_count_zeros() {
    let mut preparer = Preparer::new(&plan(Scale::Standardize, Normalize::None, true));
    // Column 1: 4, 0, 2. Column 2: 0, 1, 1, first met in round 2.
    assert_eq!(learn(&mut preparer, &[1], &[4.0]).values, [1.0]);
    let vectors = learn(&mut preparer, &[2], &[1.0]);
    assert_eq!(vectors.ids, [0, 2, 1]);
    close(&vectors.values, &[-1.0, 1.0, 1.0]);
    let vectors = learn(&mut preparer, &[1, 2], &[2.0, 1.0]);
    close(&vectors.values, &[(1.0f64 - 2.0 / 3.0) / (2.0f64 / 9.0).sqrt(), 1.0]);
    let zeros = predict(&preparer, &[], &[]);
    close(&zeros.values, &[-2.0 / (8.0f64 / 3.0).sqrt(), -(2.0 / 3.0) / (2.0f64 / 9.0).sqrt(), 1.0]);
}

#[test]
fn too_many_columns_are_refused_and_known_ones_are_not() {
    let mut preparer = Preparer::new(&plan(Scale::Standardize, Normalize::None, true));
    let ids: Vec<u64> = (0..COLUMN_LIMIT as u64 - 1).collect();
    let values = vec![1.0; ids.len()];
    learn(&mut preparer, &ids, &values);
    learn(&mut preparer, &ids, &values);
    let mut out = Vectors::new();
    let full = preparer.learn(&Features::given(&[1 << 40], &[1.0]), &mut out).unwrap_err();
    assert!(full.to_string().starts_with("more than 65536 features; standardising makes"), "{full}");
}

type Rows = Vec<Vec<(u64, f64)>>;

fn rows() -> impl Strategy<Value = Rows> {
    let row = prop::collection::btree_map(0u64..12, -1e3..1e3, 0..8);
    prop::collection::vec(row.prop_map(|row| row.into_iter().filter(|&(_, x)| x != 0.0).collect()), 1..20)
}

fn run(preparer: &mut Preparer, rows: &Rows) -> Vec<(Vec<u32>, Vec<u64>)> {
    let mut seen = Vec::new();
    for row in rows {
        let (ids, values): (Vec<u64>, Vec<f64>) = row.iter().copied().unzip();
        let vectors = learn(preparer, &ids, &values);
        seen.push((vectors.ids, vectors.values.into_iter().map(f64::to_bits).collect()));
    }
    seen
}

fn stored_and_loaded(preparer: &Preparer, plan: &Plan) -> Preparer {
    let mut state = State::new();
    preparer.export(&mut state);
    Preparer::load(plan, &mut state).unwrap()
}

/// A batch with these rows.
fn batch(plan: &Plan, rows: &[Vec<(u64, f64)>]) -> Batch {
    let mut batch = Batch::new();
    let mut builder = Builder::new(plan, &mut batch);
    for row in rows {
        builder.begin(1);
        row.iter().for_each(|&(id, value)| builder.indexed(id, value));
        builder.finish().unwrap();
    }
    batch
}

#[test]
fn looking_ahead_ends_after_some_examples() {
    let plan = plan(Scale::None, Normalize::None, false);
    let rows: Vec<Vec<(u64, f64)>> =
        (0..50).map(|row| (1..200).map(|id| (row + id, 1.0)).collect()).collect();
    let (preparer, mut rows) = (Preparer::new(&plan), batch(&plan, &rows));
    let mut stops = vec![0];
    while stops.last().is_some_and(|&from| from < rows.len()) {
        stops.push(preparer.look_ahead(&mut rows));
    }
    assert!(stops.is_sorted_by(|one, next| one < next) && stops.len() > 3, "{stops:?}");
    assert!(rows.iter().all(|row| row.features.known().len() == 199));
}

#[test]
fn what_a_parse_worker_did_changes_nothing() {
    for (scale, normalize) in [Scale::None, Scale::Rms].into_iter().zip([Normalize::L2, Normalize::None]) {
        for bias in [false, true] {
            helped_as_alone(&plan(scale, normalize, bias));
        }
    }
}

/// Learns the same rows twice, once after a parse worker has done its errand.
fn helped_as_alone(plan: &Plan) {
    let (mut one, mut other) = (Preparer::new(plan), Preparer::new(plan));
    let (ids, values): (Vec<u64>, Vec<f64>) = (0..9_000).map(|id| (7 * id, 1.0)).unzip();
    for preparer in [&mut one, &mut other] {
        learn(preparer, &ids, &values);
    }
    // Some are known, some are new in two rows, and some have no place in the table; of the last row all are known.
    let ids = |row: u64| if row < 40 { [row, row + 1, 7_000 + row, 1 << 40] } else { [0, 7, 14, 700] };
    let rows: Vec<Vec<(u64, f64)>> =
        (0..41).map(|row| ids(row).map(|id| (id, 2.0 + row as f64)).to_vec()).collect();
    let (plain, mut helped) = (batch(plan, &rows), batch(plan, &rows));
    helped.run(&other.errand());
    // What the worker did not find is looked up again.
    let length = 4 + usize::from(plan.recipe().bias);
    assert!(helped.iter().all(|row| row.features.known().len() == length));
    while other.look_ahead(&mut helped) < helped.len() {}
    for (without, with) in plain.iter().zip(helped.iter()) {
        let (mut left, mut right) = (Vectors::new(), Vectors::new());
        let alone = one.learn(&without.features, &mut left).unwrap();
        let with = other.learn(&with.features, &mut right).unwrap();
        assert_eq!((with.ids, with.values), (alone.ids, alone.values));
        let last = without.features.keys().contains(&700);
        assert_eq!(right.ids.is_empty(), last && plan.recipe().scale == Scale::None, "no copy is made");
    }
    let made = helped.iter().filter(|row| row.features.ended(Ending::of(plan.recipe())).is_some());
    assert_eq!(made.count(), if plan.recipe().scale == Scale::None { rows.len() } else { 0 });
}

proptest! {
    #[test]
    fn storing_between_two_parts_changes_no_bit(one in rows(), two in rows()) {
        for scale in [Scale::None, Scale::Rms, Scale::Standardize] {
            let plan = plan(scale, Normalize::L2, true);
            let mut whole = Preparer::new(&plan);
            run(&mut whole, &one);
            let mut resumed = stored_and_loaded(&whole, &plan);
            prop_assert_eq!(run(&mut whole, &two), run(&mut resumed, &two));
        }
    }

    #[test]
    fn prediction_of_a_known_example_is_what_learning_saw(rows in rows()) {
        let plan = plan(Scale::Rms, Normalize::L2, true);
        let mut preparer = Preparer::new(&plan);
        for row in &rows {
            let (ids, values): (Vec<u64>, Vec<f64>) = row.iter().copied().unzip();
            let learnt = learn(&mut preparer, &ids, &values);
            let predicted = predict(&preparer, &ids, &values);
            prop_assert_eq!(learnt.values, predicted.values);
            prop_assert_eq!(learnt.ids, predicted.ids);
        }
    }

    #[test]
    fn indices_looked_up_beforehand_change_nothing(rows in rows()) {
        for space in [SpaceKind::AsGiven, SpaceKind::Hashed { bits: 3, seed: 0 }] {
            let recipe = Recipe { space, normalize: Normalize::L2, bias: true, ..Recipe::default() };
            let plan = Plan::new(recipe).unwrap();
            let (mut one, mut other) = (Preparer::new(&plan), Preparer::new(&plan));
            let (plain, mut looked) = (batch(&plan, &rows), batch(&plan, &rows));
            let mut seen = 0;
            for at in 0..plain.len() {
                if seen <= at {
                    seen = other.look_ahead(&mut looked);
                }
                let (mut without, mut with) = (Vectors::new(), Vectors::new());
                one.learn(&plain.example(at).features, &mut without).unwrap();
                other.learn(&looked.example(at).features, &mut with).unwrap();
                prop_assert_eq!((with.ids, with.values), (without.ids, without.values));
            }
            let (mut left, mut right) = (State::default(), State::default());
            one.export(&mut left);
            other.export(&mut right);
            prop_assert_eq!(format!("{left:?}"), format!("{right:?}"));
        }
    }
}
