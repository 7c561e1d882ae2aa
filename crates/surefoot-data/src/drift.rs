//! Two files as one stream whose concept changes from that of the first to that of the second.

use std::io::Write;

use crate::convert::{Converted, Take, come_once, write_all};
use crate::error::{Error, Result};
use crate::format::{Format, FormatOptions};
use crate::generate::Random;
use crate::read::{ReadOptions, RecordReader};
use crate::source::Source;

/// When which of two files has its turn.
///
/// ```
/// use surefoot_data::Drift;
///
/// let files = |drift: Drift| drift.turns().map(|file| "AB".as_bytes()[file] as char).take(20).collect::<String>();
/// assert_eq!(files(Drift::at(12)), "AAAAAAAAAAAABBBBBBBB");
/// assert_eq!(files(Drift { period: Some(3), ..Drift::at(12) }), "AAAAAAAAAAAABBBAAABB");
/// // Gradually: around the 12th example both files have turns.
/// assert_eq!(files(Drift { width: 6, seed: 1, ..Drift::at(12) }), "AAAAAAAAAABABBBBBBBB");
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drift {
    /// After so many examples the concept changes; if that takes a while, they are up to the middle of it.
    pub at: u64,
    /// How many examples the change takes, about: the chance of the new concept is a sigmoid with the slope 1/`width` in the
    /// middle, and so rises from one tenth to nine tenths in 1.1 times as many. With 0 or 1 the change is abrupt.
    pub width: u64,
    /// So often it changes again after that, back and forth; without a period never.
    pub period: Option<u64>,
    /// For the random numbers of changes that take a while.
    pub seed: u64,
}

impl Drift {
    /// An abrupt change after so many examples.
    #[must_use]
    pub fn at(at: u64) -> Self {
        Drift { at, width: 0, period: None, seed: 0 }
    }

    /// Which of two files, 0 or 1, the next example is from, for ever.
    pub fn turns(self) -> impl Iterator<Item = usize> {
        let mut random = Random::new(self.seed);
        (0..).map(move |seen| {
            let (change, distance) = self.nearest_change(seen);
            let is_after = if self.width > 1 {
                random.flip(1.0 / (1.0 + libm::exp(-4.0 * distance / self.width as f64)))
            } else {
                distance > 0.0
            };
            ((change + u64::from(is_after)) % 2) as usize
        })
    }

    /// The change next to an example, from 0, and how far behind it the example is: half an example is the least.
    fn nearest_change(self, seen: u64) -> (u64, f64) {
        let period = self.period.unwrap_or(u64::MAX).max(1);
        let change = seen.saturating_sub(self.at).saturating_add(period / 2) / period;
        (change, seen as f64 + 0.5 - self.at as f64 - change as f64 * period as f64)
    }
}

/// Reads two sources, each in its own order and of any format, and writes them as one stream: each example is the next one of the
/// source that has its turn. The stream ends where that has no more, or after `count` examples.
///
/// Sources whose stream ends before the change are refused. Columns are named by `columns`, and some formats need to read
/// the sources twice, as for [`convert`](crate::convert).
pub fn join_with_drift(
    sources: &[Source; 2],
    drift: Drift,
    count: Option<u64>,
    options: &ReadOptions,
    format: &Format,
    columns: &FormatOptions,
    out: &mut dyn Write,
) -> Result<Converted> {
    let once = come_once(sources, format)?;
    write_all(format, columns, out, once, &mut |take| each_joined(sources, drift, count, options, take))
}

fn each_joined(
    sources: &[Source; 2],
    drift: Drift,
    count: Option<u64>,
    options: &ReadOptions,
    take: Take<'_>,
) -> Result<Converted> {
    let open = |source: &Source| RecordReader::open(std::slice::from_ref(source), options);
    let mut readers = [open(&sources[0])?, open(&sources[1])?];
    let mut done = Converted::default();
    for (file, _) in drift.turns().zip(0..count.unwrap_or(u64::MAX)) {
        let Some(placed) = readers[file].next_record()? else {
            if done.examples < drift.at {
                let problem =
                    format!("ends after {} examples, before the change at {}", done.examples, drift.at);
                return Err(Error::file(&sources[file].name(), problem).hint("let it change earlier"));
            }
            break;
        };
        take(placed.record).map_err(|fault| placed.refuse(fault))?;
        done.examples += 1;
    }
    done.bad_lines = readers.iter().map(RecordReader::bad_lines).sum();
    Ok(done)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn share_of_second(drift: Drift, examples: std::ops::Range<usize>) -> f64 {
        let turns: Vec<usize> = drift.turns().skip(examples.start).take(examples.len()).collect();
        turns.iter().sum::<usize>() as f64 / turns.len() as f64
    }

    #[test]
    fn a_gradual_change_is_a_sigmoid() {
        let drift = Drift { width: 1000, seed: 5, ..Drift::at(10_000) };
        assert_eq!(share_of_second(drift, 0..6_000), 0.0);
        assert_eq!(share_of_second(drift, 14_000..20_000), 1.0);
        // Over many seeds, at three places of the curve.
        for (at, expected) in [(9_500, 0.119), (10_000, 0.5), (10_500, 0.881)] {
            let one = |seed| share_of_second(Drift { seed, ..drift }, at..at + 1);
            let found = (0..2_000).map(one).sum::<f64>() / 2_000.0;
            assert!((found - expected).abs() < 0.04, "{at}: {found}");
        }
    }

    #[test]
    fn recurring_changes_go_back_and_forth() {
        let drift = Drift { width: 100, period: Some(1_000), seed: 3, ..Drift::at(5_000) };
        for (middle, expected) in [(4_500, 0.0), (5_500, 1.0), (6_500, 0.0), (7_500, 1.0), (50_500, 0.0)] {
            assert_eq!(share_of_second(drift, middle - 150..middle + 150), expected, "{middle}");
        }
        let around = share_of_second(drift, 5_800..6_200);
        assert!((around - 0.5).abs() < 0.1, "{around}");
        let abrupt = Drift { period: Some(1), ..Drift::at(3) };
        assert_eq!(abrupt.turns().take(8).collect::<Vec<_>>(), [0, 0, 0, 1, 0, 1, 0, 1]);
        let abrupt = Drift { period: Some(2), width: 1, ..Drift::at(0) };
        assert_eq!(abrupt.turns().take(6).collect::<Vec<_>>(), [1, 1, 0, 0, 1, 1]);
    }
}
