//! The same data gives the same model, whatever the threads, from program and library, and however often it is interrupted.

use surefoot::core::LearnerSpec;
use surefoot::data::{Recipe, Scale, Source, SpaceKind};
use surefoot::train::{Silent, TrainOptions, train};

use crate::run::{folder, generate, json, read, root, run};

#[test]
fn any_number_of_threads() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["zipf", "-n", "4000"]);
    let tickets = root().join("examples/tickets.tsv");
    for data in ["points.svm", &tickets.display().to_string()] {
        for flags in [&["--passes", "1"][..], &["--passes", "2", "--shuffle"], &["--learner", "auto"]] {
            let models: Vec<Vec<u8>> = ["1", "2", "3", "4"]
                .iter()
                .map(|threads| {
                    json(folder.path(), &[&["train", data, "-o", "m", "--threads", threads], flags].concat());
                    read(folder.path(), "m")
                })
                .collect();
            assert!(models.windows(2).all(|pair| pair[0] == pair[1]), "{data} {flags:?}");
        }
    }
}

#[test]
fn the_library_learns_the_same() -> surefoot::Result<()> {
    let folder = folder();
    let tickets = root().join("examples/tickets.tsv");
    let options = |learner: &str, change: fn(&mut Recipe)| -> surefoot::Result<TrainOptions> {
        let learner = LearnerSpec::parse(learner)?;
        let mut recipe = surefoot::default_recipe_for(&learner);
        change(&mut recipe);
        Ok(TrainOptions::default().learner(learner).recipe(recipe))
    };
    let hashed = |recipe: &mut Recipe| recipe.space = SpaceKind::Hashed { bits: 12, seed: 0 };
    let several = TrainOptions::default().passes(2).shuffle(true).seed(9);
    for (flags, options) in [
        (&[][..], TrainOptions::default()),
        (&["--passes", "2", "--shuffle", "--seed", "9"], several),
        (
            &["--learner", "cw-var:top=3,schedule=parallel"],
            options("cw-var:top=3,schedule=parallel", |_| ())?,
        ),
        (&["--rule", "pa1", "--average", "--bits", "12"], options("pa1:average=true", hashed)?),
        (&["--learner", "arow", "--scale-features", "rms"], options("arow", |r| r.scale = Scale::Rms)?),
    ] {
        json(folder.path(), &[&["train", &tickets.display().to_string(), "-o", "m"], flags].concat());
        let (model, _) = train(vec![Source::Path(tickets.clone())], &options, &mut Silent)?;
        assert!(model.to_bytes()? == read(folder.path(), "m"), "{flags:?}");
    }
    Ok(())
}

/// Puts a file into the folder, whole and in two parts: `all.ENDING`, `a.ENDING`, `b.ENDING`.
fn split(folder: &std::path::Path, ending: &str, all: &[u8], at: usize) {
    let lines: Vec<&[u8]> = all.split_inclusive(|&b| b == b'\n').collect();
    for (name, part) in [("all", &lines[..]), ("a", &lines[..at]), ("b", &lines[at..])] {
        crate::run::write(folder, &format!("{name}.{ending}"), part.concat());
    }
}

/// The whole matrix of rules, stores and schedules is in the tests of the library; here are the ways of the program.
#[test]
fn resuming_is_going_on() {
    let folder = folder();
    generate(folder.path(), "stream", &["zipf-classes", "-n", "300"]);
    split(folder.path(), "svm", &read(folder.path(), "stream"), 200);
    generate(folder.path(), "stream", &["ellipse", "-n", "150"]);
    split(folder.path(), "ellipse.svm", &read(folder.path(), "stream"), 100);
    let tickets = std::fs::read(root().join("examples/tickets.tsv")).expect("the tickets");
    split(folder.path(), "tsv", &tickets, 350);
    for (ending, flags) in [
        ("svm", &["--rule", "arow"][..]),
        ("svm", &["--learner", "auto"]),
        ("svm", &["--bits", "10", "--scale-features", "rms"]),
        ("svm", &["--learner", "cw-var:schedule=exact,top=2"]),
        ("svm", &["--learner", "pa1:average=true,schedule=parallel,top=3"]),
        ("ellipse.svm", &["--learner", "cw-stdev/full", "--scale-features", "standardize"]),
        ("ellipse.svm", &["--learner", "arow/factored:rank=3,buffer=4"]),
        ("ellipse.svm", &["--learner", "arow/kernel:kernel=rbf"]),
        ("tsv", &["--learner", "auto"]),
        ("tsv", &["--learner", "logistic", "--ngrams", "1-2", "--bits", "12"]),
    ] {
        let train = |arguments: &[&str]| json(folder.path(), &[&["train"], arguments].concat());
        let [all, a, b] = ["all", "a", "b"].map(|name| format!("{name}.{ending}"));
        train(&[&[&a, &b, "-o", "whole"], flags].concat());
        train(&[&[&a, "-o", "part"], flags].concat());
        train(&[&b, "--resume", "part", "-o", "resumed"]);
        assert!(read(folder.path(), "whole") == read(folder.path(), "resumed"), "{ending} {flags:?}");
        train(&[&all, "--resume", "part", "--skip", "seen", "-o", "resumed"]);
        assert!(read(folder.path(), "whole") == read(folder.path(), "resumed"), "{ending} {flags:?}");
    }
}

#[test]
fn a_cache_of_an_earlier_run_changes_nothing_and_is_made_anew_when_the_data_changes() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["zipf", "-n", "500"]);
    let train = |flags: &[&str]| {
        json(folder.path(), &[&["train", "points.svm", "-o", "m", "--cache", "c"], flags].concat());
        (read(folder.path(), "m"), read(folder.path(), "c"))
    };
    for flags in [&["--passes", "1"][..], &["--passes", "2"], &["--passes", "2", "--shuffle"]] {
        json(folder.path(), &[&["train", "points.svm", "-o", "plain"], flags].concat());
        let (first, again) = (train(flags), train(flags));
        assert!(first == again && first.0 == read(folder.path(), "plain"), "{flags:?}");
    }
    let (_, old) = train(&[]);
    generate(folder.path(), "points.svm", &["zipf", "-n", "600"]);
    let (model, new) = train(&[]);
    json(folder.path(), &["train", "points.svm", "-o", "plain"]);
    assert!(old != new && model == read(folder.path(), "plain"));
    let (code, message) =
        crate::run::failure(folder.path(), &["train", "-", "--format", "svmlight", "--cache", "c"]);
    assert!(code == Some(1) && message.contains("standard input"), "{message}");
}

#[test]
fn places_that_are_not_there_are_refused_before_the_work() {
    let folder = folder();
    generate(folder.path(), "points.svm", &["coins", "-n", "20"]);
    for flags in [["-o", "no/m"], ["--plot", "no/p.svg"], ["--cache", "no/c"]] {
        let (code, message) =
            crate::run::failure(folder.path(), &[&["train", "points.svm"], &flags[..]].concat());
        assert!(code == Some(1) && message.contains("there is no folder no"), "{message}");
    }
}

#[test]
fn a_converted_cache_is_the_one_that_training_makes() {
    let folder = folder();
    let tickets = root().join("examples/tickets.tsv").display().to_string();
    for learner in ["auto", "arow"] {
        let train = |cache: &str, model: &str| {
            json(folder.path(), &["train", &tickets, "--learner", learner, "--cache", cache, "-o", model]);
        };
        let convert = ["convert", &tickets, "made.cache", "--learner", learner];
        assert!(run(folder.path(), &convert).status.success());
        let made = read(folder.path(), "made.cache");
        train("trained.cache", "a");
        assert!(made == read(folder.path(), "trained.cache"), "{learner}");
        train("made.cache", "b");
        assert!(read(folder.path(), "a") == read(folder.path(), "b"), "{learner}");
        let back = run(folder.path(), &["convert", "made.cache", "back.vw"]);
        if learner == "auto" {
            // Pairs of words have names with blanks, for which the format has no room.
            let said = String::from_utf8_lossy(&back.stderr).into_owned();
            assert!(said.contains("expected a feature name without blanks"), "{said}");
        } else {
            assert!(back.status.success());
            assert_eq!(String::from_utf8_lossy(&read(folder.path(), "back.vw")).lines().count(), 593);
        }
    }
}
