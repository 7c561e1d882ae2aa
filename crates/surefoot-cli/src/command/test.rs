//! `surefoot test`: how good a model is on data that it did not learn from.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use surefoot::core::metric::{METRICS, Tasks, ValueScale};
use surefoot::page::ReportPage;
use surefoot::{Confused, Evaluation, evaluate_with, plot};

use crate::failure::{Failure, Result};
use crate::flags::{
    DataFlags, MissingFlags, TalkFlags, ThresholdWord, label_thresholds, plot_file, sources, threshold,
};
use crate::output::{self, counted, cut, percent, thousands};
use crate::places::{self, Output};

/// Widest label in a table.
const WIDTH: usize = 20;
/// Labels that are listed where a row may have several.
const LABELS: usize = 30;
/// More labels than this are not shown as a square of counts; only the pairs that are confused most.
const SQUARE: usize = 10;

const EXAMPLES: &str = "Examples:\n  surefoot test tickets.model held-out.tsv\n  \
        surefoot test tickets.model held-out.tsv --plot tickets.svg\n  \
        surefoot test tickets.model held-out.tsv --report tickets.html\n  \
        surefoot test tickets.model held-out.tsv --json > scores.json";

/// Metrics that the first line of a report says.
const HEADLINE: [&str; 4] = ["mistakes", "error-rate", "accuracy", "subset-accuracy"];

/// Compare the predictions of a model with the labels of held-out data
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES, after_long_help = format!("{}\n{EXAMPLES}", metrics_help()))]
pub struct Test {
    /// The model
    model: PathBuf,
    /// Labelled data; `-` is standard input
    #[arg(required = true)]
    data: Vec<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    /// Draw the confusion matrix, the reliability of probabilities, the accuracy of the surest, of two labels ROC and
    /// precision–recall
    #[arg(long, value_name = "FILE.svg", value_parser = plot_file)]
    plot: Option<PathBuf>,
    /// Write all of it as one HTML page that stands alone
    #[arg(long, value_name = "FILE.html")]
    report: Option<PathBuf>,
    /// Where a row may have several labels: predict those above P, f1-micro or f1-label (learned thresholds); LABEL=P for one label
    #[arg(long, value_name = "P,LABEL=P,…", value_delimiter = ',', value_parser = threshold, allow_hyphen_values = true)]
    threshold: Vec<ThresholdWord>,
    #[command(flatten)]
    reading: DataFlags,
    #[command(flatten)]
    missing: MissingFlags,
    #[command(flatten)]
    talk: TalkFlags,
}

/// Every metric, as JSON calls it, and what it is.
fn metrics_help() -> String {
    let width = METRICS.iter().map(|spec| spec.key.len()).max().unwrap_or(0);
    let mut text = "Metrics, as --json calls them (↑ larger is better, ↓ smaller):\n".to_string();
    for spec in METRICS {
        let better = match spec.higher_is_better {
            Some(true) => '↑',
            Some(false) => '↓',
            None => ' ',
        };
        let tasks = if spec.tasks == Tasks::TwoClasses { ", for two classes" } else { "" };
        text += &format!("  {better} {:<width$}  {}{tasks}\n", spec.key, spec.help);
    }
    text
}

impl Test {
    /// Tests.
    pub fn run(self) -> Result<()> {
        self.talk.begin();
        let plot = self.plot.as_deref().map(|path| Output::stream("--plot", path));
        let report = self.report.as_deref().map(|path| Output::whole("--report", path));
        let written: Vec<Output<'_>> = plot.into_iter().chain(report).collect();
        places::check([&self.model].into_iter().chain(&self.data), &written)?;
        let model = places::load(&self.model)?;
        self.talk.model(&model, self.reading.threads());
        let thresholds = label_thresholds(&model, &self.threshold)?;
        let reading = self.reading.for_model(false, self.missing);
        let found = evaluate_with(&model, sources(&self.data), &reading, thresholds.as_ref())?;
        output::note_skipped(found.bad_lines);
        output::note_unfamiliar(&found.notes, found.familiarity, &model);
        if found.examples == 0 {
            return Err(Failure::Data("there are no examples to test on".into()));
        }
        if let Some(path) = &self.plot {
            plot::evaluation(&found, &plot::heading(&self.data, &model.spec()?)).save(path)?;
        }
        if let Some(path) = &self.report {
            let heading = plot::heading(&self.data, &model.spec()?);
            ReportPage::new(&heading, &found, &model).command(&output::command_line()).save(path)?;
        }
        if self.json { output::json(&found) } else { print(&found) }
    }
}

fn print(found: &Evaluation) -> Result<()> {
    let mut out = output::stdout();
    print_totals(found, &mut out)?;
    print_classes(found, &mut out)?;
    if !found.several_labels {
        print_confusion(found, &mut out)?;
    }
    let [whole, right] = if found.several_labels { ["labels", "there"] } else { ["examples", "right"] };
    row("\n", "probability given", [whole, right], &mut out)?;
    for bin in found.reliability.iter().filter(|bin| bin.count > 0) {
        let given = bin.probability.map_or_else(|| "-".into(), mean_probability);
        row("", &given, [&thousands(bin.count), &share(bin.accuracy)], &mut out)?;
    }
    row("\n", "if only taken from", ["kept", "right"], &mut out)?;
    for accepted in &found.rejection {
        let (kept, right) = (share(accepted.coverage), share(accepted.accuracy));
        row("", &percent(accepted.probability), [&kept, &right], &mut out)?;
    }
    Ok(out.flush()?)
}

fn print_totals(found: &Evaluation, out: &mut dyn Write) -> Result<()> {
    let (mistakes, examples) = (counted(found.mistakes(), "mistake"), counted(found.examples, "example"));
    let right = share(found.metric(if found.several_labels { "subset-accuracy" } else { "accuracy" }));
    let width = METRICS.iter().map(|spec| spec.title.chars().count()).max().unwrap_or(0);
    let headline = if found.several_labels { "all labels right" } else { "accuracy" };
    writeln!(out, "{headline:<width$}  {right} ({mistakes} in {examples})")?;
    if let Some(line) = output::rare_label(found.rarest_label.as_ref(), &found.metrics) {
        writeln!(out, "{line}")?;
    }
    for (spec, value) in found.metrics.iter().filter(|(spec, _)| !HEADLINE.contains(&spec.name)) {
        let Some(value) = value else { continue };
        let digits = if spec.scale == ValueScale::Count { 0 } else { 4 };
        writeln!(out, "{:<width$}  {value:.digits$}", spec.title)?;
    }
    for unknown in &found.unknown_labels {
        let (label, examples) = (cut(&unknown.label, WIDTH), counted(unknown.count, "example"));
        writeln!(out, "the model does not know the label {label} of {examples}")?;
    }
    Ok(())
}

fn row(before: &str, name: &str, [count, right]: [&str; 2], out: &mut dyn Write) -> Result<()> {
    Ok(writeln!(out, "{before}{name:<WIDTH$} {count:>9} {right:>10}")?)
}

/// To a tenth of a per cent, but never as a certainty.
fn mean_probability(probability: f64) -> String {
    if probability < 0.9995 { percent(probability) } else { output::probability(probability) }
}

fn share(share: Option<f64>) -> String {
    share.map_or_else(|| "-".into(), percent)
}

fn print_classes(found: &Evaluation, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "\n{:<WIDTH$}  examples  precision     recall         F1", "label")?;
    // Of several labels a row there may be thousands: the most frequent ones.
    let mut classes: Vec<_> = found.classes.iter().collect();
    if found.several_labels && classes.len() > LABELS {
        classes.sort_by_key(|class| std::cmp::Reverse(class.support));
    }
    let shown = if found.several_labels { LABELS } else { usize::MAX };
    for class in classes.iter().take(shown) {
        let [precision, recall, f1] = [class.precision, class.recall, class.f1].map(share);
        let (label, support) = (cut(&class.label, WIDTH), thousands(class.support));
        writeln!(out, "{label:<WIDTH$} {support:>9} {precision:>10} {recall:>10} {f1:>10}")?;
    }
    if let more @ 1.. = classes.len().saturating_sub(shown) {
        writeln!(out, "… and {} (--json has all)", counted(more as u64, "rarer label"))?;
    }
    Ok(())
}

fn print_confusion(found: &Evaluation, out: &mut dyn Write) -> Result<()> {
    if found.classes.len() > SQUARE {
        return print_worst_pairs(found, out);
    }
    let labels: Vec<&str> = found.classes.iter().map(|class| class.label.as_str()).collect();
    let column = labels.iter().map(|label| label.chars().count()).max().unwrap_or(0).clamp(5, 12);
    write!(out, "\n{:<WIDTH$}", "taken for →")?;
    labels.iter().try_for_each(|label| write!(out, " {:>column$}", cut(label, column)))?;
    writeln!(out)?;
    for truth in &labels {
        write!(out, "{:<WIDTH$}", cut(truth, WIDTH))?;
        for predicted in &labels {
            let pair = |p: &&Confused| p.truth == *truth && p.predicted.as_deref() == Some(predicted);
            let count = found.confusion.iter().find(pair);
            let count = count.map_or_else(|| "·".into(), |pair| thousands(pair.count));
            write!(out, " {count:>column$}")?;
        }
        writeln!(out)?;
    }
    Ok(())
}

fn print_worst_pairs(found: &Evaluation, out: &mut dyn Write) -> Result<()> {
    let mut wrong: Vec<_> =
        found.confusion.iter().filter(|p| p.predicted.as_ref() != Some(&p.truth)).collect();
    wrong.sort_by_key(|pair| std::cmp::Reverse(pair.count));
    writeln!(out, "\nconfused most")?;
    for pair in wrong.iter().take(SQUARE) {
        let predicted = cut(pair.predicted.as_deref().unwrap_or("nothing"), WIDTH);
        writeln!(out, "{:>9}  {} taken for {predicted}", thousands(pair.count), cut(&pair.truth, WIDTH))?;
    }
    Ok(())
}
