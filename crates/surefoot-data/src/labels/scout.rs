//! Reading ahead: which task the labels of a stream make.

use std::collections::BTreeSet;

use super::{Kind, Label, LabelProblem, Labels, Task};

/// Examples that `auto` looks at before it decides.
pub const SCOUTED: usize = 10_000;

/// Features that `auto` looks at before it decides, where the labels are mixed: examples of many features take the memory
/// of the caller long before they are [`SCOUTED`].
pub const SCOUTED_FEATURES: usize = 1 << 20;

/// So often the label has to change before labels count as mixed. In a file sorted by label it changes once a label, and
/// what was seen says nothing of the labels to come.
const MIXED: usize = 10;

/// Meets the first labels of a stream until they say what the task is. The examples met meanwhile are kept by the caller
/// and learnt from once it is decided.
///
/// - `multiclass` is decided at once.
/// - `binary` is decided by a label that is known beforehand (`-1` and `+1` belong together, and so do `0` and `1`) or
///   by the second label. A plain `1` can be the larger of −1/1 and 0/1 or the smaller of 1/2, so it waits for another
///   label, but not for more than [`SCOUTED`] examples.
/// - `auto` looks at [`SCOUTED`] examples, or at those with the first [`SCOUTED_FEATURES`] features if their labels are
///   mixed, or at all if there are fewer: two labels are binary, more are multi-class (which the third label decides at
///   once). One label is binary if it is known beforehand; otherwise the second decides.
#[derive(Clone, Debug)]
pub struct LabelScout {
    task: Task,
    met: BTreeSet<Label>,
    last: Option<Label>,
    examples: usize,
    features: usize,
    changes: usize,
}

impl LabelScout {
    /// Nothing met yet.
    pub fn new(task: Task) -> Self {
        LabelScout { task, met: BTreeSet::new(), last: None, examples: 0, features: 0, changes: 0 }
    }

    /// Takes the label of the next example, or none if it has none, and how many features it has. Returns the labels as soon
    /// as they are decided.
    pub fn see(&mut self, label: Option<&[u8]>, features: usize) -> Option<Labels> {
        self.examples += 1;
        self.features += features;
        let signed = label.is_some_and(|label| label.first() == Some(&b'+'));
        if let Some(label) = label.map(Label::read_bytes)
            && self.last.as_ref() != Some(&label)
        {
            self.met.insert(label.clone());
            self.changes += usize::from(self.last.replace(label).is_some());
        }
        let wide = self.features >= SCOUTED_FEATURES && self.changes >= MIXED;
        let enough = wide || self.examples >= SCOUTED;
        match (self.task, self.met.len()) {
            (Task::Multiclass, _) => Some(Labels::open()),
            (_, 0) => None,
            (Task::Auto, 1 | 2) if !enough => None,
            (Task::Auto, count) if count > 2 => Some(Labels::open()),
            (_, 1) => known_beforehand(self.met.first()?, signed || enough),
            _ => Some(self.pair()),
        }
    }

    /// What the labels are, by labels alone; `hear` tells them one after the other until it is said to be enough, and returns
    /// whether it could. None if they do not say it, or not beyond doubt: with three labels it matters how many features
    /// the examples before the third have.
    pub fn ahead(&self, hear: impl FnOnce(&mut dyn FnMut(Option<&[u8]>) -> bool) -> bool) -> Option<Labels> {
        let (mut scout, mut decided) = (self.clone(), None);
        let heard = hear(&mut |label| {
            decided = scout.see(label, 0);
            decided.is_some()
        });
        let labels = if heard { decided.or_else(|| scout.end().ok()) } else { None };
        labels.filter(Labels::is_binary)
    }

    /// The data has ended before it was decided.
    pub fn end(self) -> Result<Labels, LabelProblem> {
        match (self.task, self.met.first()) {
            (Task::Multiclass, _) => Ok(Labels::open()),
            (_, None) => Err(LabelProblem::None),
            (_, Some(only)) if self.met.len() == 1 => {
                known_beforehand(only, true).ok_or_else(|| LabelProblem::OnlyOne(only.shown()))
            }
            _ => Ok(self.pair()),
        }
    }

    /// The two smallest labels met. More than two only come here if the task was said to be binary, and then the third is
    /// refused when it is learnt from.
    fn pair(&self) -> Labels {
        Labels::with(Kind::Binary, self.met.iter().take(2).cloned().collect())
    }
}

/// The two labels that a label is known to be one of, if it is.
fn known_beforehand(label: &Label, sure: bool) -> Option<Labels> {
    let pair = |kind, negative| Labels::with(kind, vec![Label::Number(negative), Label::Number(1.0)]);
    match *label {
        Label::Number(-1.0) => Some(pair(Kind::Binary, -1.0)),
        Label::Number(0.0) => Some(pair(Kind::Binary, 0.0)),
        Label::Number(1.0) if sure => Some(pair(Kind::Half, -1.0)),
        _ => None,
    }
}
