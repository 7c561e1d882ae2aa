//! The engine: the first half of every round on the caller's thread, the second half in the evaluation stage behind it.

use std::sync::Arc;
use std::time::Instant;

use surefoot_data::model_file::Counts;
use surefoot_data::{Batch, Example, FoundFeatures, Jobs, Label, OnBadLine, Row};

use super::TrainOptions;
use super::observer::{Observer, RoundView};
use super::quantity;
use super::round::{HeadTally, PendingBatch, Rounds, update};
use super::stage::EvalStage;
use crate::learners::Learners;
use crate::{Error, Familiarity, Model, Result};

/// So few features have all their weights in the caches anyway: asking for their memory ahead costs more than it brings.
const FEW_FEATURES: usize = 1 << 12;

/// Which learners learn from an example, and which are tested on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ExampleRole {
    /// Every learner predicts it, then learns from it.
    Learn,
    /// All but those that leave this fold out learn from it; learner `l·folds + f` leaves out fold f.
    LearnWithout { fold: usize, folds: usize },
    /// Those that leave this fold out predict it.
    Test { fold: usize, folds: usize },
}

impl ExampleRole {
    fn concerns(self, learner: usize) -> bool {
        match self {
            ExampleRole::Learn => true,
            ExampleRole::LearnWithout { fold, folds } => learner % folds != fold,
            ExampleRole::Test { fold, folds } => learner % folds == fold,
        }
    }

    fn learns(self) -> bool {
        !matches!(self, ExampleRole::Test { .. })
    }
}

/// What learns in a run: a model, or several learners side by side.
pub(crate) trait Trainee {
    /// The learners and their encoder.
    fn learners(&mut self) -> &mut Learners;

    /// The model, if this is one: it can be saved in the middle of a run.
    fn model(&self) -> Option<&Model> {
        None
    }
}

impl Trainee for Model {
    fn learners(&mut self) -> &mut Learners {
        &mut self.learners
    }

    fn model(&self) -> Option<&Model> {
        Some(self)
    }
}

/// Rounds under way.
#[derive(Debug)]
pub(crate) struct Engine<'a> {
    options: &'a TrainOptions,
    /// Examples still to be left out at the start.
    to_skip: u64,
    /// Examples of this pass that were left out because of their labels.
    pub(super) refused: u64,
    stage: EvalStage,
    /// Rounds of the batch that is being learned.
    rounds: Rounds,
    row: Row,
    /// Where this example's features and the next one's are, as far as they were looked up.
    found: FoundFeatures,
    ahead: FoundFeatures,
    /// Rounds that were learned, evaluated or not, those of earlier runs included.
    learned: u64,
    first_pass: bool,
    /// Rounds that say something about the data, those of earlier runs included.
    watched: u64,
    /// Examples to come in this pass that an earlier run has learned.
    repeated: u64,
    /// Whether any example had an importance other than 0 and 1.
    pub(super) weighted: bool,
    /// Where a model goes on: the bound of the features it had before, and how much of the new examples it knew.
    pub(super) familiarity: Option<(usize, Familiarity)>,
    /// Whether other threads may evaluate: for an ensemble. Of one learner that takes less time than it takes its scores to
    /// reach another thread, and learners that are timed keep to this one.
    pipelined: bool,
    /// Time spent in each learner alone; only where they are compared.
    seconds: Vec<f64>,
}

impl<'a> Engine<'a> {
    /// For these learners, which are given to every call. Where they are `compared`, each is timed and its mistakes are marked.
    pub(crate) fn new(learners: &Learners, compared: bool, options: &'a TrainOptions) -> Self {
        let own = &learners.contestants;
        Self {
            options,
            to_skip: options.skip,
            refused: 0,
            stage: EvalStage::new(own.iter().map(|own| HeadTally::new(own, compared)).collect()),
            rounds: Rounds::default(),
            row: Row::default(),
            found: FoundFeatures::default(),
            ahead: FoundFeatures::default(),
            learned: own.first().map_or(0, |own| own.counts.rounds),
            watched: own.first().map_or(0, |own| own.watch.seen()),
            first_pass: true,
            repeated: 0,
            weighted: false,
            familiarity: None,
            pipelined: !compared && own.iter().any(|own| own.spec.is_ensemble()),
            seconds: vec![0.0; if compared { own.len() } else { 0 }],
        }
    }

    /// Starts a pass; in the first one examples are met for the first time.
    pub(crate) fn start_pass(&mut self, first: bool) {
        self.first_pass = first;
        self.refused = 0;
    }

    /// So many examples come first that an earlier run has learned: as in a later pass, they say nothing new about how right
    /// the learner is.
    pub(crate) fn expect_repeated(&mut self, examples: u64) {
        self.repeated = examples;
    }

    /// From now on rounds are evaluated by the workers of this queue, if there is one.
    pub(crate) fn use_jobs(&mut self, jobs: Option<Jobs>) {
        self.stage.jobs = jobs.filter(|_| self.pipelined);
    }

    /// A batch to be filled.
    pub(crate) fn spare_batch(&mut self) -> Batch {
        self.stage.spare_batch()
    }

    /// The examples of a batch, one round after the other, with the checkpoints between them.
    pub(crate) fn learn(
        &mut self,
        batch: &Arc<Batch>,
        trainee: &mut dyn Trainee,
        roles: &mut dyn Iterator<Item = ExampleRole>,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let TrainOptions { checkpoint_every, on_bad_line, .. } = *self.options;
        for at in 0..batch.len() {
            if self.to_skip > 0 {
                self.to_skip -= 1;
                continue;
            }
            let role = roles.next().unwrap_or(ExampleRole::Learn);
            if let Err(error) = self.round(trainee.learners(), batch, at, role, observer) {
                let skip = on_bad_line == OnBadLine::Skip && error.is_about_the_label();
                let error = error.at(batch, &batch.example(at));
                if !skip {
                    return Err(error);
                }
                self.refused += 1;
                if self.first_pass {
                    observer.refused(&error, batch.record(at));
                }
            } else if checkpoint_every > 0 && self.learned.is_multiple_of(checkpoint_every) {
                self.finish_batch(batch.clone());
                self.flush(trainee.learners(), observer)?;
                if let Some(model) = trainee.model() {
                    observer.checkpoint(model)?;
                }
            }
        }
        Ok(())
    }

    /// One example: the weights of the learners that it concerns move, or only their scores are taken.
    fn round(
        &mut self,
        learners: &mut Learners,
        batch: &Arc<Batch>,
        at: usize,
        role: ExampleRole,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        // First of all, so that what was found never serves another example, should this one be refused.
        std::mem::swap(&mut self.found, &mut self.ahead);
        self.ahead.clear();
        let example = batch.example(at);
        let weight = self.weight(&example);
        let new = self.first_pass && self.repeated == 0;
        if new && learners.contestants[0].watch.acts_at(self.watched) {
            self.finish_batch(batch.clone());
            self.flush(learners, observer)?;
            learners.contestants[0].react(&learners.encoder)?;
            self.stage.take_heads(&learners.contestants)?;
        }
        self.look_ahead(learners, batch, at + 1);
        let half = self.ahead.indices.len() / 2;
        prefetch(learners, &self.ahead.indices[..half]);
        let (row, learns) = (&mut self.row, role.learns());
        let mut truth = match learns {
            true => learners.encode(&example.features, &self.found, example.labels(), weight, row)?,
            false => learners.encode_known(&example.features, example.labels(), weight, row)?,
        };
        if let Some((known, _)) = &truth.new_class {
            quantity::check(learners.encoder.labels(), *known, self.learned, self.options)?;
        }
        if let Some((bound, familiarity)) = self.familiarity.as_mut().filter(|_| self.first_pass) {
            let bias = usize::from(learners.encoder.recipe().bias);
            let known = row.ids.iter().filter(|&&id| (id as usize) < *bound).count().saturating_sub(bias);
            familiarity.count(example.features.len(), known);
        }
        if let (Some((known, ranks)), ExampleRole::LearnWithout { .. }) = (&mut truth.new_class, role) {
            // A learner may never see an example of the class in its part of the data: it is told here.
            *known = ranks.len();
            learners.contestants.iter_mut().try_for_each(|own| own.learner.set_classes(*known, ranks))?;
        }
        let (features, x) = (learners.encoder.index().len(), row.vector()?);
        for (number, own) in learners.contestants.iter_mut().enumerate().filter(|(n, _)| role.concerns(*n)) {
            let began = (!self.seconds.is_empty()).then(Instant::now);
            let round = self.rounds.slot();
            round.truth.clone_from(&truth);
            let mut moved = Ok(());
            if learns {
                own.weigh(&mut round.truth, new);
                self.weighted |= round.truth.weight != 1.0 && round.truth.weight != 0.0;
                moved = update(&mut *own.learner, x, &round.truth, &mut round.scores);
            } else {
                own.learner.scores(x, &mut round.scores);
            }
            began.iter().for_each(|began| self.seconds[number] += began.elapsed().as_secs_f64());
            (round.position, round.learner, round.features) = (at, number, features);
            (round.learned, round.first_pass) = (learns, self.first_pass);
            round.new = new;
            round.scored = if role == ExampleRole::Learn { self.first_pass } else { !learns };
            moved.inspect_err(|_| self.rounds.take_back())?;
        }
        // The other half of the memory, so that not all of it is waited for at once.
        prefetch(learners, &self.ahead.indices[half..]);
        if new {
            learners.beginning.see(example.labels(), &example.features);
        }
        self.repeated = self.repeated.saturating_sub(1);
        self.watched += u64::from(new);
        self.learned += u64::from(learns);
        // At once, so that a model is the same whether it stops here or goes on.
        if let Some(rows) = learners.row_verdict() {
            self.finish_batch(batch.clone());
            self.flush(learners, observer)?;
            learners.settle_rows(rows)?;
            self.stage.take_heads(&learners.contestants)?;
        }
        Ok(())
    }

    /// The importance of an example, by its label too.
    fn weight(&self, example: &Example<'_>) -> f64 {
        let Some(label) = example.label().filter(|_| !self.options.class_weights.is_empty()) else {
            return example.weight;
        };
        let label = Label::read(&String::from_utf8_lossy(label));
        example.weight * self.options.class_weights.get(&label).copied().unwrap_or(1.0)
    }

    /// Looks up the features of the example that comes next.
    fn look_ahead(&mut self, learners: &Learners, batch: &Batch, at: usize) {
        if at < batch.len() && learners.encoder.index().len() >= FEW_FEATURES {
            learners.encoder.look_up(batch.example(at).features.keys(), &mut self.ahead);
        }
    }

    /// The rounds of a batch wait for their evaluation. A caller that is done with the batch gives it away, so that its memory can be
    /// used again once the rounds are reported.
    pub(crate) fn finish_batch(&mut self, batch: Arc<Batch>) {
        if !self.rounds.is_empty() {
            let rounds = std::mem::replace(&mut self.rounds, self.stage.spare_rounds());
            self.stage.push(PendingBatch { batch, rounds, alarms: Vec::new() });
        }
    }

    /// Reports the rounds that were evaluated meanwhile, in file order.
    pub(crate) fn report(&mut self, learners: &Learners, observer: &mut dyn Observer) -> Result<()> {
        let parts = self.stage.collect(false)?;
        self.report_parts(parts, learners, observer);
        Ok(())
    }

    /// Evaluates the rounds that wait, unless others are being evaluated.
    pub(crate) fn start_evaluation(&mut self) {
        self.stage.start();
    }

    /// Every round that waits is evaluated and reported, and the learners have their heads as of now.
    pub(crate) fn flush(&mut self, learners: &mut Learners, observer: &mut dyn Observer) -> Result<()> {
        // Those that are in flight, then those that wait for them.
        let parts = self.stage.collect(true)?;
        self.report_parts(parts, learners, observer);
        self.stage.start();
        let parts = self.stage.collect(true)?;
        self.report_parts(parts, learners, observer);
        let heads = self.stage.heads().ok_or_else(|| Error::Other("a round was not evaluated".into()))?;
        for (own, evaluated) in learners.contestants.iter_mut().zip(heads) {
            own.head.clone_from(&evaluated.head);
            own.counts = Counts { passes: own.counts.passes, ..evaluated.counts };
            evaluated.watch.iter().for_each(|watch| own.watch.clone_from(watch));
        }
        Ok(())
    }

    fn report_parts(&mut self, parts: Vec<PendingBatch>, learners: &Learners, observer: &mut dyn Observer) {
        let labels = learners.encoder.labels();
        for part in &parts {
            let mut alarms = part.alarms.iter().peekable();
            for (number, round) in part.rounds.iter().enumerate() {
                let (place, features, first_pass) =
                    ((&*part.batch, round.position), round.features, round.first_pass);
                observer.round(&RoundView { round: &round.learned(), place, first_pass, labels, features });
                while let Some((_, alarm)) = alarms.next_if(|(at, _)| *at == number) {
                    observer.change(&learners.contestants[round.learner].watch.tell(
                        alarm,
                        labels,
                        alarm.after,
                    ));
                }
            }
        }
        self.stage.recycle(parts);
    }

    /// How each learner has done; none while rounds are being evaluated.
    pub(crate) fn heads(&self) -> Option<&[HeadTally]> {
        self.stage.heads()
    }

    /// The end: how each learner has done, and the time spent in each if there are several.
    pub(crate) fn end(self) -> Result<(Vec<HeadTally>, Vec<f64>)> {
        Ok((self.stage.into_heads()?, self.seconds))
    }
}

/// Asks for the memory of the weights of these features.
fn prefetch(learners: &Learners, ids: &[u32]) {
    learners.contestants.iter().for_each(|own| own.learner.prefetch(ids));
}

impl Error {
    /// Whether it says that an example has no label, or one that the model cannot take.
    fn is_about_the_label(&self) -> bool {
        matches!(self, Error::Labels(_) | Error::NoLabel)
    }
}
