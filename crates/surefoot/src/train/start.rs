//! The start of a run: reading ahead until the labels and features say what kind of model it is.

use std::sync::Arc;

use surefoot_data::{Batch, FormatOptions, LabelScout, Labels, Plan, Task};

use super::TrainOptions;
use super::feed::Pupil;
use super::supply::Supply;
use crate::{Error, Result, Settings};

/// A pupil, or what is still found out before there can be one.
pub(crate) enum Start<P> {
    /// Nothing is left to find out.
    Settled(Box<P>),
    /// Batches are kept until the labels are decided.
    Scouting(Box<Scouting>),
    /// Between the two; only while one turns into the other.
    Turning,
}

/// What is found out.
pub(crate) struct Scouting {
    scout: LabelScout,
    labels: Option<Labels>,
    named: Option<bool>,
    kept: Vec<Batch>,
    plan: Arc<Plan>,
    columns: FormatOptions,
}

impl<P: Pupil> Start<P> {
    pub(crate) fn new(pupil: Option<P>, options: &TrainOptions) -> Result<Self> {
        if let Some(pupil) = pupil {
            return Ok(Self::Settled(Box::new(pupil)));
        }
        let labels = match (options.labels.is_empty(), options.task) {
            (true, Task::Multiclass) => Some(Labels::open()),
            (true, _) => None,
            (false, Task::Multiclass) => Some(Labels::declared_multiclass(&options.labels)?),
            (false, Task::Binary) if options.labels.len() != 2 => {
                let count = options.labels.len();
                return Err(Error::Other(format!("--task binary takes 2 labels, {count} are declared")));
            }
            (false, _) => Some(Labels::declared(&options.labels)?),
        };
        Ok(Self::Scouting(Box::new(Scouting {
            scout: LabelScout::new(options.task),
            labels,
            named: None,
            kept: Vec::new(),
            plan: Arc::new(Plan::new(options.recipe.clone())?),
            columns: options.columns.clone(),
        })))
    }

    pub(super) fn is_settled(&self) -> bool {
        matches!(self, Self::Settled(_))
    }

    /// What the workers run.
    pub(super) fn plan(&self) -> Result<Arc<Plan>> {
        match self {
            Self::Settled(pupil) => Ok(pupil.plan()),
            Self::Scouting(scouting) => Ok(scouting.plan.clone()),
            Self::Turning => Err(unsettled()),
        }
    }

    /// How files are understood. What a model remembers of columns holds where there are some.
    pub(super) fn columns(&self) -> FormatOptions {
        match self {
            Self::Settled(pupil) => FormatOptions { columnless: true, ..pupil.columns().clone() },
            Self::Scouting(scouting) => scouting.columns.clone(),
            Self::Turning => FormatOptions::default(),
        }
    }

    /// Finds out what the labels are without keeping examples, if a look ahead says it beyond doubt.
    pub(super) fn look_ahead(&mut self, supply: &Supply) {
        let Self::Scouting(scouting) = self else { return };
        if scouting.labels.is_none() {
            scouting.labels = scouting.scout.ahead(|enough| supply.preview(enough));
        }
    }

    /// Looks at a batch and keeps it.
    pub(super) fn scout(&mut self, batch: Batch) -> Result<()> {
        let Self::Scouting(scouting) = self else { return Err(unsettled()) };
        scouting.named = scouting.named.or(batch.named());
        for example in batch.iter() {
            if scouting.labels.is_none() {
                scouting.labels = scouting.scout.see(example.label, example.features.len());
            }
        }
        scouting.kept.push(batch);
        Ok(())
    }

    /// Makes the pupil if everything is decided; gives back the batches that were kept.
    pub(super) fn settle(
        &mut self,
        options: &TrainOptions,
        ended: bool,
        make: &mut dyn FnMut(Settings) -> Result<P>,
    ) -> Result<Vec<Batch>> {
        match std::mem::replace(self, Self::Turning) {
            Self::Scouting(scouting) if ended || scouting.is_decided() => {
                let (settings, kept) = scouting.decide(options)?;
                *self = Self::Settled(Box::new(make(settings)?));
                Ok(kept)
            }
            other => {
                *self = other;
                Ok(Vec::new())
            }
        }
    }

    pub(crate) fn pupil(&mut self) -> Result<&mut P> {
        match self {
            Self::Settled(pupil) => Ok(pupil),
            _ => Err(unsettled()),
        }
    }

    pub(crate) fn into_pupil(self) -> Result<P> {
        match self {
            Self::Settled(pupil) => Ok(*pupil),
            _ => Err(unsettled()),
        }
    }
}

impl Scouting {
    fn is_decided(&self) -> bool {
        self.labels.is_some() && self.named.is_some()
    }

    fn decide(self, options: &TrainOptions) -> Result<(Settings, Vec<Batch>)> {
        let labels = self.labels.map_or_else(|| self.scout.end(), Ok)?;
        // Without a single feature it does not matter: integers as given need no names, but settings may speak of some.
        let recipe = options.recipe.clone();
        let worded = recipe.keep.iter().any(|name| name.parse::<u64>().is_err());
        let named = self.named.unwrap_or(worded || !recipe.interactions.is_empty());
        let recipe = recipe.decided(named);
        let settings = Settings {
            learner: options.learner.clone(),
            labels,
            recipe,
            columns: self.columns,
            seed: options.seed,
        };
        Ok((settings, self.kept))
    }
}

fn unsettled() -> Error {
    Error::Other("there is no model yet".into())
}
