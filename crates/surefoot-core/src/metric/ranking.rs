//! Examples in the order of their scores, in bounded memory: what the curves of two classes are made of.

use std::cmp::Ordering;

use super::{Metric, Outcome, ratio};

/// Bins kept, and outcomes collected before they are sorted in.
const CAPACITY: usize = 4096;

/// How many examples of class 0 and of class 1 have which scores.
///
/// Scores are kept in at most 4096 disjoint bins. As long as there are no more different scores than that, a
/// bin is one score and what is made of them is exact. Then neighbours are merged into bins of at most 1/1024 of the
/// weight, and only the order within one merged bin is in doubt.
///
/// It is for two classes: with a third there is nothing to see. Scores that are not numbers are left out.
#[derive(Debug, Clone, Default)]
pub struct Ranking {
    /// Disjoint and ascending.
    bins: Vec<ScoreBin>,
    /// Outcomes not yet among the bins.
    pending: Vec<ScoreBin>,
    /// What sorting them needs.
    order: Vec<u64>,
    third_class: bool,
}

/// The weight of both classes with scores from `low` to `high`.
#[derive(Debug, Clone, Copy)]
struct ScoreBin {
    low: f64,
    high: f64,
    weights: [f64; 2],
}

impl ScoreBin {
    fn order(&self, other: &ScoreBin) -> Ordering {
        self.low.total_cmp(&other.low).then(self.high.total_cmp(&other.high))
    }

    fn total(&self) -> f64 {
        self.weights[0] + self.weights[1]
    }

    /// The weight of the pairs of unlike class in this bin.
    fn pairs(&self) -> f64 {
        self.weights[0] * self.weights[1]
    }

    fn absorb(&mut self, next: &ScoreBin) {
        self.high = self.high.max(next.high);
        self.weights = [self.weights[0] + next.weights[0], self.weights[1] + next.weights[1]];
    }
}

impl Ranking {
    /// The bins with the pending outcomes sorted in.
    fn settled(&self) -> Vec<ScoreBin> {
        let (mut bins, mut pending) = (self.bins.clone(), self.pending.clone());
        sort_in(&mut bins, &mut pending, &mut Vec::new());
        unite(&mut bins);
        bins
    }
}

impl Ranking {
    /// Takes an outcome in, by the score that grows with the belief in class 1.
    pub fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        if let Some(class) = outcome.truth.class() {
            self.add(outcome.score, class, weight);
        }
    }

    /// Takes an example in.
    pub fn add(&mut self, score: f64, class: usize, weight: f64) {
        if weight <= 0.0 || score.is_nan() || self.third_class {
            return;
        }
        if class > 1 {
            *self = Self { third_class: true, ..Self::default() };
            return;
        }
        let mut weights = [0.0; 2];
        weights[class] = weight;
        self.pending.push(ScoreBin { low: score, high: score, weights });
        if self.pending.len() == CAPACITY {
            sort_in(&mut self.bins, &mut self.pending, &mut self.order);
            unite(&mut self.bins);
        }
    }

    /// The weight of both classes with each score, from the highest score down.
    #[must_use]
    pub fn descending(&self) -> Vec<[f64; 2]> {
        self.settled().iter().rev().map(|bin| bin.weights).collect()
    }

    /// The weight of both classes.
    #[must_use]
    pub fn totals(&self) -> [f64; 2] {
        let all = self.bins.iter().chain(&self.pending);
        all.fold([0.0; 2], |sum, bin| [sum[0] + bin.weights[0], sum[1] + bin.weights[1]])
    }

    /// The class with less weight; 1 if they are even. None unless both occurred.
    #[must_use]
    pub fn rarer(&self) -> Option<usize> {
        let [first, second] = self.totals();
        (first > 0.0 && second > 0.0).then(|| usize::from(second <= first))
    }

    /// The probability that an example of class 1 scores higher than one of class 0, ties counting half.
    ///
    /// Pairs within a merged bin count half, so the area is wrong by at most half their share. With scores from a fixed
    /// distribution and classes of equal weight that is below 0.001, and the actual error, in which the doubts cancel, far
    /// smaller; a stream whose scores drift into a few old bins may miss by more.
    #[must_use]
    pub fn roc_area(&self) -> Option<f64> {
        let bins = self.settled();
        let (mut below, mut area) = (0.0, 0.0);
        for bin in &bins {
            area += below * bin.weights[1] + 0.5 * bin.pairs();
            below += bin.weights[0];
        }
        ratio(area, all_pairs(&bins))
    }

    /// The average precision of the rarer class: its precision among the examples that rank at least as high, averaged over
    /// its examples. It is the area under the curve of precision over recall, without interpolation; guessing gives the
    /// share of the class.
    #[must_use]
    pub fn average_precision(&self) -> Option<f64> {
        let rarer = self.rarer()?;
        let mut bins = self.descending();
        if rarer == 0 {
            bins.reverse();
        }
        let (mut found, mut taken, mut sum) = (0.0, 0.0, 0.0);
        for weights in bins {
            found += weights[rarer];
            taken += weights[0] + weights[1];
            sum += weights[rarer] * found / taken;
        }
        ratio(sum, found)
    }
}

/// A number made of a ranking.
#[derive(Debug, Clone)]
pub(super) struct RankingMetric {
    ranking: Ranking,
    value: fn(&Ranking) -> Option<f64>,
}

impl RankingMetric {
    pub(super) fn boxed(value: fn(&Ranking) -> Option<f64>) -> Box<dyn Metric> {
        Box::new(Self { ranking: Ranking::default(), value })
    }
}

impl Metric for RankingMetric {
    fn update(&mut self, outcome: &Outcome<'_>, weight: f64) {
        self.ranking.update(outcome, weight);
    }

    fn value(&self) -> Option<f64> {
        (self.value)(&self.ranking)
    }
}

/// The weight of all pairs of unlike class.
fn all_pairs(bins: &[ScoreBin]) -> f64 {
    let of = |class: usize| bins.iter().map(|bin| bin.weights[class]).sum::<f64>();
    of(0) * of(1)
}

/// Empties `pending` into bins that are in order, from the largest down. `order` is memory to work in.
fn sort_in(bins: &mut Vec<ScoreBin>, pending: &mut Vec<ScoreBin>, order: &mut Vec<u64>) {
    let places = sort(pending, order);
    let mut old = bins.len();
    bins.extend_from_slice(pending);
    while let Some(&largest) = order.last() {
        let largest = pending[(largest & places) as usize];
        let to = old + order.len() - 1;
        if old > 0 && bins[old - 1].order(&largest).is_gt() {
            old -= 1;
            bins[to] = bins[old];
        } else {
            order.pop();
            bins[to] = largest;
        }
    }
    pending.clear();
}

/// Puts the places of the outcomes into `order`; returns in which bits of each number there the place stands.
///
/// Sorting integers is several times as fast as sorting bins, so they have the front of the score before the place.
fn sort(pending: &[ScoreBin], order: &mut Vec<u64>) -> u64 {
    let places = pending.len().next_power_of_two() as u64 - 1;
    order.clear();
    let fronts = pending.iter().map(|bin| ascending(bin.low) & !places);
    order.extend(fronts.zip(0..).map(|(front, place)| front | place));
    order.sort_unstable();
    // Scores that differ in their last bits alone; as a rule there are none, and this is one look at all of them.
    let bin = |number: &u64| &pending[(number & places) as usize];
    order.sort_unstable_by(|one, other| bin(one).order(bin(other)));
    places
}

/// An integer with the place among integers that a score has by `total_cmp`.
fn ascending(score: f64) -> u64 {
    let bits = score.to_bits();
    bits ^ ((bits as i64 >> 63) as u64 >> 1 | 1 << 63)
}

/// Unites bins that overlap, and merges neighbours if there are too many.
fn unite(bins: &mut Vec<ScoreBin>) {
    merge_if(bins, |last, next| next.low <= last.high);
    if bins.len() > CAPACITY {
        // Of neighbours that stay apart, each pair is heavier than this, so at most half the bins stay.
        let heavy = 4.0 / CAPACITY as f64 * bins.iter().map(ScoreBin::total).sum::<f64>();
        merge_if(bins, |last, next| last.total() + next.total() <= heavy);
    }
}

/// Merges each bin into the one before it where `joins` says so.
fn merge_if(bins: &mut Vec<ScoreBin>, joins: impl Fn(&ScoreBin, &ScoreBin) -> bool) {
    bins.dedup_by(|next, last| {
        let join = joins(last, next);
        if join {
            last.absorb(next);
        }
        join
    });
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    impl Ranking {
        /// How far the value may be from the true area; 0 while it is exact.
        fn error_bound(&self) -> f64 {
            let bins = self.settled();
            let doubtful: f64 = bins.iter().filter(|bin| bin.low < bin.high).map(ScoreBin::pairs).sum();
            ratio(0.5 * doubtful, all_pairs(&bins)).unwrap_or(0.0)
        }
    }

    fn area(outcomes: &[(usize, f64)]) -> Ranking {
        let mut ranking = Ranking::default();
        outcomes.iter().for_each(|&(truth, score)| ranking.add(score, truth, 1.0));
        ranking
    }

    /// The average precision of a class, straight from the definition.
    fn precision_by_looking(outcomes: &[(usize, f64)], class: usize) -> Option<f64> {
        let score = |o: &(usize, f64)| if class == 1 { o.1 } else { -o.1 };
        let (mut sum, mut members) = (0.0, 0.0);
        for one in outcomes.iter().filter(|o| o.0 == class) {
            let above: Vec<_> = outcomes.iter().filter(|o| score(o) >= score(one)).collect();
            sum += above.iter().filter(|o| o.0 == class).count() as f64 / above.len() as f64;
            members += 1.0;
        }
        ratio(sum, members)
    }

    /// The share of pairs in the right order, straight from the definition.
    fn pairwise(outcomes: &[(usize, f64)]) -> Option<f64> {
        let scores = |class: usize| outcomes.iter().filter(move |o| o.0 == class).map(|o| o.1);
        let (mut area, mut pairs) = (0.0, 0.0);
        for negative in scores(0) {
            for positive in scores(1) {
                pairs += 1.0;
                area +=
                    if positive > negative { 1.0 } else { f64::from(u8::from(positive == negative)) * 0.5 };
            }
        }
        ratio(area, pairs)
    }

    /// Scores of a stream, class 1 a little higher, spread evenly but in no order.
    fn long_stream(length: u32) -> Vec<(usize, f64)> {
        let score = |i: u32| f64::from(i.wrapping_mul(2_654_435_769) >> 8) / f64::from(1 << 24);
        (0..length).map(|i| ((i % 2) as usize, score(i) + 0.2 * f64::from(i % 2))).collect()
    }

    proptest! {
        #[test]
        fn is_the_share_of_ordered_pairs(outcomes in prop::collection::vec((0..2_usize, -3..4_i32), 0..60)) {
            let outcomes: Vec<_> = outcomes.into_iter().map(|(k, s)| (k, f64::from(s))).collect();
            let found = area(&outcomes);
            prop_assert_eq!(found.error_bound(), 0.0);
            match (found.roc_area(), pairwise(&outcomes)) {
                (Some(a), Some(b)) => prop_assert!((a - b).abs() < 1e-12),
                (a, b) => prop_assert_eq!(a, b),
            }
            if let Some(class) = found.rarer() {
                let by_looking = precision_by_looking(&outcomes, class).unwrap_or(f64::NAN);
                prop_assert!((found.average_precision().unwrap_or(f64::NAN) - by_looking).abs() < 1e-12);
            }
        }
    }

    #[test]
    fn a_long_stream_stays_bounded_and_within_its_bound() {
        let outcomes = long_stream(40_000);
        let metric = area(&outcomes);
        assert!(metric.bins.len() <= CAPACITY && metric.pending.len() < CAPACITY);
        let (bound, value) = (metric.error_bound(), metric.roc_area().unwrap_or(f64::NAN));
        // For uniform scores, the second 0.2 higher: 1 − (1 − 0.2)²/2.
        let expected = 1.0 - 0.5 * 0.8 * 0.8;
        assert!(bound > 0.0 && bound < 1e-3, "{bound}");
        assert!((value - expected).abs() < bound + 1e-3, "{value} {expected}");
    }

    #[test]
    fn few_different_scores_stay_exact_for_ever() {
        let outcomes: Vec<_> =
            long_stream(20_000).into_iter().map(|(k, s)| (k, (s * 100.0).round())).collect();
        let metric = area(&outcomes);
        assert_eq!(metric.error_bound(), 0.0);
        assert!(metric.bins.len() < 200);
    }

    #[test]
    fn merged_bins_agree_with_the_exact_area_within_the_bound() {
        let outcomes = long_stream(12_000);
        let metric = area(&outcomes);
        let exact = pairwise(&outcomes).unwrap_or(f64::NAN);
        let miss = (metric.roc_area().unwrap_or(f64::NAN) - exact).abs();
        assert!(metric.error_bound() > 0.0 && miss <= metric.error_bound(), "{miss}");
    }

    #[test]
    fn outcomes_are_sorted_to_the_last_bit() {
        let around = |score: f64| (0..40u64).map(move |i| f64::from_bits(score.to_bits() + i * 17 % 40));
        let odd = [0.0, -0.0, f64::INFINITY, f64::NEG_INFINITY, -1e-310, 1e300];
        let scores = around(0.7).chain(around(-3.0)).chain(odd);
        let bin = |score| ScoreBin { low: score, high: score, weights: [1.0, 0.0] };
        let (mut pending, mut bins): (Vec<ScoreBin>, _) = (scores.map(bin).collect(), Vec::new());
        let mut expected = pending.clone();
        expected.sort_by(ScoreBin::order);
        sort_in(&mut bins, &mut pending, &mut Vec::new());
        let bits = |bins: &[ScoreBin]| bins.iter().map(|bin| bin.low.to_bits()).collect::<Vec<_>>();
        assert_eq!(bits(&bins), bits(&expected));
        assert!(pending.is_empty());
    }

    #[test]
    fn a_third_class_or_a_missing_one_has_no_value() {
        assert_eq!(area(&[(1, 0.5), (1, 0.7)]).roc_area(), None);
        assert_eq!(area(&[(1, 0.5), (0, 0.1), (2, 0.0)]).roc_area(), None);
        assert_eq!(area(&[(1, 0.5), (0, 0.1), (0, f64::NAN)]).roc_area(), Some(1.0));
        assert_eq!(area(&[(1, 0.5), (0, 0.1), (2, 0.0), (1, 0.3)]).average_precision(), None);
    }

    #[test]
    fn average_precision_is_of_the_rarer_class() {
        // By hand: the two of class 1 rank first and third of four, 0.5·(1/1 + 2/3); then class 0 is the rare one.
        let ranked = [(1, 4.0), (0, 3.0), (1, 2.0), (0, 1.0), (0, 0.0)];
        let mirrored = ranked.map(|(class, score)| (1 - class, -score));
        for outcomes in [ranked, mirrored] {
            let found = area(&outcomes).average_precision().unwrap_or(f64::NAN);
            assert!((found - 0.5 * (1.0 + 2.0 / 3.0)).abs() < 1e-15, "{found}");
        }
        assert_eq!((area(&ranked).rarer(), area(&mirrored).rarer()), (Some(1), Some(0)));
        // Of even classes class 1; a merged stream stays close to the exact number.
        assert_eq!(area(&[(0, 1.0), (1, 1.0)]).rarer(), Some(1));
        let long: Vec<_> = long_stream(12_000).into_iter().filter(|o| o.0 == 0 || o.1 < 0.5).collect();
        let (merged, exact) = (area(&long).average_precision(), precision_by_looking(&long, 1));
        assert!((merged.unwrap_or(f64::NAN) - exact.unwrap_or(f64::NAN)).abs() < 2e-3);
    }
}
