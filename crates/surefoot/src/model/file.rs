//! Models as files; a model that was read goes on exactly where it was saved.

use std::path::Path;
use std::sync::Arc;

use surefoot_core::state::State;
use surefoot_core::{LearnerSpec, drift};
use surefoot_data::model_file::{self, Header, ModelProblem};
use surefoot_data::{Encoder, Labels, Plan};

use super::Model;
use crate::Result;
use crate::balance::ClassBalance;
use crate::beginning::Beginning;
use crate::first_rows::FirstRows;
use crate::learners::{Contestant, Learners};
use crate::train::changes::{ChangeWatch, OnDrift};

impl Model {
    pub(super) fn header(&self) -> Result<Header> {
        let acts = self.on_drift() != OnDrift::Report;
        let names = self.detectors().iter().map(|spec| spec.name.to_string());
        Ok(Header {
            version: model_file::FORMAT_VERSION,
            learner: self.spec()?,
            labels: self.labels().to_json(),
            recipe: self.encoder().recipe().clone(),
            columns: self.columns.clone(),
            counts: self.counts(),
            seed: self.seed,
            memory: 1.0,
            first_examples: self.learners.beginning.hashes().to_vec(),
            on_drift: acts.then(|| self.on_drift().name().into()),
            detectors: if acts { names.collect() } else { Vec::new() },
            class_examples: self.own().balance.as_ref().map(|balance| balance.counts().to_vec()),
        })
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let name = Path::new("model");
        model_file::to_bytes(&self.header()?, &self.state()?).map_err(|problem| problem.in_file(name).into())
    }

    /// Writes the model file; a crash at any moment leaves the old file or the new one.
    pub fn save(&self, path: impl AsRef<Path>) -> Result<()> {
        Ok(model_file::write(path.as_ref(), &self.header()?, &self.state()?)?)
    }

    pub(super) fn state(&self) -> Result<State<'_>> {
        let (mut state, own) = (State::default(), self.own());
        self.encoder().export(&mut state);
        state.join("learner", own.learner.save());
        state.join("head", own.head.save());
        own.watch.save().into_iter().for_each(|seen| state.join("drift", seen));
        self.learners.first_rows.map_or(Ok(()), |rows| rows.export(&own.spec, self.task(), &mut state))?;
        Ok(state)
    }

    /// Reads a model file; it goes on exactly where it was saved.
    pub fn load(path: impl AsRef<Path>) -> Result<Self> {
        let (header, state) = model_file::read(path.as_ref())?;
        Self::rebuild(header, state).map_err(|problem| problem.in_file(path.as_ref()).into())
    }

    /// A model from the bytes of its file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let built = model_file::from_bytes(bytes).and_then(|(header, state)| Self::rebuild(header, state));
        built.map_err(|problem| problem.in_file(Path::new("model")).into())
    }

    pub(super) fn rebuild(header: Header, mut state: State<'static>) -> Result<Self, ModelProblem> {
        let labels = Labels::from_json(&header.labels).map_err(|e| ModelProblem::Header(e.to_string()))?;
        let encoder = Encoder::load(labels, Arc::new(Plan::new(header.recipe)?), &mut state)?;
        let (spec, first_rows) = FirstRows::import(&mut state, LearnerSpec::parse(&header.learner)?)?;
        let (task, ranks) = (encoder.task(), encoder.ranks());
        let mut learner = spec.build(task, ranks.len(), encoder.recipe().bias)?;
        learner.restore(state.split("learner"))?;
        let mut head = spec.head(task)?;
        head.restore(state.split("head"))?;
        let mut watch = watch(header.on_drift.as_deref(), &header.detectors)?;
        watch.restore(state.split("drift"))?;
        state.finish()?;
        if learner.classes() != ranks.len() {
            let found = format!("{} classes for {} labels", learner.classes(), ranks.len());
            return Err(ModelProblem::Header(found));
        }
        // An ensemble has no list of its own of which label comes first.
        learner.set_classes(ranks.len(), &ranks)?;
        head.set_classes(&ranks);
        let balance = header.class_examples.map(ClassBalance::new);
        if balance.as_ref().is_some_and(|balance| balance.counts().len() > ranks.len()) {
            return Err(ModelProblem::Header("examples of classes that there are not".into()));
        }
        let contestants = vec![Contestant { spec, learner, head, counts: header.counts, balance, watch }];
        let beginning = Beginning::new(header.first_examples);
        let learners = Learners { encoder, contestants, first_rows, beginning };
        Ok(Self::from_parts(learners, header.columns, header.seed))
    }
}

/// What watches the stream of a model: the usual, unless the file says what is done about changes.
fn watch(on_drift: Option<&str>, detectors: &[String]) -> Result<ChangeWatch, ModelProblem> {
    let Some(name) = on_drift else { return Ok(ChangeWatch::default()) };
    let watch = || {
        let detectors = drift::detectors(detectors.iter().map(String::as_str))?;
        ChangeWatch::new(&detectors, OnDrift::parse(name)?)
    };
    watch().map_err(|error: crate::Error| ModelProblem::Header(error.to_string()))
}
