//! Numbers from bytes: exactly the f64 that Rust's own parser gives, without a UTF-8 check.

/// Powers of ten that an f64 holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// Most digits of which every number is below 2⁵³, so that it is an exact f64.
const EXACT_DIGITS: usize = 15;

/// The number at the front of `bytes` and its length; none if there is no number there.
///
/// A mantissa and a power of ten that are both exact need one correctly rounded division; everything else (long
/// mantissas, exponents, `inf`, `nan`) goes to the general parser.
#[inline]
pub fn number(bytes: &[u8]) -> Option<(f64, usize)> {
    let negative = bytes.first() == Some(&b'-');
    let start = negative as usize;
    let mut mantissa = 0u64;
    let mut at = start;
    while let Some(digit) = digit(bytes, at) {
        mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
        at += 1;
    }
    let whole = at - start;
    let mut places = 0;
    if bytes.get(at) == Some(&b'.') {
        at += 1;
        while let Some(digit) = digit(bytes, at) {
            mantissa = mantissa.wrapping_mul(10).wrapping_add(digit);
            at += 1;
            places += 1;
        }
    }
    let digits = whole + places;
    if digits == 0 || digits > EXACT_DIGITS || matches!(bytes.get(at), Some(b'e' | b'E')) {
        return general(bytes);
    }
    let magnitude = if places == 0 { mantissa as f64 } else { mantissa as f64 / EXACT_POWERS[places] };
    Some((if negative { -magnitude } else { magnitude }, at))
}

/// The value of the digit at `at`, if one is there.
#[inline]
pub(crate) fn digit(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
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
