//! Labels that are no classes: a price or a temperature is a number to be estimated, and each of its values would be a class.

use surefoot_core::Task;
use surefoot_data::{Label, Labels};

use super::TrainOptions;
use crate::{Error, Result};

/// Different labels at which a stream is judged, once.
const JUDGED: usize = 100;
/// Whole numbers that are classes lie closer together than this, on average.
const WIDE: f64 = 20.0;

/// Refuses numeric labels that look like a quantity, when the label number [`JUDGED`] has come: those that are not whole; and whole
/// ones, most of which came once so far and which are spread widely. Class numbers come again or lie close together. A task
/// or labels that were asked for are never refused. `before` is how many labels there were, after so many examples.
pub(super) fn check(labels: &Labels, before: usize, examples: u64, options: &TrainOptions) -> Result<()> {
    if before + 1 != JUDGED
        || labels.task() == Task::Multilabel
        || options.task.is_some()
        || !options.labels.is_empty()
    {
        return Ok(());
    }
    let number = |label: &Label| match label {
        Label::Number(number) => Some(*number),
        _ => None,
    };
    let Some(numbers) = labels.names().iter().map(number).collect::<Option<Vec<f64>>>() else {
        return Ok(());
    };
    let whole = numbers.iter().all(|number| number.fract() == 0.0);
    let (least, most) = numbers.iter().fold((f64::MAX, f64::MIN), |(a, b), &n| (a.min(n), b.max(n)));
    let repeated = examples + 1 >= 2 * JUDGED as u64;
    if whole && (repeated || most - least <= WIDE * JUDGED as f64) {
        return Ok(());
    }
    let column = options.columns.label.as_ref();
    let what = column.map_or("the labels are".to_owned(), |name| format!("the label column `{name}` holds"));
    let examples = examples + 1;
    Err(Error::Other(format!(
        "{what} numbers, {JUDGED} different ones in {examples} examples: that is a quantity, not a class, and surefoot \
         tells classes apart; make ranges of it, or say --task multiclass to train on every number as a label of its own"
    )))
}
