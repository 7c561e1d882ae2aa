//! `surefoot predict`: one line an example.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde_json::{Map, Value, json};
use surefoot::data::{Batch, Example, Label};
use surefoot::{Model, Predictor};

use crate::failure::Result;
use crate::flags::{DataFlags, MissingFlags, RejectFlags, sources};
use crate::output::{self, exact};
use crate::places::{self, Output};

/// Predict the label of each example
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot predict tickets.model new.txt\n  \
                  echo 'my card was charged twice' | surefoot predict tickets.model - --probabilities\n  \
                  surefoot predict tickets.model new.csv --all-labels --probabilities\n  \
                  surefoot predict tickets.model new.jsonl --json > predictions.jsonl\n\n\
                  A label in the data is ignored; an id or tag is echoed as the first column.")]
pub struct Predict {
    /// The model
    model: PathBuf,
    /// Data; `-` is standard input
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Add the calibrated probability of the label
    #[arg(long, short, help_heading = "Output")]
    probabilities: bool,
    /// Add the vote: how sure the weights are of the label
    #[arg(long, help_heading = "Output")]
    votes: bool,
    /// Add the score μ·x and its variance; of an ensemble, of its members' weighted log odds
    #[arg(long, help_heading = "Output")]
    scores: bool,
    /// Give these for all labels, the best first, and not for the predicted one only
    #[arg(long, short, help_heading = "Output")]
    all_labels: bool,
    /// Print JSON lines
    #[arg(long, help_heading = "Output")]
    json: bool,
    /// Where to write the predictions
    #[arg(short, long, value_name = "FILE", default_value = "-", help_heading = "Output")]
    output: PathBuf,
    #[command(flatten)]
    reading: DataFlags,
    #[command(flatten)]
    missing: MissingFlags,
    #[command(flatten)]
    rejects: RejectFlags,
}

impl Predict {
    /// Predicts.
    pub fn run(self) -> Result<()> {
        self.check_places()?;
        let model = places::load(&self.model)?;
        let mut out = output::create(&self.output);
        let mut predictor = Predictor::new(&model);
        let mut reader = model.read(sources(&self.data), &self.reading.for_model(true, self.missing))?;
        let rejects = self.rejects.create();
        if let Some(rejects) = &rejects {
            reader.on_reject(rejects.taker());
        }
        let mut batch = Batch::new();
        while reader.next_batch(&mut batch).map_err(surefoot::Error::from)? {
            batch.iter().try_for_each(|example| self.one(&model, &mut predictor, &example, &mut out))?;
            // What has been predicted is passed on before more is waited for: this may be a live stream.
            out.flush()?;
        }
        output::note_skipped(reader.bad_lines());
        output::note_unfamiliar(&reader.findings().notes(), predictor.familiarity(), &model);
        rejects.map_or(Ok(()), |rejects| rejects.finish())?;
        Ok(out.flush()?)
    }

    fn check_places(&self) -> Result<()> {
        let written = [Some(Output::stream("-o", &self.output)), self.rejects.output()];
        let written: Vec<_> = written.into_iter().flatten().collect();
        places::check([&self.model].into_iter().chain(&self.data), &written)
    }

    fn one(
        &self,
        model: &Model,
        predictor: &mut Predictor<'_>,
        example: &Example<'_>,
        out: &mut dyn Write,
    ) -> Result<()> {
        predictor.predict(&example.features);
        let told = self.tell(model, predictor);
        if self.json {
            let mut line = Map::new();
            if let Some(tag) = example.tag {
                line.insert("id".into(), String::from_utf8_lossy(tag).into());
            }
            told.put_json(self, &mut line);
            serde_json::to_writer(&mut *out, &Value::Object(line))?;
        } else {
            if let Some(tag) = example.tag {
                out.write_all(output::plain(&String::from_utf8_lossy(tag)).as_bytes())?;
                out.write_all(b"\t")?;
            }
            told.write(self, out)?;
        }
        Ok(out.write_all(b"\n")?)
    }

    /// Everything that was asked for, label by label, the predicted one first.
    fn tell<'m>(&self, model: &'m Model, predictor: &mut Predictor<'_>) -> PredictionLine<'m> {
        let classes = model.labels().len();
        let wants_probabilities = self.probabilities || self.json || self.all_labels;
        let none = vec![0.0; classes];
        let probabilities =
            if wants_probabilities { predictor.probabilities().to_vec() } else { none.clone() };
        let votes = if self.votes { predictor.votes().to_vec() } else { none.clone() };
        let wants_scores = self.scores || self.json;
        let variance = if wants_scores { predictor.variance() } else { 0.0 };
        let variances = if wants_scores && self.all_labels { predictor.variances().to_vec() } else { none };
        let prediction = predictor.prediction();
        let mut order: Vec<usize> = match self.all_labels {
            true => model.labels().order().into_iter().map(|class| class as usize).collect(),
            false => prediction.label.into_iter().collect(),
        };
        // Two labels may be as probable as each other, and one of them is predicted.
        let is_other = |class: usize| Some(class) != prediction.label;
        order.sort_by(|&a, &b| {
            is_other(a).cmp(&is_other(b)).then_with(|| probabilities[b].total_cmp(&probabilities[a]))
        });
        let of = |numbers: &[f64], class: usize| numbers.get(class).copied().unwrap_or(0.0);
        let line = |class: usize| OneLabel {
            label: &model.labels().names()[class],
            probability: of(&probabilities, class),
            vote: of(&votes, class),
            score: predictor.score(class),
            variance: of(&variances, class),
        };
        let first = prediction.label.unwrap_or(0);
        PredictionLine {
            labels: order.into_iter().map(line).collect(),
            // Of two labels the one score, whatever its sign.
            score: prediction.binary_score().unwrap_or_else(|| predictor.score(first)),
            variance,
        }
    }
}

/// What is said of one example.
struct PredictionLine<'m> {
    labels: Vec<OneLabel<'m>>,
    score: f64,
    variance: f64,
}

struct OneLabel<'m> {
    label: &'m Label,
    probability: f64,
    vote: f64,
    score: f64,
    variance: f64,
}

impl PredictionLine<'_> {
    fn write(&self, asked: &Predict, out: &mut dyn Write) -> Result<()> {
        for (place, line) in self.labels.iter().enumerate() {
            let label = line.label.to_string();
            write!(out, "{}{}", if place > 0 { "\t" } else { "" }, output::plain(&label))?;
            if asked.probabilities || (asked.all_labels && !asked.votes && !asked.scores) {
                write!(out, "\t{}", exact(line.probability))?;
            }
            if asked.votes {
                write!(out, "\t{}", exact(line.vote))?;
            }
            match (asked.scores, asked.all_labels) {
                (true, true) => write!(out, "\t{}\t{}", exact(line.score), exact(line.variance))?,
                (true, false) => write!(out, "\t{}\t{}", exact(self.score), exact(self.variance))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn put_json(&self, asked: &Predict, line: &mut Map<String, Value>) {
        let first = self.labels.first();
        line.insert("label".into(), json!(first.map(|one| one.label.to_string())));
        line.insert("probability".into(), json!(first.map(|one| one.probability)));
        line.insert("score".into(), json!(self.score));
        line.insert("variance".into(), json!(self.variance));
        if asked.votes {
            line.insert("vote".into(), json!(first.map(|one| one.vote)));
        }
        if asked.all_labels {
            let all = |of: fn(&OneLabel<'_>) -> f64| {
                self.labels.iter().map(|one| (one.label.to_string(), json!(of(one)))).collect::<Map<_, _>>()
            };
            line.insert("probabilities".into(), all(|one| one.probability).into());
            line.insert("scores".into(), all(|one| one.score).into());
            line.insert("variances".into(), all(|one| one.variance).into());
            if asked.votes {
                line.insert("votes".into(), all(|one| one.vote).into());
            }
        }
    }
}
