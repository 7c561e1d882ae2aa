//! The folder of an experiment: recipe, records, plot.

use std::fs;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use crate::machine::Machine;
use crate::{Error, Experiment, Findings, Result, Setup, Size};

/// A run as it is kept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What to type to make it again.
    pub command: String,
    /// The seed.
    pub seed: u64,
    /// The version of the product.
    pub version: String,
    /// The machine.
    pub(crate) machine: Machine,
    /// What was found.
    pub findings: Findings,
}

impl Record {
    /// What was found just now, with its circumstances.
    #[must_use]
    pub fn new(experiment: &Experiment, setup: &Setup, findings: Findings) -> Self {
        let flag = setup.pick(" --quick", "", " --full");
        let name = experiment.name;
        Self {
            command: format!(
                "cargo run --release -p surefoot-experiments -- {name}{flag} --seed {}",
                setup.seed
            ),
            seed: setup.seed,
            version: env!("CARGO_PKG_VERSION").to_string(),
            machine: Machine::this(),
            findings,
        }
    }
}

/// The folder of an experiment.
#[derive(Debug, Clone)]
pub struct Folder(PathBuf);

impl Folder {
    /// The one of this name, in the folder of this crate.
    #[must_use]
    pub fn of(name: &str) -> Self {
        Self(Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
    }

    /// What the recipe says under `## Differences`; the whole recipe is for people.
    pub fn differences(&self) -> Result<String> {
        let recipe = read(&self.0.join("recipe.md"))?;
        let (_, rest) = recipe.split_once("## Differences").ok_or_else(|| {
            Error::Other(format!("{}: the recipe has no section '## Differences'", self.0.display()))
        })?;
        Ok(rest.split("\n## ").next().unwrap_or_default().trim().to_string())
    }

    /// The record of a size, if it was made.
    pub fn record(&self, size: Size) -> Result<Option<Record>> {
        let path = self.0.join(size.file());
        if !path.exists() {
            return Ok(None);
        }
        let refuse = |error| Error::Other(format!("{}: {error}", path.display()));
        serde_json::from_str(&read(&path)?).map(Some).map_err(refuse)
    }

    /// Keeps a record.
    pub fn keep(&self, size: Size, record: &Record) -> Result<()> {
        let text = compact(&serde_json::to_string_pretty(record).map_err(|e| Error::Other(e.to_string()))?);
        write(&self.0.join(size.file()), &(text + "\n"))
    }

    /// Keeps the plot of a size: the page shows that of the usual one.
    pub fn keep_plot(&self, size: Size, svg: &str) -> Result<()> {
        let name = if size == Size::Usual { "plot.svg".into() } else { size.file().replace(".json", ".svg") };
        write(&self.0.join(name), svg)
    }
}

/// Pretty JSON with lists of plain values on one line each, or a series would be a page long.
fn compact(pretty: &str) -> String {
    let mut out = String::with_capacity(pretty.len());
    let mut flat = false;
    for line in pretty.lines() {
        let text = line.trim();
        if flat {
            out.push_str(text);
            if text.starts_with(']') {
                (flat, _) = (false, out.push('\n'));
            } else if text.ends_with(',') {
                out.push(' ');
            }
            continue;
        }
        out.push_str(line);
        // The lists of lists are the rows of tables and what holds objects.
        let nested = [
            "\"rows\": [",
            "\"data\": [",
            "\"tables\": [",
            "\"series\": [",
            "\"claims\": [",
            "\"timings\": [",
        ];
        if text.ends_with('[') && !nested.contains(&text) {
            flat = true;
        } else {
            out.push('\n');
        }
    }
    out.trim_end().to_string()
}

/// Reads a file of the experiments.
pub(crate) fn read(path: &Path) -> Result<String> {
    fs::read_to_string(path).map_err(|error| Error::Other(format!("{}: {error}", path.display())))
}

/// Writes a file of the experiments.
pub(crate) fn write(path: &Path, text: &str) -> Result<()> {
    let made = path.parent().map_or(Ok(()), fs::create_dir_all);
    made.and_then(|()| fs::write(path, text))
        .map_err(|error| Error::Other(format!("{}: {error}", path.display())))
}
