//! What a model file says in words: settings, labels and counts, but no time, path or thread count.

use serde::{Deserialize, Serialize};

use super::ModelProblem;
use crate::format::FormatOptions;
use crate::recipe::Recipe;

/// The version of the format that this program writes, and the only one that it reads.
pub const FORMAT_VERSION: u64 = 1;

/// More rounds than any machine can have made; counting on from here cannot overflow.
const MOST_ROUNDS: u64 = 1 << 60;

/// Everything of a model but its numbers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// Version of the format.
    pub version: u64,
    /// The learner's SPEC, every parameter filled in; of an ensemble, one SPEC a member.
    pub learner: String,
    /// The labels and which more may come, as [`Labels::to_json`](crate::Labels::to_json) writes them.
    pub labels: String,
    /// From parsed pieces to numbers.
    pub recipe: Recipe,
    /// How files were understood: columns by name, label prefix. Prediction repeats it.
    pub columns: FormatOptions,
    /// What was seen.
    pub counts: Counts,
    /// Seed of everything that was drawn at random.
    pub seed: u64,
    /// Share of the past that survives a round; 1 forgets nothing. Reserved: only 1 is understood today.
    pub memory: f64,
    /// Hashes of the first examples, by which data that was learned before is recognised.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub first_examples: Vec<u32>,
    /// What the learner does about a change of its data; nothing is said where people are told and that is all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub on_drift: Option<String>,
    /// The detectors that notice it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub detectors: Vec<String>,
    /// How many examples of each class were learned, where all labels count alike.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub class_examples: Option<Vec<u64>>,
}

/// What a model has seen.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Counts {
    /// Rounds, all passes together.
    pub rounds: u64,
    /// Examples of first passes.
    pub examples: u64,
    /// Progressive mistakes of first passes.
    pub mistakes: u64,
    /// Rounds that changed the model.
    pub updates: u64,
    /// The most passes that were made over any of the data.
    pub passes: u64,
}

impl Counts {
    /// Refuses counts that contradict each other, or that no run can reach.
    fn check(&self) -> Result<(), ModelProblem> {
        let Counts { rounds, examples, mistakes, updates, .. } = *self;
        Err(ModelProblem::Header(match rounds {
            _ if rounds > MOST_ROUNDS => format!("{rounds} rounds"),
            _ if examples > rounds => format!("{examples} examples in {rounds} rounds"),
            _ if mistakes > examples => format!("{mistakes} mistakes in {examples} examples"),
            _ if updates > rounds => format!("{updates} updates in {rounds} rounds"),
            _ => return Ok(()),
        }))
    }
}

impl Header {
    /// JSON with sorted keys, so that equal headers are equal bytes.
    pub fn to_json(&self) -> String {
        serde_json::to_value(self).map(|value| value.to_string()).unwrap_or_default()
    }

    /// Reads what [`Header::to_json`] wrote; another version of the format is refused.
    pub fn from_json(text: &str) -> Result<Self, ModelProblem> {
        let damaged = |error: serde_json::Error| ModelProblem::Header(error.to_string());
        let value: serde_json::Value = serde_json::from_str(text).map_err(damaged)?;
        match value.get("version").and_then(serde_json::Value::as_u64) {
            Some(found) if found != FORMAT_VERSION => {
                return Err(ModelProblem::Version { found, known: FORMAT_VERSION });
            }
            Some(_) => {}
            None => return Err(ModelProblem::Header("no version".to_string())),
        }
        let header: Header = serde_json::from_value(value).map_err(damaged)?;
        header.counts.check()?;
        let examples =
            header.class_examples.iter().flatten().try_fold(0u64, |sum, own| sum.checked_add(*own));
        if examples.is_none_or(|examples| examples > header.counts.examples) {
            return Err(ModelProblem::Header("more examples of the classes than were seen".to_string()));
        }
        if header.memory != 1.0 {
            return Err(ModelProblem::Header(format!("memory is {}; only 1 is understood", header.memory)));
        }
        Ok(header)
    }
}
