//! Numbers from bytes: exactly the f64 that Rust's own parser gives, without a UTF-8 check.

use wide::u8x16;

/// Powers of ten that an f64 holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The first of them as integers.
const EXACT_INTEGERS: [u64; WORD + 1] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Bytes that are looked at together.
const WORD: usize = 8;

/// As many zeros as a word has bytes.
const ZEROS: u64 = 0x3030_3030_3030_3030;

/// Bytes in which a pair with a decimal fraction is looked for; for others half of them are enough.
const PAIR: usize = 32;

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

/// As [`all_digits`], eight at once: how many digits stand behind a point nobody can predict, and here that costs no
/// branch.
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
    // What stands behind the digits is shifted out; zeros come in before them.
    let padded = digits.checked_shl((64 - 8 * count) as u32).unwrap_or(0);
    Some((eight_digits(padded), count))
}

/// The pair `digits:number` at the front of `bytes` and its length, if it looks like nearly all do: up to seven digits, then a
/// count or a decimal fraction, with a space behind it.
#[inline(always)]
pub(crate) fn short_pair(bytes: &[u8]) -> Option<(u64, f64, usize)> {
    let near = bytes.first_chunk::<{ PAIR / 2 }>()?;
    let word = u64::from_le_bytes(*near.first_chunk()?);
    let (digits, others) = classify(word);
    let bits = others.trailing_zeros() & !7;
    // Eight digits shift by nothing, to the first of them, which is no colon either.
    if bits == 0 || word.wrapping_shr(bits) as u8 != b':' {
        return None;
    }
    let start = bits as usize / 8 + 1;
    let (value, end) = match brief(*near.get(start..)?.first_chunk()?) {
        Some((count, length)) => (count, start + length),
        None => decimal(bytes.first_chunk()?, start)?,
    };
    Some((eight_digits(digits.wrapping_shl(64 - bits)), value, end))
}

/// The number at the front of `bytes` if it is a digit, perhaps with a point and a zero, with a space behind: what counts of
/// words look like. One comparison each, of which the processor guesses the outcome while it reads on.
#[inline(always)]
fn brief(bytes: [u8; 4]) -> Option<(f64, usize)> {
    let word = u32::from_le_bytes(bytes);
    // What is left of the bytes of "0.0 " is the digit.
    let digit = word ^ u32::from_le_bytes(*b"0.0 ");
    if digit <= 9 {
        return Some((f64::from(digit), 3));
    }
    let digit = (word & 0xffff) ^ u32::from(u16::from_le_bytes(*b"0 "));
    (digit <= 9).then(|| (f64::from(digit), 1))
}

/// The number at `start`, if it is one digit, a point and up to fourteen digits, with a space behind them, and where that
/// stands.
///
/// All spaces are found by one look at all bytes: the processor goes on behind the first of them while it still reckons
/// what the digits mean.
#[inline(always)]
fn decimal(bytes: &[u8; PAIR], start: usize) -> Option<(f64, usize)> {
    let spaces = |half: &[u8]| {
        half.first_chunk().map(|&half| u8x16::new(half).simd_eq(u8x16::splat(b' ')).to_bitmask())
    };
    let (front, back) = bytes.split_at(PAIR / 2);
    let end = (spaces(front)? | spaces(back)? << (PAIR / 2)).trailing_zeros() as usize;
    let negative = *bytes.get(start)? == b'-';
    let start = start + usize::from(negative);
    let &[whole, point, ref rest @ ..] = bytes.get(start..)?.first_chunk::<18>()?;
    let (whole, places) = (u64::from(whole ^ b'0'), end.wrapping_sub(start + 2));
    if whole > 9 || point != b'.' || places.wrapping_sub(1) >= 2 * WORD - 2 {
        return None;
    }
    let [first, last] = [0, WORD].map(|at| rest[at..].first_chunk().map(|&part| u64::from_le_bytes(part)));
    let mantissa = if places <= WORD {
        whole * EXACT_INTEGERS[places] + some_digits(first?, places)?
    } else {
        let more = places - WORD;
        let front = whole * EXACT_INTEGERS[WORD] + some_digits(first?, WORD)?;
        front * EXACT_INTEGERS[more] + some_digits(last?, more)?
    };
    let magnitude = mantissa as i64 as f64 / EXACT_POWERS[places];
    Some((if negative { -magnitude } else { magnitude }, end))
}

/// The number that the first bytes make, one of them at least; none if one is no digit.
#[inline(always)]
fn some_digits(word: u64, count: usize) -> Option<u64> {
    // What stands behind them is shifted out; zeros come in before them.
    let (digits, others) = classify((word ^ ZEROS) << (64 - 8 * count) ^ ZEROS);
    (others == 0).then(|| eight_digits(digits))
}

/// Eight bytes as digits, and the high bit of each byte that is none. Bits behind a byte above 127 may be wrong.
#[inline(always)]
fn classify(word: u64) -> (u64, u64) {
    let digits = word ^ ZEROS;
    (digits, (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080)
}

/// The value of eight digits, the first in the lowest byte: pairs, then fours, then all.
#[inline]
fn eight_digits(digits: u64) -> u64 {
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
        // In the middle of a line, where eight bytes can be looked at together.
        if let Some(bits) = expected {
            let line = format!("{text} 12:3.4 567:89");
            let found = number(line.as_bytes()).map(|(value, length)| (value.to_bits(), length));
            assert_eq!(found, Some((bits, text.len())), "{line}");
        }
    }

    /// Whether a pair looks as nearly all do.
    fn is_short(pair: &str) -> bool {
        let Some((id, number)) = pair.split_once(':') else { return false };
        let digits = |text: &str, most: usize| {
            (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let decimal = number.trim_start_matches('-').split_once('.');
        let count = digits(number, 1);
        digits(id, 7)
            && (count || decimal.is_some_and(|(whole, places)| digits(whole, 1) && digits(places, 14)))
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
        fn a_short_pair_is_what_the_general_way_reads(
            text in "[0-9]{0,9}[: ]-?[0-9]{0,2}[.]?[0-9]{0,17}[ 0:x\u{80}]",
            tail in "[0-9:. ]{32}",
        ) {
            let line = text.clone() + &tail;
            if let Some((id, value, length)) = short_pair(line.as_bytes()) {
                let (digits, number) = line[..length].split_once(':').unwrap();
                let expected = number.parse::<f64>().map(f64::to_bits);
                prop_assert_eq!((Ok(id), Ok(value.to_bits())), (digits.parse(), expected), "{}", line);
                prop_assert_eq!(line.as_bytes()[length], b' ');
            } else {
                prop_assert!(!text.strip_suffix(' ').is_some_and(is_short), "{}", line);
            }
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
