//! The settings of a search: a pattern, and a grid for the parameters that it does not mention.

use surefoot_core::param::{Param, Range};
use surefoot_core::{LearnerSpec, Spec};

use crate::{Error, Result};

/// Settings that may run side by side: each keeps a model of its own in memory.
const MOST_SETTINGS: usize = 1000;

/// Factors on the default that a search of a positive parameter tries.
const FACTORS: [f64; 9] = [0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0, 30.0, 100.0];

/// Shares of the way from the lower to the upper bound that a search between two bounds tries.
const SHARES: [f64; 7] = [0.02, 0.1, 0.2, 0.4, 0.8, 0.9, 0.98];

/// Parameters that change the unit of another one, which is searched anyway: they keep their default unless they are mentioned.
const UNITS: [&str; 1] = ["per-row"];

/// Every setting that a pattern stands for: a SPEC in which a parameter may list alternatives, `r=0.01|0.1|1`. The
/// parameters of the rule that are not mentioned run over a grid of their own. `auto` and ensembles stand for themselves.
///
/// ```
/// let settings = surefoot::settings("arow:r=0.1|1,projection=precision|covariance")?;
/// assert_eq!(settings.len(), 4);
/// assert_eq!(surefoot::settings("cw-stdev")?.len(), 7); // the confidences of the grid
/// # Ok::<(), surefoot::Error>(())
/// ```
pub fn settings(pattern: &str) -> Result<Vec<LearnerSpec>> {
    if is_ensemble(pattern) {
        return Ok(vec![LearnerSpec::parse(pattern)?]);
    }
    let (head, tail) = pattern.split_once(':').unwrap_or((pattern, ""));
    let mut found = vec![Spec::parse(head)?];
    let mut mentioned = Vec::new();
    for pair in tail.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
        let (name, values) = pair.split_once('=').unwrap_or((pair, ""));
        mentioned.push(name.trim().to_string());
        found = spread(&found, name.trim(), values.split('|').map(str::to_string))?;
    }
    let rule = found.first().map_or(&[][..], |spec| spec.rule().params);
    let searched =
        |param: &&Param| !UNITS.contains(&param.name) && !mentioned.iter().any(|name| name == param.name);
    for param in rule.iter().filter(searched) {
        found = spread(&found, param.name, grid(param).into_iter())?;
    }
    // Only together do the parameters of a SPEC make sense or not.
    found.iter().try_for_each(|spec| spec.params().map(drop))?;
    Ok(found.into_iter().map(LearnerSpec::One).collect())
}

/// Whether it is `auto` or a list of members, which is one setting as it stands.
fn is_ensemble(pattern: &str) -> bool {
    let pattern = pattern.trim();
    pattern == "auto" || ["ensemble(", "bank("].iter().any(|start| pattern.starts_with(start))
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
