//! The end of a run, for people: how wrong, what decides, where to look, what to type next.

use std::io::Write;
use std::path::Path;

use surefoot::core::Task;
use surefoot::data::Label;
use surefoot::page::{PageExample, ReportPage};
use surefoot::train::{OnDrift, Report, by_place};
use surefoot::{MemberReport, Model, NamedWeight, plot};

use super::Train;
use super::uncertain::NotableExample;
use super::watch::Watched;
use crate::failure::Result;
use crate::output::{self, counted, cut, percent, thousands};

/// Decisive features of each label.
pub(super) const DECISIVE: usize = 6;
/// Changes of the data that are told; `--json` has all.
const CHANGES: usize = 8;
/// Labels whose decisive features are shown; `inspect` shows all.
const LABELS: usize = 12;

const UNSURE: &str = "Least certain of the later examples";
const MISTAKES: &str = "Surest mistakes among them: are their labels right?";

/// A label, and the features that speak most surely for it.
pub(super) type Decisive<'a> = (&'a Label, Vec<NamedWeight<'a>>);

pub(super) fn print(
    train: &Train,
    model: &Model,
    report: &Report,
    members: &[MemberReport],
    decisive: &[Decisive<'_>],
    watched: &Watched,
) -> Result<()> {
    let mut out = output::stdout();
    print_result(model, report, members, watched, &mut out)?;
    print_members(members, report.passes, &mut out)?;
    print_decisive(decisive, &mut out)?;
    let notable = &watched.notable;
    print_examples(UNSURE, &notable.least_sure(), model, &mut out)?;
    print_examples(MISTAKES, &notable.surest_mistakes(), model, &mut out)?;
    print_next(train, &mut out)?;
    Ok(out.flush()?)
}

/// Writes the page of `--report`.
pub(super) fn page(
    train: &Train,
    model: &Model,
    report: &Report,
    watched: &Watched,
    path: &Path,
) -> Result<()> {
    let name = |class: usize| model.label(Some(class)).map_or_else(String::new, ToString::to_string);
    let example = |seen: &&NotableExample| PageExample {
        line: seen.line,
        truth: name(seen.truth),
        predicted: name(seen.predicted),
        probability: seen.probability,
        text: seen.snippet.clone(),
    };
    let rows = |seen: Vec<&NotableExample>| seen.iter().map(example).collect::<Vec<_>>();
    let found = watched.outcomes.evaluation(model.labels(), Vec::new(), report.bad_lines);
    let notes = report.warnings.iter().cloned().chain(watched.held_out.iter().map(ToString::to_string));
    ReportPage::new(&plot::heading(&train.data, &report.learner), &found, model)
        .learned(&watched.curve)
        .notes(notes.collect())
        .examples(UNSURE, rows(watched.notable.least_sure()))
        .examples(MISTAKES, rows(watched.notable.surest_mistakes()))
        .command(&output::command_line())
        .save(path)?;
    Ok(())
}

fn print_result(
    model: &Model,
    report: &Report,
    members: &[MemberReport],
    watched: &Watched,
    out: &mut dyn Write,
) -> Result<()> {
    let (examples, labels) = (counted(report.examples, "example"), counted(report.labels as u64, "label"));
    let (features, seconds) = (counted(report.features as u64, "feature"), report.seconds.total);
    let ending = if watched.interrupted { ", interrupted" } else { "" };
    writeln!(out, "{examples}, {labels}, {features}, {seconds:.2} s{ending}")?;
    match members.len() {
        0 => writeln!(out, "{}", report.learner)?,
        count => writeln!(out, "{} side by side", counted(count as u64, "learner"))?,
    }
    if report.class_weight.is_some() {
        writeln!(out, "all labels count alike: rare ones weigh more (--class-weight balanced)")?;
    }
    if report.bad_lines > 0 {
        writeln!(out, "{} skipped", counted(report.bad_lines, "bad line"))?;
    }
    if let before @ 1.. = model.counts().examples.saturating_sub(report.examples) {
        writeln!(out, "went on with a model that had seen {}", counted(before, "example"))?;
    }
    let (error, mistakes) = (percent(report.error_rate), counted(report.mistakes, "mistake"));
    let examples = thousands(report.examples);
    // Later passes predict examples that were learned before: no figure is taken from them.
    let pass = if report.passes > 1 { " in the first pass" } else { "" };
    writeln!(
        out,
        "\nProgressive error {error}{pass}: {mistakes} of {examples}, each predicted before it was learned"
    )?;
    if model.task() == Task::Multilabel {
        writeln!(out, "  a mistake is a row of which any label is wrong")?;
    }
    if let Some(weighted) = report.weighted {
        let error = percent(weighted.error_rate);
        writeln!(
            out,
            "  {error} by importance: weights were used; every other number counts each example once"
        )?;
    }
    if let Some(line) = output::rare_label(report.rarest_label.as_ref(), &report.metrics) {
        writeln!(out, "  {line}")?;
    }
    let rows: Vec<_> = watched.curve.rows(0).collect();
    if let [.., before, last] = &rows[..] {
        let since = before.examples + 1;
        writeln!(out, "  since example {}: {}", thousands(since), percent(last.recent))?;
    }
    if let Some(loss) = report.metric("log-loss") {
        writeln!(out, "  log loss of the probabilities: {loss:.3}")?;
    }
    if let (Some(micro), Some(by_label)) = (report.metric("f1-micro"), report.metric("f1-macro")) {
        let wrong = report.metric("hamming-loss").map_or_else(String::new, |loss| {
            format!("; {} of all labels wrong (Hamming loss)", percent(loss))
        });
        writeln!(out, "  micro F1 {}, macro F1 {}{wrong}", percent(micro), percent(by_label))?;
    }
    print_changes(report, out)?;
    for held_out in &watched.held_out {
        writeln!(out, "  {held_out}")?;
    }
    Ok(())
}

/// Where the data changed: a line a place, with every signal that noticed it.
fn print_changes(report: &Report, out: &mut dyn Write) -> Result<()> {
    let places = by_place(&report.changes);
    for place in places.iter().take(CHANGES) {
        writeln!(out, "  {place}")?;
    }
    if let more @ 1.. = places.len().saturating_sub(CHANGES) {
        writeln!(out, "  … and {} (--json has all)", counted(more as u64, "later change"))?;
    }
    match report.on_drift {
        Some(OnDrift::Reset) => {
            writeln!(out, "  weights began anew where the error rose (--on-drift reset)")?
        }
        Some(OnDrift::Adapt) => {
            writeln!(out, "  what was learned counted less where the error rose (--on-drift adapt)")?;
        }
        Some(OnDrift::Report) | None => {}
    }
    Ok(())
}

/// The members of an ensemble, the best first.
fn print_members(members: &[MemberReport], passes: u64, out: &mut dyn Write) -> Result<()> {
    if members.is_empty() {
        return Ok(());
    }
    let mut order: Vec<&MemberReport> = members.iter().collect();
    order.sort_by(|a, b| a.log_loss.total_cmp(&b.log_loss));
    let names = output::short_specs(order.iter().map(|member| member.learner.as_str()));
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    let sees = order.iter().map(|member| member.view.len()).max().unwrap_or(0).max("sees".len());
    let pass = if passes > 1 { " in the first pass" } else { "" };
    writeln!(out, "\nThe learners{pass}, and their share in the next prediction")?;
    writeln!(out, "  {:<width$}  {:<sees$}     error  log loss   share", "learner", "sees")?;
    for (member, name) in order.iter().zip(&names) {
        let (error, share) = (percent(member.error_rate), percent(member.share));
        let (view, loss) = (&member.view, member.log_loss);
        writeln!(out, "  {name:<width$}  {view:<sees$}  {error:>8}  {loss:>8.3}  {share:>6}")?;
    }
    Ok(())
}

fn print_decisive(decisive: &[Decisive<'_>], out: &mut dyn Write) -> Result<()> {
    if decisive.iter().all(|(_, weights)| weights.is_empty()) {
        return Ok(());
    }
    writeln!(out, "\nWhat decides: weight ± one standard deviation")?;
    let width =
        decisive.iter().map(|(label, _)| label.to_string().chars().count()).max().unwrap_or(0).min(20);
    for (label, weights) in decisive.iter().take(LABELS) {
        let words = weights.iter().map(|named| {
            let (mean, deviation) = (named.weight.mean.abs(), named.weight.variance.sqrt());
            format!("{} {mean:.2}±{deviation:.2}", cut(&named.feature.to_string(), 24))
        });
        let (label, words) = (cut(&label.to_string(), width), words.collect::<Vec<_>>().join("  "));
        writeln!(out, "  {label:<width$}  {words}")?;
    }
    if decisive.len() > LABELS {
        writeln!(out, "  … and {}", counted((decisive.len() - LABELS) as u64, "more label"))?;
    }
    Ok(())
}

fn print_examples(
    title: &str,
    examples: &[&NotableExample],
    model: &Model,
    out: &mut dyn Write,
) -> Result<()> {
    if examples.is_empty() {
        return Ok(());
    }
    writeln!(out, "\n{title}")?;
    let name =
        |class: usize| model.label(Some(class)).map_or_else(String::new, |label| cut(&label.to_string(), 40));
    for seen in examples {
        let label = match seen.truth == seen.predicted {
            true => name(seen.truth),
            false => format!("{}, taken for {}", name(seen.truth), name(seen.predicted)),
        };
        let (line, sure) = (seen.line, output::probability(seen.probability));
        writeln!(out, "  line {line:<5} {label} at {sure}: {}", cut(&seen.snippet, 60))?;
    }
    Ok(())
}

fn print_next(train: &Train, out: &mut dyn Write) -> Result<()> {
    writeln!(out, "\nNext")?;
    let Some(path) = &train.output else {
        let data = output::paths(&train.data);
        return Ok(writeln!(out, "  surefoot train {data} -o MODEL     keep the model: it was not saved")?);
    };
    let model = path.display();
    writeln!(out, "  surefoot predict {model} NEW --probabilities")?;
    writeln!(out, "  surefoot explain {model} NEW")?;
    writeln!(out, "  surefoot train MORE --resume {model} -o {model}")?;
    Ok(())
}
