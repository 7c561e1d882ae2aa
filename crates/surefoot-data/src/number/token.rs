//! Numbers whose ends are known, which is most of the work of reading one.
//!
//! The bytes of a word are looked at together, as one or two machine words that end where the number ends. What stands
//! before the number is masked out, so that neither the length of a number nor its point costs a branch. Unusual
//! numbers go to the general parser.

use super::{EXACT_POWERS, all_digits, classify, eight_digits, whole_number};

/// Bytes of a machine word.
const WORD: usize = 8;

/// What the byte of a decimal point becomes in [`classify`].
const POINT: u64 = (b'.' ^ b'0') as u64;

/// The whole number `line[start..end]`; none if it is not one of up to nineteen digits.
#[inline(always)]
pub(crate) fn integer(line: &[u8], start: usize, end: usize) -> Option<u64> {
    let length = end.wrapping_sub(start);
    let (digits, others) = classify(word_before(line, end)?);
    match last_bytes(length) {
        Some(mask) if others & mask == 0 => Some(eight_digits(digits & mask)),
        _ => long_integer(line, start, end),
    }
}

/// The finite decimal number `line[start..end]`; none if it is not one.
#[inline(always)]
pub(crate) fn decimal(line: &[u8], start: usize, end: usize) -> Option<f64> {
    let negative = *line.get(start)? == b'-';
    let unsigned = start + usize::from(negative);
    let length = end.wrapping_sub(unsigned);
    let magnitude = match last_bytes(length) {
        Some(mask) => short(word_before(line, end)?, mask),
        None => long(line, unsigned, end),
    };
    match magnitude {
        Some(magnitude) => Some(if negative { -magnitude } else { magnitude }),
        None => unusual(line, start, end),
    }
}

#[cold]
fn long_integer(line: &[u8], start: usize, end: usize) -> Option<u64> {
    // Nineteen digits cannot overflow.
    let (value, stop) = all_digits(line, start, 0);
    (stop == end && (1..20).contains(&(end - start))).then_some(value)
}

#[cold]
fn unusual(line: &[u8], start: usize, end: usize) -> Option<f64> {
    line.get(start..end).and_then(whole_number).filter(|value| value.is_finite())
}

/// A number in the bytes of `word` that `mask` lets through.
#[inline(always)]
fn short(word: u64, mask: u64) -> Option<f64> {
    let (digits, others) = classify(word);
    let (digits, point) = (digits & mask, (others & mask) >> 7);
    // At most one byte that is no digit, which is a point, and a digit beside it.
    let byte = (point << 8).wrapping_sub(point);
    if digits & byte != POINT * point || point & point.wrapping_sub(1) != 0 || mask == byte {
        return None;
    }
    // The digits before the point move over it. Without a point all digits are `before` it and stay.
    let before = point.wrapping_sub(1);
    let joined = ((digits & before) << (8 * u32::from(point != 0))) | (digits & !before & !byte);
    let places = (point.leading_zeros() as usize / WORD) % WORD;
    Some(eight_digits(joined) as i64 as f64 / EXACT_POWERS[places])
}

/// As [`short`], for nine to sixteen bytes.
#[inline(never)]
fn long(line: &[u8], start: usize, end: usize) -> Option<f64> {
    let front = last_bytes(end.wrapping_sub(start).wrapping_sub(WORD))?;
    let (first, first_others) = classify(word_before(line, end.wrapping_sub(WORD))?);
    let (last, last_others) = classify(word_before(line, end)?);
    let join = |first: u64, last: u64| u128::from(first) | u128::from(last) << 64;
    let (digits, point) = (join(first & front, last), join(first_others & front, last_others) >> 7);
    let byte = (point << 8).wrapping_sub(point);
    if digits & byte != u128::from(POINT) * point || point == 0 || point & (point - 1) != 0 {
        return None;
    }
    let before = point - 1;
    let joined = ((digits & before) << 8) | (digits & !before & !byte);
    let mantissa = eight_digits(joined as u64) * 100_000_000 + eight_digits((joined >> 64) as u64);
    let places = point.leading_zeros() as usize / WORD;
    Some(mantissa as i64 as f64 / EXACT_POWERS[places])
}

/// The eight bytes before `end`, with zeros before the beginning of the line; none past the end of the line.
#[inline(always)]
fn word_before(line: &[u8], end: usize) -> Option<u64> {
    let before = line.get(..end)?;
    Some(before.last_chunk().map_or_else(|| first_word(before), |word| u64::from_le_bytes(*word)))
}

#[cold]
fn first_word(before: &[u8]) -> u64 {
    before.iter().rev().zip(1..).fold(0, |word, (&byte, place)| word | u64::from(byte) << (64 - 8 * place))
}

/// A mask of the last `length` bytes of a word; none if there are none or too many.
#[inline(always)]
fn last_bytes(length: usize) -> Option<u64> {
    let others = WORD.wrapping_sub(length);
    (others < WORD).then(|| u64::MAX << (8 * others))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const BEFORE: &str = "1 77:0.25 8:-1 ";

    /// Reads `text` in the middle of a line.
    fn read<T>(text: &str, behind: &str, parse: fn(&[u8], usize, usize) -> Option<T>) -> Option<T> {
        let line = format!("{BEFORE}{text}{behind}");
        parse(line.as_bytes(), BEFORE.len(), BEFORE.len() + text.len())
    }

    #[test]
    fn good_numbers_are_read() {
        let short = "0 1 1.0 -1 0.5 .5 5. -2.25 12345678 0.123456 1234.567 -0 00.1 +1 1e5 1e-05";
        let long = "0.0721688 -0.72168783648703 123456789.5 123456789 0.72168783648703123 1234567890123456";
        for text in short.split(' ').chain(long.split(' ')) {
            let expected = text.parse().ok().map(f64::to_bits);
            assert_eq!(read(text, " 9:1", decimal).map(f64::to_bits), expected, "{text}");
            assert_eq!(decimal(text.as_bytes(), 0, text.len()).map(f64::to_bits), expected, "{text}");
        }
        for text in ["0", "7", "1000000", "12345678", "007", "123456789", "1234567890123456789"] {
            assert_eq!(read(text, ":1", integer), text.parse().ok(), "{text}");
            assert_eq!(integer(text.as_bytes(), 0, text.len()), text.parse().ok(), "{text}");
        }
    }

    #[test]
    fn everything_else_is_declined() {
        let texts = [
            "", "-", ".", "-.", "1.2.3", "--1", "1-", "nan", "inf", "1e999", "1:2", "1\t2", "1é", "0x1",
            "1..2",
        ];
        for text in texts {
            assert_eq!(read(text, " 9:1", decimal), None, "{text}");
        }
        for text in ["", "-1", "1.0", "12345678901234567890", "1e5", "1\t2", "é", "/", ":"] {
            assert_eq!(read(text, ":1", integer), None, "{text}");
        }
        assert_eq!(integer(b"12345678", 0, 9), None);
        assert_eq!(integer(b"1234567890", 5, 3), None);
        assert_eq!(decimal(b"1234567890", 5, 3), None);
    }

    proptest! {
        #[test]
        fn what_is_read_is_what_std_reads(text in "-?[0-9]{0,9}[.]?[0-9]{0,9}[-.e0-9é]?", behind in "[ 0-9é]{0,9}") {
            if let Some(value) = read(&text, &behind, decimal) {
                prop_assert_eq!(value.to_bits(), text.parse::<f64>().unwrap().to_bits());
            }
            if let Some(value) = read(&text, &behind, integer) {
                prop_assert_eq!(value, text.parse::<u64>().unwrap());
            }
        }

        #[test]
        fn any_bytes_are_only_declined(line: Vec<u8>, start in 0usize..40, end in 0usize..40) {
            let text = line.get(start..end).and_then(|text| std::str::from_utf8(text).ok());
            if let Some(value) = decimal(&line, start, end) {
                prop_assert_eq!(Some(value), text.and_then(|text| text.parse().ok()));
            }
            if let Some(value) = integer(&line, start, end) {
                prop_assert_eq!(Some(value), text.and_then(|text| text.parse().ok()));
            }
        }
    }
}
