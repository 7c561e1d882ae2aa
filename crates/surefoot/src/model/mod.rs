//! A model: a learner together with everything that turns data into what it understands.

mod builder;
mod compact;
mod features;
mod file;
mod members;
mod merge;
mod predict;
mod recalibrate;
mod weights;

pub use builder::ModelBuilder;
pub use features::AsFeatures;
pub use members::MemberReport;
pub use merge::{merge, merge_by, merge_files};
pub use predict::{Predicted, Predictor};
pub use weights::NamedWeight;

use std::sync::Arc;

use surefoot_core::drift::DetectorSpec;
use surefoot_core::{Head, Learner, LearnerSpec, Task};
use surefoot_data::model_file::Counts;
use surefoot_data::{Encoder, FormatOptions, Label, Labels, NamedRow, Plan, Recipe};

use crate::learners::{Contestant, Learners, RoundBuffers};
use crate::train::changes::{ChangeWatch, DataChange, OnDrift, default_detectors};
use crate::{Error, Learned, Result};

/// What a model is made from.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub struct Settings {
    /// The learner or ensemble.
    pub learner: LearnerSpec,
    /// The labels known so far, which also say whether the task is binary.
    pub labels: Labels,
    /// From parsed pieces to numbers, with the feature index decided.
    pub recipe: Recipe,
    /// How files are understood.
    pub columns: FormatOptions,
    /// Seed of everything that is drawn at random.
    pub seed: u64,
    /// What watches the stream for changes.
    pub detectors: Vec<&'static DetectorSpec>,
    /// What is done where error or log loss rise by more than chance explains.
    pub on_drift: OnDrift,
}

impl Settings {
    /// A learner of these labels, and the usual for the rest.
    #[must_use]
    pub fn new(learner: LearnerSpec, labels: Labels, recipe: Recipe) -> Self {
        let (columns, on_drift) = Default::default();
        Self { learner, labels, recipe, columns, seed: 0, detectors: default_detectors(), on_drift }
    }
}

/// A learner, its labels, its features, and what it has seen.
///
/// ```
/// use surefoot::{Model, Task};
///
/// let mut model = Model::builder().learner("arow:r=0.1").task(Task::Binary).build()?;
/// model.learn(&[("subject=offer", 1.0), ("caps", 0.4)], "spam")?; // predict, score, update, count
/// model.learn(&[("subject=lunch", 1.0)], "ham")?;
/// let p = model.predict(&[("caps", 0.9)]);
/// assert_eq!(p.label(), "spam");
/// assert!(p.probability() > 0.5 && model.counts().examples == 2);
/// # Ok::<(), surefoot::Error>(())
/// ```
#[derive(Debug, Clone)]
pub struct Model {
    /// The encoder and one learner.
    pub(crate) learners: Learners,
    columns: FormatOptions,
    seed: u64,
    buffers: RoundBuffers,
    named: NamedRow,
}

impl Model {
    /// A model to be described: [`ModelBuilder`].
    pub fn builder() -> ModelBuilder {
        ModelBuilder::default()
    }

    /// A model at the start of its stream.
    pub fn new(settings: Settings) -> Result<Self> {
        let specs = std::slice::from_ref(&settings.learner);
        let mut learners = Learners::new(encoder(&settings, specs)?, specs)?;
        learners.contestants[0].watch = ChangeWatch::new(&settings.detectors, settings.on_drift)?;
        Ok(Self::from_parts(learners, settings.columns, settings.seed))
    }

    /// Around learners that are there already, of which there is one.
    pub(crate) fn from_parts(learners: Learners, columns: FormatOptions, seed: u64) -> Self {
        let named = NamedRow::new(learners.encoder.plan());
        Self { learners, columns, seed, buffers: RoundBuffers::default(), named }
    }

    fn own(&self) -> &Contestant {
        &self.learners.contestants[0]
    }

    /// One round: predict, score, update, count.
    pub fn learn<F>(&mut self, features: &F, label: impl AsRef<[u8]>) -> Result<Learned<'_>>
    where
        F: AsFeatures + ?Sized,
    {
        self.learn_weighted(features, label, 1.0)
    }

    /// One round with an example of some importance; 0 learns nothing.
    pub fn learn_weighted<F>(
        &mut self,
        features: &F,
        label: impl AsRef<[u8]>,
        weight: f64,
    ) -> Result<Learned<'_>>
    where
        F: AsFeatures + ?Sized,
    {
        let features = features.keyed(&mut self.named)?;
        let label = std::iter::once(label.as_ref());
        self.learners.round(&features, label, weight, &mut self.buffers)
    }

    /// One round where an example may have several labels, or none ([`Task::Multilabel`]).
    ///
    /// ```
    /// use surefoot::{Model, Task};
    ///
    /// let mut model = Model::builder().learner("arow").task(Task::Multilabel).build()?;
    /// for _ in 0..4 {
    ///     model.learn_labels(&[("wheat", 1.0), ("ship", 1.0)], ["grain", "ship"], 1.0)?;
    ///     model.learn_labels(&[("profit", 1.0)], ["earn"], 1.0)?;
    ///     model.learn_labels(&[("weather", 1.0)], [""; 0], 1.0)?;
    /// }
    /// assert_eq!(model.predict(&[("wheat", 1.0), ("ship", 1.0)]).labels(), ["grain", "ship"]);
    /// assert!(model.predict(&[("weather", 1.0)]).labels().is_empty());
    /// # Ok::<(), surefoot::Error>(())
    /// ```
    pub fn learn_labels<F, L>(
        &mut self,
        features: &F,
        labels: impl IntoIterator<Item = L>,
        weight: f64,
    ) -> Result<Learned<'_>>
    where
        F: AsFeatures + ?Sized,
        L: AsRef<[u8]>,
    {
        let features = features.keyed(&mut self.named)?;
        let labels: Vec<L> = labels.into_iter().collect();
        self.learners.round(&features, labels.iter().map(AsRef::as_ref), weight, &mut self.buffers)
    }

    /// Whether an example could be learned from: the class of its label, none if it would be a new one. Changes nothing.
    pub fn check<F>(&self, features: &F, label: impl AsRef<[u8]>, weight: f64) -> Result<Option<usize>>
    where
        F: AsFeatures + ?Sized,
    {
        let mut named = NamedRow::new(self.encoder().plan());
        let features = features.keyed(&mut named)?;
        Ok(self.encoder().check(&features, label.as_ref(), weight)?)
    }

    /// The label of a class.
    #[must_use]
    pub fn label(&self, class: Option<usize>) -> Option<&Label> {
        class.and_then(|class| self.labels().names().get(class))
    }

    /// Two labels, any number of them, or several a row.
    #[must_use]
    pub fn task(&self) -> Task {
        self.learners.encoder.task()
    }

    /// The SPEC with every parameter filled in.
    pub fn spec(&self) -> Result<String> {
        Ok(self.own().spec.text(self.task())?)
    }

    /// The learner or ensemble as it was asked for.
    #[must_use]
    pub fn learner_spec(&self) -> &LearnerSpec {
        &self.own().spec
    }

    /// The learner: what scores examples and has weights.
    #[must_use]
    pub fn learner(&self) -> &dyn Learner {
        &*self.own().learner
    }

    /// The head: what makes predictions of scores.
    #[must_use]
    pub fn head(&self) -> &Head {
        &self.own().head
    }

    /// Labels, feature index and running statistics.
    #[must_use]
    pub fn encoder(&self) -> &Encoder {
        &self.learners.encoder
    }

    /// The labels.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        self.learners.encoder.labels()
    }

    /// What workers run to parse data for this model.
    #[must_use]
    pub fn plan(&self) -> Arc<Plan> {
        self.learners.encoder.plan().clone()
    }

    /// How files are understood.
    #[must_use]
    pub fn columns(&self) -> &FormatOptions {
        &self.columns
    }

    /// What the model has seen.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.own().counts
    }

    /// Whether all labels count alike, however rare some are.
    #[must_use]
    pub fn is_balanced(&self) -> bool {
        self.own().balance.is_some()
    }

    /// What the model does where its error or log loss rises by more than chance explains.
    #[must_use]
    pub fn on_drift(&self) -> OnDrift {
        self.own().watch.on_drift
    }

    /// What watches the model's stream for changes.
    #[must_use]
    pub fn detectors(&self) -> &[&'static DetectorSpec] {
        self.own().watch.detectors()
    }

    /// Where the data changed since the model was made or loaded; of a run of `train` or `resume`, since it began. The newest
    /// 1,000 are known.
    ///
    /// ```
    /// use surefoot::{Model, Task};
    ///
    /// let mut model = Model::builder().learner("arow").task(Task::Binary).build()?;
    /// for n in 0..6000 {
    ///     // After 3,000 examples the labels are swapped.
    ///     let label = if (n % 2 == 0) == (n < 3000) { "a" } else { "b" };
    ///     model.learn(&[(["left", "right"][n % 2], 1.0)], label)?;
    /// }
    /// let changes = model.changes();
    /// assert!(changes[0].signal == "error" && (2970..3030).contains(&changes[0].example));
    /// # Ok::<(), surefoot::Error>(())
    /// ```
    #[must_use]
    pub fn changes(&self) -> Vec<DataChange> {
        self.own().watch.changes(self.labels())
    }

    /// Watches with these detectors from here on, unless the model does something about changes: then it goes on with its own.
    /// What it does stays what it was.
    pub(crate) fn watch_with(
        &mut self,
        detectors: &[&'static DetectorSpec],
        on_drift: OnDrift,
    ) -> Result<()> {
        let own = self.on_drift();
        if on_drift != OnDrift::Report && on_drift != own {
            return Err(Error::Other(format!(
                "the model was begun with on-drift={}, and goes on so, not with on-drift={}",
                own.name(),
                on_drift.name()
            )));
        }
        if own == OnDrift::Report {
            self.learners.contestants[0].watch = ChangeWatch::new(detectors, OnDrift::Report)?;
        }
        Ok(())
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Whether members may still join, which the first rows decide.
    pub(crate) fn is_open(&self) -> bool {
        self.learners.first_rows.is_some()
    }
}

/// An encoder at the start of its stream, for these learners.
pub(crate) fn encoder(settings: &Settings, specs: &[LearnerSpec]) -> Result<Encoder> {
    let plan = Arc::new(Plan::new(settings.recipe.clone())?);
    // Many classes have a row of many cells a feature: a gap would be as wide.
    let gaps = settings.labels.task() == Task::Binary && specs.iter().all(LearnerSpec::takes_gaps);
    Ok(Encoder::new(settings.labels.clone(), plan, gaps))
}
