//! Numbers and SPECs as people read them.

/// A whole number with its thousands apart.
///
/// ```
/// assert_eq!(surefoot::words::thousands(1_234_567), "1,234,567");
/// ```
#[must_use]
pub fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A probability as per cent. None that is short of 1 reads as 100 %, and none above 0 as 0 %.
///
/// ```
/// use surefoot::words::probability;
/// assert_eq!([0.25, 0.9961, 0.99999, 0.003].map(probability), ["25 %", "99.6 %", "> 99.9 %", "0.3 %"]);
/// ```
#[must_use]
pub fn probability(probability: f64) -> String {
    let percent = 100.0 * probability;
    match percent {
        99.95.. => "> 99.9 %".into(),
        ..0.05 => "< 0.1 %".into(),
        99.5.. | ..0.5 => format!("{percent:.1} %"),
        _ => format!("{percent:.0} %"),
    }
}

/// SPECs side by side without the parameters that all of them have in common.
///
/// ```
/// let specs = ["arow:a=1,r=2", "arow:a=1,r=3", "pa:a=1"];
/// assert_eq!(surefoot::words::short_specs(specs.into_iter()), ["arow:r=2", "arow:r=3", "pa"]);
/// ```
#[must_use]
pub fn short_specs<'a>(specs: impl Iterator<Item = &'a str> + Clone) -> Vec<String> {
    let common: Vec<&str> = match specs.clone().count() {
        0 | 1 => Vec::new(),
        _ => {
            let in_all = |pair: &&str| specs.clone().all(|spec| pairs(spec).any(|other| other == *pair));
            specs.clone().take(1).flat_map(pairs).filter(in_all).collect()
        }
    };
    let short = |spec: &str| {
        let head = spec.split(':').next().unwrap_or_default();
        let own: Vec<&str> = pairs(spec).filter(|pair| !common.contains(pair)).collect();
        if own.is_empty() { head.to_string() } else { format!("{head}:{}", own.join(",")) }
    };
    specs.clone().map(short).collect()
}

/// SPECs of several rules without the parameters that all of the same rule and store have in common.
///
/// ```
/// let specs = ["arow:a=1,r=2", "auto", "arow:a=1,r=3", "pa:a=1", "pa:a=1"];
/// assert_eq!(surefoot::words::short_specs_by_kind(&specs), ["arow:r=2", "auto", "arow:r=3", "pa", "pa"]);
/// ```
#[must_use]
pub fn short_specs_by_kind(specs: &[&str]) -> Vec<String> {
    fn kind(spec: &str) -> &str {
        spec.split(':').next().unwrap_or_default()
    }
    let short = |spec: &&str| {
        let alike: Vec<&str> = specs.iter().copied().filter(|other| kind(other) == kind(spec)).collect();
        let place = alike.iter().position(|other| other == spec).unwrap_or(0);
        short_specs(alike.iter().copied()).swap_remove(place)
    };
    specs.iter().map(short).collect()
}

/// The `param=value` pairs of a SPEC.
pub(crate) fn pairs(spec: &str) -> impl Iterator<Item = &str> {
    spec.split_once(':').map_or("", |(_, pairs)| pairs).split(',').filter(|pair| !pair.is_empty())
}
