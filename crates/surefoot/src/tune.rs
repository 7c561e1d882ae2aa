//! Many settings of a learner in one pass over the data; the one with the smallest progressive loss wins.

use serde::Serialize;
use surefoot_core::param::{Param, Range};
use surefoot_core::{LearnerSpec, Spec};
use surefoot_data::Source;

use crate::side_by_side::progressive;
use crate::train::TrainOptions;
use crate::{Error, Model, Result};

/// Settings that may run side by side: each keeps a model of its own in memory.
const MOST_SETTINGS: usize = 1000;

/// Factors on the default that a search of a positive parameter tries.
const FACTORS: [f64; 9] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];

/// Shares of the way from the lower to the upper bound that a search between two bounds tries.
const SHARES: [f64; 7] = [0.02, 0.1, 0.2, 0.4, 0.8, 0.9, 0.98];

/// Every setting that a pattern stands for: a SPEC in which a parameter may list alternatives, `r=0.01|0.1|1`. The
/// parameters of the rule that are not mentioned run over a grid of their own.
///
/// ```
/// let settings = surefoot::settings("arow:r=0.1|1,projection=precision|covariance")?;
/// assert_eq!(settings.len(), 4);
/// assert_eq!(surefoot::settings("cw-stdev")?.len(), 7); // the confidences of the grid
/// # Ok::<(), surefoot::Error>(())
/// ```
pub fn settings(pattern: &str) -> Result<Vec<Spec>> {
    let (head, tail) = pattern.split_once(':').unwrap_or((pattern, ""));
    if head == "auto" || ["ensemble(", "bank("].iter().any(|start| head.starts_with(start)) {
        return Err(Error::Other("tune searches the settings of one learner, not of an ensemble".into()));
    }
    let mut found = vec![Spec::parse(head)?];
    let mut mentioned = Vec::new();
    for pair in tail.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, values) = pair.split_once('=').unwrap_or((pair, ""));
        mentioned.push(name.trim().to_string());
        found = spread(&found, name.trim(), values.split('|').map(str::to_string))?;
    }
    let rule = found.first().map_or(&[][..], |spec| spec.rule().params);
    for param in rule.iter().filter(|param| !mentioned.iter().any(|name| name == param.name)) {
        found = spread(&found, param.name, grid(param).into_iter())?;
    }
    // Only together do the parameters of a SPEC make sense or not.
    found.iter().try_for_each(|spec| spec.params().map(drop))?;
    Ok(found)
}

/// Every spec with every value.
fn spread(specs: &[Spec], name: &str, values: impl Iterator<Item = String> + Clone) -> Result<Vec<Spec>> {
    if specs.len() * values.clone().count() > MOST_SETTINGS {
        return Err(Error::Other(format!(
            "more than {MOST_SETTINGS} settings; fix a parameter or list fewer values"
        )));
    }
    let with = |spec: &Spec, value: String| {
        let mut spec = spec.clone();
        spec.set(name, &value)?;
        Ok(spec)
    };
    specs.iter().flat_map(|spec| values.clone().map(move |value| with(spec, value))).collect()
}

/// The values of a parameter that a search tries, the default among them.
fn grid(param: &Param) -> Vec<String> {
    let default: f64 = param.default.parse().unwrap_or(1.0);
    match param.range {
        Range::Positive => FACTORS.iter().map(|factor| short(default * factor)).collect(),
        Range::Between(low, high) => SHARES.iter().map(|share| short(low + share * (high - low))).collect(),
        Range::Flag => vec!["false".into(), "true".into()],
        Range::Word(words) => words.iter().map(ToString::to_string).collect(),
        _ => vec![param.default.to_string()],
    }
}

/// A number without the digits that only rounding gave it.
fn short(number: f64) -> String {
    format!("{number:.3e}").parse::<f64>().unwrap_or(number).to_string()
}

/// The table of a search, best setting first.
#[derive(Debug, Clone, Serialize)]
pub struct Tuning {
    /// Examples of the pass.
    pub examples: u64,
    /// Lines that were skipped.
    pub bad_lines: u64,
    /// One row a setting.
    pub rows: Vec<Setting>,
}

/// One setting and how it did.
#[derive(Debug, Clone, Serialize)]
pub struct Setting {
    /// The SPEC with every parameter filled in.
    pub learner: String,
    /// Progressive mistakes.
    pub mistakes: u64,
    /// Mistakes an example.
    pub error_rate: f64,
    /// Progressive log loss.
    pub log_loss: Option<f64>,
    /// Time spent in this setting alone.
    pub seconds: f64,
}

/// Learns all settings side by side; returns the model with the fewest progressive mistakes (then the smallest log
/// loss) and the table. The learner of `options` is not used.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::{settings, tune};
///
/// let data = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\nspam\tcheap watches\n");
/// let (model, table) = tune(vec![data], &settings("arow:r=0.1|1|10")?, &TrainOptions::default())?;
/// assert_eq!(table.rows.len(), 3);
/// assert_eq!(model.spec()?, table.rows[0].learner);
/// # Ok::<(), Error>(())
/// ```
pub fn tune(sources: Vec<Source>, settings: &[Spec], options: &TrainOptions) -> Result<(Model, Tuning)> {
    let specs: Vec<LearnerSpec> = settings.iter().cloned().map(LearnerSpec::One).collect();
    if specs.is_empty() {
        return Err(Error::Other("no setting to try".into()));
    }
    let found = progressive(sources, &specs, options)?;
    let task = found.learners.encoder.task();
    let mut ranked = Vec::new();
    for (i, (record, spec)) in found.records.iter().zip(settings).enumerate() {
        let setting = Setting {
            learner: spec.text(task)?,
            mistakes: record.scores.mistakes(),
            error_rate: record.scores.error_rate(),
            log_loss: record.scores.metric("log-loss"),
            seconds: record.seconds,
        };
        ranked.push((i, setting));
    }
    let loss = |setting: &Setting| setting.log_loss.unwrap_or(f64::INFINITY);
    ranked.sort_by(|(_, a), (_, b)| a.mistakes.cmp(&b.mistakes).then(loss(a).total_cmp(&loss(b))));
    let (winner, _) = ranked[0];
    let (examples, bad_lines) = (found.records[winner].scores.examples(), found.bad_lines);
    let rows = ranked.into_iter().map(|(_, row)| row).collect();
    Ok((found.into_model(winner), Tuning { examples, bad_lines, rows }))
}
