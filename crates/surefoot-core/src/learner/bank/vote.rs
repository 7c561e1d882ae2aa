//! How sure the weights of all members are: their votes, each with the member's share.

use super::{Bank, Crew};
use crate::Features;
use crate::learner::Learner;
use crate::probability::Voter;

impl Bank {
    /// The votes of the members, mixed by their shares.
    pub(super) fn mix_votes(&self, x: Features<'_>, voter: &mut Voter, votes: &mut Vec<f64>) {
        let (mut mixture, mut values) = (vec![0.0; self.classes()], Vec::new());
        let predictions = self.predict_members(x);
        for (i, share) in self.shares().into_iter().enumerate() {
            self.seats[i].view.apply(x, self.bias, &mut values);
            match (&self.crew, Features::new(x.ids(), &values)) {
                (Crew::Apart(learners), Ok(seen)) => learners[i].vote_into(seen, voter, votes),
                // Values that a view has made infinite say nothing.
                (Crew::Apart(_), Err(_)) => {
                    votes.clear();
                    votes.resize(mixture.len(), 1.0 / mixture.len() as f64);
                }
                (Crew::Fused(_), _) => {
                    votes.clear();
                    votes.extend([predictions[i].negative_vote(), predictions[i].positive_vote()]);
                }
            }
            mixture.iter_mut().zip(&*votes).for_each(|(sum, vote)| *sum += share * vote);
        }
        *votes = mixture;
    }
}
