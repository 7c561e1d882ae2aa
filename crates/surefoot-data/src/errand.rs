//! What a parse worker does for the one consumer besides parsing, so that the consumer, who has the least time of all,
//! finds it done.
//!
//! Features are looked up where the consumer's space posts them. Values that do not depend on the stream so far are
//! made as the learner wants them: of unit length if asked for, the bias behind them.

use std::sync::Arc;

use crate::batch::Head;
use crate::recipe::{Normalize, Recipe, Scale};
use crate::space::Directory;
use crate::vectors::push_unit;

/// What to do for a consumer; [`Preparer::errand`](crate::Preparer::errand) says it.
#[derive(Clone, Debug)]
pub struct Errand {
    /// Where features are looked up, if there is such a place.
    pub(crate) directory: Option<Arc<Directory>>,
    /// Whether rows have a bias, whose index comes behind the others.
    pub(crate) bias: bool,
    /// How rows end, if that is known without the stream.
    pub(crate) ending: Option<Ending>,
}

/// How the values of an example end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ending {
    normalize: Normalize,
    bias: bool,
}

impl Ending {
    /// None if values are scaled by what came before.
    pub(crate) fn of(recipe: &Recipe) -> Option<Self> {
        (recipe.scale == Scale::None).then_some(Ending { normalize: recipe.normalize, bias: recipe.bias })
    }
}

/// The values of a batch's examples as a learner wants them.
#[derive(Debug, Default)]
pub(crate) struct Ended {
    values: Vec<f64>,
    ending: Option<Ending>,
}

impl Ended {
    pub(crate) fn clear(&mut self) {
        self.ending = None;
    }

    /// Takes the values of all examples.
    pub(crate) fn make(&mut self, ending: Ending, values: &[f64], heads: &[Head]) {
        self.values.clear();
        self.values.reserve(values.len() + heads.len());
        let mut start = 0;
        for head in heads {
            let row = &values[start..head.end];
            match ending.normalize {
                Normalize::L2 => push_unit(row, &mut self.values),
                Normalize::None => self.values.extend_from_slice(row),
            }
            self.values.extend(ending.bias.then_some(1.0));
            start = head.end;
        }
        self.ending = Some(ending);
    }

    /// The values of an example whose features stand at `start..end`, and how they were ended; none if nobody made them.
    pub(crate) fn of(&self, example: usize, start: usize, end: usize) -> Option<(Ending, &[f64])> {
        let ending = self.ending?;
        let bias = usize::from(ending.bias);
        Some((ending, &self.values[start + example * bias..end + (example + 1) * bias]))
    }
}
