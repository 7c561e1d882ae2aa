//! The root of an increasing function of one non-negative number.

/// A point and the function's value there.
type Sample = (f64, f64);

/// The root of an increasing function on [0, ∞), from a guess and a first stride; 0 if the function starts above 0.
///
/// A bracket by growing strides, then regula falsi (Illinois) with bisection where it stalls. The function is last
/// called at the root that is returned, so that what it computes on the side belongs to it.
pub(super) fn increasing_root(guess: f64, stride: f64, mut f: impl FnMut(f64) -> f64) -> f64 {
    let guess = guess.max(0.0);
    let start = (guess, f(guess));
    let stride = if guess > 0.0 { 1e-3 * guess } else { stride };
    let bracket =
        if start.1 > 0.0 { search_down(start, stride, &mut f) } else { search_up(start, stride, &mut f) };
    let root = match bracket {
        (low, high) if low.1 < 0.0 && high.1 > 0.0 => refine(low, high, &mut f),
        (low, _) => low.0,
    };
    f(root);
    root
}

/// Two points around the root, or one point twice if it is the answer (a root, or 0).
fn search_down(start: Sample, mut stride: f64, f: &mut impl FnMut(f64) -> f64) -> (Sample, Sample) {
    let (mut low, mut high) = (start, start);
    while low.1 > 0.0 && low.0 > 0.0 {
        high = low;
        low.0 = (low.0 - stride).max(0.0);
        low.1 = f(low.0);
        stride *= 8.0;
    }
    if low.1 < 0.0 { (low, high) } else { (low, low) }
}

fn search_up(start: Sample, mut stride: f64, f: &mut impl FnMut(f64) -> f64) -> (Sample, Sample) {
    let (mut low, mut high) = (start, start);
    while high.1 < 0.0 && high.0.is_finite() {
        low = high;
        high.0 += stride;
        high.1 = f(high.0);
        stride *= 8.0;
    }
    if high.1 > 0.0 { (low, high) } else { (high, high) }
}

fn refine(mut low: Sample, mut high: Sample, f: &mut impl FnMut(f64) -> f64) -> f64 {
    let mut last = 0.0;
    for round in 0..200 {
        if high.0 - low.0 <= 2.0 * f64::EPSILON * high.0 {
            break;
        }
        let falsi = (low.0 * high.1 - high.0 * low.1) / (high.1 - low.1);
        let inside = low.0 < falsi && falsi < high.0;
        // A bisection now and then bounds the number of rounds where the function is a step.
        let at = if inside && round % 4 != 3 { falsi } else { f64::midpoint(low.0, high.0) };
        let value = f(at);
        if value == 0.0 {
            return at;
        }
        // Illinois: an end that stays twice loses half its weight.
        let (moved, kept) = if value < 0.0 { (&mut low, &mut high) } else { (&mut high, &mut low) };
        *moved = (at, value);
        if last == value.signum() {
            kept.1 *= 0.5;
        }
        last = value.signum();
    }
    // Illinois changes the stored values of the ends, not their order: the root is between them.
    f64::midpoint(low.0, high.0)
}

#[cfg(test)]
mod tests {
    use super::increasing_root;

    #[test]
    fn finds_roots_from_any_guess() {
        for guess in [0.0, 1e-6, 0.3, 2.0, 1e6] {
            let root = increasing_root(guess, 1.0, |x| x * x * x - 0.5);
            assert!((root - 0.5f64.cbrt()).abs() < 1e-15, "{guess}: {root}");
        }
        assert_eq!(increasing_root(3.0, 1.0, |x| x + 1.0), 0.0);
    }
}
