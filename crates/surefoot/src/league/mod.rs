//! Several learners side by side: the data is parsed and indexed once, whoever learns from it.

mod folds;

pub(crate) use folds::Folds;

use std::sync::Arc;
use std::time::Instant;

use surefoot_core::{Features as Numbers, Learner, Prediction, Roster};
use surefoot_data::model_file::Counts;
use surefoot_data::{Batch, Example, FormatOptions, Plan, Source};

use crate::density::{Density, joined};
use crate::front::Front;
use crate::train::{Course, Progressive, Pupil, Start, Supply, TrainOptions, feed};
use crate::{Learned, Model, Result, Settings};

/// One learner of a league and its record.
pub(crate) struct Entry {
    pub(crate) learner: Box<dyn Learner>,
    /// Its roster, while others may join it.
    open: Option<Roster>,
    pub(crate) record: Record,
}

/// How a learner did.
#[derive(Debug, Default)]
pub(crate) struct Record {
    /// Scores of predictions made before the label was seen.
    pub(crate) scores: Progressive,
    /// Which examples were predicted wrongly, in file order.
    pub(crate) wrong: Marks,
    /// Time spent in it alone.
    pub(crate) seconds: f64,
}

/// One bit an example.
#[derive(Debug, Default)]
pub(crate) struct Marks {
    bits: Vec<u64>,
    len: usize,
}

impl Marks {
    pub(crate) fn push(&mut self, mark: bool) {
        if self.len.is_multiple_of(64) {
            self.bits.push(0);
        }
        if let Some(last) = self.bits.last_mut() {
            *last |= u64::from(mark) << (self.len % 64);
        }
        self.len += 1;
    }

    pub(crate) fn iter(&self) -> impl Iterator<Item = bool> + '_ {
        (0..self.len).map(|i| self.bits[i / 64] >> (i % 64) & 1 == 1)
    }
}

/// Learners that see the same examples through one front.
pub(crate) struct League {
    pub(crate) front: Front,
    pub(crate) entries: Vec<Entry>,
    /// Lines that were skipped.
    pub(crate) bad_lines: u64,
}

impl League {
    pub(crate) fn new(settings: Settings, rosters: &[Roster]) -> Result<Self> {
        let mut front = Front::new(settings.labels, settings.recipe, settings.columns)?;
        front.density = Density::for_any(rosters.iter());
        let build = |roster: &Roster| {
            let open = roster.is_open().then(|| roster.clone());
            Ok(Entry { learner: front.learner(roster)?, open, record: Record::default() })
        };
        let entries = rosters.iter().map(build).collect::<Result<_>>()?;
        Ok(Self { front, entries, bad_lines: 0 })
    }

    /// An example to learn from: its class, its numbers, and who is to learn. A new class comes to life in every
    /// learner at once if `at_once`, otherwise in the round that learns it.
    fn take<'v>(
        &'v mut self,
        example: &Example<'v>,
        (label, weight): (&[u8], f64),
        at_once: bool,
    ) -> Result<(usize, Numbers<'v>, &'v mut [Entry])> {
        self.decide()?;
        let Self { front, entries, .. } = self;
        let mut grow = |known: usize, order: &[u32]| {
            let classes = if at_once { order.len() } else { known };
            entries.iter_mut().try_for_each(|entry| entry.learner.set_classes(classes, order))
        };
        let (class, numbers) = front.take(&example.features, label, weight, &mut grow)?;
        Ok((class, numbers, entries))
    }

    /// Decides who learns where that hangs on the rows, if it is clear by now.
    fn decide(&mut self) -> Result<()> {
        let Some(dense) = self.front.settle_density() else { return Ok(()) };
        for entry in &mut self.entries {
            let open = entry.open.take().filter(|_| dense);
            if let (Some(roster), Some(bank)) = (open, entry.learner.as_bank()) {
                entry.learner = joined(&roster, bank, &self.front)?;
            }
        }
        Ok(())
    }

    /// One entry as a model of its own.
    pub(crate) fn into_model(mut self, entry: usize, roster: Roster, seed: u64, passes: u64) -> Model {
        let Entry { learner, record, .. } = self.entries.swap_remove(entry);
        let counts = Counts {
            rounds: record.scores.examples() * passes,
            examples: record.scores.examples(),
            mistakes: record.scores.mistakes(),
            updates: record.scores.updates(),
            passes,
        };
        Model { roster, learner, front: self.front, counts, seed }
    }
}

impl Pupil for League {
    fn plan(&self) -> Arc<Plan> {
        self.front.plan.clone()
    }

    fn columns(&self) -> &FormatOptions {
        &self.front.columns
    }
}

impl Entry {
    /// One round; the first time an example is seen its prediction enters the record.
    fn learn(&mut self, x: Numbers<'_>, class: usize, weight: f64, scored: bool) -> Result<()> {
        let began = Instant::now();
        let round = self.learner.learn(x, class, weight)?;
        let (prediction, probability, updated) = (round.prediction, round.probability, round.updated);
        self.record.seconds += began.elapsed().as_secs_f64();
        if scored {
            self.record.score(&Learned { class, prediction, probability, updated });
        }
        self.record.scores.count_update(updated);
        Ok(())
    }

    /// A prediction for the record, without learning.
    fn judge(&mut self, x: Numbers<'_>, class: usize, prediction: &mut Prediction) {
        let began = Instant::now();
        self.learner.predict_into(x, prediction);
        self.record.seconds += began.elapsed().as_secs_f64();
        let probability = prediction.probability(class);
        self.record.score(&Learned { class, prediction, probability, updated: false });
    }
}

impl Record {
    fn score(&mut self, round: &Learned<'_>) {
        self.scores.update(round, 1.0);
        self.wrong.push(round.mistake());
    }
}

/// One league's progressive run: every example is predicted by all, then learned by all.
pub(crate) fn run(sources: Vec<Source>, rosters: &[Roster], options: &TrainOptions) -> Result<League> {
    let mut start = Start::new(None, options)?;
    let mut course = Rounds { rosters, options, first_pass: true };
    let mut supply = Supply::new(sources, options.passes).shuffled(options);
    let mut bad_lines = 0;
    for pass in 0..options.passes.max(1) {
        course.first_pass = pass == 0;
        bad_lines = feed(&mut supply, pass, options, &mut start, &mut course)?.bad_lines;
    }
    Ok(League { bad_lines, ..start.into_pupil()? })
}

struct Rounds<'a> {
    rosters: &'a [Roster],
    options: &'a TrainOptions,
    first_pass: bool,
}

impl Course<League> for Rounds<'_> {
    fn begin(&mut self, settings: Settings) -> Result<League> {
        League::new(settings, self.rosters)
    }

    fn round(&mut self, league: &mut League, batch: &Batch, at: usize) -> Result<()> {
        let example = batch.example(at);
        let (label, weight) = self.options.labelled(&example)?;
        let (class, x, entries) = league.take(&example, (label, weight), false)?;
        entries.iter_mut().try_for_each(|entry| entry.learn(x, class, weight, self.first_pass))
    }
}
