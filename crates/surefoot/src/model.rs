//! A model: a learner together with everything that turns data into what it understands.

use std::path::Path;
use std::sync::Arc;

use surefoot_core::{Features as Numbers, Learner, Moments, Prediction, Roster, Task};
use surefoot_data::model_file::{self, Counts, Header, ModelProblem};
use surefoot_data::{Features, FormatOptions, Label, Labels, Plan, Preparer, Recipe, State, Vectors};

use crate::Result;
use crate::density::{Density, joined};
use crate::front::Front;
use crate::state::{from_core, to_core};

/// What a model is made from.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The learner or bank.
    pub learner: Roster,
    /// The labels known so far, which also say whether the task is binary.
    pub labels: Labels,
    /// From parsed pieces to numbers, with the feature space decided.
    pub recipe: Recipe,
    /// How files are understood.
    pub columns: FormatOptions,
    /// Seed of everything that is drawn at random.
    pub seed: u64,
}

/// Where integers are dense, ids that no feature has may get weights too: so many bytes for each that one has, or as many as
/// that one takes.
const MOST_BYTES: usize = 128;

/// In the middle of a stream places are given out early if one of so many is used, because more of them will be.
const EARLY_SPARSITY: u64 = 64;

/// Weights that take no more than this may have their places early.
const EARLY_BYTES: usize = 32 << 20;

/// A learner, its labels, its feature space, and what it has seen.
///
/// ```
/// use surefoot::{Model, Settings};
/// use surefoot::core::Roster;
/// use surefoot::data::{Features, FormatOptions, Labels, Recipe, SpaceKind};
///
/// let mut model = Model::new(Settings {
///     learner: Roster::parse("arow:r=0.1")?,
///     labels: Labels::declared(&["ham", "spam"])?,
///     recipe: Recipe { space: SpaceKind::AsGiven, ..Recipe::default() },
///     columns: FormatOptions::default(),
///     seed: 0,
/// })?;
/// model.learn(&Features::given(&[3, 9], &[1.0, 2.0]), b"spam", 1.0)?;
/// let prediction = model.predict(&Features::given(&[9], &[1.0]));
/// assert_eq!(model.label(prediction.label).unwrap().to_string(), "spam");
/// # Ok::<(), surefoot::Error>(())
/// ```
#[derive(Debug)]
pub struct Model {
    pub(crate) roster: Roster,
    pub(crate) learner: Box<dyn Learner>,
    pub(crate) front: Front,
    pub(crate) counts: Counts,
    pub(crate) seed: u64,
}

/// What happened in one round of a model.
#[derive(Debug)]
pub struct Learned<'a> {
    /// The class of the example.
    pub class: usize,
    /// The prediction made before the label was seen.
    pub prediction: &'a Prediction,
    /// The probability that it gave to the true class.
    pub probability: f64,
    /// Whether the model changed.
    pub updated: bool,
}

impl Learned<'_> {
    /// Whether the prediction was another class.
    #[must_use]
    pub fn mistake(&self) -> bool {
        self.prediction.label != Some(self.class)
    }
}

impl Model {
    /// A model at the start of its stream.
    pub fn new(settings: Settings) -> Result<Self> {
        let (roster, seed) = (settings.learner, settings.seed);
        let mut front = Front::new(settings.labels, settings.recipe, settings.columns)?;
        front.density = Density::for_any([&roster].into_iter());
        let learner = front.learner(&roster)?;
        Ok(Self { roster, learner, front, counts: Counts::default(), seed })
    }

    /// Whether others may join the learners, which the first rows decide.
    pub(crate) fn is_open(&self) -> bool {
        self.front.density.is_some()
    }

    /// Decides who learns, if that is clear by now. To be asked before every example while the model is open.
    fn decide(&mut self) -> Result<()> {
        self.front.settle_density().map_or(Ok(()), |dense| self.join(dense))
    }

    /// Whoever joins where rows are dense, joins, or never will.
    pub(crate) fn join(&mut self, dense: bool) -> Result<()> {
        self.front.density = None;
        if dense {
            // Newcomers cannot follow features to other places.
            self.settle();
        }
        if dense && let Some(bank) = self.learner.as_bank() {
            self.learner = joined(&self.roster, bank, &self.front)?;
        }
        self.roster = self.roster.clone().for_rows(dense);
        Ok(())
    }

    /// One round: predict, then learn that the example has this label. Counts nothing; see [`Model::counts_mut`].
    pub fn learn(&mut self, features: &Features<'_>, label: &[u8], weight: f64) -> Result<Learned<'_>> {
        Ok(self.round(features, None, label, weight)?.0)
    }

    /// The example after the one that is learned next has these keys: their memory is asked for meanwhile. Worth a call if
    /// there are many features. Changes nothing that is kept.
    pub fn foresee(&mut self, keys: &[u64]) {
        self.front.foresee(keys);
    }

    /// As [`Model::learn`], together with what stands before the learner; `next` are the indices of the example that follows.
    pub(crate) fn round(
        &mut self,
        features: &Features<'_>,
        next: Option<&[u32]>,
        label: &[u8],
        weight: f64,
    ) -> Result<(Learned<'_>, &Front)> {
        self.decide()?;
        self.move_if_planned();
        let (class, numbers) = take(&mut self.front, &mut *self.learner, features, label, weight)?;
        let numbers = next.map_or(numbers, |next| numbers.before(next));
        let round = self.learner.learn(numbers, class, weight)?;
        let learned = Learned {
            class,
            prediction: round.prediction,
            probability: round.probability,
            updated: round.updated,
        };
        Ok((learned, &self.front))
    }

    /// The part of a round that moves the weights, for whoever borrowed the rest from the learner.
    pub(crate) fn learn_weights(
        &mut self,
        features: &Features<'_>,
        next: &[u32],
        label: &[u8],
        weight: f64,
    ) -> Result<Moments> {
        self.move_if_planned();
        let (class, numbers) = take(&mut self.front, &mut *self.learner, features, label, weight)?;
        Ok(self.learner.learn_weights(numbers.before(next), class, weight)?)
    }

    /// Whether features are to get other indices, as far as the examples so far say. To be asked before every example, so that
    /// it does not matter when the move is made.
    pub(crate) fn plan_move(&mut self) -> bool {
        let Some(bytes) = self.movable_bytes() else { return false };
        self.front.preparer.plan_move((MOST_BYTES / bytes).max(2) as u64)
    }

    /// What is to be done before every example that is learned at once.
    fn move_if_planned(&mut self) {
        if self.plan_move() {
            self.make_move();
        }
    }

    /// Gives features other indices, if that was planned.
    pub(crate) fn make_move(&mut self) {
        if let Some(places) = self.front.preparer.make_move() {
            self.learner.relocate(&places);
        }
    }

    /// Gives features other indices before that is planned, so that most of them never have to move. The model must be
    /// [settled](Model::settle) before anyone sees it.
    pub(crate) fn move_early(&mut self) {
        let Some(bytes) = self.movable_bytes() else { return };
        if let Some(places) = self.front.preparer.move_early(EARLY_SPARSITY, (EARLY_BYTES / bytes) as u64) {
            self.learner.relocate(&places);
        }
    }

    /// Leaves features at the indices that they would have without early moves.
    pub(crate) fn settle(&mut self) {
        if let Some(places) = self.front.preparer.settle() {
            self.learner.relocate(&places);
        }
    }

    /// What the weights of a feature take, if they can move and may have to.
    fn movable_bytes(&self) -> Option<usize> {
        if !self.front.preparer.may_move() {
            return None;
        }
        let blocks = if self.front.labels.is_binary() { 1 } else { self.front.labels.len().max(1) };
        self.learner.movable_cell().map(|cell| (cell * blocks).max(1))
    }

    /// The prediction for an example; changes nothing.
    #[must_use]
    pub fn predict(&self, features: &Features<'_>) -> Prediction {
        let (mut vectors, mut out) = (Vectors::new(), Prediction::default());
        self.predict_into(features, &mut vectors, &mut out);
        out
    }

    /// As [`Model::predict`], with buffers that are reused.
    pub fn predict_into(&self, features: &Features<'_>, vectors: &mut Vectors, out: &mut Prediction) {
        self.front.preparer.predict(features, vectors);
        if let Ok(numbers) = Numbers::new(&vectors.ids, &vectors.values) {
            self.learner.predict_into(numbers, out);
        }
    }

    /// The label of a class.
    #[must_use]
    pub fn label(&self, class: Option<usize>) -> Option<&Label> {
        class.and_then(|class| self.front.labels.names().get(class))
    }

    /// Binary or multi-class.
    #[must_use]
    pub fn task(&self) -> Task {
        self.front.task()
    }

    /// The SPEC with every parameter filled in.
    pub fn spec(&self) -> Result<String> {
        Ok(self.roster.text(self.task())?)
    }

    /// The learner or bank as it was asked for.
    #[must_use]
    pub fn roster(&self) -> &Roster {
        &self.roster
    }

    /// The learner.
    #[must_use]
    pub fn learner(&self) -> &dyn Learner {
        &*self.learner
    }

    /// The labels.
    #[must_use]
    pub fn labels(&self) -> &Labels {
        &self.front.labels
    }

    /// The feature space and running statistics.
    #[must_use]
    pub fn preparer(&self) -> &Preparer {
        &self.front.preparer
    }

    /// What workers run to parse data for this model.
    #[must_use]
    pub fn plan(&self) -> Arc<Plan> {
        self.front.plan.clone()
    }

    /// How files are understood.
    #[must_use]
    pub fn columns(&self) -> &FormatOptions {
        &self.front.columns
    }

    /// What the model has seen.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// For whoever drives the rounds.
    pub fn counts_mut(&mut self) -> &mut Counts {
        &mut self.counts
    }

    /// The seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    pub(crate) fn header(&self) -> Result<Header> {
        Ok(Header {
            version: model_file::FORMAT_VERSION,
            learner: self.spec()?,
            labels: self.front.labels.to_json(),
            recipe: self.front.plan.recipe().clone(),
            columns: self.front.columns.clone(),
            counts: self.counts,
            seed: self.seed,
            memory: 1.0,
        })
    }

    /// The bytes of the model file.
    pub fn to_bytes(&self) -> Result<Vec<u8>> {
        let name = Path::new("model");
        model_file::to_bytes(&self.header()?, &self.state()?).map_err(|problem| problem.in_file(name).into())
    }

    /// Writes the model file; a crash at any moment leaves the old file or the new one.
    pub fn save(&self, path: &Path) -> Result<()> {
        Ok(model_file::write(path, &self.header()?, &self.state()?)?)
    }

    fn state(&self) -> Result<State<'_>> {
        let mut state = State::new();
        self.front.preparer.export(&mut state);
        from_core("learner", self.learner.save(), &mut state);
        self.front.density.map_or(Ok(()), |density| density.export(&self.roster, &mut state))?;
        Ok(state)
    }

    /// Reads a model file; it goes on exactly where it was saved.
    pub fn load(path: &Path) -> Result<Self> {
        let (header, state) = model_file::read(path)?;
        Self::rebuild(header, state).map_err(|problem| problem.in_file(path).into())
    }

    /// A model from the bytes of its file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self> {
        let built = model_file::from_bytes(bytes).and_then(|(header, state)| Self::rebuild(header, state));
        built.map_err(|problem| problem.in_file(Path::new("model")).into())
    }

    fn rebuild(header: Header, mut state: State<'static>) -> Result<Self, ModelProblem> {
        let labels = Labels::from_json(&header.labels).map_err(|e| ModelProblem::Header(e.to_string()))?;
        let plan = Plan::new(header.recipe)?;
        let preparer = Preparer::load(&plan, &mut state)?;
        let (roster, density) = Density::import(&mut state, Roster::parse(&header.learner)?)?;
        let mut front = Front::with(labels, preparer, plan, header.columns);
        front.density = density;
        let mut learner = roster.build(front.task(), front.bias())?;
        learner.restore(to_core("learner", &mut state)?)?;
        state.finish()?;
        if learner.classes() != front.labels.len() {
            let found = format!("{} classes for {} labels", learner.classes(), front.labels.len());
            return Err(ModelProblem::Header(found));
        }
        // A bank has no list of its own of which label comes first.
        learner.set_classes(front.labels.len(), &front.ranks())?;
        Ok(Self { roster, learner, front, counts: header.counts, seed: header.seed })
    }
}

/// The class and the numbers of an example to learn from; the learner is told of new classes.
fn take<'v>(
    front: &'v mut Front,
    learner: &mut dyn Learner,
    features: &Features<'v>,
    label: &[u8],
    weight: f64,
) -> Result<(usize, Numbers<'v>)> {
    front.take(features, label, weight, &mut |known, order| learner.set_classes(known, order))
}
