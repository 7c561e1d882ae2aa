//! The quick runs: their claims hold, and they reproduce what is recorded.

use serde_json::Value;
use surefoot_experiments::data::Data;
use surefoot_experiments::{EXPERIMENTS, Experiment, Findings, Folder, Setup, Size, page};

const QUICK: fn() -> Setup = || Setup { size: Size::Quick, seed: 1, data: Data::none() };

/// As it is recorded: text that was read back, without what depends on the machine.
fn recorded(findings: &Findings) -> Value {
    let timeless = Findings { timings: Vec::new(), ..findings.clone() };
    let text = serde_json::to_string(&timeless).expect("plain data");
    serde_json::from_str(&text).expect("just written")
}

fn check(experiment: &Experiment) {
    let name = experiment.name;
    let found = (experiment.run)(&QUICK()).unwrap_or_else(|error| panic!("{name}: {error}"));
    let broken: Vec<&str> = found.claims.iter().filter(|c| !c.holds).map(|c| c.says.as_str()).collect();
    assert!(broken.is_empty(), "{name}: {broken:#?}");
    let record = Folder::of(name).record(Size::Quick).expect("readable");
    let record =
        record.unwrap_or_else(|| panic!("{name} has no quick.json: run `experiments {name} --quick`"));
    // Not assert_eq: a page of numbers helps no reader.
    assert!(recorded(&found) == recorded(&record.findings), "{name} is not what its quick.json says");
    assert!((experiment.draw)(&found).svg().ends_with("</svg>\n"));
}

#[test]
fn quick_runs_keep_their_claims_and_reproduce_their_records() {
    // Two threads: experiments do not depend on each other.
    let (even, odd): (Vec<_>, Vec<_>) = EXPERIMENTS.iter().enumerate().partition(|(i, _)| i % 2 == 0);
    std::thread::scope(|scope| {
        scope.spawn(|| even.iter().for_each(|(_, experiment)| check(experiment)));
        odd.iter().for_each(|(_, experiment)| check(experiment));
    });
}

#[test]
fn every_experiment_has_its_own_folder_with_a_recipe() {
    for (i, experiment) in EXPERIMENTS.iter().enumerate() {
        assert!(EXPERIMENTS[..i].iter().all(|other| other.name != experiment.name), "{}", experiment.name);
        assert!(
            Folder::of(experiment.name).differences().is_ok_and(|text| !text.is_empty()),
            "{}",
            experiment.name
        );
    }
}

#[test]
fn the_page_is_made_from_the_records() {
    let kept = include_str!("../README.md");
    assert!(page().expect("readable records") == kept, "run `cargo run -p surefoot-experiments -- page`");
}
