//! The start of a run without a model: batches are read until their labels and features say what kind of model it is, and
//! are then learned from.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use surefoot_core::Task;
use surefoot_data::{
    Batch, BatchReader, DETECTION_EXAMPLES, Findings, FormatOptions, Jobs, LabelProblem, Labels, OnBadLine,
    Order, Progress, Source, TaskDetector, first_labels,
};

use super::{Observer, TrainOptions};
use crate::beginning::Beginning;
use crate::{Error, Result, Settings};

/// How long examples of a pipe are kept before it is said what they wait for.
const PATIENCE: Duration = Duration::from_secs(1);

/// A reader whose first batches were read before.
pub(crate) struct Peeked<'r> {
    reader: &'r mut dyn BatchReader,
    kept: VecDeque<Batch>,
    /// Whether the first pass was started when they were read.
    started: bool,
}

impl<'r> Peeked<'r> {
    /// Nothing read yet.
    pub(crate) fn new(reader: &'r mut dyn BatchReader) -> Self {
        Self { reader, kept: VecDeque::new(), started: false }
    }

    /// What a model of this data is made from; `labels` are those that are known beforehand. Reads as much of the first pass
    /// as that takes, or all of it, or until the observer says that it is enough; who writes into a pipe is told what is
    /// waited for.
    pub(crate) fn detect(
        &mut self,
        labels: Option<Labels>,
        options: &TrainOptions,
        findings: &Findings,
        observer: &mut dyn Observer,
    ) -> Result<Settings> {
        let mut labels = labels;
        let (mut detector, mut named) = (TaskDetector::new(options.task), None);
        self.reader.start_pass(options.order(0))?;
        self.started = true;
        let mut wait = Wait::default();
        while labels.is_none() || named.is_none() {
            let mut batch = Batch::new();
            let waits = !self.kept.is_empty() && self.reader.waits();
            let why = waited_for(labels.is_some(), options.task).filter(|_| waits);
            // Asked now and then while a pipe is silent.
            let mut stop = || {
                wait.tell(why.or_else(|| findings.waits_for()), observer);
                observer.stop()
            };
            if stop() || !self.reader.next_batch(&mut batch, &mut stop)? {
                break;
            }
            named = named.or(batch.named());
            if labels.is_none() {
                labels = batch.iter().find_map(|one| {
                    if one.several_labels {
                        detector.see_several();
                    }
                    detector.see(one.label(), one.features.len())
                });
            }
            self.kept.push_back(batch);
        }
        let labels = match labels {
            Some(labels) => labels,
            None => detector.end().map_err(|problem| self.without_label(problem, options))?,
        };
        options.check_weights(labels.task())?;
        // Without a single feature it does not matter: integers as given need no names, but settings may speak of some.
        let recipe = options.recipe.clone();
        let worded = recipe.keep.iter().any(|name| name.parse::<u64>().is_err());
        let named = named.unwrap_or(worded || !recipe.interactions.is_empty());
        Ok(Settings {
            learner: options.learner.clone(),
            labels,
            recipe: recipe.decided(named),
            columns: options.columns.clone(),
            seed: options.seed,
            detectors: options.detectors.clone(),
            on_drift: options.on_drift,
        })
    }
}

/// How long what a pipe has given waits for more of it.
#[derive(Default)]
struct Wait {
    /// Since when, and for what.
    since: Option<(Instant, &'static str)>,
    told: Option<&'static str>,
}

impl Wait {
    /// Says what is waited for, once that is long.
    fn tell(&mut self, why: Option<&'static str>, observer: &mut dyn Observer) {
        let Some(why) = why else { return };
        let (since, _) = *match &mut self.since {
            Some(wait) if wait.1 == why => wait,
            wait => wait.insert((Instant::now(), why)),
        };
        if self.told != Some(why) && since.elapsed() >= PATIENCE {
            observer.undecided(&format!("waiting for {why}"));
            self.told = Some(why);
        }
    }
}

/// What the first examples wait for, in words; nothing where their labels are known.
fn waited_for(known: bool, task: Option<Task>) -> Option<&'static str> {
    match task {
        _ if known => None,
        Some(Task::Multiclass | Task::Multilabel) => None,
        Some(Task::Binary) => Some("the second label; --labels A,B starts at once"),
        // As many as DETECTION_EXAMPLES.
        None => Some(
            "a third label or 10,000 examples to tell binary from multi-class; --task binary|multiclass|multilabel or \
             --labels A,B,… starts at once",
        ),
    }
}

/// What a model that goes on has to know of its data.
impl Peeked<'_> {
    /// Whether the data begins with the very examples that a model began with; reads no further than it has to.
    pub(super) fn begins_like(
        &mut self,
        beginning: &Beginning,
        options: &TrainOptions,
        stop: &mut dyn FnMut() -> bool,
    ) -> Result<bool> {
        self.reader.start_pass(options.order(0))?;
        self.started = true;
        loop {
            if let Some(known) = beginning.is_of(self.kept.iter()) {
                return Ok(known);
            }
            let mut batch = Batch::new();
            if stop() || !self.reader.next_batch(&mut batch, stop)? {
                return Ok(false);
            }
            self.kept.push_back(batch);
        }
    }

    /// What is wrong with data that has one label: a line may have none where the other was to be.
    fn without_label(&self, problem: LabelProblem, options: &TrainOptions) -> Error {
        let is_bad = matches!(problem, LabelProblem::OnlyOne(_)) && options.on_bad_line == OnBadLine::Fail;
        let kept = self.kept.iter().filter(|_| is_bad);
        let mut examples = kept.flat_map(|batch| batch.iter().map(move |example| (batch, example)));
        match examples.find(|(_, example)| example.label().is_none()) {
            Some((batch, example)) => Error::NoLabel.at(batch, &example),
            None => problem.into(),
        }
    }
}

/// The labels of a model of these sources, where the options settle them, or the labels of the first examples alone do: then
/// no example has to be kept until they are known.
pub(crate) fn labels(
    sources: &[Source],
    columns: &FormatOptions,
    options: &TrainOptions,
) -> Result<Option<Labels>> {
    let declared = declared(options)?;
    // In a random order other examples come first.
    if declared.is_some() || options.shuffle {
        return Ok(declared);
    }
    let first = first_labels(sources, &options.read_options(columns), DETECTION_EXAMPLES);
    let Some(first) = first else { return Ok(None) };
    let mut detector = TaskDetector::new(options.task);
    if first.several {
        detector.see_several();
    }
    // Each spelling comes once: how often it is repeated decides nothing where features are not counted.
    let decided = first.labels.iter().find_map(|label| detector.see(Some(label), 0));
    // With three labels it matters how many features the examples before the third have.
    // With several labels a row it is decided, too.
    Ok(decided.or_else(|| detector.end().ok()).filter(|labels| labels.task() != Task::Multiclass))
}

/// Labels that the options settle before anything is read.
fn declared(options: &TrainOptions) -> Result<Option<Labels>> {
    Ok(match (options.labels.is_empty(), options.task) {
        (true, Some(Task::Multilabel)) => Some(Labels::open().of_several()),
        (true, Some(Task::Multiclass)) => Some(Labels::open()),
        (true, _) => None,
        (false, Some(Task::Multilabel)) => Some(Labels::declared_several(&options.labels)?),
        (false, Some(Task::Multiclass)) => Some(Labels::declared_multiclass(&options.labels)?),
        (false, Some(Task::Binary)) if options.labels.len() != 2 => {
            let count = options.labels.len();
            return Err(Error::Other(format!("--task binary takes 2 labels, {count} are declared")));
        }
        (false, _) => Some(Labels::declared(&options.labels)?),
    })
}

impl BatchReader for Peeked<'_> {
    fn start_pass(&mut self, order: Order) -> surefoot_data::Result<()> {
        if std::mem::take(&mut self.started) { Ok(()) } else { self.reader.start_pass(order) }
    }

    fn next_batch(
        &mut self,
        batch: &mut Batch,
        stop: &mut dyn FnMut() -> bool,
    ) -> surefoot_data::Result<bool> {
        match self.kept.pop_front() {
            Some(kept) => {
                *batch = kept;
                Ok(true)
            }
            None => self.reader.next_batch(batch, stop),
        }
    }

    fn progress(&self) -> Progress {
        self.reader.progress()
    }

    fn bad_lines(&self) -> u64 {
        self.reader.bad_lines()
    }

    fn waits(&self) -> bool {
        self.kept.is_empty() && self.reader.waits()
    }

    fn jobs(&self) -> Option<Jobs> {
        self.reader.jobs()
    }
}

/// The plan that the sources of a new model are read with.
pub(crate) fn plan(options: &TrainOptions) -> Result<Arc<surefoot_data::Plan>> {
    Ok(Arc::new(surefoot_data::Plan::new(options.recipe.clone())?))
}
