//! The task is decided by the labels of the first examples, which are kept until then. It is the same task, and the same model,
//! whether bad lines are skipped, and whether examples come from text or from a cache.

use surefoot::data::{DETECTION_EXAMPLES, OnBadLine, Random, Source};
use surefoot::train::{Silent, TrainOptions, train};

/// So many rows of a few features, their labels drawn from these.
fn rows(labels: &[&str], count: usize) -> String {
    let mut random = Random::new(3);
    let mut row = |_| {
        let class = random.below(labels.len() as u64);
        format!("{} {}:1 {}:2\n", labels[class as usize], 1 + class, 10 + random.below(50))
    };
    (0..count).map(&mut row).collect()
}

/// The model as bytes, or the message of why there is none.
fn outcome(text: &str, on_bad_line: OnBadLine) -> Result<Vec<u8>, String> {
    let options = TrainOptions::default().on_bad_line(on_bad_line).threads(2);
    let trained = train(vec![Source::memory("rows.svm", text.as_bytes())], &options, &mut Silent);
    trained.and_then(|(model, _)| model.to_bytes()).map_err(|error| error.to_string())
}

#[test]
fn the_same_is_learned_whether_or_not_bad_lines_are_skipped() {
    let third_late = rows(&["a", "b"], DETECTION_EXAMPLES - 1) + &rows(&["c"], 5);
    let streams = [
        rows(&["-1", "+1"], 300),
        rows(&["a", "b"], DETECTION_EXAMPLES + 700),
        rows(&["1", "2", "3"], 300),
        rows(&["-1"], DETECTION_EXAMPLES + 1),
        third_late,
    ];
    for text in &streams {
        let looked = outcome(text, OnBadLine::Fail).unwrap();
        assert_eq!(looked, outcome(text, OnBadLine::Skip).unwrap());
    }
}

#[test]
fn a_third_label_behind_those_that_count_is_refused() {
    let text = rows(&["a", "b"], DETECTION_EXAMPLES) + "c 1:1\n";
    let problem = outcome(&text, OnBadLine::Fail).unwrap_err();
    assert!(
        problem.contains("third label") && problem.contains(&format!("{}", DETECTION_EXAMPLES + 1)),
        "{problem}"
    );
    assert!(outcome(&text, OnBadLine::Skip).is_ok());
}

#[test]
fn the_same_is_learned_from_a_cache() {
    let folder = tempfile::tempdir().unwrap();
    let [file, cache] = ["rows.svm", "rows.cache"].map(|name| folder.path().join(name));
    std::fs::write(&file, rows(&["a", "b"], DETECTION_EXAMPLES + 700)).unwrap();
    let learned = |cache: Option<&std::path::PathBuf>, threads| {
        let options = TrainOptions::default().cache(cache.cloned()).threads(threads);
        train(vec![Source::Path(file.clone())], &options, &mut Silent).unwrap().0.to_bytes().unwrap()
    };
    let plain = learned(None, 1);
    for threads in [1, 1, 2] {
        assert_eq!(plain, learned(Some(&cache), threads));
    }
}
