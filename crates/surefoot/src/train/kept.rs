//! Examples that an earlier pass, or an earlier run, kept in a cache.

use surefoot_data::{Batch, Cache, CacheLabels, Errand, ReadAhead};

use crate::{Error, Result};

/// A cache between two passes, or in the middle of one.
pub(super) struct Kept {
    state: State,
    examples: u64,
    /// Examples of this pass that were given.
    given: u64,
    /// The labels of this pass, if it is in file order.
    labels: Option<CacheLabels>,
}

enum State {
    /// Read when it is asked.
    Here(Box<Cache>),
    /// Read by a thread of its own.
    Ahead(ReadAhead),
    /// Between the two; only while one turns into the other.
    Turning,
}

impl Kept {
    pub(super) fn new(cache: Cache) -> Self {
        Self { examples: cache.examples(), given: 0, labels: None, state: State::Here(Box::new(cache)) }
    }

    /// Starts a pass, in an order that depends on the seed if there is one.
    pub(super) fn begin(&mut self, seed: Option<u64>, threads: usize) -> Result<()> {
        let mut cache = match std::mem::replace(&mut self.state, State::Turning) {
            State::Here(cache) => cache,
            State::Ahead(ahead) => Box::new(ahead.end()),
            State::Turning => return Err(lost()),
        };
        cache.rewind();
        self.labels = seed.is_none().then(|| cache.labels());
        seed.into_iter().for_each(|seed| cache.shuffle(seed));
        self.given = 0;
        self.state = if threads > 1 { State::Ahead(ReadAhead::start(*cache)) } else { State::Here(cache) };
        Ok(())
    }

    /// Tells `enough` the first labels of the pass, if they can be had before the examples.
    pub(super) fn preview(&self, enough: impl FnMut(Option<&[u8]>) -> bool) -> bool {
        self.labels.as_ref().is_some_and(|labels| labels.tell(enough))
    }

    /// Has this done by those who read.
    pub(super) fn send(&mut self, errand: Errand) {
        if let State::Ahead(ahead) = &mut self.state {
            ahead.send(errand);
        }
    }

    pub(super) fn next_batch(&mut self, batch: &mut Batch) -> Result<bool> {
        let more = match &mut self.state {
            State::Here(cache) => cache.next_batch(batch)?,
            State::Ahead(ahead) => ahead.next_batch(batch)?,
            State::Turning => return Err(lost()),
        };
        self.given += batch.len() as u64;
        Ok(more)
    }

    /// How much of the pass was given, from 0 to 1.
    pub(super) fn share(&self) -> f64 {
        self.given as f64 / self.examples.max(1) as f64
    }
}

fn lost() -> Error {
    Error::Other("the examples that were kept are gone".into())
}
