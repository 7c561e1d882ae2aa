//! The examples that a person should look at: those the model was least sure of, and its surest mistakes.

use surefoot::data::KeyedFeatures;
use surefoot::train::RoundView;

/// How many of each are kept.
const KEPT: usize = 3;
/// Words of a snippet.
const WORDS: usize = 12;

/// An example as a report shows it.
#[derive(Debug, Clone)]
pub(super) struct NotableExample {
    pub(super) line: u64,
    pub(super) truth: usize,
    pub(super) predicted: usize,
    pub(super) probability: f64,
    pub(super) snippet: String,
    /// Log odds of the predicted label against the next best.
    sureness: f64,
}

/// Notable examples of the second half of a stream, whose length is not known beforehand: what was met since the last
/// power of two, and what was met in the stretch before it.
#[derive(Debug, Default)]
pub(super) struct Notable {
    now: Stretch,
    before: Stretch,
    rounds: u64,
}

#[derive(Debug, Default)]
struct Stretch {
    unsure: Vec<NotableExample>,
    sure_mistakes: Vec<NotableExample>,
}

impl Notable {
    /// Takes in a round of the first pass.
    pub(super) fn round(&mut self, view: &RoundView<'_>) {
        self.rounds += 1;
        if self.rounds.is_power_of_two() {
            self.before = std::mem::take(&mut self.now);
        }
        let Some(predicted) = view.round.prediction.label else { return };
        let sureness = sureness(&view.round.prediction.scores, view.round.prediction.slope);
        // Of several labels a row, none is the one that was mistaken for another.
        let Some(truth) = view.round.truth.class() else { return };
        let seen = || {
            let example = view.example();
            NotableExample {
                line: example.line,
                truth,
                predicted,
                probability: view.round.prediction.probability(predicted),
                snippet: snippet(&example.features),
                sureness,
            }
        };
        keep(&mut self.now.unsure, sureness, |kept| kept.sureness, seen);
        if predicted != truth {
            keep(&mut self.now.sure_mistakes, -sureness, |kept| -kept.sureness, seen);
        }
    }

    /// The least sure first.
    pub(super) fn least_sure(&self) -> Vec<&NotableExample> {
        first(self.now.unsure.iter().chain(&self.before.unsure), |example| example.sureness)
    }

    /// The surest first.
    pub(super) fn surest_mistakes(&self) -> Vec<&NotableExample> {
        first(self.now.sure_mistakes.iter().chain(&self.before.sure_mistakes), |example| -example.sureness)
    }
}

/// The few examples with the smallest rank.
fn first<'a>(
    all: impl Iterator<Item = &'a NotableExample>,
    rank: impl Fn(&NotableExample) -> f64,
) -> Vec<&'a NotableExample> {
    let mut all: Vec<_> = all.collect();
    all.sort_by(|a, b| rank(a).total_cmp(&rank(b)));
    all.truncate(KEPT);
    all
}

/// Keeps the few examples with the smallest `rank`, sorted.
fn keep(
    list: &mut Vec<NotableExample>,
    rank: f64,
    of: impl Fn(&NotableExample) -> f64,
    seen: impl Fn() -> NotableExample,
) {
    let place = list.partition_point(|kept| of(kept) <= rank);
    if place < KEPT {
        list.insert(place, seen());
        list.truncate(KEPT);
    }
}

fn sureness(scores: &[f64], slope: f64) -> f64 {
    if let [score] = scores {
        return (slope * score).abs();
    }
    let (mut best, mut second) = (f64::NEG_INFINITY, f64::NEG_INFINITY);
    for &score in scores {
        (best, second) = (best.max(score), second.max(best.min(score)));
    }
    slope * (best - second)
}

/// The first words of the example as its features tell them; n-grams of several words are left out.
fn snippet(features: &KeyedFeatures<'_>) -> String {
    let names = (0..features.len()).map(|at| String::from_utf8_lossy(features.name(at)).into_owned());
    let single = names.filter(|name| !name.is_empty() && !name.contains(' ') && !name.starts_with('#'));
    single.take(WORDS).collect::<Vec<_>>().join(" ")
}
