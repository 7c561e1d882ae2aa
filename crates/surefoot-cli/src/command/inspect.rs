//! `surefoot inspect`: what a model is and what it has learned; never needs the training data.

mod histogram;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use serde::ser::Serializer;
use surefoot::data::model_file::{Counts, FORMAT_VERSION};
use surefoot::data::{FormatOptions, Recipe};
use surefoot::train::OnDrift;
use surefoot::{Model, NamedWeight};

use crate::failure::Result;
use crate::output::{self, counted, percent};
use crate::places;

/// Characters of a label above its features.
const LABEL_WIDTH: usize = 60;

/// Show the settings, counts and weights of a model, each with its standard deviation
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot inspect tickets.model\n  \
        surefoot inspect tickets.model --top 20\n  \
        surefoot inspect tickets.model --all > weights.tsv\n  \
        surefoot inspect tickets.model --json > tickets.json")]
pub struct Inspect {
    /// The model
    model: PathBuf,
    /// How many weights of each label to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Every weight, in feature order: feature, label (if many), mean, variance
    #[arg(long)]
    all: bool,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

impl Inspect {
    /// Shows the model.
    pub fn run(self) -> Result<()> {
        let model = places::load(&self.model)?;
        match (self.json, self.all) {
            (true, _) => output::json(&self.description(&model)?),
            (false, true) => write_all(&model),
            (false, false) => self.print(&model),
        }
    }

    fn description<'m>(&self, model: &'m Model) -> Result<Description<'m>> {
        Ok(Description {
            learner: model.spec()?,
            version: FORMAT_VERSION,
            task: model.task().word(),
            labels: label_names(model),
            features: model.encoder().index().len(),
            collisions: model.encoder().index().collisions(),
            counts: model.counts(),
            seed: model.seed(),
            on_drift: Some(model.on_drift()).filter(|on_drift| *on_drift != OnDrift::Report),
            recipe: model.encoder().recipe(),
            columns: model.columns(),
            weights: Weights { model, top: (!self.all).then_some(self.top) },
        })
    }

    fn print(&self, model: &Model) -> Result<()> {
        let mut out = output::stdout();
        let counts = model.counts();
        let error = counts.mistakes as f64 / counts.examples.max(1) as f64;
        print_learner(model, &mut out)?;
        let (examples, rounds) = (counted(counts.examples, "example"), counted(counts.rounds, "round"));
        writeln!(out, "seen      {examples} in {rounds}, {}", counted(counts.updates, "update"))?;
        writeln!(out, "error     {} progressive ({})", percent(error), counted(counts.mistakes, "mistake"))?;
        if model.on_drift() != OnDrift::Report {
            let detectors: Vec<&str> = model.detectors().iter().map(|spec| spec.name).collect();
            writeln!(out, "on drift  {}, found by {}", model.on_drift().name(), detectors.join(" and "))?;
        }
        writeln!(out, "labels    {}", output::cut(&label_names(model).join(", "), 90))?;
        writeln!(out, "features  {}", output::thousands(model.encoder().index().len() as u64))?;
        writeln!(out, "prepared  {}", prepared(model.encoder().recipe()))?;
        writeln!(out, "file      version {} of the format", FORMAT_VERSION)?;
        if let Some(layout) = &model.columns().layout {
            writeln!(out, "data      {}", output::plain(&layout.to_string()))?;
        }
        print_top(model, self.top, &mut out)?;
        histogram::print(model, &mut out)?;
        Ok(out.flush()?)
    }
}

/// The labels in their order.
fn label_names(model: &Model) -> Vec<String> {
    let labels = model.labels();
    labels.order().into_iter().map(|class| labels.name(class).to_string()).collect()
}

/// The SPEC, or the members of an ensemble with their shares.
fn print_learner(model: &Model, out: &mut dyn Write) -> Result<()> {
    let members = model.members()?;
    if members.is_empty() {
        return Ok(writeln!(out, "learner   {}", model.spec()?)?);
    }
    writeln!(out, "learner   {} side by side; the weights are those of the best", members.len())?;
    for member in members {
        writeln!(out, " {:>7}  {}@{}", percent(member.share), member.learner, member.view)?;
    }
    Ok(())
}

/// What `--json` prints.
#[derive(Serialize)]
struct Description<'m> {
    learner: String,
    /// Of the model file.
    version: u64,
    task: &'static str,
    labels: Vec<String>,
    features: usize,
    collisions: usize,
    counts: Counts,
    seed: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    on_drift: Option<OnDrift>,
    recipe: &'m Recipe,
    columns: &'m FormatOptions,
    weights: Weights<'m>,
}

/// All weights, or the most decisive of each label; written one by one, for there may be millions.
struct Weights<'m> {
    model: &'m Model,
    top: Option<usize>,
}

#[derive(Serialize)]
struct WeightLine {
    feature: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    label: Option<String>,
    mean: f64,
    variance: f64,
}

impl From<NamedWeight<'_>> for WeightLine {
    fn from(named: NamedWeight<'_>) -> Self {
        Self {
            feature: named.feature.to_string(),
            label: named.label.map(ToString::to_string),
            mean: named.weight.mean,
            variance: named.weight.variance,
        }
    }
}

impl Serialize for Weights<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Some(top) = self.top else {
            return serializer.collect_seq(self.model.weights().map(WeightLine::from));
        };
        let decisive = self.model.decisive(top).into_iter().flat_map(|(_, weights)| weights);
        serializer.collect_seq(decisive.map(WeightLine::from))
    }
}

fn write_all(model: &Model) -> Result<()> {
    let mut out = output::stdout();
    for named in model.weights() {
        let label =
            named.label.map_or_else(String::new, |label| format!("\t{}", output::plain(&label.to_string())));
        let (feature, weight) = (named.feature.to_string(), named.weight);
        let (mean, variance) = (output::exact(weight.mean), output::exact(weight.variance));
        writeln!(out, "{}{label}\t{mean}\t{variance}", output::plain(&feature))?;
    }
    Ok(out.flush()?)
}

/// The steps from data to numbers.
fn prepared(recipe: &Recipe) -> String {
    let steps = [
        format!("text {}", recipe.text.values.word()),
        format!("values {}", recipe.values.word()),
        format!("scale {}", word(&recipe.scale)),
        format!("length {}", word(&recipe.normalize)),
        if recipe.bias { "bias".into() } else { "no bias".into() },
        format!("space {}", word(&recipe.space)),
    ];
    steps.join(", ")
}

/// A setting as the model file spells it.
fn word(setting: &impl Serialize) -> String {
    match serde_json::to_value(setting) {
        Ok(serde_json::Value::String(word)) => word,
        other => other.map(|value| value.to_string()).unwrap_or_default(),
    }
}

/// The most decisive features of each label, with one standard deviation and what each weight has seen.
fn print_top(model: &Model, count: usize, out: &mut dyn Write) -> Result<()> {
    for (label, weights) in model.decisive(count) {
        writeln!(out, "\n{}", output::cut(&label.to_string(), LABEL_WIDTH))?;
        for named in weights {
            let (name, evidence) = (output::cut(&named.feature.to_string(), 40), named.evidence);
            let (mean, deviation) = (named.weight.mean, named.weight.variance.sqrt());
            writeln!(out, "  {name:<40} {mean:>9.4} ± {deviation:<8.4} evidence {evidence:.1}")?;
        }
    }
    Ok(())
}
