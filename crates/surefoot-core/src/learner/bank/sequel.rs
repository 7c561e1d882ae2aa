//! What is left of a round once the members' weights have moved: how far to trust what they said, and the last word.
//!
//! Nothing of it acts on the weights. So whoever has a thread to spare may [borrow](crate::Learner::lend) it, let the
//! members go on with their weights, and conclude the rounds later, in their order.

use super::LastWord;
use super::row::LANES;
use crate::learner::{Calibration, Prediction, Round};
use crate::{Result, Task};

/// What the weights of members side by side said of an example, and the truth about it.
#[derive(Debug, Clone, Copy)]
pub struct Moments {
    /// The mean of each member's score.
    pub means: [f64; LANES],
    /// Its variance.
    pub variances: [f64; LANES],
    /// The class of the example.
    pub class: usize,
    /// Its importance.
    pub weight: f64,
    /// Whether any weight has moved.
    pub updated: bool,
}

/// What concludes the rounds of a bank whose members share a table; borrowed from it.
///
/// ```
/// use surefoot_core::{Learner, Roster, Task, Vector};
/// let roster = Roster::parse("bank(arow:r=0.1@none; logistic@none)")?;
/// let (mut whole, mut lending) = (roster.build(Task::Binary, false)?, roster.build(Task::Binary, false)?);
/// let x = Vector::from_pairs([(0, 1.0)])?;
/// let mut sequel = lending.lend().expect("these two share a table");
/// let moments = lending.learn_weights(x.features(), 1, 1.0)?;
/// assert_eq!(whole.learn(x.features(), 1, 1.0)?.prediction, sequel.conclude(&moments)?.prediction);
/// lending.take_back(sequel);
/// assert_eq!(whole.save(), lending.save());
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug)]
pub struct Sequel {
    /// The members' calibrations.
    pub(super) links: Vec<Calibration>,
    pub(super) word: LastWord,
    said: Vec<Said>,
}

/// What a member said of an example.
#[derive(Debug, Default)]
pub(super) struct Said {
    pub(super) prediction: Prediction,
    /// The probability that it gave to the true class.
    pub(super) probability: f64,
    pub(super) updated: bool,
}

impl Sequel {
    /// Before any round of so many members, some of which share a table; the others have their own calibrations.
    pub(super) fn new(members: usize, sharing: usize, task: Task) -> Result<Self> {
        let links = vec![Calibration::default(); sharing];
        let said = std::iter::repeat_with(Said::default).take(sharing).collect();
        Ok(Self { links, word: LastWord::new(members, task)?, said })
    }

    /// The end of a round whose weights have moved.
    pub fn conclude(&mut self, moments: &Moments) -> Result<Round<'_>> {
        let &Moments { means, variances, class, weight, updated } = moments;
        for (lane, (link, said)) in self.links.iter().zip(&mut self.said).enumerate() {
            link.fill(&mut said.prediction, means[lane], variances[lane]);
            said.updated = updated;
        }
        self.calibrate(class, weight);
        self.word.say(self.said.iter(), 2, class, weight)
    }

    /// Every member finds out how far to trust what it said, four at a time if there are so many.
    fn calibrate(&mut self, class: usize, weight: f64) {
        let Self { links, said, .. } = self;
        if weight <= 0.0 {
            said.iter_mut().for_each(|said| said.probability = said.prediction.probability(class));
        } else if let ([a, b, c, d], [one, two, three, four]) = (&mut links[..], &mut said[..]) {
            let predictions = [&one.prediction, &two.prediction, &three.prediction, &four.prediction];
            [one.probability, two.probability, three.probability, four.probability] =
                Calibration::learn_each([a, b, c, d], predictions, class, weight);
        } else {
            for (said, link) in said.iter_mut().zip(links) {
                said.probability = link.learn(&said.prediction, class, weight);
            }
        }
    }
}

impl Said {
    /// Takes over what a member said in a round of its own.
    pub(super) fn take(&mut self, round: Round<'_>) {
        self.prediction.copy_from(round.prediction);
        (self.probability, self.updated) = (round.probability, round.updated);
    }
}
