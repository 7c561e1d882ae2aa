//! `surefoot tune`: many settings of a learner in one pass.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use surefoot::core::LearnerSpec;
use surefoot::{Tuning, default_recipe, plot, settings, tune};

use crate::failure::{Failure, Result};
use crate::flags::{ColumnFlags, DataFlags, FeatureFlags, ProblemFlags, TalkFlags, sources, svg_file};
use crate::output::{self, counted, percent, thousands};
use crate::places::{self, Output};

/// Try many settings of a learner in one pass over the data, and keep the best
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot tune tickets.tsv -o tickets.model\n  \
                  surefoot tune tickets.tsv --learner 'cw-stdev:confidence=0.7|0.8|0.9|0.99'\n  \
                  surefoot tune tickets.tsv --learner 'arow:r=0.01|0.1|1,schedule=sequential|one-vs-rest' -o tickets.model\n\n\
                  A parameter may list alternatives with |; those of the rule that are not mentioned run over a grid.\n\
                  The data is parsed once, all settings learn side by side, and the fewest progressive mistakes win.")]
pub struct Tune {
    /// Data to learn from
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// A SPEC whose parameters may list alternatives; may be given several times
    #[arg(long, value_name = "SPEC", default_value = "arow")]
    learner: Vec<String>,
    /// Where to save the best model
    #[arg(short, long, value_name = "MODEL")]
    output: Option<PathBuf>,
    /// How many settings to show
    #[arg(long, value_name = "N", default_value_t = 10)]
    top: usize,
    /// Draw the settings by their error, and the error against each parameter
    #[arg(long, value_name = "FILE.svg", value_parser = svg_file)]
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

impl Tune {
    /// Searches.
    pub fn run(self) -> Result<()> {
        self.talk.begin();
        let mut specs = Vec::new();
        for pattern in &self.learner {
            specs.extend(settings(pattern).map_err(Failure::usage)?);
        }
        let plot = self.plot.as_deref().map(|path| Output::stream("--plot", path));
        let written = self.output.as_deref().map(|path| Output::whole("-o", path));
        places::check(&self.data, &written.into_iter().chain(plot).collect::<Vec<_>>())?;
        let Some(first) = specs.first().cloned() else { return Err(Failure::usage("no setting to try")) };
        let first = LearnerSpec::One(first);
        let options =
            self.problem.options(first, default_recipe(), &self.features, &self.columns, &self.reading);
        self.talk.contest(specs.iter().cloned().map(LearnerSpec::One), &options);
        let (model, table) = tune(sources(&self.data), &specs, &options)?;
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

    fn print(&self, table: &Tuning) -> Result<()> {
        let mut out = output::stdout();
        let tried = counted(table.rows.len() as u64, "setting");
        writeln!(out, "{tried} side by side on {}\n", counted(table.examples, "example"))?;
        let names = output::short_specs(table.rows.iter().map(|row| row.learner.as_str()));
        writeln!(out, "mistakes    error  log loss  seconds  learner")?;
        for (row, learner) in table.rows.iter().zip(&names).take(self.top) {
            let loss = row.log_loss.map_or_else(|| "-".into(), |loss| format!("{loss:.4}"));
            let (mistakes, error) = (thousands(row.mistakes), percent(row.error_rate));
            writeln!(out, "{mistakes:>8}  {error:>7}  {loss:>8}  {:>7.2}  {learner}", row.seconds)?;
        }
        if let Some(best) = table.rows.first() {
            let (best, data) = (&best.learner, output::paths(&self.data));
            let next = match &self.output {
                Some(path) => format!("inspect {}", path.display()),
                None => format!("train {data} --learner '{best}' -o MODEL"),
            };
            writeln!(out, "\nNext\n  surefoot {next}")?;
        }
        Ok(out.flush()?)
    }
}
