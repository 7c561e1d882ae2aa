//! The measurement behind the defaults: one-pass progressive error of candidates over all sets of a directory.
//!
//! ```text
//! cargo run --release -p surefoot --example defaults -- DIRECTORY [SETS [CANDIDATE…]]
//! ```
//!
//! SETS is a list of beginnings of file names, with commas, or `all`. A CANDIDATE reads `SPEC[@VIEW][#OPTION…]`, with
//! the options `ngrams=A-B`, `chars=A-B`, `scale=rms|standardize` and `stop`; without any, a list of the usual suspects.
//! The directory may come from the variable SUREFOOT_DATA. docs/defaults.md tells what was learned from it.

use std::path::{Path, PathBuf};

use surefoot::data::{Ngrams, Recipe, Scale, Source, StopWords};
use surefoot::train::TrainOptions;
use surefoot::{Contender, Error, Protocol, Result, compare};

/// What is tried when nothing is said: each rule at its best few settings, on the usual views.
const USUAL: &[&str] = &[
    "auto",
    "arow:r=0.01@sqrt+l2",
    "arow:r=0.03@sqrt+l2",
    "arow:r=0.1@sqrt+l2",
    "arow:r=0.3@sqrt+l2",
    "arow:r=1@sqrt+l2",
    "arow:r=0.1,schedule=sequential@sqrt+l2",
    "arow:r=0.1@binary+l2",
    "arow:r=0.1@log+l2",
    "arow:r=0.1@none+l2",
    "arow:r=1@none",
    "arow:r=0.1@sqrt+l2#scale=rms",
    "arow:r=0.1@sqrt+l2#ngrams=1-2",
    "logistic:scale=0.1@sqrt+l2",
    "logistic:scale=0.3@sqrt+l2",
    "scw1:c=1,confidence=0.75@sqrt+l2",
    "nherd:c=1@sqrt+l2",
    "cw-stdev:confidence=0.7@sqrt+l2",
    "cw-var:confidence=0.7@sqrt+l2",
    "pa1:c=1@sqrt+l2",
    "perceptron:average=true@sqrt+l2",
];

fn main() -> Result<()> {
    let mut arguments = std::env::args().skip(1);
    let directory = arguments.next().or_else(|| std::env::var("SUREFOOT_DATA").ok());
    let directory = directory.ok_or_else(|| Error::Other("which directory holds the data sets?".into()))?;
    let wanted = arguments.next().unwrap_or_else(|| "all".into());
    let mut names: Vec<String> = arguments.collect();
    if names.is_empty() {
        names = USUAL.iter().map(ToString::to_string).collect();
    }
    let contenders = names.iter().map(|name| candidate(name)).collect::<Result<Vec<_>>>()?;
    let sets = sets(Path::new(&directory), &wanted)?;
    let mut errors = Vec::new();
    for set in &sets {
        errors.push(measure(set, &contenders)?);
    }
    print_table(&sets, &names, &errors);
    Ok(())
}

/// A contender with its own recipe.
fn candidate(text: &str) -> Result<Contender> {
    let (head, options) = text.split_once('#').unwrap_or((text, ""));
    let mut recipe = Recipe::default();
    for option in options.split('#').filter(|option| !option.is_empty()) {
        match option.split_once('=').unwrap_or((option, "")) {
            ("ngrams", lengths) => recipe.text.ngrams = Some(range(lengths)?),
            ("chars", lengths) => recipe.text.characters = Some(range(lengths)?),
            ("scale", "rms") => recipe.scale = Scale::Rms,
            ("scale", "standardize") => recipe.scale = Scale::Standardize,
            ("stop", _) => recipe.text.stop_words = StopWords::English,
            _ => return Err(Error::Other(format!("unknown option {option}"))),
        }
    }
    let mut contender = Contender::parse(head, &recipe)?;
    contender.name = text.to_string();
    Ok(contender)
}

fn range(text: &str) -> Result<Ngrams> {
    let numbers = text.split_once('-').and_then(|(a, b)| Some((a.parse().ok()?, b.parse().ok()?)));
    let (min, max) = numbers.ok_or_else(|| Error::Other(format!("expected A-B, found {text}")))?;
    Ok(Ngrams { min, max })
}

/// The labelled sets of a directory, by name.
fn sets(directory: &Path, wanted: &str) -> Result<Vec<PathBuf>> {
    let listed =
        std::fs::read_dir(directory).map_err(|e| Error::Other(format!("{}: {e}", directory.display())))?;
    let usable = |path: &PathBuf| {
        let name = short(path);
        let text = path.to_string_lossy();
        let format = text.ends_with(".tsv.zst") || text.ends_with(".svm.zst");
        format && (wanted == "all" || wanted.split(',').any(|start| name.starts_with(start)))
    };
    let mut paths: Vec<PathBuf> = listed.flatten().map(|entry| entry.path()).filter(usable).collect();
    paths.sort();
    Ok(paths)
}

fn short(path: &Path) -> String {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
    name.split('.').next().unwrap_or_default().to_string()
}

/// Error and log loss of each candidate on a set.
fn measure(set: &Path, contenders: &[Contender]) -> Result<Vec<(f64, f64)>> {
    let options = TrainOptions::default().threads(1);
    let source = Source::Path(set.to_path_buf());
    let table = compare(&[source], contenders, Protocol::Progressive, &options)?;
    for row in &table.rows {
        let loss = row.metrics.get("log-loss").unwrap_or(f64::NAN);
        eprintln!("{}\t{:.4}\t{loss:.4}\t{:.2}s\t{}", short(set), row.error_rate, row.seconds, row.learner);
    }
    Ok(table
        .rows
        .iter()
        .map(|row| (row.error_rate, row.metrics.get("log-loss").unwrap_or(f64::NAN)))
        .collect())
}

/// Candidates by mean rank of the error, as a Markdown table.
fn print_table(sets: &[PathBuf], names: &[String], errors: &[Vec<(f64, f64)>]) {
    let mut ranked: Vec<(f64, usize)> = (0..names.len()).map(|i| (mean_rank(errors, i), i)).collect();
    ranked.sort_by(|a, b| a.0.total_cmp(&b.0));
    println!(
        "| candidate | mean rank | {} |",
        sets.iter().map(|set| short(set)).collect::<Vec<_>>().join(" | ")
    );
    println!("| --- {}|", "| --: ".repeat(sets.len() + 1));
    for (rank, i) in ranked {
        let row: Vec<String> = errors.iter().map(|set| format!("{:.4}", set[i].0)).collect();
        println!("| {} | {rank:.2} | {} |", names[i], row.join(" | "));
    }
}

/// The mean over the sets of a candidate's rank by error; equal errors share their ranks.
fn mean_rank(errors: &[Vec<(f64, f64)>], candidate: usize) -> f64 {
    let rank = |set: &Vec<(f64, f64)>| {
        let own = set[candidate].0;
        let better = set.iter().filter(|other| other.0 < own).count();
        let equal = set.iter().filter(|other| other.0 == own).count();
        better as f64 + (equal as f64 + 1.0) / 2.0
    };
    errors.iter().map(rank).sum::<f64>() / errors.len().max(1) as f64
}
