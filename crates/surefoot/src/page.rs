//! A report as one HTML page that stands alone: no script, nothing fetched, light or dark as the reader's screen is.

use std::fmt::Write;
use std::path::Path;

use surefoot_core::metric::ValueScale;

use crate::plot::svg::escaped;
use crate::plot::{self, Axis, DotRow, DotRows, Figure};
use crate::train::Curve;
use crate::words::{probability, short_specs, thousands};
use crate::{Error, Evaluation, Model, Result};

/// Labels whose decisive features are shown, and features of each.
const DECISIVE: (usize, usize) = (12, 8);
/// Rows of the table of labels.
const LABELS: usize = 500;

const STYLE: &str = "
:root { color-scheme: light dark; --ink: #222; --paper: #fff; --line: #ddd; --faint: #666; --card: #f5f7f9; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e6e6; --paper: #16181b; --line: #3a3f45; --faint: #a0a6ad; --card: #1f2327; }
}
body { font: 16px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper); margin: 2rem auto;
  max-width: 1120px; padding: 0 1rem; }
h1 { font-size: 1.5rem; overflow-wrap: anywhere; } h2 { font-size: 1.15rem; margin-top: 2.2rem; }
p.lead { font-size: 1.15rem; } .faint { color: var(--faint); }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .25rem .8rem .25rem 0; text-align: right; border-bottom: 1px solid var(--line);
  white-space: nowrap; }
th:first-child, td:first-child, td.text, th.text { text-align: left; overflow-wrap: anywhere;
  white-space: normal; }
td.word { text-align: left; }
pre { background: var(--card); padding: .8rem; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
svg { width: 100%; height: auto; font-family: Helvetica, Arial, sans-serif; display: block; }
.row { display: flex; flex-wrap: wrap; gap: 1rem; } .row > * { flex: 1 1 440px; max-width: 560px; min-width: 0; }
.wide { overflow-x: auto; }
";

/// An example that a person should look at.
#[derive(Debug, Clone)]
pub struct PageExample {
    /// Where it stands in the data.
    pub line: u64,
    /// What is true of it.
    pub truth: String,
    /// What was predicted.
    pub predicted: String,
    /// The probability of that.
    pub probability: f64,
    /// Its first words.
    pub text: String,
}

/// What a page is made of. `train --report` and `test --report` write it.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{Reading, evaluate, page::ReportPage, train::Silent};
///
/// let data = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\n");
/// let (model, _) = train(vec![data.clone()], &TrainOptions::default(), &mut Silent)?;
/// let found = evaluate(&model, vec![data], &Reading::default())?;
/// let page = ReportPage::new("mail.tsv", &found, &model).to_html()?;
/// assert!(page.contains("100.0 % of 3 examples") && !page.contains("<script"));
/// # Ok::<(), Error>(())
/// ```
#[derive(Debug)]
pub struct ReportPage<'a> {
    heading: String,
    found: &'a Evaluation,
    model: &'a Model,
    lead: String,
    curve: Option<&'a Curve>,
    notes: Vec<String>,
    examples: Vec<(String, Vec<PageExample>)>,
    command: String,
}

impl<'a> ReportPage<'a> {
    /// A page of an evaluation; `heading` says of what, see [`plot::heading`].
    #[must_use]
    pub fn new(heading: &str, found: &'a Evaluation, model: &'a Model) -> Self {
        let lead = "by the model as it stands".into();
        let (notes, examples, command) = (Vec::new(), Vec::new(), String::new());
        Self { heading: heading.into(), found, model, lead, curve: None, notes, examples, command }
    }

    /// The evaluation is of examples that were predicted before they were learned from, and this is how the error went.
    #[must_use]
    pub fn learned(self, curve: &'a Curve) -> Self {
        let first = if curve.passes() > 1 { " in the first pass" } else { "" };
        let lead = format!("each predicted before it was learned from{first}");
        Self { curve: Some(curve), lead, ..self }
    }

    /// Sentences that stand below the numbers.
    #[must_use]
    pub fn notes(self, notes: Vec<String>) -> Self {
        Self { notes, ..self }
    }

    /// Examples under a title; nothing without examples.
    #[must_use]
    pub fn examples(mut self, title: &str, examples: Vec<PageExample>) -> Self {
        self.examples.push((title.into(), examples));
        self
    }

    /// The command line that makes the page again.
    #[must_use]
    pub fn command(self, command: &str) -> Self {
        Self { command: command.into(), ..self }
    }

    /// Writes the page to a file.
    pub fn save(&self, path: &Path) -> Result<()> {
        let failed =
            |error| Error::Other(format!("{}: the report cannot be written: {error}", path.display()));
        std::fs::write(path, self.to_html()?).map_err(failed)
    }

    /// The page. The same report gives the same text.
    pub fn to_html(&self) -> Result<String> {
        let title = escaped(&self.heading);
        let mut page = format!(
            "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <title>{title}</title>\n<style>{STYLE}</style></head><body>\n<h1>{title}</h1>\n"
        );
        self.put_lead(&mut page);
        if let Some(curve) = self.curve {
            section(
                &mut page,
                "How the error fell",
                &figure(plot::error_charts(curve), "curve", "error while learning"),
            );
        }
        self.put_labels(&mut page);
        self.put_charts(&mut page);
        self.put_members(&mut page)?;
        self.put_decisive(&mut page);
        self.examples.iter().for_each(|(title, examples)| put_examples(&mut page, title, examples));
        self.put_settings(&mut page)?;
        page += "</body></html>\n";
        Ok(page)
    }

    fn put_lead(&self, page: &mut String) {
        let found = self.found;
        let right = found.metric("accuracy").or(Some(1.0 - found.error_rate()));
        let (right, examples) = (percent(right), thousands(found.examples));
        let (mistakes, lead) = (thousands(found.mistakes()), escaped(&self.lead));
        let _ = writeln!(
            page,
            "<p class=\"lead\"><strong>{right} of {examples} examples</strong> were predicted rightly \
             ({mistakes} mistakes), {lead}.</p>"
        );
        if let Some(rarest) = found.rarest_label.as_ref().filter(|rarest| rarest.rare) {
            let numbers =
                rarest.telling(&found.metrics).into_iter().map(|(title, v)| format!("{title} {v:.3}"));
            let (label, share) = (escaped(&rarest.label), percent(Some(rarest.share)));
            let numbers = numbers.collect::<Vec<_>>().join(", ");
            let _ = writeln!(
                page,
                "<p>The label <em>{label}</em> is rare, {share} of the examples: {numbers}.</p>"
            );
        }
        for note in &self.notes {
            let _ = writeln!(page, "<p>{}</p>", escaped(note));
        }
        for unknown in &found.unknown_labels {
            let (label, count) = (escaped(&unknown.label), thousands(unknown.count));
            let _ = writeln!(
                page,
                "<p>The model does not know the label <em>{label}</em> of {count} examples.</p>"
            );
        }
        let rows = found.metrics.iter().filter_map(|(spec, value)| {
            let digits = if spec.scale == ValueScale::Count { 0 } else { 4 };
            Some(format!(
                "<tr><td>{}</td><td>{:.digits$}</td><td class=\"text faint\">{}</td></tr>",
                spec.title, value?, spec.help
            ))
        });
        let rows: String = rows.collect();
        section(page, "Numbers", &format!("<table>{rows}</table>\n"));
    }

    fn put_labels(&self, page: &mut String) {
        let row = |class: &crate::ClassScores| {
            let (label, support) = (escaped(&class.label), thousands(class.support));
            let [precision, recall, f1] = [class.precision, class.recall, class.f1].map(percent);
            format!(
                "<tr><td>{label}</td><td>{support}</td><td>{precision}</td><td>{recall}</td><td>{f1}</td></tr>\n"
            )
        };
        let mut classes: Vec<_> = self.found.classes.iter().collect();
        if self.found.several_labels {
            classes.sort_by_key(|class| std::cmp::Reverse(class.support));
        }
        let rows: String = classes.into_iter().take(LABELS).map(row).collect();
        let head = "<tr><th>label</th><th>examples</th><th>precision</th><th>recall</th><th>F1</th></tr>\n";
        section(page, "Labels", &format!("<table>{head}{rows}</table>\n"));
        let map = figure(Figure::of_map(plot::confusion(self.found)), "confusion", "confusion matrix");
        let _ = writeln!(page, "<div class=\"wide\">{map}</div>");
    }

    fn put_charts(&self, page: &mut String) {
        let found = self.found;
        let mut charts = vec![
            (plot::reliability(found), "reliability", "reliability of probabilities"),
            (plot::coverage(found), "coverage", "accuracy of the surest predictions"),
        ];
        if !found.ranked.points.is_empty() {
            charts.push((plot::roc(found), "roc", "ROC curve"));
            charts.push((plot::precision_recall(found), "pr", "precision over recall"));
        }
        let draw = |(chart, name, title)| {
            format!("<div>{}</div>\n", figure(Figure::of_size(chart, 480.0, 400.0), name, title))
        };
        let drawn: String = charts.into_iter().map(draw).collect();
        section(page, "How sure, and rightly so?", &format!("<div class=\"row\">{drawn}</div>\n"));
    }

    fn put_members(&self, page: &mut String) -> Result<()> {
        let mut members = self.model.members()?;
        if members.is_empty() {
            return Ok(());
        }
        members.sort_by(|a, b| a.log_loss.total_cmp(&b.log_loss));
        let names = short_specs(members.iter().map(|member| member.learner.as_str()));
        let row = |(member, name): (&crate::MemberReport, &String)| {
            let (name, view) = (escaped(name), escaped(&member.view));
            let (error, share) = (percent(Some(member.error_rate)), percent(Some(member.share)));
            let loss = member.log_loss;
            format!(
                "<tr><td>{name}</td><td class=\"word\">{view}</td><td>{error}</td><td>{loss:.3}</td><td>{share}</td></tr>\n"
            )
        };
        let rows: String = members.iter().zip(&names).map(row).collect();
        let head = "<tr><th>learner</th><th class=\"text\">sees</th><th>error while learning</th><th>log loss</th>\
                    <th>share in the next prediction</th></tr>\n";
        section(
            page,
            "Members of the ensemble",
            &format!("<div class=\"wide\"><table>{head}{rows}</table></div>\n"),
        );
        Ok(())
    }

    fn put_decisive(&self, page: &mut String) {
        let decisive = self.model.decisive(DECISIVE.1);
        let labels = decisive.iter().filter(|(_, weights)| !weights.is_empty());
        let draw =
            |(at, (label, weights)): (usize, &(&surefoot_data::Label, Vec<crate::NamedWeight<'_>>))| {
                let rows = decisive_rows(&label.to_string(), weights);
                let height = rows.height();
                let drawn = Figure::default().with(plot::Area::new(0.0, 0.0, 480.0, height), rows);
                format!("<div>{}</div>\n", figure(drawn, &format!("d{at}"), "decisive features"))
            };
        let drawn: String = labels.take(DECISIVE.0).enumerate().map(draw).collect();
        if drawn.is_empty() {
            return;
        }
        let left_out = decisive.len().saturating_sub(DECISIVE.0);
        let more = if left_out > 0 {
            format!("<p class=\"faint\">… and {left_out} more labels</p>")
        } else {
            String::new()
        };
        let body = format!(
            "<p class=\"faint\">Weights with one standard deviation.</p><div class=\"row\">{drawn}</div>{more}\n"
        );
        section(page, "What decides", &body);
    }

    fn put_settings(&self, page: &mut String) -> Result<()> {
        let (learner, counts) = (escaped(&self.model.spec()?), self.model.counts());
        let (examples, features) =
            (thousands(counts.examples), thousands(self.model.encoder().index().len() as u64));
        let mut body = format!(
            "<p>The model has learned from {examples} examples and knows {features} features and {} labels.</p>\n\
             <pre>{learner}</pre>\n",
            self.model.labels().len()
        );
        if !self.command.is_empty() {
            let _ = writeln!(body, "<p>This page was made by</p>\n<pre>{}</pre>", escaped(&self.command));
        }
        section(page, "Settings", &body);
        Ok(())
    }
}

fn section(page: &mut String, title: &str, body: &str) {
    let _ = writeln!(page, "<h2>{}</h2>\n{body}", escaped(title));
}

fn figure(figure: Figure, name: &str, title: &str) -> String {
    figure.to_inline_svg(name, title)
}

fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".into(), |share| format!("{:.1} %", 100.0 * share))
}

fn decisive_rows(label: &str, weights: &[crate::NamedWeight<'_>]) -> DotRows {
    let row = |named: &crate::NamedWeight<'_>| {
        let (mean, deviation) = (named.weight.mean.abs(), named.weight.variance.sqrt());
        DotRow {
            name: named.feature.to_string(),
            value: mean,
            interval: (mean - deviation, mean + deviation),
            marked: false,
        }
    };
    let rows: Vec<DotRow> = weights.iter().map(row).collect();
    let low = rows.iter().map(|row| row.interval.0).fold(0.0, f64::min);
    let high = rows.iter().map(|row| row.interval.1).fold(0.0, f64::max);
    DotRows { title: plot::shortened(label, 48), x: Axis::linear("weight for the label", low, high), rows }
}

fn put_examples(page: &mut String, title: &str, examples: &[PageExample]) {
    if examples.is_empty() {
        return;
    }
    let row = |example: &PageExample| {
        let [truth, predicted, text] =
            [&example.truth, &example.predicted, &example.text].map(|text| escaped(text));
        let (line, probability) = (thousands(example.line), probability(example.probability));
        format!(
            "<tr><td>{line}</td><td class=\"text\">{truth}</td><td class=\"text\">{predicted}</td><td>{probability}</td><td class=\"text\">{text}</td></tr>\n"
        )
    };
    let rows: String = examples.iter().map(row).collect();
    let head = "<tr><th>line</th><th class=\"text\">label</th><th class=\"text\">predicted</th><th>probability</th>\
                <th class=\"text\">begins with</th></tr>\n";
    section(page, title, &format!("<div class=\"wide\"><table>{head}{rows}</table></div>\n"));
}
