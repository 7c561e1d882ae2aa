//! How sure a model is of its weights, in one picture.

use std::io::Write;

use surefoot::Model;

use crate::failure::Result;
use crate::output::thousands;

/// Widest bar.
const WIDTH: usize = 40;
/// Bins: each holds the variances from a half of the one above to it, relative to the prior.
const BINS: usize = 12;

/// Prints how many weights have which share of the prior variance left.
pub fn print(model: &Model, out: &mut dyn Write) -> Result<()> {
    let mut prior = 1.0;
    let mut bins = [0u64; BINS];
    let mut evidence = Vec::new();
    for named in model.weights() {
        prior = named.weight.prior;
        let halvings = -(named.weight.variance / prior).log2();
        bins[(halvings.max(0.0) as usize).min(BINS - 1)] += 1;
        evidence.push(named.evidence);
    }
    let most = bins.iter().copied().max().unwrap_or(0);
    if most == 0 || bins[0] as usize == evidence.len() {
        return Ok(());
    }
    evidence.sort_unstable_by(f64::total_cmp);
    writeln!(out, "\nvariance left of the prior {prior}, and how many weights have it")?;
    let last = bins.iter().rposition(|&count| count > 0).unwrap_or(0);
    for (at, &count) in bins.iter().enumerate().take(last + 1) {
        let bar = "█".repeat((count as usize * WIDTH).div_ceil(most as usize));
        let low = if at == BINS - 1 { 0.0 } else { 0.5f64.powi(at as i32 + 1) };
        writeln!(out, "  {:>7.4} to {:<7.4} {bar} {}", low, 0.5f64.powi(at as i32), thousands(count))?;
    }
    let at = |share: f64| evidence[((evidence.len() - 1) as f64 * share) as usize];
    writeln!(
        out,
        "effective sample size of a weight (the prior counts as 1): median {:.1}, nine tenths below {:.1}, largest {:.1}",
        at(0.5),
        at(0.9),
        at(1.0)
    )?;
    Ok(())
}
