//! `surefoot compare`: learners side by side on the same data.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use surefoot::core::rule::RULES;
use surefoot::{Comparison, ComparisonRow, Contender, Protocol, compare, default_recipe, plot};

use crate::failure::{Failure, Result};
use crate::flags::{
    ColumnFlags, DataFlags, FeatureFlags, ProblemFlags, TalkFlags, default_can_join, plot_file, sources,
};
use crate::output::{self, counted, percent, thousands};
use crate::places::{self, Output};

/// Compare learners on the same data, and tell chance from a difference
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot compare examples/tickets.tsv\n  \
        surefoot compare examples/tickets.tsv --learner arow --learner pa1:c=0.1 --plot compare.svg\n  \
        surefoot compare examples/tickets.tsv --learner arow@sqrt+l2 --learner arow@none --folds 10\n\n\
                  The learner that `train` takes when nothing is said is compared too.\n\
                  Progressive unless --folds is given: every example is predicted, then learned. McNemar's p says how\n\
                  likely so uneven mistakes are if the learner is as good as the best one; below 0.05 it is hardly chance.")]
pub struct Compare {
    /// Data to learn from
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// A learner: SPEC, SPEC@VIEW, `auto` or ensemble(…); once for each [default: every rule]
    #[arg(long, value_name = "SPEC")]
    learner: Vec<String>,
    /// Leave out the default, `auto`, which joins otherwise
    #[arg(long)]
    no_default: bool,
    /// Cross-validate with N folds instead
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(2..))]
    folds: Option<u16>,
    /// Draw the errors with their intervals, and against the time of each learner
    #[arg(long, value_name = "FILE.svg", value_parser = plot_file)]
    plot: Option<PathBuf>,
    /// Print JSON
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

impl Compare {
    /// Compares.
    pub fn run(self) -> Result<()> {
        self.talk.begin();
        let plot = self.plot.as_deref().map(|path| Output::stream("--plot", path));
        places::check(&self.data, plot.as_slice())?;
        let single = surefoot::core::LearnerSpec::parse(RULES[0].name).map_err(Failure::usage)?;
        let options =
            self.problem.options(single, default_recipe(), &self.features, &self.columns, &self.reading);
        let every = || RULES.iter().map(|rule| rule.name.to_string()).collect();
        let specs: Vec<String> = if self.learner.is_empty() { every() } else { self.learner.clone() };
        let contenders = specs.iter().map(|spec| Contender::parse(spec, &options.recipe));
        let mut contenders = contenders.collect::<surefoot::Result<Vec<_>>>().map_err(Failure::usage)?;
        let named = self.no_default || contenders.iter().any(Contender::is_default);
        if !named && default_can_join(&self.data) {
            contenders.push(Contender::default());
        }
        let contenders: Vec<_> = contenders.into_iter().map(|own| self.features.seen_by(own)).collect();
        let protocol = self.folds.map_or(Protocol::Progressive, |folds| Protocol::Folds(folds.into()));
        self.talk.contest(contenders.iter().map(|own| own.learner.clone()), &options);
        let table = compare(&sources(&self.data), &contenders, protocol, &options)?;
        output::note_columns(&sources(&self.data), &options);
        if let Some(path) = &self.plot {
            plot::comparison(&table, &plot::heading(&self.data, "")).save(path)?;
        }
        output::note_skipped(table.bad_lines);
        if self.json {
            return output::json(&table);
        }
        if self.talk.quiet { Ok(()) } else { print(&table) }
    }
}

fn print(table: &Comparison) -> Result<()> {
    let mut out = output::stdout();
    let how = match table.protocol {
        Protocol::Progressive => "each predicted before it was learned".to_string(),
        Protocol::Folds(folds) => format!("each predicted once in {folds} folds"),
    };
    let width = table.rows.iter().map(|row| name(row).chars().count()).max().unwrap_or(0).max(7);
    writeln!(out, "{}, {how}\n", counted(table.examples, "example"))?;
    let folds = matches!(table.protocol, Protocol::Folds(_));
    let last = if folds { "  paired t" } else { "" };
    writeln!(out, "  {:<width$}  mistakes    error  log loss  seconds  McNemar{last}", "learner")?;
    for (place, row) in table.rows.iter().enumerate() {
        let mark = if place == table.best { '*' } else { ' ' };
        writeln!(out, "{mark} {}", line(row, width, folds))?;
    }
    writeln!(out, "\n* fewest mistakes; the tests compare each learner with it")?;
    Ok(out.flush()?)
}

fn name(row: &ComparisonRow) -> String {
    if row.default { format!("{}, the default", row.learner) } else { row.learner.clone() }
}

fn line(row: &ComparisonRow, width: usize, folds: bool) -> String {
    let p = |p: Option<f64>| p.map_or_else(|| "-".to_string(), |p| format!("{p:.4}"));
    let paired = if folds { format!("  {:>8}", p(row.paired_t)) } else { String::new() };
    format!(
        "{:<width$}  {:>8}  {:>7}  {:>8}  {:>7.2}  {:>7}{paired}",
        name(row),
        thousands(row.mistakes),
        percent(row.error_rate),
        p(row.metrics.get("log-loss").or_else(|| row.metrics.get("label-log-loss"))),
        row.seconds,
        p(row.mcnemar)
    )
}
