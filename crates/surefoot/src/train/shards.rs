//! Training in shards on one machine: examples are dealt to models that learn apart, each on a thread of its own, and are merged;
//! in further rounds all of them go on from what was merged before.
//!
//! It is what a cluster does, without one: docs/guides/merging.md has the same for other schedulers. Which model learns an
//! example depends on its place in the data alone, so the result is the same whenever it is run.

use std::panic::resume_unwind;
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

use surefoot_core::learner::LabelledRow;
use surefoot_data::{Batch, BatchReader, OnBadLine, Order, Progress, Source};

use super::detect::{Peeked, labels, plan};
use super::{Observer, Silent, TrainOptions, learn_pass, open};
use crate::options::options;
use crate::{Error, Model, Result, merge};

options! {
    /// How training is spread over models that learn apart.
    pub struct Shards {
        /// Models that learn apart.
        shards: usize = 2,
        /// Rounds at most. It ends sooner where a round makes the log loss on the held-out rows larger; then the model before it is
        /// taken.
        rounds: usize = 1,
        /// One of so many rows is held out of the first rows, to recalibrate what is merged; 0 holds none out.
        hold_out_every: u64 = 20,
        /// Rows that are held out at most.
        hold_out_most: usize = 2000,
    }
}

/// What came out of a round.
#[derive(Debug, Clone, Copy, PartialEq, serde::Serialize)]
pub struct ShardRound {
    /// Its number, from 1.
    pub round: usize,
    /// Examples that the models have learned in it.
    pub examples: u64,
    /// Rows that were held out.
    pub held_out: usize,
    /// The error on them; none without such rows.
    pub error_rate: Option<f64>,
    /// The log loss on them.
    pub log_loss: Option<f64>,
    /// Whether the model of this round is the one that is returned.
    pub kept: bool,
}

/// Learns from sources in shards; `observer` is told when nothing can be decided yet, and is asked whether to stop.
///
/// ```
/// use surefoot::prelude::*;
/// use surefoot::train::{Shards, Silent, train_shards};
///
/// let lines: String = (0..200).map(|i| ["spam\tcheap pills\n", "ham\tlunch today\n"][i % 2]).collect();
/// let mail = Source::memory("mail.tsv", lines.into_bytes());
/// let (options, shards) = (TrainOptions::default(), Shards::default().shards(4).rounds(2));
/// let (model, rounds) = train_shards(vec![mail], &options, &shards, &mut Silent)?;
/// assert_eq!(model.predict(&[("cheap", 1.0)]).label(), "spam");
/// assert_eq!((rounds[0].examples, rounds[0].held_out), (190, 10));
/// # Ok::<(), surefoot::Error>(())
/// ```
pub fn train_shards(
    sources: Vec<Source>,
    options: &TrainOptions,
    shards: &Shards,
    observer: &mut dyn Observer,
) -> Result<(Model, Vec<ShardRound>)> {
    if options.skip > 0 || options.checkpoint_every > 0 {
        return Err(Error::Other("training in shards neither skips examples nor saves on the way".into()));
    }
    let options = options.clone().passes(shards.rounds.max(1));
    let columns = options.columns_to_find();
    let labels = labels(&sources, &columns, &options)?;
    let mut reader = open(sources, plan(&options)?, columns, &options, observer)?;
    let findings = reader.findings().clone();
    let mut reader = Peeked::new(&mut reader);
    let mut settings = reader.detect(labels, &options, &findings, observer)?;
    settings.columns.layout = findings.layout();
    let mut run =
        ShardRun { start: Model::new(settings)?, base: None, held: Batch::new(), rounds: Vec::new() };
    let mut best: Option<(Model, ShardRound)> = None;
    for number in 0..options.passes {
        let (model, round) = run.round(number, &mut reader, &options, shards, observer)?;
        let worse = best.as_ref().is_some_and(|(_, best)| round.log_loss > best.log_loss);
        run.rounds.push(round);
        if worse {
            break;
        }
        run.base = Some(model.clone());
        best = Some((model, round));
    }
    let (model, kept) = best.ok_or_else(|| Error::Other("no round was learned".into()))?;
    run.rounds.iter_mut().for_each(|round| round.kept = round.round == kept.round);
    Ok((model, run.rounds))
}

/// Rounds under way.
struct ShardRun {
    /// What every model begins with in the first round,
    start: Model,
    /// and in those that follow.
    base: Option<Model>,
    /// The rows that no model learns.
    held: Batch,
    rounds: Vec<ShardRound>,
}

impl ShardRun {
    /// All models learn their shards, and are merged and recalibrated.
    fn round(
        &mut self,
        number: usize,
        reader: &mut dyn BatchReader,
        options: &TrainOptions,
        shards: &Shards,
        observer: &mut dyn Observer,
    ) -> Result<(Model, ShardRound)> {
        reader.start_pass(options.order(number))?;
        let from = self.base.as_ref().unwrap_or(&self.start);
        let (mut dealer, own) = (Dealer::new(shards, number), TrainOptions { threads: 1, ..options.clone() });
        let (dealt, learned) = thread::scope(|scope| {
            let (mut senders, mut threads) = (Vec::new(), Vec::new());
            for _ in 0..shards.shards.max(1) {
                let (sender, receiver) = sync_channel(BATCHES_AHEAD);
                let (mut model, own) = (from.clone(), &own);
                senders.push(sender);
                threads.push(scope.spawn(move || {
                    learn_pass(&mut model, &mut ShardReader { receiver }, number, own, &mut Silent)?;
                    Ok(model)
                }));
            }
            let dealt = dealer.deal(reader, senders, &mut self.held, observer);
            let learned =
                threads.into_iter().map(|thread| thread.join().unwrap_or_else(|panic| resume_unwind(panic)));
            (dealt, learned.collect::<Result<Vec<Model>>>())
        });
        // A model that stops with an error is the reason why its examples could not be dealt.
        let models = learned?;
        dealt?;
        let mut model = merge(&models, self.base.as_ref())?;
        let mut rows: Vec<LabelledRow> = Vec::new();
        model.label_rows(&self.held, OnBadLine::Skip, &mut rows)?;
        model.recalibrate_on(&rows)?;
        let (error_rate, log_loss) = model.tested_on(&self.held);
        let (round, held_out) = (number + 1, self.held.len());
        let examples = dealer.dealt;
        Ok((model, ShardRound { round, examples, held_out, error_rate, log_loss, kept: false }))
    }
}

/// Batches that wait for a model at most.
const BATCHES_AHEAD: usize = 2;

/// Says which model learns an example.
struct Dealer {
    shards: usize,
    /// One of so many examples is held out, as long as there are too few; in further rounds the same.
    every: u64,
    most: usize,
    first: bool,
    seen: u64,
    held: usize,
    dealt: u64,
}

impl Dealer {
    fn new(shards: &Shards, number: usize) -> Self {
        let Shards { hold_out_every: every, hold_out_most: most, .. } = *shards;
        Self { shards: shards.shards.max(1), every, most, first: number == 0, seen: 0, held: 0, dealt: 0 }
    }

    /// Hands every example of a pass to its model, or keeps it.
    fn deal(
        &mut self,
        reader: &mut dyn BatchReader,
        senders: Vec<SyncSender<Batch>>,
        held: &mut Batch,
        observer: &mut dyn Observer,
    ) -> Result<()> {
        let mut batch = Batch::new();
        while reader.next_batch(&mut batch, &mut || observer.stop())? {
            let mut parts: Vec<Batch> = senders.iter().map(|_| Batch::new()).collect();
            for position in 0..batch.len() {
                if self.holds_out() {
                    if self.first {
                        held.push_copy(&batch, position);
                    }
                } else {
                    parts[(self.dealt % self.shards as u64) as usize].push_copy(&batch, position);
                    self.dealt += 1;
                }
            }
            for (sender, part) in senders.iter().zip(parts) {
                // One that no longer listens has stopped with an error, which its thread returns.
                if !part.is_empty() && sender.send(part).is_err() {
                    return Ok(());
                }
            }
        }
        Ok(())
    }

    fn holds_out(&mut self) -> bool {
        self.seen += 1;
        let holds = self.every > 0 && self.held < self.most && self.seen.is_multiple_of(self.every);
        self.held += usize::from(holds);
        holds
    }
}

/// The examples of one model, as they are dealt.
struct ShardReader {
    receiver: Receiver<Batch>,
}

impl BatchReader for ShardReader {
    fn start_pass(&mut self, _: Order) -> surefoot_data::Result<()> {
        Ok(())
    }

    fn next_batch(&mut self, batch: &mut Batch, _: &mut dyn FnMut() -> bool) -> surefoot_data::Result<bool> {
        match self.receiver.recv() {
            Ok(next) => *batch = next,
            Err(_) => return Ok(false),
        }
        Ok(true)
    }

    fn progress(&self) -> Progress {
        Progress { bytes_read: 0, bytes_total: None }
    }
}
