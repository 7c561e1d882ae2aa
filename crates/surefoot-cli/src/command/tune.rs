//! `surefoot tune`: many settings of a learner beside the default, and other features.

use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use clap::builder::PossibleValuesParser;
use surefoot::core::LearnerSpec;
use surefoot::core::metric;
use surefoot::train::TrainOptions;
use surefoot::words::short_specs_by_kind;
use surefoot::{
    Contender, FeatureSearch, Search, Setting, Tuning, default_recipe, plot, settings, tune, tuning_metrics,
};

use crate::failure::{Failure, Result};
use crate::flags::{
    ColumnFlags, DataFlags, FeatureFlags, ProblemFlags, TalkFlags, default_can_join, plot_file, sources,
};
use crate::output::{self, counted, percent, thousands};
use crate::places::{self, Output};

/// Try many settings of a learner beside the default, other features too, and keep the best
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot tune examples/tickets.tsv -o tickets.model\n  \
        surefoot tune examples/tickets.tsv --features --budget 60 -o tickets.model\n  \
        surefoot tune examples/tickets.tsv --learner 'cw-stdev:confidence=0.8|0.9|0.99' --metric log-loss\n  \
        surefoot tune examples/tickets.tsv --learner 'arow:r=0.01|0.1|1,schedule=sequential|one-vs-rest'\n\n\
                  A parameter may list alternatives with |; those of the rule that are not mentioned run over a grid.\n\
                  Learners that see the same features learn side by side in one pass; the smallest progressive\n\
                  error wins. What is saved is the model that `train` makes with the flags of the first row, and never\n\
                  a worse one than `train` makes without --learner.")]
pub struct Tune {
    /// Data to learn from
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// A SPEC whose parameters may list alternatives, or `auto`, ensemble(…) as they stand; may be given several times
    #[arg(long, value_name = "SPEC", default_value = "arow")]
    learner: Vec<String>,
    /// Leave out the default, `auto`, which is tried first otherwise
    #[arg(long)]
    no_default: bool,
    /// What the best is best in
    #[arg(long, value_name = "METRIC", default_value = "error-rate", value_parser = metric_names())]
    metric: String,
    /// Try other features with the best learner: n-grams where there is text, values, scale; not those that flags settle
    #[arg(long = "features")]
    search_features: bool,
    /// Begin no further pass over the data after so long; the first is always made
    #[arg(long, value_name = "SECONDS", value_parser = seconds)]
    budget: Option<Duration>,
    /// Where to save the best model
    #[arg(short, long, value_name = "MODEL")]
    output: Option<PathBuf>,
    /// How many settings to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Draw the settings by their error, and the error against each parameter
    #[arg(long, value_name = "FILE.svg", value_parser = plot_file)]
    plot: Option<PathBuf>,
    /// Print JSON: all settings, the best first
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    problem: ProblemFlags,
    #[command(flatten)]
    features: FeatureFlags,
    #[command(flatten)]
    columns: ColumnFlags,
    #[command(flatten)]
    reading: DataFlags,
    #[command(flatten)]
    talk: TalkFlags,
}

/// So many settings that were not tried are listed.
const LISTED: usize = 4;

/// Flags of `tune` that `train` does not have or says otherwise, and whether a value follows.
const OWN_FLAGS: [(&str, bool); 10] = [
    ("--learner", true),
    ("--no-default", false),
    ("--metric", true),
    ("--features", false),
    ("--budget", true),
    ("--output", true),
    ("-o", true),
    ("--top", true),
    ("--plot", true),
    ("--json", false),
];

fn metric_names() -> PossibleValuesParser {
    PossibleValuesParser::new(tuning_metrics().map(|spec| spec.name))
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    seconds.ok_or_else(|| "expected a number of seconds, 0 or more".into())
}

impl Tune {
    /// Searches.
    pub fn run(self) -> Result<()> {
        self.talk.begin();
        let mut learners = Vec::new();
        for pattern in &self.learner {
            learners.extend(settings(pattern).map_err(Failure::usage)?);
        }
        let plot = self.plot.as_deref().map(|path| Output::stream("--plot", path));
        let written = self.output.as_deref().map(|path| Output::whole("-o", path));
        places::check(&self.data, &written.into_iter().chain(plot).collect::<Vec<_>>())?;
        let single = LearnerSpec::parse("arow").map_err(Failure::usage)?;
        let options =
            self.problem.options(single, default_recipe(), &self.features, &self.columns, &self.reading);
        let search = self.search(&learners, &options)?;
        self.talk.contest(search.learners(), &options);
        let (model, table) = tune(&sources(&self.data), &search, &options)?;
        if let Some(path) = &self.output {
            model.save(path)?;
        }
        output::note_columns(&sources(&self.data), &options);
        if let Some(path) = &self.plot {
            plot::tuning(&table, &plot::heading(&self.data, "")).save(path)?;
        }
        output::note_skipped(table.bad_lines);
        if self.json {
            return output::json(&table);
        }
        if self.talk.quiet { Ok(()) } else { self.print(&table) }
    }

    /// What is to be tried; the default first, so that time that is spent is not spent before it.
    fn search(&self, learners: &[LearnerSpec], options: &TrainOptions) -> Result<Search> {
        let mut candidates = Vec::new();
        if !self.no_default && default_can_join(&self.data) {
            candidates.push(self.features.seen_by(Contender::default()));
        }
        for contender in Contender::all(learners, &options.recipe)? {
            let contender = self.features.seen_by(contender);
            if !candidates.iter().any(|known| known.is_default() && contender.is_default()) {
                candidates.push(contender);
            }
        }
        let metric = metric::find(&self.metric).map_err(Failure::usage)?;
        let features =
            if self.search_features { self.features.left_open() } else { FeatureSearch::default() };
        Ok(Search::default().candidates(candidates).metric(metric).features(features).budget(self.budget))
    }

    fn print(&self, table: &Tuning) -> Result<()> {
        let mut out = output::stdout();
        let tried = counted(table.rows.len() as u64, "setting");
        let pass = if self.problem.passes > 1 { " in the first pass" } else { "" };
        let examples = counted(table.examples, "example");
        writeln!(out, "{tried} on {examples}, each predicted before it was learned{pass}\n")?;
        let specs: Vec<&str> = table.rows.iter().map(|row| row.learner.as_str()).collect();
        let names = short_specs_by_kind(&specs);
        let other = Some(table.metric).filter(|name| !["error-rate", "log-loss"].contains(name));
        let title = other.map_or_else(String::new, |name| format!("{name:>10}  "));
        writeln!(out, "mistakes    error  log loss  {title}seconds  learner")?;
        for (place, (row, name)) in table.rows.iter().zip(&names).enumerate() {
            if place < self.top || row.default {
                writeln!(out, "{}", line(row, &row.described(name), other))?;
            }
        }
        print_untried(table, &mut out)?;
        if let [first, second, ..] = &table.rows[..]
            && first.default
        {
            let (name, learner) = (table.metric, &names[1]);
            let (best, found) = (figure(first, name), figure(second, name));
            let second = second.described(learner);
            writeln!(
                out,
                "\nThe default, {}, is better than the best setting found: {best} beside {found} of {second}",
                first.learner
            )?;
        }
        if let Some(best) = table.rows.first() {
            let next = match &self.output {
                Some(path) => format!("inspect {}", path.display()),
                None => self.training(best),
            };
            writeln!(out, "\nNext\n  surefoot {next}")?;
        }
        Ok(out.flush()?)
    }

    /// The command line that makes the model of a row.
    fn training(&self, row: &Setting) -> String {
        let learner = if row.default { String::new() } else { format!(" --learner '{}'", row.learner) };
        let features = if row.features.is_empty() { String::new() } else { format!(" {}", row.features) };
        format!("train {}{learner}{features} -o MODEL", output::words_without(&OWN_FLAGS))
    }
}

fn line(row: &Setting, learner: &str, other: Option<&str>) -> String {
    let number = |value: Option<f64>| value.map_or_else(|| "-".into(), |value| format!("{value:.4}"));
    let (mistakes, error) = (thousands(row.mistakes), percent(row.error_rate));
    let loss = number(row.metric("log-loss").or_else(|| row.metric("label-log-loss")));
    let other = other.map_or_else(String::new, |name| format!("{:>10}  ", number(row.metric(name))));
    format!("{mistakes:>8}  {error:>7}  {loss:>8}  {other}{:>7.2}  {learner}", row.seconds)
}

/// A row's number of the metric that decides.
fn figure(row: &Setting, metric: &str) -> String {
    match row.metric(metric) {
        Some(error) if metric == "error-rate" => {
            let loss =
                row.metric("log-loss").map_or_else(String::new, |loss| format!(" (log loss {loss:.4})"));
            format!("{} error{loss}", percent(error))
        }
        Some(value) => format!("{metric} {value:.4}"),
        None => format!("no {metric}"),
    }
}

/// What there was no time for.
fn print_untried(table: &Tuning, out: &mut dyn Write) -> Result<()> {
    if table.untried.is_empty() {
        return Ok(());
    }
    let count = counted(table.untried.len() as u64, "setting");
    let specs: Vec<&str> = table.untried.iter().map(|one| one.learner.as_str()).collect();
    let names = short_specs_by_kind(&specs);
    let each = table.untried.iter().zip(&names).take(LISTED);
    let shown: Vec<String> = each.map(|(one, name)| one.described(name)).collect();
    let more = if table.untried.len() > LISTED { "; …" } else { "" };
    Ok(writeln!(out, "\n{count} not tried, for lack of time: {}{more}", shown.join("; "))?)
}
