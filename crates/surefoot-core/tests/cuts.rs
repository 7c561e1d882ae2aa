//! Members that see some of the ways in which text was cut.

mod common;

use common::{Random, pair, sparse};
use surefoot_core::transform::{Segments, View};
use surefoot_core::{LearnerSpec, Scores, SparseVec, Target, Task, Vector};

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
                assert_eq!(all.of(i), one.of(0), "{cuts}:{view}, member {i}, round {round}");
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
