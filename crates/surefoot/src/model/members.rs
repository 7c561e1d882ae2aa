//! What an ensemble's members have done, and the best of them as a model of its own.

use std::sync::Arc;

use serde::Serialize;
use surefoot_core::{Learner, LearnerSpec};
use surefoot_data::{Plan, Scale};

use super::Model;
use crate::compare::{is_plain, with_view};
use crate::learners::{Contestant, Learners};
use crate::{Error, Result};

/// One member of an ensemble and how it has done.
#[derive(Debug, Clone, Serialize)]
#[non_exhaustive]
pub struct MemberReport {
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
    /// The members of an ensemble and how each has done, in their order; nothing for a single learner.
    ///
    /// ```
    /// # use surefoot::prelude::*;
    /// # use surefoot::train::Silent;
    /// let mail = Source::memory("mail.tsv", *b"spam\tcheap pills\nham\tlunch today\n");
    /// let learner = LearnerSpec::parse("ensemble(arow@sqrt+l2; pa1@binary+l2)")?;
    /// let (model, _) = train(vec![mail], &TrainOptions::default().learner(learner), &mut Silent)?;
    /// let members = model.members()?;
    /// assert_eq!((members.len(), members[1].view.as_str()), (2, "binary+l2"));
    /// assert!(model.keep_best()?.members()?.is_empty());
    /// # Ok::<(), Error>(())
    /// ```
    pub fn members(&self) -> Result<Vec<MemberReport>> {
        let Some(ensemble) = self.learner().as_ensemble() else { return Ok(Vec::new()) };
        let head = self.head();
        let rounds = head.rounds().max(1) as f64;
        let mut reports = Vec::new();
        for ((spec, view), (stats, share)) in ensemble.members().zip(head.members().iter().zip(head.shares()))
        {
            reports.push(MemberReport {
                learner: spec.text(self.task())?,
                view: view.to_string(),
                share,
                mistakes: stats.mistakes,
                error_rate: stats.mistakes as f64 / rounds,
                log_loss: stats.loss / rounds,
            });
        }
        Ok(reports)
    }

    /// The best member of an ensemble as a model of its own, which predicts and goes on as it did in the ensemble; a single
    /// learner stays what it is.
    pub fn keep_best(self) -> Result<Self> {
        let Some(ensemble) = self.learner().as_ensemble() else { return Ok(self) };
        let best = self.head().best();
        let Some((spec, view)) = ensemble.members().nth(best) else { return Ok(self) };
        if self.encoder().recipe().scale != Scale::None && is_plain(view) {
            let hint = "its members transform what was scaled before, which a single learner does not do";
            return Err(Error::Other(format!(
                "the best of an ensemble on scaled features cannot be kept alone: {hint}"
            )));
        }
        let mut counts = self.counts();
        // Its own mistakes; after several passes only those of all of them are known.
        if counts.rounds == counts.examples
            && let Some(stats) = self.head().members().get(best)
        {
            counts.mistakes = stats.mistakes.min(counts.examples);
        }
        let head = self.head().member(best);
        let (spec, learner, encoder) = if is_plain(view) && !ensemble.is_cut(best) {
            let plan = Plan::new(with_view(self.encoder().recipe().clone(), view))?;
            let encoder = self.encoder().with_plan(Arc::new(plan));
            (LearnerSpec::One(spec.clone()), ensemble.member(best)?, encoder)
        } else {
            let learner: Box<dyn Learner> = Box::new(ensemble.only(best)?);
            (LearnerSpec::Ensemble(vec![(spec.clone(), view)]), learner, self.encoder().clone())
        };
        let (balance, watch) = (self.own().balance.clone(), self.own().watch.clone());
        let contestants = vec![Contestant { spec, learner, head, counts, balance, watch }];
        let beginning = self.learners.beginning.clone();
        let learners = Learners { encoder, contestants, first_rows: None, beginning };
        Ok(Self::from_parts(learners, self.columns.clone(), self.seed))
    }
}
