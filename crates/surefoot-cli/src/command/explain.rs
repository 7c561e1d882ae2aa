//! `surefoot explain`: which features decided each prediction, and how sure each is.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::Value;
use surefoot::data::{Batch, Example, Label};
use surefoot::{Contribution, Explanation, Familiarity, Others, explain};

use crate::failure::Result;
use crate::flags::{DataFlags, MissingFlags, sources};
use crate::output::{self, cut};
use crate::places;

/// Show which features decided each prediction, each with its standard deviation
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot explain tickets.model held-out.tsv\n  \
        surefoot explain tickets.model held-out.tsv --mistakes\n  \
        echo 'my card was charged twice' | surefoot explain tickets.model - --top 3\n  \
        surefoot explain tickets.model held-out.tsv --json > reasons.jsonl")]
pub struct Explain {
    /// The model
    model: PathBuf,
    /// Data, labelled or not; `-` is standard input
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// How many features to show for each example
    #[arg(long, value_name = "N", default_value_t = 8)]
    top: usize,
    /// Only examples whose label was predicted wrongly
    #[arg(long)]
    mistakes: bool,
    /// Print JSON lines
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    reading: DataFlags,
    #[command(flatten)]
    missing: MissingFlags,
}

impl Explain {
    /// Explains.
    pub fn run(self) -> Result<()> {
        let model = places::load(&self.model)?;
        let mut out = output::stdout();
        let mut reader = model.read(sources(&self.data), &self.reading.for_model(true, self.missing))?;
        if !self.json {
            writeln!(
                out,
                "feature, what it adds to the log odds of the label over the next ± one deviation, its part of the decision\n"
            )?;
        }
        let (mut batch, mut familiarity, mut unlabelled) = (Batch::new(), Familiarity::default(), 0);
        while reader.next_batch(&mut batch).map_err(surefoot::Error::from)? {
            for example in batch.iter() {
                familiarity.see(&model, &example.features);
                let spelt = |label: &[u8]| Label::read(&String::from_utf8_lossy(label)).to_string();
                let truth: Vec<String> = example.labels().map(spelt).collect();
                let truth = (!truth.is_empty()).then(|| truth.join(","));
                unlabelled += u64::from(truth.is_none());
                let why = Explanation { truth, ..explain(&model, &example.features, self.top)? };
                if self.mistakes && !is_mistake(&why) {
                    continue;
                }
                if self.json {
                    write_json(&example, &why, &mut out)?
                } else {
                    print(&example, &why, &mut out)?
                }
            }
            out.flush()?;
        }
        if self.mistakes && unlabelled > 0 {
            let examples = output::counted(unlabelled, "example");
            output::note(&format!("warning: {examples} without a label, of which no mistake can be known"));
        }
        output::note_skipped(reader.bad_lines());
        output::note_unfamiliar(&reader.findings().notes(), familiarity, &model);
        Ok(())
    }
}

/// Whether another label was true; where there are several, whether the one that is explained is none of them.
fn is_mistake(why: &Explanation) -> bool {
    why.truth.as_ref().is_some_and(|truth| !truth.split(',').any(|own| Some(own) == why.label.as_deref()))
}

/// The id of an example, or else its line.
fn name(example: &Example<'_>) -> String {
    match example.tag {
        Some(tag) => output::plain(&String::from_utf8_lossy(tag)).into_owned(),
        None => format!("line {}", example.line),
    }
}

fn write_json(example: &Example<'_>, why: &Explanation, out: &mut dyn Write) -> Result<()> {
    let mut line = serde_json::to_value(why)?;
    if let (Some(tag), Value::Object(line)) = (example.tag, &mut line) {
        line.insert("id".into(), String::from_utf8_lossy(tag).into());
    }
    serde_json::to_writer(&mut *out, &line)?;
    Ok(out.write_all(b"\n")?)
}

fn print(example: &Example<'_>, why: &Explanation, out: &mut dyn Write) -> Result<()> {
    let label = output::plain(why.label.as_deref().unwrap_or("nothing"));
    let rival = why.runner_up.as_ref().map_or_else(String::new, |rival| {
        format!(", {} {}", output::probability(rival.probability), output::plain(&rival.label))
    });
    let truth = match &why.truth {
        Some(truth) if is_mistake(why) => format!("; wrong: it is {}", output::plain(truth)),
        Some(_) => "; right".to_owned(),
        None => String::new(),
    };
    writeln!(out, "{}: {} {label}{rival}{truth}", name(example), output::probability(why.probability))?;
    let width = why.features.iter().map(|own| own.feature.chars().count()).max().unwrap_or(0).min(30);
    for own in &why.features {
        writeln!(out, "  {}", line(own, width))?;
    }
    if why.others.features > 0 {
        let Others { features, contribution } = why.others;
        let others = output::counted(features as u64, "other feature");
        writeln!(out, "  {others:<width$}  {contribution:>+7.3}")?;
    }
    if why.unknown > 0 {
        writeln!(out, "  {} never met before", output::counted(why.unknown as u64, "feature"))?;
    }
    Ok(writeln!(out)?)
}

/// What one feature did: what it adds for the label with one deviation, and its part of the decision.
fn line(own: &Contribution, width: usize) -> String {
    let feature = cut(&own.feature, width);
    let (share, deviation) = (100.0 * own.share, own.sd * own.value.abs());
    format!("{feature:<width$}  {:>+7.3} ± {deviation:.3}  {share:>3.0} %", own.contribution)
}
