//! One pass: from sources to rounds, whoever learns from them.

use std::sync::Arc;
use std::time::Instant;

use surefoot_data::{Batch, Errand, Example, FormatOptions, OnBadLine, Plan, Progress};

use super::start::Start;
use super::supply::Supply;
use super::{Seconds, TakeReject, TrainOptions};
use crate::{Error, Result, Settings};

/// Who learns: a model, or several learners side by side.
pub(crate) trait Pupil {
    /// What workers run to parse data.
    fn plan(&self) -> Arc<Plan>;

    /// How files are understood.
    fn columns(&self) -> &FormatOptions;

    /// Looks further ahead in a batch, as far as it pays; returns the first example that it left. Learns nothing.
    fn look_ahead(&mut self, batch: &mut Batch) -> usize {
        batch.len()
    }
}

/// What happens to the examples of a pass.
pub(crate) trait Course<P> {
    /// Makes the pupil, once the data has said what kind of problem it is.
    fn begin(&mut self, settings: Settings) -> Result<P>;

    /// The start of a pass: whether its examples were parsed before, so that whoever reads them has ample time.
    fn start(&mut self, _parsed: bool) {}

    /// What parse workers can do besides parsing.
    fn errand(&self, _pupil: &P) -> Option<Errand> {
        None
    }

    /// One example of a batch. It may be learned later, with others.
    fn round(&mut self, pupil: &mut P, batch: &Batch, at: usize) -> Result<()>;

    /// After every example that has its round, and before an error ends the pass: what waits is learned if it is time, or if
    /// nothing more comes from this batch. Whoever still needs a batch that has ended may keep it and leave another one.
    /// Errors say which example they are about.
    fn catch_up(&mut self, _pupil: &mut P, _batch: &mut Batch, _ended: bool) -> Result<()> {
        Ok(())
    }

    /// Nobody knows when the next examples come: those that were learned are told of.
    fn pause(&mut self, _pupil: &mut P) -> Result<()> {
        Ok(())
    }

    /// The end of a pass, for good or with an error: nothing waits any longer.
    fn finish(&mut self, _pupil: &mut P) -> Result<()> {
        Ok(())
    }

    /// After every batch: whether to go on.
    fn go_on(&mut self, _progress: Progress) -> bool {
        true
    }

    /// Whether to end the pass here, and not to wait for more.
    fn stops(&mut self) -> bool {
        false
    }

    /// An example was left out because of its label; `record` is its line, if it is still at hand.
    fn refused(&mut self, _error: &Error, _record: &[u8]) {}

    /// Who takes the lines that are skipped; asked for at the start of each pass.
    fn take_rejects(&mut self) -> Option<TakeReject> {
        None
    }
}

/// How a pass went.
#[derive(Debug, Default)]
pub(crate) struct Fed {
    /// Lines that were left out, by whoever reads or because of their labels.
    pub(crate) bad_lines: u64,
    pub(crate) seconds: Seconds,
    pub(crate) stopped: bool,
}

/// Gives every example of a pass to the course.
pub(crate) fn feed<P: Pupil>(
    supply: &mut Supply,
    pass: usize,
    options: &TrainOptions,
    start: &mut Start<P>,
    course: &mut dyn Course<P>,
) -> Result<Fed> {
    let (mut fed, began) = (Fed::default(), Instant::now());
    let given = give_batches(supply, pass, options, start, course, &mut fed);
    let finished = if start.is_settled() { course.finish(start.pupil()?) } else { Ok(()) };
    given.and(finished)?;
    fed.bad_lines += supply.bad_lines();
    fed.seconds.total = began.elapsed().as_secs_f64();
    fed.seconds.learn = fed.seconds.total - fed.seconds.read;
    Ok(fed)
}

/// Gives one batch after the other.
fn give_batches<P: Pupil>(
    supply: &mut Supply,
    pass: usize,
    options: &TrainOptions,
    start: &mut Start<P>,
    course: &mut dyn Course<P>,
    fed: &mut Fed,
) -> Result<()> {
    let began = Instant::now();
    let (reading, rejects) = (options.read_options(&start.columns()), course.take_rejects());
    supply.begin(pass, reading, start.plan()?, rejects, &mut || course.stops())?;
    fed.stopped = course.stops();
    course.start(supply.is_parsed());
    start.look_ahead(supply);
    fed.seconds.read = began.elapsed().as_secs_f64();
    let mut batch = Batch::new();
    if start.is_settled() {
        supply.send(course.errand(start.pupil()?));
    }
    while !fed.stopped {
        if start.is_settled() && supply.waits() {
            course.pause(start.pupil()?)?;
        }
        let before = Instant::now();
        let more = supply.next_batch(&mut batch, &mut || course.stops())?;
        fed.seconds.read += before.elapsed().as_secs_f64();
        if !more {
            fed.stopped = course.stops();
            break;
        }
        give(&mut batch, supply, options, start, course, fed)?;
        fed.stopped = !course.go_on(supply.progress());
    }
    settle(supply, options, start, course, fed, true)
}

/// Gives a batch, or keeps it while the task is undecided.
fn give<P: Pupil>(
    batch: &mut Batch,
    supply: &mut Supply,
    options: &TrainOptions,
    start: &mut Start<P>,
    course: &mut dyn Course<P>,
    fed: &mut Fed,
) -> Result<()> {
    if start.is_settled() {
        return give_all(batch, options, start.pupil()?, course, fed);
    }
    start.scout(std::mem::take(batch))?;
    settle(supply, options, start, course, fed, false)
}

/// Once the task is decided (or the data has ended), gives what was kept meanwhile.
fn settle<P: Pupil>(
    supply: &mut Supply,
    options: &TrainOptions,
    start: &mut Start<P>,
    course: &mut dyn Course<P>,
    fed: &mut Fed,
    ended: bool,
) -> Result<()> {
    let kept = start.settle(options, ended, &mut |settings| course.begin(settings))?;
    if kept.is_empty() {
        return Ok(());
    }
    supply.send(course.errand(start.pupil()?));
    for mut batch in kept {
        give_all(&mut batch, options, start.pupil()?, course, fed)?;
        supply.give_back(batch);
    }
    Ok(())
}

fn give_all<P: Pupil>(
    batch: &mut Batch,
    options: &TrainOptions,
    pupil: &mut P,
    course: &mut dyn Course<P>,
    fed: &mut Fed,
) -> Result<()> {
    let mut seen = 0;
    let examples = batch.len();
    for at in 0..examples {
        if seen <= at + 1 && seen < batch.len() {
            seen = pupil.look_ahead(batch);
        }
        if let Err(error) = course.round(pupil, batch, at) {
            let skip = options.on_bad_line == OnBadLine::Skip && error.is_about_the_label();
            let error = error.at(batch, &batch.example(at));
            if !skip {
                course.catch_up(pupil, batch, true)?;
                return Err(error);
            }
            fed.bad_lines += 1;
            course.refused(&error, batch.record(at));
        }
        course.catch_up(pupil, batch, at + 1 == examples)?;
    }
    Ok(())
}

impl Error {
    /// Whether it says that an example has no label, or one that the model cannot take.
    fn is_about_the_label(&self) -> bool {
        matches!(self, Error::Labels(_) | Error::NoLabel)
    }

    /// Says which example it was, if that helps.
    pub(crate) fn at(self, batch: &Batch, example: &Example<'_>) -> Self {
        match self {
            Error::Labels(_) | Error::NoLabel | Error::Learner(_) | Error::Space(_) | Error::Other(_) => {
                Error::Example {
                    file: batch.file().to_string(),
                    line: example.line,
                    problem: self.to_string(),
                }
            }
            other => other,
        }
    }
}
