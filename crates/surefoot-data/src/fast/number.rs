//! Numbers from bytes: exactly the f64 that Rust's own parser gives, without a UTF-8 check.

/// Powers of ten that an f64 holds exactly.
pub(crate) const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The first of them as integers.
pub(crate) const EXACT_INTEGERS: [u64; WORD + 1] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Bytes that are processed together, in one integer.
pub(crate) const WORD: usize = 8;

/// The digit 0 in every byte of a word.
pub(crate) const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Most digits of which every number is below 2⁵³, so that it is an exact f64.
const EXACT_DIGITS: usize = 15;

/// The number at the front of `bytes` and its length; none if there is no number there.
///
/// A mantissa and a power of ten that are both exact need one correctly rounded division; everything else (long
/// mantissas, exponents, `inf`, `nan`) goes to the general parser.
#[inline]
pub fn number(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let (whole, mut at) = all_digits(bytes, start, 0);
    let (mut mantissa, mut digits, mut places) = (whole, at - start, 0);
    if bytes.get(at) == Some(&b'.') {
        let point = at;
        (mantissa, at) = fraction(bytes, point + 1, whole);
        places = at - point - 1;
        digits += places;
    }
    if digits == 0 || digits > EXACT_DIGITS || matches!(bytes.get(at), Some(b'e' | b'E')) {
        return general(bytes);
    }
    let magnitude = mantissa as i64 as f64 / EXACT_POWERS[places];
    Some((if negative { -magnitude } else { magnitude }, at))
}

/// The digits from `at` on, appended to the number `before`, and where they end. Wraps if there are too many.
#[inline]
pub(crate) fn all_digits(bytes: &[u8], mut at: usize, before: u64) -> (u64, usize) {
    let mut value = before;
    while let Some(&byte @ b'0'..=b'9') = bytes.get(at) {
        value = value.wrapping_mul(10).wrapping_add(u64::from(byte - b'0'));
        at += 1;
    }
    (value, at)
}

/// As [`all_digits`], up to eight at once: the number of digits behind a point is hard to predict for the processor, and here no branch
/// depends on it.
#[inline(always)]
fn fraction(bytes: &[u8], at: usize, before: u64) -> (u64, usize) {
    match leading_digits(bytes.get(at..).unwrap_or_default()) {
        Some((digits, count @ 0..WORD)) => {
            (before.wrapping_mul(EXACT_INTEGERS[count]).wrapping_add(digits), at + count)
        }
        _ => all_digits(bytes, at, before),
    }
}

/// The whole number of up to seven digits at the front of `bytes` and its length; longer ones, and those near the end
/// of a line, one digit at a time. None if there is no digit, or more than nineteen, which might overflow.
#[inline(always)]
pub(crate) fn leading_integer(bytes: &[u8]) -> Option<(u64, usize)> {
    match leading_digits(bytes) {
        Some(short @ (_, 1..WORD)) => Some(short),
        _ => Some(all_digits(bytes, 0, 0)).filter(|(_, count)| (1..20).contains(count)),
    }
}

/// The digits at the front of `bytes`, eight at most, and how many there are; none if fewer than eight bytes are left.
#[inline(always)]
fn leading_digits(bytes: &[u8]) -> Option<(u64, usize)> {
    let (digits, others) = classify(u64::from_le_bytes(*bytes.first_chunk()?));
    let count = others.trailing_zeros() as usize / WORD;
    // Shifts out what follows the digits; leading zeros come in.
    let padded = digits.checked_shl((64 - 8 * count) as u32).unwrap_or(0);
    Some((eight_digits(padded), count))
}

/// Eight bytes as digits, and the high bit of each byte that is none. Bits behind a byte above 127 may be wrong.
#[inline(always)]
pub(crate) fn classify(word: u64) -> (u64, u64) {
    let digits = word ^ ZEROS;
    (digits, (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080)
}

/// The value of eight digits, the first in the lowest byte: pairs, then fours, then all.
#[inline(always)]
pub(crate) fn eight_digits(digits: u64) -> u64 {
    const LOW_BYTES: u64 = 0x0000_00ff_0000_00ff;
    let pairs = digits.wrapping_mul(10).wrapping_add(digits >> 8);
    let first_and_third = (pairs & LOW_BYTES).wrapping_mul(100 + (1_000_000 << 32));
    let second_and_fourth = ((pairs >> 16) & LOW_BYTES).wrapping_mul(1 + (10_000 << 32));
    first_and_third.wrapping_add(second_and_fourth) >> 32
}

#[cold]
fn general(bytes: &[u8]) -> Option<(f64, usize)> {
    fast_float2::parse_partial(bytes).ok()
}

/// The number that is the whole of `bytes`; none if there is anything else.
pub fn whole_number(bytes: &[u8]) -> Option<f64> {
    number(bytes).filter(|&(_, length)| length == bytes.len()).map(|(value, _)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn agrees(text: &str) {
        let expected = text.parse::<f64>().ok().map(f64::to_bits);
        assert_eq!(whole_number(text.as_bytes()).map(f64::to_bits), expected, "{text}");
        // In the middle of a line, where eight bytes can be read at once.
        if let Some(bits) = expected {
            let line = format!("{text} 12:3.4 567:89");
            let found = number(line.as_bytes()).map(|(value, length)| (value.to_bits(), length));
            assert_eq!(found, Some((bits, text.len())), "{line}");
        }
    }

    #[test]
    fn hard_cases_agree_with_std() {
        let cases = [
            "0",
            "-0",
            "+1",
            "1.",
            ".5",
            "-.5",
            "+.5",
            ".",
            "-",
            "",
            "+",
            "e5",
            "1e",
            "1e+",
            "1e5",
            "1E-5",
            "1e400",
            "1e-400",
            "4.9e-324",
            "2.4703282292062327e-324",
            "2.4703282292062328e-324",
            "1.7976931348623157e308",
            "1.7976931348623159e308",
            "9007199254740993",
            "9007199254740992.5",
            "0.1",
            "123456789012345",
            "1234567890123456",
            "0.000000000000001",
            "0.0000000000000001",
            "00000000000000000001",
            "1_000",
            "0x10",
            "18446744073709551616",
            "99999999999999999999999999",
            "5e-324",
            "2.2250738585072011e-308",
            "1e22",
            "1e23",
        ];
        cases.iter().for_each(|text| agrees(text));
    }

    proptest! {
        #[test]
        fn shortest_form_of_any_bits(bits: u64) {
            let value = f64::from_bits(bits);
            prop_assume!(value.is_finite());
            agrees(&format!("{value}"));
            agrees(&format!("{value:e}"));
            agrees(&format!("{value:.17e}"));
        }

        #[test]
        fn denormals(bits in 0u64..(1 << 52)) {
            agrees(&format!("{:e}", f64::from_bits(bits)));
        }

        #[test]
        fn anything_that_looks_like_a_number(text in "[+-]?[0-9]{0,22}(\\.[0-9]{0,25})?([eE][+-]?[0-9]{1,4})?") {
            agrees(&text);
        }

        #[test]
        fn short_decimals(text in "-?[0-9]{1,4}\\.[0-9]{1,6}") {
            agrees(&text);
        }

        #[test]
        fn a_prefix_has_the_right_length(value: f64, tail in "[ ,:;|#a-d]{0,4}") {
            prop_assume!(value.is_finite());
            let text = format!("{value}");
            let got = number(format!("{text}{tail}").as_bytes());
            prop_assert_eq!(got.map(|(v, n)| (v.to_bits(), n)), Some((value.to_bits(), text.len())));
        }
    }
}
