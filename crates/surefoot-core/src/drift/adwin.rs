//! ADWIN, adaptive windowing: as long a window as has one mean, kept in logarithmic memory.
//!
//! A. Bifet and R. Gavaldà, "Learning from time-changing data with adaptive windowing", SDM 2007: algorithm ADWIN2, whose
//! window is a list of buckets of 1, 2, 4, … numbers, at most [`BUCKETS`] of each size. Wherever two buckets meet the window
//! is cut in two; if the means of the parts differ by more than chance allows, the older part is dropped.

use std::collections::VecDeque;

use super::{Change, Detector, DetectorSpec};

/// Buckets of one size, M of the paper.
const BUCKETS: usize = 5;

/// The cuts are looked at once in so many numbers: at every number it would take most of the time and find little more.
const EVERY: u64 = 32;

/// Parts of fewer numbers are not compared.
const SHORTEST: f64 = 16.0;

/// Numbers that came one after the other.
#[derive(Debug, Clone, Copy, Default)]
struct Bucket {
    count: f64,
    sum: f64,
    squares: f64,
}

impl Bucket {
    fn joined(self, other: Bucket) -> Bucket {
        Bucket {
            count: self.count + other.count,
            sum: self.sum + other.sum,
            squares: self.squares + other.squares,
        }
    }

    fn without(self, other: Bucket) -> Bucket {
        Bucket {
            count: self.count - other.count,
            sum: self.sum - other.sum,
            squares: self.squares - other.squares,
        }
    }

    fn mean(self) -> f64 {
        if self.count > 0.0 { self.sum / self.count } else { 0.0 }
    }

    fn variance(self) -> f64 {
        (self.squares / self.count - self.mean() * self.mean()).max(0.0)
    }
}

/// The detector.
#[derive(Debug, Clone)]
pub struct Adwin {
    /// How likely a false alarm may be, δ of the paper.
    delta: f64,
    /// The buckets of 1, 2, 4, … numbers, the newest of a size first.
    sizes: Vec<VecDeque<Bucket>>,
    window: Bucket,
    seen: u64,
}

impl Adwin {
    /// A window that is cut by mistake with a probability of about `delta` at most.
    #[must_use]
    pub fn new(delta: f64) -> Self {
        Self { delta, sizes: Vec::new(), window: Bucket::default(), seen: 0 }
    }

    /// How many numbers the window has, and their mean.
    #[must_use]
    pub fn window(&self) -> (u64, f64) {
        (self.window.count as u64, self.window.mean())
    }

    /// Two of the oldest of a size become one of the next, where there are too many.
    fn push(&mut self, number: f64) {
        let mut carried = Some(Bucket { count: 1.0, sum: number, squares: number * number });
        for size in 0.. {
            let Some(bucket) = carried.take() else { break };
            if size == self.sizes.len() {
                self.sizes.push(VecDeque::new());
            }
            let row = &mut self.sizes[size];
            row.push_front(bucket);
            if row.len() > BUCKETS
                && let (Some(oldest), Some(next)) = (row.pop_back(), row.pop_back())
            {
                carried = Some(oldest.joined(next));
            }
        }
        self.window = self.window.joined(Bucket { count: 1.0, sum: number, squares: number * number });
    }

    /// The cut at which the window has two means most clearly: what is older, and what is newer. The paper drops one bucket after
    /// the other; the clearest cut tells besides when the change was.
    fn cut(&self) -> Option<(Bucket, Bucket)> {
        let (mut old, mut clearest, mut found) = (Bucket::default(), 1.0, None);
        let chance = libm::log(2.0 * libm::log(self.window.count) / self.delta);
        let spread = 2.0 * self.window.variance() * chance;
        for bucket in self.sizes.iter().rev().flat_map(|row| row.iter().rev()) {
            old = old.joined(*bucket);
            let new = self.window.without(old);
            if new.count < SHORTEST {
                break;
            }
            // By how much the means of the parts may differ by chance: the bound of the paper's section 4.1.
            let harmonic = 1.0 / (1.0 / old.count + 1.0 / new.count);
            let bound = (spread / harmonic).sqrt() + 2.0 / (3.0 * harmonic) * chance;
            let clear = (old.mean() - new.mean()).abs() / bound;
            if old.count >= SHORTEST && clear > clearest {
                (clearest, found) = (clear, Some((old, new)));
            }
        }
        found
    }

    /// Leaves so many of the newest numbers; cuts lie between buckets.
    fn shrink_to(&mut self, count: f64) {
        while self.window.count > count {
            let oldest = self.sizes.iter_mut().rev().find_map(VecDeque::pop_back);
            let Some(oldest) = oldest else { break };
            self.window = self.window.without(oldest);
        }
    }
}

impl Detector for Adwin {
    fn update(&mut self, number: f64) -> Option<Change> {
        self.push(number);
        self.seen += 1;
        if !self.seen.is_multiple_of(EVERY) {
            return None;
        }
        let mut found = None;
        while let Some((old, new)) = self.cut() {
            let before = found.map_or(old.mean(), |change: Change| change.before);
            found = Some(Change { since: new.count as u64, before, after: new.mean() });
            self.shrink_to(new.count);
        }
        found
    }
}

impl Default for Adwin {
    /// The bound is a cautious one: with this δ it was wrong less than once in a million examples of any error.
    fn default() -> Self {
        Self::new(1e-3)
    }
}

/// The detector as users name it.
pub static SPEC: DetectorSpec = DetectorSpec {
    name: "adwin",
    help: "adaptive windowing: as long a window as has one mean",
    paper: "Bifet, Gavaldà: Learning from time-changing data with adaptive windowing (2007)",
    build: || Box::new(Adwin::default()),
};
