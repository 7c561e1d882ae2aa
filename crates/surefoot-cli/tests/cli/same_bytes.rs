//! The same data gives the same model, whatever the threads, whoever asks, and however often it is interrupted.

use surefoot::data::Source;
use surefoot::train::{Silent, TrainOptions, train};

use crate::run::{folder, generate, json, read, root};

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
    json(folder.path(), &["train", &tickets.display().to_string(), "-o", "m"]);
    let (model, _) = train(vec![Source::Path(tickets)], &TrainOptions::default(), &mut Silent)?;
    assert_eq!(model.to_bytes()?, read(folder.path(), "m"));
    Ok(())
}

#[test]
fn resuming_is_going_on() {
    let folder = folder();
    generate(folder.path(), "all.svm", &["zipf-classes", "-n", "600"]);
    let all = read(folder.path(), "all.svm");
    let lines: Vec<&[u8]> = all.split_inclusive(|&b| b == b'\n').collect();
    crate::run::write(folder.path(), "a.svm", lines[..400].concat());
    crate::run::write(folder.path(), "b.svm", lines[400..].concat());
    for flags in
        [&["--rule", "arow"][..], &["--learner", "auto"], &["--bits", "10", "--scale-features", "rms"]]
    {
        let train = |arguments: &[&str]| json(folder.path(), &[&["train"], arguments].concat());
        train(&[&["a.svm", "b.svm", "-o", "whole"], flags].concat());
        train(&[&["a.svm", "-o", "part"], flags].concat());
        train(&["b.svm", "--resume", "part", "-o", "part"]);
        assert_eq!(read(folder.path(), "whole"), read(folder.path(), "part"), "{flags:?}");
        train(&[&["a.svm", "-o", "part"], flags].concat());
        train(&["all.svm", "--resume", "part", "--skip", "seen", "-o", "part"]);
        assert_eq!(read(folder.path(), "whole"), read(folder.path(), "part"), "{flags:?}");
    }
}
