//! The exact probability that each label has the largest score.

use super::ln_phi::{LnPhi, REACH};
use crate::normal;

/// A stretch of the line with less probability than this is skipped.
const NEGLIGIBLE: f64 = 1e-16;
/// Widest panel, in standard deviations of the narrowest Gaussian that still varies there.
const PANEL: f64 = 2.25;
/// Beyond this a Gaussian is so close to its limit, on either side, that one panel does for the rest of it.
const TAIL: f64 = 3.0;
/// A panel whose parts miss their known total by more than this is halved…
const TOLERANCE: f64 = 1e-12;
/// … but so often at most, for rounding alone may miss it when thousands of labels compete.
const HALVINGS: i32 = 3;

/// Computes label distributions: the probability of each label to have the largest of independent Gaussian
/// scores N(mean, variance), which the papers call its vote.
///
/// With F(s) = Π Φ((s − mean)/sd), the probability that all scores are below s, label z wins with probability
///
/// ∫ F(s) · d/ds ln Φ((s − mean_z)/sd_z) ds.
///
/// One grid serves all labels, so K labels cost K evaluations of ln Φ a node, each from a table. The parts of
/// a panel from a to b sum to F(b) − F(a), which says at no cost whether the panel was narrow enough, and which
/// stretches to skip: what lies below s is F(s), what lies above is 1 − F(s).
///
/// Scores without variance are exact: the best of them (the smaller label of a tie) is a step in F. The
/// absolute error is below 1e-12 whatever the ratio of the standard deviations. Labels that win with a
/// probability below 1e-16 may get 0; two labels alone have a closed form and keep their digits.
///
/// The voter owns the buffers: a call allocates nothing once they have grown to the number of labels.
///
/// ```
/// use surefoot_core::probability::Voter;
///
/// let mut voter = Voter::new();
/// let mut votes = [0.0; 3];
/// voter.distribution(&[2.0, 1.0, -3.0], &[0.5, 0.5, 0.1], &mut votes);
/// assert!((votes[0] - 0.841_345).abs() < 1e-6); // Φ(1): the third label never wins
/// assert!((votes.iter().sum::<f64>() - 1.0).abs() < 1e-12);
/// ```
#[derive(Debug, Clone)]
pub struct Voter {
    ln_phi: LnPhi,
    /// The labels that may win, the one that reaches highest first.
    candidates: Vec<Candidate>,
    /// pdf/Φ of each candidate at the nodes of the current panel.
    slopes: Vec<[f64; NODES]>,
}

/// A label whose score varies; positions are measured from the start of the integration.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    label: usize,
    mean: f64,
    sd: f64,
    vote: f64,
    /// What the current panel adds to the vote.
    part: f64,
}

impl Candidate {
    fn standardise(&self, s: f64) -> f64 {
        (s - self.mean) / self.sd
    }

    /// Above, the score is certain to be lower.
    fn end(&self) -> f64 {
        self.mean + REACH * self.sd
    }

    /// How far a panel that starts at `s` may stretch.
    fn resolution(&self, s: f64) -> f64 {
        let t = self.standardise(s);
        let tail = if t > TAIL { REACH - t } else { -TAIL - t };
        tail.max(PANEL) * self.sd
    }
}

/// A point of the line with the logarithm of F there.
#[derive(Clone, Copy)]
struct Edge {
    s: f64,
    ln_f: f64,
}

impl Edge {
    fn mass_below(&self) -> f64 {
        libm::exp(self.ln_f)
    }

    fn mass_above(&self) -> f64 {
        -libm::expm1(self.ln_f)
    }
}

impl Default for Voter {
    fn default() -> Self {
        Self::new()
    }
}

impl Voter {
    /// A voter with its table of ln Φ; keep it for many calls.
    pub fn new() -> Self {
        Voter { ln_phi: LnPhi::new(), candidates: Vec::new(), slopes: Vec::new() }
    }

    /// Writes the vote of each label; the votes sum to 1 within rounding.
    ///
    /// A variance at or below 0 counts as 0. With a mean or a variance that is not finite nothing is known, and all votes are
    /// equal.
    ///
    /// # Panics
    ///
    /// If the three slices differ in length.
    pub fn distribution(&mut self, means: &[f64], variances: &[f64], votes: &mut [f64]) {
        assert_eq!(means.len(), votes.len(), "one vote a mean");
        if !all_finite(means, variances) {
            votes.fill(1.0 / votes.len() as f64);
            return;
        }
        if let ([m0, m1], [v0, v1]) = (means, variances) {
            votes.copy_from_slice(&duel(m0 - m1, v0.max(0.0) + v1.max(0.0)));
            return;
        }
        votes.fill(0.0);
        self.elect(means, variances);
        for candidate in &self.candidates {
            votes[candidate.label] = candidate.vote;
        }
    }

    /// Leaves every label with a vote among the candidates.
    fn elect(&mut self, means: &[f64], variances: &[f64]) {
        self.candidates.clear();
        let Some((reference, champion)) = leaders(means, variances) else { return };
        let start = self.gather(means, variances, reference);
        // A certain score below the start surely loses to another one.
        let champion = champion.filter(|&label| means[label] - reference >= start);
        match (champion, self.candidates.as_mut_slice()) {
            (None, [only]) => only.vote = 1.0,
            (None, [a, b]) => [a.vote, b.vote] = duel(a.mean - b.mean, a.sd * a.sd + b.sd * b.sd),
            _ => self.integrate(champion),
        }
    }

    /// Collects the labels that vary and may win, and returns where the integration starts: the level that
    /// some label surely reaches, relative to `reference`. Measuring from there keeps the digits of narrow
    /// Gaussians that lie close together far from zero.
    fn gather(&mut self, means: &[f64], variances: &[f64], reference: f64) -> f64 {
        let mut start = f64::NEG_INFINITY;
        for (label, (mean, variance)) in means.iter().zip(variances).enumerate() {
            let (mean, sd) = (mean - reference, variance.max(0.0).sqrt());
            if mean + REACH * sd < start {
                continue;
            }
            start = start.max(mean - REACH * sd);
            if sd > 0.0 {
                self.candidates.push(Candidate { label, mean, sd, vote: 0.0, part: 0.0 });
            }
        }
        self.candidates.retain(|c| c.end() >= start);
        self.candidates.iter_mut().for_each(|c| c.mean -= start);
        start
    }

    /// The votes of all candidates, and of the champion, whose certain score is where the integration starts.
    fn integrate(&mut self, champion: Option<usize>) {
        self.candidates.sort_unstable_by(|a, b| b.end().total_cmp(&a.end()).then(a.label.cmp(&b.label)));
        self.slopes.resize(self.candidates.len(), [0.0; NODES]);
        let mut left = self.edge(0.0, self.candidates.len());
        let champion = champion.map(|label| (label, left.mass_below()));
        let mut active = self.active(0.0, self.candidates.len());
        while active > 0 && left.mass_above() > NEGLIGIBLE {
            left = self.advance(left, active);
            active = self.active(left.s, active);
        }
        if let Some((label, vote)) = champion {
            self.candidates.push(Candidate { label, mean: 0.0, sd: 0.0, vote, part: 0.0 });
        }
        let total: f64 = self.candidates.iter().map(|c| c.vote).sum();
        self.candidates.iter_mut().for_each(|c| c.vote /= total);
    }

    /// How many candidates, of the first `before`, still vary above `s`.
    fn active(&self, s: f64, before: usize) -> usize {
        let done = |c: &Candidate| c.end() < s;
        before - self.candidates[..before].iter().rev().take_while(|c| done(c)).count()
    }

    fn edge(&self, s: f64, active: usize) -> Edge {
        let ln_f = self.candidates[..active].iter().map(|c| self.ln_phi.value(c.standardise(s))).sum();
        Edge { s, ln_f }
    }

    /// Adds the next panel to the votes and returns its right edge.
    fn advance(&mut self, left: Edge, active: usize) -> Edge {
        let resolutions = self.candidates[..active].iter().map(|c| c.resolution(left.s));
        let mut width = resolutions.fold(f64::INFINITY, f64::min);
        let mut right = self.edge(left.s + width, active);
        if right.mass_below() < NEGLIGIBLE {
            return right;
        }
        let narrowest = width * 0.5_f64.powi(HALVINGS);
        while self.panel(left, right, active).abs() > TOLERANCE && width > narrowest {
            width *= 0.5;
            right = self.edge(left.s + width, active);
        }
        self.candidates[..active].iter_mut().for_each(|c| c.vote += c.part);
        right
    }

    /// Integrates between two edges into the candidates' parts; returns by how much they miss their total.
    fn panel(&mut self, left: Edge, right: Edge, active: usize) -> f64 {
        let (middle, half) = (0.5 * (left.s + right.s), 0.5 * (right.s - left.s));
        let mut ln_f = [0.0; NODES];
        for (candidate, slopes) in self.candidates[..active].iter().zip(&mut self.slopes) {
            let (t, scale) = (candidate.standardise(middle), half / candidate.sd);
            for ((slope, sum), (node, _)) in slopes.iter_mut().zip(&mut ln_f).zip(&RULE) {
                let value;
                (value, *slope) = self.ln_phi.value_and_slope(t + scale * node);
                *sum += value;
            }
        }
        let mut weights = [0.0; NODES];
        for ((weight, ln_f), (_, w)) in weights.iter_mut().zip(ln_f).zip(&RULE) {
            *weight = w * libm::exp(ln_f);
        }
        let mut total = 0.0;
        for (candidate, slopes) in self.candidates[..active].iter_mut().zip(&self.slopes) {
            let sum: f64 = weights.iter().zip(slopes).map(|(w, slope)| w * slope).sum();
            candidate.part = half / candidate.sd * sum;
            total += candidate.part;
        }
        total - (right.mass_below() - left.mass_below())
    }
}

/// The votes of two labels alone, from the mean and variance of the difference of their scores.
fn duel(mean: f64, variance: f64) -> [f64; 2] {
    if variance > 0.0 {
        let t = mean / variance.sqrt();
        [normal::cdf(t), normal::upper_tail(t)]
    } else if mean >= 0.0 {
        [1.0, 0.0]
    } else {
        [0.0, 1.0]
    }
}

/// The mean of the label that surely reaches highest, and the best label of those without variance.
fn leaders(means: &[f64], variances: &[f64]) -> Option<(f64, Option<usize>)> {
    let mut champion: Option<usize> = None;
    let (mut reference, mut highest) = (*means.first()?, f64::NEG_INFINITY);
    for (label, (&mean, variance)) in means.iter().zip(variances).enumerate() {
        let sd = variance.max(0.0).sqrt();
        if mean - REACH * sd > highest {
            (reference, highest) = (mean, mean - REACH * sd);
        }
        if sd == 0.0 && champion.is_none_or(|best| mean > means[best]) {
            champion = Some(label);
        }
    }
    Some((reference, champion))
}

fn all_finite(means: &[f64], variances: &[f64]) -> bool {
    assert_eq!(means.len(), variances.len(), "one variance a mean");
    means.iter().chain(variances).all(|x| x.is_finite())
}

/// Nodes of the Gauss–Legendre rule, which is exact for polynomials up to degree 31.
const NODES: usize = 16;

/// The rule: (node, weight) on [−1, 1], in ascending order.
const RULE: [(f64, f64); NODES] = [
    (-0.9894009349916499, 0.027152459411754096),
    (-0.9445750230732326, 0.062253523938647894),
    (-0.8656312023878318, 0.09515851168249279),
    (-0.755404408355003, 0.12462897125553388),
    (-0.6178762444026438, 0.14959598881657674),
    (-0.45801677765722737, 0.16915651939500254),
    (-0.2816035507792589, 0.18260341504492358),
    (-0.09501250983763744, 0.1894506104550685),
    (0.09501250983763744, 0.1894506104550685),
    (0.2816035507792589, 0.18260341504492358),
    (0.45801677765722737, 0.16915651939500254),
    (0.6178762444026438, 0.14959598881657674),
    (0.755404408355003, 0.12462897125553388),
    (0.8656312023878318, 0.09515851168249279),
    (0.9445750230732326, 0.062253523938647894),
    (0.9894009349916499, 0.027152459411754096),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integrates_polynomials_up_to_degree_31() {
        for degree in 0..32 {
            let found: f64 = RULE.iter().map(|(x, w)| w * x.powi(degree)).sum();
            let expected = if degree % 2 == 0 { 2.0 / f64::from(degree + 1) } else { 0.0 };
            assert!((found - expected).abs() < 1e-15, "degree {degree}: {found} instead of {expected}");
        }
    }
}
