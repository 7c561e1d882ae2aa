//! What a bank's members have done, and the best of them as a model of its own.

use serde::Serialize;
use surefoot_core::Roster;
use surefoot_data::Scale;
use surefoot_data::model_file::{self, ModelProblem};

use crate::compare::with_view;
use crate::state::from_core;
use crate::{Error, Model, Result};

/// One member of a bank and its record.
#[derive(Debug, Clone, Serialize)]
pub struct Standing {
    /// Its SPEC, every parameter filled in.
    pub learner: String,
    /// How it sees the examples.
    pub view: String,
    /// Its share in the next prediction.
    pub share: f64,
    /// Its progressive mistakes.
    pub mistakes: u64,
    /// Mistakes an example.
    pub error_rate: f64,
    /// Its progressive log loss.
    pub log_loss: f64,
}

impl Model {
    /// The members of a bank and how each has done, in their order; nothing for a single learner.
    ///
    /// ```
    /// # use surefoot::prelude::*;
    /// # use surefoot::train::Silent;
    /// let mail = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\n");
    /// let learner = Roster::parse("bank(arow@sqrt+l2; pa1@binary+l2)")?;
    /// let (model, _) = train(vec![mail], &TrainOptions { learner, ..TrainOptions::default() }, &mut Silent)?;
    /// let league = model.league()?;
    /// assert_eq!((league.len(), league[1].view.as_str()), (2, "binary+l2"));
    /// assert!(model.keep_best()?.league()?.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn league(&self) -> Result<Vec<Standing>> {
        let Some(bank) = self.learner().as_bank() else { return Ok(Vec::new()) };
        let rounds = bank.rounds().max(1) as f64;
        let mut standings = Vec::new();
        for ((spec, view, record), share) in bank.members().zip(bank.shares()) {
            standings.push(Standing {
                learner: spec.text(self.task())?,
                view: view.to_string(),
                share,
                mistakes: record.mistakes,
                error_rate: record.mistakes as f64 / rounds,
                log_loss: record.loss / rounds,
            });
        }
        Ok(standings)
    }

    /// The best member of a bank as a model of its own, which predicts and goes on as it did in the bank; a single
    /// learner stays what it is.
    pub fn keep_best(self) -> Result<Self> {
        let Some(bank) = self.learner().as_bank() else { return Ok(self) };
        let best = bank.best();
        let Some((spec, view, record)) = bank.members().nth(best) else { return Ok(self) };
        if self.preparer().recipe().scale != Scale::None {
            let hint = "its members transform what was scaled before, which a single learner does not do";
            return Err(Error::Other(format!(
                "the best of a bank on scaled features cannot be kept alone: {hint}"
            )));
        }
        let mut header = self.header()?;
        header.learner = Roster::One(spec.clone()).text(self.task())?;
        header.recipe = with_view(header.recipe, view);
        // Its own mistakes; after several passes only those of all of them are known.
        if header.counts.rounds == header.counts.examples {
            header.counts.mistakes = record.mistakes.min(header.counts.examples);
        }
        let mut state = surefoot_data::State::new();
        self.preparer().export(&mut state);
        let winner = bank.extract(best)?;
        from_core("learner", winner.save(), &mut state);
        let bytes = model_file::to_bytes(&header, &state)
            .map_err(|problem: ModelProblem| Error::Other(problem.to_string()))?;
        Self::from_bytes(&bytes)
    }
}
