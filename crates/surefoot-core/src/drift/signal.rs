//! Signals: what of a stream is watched for change, one entry each.

/// What is seen of one example that was predicted before it was learned from.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// Whether another class was predicted.
    pub mistake: bool,
    /// The probability that the prediction gave to the true class.
    pub probability: f64,
    /// The true class.
    pub class: usize,
    /// The share of the example's features that were never met before.
    pub unknown: f64,
}

/// A number from 0 to 1 that examples have, or several such series.
#[derive(Debug)]
pub struct SignalSpec {
    /// The name in reports.
    pub name: &'static str,
    /// What it is, in one line.
    pub help: &'static str,
    /// Whether only a rise is news: that a learner errs less and knows more features is what learning is for.
    pub rises: bool,
    /// Whether a rise says that what was learned no longer holds.
    pub of_learner: bool,
    /// What a number of 1 stands for.
    pub unit: f64,
    /// A detector gets the mean of so many examples.
    pub block: u64,
    /// What an example adds, and to which of the series; to the others it adds 0.
    pub number: fn(&Observation) -> (usize, f64),
}

/// Every signal.
pub static SIGNALS: &[SignalSpec] = &[ERROR, LOG_LOSS, LABEL_MIX, UNKNOWN_FEATURES];

const ERROR: SignalSpec = SignalSpec {
    name: "error",
    help: "whether another label was predicted",
    rises: true,
    of_learner: true,
    unit: 1.0,
    block: 1,
    number: |seen| (0, f64::from(u8::from(seen.mistake))),
};

/// What the true class is given counts as this much at least.
const LEAST_PROBABILITY: f64 = 0.01;
/// −ln 0.01.
const LARGEST_LOSS: f64 = 2.0 * std::f64::consts::LN_10;

const LOG_LOSS: SignalSpec = SignalSpec {
    name: "log-loss",
    help: "log loss; a label that was given less than 1 % counts as if it had been given 1 %",
    rises: true,
    of_learner: true,
    unit: LARGEST_LOSS,
    block: BLOCK,
    number: |seen| (0, -libm::log(seen.probability.max(LEAST_PROBABILITY)) / LARGEST_LOSS),
};

/// Series that a signal has at most. Of so many labels each has its own; the last is that of all others.
pub(super) const MOST_SERIES: usize = 32;

const LABEL_MIX: SignalSpec = SignalSpec {
    name: "label-mix",
    help: "how frequent each label is; the first 31 labels, and all others together",
    rises: false,
    of_learner: false,
    unit: 1.0,
    block: BLOCK,
    number: |seen| (seen.class.min(MOST_SERIES - 1), 1.0),
};

const UNKNOWN_FEATURES: SignalSpec = SignalSpec {
    name: "unknown-features",
    help: "which share of an example's features was never met before",
    rises: true,
    of_learner: false,
    unit: 1.0,
    block: BLOCK,
    number: |seen| (0, seen.unknown),
};

/// Examples to a mean: watching every one of them would cost four times as much. In means of 8 and more, changes are found late,
/// because detectors wait for a number of them.
const BLOCK: u64 = 4;
