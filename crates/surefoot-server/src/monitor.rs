//! How a model does while it learns: every example is predicted first. Kept beside snapshots, so that curves go on after a start.

use std::collections::VecDeque;

use serde::{Deserialize, Serialize};
use surefoot::Learned;

/// The recent window.
const RECENT: usize = 1000;
/// Points of a curve; where there are more, every second one goes.
const POINTS: usize = 1024;
/// Bins of the reliability diagram.
const BINS: usize = 10;
/// Marks that are kept, the newest.
const MARKS: usize = 200;
/// Probabilities below this count as this in the log loss.
const LEAST: f64 = 1e-15;

/// Counts and curves of all examples that a model has learned in its epoch.
#[derive(Debug, Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct Monitor {
    /// Examples.
    pub examples: u64,
    /// Those whose prediction was wrong.
    pub mistakes: u64,
    /// Those that changed the model.
    pub updates: u64,
    /// Sum of −ln of the probability that the true label was given.
    pub log_loss_sum: f64,
    /// The reliability diagram.
    pub bins: [MonitorBin; BINS],
    /// How error and log loss went.
    pub curve: Vec<MonitorPoint>,
    /// What happened on the way.
    pub marks: VecDeque<Mark>,
    recent: VecDeque<Round>,
    /// A point of the curve stands for so many examples.
    step: u64,
}

/// Predictions whose probability was in one tenth.
#[derive(Debug, Clone, Copy, Default, Serialize, Deserialize)]
pub struct MonitorBin {
    /// How many.
    pub count: u64,
    /// Of them, those that were right.
    pub right: u64,
    /// The sum of their probabilities.
    pub probability_sum: f64,
}

/// A point of the curve.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
pub struct MonitorPoint {
    /// Examples so far, in the numbers of the stream.
    pub sequence: u64,
    /// Share of mistakes so far.
    pub error: f64,
    /// Share of mistakes in the recent window.
    pub recent_error: f64,
    /// Mean log loss in the recent window.
    pub recent_log_loss: f64,
}

/// Something that happened.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Mark {
    /// After this example.
    pub sequence: u64,
    /// `snapshot`, `rollback`, `version` or `drift`.
    pub kind: String,
    /// In words.
    pub text: String,
}

/// One example of the recent window.
#[derive(Debug, Clone, Copy, Serialize, Deserialize)]
struct Round {
    mistake: bool,
    log_loss: f64,
}

impl Monitor {
    /// Takes in an example, whose number is `sequence`.
    pub(crate) fn round(&mut self, sequence: u64, round: &Learned<'_>) {
        let mistake = round.mistake();
        let log_loss = -round.probability.max(LEAST).ln();
        self.examples += 1;
        self.mistakes += u64::from(mistake);
        self.updates += u64::from(round.updated);
        self.log_loss_sum += log_loss;
        let probability = round.prediction.label.map_or(0.0, |class| round.prediction.probability(class));
        let bin = &mut self.bins[((probability * BINS as f64) as usize).min(BINS - 1)];
        bin.count += 1;
        bin.right += u64::from(!mistake);
        bin.probability_sum += probability;
        if self.recent.len() == RECENT {
            self.recent.pop_front();
        }
        self.recent.push_back(Round { mistake, log_loss });
        self.step = self.step.max(1);
        if self.examples.is_multiple_of(self.step) {
            self.add_point(sequence);
        }
    }

    fn add_point(&mut self, sequence: u64) {
        if self.curve.len() == POINTS {
            let mut keep = false;
            self.curve.retain(|_| {
                keep = !keep;
                keep
            });
            self.step *= 2;
            if !self.examples.is_multiple_of(self.step) {
                return;
            }
        }
        let (error, recent_error, recent_log_loss) =
            (self.error(), self.recent_error(), self.recent_log_loss());
        self.curve.push(MonitorPoint { sequence, error, recent_error, recent_log_loss });
    }

    /// Notes something that happened.
    pub(crate) fn mark(&mut self, sequence: u64, kind: &str, text: impl Into<String>) {
        if self.marks.len() == MARKS {
            self.marks.pop_front();
        }
        self.marks.push_back(Mark { sequence, kind: kind.into(), text: text.into() });
    }

    /// Share of mistakes of all examples.
    #[must_use]
    pub fn error(&self) -> f64 {
        self.mistakes as f64 / self.examples.max(1) as f64
    }

    /// Mean log loss of all examples.
    #[must_use]
    pub fn log_loss(&self) -> f64 {
        self.log_loss_sum / self.examples.max(1) as f64
    }

    /// Share of mistakes in the recent window.
    #[must_use]
    pub fn recent_error(&self) -> f64 {
        let mistakes = self.recent.iter().filter(|round| round.mistake).count();
        mistakes as f64 / self.recent.len().max(1) as f64
    }

    /// Mean log loss in the recent window.
    #[must_use]
    pub fn recent_log_loss(&self) -> f64 {
        self.recent.iter().map(|round| round.log_loss).sum::<f64>() / self.recent.len().max(1) as f64
    }

    /// How far probabilities are from shares of right predictions, in the mean over all predictions.
    #[must_use]
    pub fn calibration_error(&self) -> f64 {
        let gaps = self.bins.iter().map(|bin| (bin.probability_sum - bin.right as f64).abs());
        gaps.sum::<f64>() / self.examples.max(1) as f64
    }
}
