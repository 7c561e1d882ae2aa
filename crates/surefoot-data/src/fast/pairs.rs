//! Pairs `digits:number` of the usual form, read without a loop over their bytes.
//!
//! The end of the pair is found first, by comparing all its bytes at once, so that the processor can begin the next pair while it
//! still computes the values of this one. Both numbers are computed together, in one vector. The division that makes a fraction of
//! its digits is put off until there are many: divisions are slow, and one between two pairs would keep the processor from
//! running ahead.

use bytemuck::cast;
use wide::{i16x8, u8x16, u16x8, u64x2};

use super::number::{EXACT_INTEGERS, WORD, ZEROS, classify, eight_digits};

/// Pairs that are read before their values are divided and passed on.
pub(crate) const TOGETHER: usize = 16;

/// The longest pair that is read here, with the space behind it, in bytes.
const PAIR: usize = 32;

/// Bytes that are compared at once.
const HALF: usize = PAIR / 2;

/// Most digits behind the point.
const PLACES: usize = 2 * WORD - 2;

/// What digits are divided by, for each number of places: first of positive numbers, then of negative ones.
const SCALES: [[f64; 2 * WORD]; 2] = {
    let mut scales = [[1.0; 2 * WORD]; 2];
    let mut places = 0;
    while places < 2 * WORD {
        scales[0][places] = 10_u64.pow(places as u32) as f64;
        scales[1][places] = -scales[0][places];
        places += 1;
    }
    scales
};

/// Pairs whose values are still to be divided.
#[derive(Default)]
pub(crate) struct Pairs {
    ids: [u64; TOGETHER],
    /// The digits behind the point as a number, or the whole value if there is no point.
    digits: [u64; TOGETHER],
    /// The digit before the point.
    wholes: [u64; TOGETHER],
    /// Ten to the number of places; negative if the value is.
    scales: [f64; TOGETHER],
    /// Whether any pair so far had a point or a sign.
    fractions: bool,
    /// Values that were read elsewhere and need no division, and a bit for the place of each.
    ready: [f64; TOGETHER],
    which: u16,
}

impl Pairs {
    /// The indices and the values.
    #[inline(always)]
    pub(crate) fn finish(&mut self) -> (&[u64; TOGETHER], [f64; TOGETHER]) {
        // A number below 2⁵² in the low bits of the float 2⁵² makes the sum of both. Vectors of every processor can do that, while a
        // conversion of 64-bit integers is an instruction that many lack.
        const BASE: f64 = (1_u64 << 52) as f64;
        let number = |digits: u64| f64::from_bits(BASE.to_bits() | digits) - BASE;
        let mut values = self.digits.map(number);
        if self.fractions {
            for (at, value) in values.iter_mut().enumerate() {
                // At most fifteen digits in all, so that only the division rounds.
                *value = (number(self.wholes[at]) * self.scales[at].abs() + *value) / self.scales[at];
            }
        }
        if self.which != 0 {
            let is_ready = |at: usize| self.which >> at & 1 == 1;
            (0..TOGETHER).filter(|&at| is_ready(at)).for_each(|at| values[at] = self.ready[at]);
            self.which = 0;
        }
        (&self.ids, values)
    }

    /// Stores a pair that was read elsewhere.
    pub(crate) fn take(&mut self, at: usize, id: u64, value: f64) {
        (self.ids[at], self.ready[at]) = (id, value);
        self.which |= 1 << at;
    }

    /// Reads the pair `digits:number` at the front of `bytes` into place `at`, if it has the usual form: up to seven digits, then an
    /// integer or a decimal fraction, then a space and some more bytes. Returns its length, or 0.
    #[inline(always)]
    pub(crate) fn read(&mut self, at: usize, bytes: &[u8]) -> usize {
        let Some(near) = bytes.first_chunk::<HALF>() else { return 0 };
        let word = word(near).unwrap_or(0);
        let (digits, others) = classify(word);
        let bits = others.trailing_zeros() & !7;
        // If all eight are digits, the shift wraps around to none, and the first byte is no colon either.
        if bits == 0 || word.wrapping_shr(bits) as u8 != b':' {
            return 0;
        }
        let start = bits as usize / 8 + 1;
        match near[start..].first_chunk().and_then(|&value| brief(value)) {
            Some((count, length)) => {
                self.put(at, [eight_digits(digits << (64 - bits)), count], 0, 1.0);
                start + length
            }
            None => bytes.first_chunk().and_then(|bytes| self.number(at, bytes, word, start)).unwrap_or(0),
        }
    }

    /// The same near the end of a line, where fewer bytes are left; the end counts as a space.
    #[inline(never)]
    pub(crate) fn read_last(&mut self, at: usize, bytes: &[u8]) -> usize {
        let mut padded = [b' '; PAIR];
        let Some(front) = padded.get_mut(..bytes.len()) else { return 0 };
        front.copy_from_slice(bytes);
        self.read(at, &padded)
    }

    /// The pair whose value begins at `start`, if that is one digit, a point and up to fourteen digits, or an integer of up to
    /// eight, perhaps less than zero, with a space behind it.
    #[inline(always)]
    fn number(&mut self, at: usize, bytes: &[u8; PAIR], index: u64, start: usize) -> Option<usize> {
        let (front, back) = bytes.split_at(HALF);
        let spaces = which(front.first_chunk()?, b' ') | which(back.first_chunk()?, b' ') << HALF;
        let length = spaces.trailing_zeros() as usize;
        let negative = bytes[start] == b'-';
        let (index, point) = ((index, start - 1), start + 1 + usize::from(negative));
        let (whole, places) = (u64::from(bytes[point - 1] ^ b'0'), length.wrapping_sub(point + 1));
        let scales = &SCALES[usize::from(negative)];
        if whole > 9 {
            return None;
        }
        if bytes[point] != b'.' {
            let digits = length.wrapping_sub(point - 1);
            let digits =
                (word(&bytes[point - 1..])?, Some(digits).filter(|count| (1..=WORD).contains(count))?);
            self.put(at, two_numbers(index, digits)?, 0, scales[0]);
        } else if places.wrapping_sub(1) < WORD {
            let numbers = two_numbers(index, (word(&bytes[point + 1..])?, places))?;
            self.put(at, numbers, whole, scales[places]);
        } else if places.wrapping_sub(1) < PLACES {
            let more = places - WORD;
            let [id, front] = two_numbers(index, (word(&bytes[point + 1..])?, WORD))?;
            let last = some_digits(word(bytes.get(point + 1 + WORD..)?)?, more)?;
            self.put(at, [id, front * EXACT_INTEGERS[more] + last], whole, scales[places]);
        } else {
            return None;
        }
        self.fractions = true;
        Some(length)
    }

    #[inline(always)]
    fn put(&mut self, at: usize, [id, digits]: [u64; 2], whole: u64, scale: f64) {
        (self.ids[at], self.digits[at], self.wholes[at], self.scales[at]) = (id, digits, whole, scale);
    }
}

/// The first eight bytes, the first of them in the lowest bits.
#[inline(always)]
fn word(bytes: &[u8]) -> Option<u64> {
    bytes.first_chunk().map(|&bytes| u64::from_le_bytes(bytes))
}

/// Which bytes are this one, the first in the lowest bit.
#[inline(always)]
fn which(half: &[u8; HALF], byte: u8) -> u32 {
    u8x16::new(*half).simd_eq(u8x16::splat(byte)).to_bitmask()
}

/// The number at the front of `bytes` if it is one digit, perhaps with `.0`, and a space follows, as in counts of words. Needs one
/// comparison for each form, which is predicted well.
#[inline(always)]
fn brief(bytes: [u8; 4]) -> Option<(u64, usize)> {
    let word = u32::from_le_bytes(bytes);
    // If the other bytes are those of "0.0 ", only the digit is left.
    let digit = word ^ u32::from_le_bytes(*b"0.0 ");
    if digit <= 9 {
        return Some((u64::from(digit), 3));
    }
    let digit = (word & 0xffff) ^ u32::from(u16::from_le_bytes(*b"0 "));
    (digit <= 9).then(|| (u64::from(digit), 1))
}

/// The number that the first `count` bytes make, at least one; none if one of them is no digit.
#[inline(always)]
fn some_digits(word: u64, count: usize) -> Option<u64> {
    let (digits, others) = classify(only(word, count) ^ ZEROS);
    (others == 0).then(|| eight_digits(digits))
}

/// The first `count` bytes, at least one, as digits: what follows them is shifted out, and leading zeros come in.
#[inline(always)]
fn only(word: u64, count: usize) -> u64 {
    (word ^ ZEROS) << (64 - 8 * count)
}

/// The numbers that the first bytes of two words make, as many as each count says; none if one byte is no digit.
#[inline(always)]
fn two_numbers(one: (u64, usize), other: (u64, usize)) -> Option<[u64; 2]> {
    if cfg!(target_endian = "big") {
        return Some([some_digits(one.0, one.1)?, some_digits(other.0, other.1)?]);
    }
    let digits: u8x16 = cast([only(one.0, one.1), only(other.0, other.1)]);
    let all = digits.max(u8x16::splat(9)).simd_eq(u8x16::splat(9)).to_bitmask();
    // Pairs: of (10 · 256 + 1) · (first + 256 · second) the second byte is 10 · first + second.
    let pairs: u16x8 = (cast::<_, u16x8>(digits) * u16x8::splat(10 << 8 | 1)) >> 8;
    let fours = cast::<_, i16x8>(pairs).dot(i16x8::new([100, 1, 100, 1, 100, 1, 100, 1]));
    let parts = cast::<_, i16x8>(fours).dot(i16x8::new([10_000, 0, 1, 0, 10_000, 0, 1, 0]));
    let parts: u64x2 = cast(parts);
    let eights: u64x2 = (parts + (parts >> 32)) & u64x2::splat(0xffff_ffff);
    (all == 0xffff).then_some(eights.to_array())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Whether a pair has the usual form.
    fn is_short(pair: &str) -> bool {
        let Some((id, number)) = pair.split_once(':') else { return false };
        let digits = |text: &str, most: usize| {
            (1..=most).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
        };
        let number = number.strip_prefix('-').unwrap_or(number);
        let decimal = number.split_once('.');
        digits(id, 7)
            && (digits(number, 8)
                || decimal.is_some_and(|(whole, places)| digits(whole, 1) && digits(places, 14)))
    }

    proptest! {
        #[test]
        fn a_short_pair_is_what_the_general_way_reads(
            text in "[0-9]{0,9}[: ]-?[0-9]{0,2}[.]?[0-9]{0,17}[ 0:x\u{80}]",
            tail in "[0-9:. ]{32}",
        ) {
            let line = text.clone() + &tail;
            let mut pairs = Pairs::default();
            let length = pairs.read(7, line.as_bytes());
            if length > 0 {
                let (ids, values) = pairs.finish();
                let (id, value) = (ids[7], values[7]);
                let (digits, number) = line[..length].split_once(':').unwrap();
                let expected = number.parse::<f64>().map(f64::to_bits);
                prop_assert_eq!((Ok(id), Ok(value.to_bits())), (digits.parse(), expected), "{}", line);
                prop_assert_eq!(line.as_bytes()[length], b' ');
            } else {
                prop_assert!(!text.strip_suffix(' ').is_some_and(is_short), "{}", line);
            }
        }

        #[test]
        fn two_numbers_are_what_each_is_alone(one: [u8; 8], other: [u8; 8], counts in (1usize..=8, 1usize..=8), digits: bool) {
            let word = |bytes: [u8; 8]| u64::from_le_bytes(bytes.map(|byte| if digits { b'0' + byte % 10 } else { byte }));
            let (one, other) = ((word(one), counts.0), (word(other), counts.1));
            let alone = some_digits(one.0, one.1).zip(some_digits(other.0, other.1));
            prop_assert_eq!(two_numbers(one, other).map(|[one, other]| (one, other)), alone);
            prop_assert!(!digits || alone.is_some());
        }
    }
}
