//! `surefoot predict`: one line for every record.

mod line;

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use surefoot::data::{Batch, Example};
use surefoot::{AskedFields, LabelThresholds, Model, PredictionLine, Predictor, Thresholds};

use crate::failure::{Failure, Result};
use crate::flags::{
    DataFlags, MissingFlags, RejectFlags, TalkFlags, ThresholdWord, label_thresholds, of_labels, sources,
    threshold,
};
use crate::output;
use crate::places::{self, Output};
use line::JsonLine;

/// Predict the label of each example
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot predict tickets.model held-out.tsv --probabilities\n  \
        echo 'my card was charged twice' | surefoot predict tickets.model - --top 3\n  \
        surefoot predict urls.model examples/urls.tsv --threshold bad=0.8\n  \
        surefoot predict tickets.model held-out.tsv --json > predictions.jsonl\n\n\
                  Every record has its line: a blank one is an example without features, one that is skipped\n\
                  (--on-bad-line skip) leaves its line empty. A label in the data is ignored; an id or tag is echoed\n\
                  as the first column.")]
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
    /// Give these for the K most probable labels
    #[arg(long, value_name = "K", value_parser = at_least_one, conflicts_with = "all_labels", help_heading = "Output")]
    top: Option<usize>,
    /// Predict LABEL if its probability is at least P, else the best of the labels without a threshold. Where a row may have
    /// several labels, predict those above P, f1-micro or f1-label (thresholds learned for F1); LABEL=P for one label
    #[arg(
        long,
        value_name = "LABEL=P,…",
        value_delimiter = ',',
        value_parser = threshold,
        allow_hyphen_values = true,
        help_heading = "Output"
    )]
    threshold: Vec<ThresholdWord>,
    /// Echo this column as the first one, whatever else it is for
    #[arg(long, value_name = "NAME", help_heading = "Output")]
    id_column: Option<String>,
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
    #[command(flatten)]
    talk: TalkFlags,
}

fn at_least_one(text: &str) -> Result<usize, String> {
    text.parse().ok().filter(|&n| n > 0).ok_or_else(|| "expected a whole number of at least 1".into())
}

impl Predict {
    /// Predicts.
    pub fn run(self) -> Result<()> {
        self.talk.begin();
        self.check_places()?;
        let model = places::load(&self.model)?;
        self.talk.model(&model, self.reading.threads());
        let several = label_thresholds(&model, &self.threshold)?;
        let thresholds = if several.is_none() { self.thresholds(&model)? } else { None };
        let mut out = output::create(&self.output);
        let mut predictor = Predictor::new(&model);
        let reading = self.reading.for_model(true, self.missing).every_record(true);
        let mut reader = model.read(sources(&self.data), &reading.id_column(self.id_column.clone()))?;
        let rejects = self.rejects.create();
        if let Some(rejects) = &rejects {
            reader.on_reject(rejects.taker());
        }
        let (mut batch, mut examples, mut named) = (Batch::new(), 0, 0);
        while reader.next_batch(&mut batch).map_err(surefoot::Error::from)? {
            for example in batch.iter() {
                let thresholds = (thresholds.as_ref(), several.as_ref());
                self.one(&model, &mut predictor, thresholds, &example, &mut out)?;
                examples += 1;
                named += u64::from(example.tag.is_some());
            }
            // What has been predicted is passed on before more is waited for: this may be a live stream.
            out.flush()?;
        }
        self.talk.files(&reader.findings().files());
        output::note_skipped(reader.bad_lines());
        output::note_unfamiliar(&reader.findings().notes(), predictor.familiarity(), &model);
        if let Some(column) = self.id_column.as_ref().filter(|_| examples > 0 && named == 0) {
            output::note(&format!("warning: no record has an id in `{column}`, the --id-column"));
        }
        rejects.map_or(Ok(()), |rejects| rejects.finish())?;
        Ok(out.flush()?)
    }

    fn asked(&self) -> AskedFields {
        AskedFields {
            probabilities: self.probabilities || self.json,
            votes: self.votes,
            scores: self.scores || self.json,
            all_labels: self.all_labels,
            top: self.top,
        }
    }

    fn thresholds(&self, model: &Model) -> Result<Option<Thresholds>> {
        if self.threshold.is_empty() {
            return Ok(None);
        }
        let refused = |error| Failure::usage(format!("--threshold: {error}"));
        Thresholds::new(model, &of_labels(&self.threshold)).map(Some).map_err(refused)
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
        (thresholds, several): (Option<&Thresholds>, Option<&LabelThresholds>),
        example: &Example<'_>,
        out: &mut dyn Write,
    ) -> Result<()> {
        if example.skipped {
            if self.json {
                serde_json::to_writer(&mut *out, &line::skipped())?;
            }
            return Ok(out.write_all(b"\n")?);
        }
        predictor.predict(&example.features);
        several.into_iter().for_each(|thresholds| predictor.choose_labels(thresholds));
        let told = PredictionLine::new(self.asked(), model, predictor, thresholds);
        if self.json {
            serde_json::to_writer(&mut *out, &JsonLine { id: example.tag, line: &told })?;
        } else {
            line::put_id(example, self, out)?;
            line::write(&told, self, out)?;
        }
        Ok(out.write_all(b"\n")?)
    }
}
