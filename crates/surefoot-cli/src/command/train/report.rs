//! The end of a run, for people: how wrong, what decides, where to look, what to type next.

use std::io::Write;

use surefoot::data::Label;
use surefoot::train::Report;
use surefoot::{MemberReport, Model, NamedWeight};

use super::Train;
use super::uncertain::NotableExample;
use super::watch::Watched;
use crate::failure::Result;
use crate::output::{self, counted, cut, percent, thousands};

/// Decisive features of each label.
pub(super) const DECISIVE: usize = 6;
/// Labels whose decisive features are shown; `inspect` shows all.
const LABELS: usize = 12;

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
    print_members(members, &mut out)?;
    print_decisive(decisive, &mut out)?;
    let notable = &watched.notable;
    print_examples("Least certain of the later examples", &notable.least_sure(), model, &mut out)?;
    let mistakes = "Surest mistakes among them: are their labels right?";
    print_examples(mistakes, &notable.surest_mistakes(), model, &mut out)?;
    print_next(train, &mut out)?;
    Ok(out.flush()?)
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
    if report.bad_lines > 0 {
        writeln!(out, "{} skipped", counted(report.bad_lines, "bad line"))?;
    }
    if let before @ 1.. = model.counts().examples.saturating_sub(report.examples) {
        writeln!(out, "went on with a model that had seen {}", counted(before, "example"))?;
    }
    let (error, mistakes) = (percent(report.error_rate), counted(report.mistakes, "mistake"));
    let examples = thousands(report.examples);
    writeln!(
        out,
        "\nProgressive error {error}: {mistakes} of {examples}, each predicted before it was learned"
    )?;
    let rows: Vec<_> = watched.curve.rows(0).collect();
    if let [.., before, last] = &rows[..] {
        let since = before.examples + 1;
        writeln!(out, "  since example {}: {}", thousands(since), percent(last.recent))?;
    }
    if let Some(loss) = report.metric("log-loss") {
        writeln!(out, "  log loss of the probabilities: {loss:.3}")?;
    }
    for held_out in &watched.held_out {
        writeln!(out, "  {held_out}")?;
    }
    Ok(())
}

/// The members of an ensemble, the best first.
fn print_members(members: &[MemberReport], out: &mut dyn Write) -> Result<()> {
    if members.is_empty() {
        return Ok(());
    }
    let mut order: Vec<&MemberReport> = members.iter().collect();
    order.sort_by(|a, b| a.log_loss.total_cmp(&b.log_loss));
    let names = output::short_specs(order.iter().map(|member| member.learner.as_str()));
    let width = names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
    writeln!(out, "\nThe learners, and their share in the next prediction")?;
    writeln!(out, "  {:<width$}  {:<9}     error  log loss   share", "learner", "sees")?;
    for (member, name) in order.iter().zip(&names) {
        let (error, share) = (percent(member.error_rate), percent(member.share));
        let (view, loss) = (&member.view, member.log_loss);
        writeln!(out, "  {name:<width$}  {view:<9}  {error:>8}  {loss:>8.3}  {share:>6}")?;
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
        let (line, percent) = (seen.line, 100.0 * seen.probability);
        writeln!(out, "  line {line:<5} {label} at {percent:.0} %: {}", cut(&seen.snippet, 60))?;
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
