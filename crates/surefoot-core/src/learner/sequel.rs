//! What is left of a round of two classes once the weights have moved: how far to trust what they said, and in a bank the
//! last word.
//!
//! Nothing of it acts on the weights. So whoever has a thread to spare may [borrow](super::Learner::lend) it, let the
//! learner go on with its weights, and conclude the rounds later, in their order.

use super::bank::LastWord;
use super::{Calibration, Prediction, Round};
use crate::{Error, Result};

/// Learners whose scores are taken side by side, at most.
pub(super) const LANES: usize = 4;

/// What the weights of a learner, or of several side by side, said of an example, and the truth about it.
#[derive(Debug, Clone, Copy)]
pub struct Moments {
    /// The mean of each learner's score.
    pub means: [f64; LANES],
    /// Its variance.
    pub variances: [f64; LANES],
    /// The class of the example.
    pub class: usize,
    /// Its importance.
    pub weight: f64,
    /// How many learners have moved a weight. (Not a bool: copied with the bytes behind it, every round waits for it.)
    pub updates: usize,
}

/// What concludes the rounds of a learner; borrowed from it.
///
/// ```
/// use surefoot_core::{Learner, Roster, Task, Vector};
/// for roster in ["bank(arow:r=0.1@none; logistic@none)", "arow"] {
///     let roster = Roster::parse(roster)?;
///     let (mut whole, mut lending) = (roster.build(Task::Binary, false)?, roster.build(Task::Binary, false)?);
///     let x = Vector::from_pairs([(0, 1.0)])?;
///     let mut sequel = lending.lend(true).expect("learners of two classes lend");
///     let moments = lending.learn_weights(x.features(), 1, 1.0)?;
///     assert_eq!(whole.learn(x.features(), 1, 1.0)?.prediction, sequel.conclude(&moments)?.prediction);
///     lending.take_back(sequel);
///     assert_eq!(whole.save(), lending.save());
/// }
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Sequel {
    pub(super) links: Links,
    /// The word of the bank, if there is one.
    pub(super) word: Option<LastWord>,
}

impl Sequel {
    /// The end of a round whose weights have moved.
    pub fn conclude(&mut self, moments: &Moments) -> Result<Round<'_>> {
        self.links.hear(moments);
        match &mut self.word {
            Some(word) => word.say(self.links.said.iter(), 2, moments.class, moments.weight),
            None => self.links.said.first().map(Said::round).ok_or_else(nobody),
        }
    }
}

/// The calibrations of learners that are given the same examples.
#[derive(Debug)]
pub(super) struct Links {
    pub(super) each: Vec<Calibration>,
    said: Vec<Said>,
}

/// What one of them said of an example.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) prediction: Prediction,
    /// The probability that it gave to the true class.
    pub(super) probability: f64,
    pub(super) updated: bool,
}

impl Links {
    pub(super) fn new(each: Vec<Calibration>) -> Self {
        let said = each.iter().map(|_| Said::default()).collect();
        Self { each, said }
    }

    /// What the learners said last.
    pub(super) fn said(&self) -> &[Said] {
        &self.said
    }

    /// Takes in what the weights of the learners said, and the truth about it.
    pub(super) fn hear(&mut self, moments: &Moments) {
        let &Moments { means, variances, class, weight, updates } = moments;
        for (lane, (link, said)) in self.each.iter().zip(&mut self.said).enumerate() {
            link.fill(&mut said.prediction, means[lane], variances[lane]);
            said.updated = updates > 0;
        }
        self.calibrate(class, weight);
    }

    /// Every learner finds out how far to trust what it said, four at a time if there are so many.
    fn calibrate(&mut self, class: usize, weight: f64) {
        let Self { each, said } = self;
        if weight <= 0.0 {
            said.iter_mut().for_each(|said| said.probability = said.prediction.probability(class));
        } else if let ([a, b, c, d], [one, two, three, four]) = (&mut each[..], &mut said[..]) {
            let predictions = [&one.prediction, &two.prediction, &three.prediction, &four.prediction];
            [one.probability, two.probability, three.probability, four.probability] =
                Calibration::learn_each([a, b, c, d], predictions, class, weight);
        } else {
            for (said, link) in said.iter_mut().zip(each) {
                said.probability = link.learn(&said.prediction, class, weight);
            }
        }
    }
}

impl Said {
    /// Takes over what a learner said in a round of its own.
    pub(super) fn take(&mut self, round: Round<'_>) {
        self.prediction.copy_from(round.prediction);
        (self.probability, self.updated) = (round.probability, round.updated);
    }

    fn round(&self) -> Round<'_> {
        Round { prediction: &self.prediction, probability: self.probability, updated: self.updated }
    }
}

fn nobody() -> Error {
    Error::Conflict("a round of no learner".into())
}
