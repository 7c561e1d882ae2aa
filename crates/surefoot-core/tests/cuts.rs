//! Members that see some of the ways in which text was cut.

mod common;

use common::{Random, pair, sparse};
use surefoot_core::state::Tensor;
use surefoot_core::transform::{Segments, View};
use surefoot_core::{
    Learner, LearnerPart, LearnerSpec, LearnerSum, Merging, PartRole, Scores, SparseVec, Target, Task, Vector,
};

/// A row of 2 features that were not cut from text, words, pairs, characters, and the bias.
struct Row {
    ids: Vec<u32>,
    values: Vec<f64>,
    segments: Segments,
}

impl Row {
    fn new(random: &mut Random) -> Self {
        let (mut ids, mut values, mut counts) = (vec![0, 1], vec![random.normal(), 1.0], [0; 3]);
        for (cut, count) in counts.iter_mut().enumerate() {
            let words = sparse(random, 20, 6);
            *count = words.features().len() as u32;
            ids.extend(words.features().ids().iter().map(|id| 2 + 20 * cut as u32 + id));
            values.extend(words.features().values());
        }
        ids.push(62);
        values.push(1.0);
        Self { ids, values, segments: Segments(counts) }
    }

    fn x(&self) -> SparseVec<'_> {
        SparseVec::new(&self.ids, &self.values).unwrap().with_segments(self.segments)
    }

    /// What is left of it without some cuts.
    fn part(&self, seen: [bool; 3]) -> Vector {
        let keeps = |id: u32| match id.checked_sub(2) {
            Some(word) if word < 60 => seen[word as usize / 20],
            _ => true,
        };
        let (ids, values): (Vec<u32>, Vec<f64>) =
            self.ids.iter().zip(&self.values).filter(|(id, _)| keeps(**id)).unzip();
        Vector::from_features(SparseVec::new(&ids, &values).unwrap())
    }
}

const CUTS: [(&str, [bool; 3]); 4] = [
    ("words", [true, false, false]),
    ("words+pairs", [true, true, false]),
    ("words+pairs", [true, true, false]),
    ("chars", [false, false, true]),
];

/// A member learns what it would learn alone of rows that have nothing else, with any view and in any company.
#[test]
fn a_member_sees_its_cuts_and_nothing_else() {
    for (view, task) in ["none", "sqrt+l2", "nb+l2", "rms"]
        .iter()
        .flat_map(|view| [(view, Task::Binary), (view, Task::Multiclass)])
    {
        let members = ["arow", "scw1", "logistic", "cw-var/full"];
        let listed: Vec<String> =
            members.iter().zip(CUTS).map(|(spec, (cuts, _))| format!("{spec}@{cuts}:{view}")).collect();
        let build = |text: &str| LearnerSpec::parse(text).unwrap().build(task, 3, true).unwrap();
        let mut together = build(&format!("ensemble({})", listed.join(";")));
        let mut alone: Vec<_> = members.iter().map(|spec| build(&format!("{spec}@{view}"))).collect();
        let (mut random, mut all, mut one) = (Random(4), Scores::default(), Scores::default());
        for round in 0..120 {
            let row = Row::new(&mut random);
            let class = random.below(if task == Task::Binary { 2 } else { 3 });
            together.update(row.x(), Target::Class(class), 1.0, &mut all).unwrap();
            for (i, (learner, (cuts, seen))) in alone.iter_mut().zip(CUTS).enumerate() {
                let part = row.part(seen);
                learner.update(part.features(), Target::Class(class), 1.0, &mut one).unwrap();
                for (found, expected) in all.of(i).iter().zip(one.of(0)) {
                    // In another order of the rows a full matrix sums in another order.
                    let slack =
                        if members[i].ends_with("full") { 1e-9 * (1.0 + expected.abs()) } else { 0.0 };
                    let difference = (found - expected).abs();
                    assert!(difference <= slack, "{cuts}:{view}, member {i}, round {round}: {difference}");
                }
                let own = together.as_ensemble().unwrap().seen_by(i, row.x());
                assert_eq!(own, learner.as_ensemble().unwrap().seen_by(0, part.features()));
            }
        }
        let mut again = build(&format!("ensemble({})", listed.join(";")));
        again.restore(together.save()).unwrap();
        assert_eq!(format!("{:?}", again.save()), format!("{:?}", together.save()));
    }
}

#[test]
fn where_nothing_was_cut_every_member_sees_all() {
    let mut cut = pair("ensemble(arow@words:none; logistic@chars:sqrt+l2)", Task::Binary, 2);
    let mut plain = pair("ensemble(arow@none; logistic@sqrt+l2)", Task::Binary, 2);
    let mut random = Random(2);
    for _ in 0..50 {
        let (x, class) = (sparse(&mut random, 30, 8), random.below(2));
        let p = plain.learn(x.features(), class, 1.0).unwrap().prediction.clone();
        assert_eq!(cut.learn(x.features(), class, 1.0).unwrap().prediction, &p);
    }
}

/// Members have rows for what they see alone, wherever the text begins, and keep them merged, saved and joined.
#[test]
fn what_a_member_does_not_see_takes_no_row_of_its_table() {
    let text = "ensemble(arow@words:none; logistic@words:sqrt; scw1@chars:nb)";
    for task in [Task::Binary, Task::Multiclass] {
        let build = || LearnerSpec::parse(text).unwrap().build(task, 3, true).unwrap();
        let (mut one, mut other, mut scores) = (build(), build(), Scores::default());
        let mut random = Random(8);
        let rows: Vec<Row> = (0..60).map(|_| Row::new(&mut random)).collect();
        for (round, row) in rows.iter().enumerate() {
            let learner = if round < 30 { &mut one } else { &mut other };
            // The first rows of either have no text.
            let early = [SparseVec::new(&[0, 1, 62], &[1.0, -0.5, 1.0]).unwrap(), row.x()];
            let x = early[usize::from(round % 30 > 2)];
            learner.update(x, Target::Class(round % 2), 1.0, &mut scores).unwrap();
        }
        let names: Vec<u32> = (0..63).map(|feature| (feature + 5) % 63).collect();
        let mut merged = build();
        let same: Vec<u32> = (0..63).collect();
        let mut sum = LearnerSum::new(Merging::Exact);
        for (learner, features) in [(&one, &same), (&other, &names)] {
            let role = PartRole::Part;
            let part = LearnerPart { features, classes: &[0, 1, 2], examples: 30.0, role };
            learner.add_to(&mut sum, &part).unwrap();
        }
        merged.take(sum).unwrap();
        let joined = one.as_ensemble().unwrap().joined_by(&[]).unwrap();
        for member in 0..3 {
            let alone = one.as_ensemble().unwrap().only(member).unwrap();
            for feature in 0..63 {
                let own = one.weight(member, feature, 0).unwrap();
                assert_eq!(joined.weight(member, feature, 0), Some(own));
                assert_eq!(alone.weight(0, feature, 0), Some(own));
                // The exact product: precisions add up.
                let precision = |learner: &dyn Learner, feature| {
                    let weight = learner.weight(member, feature, 0).unwrap();
                    1.0 / weight.variance - 1.0 / weight.prior
                };
                let other_feature = names.iter().position(|&name| name as usize == feature).unwrap();
                let sum = precision(&*one, feature) + precision(&*other, other_feature);
                let found = precision(&*merged, feature);
                assert!((found - sum).abs() <= 1e-9 * (1.0 + sum.abs()), "{member} {feature}: {found} {sum}");
            }
        }
        let mut late = build();
        rows.iter().for_each(|row| late.update(row.x(), Target::Class(0), 1.0, &mut scores).unwrap());
        // Of 63 features: two that were not cut, 20 of either cut, the bias.
        let state = late.save();
        let counts = state.iter().filter(|(name, _)| name.ends_with("row-map.count"));
        let counts: Vec<_> = counts.map(|(_, tensor)| tensor.clone()).collect();
        assert_eq!(counts.len(), if task == Task::Binary { 2 } else { 3 });
        assert!(counts.iter().all(|count| *count == Tensor::U64(vec![23].into())), "{counts:?}");
    }
}

#[test]
fn damaged_rows_are_refused() {
    let text = "ensemble(arow@words:none; logistic@chars:sqrt)";
    let build = || LearnerSpec::parse(text).unwrap().build(Task::Binary, 2, true).unwrap();
    let (mut learner, mut scores, mut random) = (build(), Scores::default(), Random(5));
    learner.update(Row::new(&mut random).x(), Target::Class(1), 1.0, &mut scores).unwrap();
    for (name, tensor) in [
        ("member00.row-map.of-feature", Tensor::U32(vec![0, 0].into())),
        ("member00.row-map.of-feature", Tensor::U32(vec![7].into())),
        ("member00.row-map.count", Tensor::U64(vec![1 << 40].into())),
        ("member00.row-map.count", Tensor::U64(vec![1 << 20].into())),
        ("member00.row-map.count", Tensor::U64(vec![1, 2].into())),
    ] {
        let mut state = learner.save();
        state.put(name, tensor);
        assert!(build().restore(state).is_err(), "{name}");
    }
}

#[test]
fn cuts_are_part_of_a_view() {
    for text in ["words:none", "words+pairs:nb+l2", "chars:sqrt", "std"] {
        assert_eq!(View::parse(text).unwrap().to_string(), text);
    }
    assert_eq!(View::parse("words+pairs+chars:sqrt").unwrap().to_string(), "sqrt");
    let error = View::parse("letters:none").unwrap_err().to_string();
    assert_eq!(error, "unknown cut of text `letters`; known: words, pairs, chars");
    let cuts = |text: &str| LearnerSpec::parse(text).unwrap().cuts().map(|cuts| cuts.to_string());
    assert_eq!(cuts("ensemble(arow@words:none; arow@words+chars:none)").as_deref(), Some("words+chars"));
    assert_eq!((cuts("ensemble(arow@none; scw1@sqrt)"), cuts("arow")), (None, None));
}
