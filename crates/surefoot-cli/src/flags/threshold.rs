//! From which probability on labels are predicted.

use surefoot::core::{F1Average, Task};
use surefoot::data::Label;
use surefoot::{CommonThreshold, LabelThresholds, Model};

use crate::failure::{Failure, Result};

/// One word of `--threshold`.
#[derive(Debug, Clone)]
pub enum ThresholdWord {
    /// For all labels, where a row may have several.
    Common(CommonThreshold),
    /// For one label.
    Of(String, f64),
}

/// Reads such a word.
pub fn threshold(text: &str) -> Result<ThresholdWord, String> {
    let share = |text: &str| text.parse::<f64>().ok().filter(|least| (0.0..=1.0).contains(least));
    let common = match text {
        "f1-micro" => Some(CommonThreshold::F1(F1Average::Micro)),
        "f1-label" => Some(CommonThreshold::F1(F1Average::Label)),
        _ => share(text).map(CommonThreshold::Probability),
    };
    let of_label =
        || text.rsplit_once('=').and_then(|(label, least)| Some((label.to_string(), share(least)?)));
    common
        .map(ThresholdWord::Common)
        .or_else(|| of_label().map(|(label, least)| ThresholdWord::Of(label, least)))
        .ok_or_else(|| {
            "expected LABEL=P with a probability from 0 to 1; where a row may have several labels also P, f1-micro or f1-label".into()
        })
}

/// The thresholds of single labels.
pub fn of_labels(words: &[ThresholdWord]) -> Vec<(Label, f64)> {
    let own = |word: &ThresholdWord| match word {
        ThresholdWord::Of(label, least) => Some((Label::read(label), *least)),
        ThresholdWord::Common(_) => None,
    };
    words.iter().filter_map(own).collect()
}

/// The thresholds of all labels, of which a row may have several; none where nothing is said, or a row has one label.
pub fn label_thresholds(model: &Model, words: &[ThresholdWord]) -> Result<Option<LabelThresholds>> {
    let common = words.iter().find_map(|word| match word {
        ThresholdWord::Common(common) => Some(*common),
        ThresholdWord::Of(..) => None,
    });
    if words.is_empty() || (common.is_none() && model.task() != Task::Multilabel) {
        return Ok(None);
    }
    let found = LabelThresholds::new(model, common.unwrap_or_default(), &of_labels(words));
    found.map(Some).map_err(|error| Failure::usage(format!("--threshold: {error}")))
}
