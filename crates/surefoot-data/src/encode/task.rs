//! Which task the labels of a stream make.

use std::collections::BTreeSet;

use surefoot_core::Task;

use super::labels::{Kind, Label, LabelProblem, Labels};

/// Examples that a [`TaskDetector`] sees before it decides, where no task was asked for.
pub const DETECTION_EXAMPLES: usize = 10_000;

/// Features that it sees before it decides, where the labels are mixed: examples of many features take the memory of the
/// caller long before they are [`DETECTION_EXAMPLES`].
pub const DETECTION_FEATURES: usize = 1 << 20;

/// So often the label has to change before labels count as mixed. In a file sorted by label it changes once a label, and
/// what was seen says nothing of the labels to come.
const MIXED: usize = 10;

/// Sees the labels of a stream until they say what the task is. The examples seen meanwhile are kept by the caller and learnt
/// from once it is decided.
///
/// - `Multiclass` and `Multilabel` are decided at once; the latter also by the first line that
///   [shows](TaskDetector::see_several) that there may be several labels.
/// - `Binary` is decided by a label that is known beforehand (`-1` and `+1` belong together, and so do `0` and `1`) or
///   by the second label. A plain `1` can be the larger of −1/1 and 0/1 or the smaller of 1/2, so it waits for another
///   label, but not for more than [`DETECTION_EXAMPLES`] examples.
/// - None is decided by [`DETECTION_EXAMPLES`] examples, or by those with the first [`DETECTION_FEATURES`] features if their
///   labels are mixed, or by all if there are fewer: two labels are binary, more are multi-class (which the third label
///   decides at once). One label is binary if it is known beforehand; otherwise the second decides.
///
/// ```
/// use surefoot_data::TaskDetector;
///
/// let mut detector = TaskDetector::new(None);
/// assert_eq!(detector.see(Some(b"spam"), 120), None);
/// assert_eq!(detector.see(Some(b"ham"), 80), None); // a third label may come
/// assert!(detector.end()?.is_binary()); // it did not
/// # Ok::<(), surefoot_data::LabelProblem>(())
/// ```
#[derive(Clone, Debug)]
pub struct TaskDetector {
    task: Option<Task>,
    several: bool,
    met: BTreeSet<Label>,
    last: Option<Label>,
    examples: usize,
    features: usize,
    changes: usize,
}

impl TaskDetector {
    /// Nothing seen yet; the task that is asked for, or none if the labels are to say it.
    pub fn new(task: Option<Task>) -> Self {
        TaskDetector {
            task,
            several: task == Some(Task::Multilabel),
            met: BTreeSet::new(),
            last: None,
            examples: 0,
            features: 0,
            changes: 0,
        }
    }

    /// A line shows that there may be several labels.
    pub fn see_several(&mut self) {
        self.several |= self.task.is_none();
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
        let wide = self.features >= DETECTION_FEATURES && self.changes >= MIXED;
        let enough = wide || self.examples >= DETECTION_EXAMPLES;
        match (self.task, self.met.len()) {
            _ if self.several => Some(Labels::open().of_several()),
            (Some(Task::Multiclass), _) => Some(Labels::open()),
            (_, 0) => None,
            (None, 1 | 2) if !enough => None,
            (None, count) if count > 2 => Some(Labels::open()),
            (_, 1) => known_beforehand(self.met.first()?, signed || enough),
            _ => Some(self.pair()),
        }
    }

    /// The data has ended before it was decided.
    pub fn end(self) -> Result<Labels, LabelProblem> {
        match (self.task, self.met.first()) {
            _ if self.several => Ok(Labels::open().of_several()),
            (Some(Task::Multiclass), _) => Ok(Labels::open()),
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

#[cfg(test)]
mod tests;
