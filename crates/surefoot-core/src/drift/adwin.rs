//! ADWIN, adaptive windowing: as long a window as has one mean, kept in logarithmic memory.
//!
//! A. Bifet and R. Gavaldà, "Learning from time-changing data with adaptive windowing", SDM 2007: algorithm ADWIN2, whose
//! window is a list of buckets of 1, 2, 4, … numbers, at most [`BUCKETS`] of each size. Wherever two buckets meet the window
//! is cut in two; if the means of the parts differ by more than chance allows, the older part is dropped.

use super::{Change, Detector, DetectorSpec, damaged};
use crate::Result;

/// Buckets of one size, M of the paper.
const BUCKETS: usize = 5;

/// The cuts are looked at once in so many numbers: at every number it would take most of the time and find little more.
const EVERY: u64 = 32;

/// Parts of fewer numbers are not compared.
const SHORTEST: f64 = 16.0;

/// Sizes of buckets that a saved window may have: a window of 2⁵² numbers takes no more.
const MOST_SIZES: usize = 52;

/// The sum and the squares of numbers that came one after the other.
#[derive(Debug, Clone, Copy, Default)]
struct BucketSums {
    sum: f64,
    squares: f64,
}

impl BucketSums {
    fn plus(self, other: BucketSums) -> BucketSums {
        BucketSums { sum: self.sum + other.sum, squares: self.squares + other.squares }
    }

    fn minus(self, other: BucketSums) -> BucketSums {
        BucketSums { sum: self.sum - other.sum, squares: self.squares - other.squares }
    }
}

/// The buckets of one size, the oldest first; one more than may stay.
#[derive(Debug, Clone, Copy, Default)]
struct BucketRow {
    used: usize,
    buckets: [BucketSums; BUCKETS + 1],
}

impl BucketRow {
    /// Appends a bucket. Where there are too many, the two oldest are taken out as one.
    fn push(&mut self, bucket: BucketSums) -> Option<BucketSums> {
        self.buckets[self.used] = bucket;
        self.used += 1;
        if self.used <= BUCKETS {
            return None;
        }
        let joined = self.buckets[0].plus(self.buckets[1]);
        self.buckets.copy_within(2.., 0);
        self.used -= 2;
        Some(joined)
    }

    fn take_oldest(&mut self) -> Option<BucketSums> {
        let oldest = *self.buckets[..self.used].first()?;
        self.buckets.copy_within(1.., 0);
        self.used -= 1;
        Some(oldest)
    }
}

/// A part of the window: how many numbers, and their sums.
#[derive(Debug, Clone, Copy, Default)]
struct WindowPart {
    count: f64,
    sums: BucketSums,
}

impl WindowPart {
    fn mean(self) -> f64 {
        if self.count > 0.0 { self.sums.sum / self.count } else { 0.0 }
    }

    fn variance(self) -> f64 {
        (self.sums.squares / self.count - self.mean() * self.mean()).max(0.0)
    }
}

/// The detector.
#[derive(Debug, Clone)]
pub struct Adwin {
    /// How likely a false alarm may be, δ of the paper.
    delta: f64,
    /// The buckets of 1, 2, 4, … numbers.
    rows: Vec<BucketRow>,
    window: WindowPart,
    seen: u64,
}

impl Adwin {
    /// A window that is cut by mistake with a probability of about `delta` at most.
    #[must_use]
    pub fn new(delta: f64) -> Self {
        Self { delta, rows: Vec::new(), window: WindowPart::default(), seen: 0 }
    }

    /// How many numbers the window has, and their mean.
    #[must_use]
    pub fn window(&self) -> (u64, f64) {
        (self.window.count as u64, self.window.mean())
    }

    /// Two of the oldest of a size become one of the next, where there are too many.
    fn push(&mut self, number: f64) {
        let own = BucketSums { sum: number, squares: number * number };
        self.window = WindowPart { count: self.window.count + 1.0, sums: self.window.sums.plus(own) };
        let mut carried = Some(own);
        for size in 0.. {
            let Some(bucket) = carried.take() else { break };
            if size == self.rows.len() {
                self.rows.push(BucketRow::default());
            }
            carried = self.rows[size].push(bucket);
        }
    }

    /// Every bucket with its count, the oldest first.
    fn buckets(&self) -> impl Iterator<Item = (f64, BucketSums)> + '_ {
        let rows = self.rows.iter().enumerate().rev();
        rows.flat_map(|(size, row)| {
            row.buckets[..row.used].iter().map(move |bucket| (count_of(size), *bucket))
        })
    }

    /// The cut at which the window has two means most clearly: what is older, and what is newer. The paper drops one bucket after
    /// the other; the clearest cut tells besides when the change was.
    fn cut(&self) -> Option<(WindowPart, WindowPart)> {
        let (mut old, mut clearest, mut found) = (WindowPart::default(), 1.0, None);
        let chance = libm::log(2.0 * libm::log(self.window.count) / self.delta);
        let spread = 2.0 * self.window.variance() * chance;
        for (count, sums) in self.buckets() {
            old = WindowPart { count: old.count + count, sums: old.sums.plus(sums) };
            let new =
                WindowPart { count: self.window.count - old.count, sums: self.window.sums.minus(old.sums) };
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
            let oldest = self.rows.iter_mut().enumerate().rev();
            let oldest = oldest.filter_map(|(size, row)| Some((size, row.take_oldest()?))).next();
            let Some((size, oldest)) = oldest else { break };
            let left = self.window.count - count_of(size);
            self.window = WindowPart { count: left, sums: self.window.sums.minus(oldest) };
        }
    }
}

/// How many numbers a bucket of this size has.
fn count_of(size: usize) -> f64 {
    (1u64 << size) as f64
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

    /// Numbers seen, the sums of the window, and for each size how many buckets there are, with their sums.
    fn save(&self) -> Vec<f64> {
        let BucketSums { sum, squares } = self.window.sums;
        let mut numbers = vec![self.seen as f64, sum, squares];
        for row in &self.rows {
            numbers.push(row.used as f64);
            numbers.extend(row.buckets[..row.used].iter().flat_map(|own| [own.sum, own.squares]));
        }
        numbers
    }

    fn restore(&mut self, numbers: &[f64]) -> Result<()> {
        let mut numbers = numbers.iter().copied();
        // Means of numbers from 0 to 1 are such numbers too.
        let mut next = |most: f64| numbers.next().filter(|number| (0.0..=most).contains(number));
        let most = count_of(MOST_SIZES);
        let (Some(seen), Some(sum), Some(squares)) = (next(most), next(most), next(most)) else {
            return Err(damaged(SPEC.name));
        };
        let (mut rows, mut count) = (Vec::new(), 0.0);
        while let Some(used) = next(BUCKETS as f64) {
            let mut row = BucketRow { used: used as usize, ..BucketRow::default() };
            let size = count_of(rows.len().min(MOST_SIZES));
            for bucket in &mut row.buckets[..row.used] {
                let (Some(sum), Some(squares)) = (next(size), next(size)) else {
                    return Err(damaged(SPEC.name));
                };
                *bucket = BucketSums { sum, squares };
                count += size;
            }
            rows.push(row);
        }
        if numbers.next().is_some() || rows.len() > MOST_SIZES || count > seen {
            return Err(damaged(SPEC.name));
        }
        let window = WindowPart { count, sums: BucketSums { sum, squares } };
        *self = Self { delta: self.delta, rows, window, seen: seen as u64 };
        Ok(())
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
