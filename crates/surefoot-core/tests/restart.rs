//! Learners that start anew where the data changed, and take back what they knew where it did not.

mod common;

use common::{Pair, Random, many_class_stream, pair, stream};
use surefoot_core::store::STORES;
use surefoot_core::{Task, Vector};

/// Rounds before anything changes.
const BEFORE: usize = 600;

/// The same examples with the classes of some rounds turned: in two classes the other one, in many the next.
fn turned(
    mut data: Vec<(Vector, usize)>,
    rounds: std::ops::Range<usize>,
    classes: usize,
) -> Vec<(Vector, usize)> {
    data[rounds].iter_mut().for_each(|(_, class)| *class = (*class + 1) % classes);
    data
}

/// Mistakes in the last rounds of a stream.
fn late_mistakes(learner: &mut Pair, data: &[(Vector, usize)], last: usize) -> usize {
    let from = data.len() - last;
    let wrong = data.iter().enumerate().filter(|(i, (x, class))| {
        let learned = learner.learn(x.features(), *class, 1.0).unwrap();
        *i >= from && learned.prediction.label != Some(*class)
    });
    wrong.count()
}

/// On every store, for two classes and many: after a change it does as well as one that never saw the old concept.
#[test]
fn after_a_change_a_learner_is_like_a_fresh_one() {
    for store in STORES.iter().filter(|store| store.name != "kernel") {
        for (task, classes) in [(Task::Binary, 2), (Task::Multiclass, 3)] {
            let data =
                if classes == 2 { stream(5, 12, 1000, 0.0) } else { many_class_stream(6, 3, 12, 1000) };
            let data = turned(data, BEFORE..1000, classes);
            let spec = |restart: bool| format!("arow/{}:r=1,restart={restart}", store.name);
            let of = |text: &str, data: &[(Vector, usize)]| {
                late_mistakes(&mut pair(text, task, classes), data, 250)
            };
            let (with, without) = (of(&spec(true), &data), of(&spec(false), &data));
            let fresh = of(&spec(false), &data[BEFORE..]);
            let name = store.name;
            // It notices some forty examples late.
            assert!(with <= fresh + 10, "{name}, {classes} classes: {with} mistakes, fresh {fresh}");
            // First-order weights have no certainty that would hold them back.
            assert!(
                with < without || name == "identity",
                "{name}, {classes} classes: {with}, without {without}"
            );
        }
    }
}

/// Labels by chance for a while look like a change as long as they last. What was known before comes back after them.
#[test]
fn a_burst_of_wrong_labels_does_not_cost_what_was_known() {
    for (text, task, classes) in [
        ("arow:r=1,restart=true", Task::Binary, 2),
        ("arow:r=1,restart=true", Task::Multiclass, 3),
        (
            "ensemble(arow/compact:r=1,restart=true@none+l2; arow/compact:r=10,restart=true@none)",
            Task::Binary,
            2,
        ),
    ] {
        let features = 300;
        let data = if classes == 2 {
            stream(7, features, 3000, 0.0)
        } else {
            many_class_stream(8, 3, features, 3000)
        };
        let mut chance = Random(12);
        let noisy = data.into_iter().enumerate().map(|(i, (x, class))| {
            (x, if (2000..2120).contains(&i) { chance.below(classes) } else { class })
        });
        let data: Vec<_> = noisy.collect();
        let plain = text.replace("restart=true", "restart=false");
        let [with, without] =
            [text, &plain].map(|text| late_mistakes(&mut pair(text, task, classes), &data, 600));
        assert!(with <= without + 15, "{text}, {classes} classes: {with} mistakes, without {without}");
    }
}

/// Cut in any phase (before, waiting for confirmation, on trial, after it) it goes on bit for bit.
#[test]
fn it_goes_on_where_it_was_saved() {
    for (text, task, classes) in [
        ("arow:r=1,restart=true", Task::Binary, 2),
        ("scw1/compact:restart=true", Task::Multiclass, 3),
        ("ensemble(arow/compact:r=1,restart=true@sqrt+l2; scw1/compact:restart=true@none)", Task::Binary, 2),
        ("ensemble(arow:r=1,restart=true@sqrt+l2; cw-var/full:restart=true@none)", Task::Binary, 2),
    ] {
        let data = if classes == 2 { stream(9, 12, 900, 0.0) } else { many_class_stream(9, 3, 12, 900) };
        let data = turned(data, BEFORE..900, classes);
        let learn = |own: &mut Pair, part: &[(Vector, usize)]| {
            part.iter().for_each(|(x, class)| _ = own.learn(x.features(), *class, 1.0).unwrap());
        };
        let mut whole = pair(text, task, classes);
        learn(&mut whole, &data);
        let mut phases = 0;
        for cut in (590..720).step_by(10) {
            let mut first = pair(text, task, classes);
            learn(&mut first, &data[..cut]);
            phases += usize::from(first.save().iter().any(|(name, _)| name.contains(".trial.")));
            let mut second = pair(text, task, classes);
            second.restore(first.save()).unwrap();
            learn(&mut second, &data[cut..]);
            assert_eq!(format!("{:?}", second.save()), format!("{:?}", whole.save()), "{text} cut at {cut}");
        }
        assert!(phases > 0, "{text}: no cut fell into a trial");
    }
}

/// A member of a shared table restarts as it does alone.
#[test]
fn members_of_a_table_start_anew_as_they_do_alone() {
    let data = turned(stream(10, 12, 1500, 0.0), BEFORE..1200, 2);
    for member in ["arow/compact:r=1,restart=true", "scw1:projection=covariance,restart=true"] {
        let mut ensemble = pair(&format!("ensemble({member}@none; {member}@none)"), Task::Binary, 2);
        let mut alone = pair(member, Task::Binary, 2);
        for (x, class) in &data {
            ensemble.learn(x.features(), *class, 1.0).unwrap();
            alone.learn(x.features(), *class, 1.0).unwrap();
        }
        let own = ensemble.learner.as_ensemble().unwrap().member(1).unwrap();
        assert_eq!(format!("{:?}", own.save()), format!("{:?}", alone.learner.save()), "{member}");
    }
}

/// Classes that come to life while what was known before is on trial.
#[test]
fn classes_may_come_to_life_in_a_trial() {
    let data = turned(many_class_stream(11, 3, 12, 900), BEFORE..900, 3);
    let mut learner = pair("arow:r=1,restart=true", Task::Multiclass, 3);
    let mut on_trial = false;
    for (i, (x, class)) in data.iter().enumerate() {
        learner.learn(x.features(), *class, 1.0).unwrap();
        if !on_trial && learner.save().iter().any(|(name, _)| name.contains(".trial.")) {
            on_trial = true;
            let newcomer = Vector::from_pairs([(40, 1.0)]).unwrap();
            learner.learn(newcomer.features(), 3, 1.0).unwrap();
            assert!(i > BEFORE);
        }
    }
    assert!(on_trial, "there was a trial");
    assert_eq!(learner.classes(), 4);
    let mut again = pair("arow:r=1,restart=true", Task::Multiclass, 3);
    again.restore(learner.save()).unwrap();
}

#[test]
fn a_damaged_trial_is_refused() {
    use surefoot_core::state::Tensor;
    let text = "arow:r=1,restart=true";
    let data = turned(stream(9, 12, 900, 0.0), BEFORE..900, 2);
    let mut learner = pair(text, Task::Binary, 2);
    let on_trial = |own: &Pair| own.save().has("learner.restart.trial.counts");
    let mut rounds = data.iter();
    while !on_trial(&learner) {
        let (x, class) = rounds.next().expect("a trial before the end");
        learner.learn(x.features(), *class, 1.0).unwrap();
    }
    for counts in
        [vec![0.0; 2], vec![1.0, 0.0, 5.0], vec![0.0, 9.0, 5.0], vec![0.0, 0.0, 1e9], vec![f64::NAN; 3]]
    {
        let mut state = learner.save();
        state.put("learner.restart.trial.counts", Tensor::F64(counts.clone().into()));
        assert!(pair(text, Task::Binary, 2).restore(state).is_err(), "{counts:?}");
    }
}
