//! Time as it is recorded: what the processor spent on this thread, so that other work on the machine does not count.

use rustix::time::{ClockId, clock_gettime};

/// A clock that runs while this thread does.
#[derive(Debug, Clone, Copy)]
pub struct Stopwatch {
    began: f64,
}

impl Stopwatch {
    /// Starts.
    ///
    /// ```
    /// let watch = surefoot_experiments::clock::Stopwatch::start();
    /// std::thread::sleep(std::time::Duration::from_millis(200));
    /// assert!(watch.seconds() < 0.1, "sleeping does not count");
    /// ```
    #[must_use]
    pub fn start() -> Self {
        Self { began: now() }
    }

    /// CPU seconds of this thread since the start.
    #[must_use]
    pub fn seconds(&self) -> f64 {
        now() - self.began
    }
}

fn now() -> f64 {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
