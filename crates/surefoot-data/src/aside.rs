//! A place where the consumer leaves a piece of work for whoever has time.
//!
//! Workers look there after every chunk. Nobody is woken for it, because waking a thread takes longer than most of what is
//! left here. Whoever needs the work done and finds it still there does it alone.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

/// A piece of work.
pub type Work = Box<dyn FnOnce() + Send>;

/// The place, shared by all who know it. It holds one piece of work.
///
/// ```
/// use std::sync::mpsc::channel;
/// use surefoot_data::Aside;
///
/// let (place, (done, heard)) = (Aside::default(), channel());
/// place.leave(Box::new(move || done.send(6 * 7).unwrap()));
/// assert!(heard.try_recv().is_err());
/// place.clone().work();
/// assert_eq!(heard.recv(), Ok(42));
/// ```
#[derive(Clone, Default)]
pub struct Aside(Arc<Mutex<Option<Work>>>);

impl Aside {
    /// Leaves a piece of work; does at once what was still there.
    pub fn leave(&self, work: Work) {
        let before = self.lock().replace(work);
        before.into_iter().for_each(|work| work());
    }

    /// Does what is there.
    pub fn work(&self) {
        // The place is free again before the work begins.
        let work = self.lock().take();
        work.into_iter().for_each(|work| work());
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Option<Work>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Aside {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Aside").field("waits", &self.lock().is_some()).finish()
    }
}
