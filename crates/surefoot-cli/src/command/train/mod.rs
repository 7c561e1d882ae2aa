//! `surefoot train`: from a file to a model, with an honest estimate of its error.

mod compact;
mod progress;
mod report;
mod shards;
mod uncertain;
mod watch;

use std::io::Write;
use std::panic::resume_unwind;
use std::path::PathBuf;
use std::thread;

use clap::{Args, ValueEnum};
use serde::Serialize;
use surefoot::core::{LearnerSpec, RowKind};
use surefoot::train::{Report, TrainOptions, by_place, resume, train};
use surefoot::{MemberReport, Model, plot};

use crate::failure::{Failure, Result};
use crate::flags::{
    ColumnFlags, DataFlags, DriftFlags, FeatureFlags, LearnerFlags, MissingFlags, ProblemFlags, RejectFlags,
    TalkFlags, plot_file, sources,
};
use crate::output;
use crate::places::{self, Output};
use compact::Compacted;
use shards::ShardFlags;
use watch::TrainWatch;

/// Learn a model from data, one example at a time
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot train examples/tickets.tsv\n  \
        head -493 examples/tickets.tsv > past.tsv; tail -100 examples/tickets.tsv > held-out.tsv\n  \
        surefoot train past.tsv -o tickets.model --test held-out.tsv --report tickets.html\n  \
        surefoot train held-out.tsv --resume tickets.model -o later.model\n  \
        surefoot train examples/urls.tsv --tokens url --passes 3 -o urls.model\n  \
        surefoot generate zipf | surefoot train - --learner cw-stdev --bits 18 -o zipf.model\n\n\
        Each example is predicted before it is learned from, so the error shown is an honest one.\n\
        Formats: svmlight, vw, csv, tsv, jsonl, fasttext, text; gz and zst are read as they are.")]
pub struct Train {
    /// Data to learn from, in this order; `-` is standard input
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Where to save the model
    #[arg(short, long, value_name = "MODEL")]
    output: Option<PathBuf>,
    #[command(flatten)]
    problem: ProblemFlags,
    #[command(flatten)]
    telling: TellingFlags,
    #[command(flatten)]
    columns: ColumnFlags,
    #[command(flatten)]
    features: FeatureFlags,
    #[command(flatten)]
    reading: DataFlags,
    #[command(flatten)]
    missing: MissingFlags,
    #[command(flatten)]
    rejects: RejectFlags,
    #[command(flatten)]
    keeping: KeepingFlags,
    #[command(flatten)]
    sharding: ShardFlags,
    #[command(flatten)]
    drift: DriftFlags,
    #[command(flatten)]
    learner: LearnerFlags,
}

/// Going on and not losing work.
#[derive(Args, Debug)]
#[command(next_help_heading = "Going on")]
struct KeepingFlags {
    /// Go on with this model, on new data or after an interruption
    #[arg(long, value_name = "MODEL")]
    resume: Option<PathBuf>,
    /// Save the model every N rounds
    #[arg(long, value_name = "N", default_value_t = 0, requires = "output", hide_short_help = true)]
    checkpoint_every: u64,
    /// Keep the parsed examples in this file for later runs of the same data
    #[arg(long, value_name = "FILE")]
    cache: Option<PathBuf>,
    /// Of an ensemble, save all members or only the best one
    #[arg(long, value_enum, value_name = "WHICH")]
    save: Option<SavedMembers>,
    /// Save a smaller model: without features that say nothing, in single precision; see what it costs with --test
    #[arg(long)]
    compact: bool,
    /// Leave out the first N examples; `seen` for as many as the resumed model has seen
    #[arg(long, value_name = "N|seen", value_parser = skip, hide_short_help = true)]
    skip: Option<Skip>,
}

/// What is told on the way and at the end.
#[derive(Args, Debug)]
#[command(next_help_heading = "Output")]
struct TellingFlags {
    /// Held-out data: its error is shown after each pass
    #[arg(long, value_name = "FILE")]
    test: Vec<PathBuf>,
    /// One line a round, as it comes: the predicted label, its score, the score's variance, the label's probability
    #[arg(long, value_name = "FILE")]
    predictions: Option<PathBuf>,
    /// Draw how the error fell, pass by pass, with the held-out error of --test
    #[arg(long, value_name = "FILE.svg", value_parser = plot_file)]
    plot: Option<PathBuf>,
    /// Write all of it as one HTML page that stands alone
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// The progress table and bar: auto shows them on a terminal
    #[arg(long, value_enum, value_name = "WHEN", default_value = "auto")]
    progress: When,
    /// Print the result as one JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    talk: TalkFlags,
}

/// When progress is shown.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum When {
    Auto,
    Always,
    Never,
}

/// Which members of an ensemble are saved.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum SavedMembers {
    /// The whole ensemble
    All,
    /// The member with the smallest log loss
    Best,
}

/// How many examples to leave out at the start.
#[derive(Debug, Clone, Copy)]
enum Skip {
    First(u64),
    Seen,
}

fn skip(text: &str) -> Result<Skip, String> {
    match text {
        "seen" => Ok(Skip::Seen),
        _ => text.parse().map(Skip::First).map_err(|_| "expected a whole number or `seen`".into()),
    }
}

impl Train {
    /// Learns, saves, reports.
    pub fn run(self) -> Result<()> {
        self.telling.talk.begin();
        self.check_places()?;
        if let Some(shards) = self.sharding.shards {
            return self.run_shards(shards);
        }
        let start = self.keeping.resume.as_deref().map(places::load).transpose()?;
        let options = self.options(start.as_ref())?;
        if let (None, Some(note)) = (&start, self.learner.note()) {
            output::note(&format!("note: {note}"));
        }
        if self.keeping.compact && !options.learner.is_compactable() {
            return Err(Failure::usage(
                "--compact is for auto and the stores diagonal and compact, whose weights stand each for itself; members of an ensemble \
                 are to be on the same one",
            ));
        }
        let mut watch = TrainWatch::new(&self, &options)?;
        let outcome = match start {
            Some(model) => resume(model, sources(&self.data), &options, &mut watch),
            None => train(sources(&self.data), &options, &mut watch),
        };
        let (model, report) = outcome.inspect_err(|_| watch.give_up())?;
        let told = watch.finish();
        self.check_skipped(&report)?;
        report.notes.iter().for_each(|note| output::note(&format!("note: {note}")));
        report.warnings.iter().for_each(|warning| output::note(&format!("warning: {warning}")));
        let members = model.members()?;
        let model = self.kept(model)?;
        let (model, compacted) = self.compacted(model)?;
        // What is shown is looked for while the model goes to the disk: nothing to compute there, and all weights to see here.
        let (saved, decisive) = thread::scope(|scope| {
            let saving = scope.spawn(|| self.output.as_ref().map_or(Ok(()), |path| model.save(path)));
            let decisive = if self.prints() { model.decisive(report::DECISIVE) } else { Vec::new() };
            (saving.join().unwrap_or_else(|panic| resume_unwind(panic)), decisive)
        });
        saved?;
        let mut told = told?;
        by_place(&report.changes).iter().for_each(|place| told.curve.add_change(place.example));
        if let Some(path) = &self.telling.plot {
            plot::error_curve(&told.curve, &plot::heading(&self.data, &report.learner)).save(path)?;
        }
        if let Some(path) = &self.telling.report {
            report::page(&self, &model, &report, &told, path)?;
        }
        if self.telling.json {
            let model = self.output.as_ref().map(|path| path.display().to_string());
            return output::json(&Json {
                members: &members,
                report: &report,
                model,
                interrupted: told.interrupted,
                test: &told.held_out,
                compact: compacted.as_ref(),
            });
        }
        if !self.prints() {
            return Ok(());
        }
        report::print(&self, &model, &report, &members, &decisive, &told)?;
        let mut out = output::stdout();
        compacted.map_or(Ok(()), |compacted| compacted.print(&mut out))?;
        Ok(out.flush()?)
    }

    /// The model as `--compact` has it, and what that costs.
    fn compacted(&self, model: Model) -> Result<(Model, Option<Compacted>)> {
        if !self.keeping.compact {
            return Ok((model, None));
        }
        let (test, reading) = (sources(&self.telling.test), self.reading.for_model(false, self.missing));
        Compacted::new(model, test, &reading)
    }

    /// Whether there is a report for people.
    fn prints(&self) -> bool {
        !self.telling.json && !self.telling.talk.quiet
    }

    fn check_places(&self) -> Result<()> {
        let (KeepingFlags { resume, cache, .. }, TellingFlags { test, predictions, plot, report, .. }) =
            (&self.keeping, &self.telling);
        let model = |path| Output::whole("-o", path).replacing(resume.as_deref());
        let written = [
            self.output.as_deref().map(model),
            cache.as_deref().map(|path| Output::whole("--cache", path)),
            plot.as_deref().map(|path| Output::stream("--plot", path)),
            report.as_deref().map(|path| Output::whole("--report", path)),
            predictions.as_deref().map(|path| Output::stream("--predictions", path)),
            self.rejects.output(),
        ];
        let written: Vec<Output<'_>> = written.into_iter().flatten().collect();
        if let Some(other) = written.iter().find(|output| self.telling.json && output.is_standard()) {
            return Err(Failure::usage(format!(
                "--json is alone on standard output; name a file instead of {other}"
            )));
        }
        places::check(self.data.iter().chain(test).chain(resume), &written)?;
        cache.as_deref().map_or(Ok(()), places::check_cache)
    }

    fn options(&self, start: Option<&Model>) -> Result<TrainOptions> {
        let learner = match start {
            Some(model) => model.learner_spec().clone(),
            None => self.learner.learner_spec()?,
        };
        let recipe = surefoot::default_recipe_for(&learner);
        let mut options = self.problem.options(learner, recipe, &self.features, &self.columns, &self.reading);
        if let Some(model) = start {
            self.refuse_changes(model)?;
            options.seed = model.seed();
        }
        let skip = self.examples_to_skip(start)?;
        let cache = self.keeping.cache.clone();
        let options = self.drift.apply(options)?.incomplete(self.missing.are_ignored());
        Ok(options.skip(skip).cache(cache).checkpoint_every(self.keeping.checkpoint_every))
    }

    /// The model as it is to be saved.
    fn kept(&self, model: Model) -> Result<Model> {
        match self.keeping.save.unwrap_or(SavedMembers::All) {
            SavedMembers::All => Ok(model),
            SavedMembers::Best => Ok(model.keep_best()?),
        }
    }

    /// Where examples were left out, others must have been learned; only what was seen may be all there is.
    fn check_skipped(&self, report: &Report) -> Result<()> {
        let Some(Skip::First(skip @ 1..)) = self.keeping.skip.filter(|_| report.examples == 0) else {
            return Ok(());
        };
        Err(Failure::Data(format!(
            "nothing was learned: all examples are among the first {skip}, which --skip leaves out"
        )))
    }

    fn examples_to_skip(&self, start: Option<&Model>) -> Result<u64> {
        match (self.keeping.skip, start) {
            (None, _) => Ok(0),
            (Some(_), _) if self.problem.passes > 1 || self.problem.shuffle => {
                Err(Failure::usage("--skip is for one pass in the order of the data"))
            }
            (Some(Skip::First(count)), _) => Ok(count),
            (Some(Skip::Seen), Some(model)) => Ok(model.counts().examples),
            (Some(Skip::Seen), None) => Err(Failure::usage("--skip seen needs --resume MODEL")),
        }
    }

    /// Whether the model's learner is the one that was asked for, whatever its rows were like.
    fn is_of(&self, model: &Model, text: impl Fn(&LearnerSpec) -> Result<String>) -> Result<bool> {
        let (asked, own) = (self.learner.learner_spec()?, model.spec()?);
        for rows in RowKind::ALL {
            if text(&asked.clone().for_rows(rows))? == own {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A model goes on as it began. Saying the same again is fine; saying something else is an error.
    fn refuse_changes(&self, model: &Model) -> Result<()> {
        let (mut learner, mut recipe) = (model.learner_spec().clone(), model.encoder().recipe().clone());
        let mut columns = model.columns().clone();
        self.features.apply(&mut learner, &mut recipe);
        self.columns.apply(&mut columns);
        let text = |learner: &LearnerSpec| learner.text(model.task()).map_err(Failure::usage);
        let changed = if recipe != *model.encoder().recipe() || text(&learner)? != model.spec()? {
            "other feature settings"
        } else if columns != *model.columns() {
            "other columns"
        } else if self.learner.is_given() && !self.is_of(model, text)? {
            "another learner"
        } else if self.drift.differ_from(model)? {
            "another --on-drift or --drift-detector"
        } else if let Some(difference) = self.problem.differs_from(model) {
            difference
        } else {
            return Ok(());
        };
        Err(Failure::usage(format!(
            "the resumed model was learned with {changed}; leave those flags out, or train without --resume \
             (surefoot inspect shows its settings)"
        )))
    }
}

/// What `--json` prints.
#[derive(Serialize)]
struct Json<'a> {
    #[serde(flatten)]
    report: &'a Report,
    model: Option<String>,
    interrupted: bool,
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    members: &'a [MemberReport],
    #[serde(skip_serializing_if = "<[_]>::is_empty")]
    test: &'a [watch::HeldOut],
    #[serde(skip_serializing_if = "Option::is_none")]
    compact: Option<&'a Compacted>,
}
