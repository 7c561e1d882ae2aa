//! Means and spreads over runs.

/// What is said of numbers over runs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Summary {
    /// Their mean.
    pub mean: f64,
    /// Their standard deviation (n − 1); 0 for one number.
    pub sd: f64,
    /// The standard error of the mean.
    pub error: f64,
}

/// Summarises numbers.
///
/// ```
/// let found = surefoot_experiments::summary::of(&[1.0, 3.0]);
/// assert_eq!((found.mean, found.sd, found.error), (2.0, 2f64.sqrt(), 1.0));
/// ```
#[must_use]
pub fn of(numbers: &[f64]) -> Summary {
    let n = numbers.len().max(1) as f64;
    let mean = numbers.iter().sum::<f64>() / n;
    let squares: f64 = numbers.iter().map(|x| (x - mean) * (x - mean)).sum();
    let sd = (squares / (n - 1.0).max(1.0)).sqrt();
    Summary { mean, sd, error: sd / n.sqrt() }
}

/// Summaries of the columns of runs of equal length.
#[must_use]
pub fn columns(runs: &[Vec<f64>]) -> Vec<Summary> {
    let length = runs.first().map_or(0, Vec::len);
    (0..length).map(|at| of(&runs.iter().map(|run| run[at]).collect::<Vec<_>>())).collect()
}

/// The middle one of these numbers, or the mean of the two in the middle; none of none.
///
/// ```
/// assert_eq!(surefoot_experiments::summary::median(&[5.0, 1.0, 2.0]), Some(2.0));
/// ```
#[must_use]
pub fn median(numbers: &[f64]) -> Option<f64> {
    let mut sorted = numbers.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    let (below, above) = (sorted.len().checked_sub(1)? / 2, sorted.len() / 2);
    Some(f64::midpoint(sorted[below], sorted[above]))
}
