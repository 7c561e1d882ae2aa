//! Support vector machines from scikit-learn, on exactly the features and splits that all others see.
//!
//! The interpreter is named by SUREFOOT_PYTHON (`make experiments` makes it a virtual environment). The task and its
//! splits go into a temporary folder; `svm.py` reads them and writes the labels it predicts; everything else, tables and
//! significance, is computed from these labels here.

use std::fmt::Write as _;
use std::path::Path;
use std::process::Command;

use serde::{Deserialize, Serialize};

use super::parts::Parts;
use super::verdict::Verdict;
use crate::data::DataSet;
use crate::{Error, Result};

const VARIABLE: &str = "SUREFOOT_PYTHON";

/// What is tuned on and tested, as positions of rows.
#[derive(Serialize)]
struct Job {
    tuning: [Vec<usize>; 2],
    tests: Vec<[Vec<usize>; 2]>,
}

/// What one kind of machine predicted.
#[derive(Deserialize)]
struct Answer {
    c: f64,
    /// The predicted class of every tested row, part after part.
    predicted: Vec<usize>,
}

/// The answers of the two kinds.
#[derive(Deserialize)]
struct Answers {
    /// None if there are too many pairs of labels.
    one_vs_one: Option<Answer>,
    multi_class: Answer,
}

/// One against one, and Crammer and Singer's multi-class machine; none if no interpreter is named.
pub(super) fn verdicts(set: &DataSet, parts: &Parts) -> Result<Vec<Verdict>> {
    let Some(python) = std::env::var_os(VARIABLE) else { return Ok(Vec::new()) };
    let folder = tempfile::tempdir().map_err(|error| Error::Other(format!("temporary folder: {error}")))?;
    write(&folder.path().join("rows.svm"), &svmlight(set))?;
    let pair = |split: super::parts::Split| [split.train, split.test];
    let job = Job { tuning: pair(parts.tuning()), tests: parts.tests().into_iter().map(pair).collect() };
    write(&folder.path().join("job.json"), &serde_json::to_string(&job).map_err(other)?)?;
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("svm.py");
    let done = Command::new(python).arg(script).arg(folder.path()).status().map_err(other)?;
    if !done.success() {
        return Err(Error::Other(format!("svm.py ended with {done}")));
    }
    let text = std::fs::read_to_string(folder.path().join("answers.json")).map_err(other)?;
    let Answers { one_vs_one, multi_class } = serde_json::from_str(&text).map_err(other)?;
    let truths: Vec<usize> =
        job.tests.iter().flat_map(|[_, test]| test).map(|&i| set.examples[i].1).collect();
    let pairwise = one_vs_one.map(|answer| verdict("SVM 1 vs 1", answer, &truths));
    Ok(pairwise.into_iter().chain([verdict("SVM MC", multi_class, &truths)]).collect())
}

fn verdict(name: &'static str, answer: Answer, truths: &[usize]) -> Verdict {
    let right = truths.iter().zip(&answer.predicted).map(|(truth, predicted)| truth == predicted).collect();
    Verdict::batch(name, format!("C={}", answer.c), right)
}

/// The rows in svmlight's format, features from 1.
fn svmlight(set: &DataSet) -> String {
    let mut out = String::new();
    for (x, class) in &set.examples {
        let _ = write!(out, "{class}");
        for (feature, value) in x.features().iter() {
            let _ = write!(out, " {}:{value}", feature + 1);
        }
        out.push('\n');
    }
    out
}

fn write(path: &Path, text: &str) -> Result<()> {
    std::fs::write(path, text).map_err(|error| Error::Other(format!("{}: {error}", path.display())))
}

fn other(error: impl ToString) -> Error {
    Error::Other(error.to_string())
}
