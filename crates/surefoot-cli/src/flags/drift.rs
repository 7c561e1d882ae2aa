//! What watches the data for changes, and what is done about one.

use clap::Args;
use clap::builder::PossibleValuesParser;
use surefoot::Model;
use surefoot::core::drift::{self, DETECTORS};
use surefoot::train::{OnDrift, TrainOptions};

use crate::failure::{Failure, Result};

/// No detector at all.
const NONE: &str = "none";

/// Data that change.
#[derive(Args, Debug, Clone)]
#[command(next_help_heading = "Data that change")]
pub struct DriftFlags {
    /// Where errors rise by more than chance: `report` says so, `adapt` lets what was learned count less, `reset` lets the
    /// weights begin anew
    #[arg(long, value_name = "WHAT", value_parser = PossibleValuesParser::new(OnDrift::ALL.map(OnDrift::name)), hide_possible_values = true)]
    on_drift: Option<String>,
    /// What looks for changes: adwin, page-hinkley, ddm, several of them, or none; adwin if nothing is said
    #[arg(
        long,
        value_name = "NAME,…",
        value_delimiter = ',',
        value_parser = PossibleValuesParser::new(DETECTORS.iter().map(|spec| spec.name).chain([NONE])),
        hide_possible_values = true,
        hide_short_help = true
    )]
    drift_detector: Vec<String>,
}

impl DriftFlags {
    /// The options with what was said here.
    pub fn apply(&self, options: TrainOptions) -> Result<TrainOptions> {
        let on_drift = self.on_drift()?.unwrap_or_default();
        let options = options.on_drift(on_drift);
        if self.drift_detector.is_empty() {
            return Ok(options);
        }
        let named = self.drift_detector.iter().map(String::as_str).filter(|name| *name != NONE);
        let detectors = drift::detectors(named).map_err(Failure::usage)?;
        if self.drift_detector.len() > 1 && self.drift_detector.iter().any(|name| name == NONE) {
            return Err(Failure::usage("--drift-detector none goes with no other detector"));
        }
        if detectors.is_empty() && on_drift != OnDrift::Report {
            let name = on_drift.name();
            return Err(Failure::usage(format!("--on-drift {name} needs a detector that notices a change")));
        }
        Ok(options.detectors(detectors))
    }

    /// Whether something else is said than what a model does that goes on.
    pub fn differ_from(&self, model: &Model) -> Result<bool> {
        let other = self.on_drift()?.is_some_and(|on_drift| on_drift != model.on_drift());
        let named = !self.drift_detector.is_empty() && model.on_drift() != OnDrift::Report;
        let mut names: Vec<&str> = self.drift_detector.iter().map(String::as_str).collect();
        let mut own: Vec<&str> = model.detectors().iter().map(|spec| spec.name).collect();
        names.sort_unstable();
        own.sort_unstable();
        Ok(other || (named && names != own))
    }

    fn on_drift(&self) -> Result<Option<OnDrift>> {
        self.on_drift.as_deref().map(OnDrift::parse).transpose().map_err(Failure::usage)
    }
}
