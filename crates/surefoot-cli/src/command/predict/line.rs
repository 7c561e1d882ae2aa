//! What is said of one example, as text or as JSON.

use std::io::Write;

use serde_json::{Map, Value, json};
use surefoot::data::{Example, Label};
use surefoot::{Model, Predictor, Thresholds};

use super::Predict;
use crate::failure::Result;
use crate::output::{self, exact};

/// What is said of one example.
pub(super) struct PredictionLine<'m> {
    labels: Vec<OneLabel<'m>>,
    /// Where a row may have several labels, those that are predicted, in their order.
    predicted: Option<Vec<String>>,
    /// What stands between them.
    separator: &'m str,
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

/// Writes what stands in front of every prediction: the id of the example, if it has one or is to have one.
pub(super) fn put_id(example: &Example<'_>, asked: &Predict, out: &mut dyn Write) -> Result<()> {
    if example.tag.is_some() || asked.id_column.is_some() {
        let id = String::from_utf8_lossy(example.tag.unwrap_or_default());
        write!(out, "{}\t", output::plain(&id))?;
    }
    Ok(())
}

/// The line of a record that could not be read: nothing is predicted, and what follows stays in its place.
pub(super) fn skipped() -> Value {
    json!({ "label": null, "probability": null, "score": null, "variance": null, "skipped": true })
}

impl<'m> PredictionLine<'m> {
    /// Everything that was asked for, label by label, the predicted one first.
    pub(super) fn new(
        asked: &Predict,
        model: &'m Model,
        predictor: &mut Predictor<'_>,
        thresholds: Option<&Thresholds>,
    ) -> Self {
        let classes = model.labels().len();
        let wants_probabilities =
            asked.probabilities || asked.json || asked.wants_others() || thresholds.is_some();
        let none = vec![0.0; classes];
        let probabilities =
            if wants_probabilities { predictor.probabilities().to_vec() } else { none.clone() };
        let votes = if asked.votes { predictor.votes().to_vec() } else { none.clone() };
        let own = predictor.prediction().label;
        let label = thresholds.map_or(own, |thresholds| thresholds.choose(&probabilities, own));
        let several = predictor.prediction().several;
        let wants_scores = asked.scores || asked.json;
        let wants_variances = wants_scores && (asked.wants_others() || label != own || several);
        let variances = if wants_variances { predictor.variances().to_vec() } else { none };
        let of = |numbers: &[f64], class: usize| numbers.get(class).copied().unwrap_or(0.0);
        let mut order: Vec<usize> = match asked.wants_others() {
            true => model.labels().order().into_iter().map(|class| class as usize).collect(),
            false if several => predictor.prediction().labels.iter().map(|&class| class as usize).collect(),
            false => label.into_iter().collect(),
        };
        // Two labels may be as probable as each other, and one of them is predicted.
        let is_other = |class: usize| !several && Some(class) != label;
        order.sort_by(|&a, &b| {
            is_other(a).cmp(&is_other(b)).then_with(|| probabilities[b].total_cmp(&probabilities[a]))
        });
        order.truncate(asked.top.unwrap_or(usize::MAX));
        let line = |class: usize| OneLabel {
            label: &model.labels().names()[class],
            probability: of(&probabilities, class),
            vote: of(&votes, class),
            score: predictor.score(class),
            variance: of(&variances, class),
        };
        let (score, variance) = match label {
            Some(other) if label != own => {
                let score = predictor.prediction().binary_score();
                (score.unwrap_or_else(|| predictor.score(other)), of(&variances, other))
            }
            _ => (predictor.prediction().shown_score(), predictor.variance()),
        };
        let told = |class: &&u32| predictor.prediction().labels.contains(class);
        let name = |class: &u32| model.labels().name(*class).to_string();
        let predicted = several.then(|| model.labels().order().iter().filter(told).map(name).collect());
        let separator = model.columns().label_separator.as_deref().unwrap_or(",");
        Self { labels: order.into_iter().map(line).collect(), predicted, separator, score, variance }
    }

    pub(super) fn write(&self, asked: &Predict, out: &mut dyn Write) -> Result<()> {
        let wants_numbers = asked.probabilities || asked.votes || asked.scores || asked.wants_others();
        if let Some(predicted) = self.predicted.as_ref().filter(|_| !wants_numbers) {
            return Ok(write!(out, "{}", output::plain(&predicted.join(self.separator)))?);
        }
        let each = asked.wants_others() || self.predicted.is_some();
        for (place, line) in self.labels.iter().enumerate() {
            let label = line.label.to_string();
            write!(out, "{}{}", if place > 0 { "\t" } else { "" }, output::plain(&label))?;
            if asked.probabilities || (asked.wants_others() && !asked.votes && !asked.scores) {
                write!(out, "\t{}", exact(line.probability))?;
            }
            if asked.votes {
                write!(out, "\t{}", exact(line.vote))?;
            }
            match (asked.scores, each) {
                (true, true) => write!(out, "\t{}\t{}", exact(line.score), exact(line.variance))?,
                (true, false) => write!(out, "\t{}\t{}", exact(self.score), exact(self.variance))?,
                _ => {}
            }
        }
        Ok(())
    }

    pub(super) fn put_json(&self, asked: &Predict, line: &mut Map<String, Value>) {
        if let Some(predicted) = &self.predicted {
            line.insert("labels".into(), json!(predicted));
            return self.put_each(asked, line);
        }
        let first = self.labels.first();
        line.insert("label".into(), json!(first.map(|one| one.label.to_string())));
        line.insert("probability".into(), json!(first.map(|one| one.probability)));
        line.insert("score".into(), json!(self.score));
        line.insert("variance".into(), json!(self.variance));
        if asked.votes {
            line.insert("vote".into(), json!(first.map(|one| one.vote)));
        }
        if asked.wants_others() {
            self.put_each(asked, line);
        }
    }

    /// The numbers of each label.
    fn put_each(&self, asked: &Predict, line: &mut Map<String, Value>) {
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
