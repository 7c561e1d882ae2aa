//! Numbers from bytes: exactly the f64 that Rust's own parser gives, without a UTF-8 check. One at a time, and in pairs
//! `digits:number`, which are read without a loop over their bytes.

use bytemuck::cast;
use wide::{i16x8, u8x16, u16x8, u64x2};

/// Powers of ten that an f64 holds exactly.
const EXACT_POWERS: [f64; 23] = [
    1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18,
    1e19, 1e20, 1e21, 1e22,
];

/// The first of them as integers.
const EXACT_INTEGERS: [u64; WORD + 1] =
    [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];

/// Bytes that are processed together, in one integer.
const WORD: usize = 8;

/// The digit 0 in every byte of a word.
const ZEROS: u64 = 0x3030_3030_3030_3030;

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
fn classify(word: u64) -> (u64, u64) {
    let digits = word ^ ZEROS;
    (digits, (digits.wrapping_add(0x7676_7676_7676_7676) | digits) & 0x8080_8080_8080_8080)
}

/// The value of eight digits, the first in the lowest byte: pairs, then fours, then all.
#[inline(always)]
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

/// Pairs `digits:number` whose values are still to be divided.
///
/// The end of a pair is found first, by comparing all its bytes at once, so that the processor can begin the next pair while it
/// still computes the values of this one. Both numbers are computed together, in one vector. The division that makes a fraction of
/// its digits is put off until there are many: divisions are slow, and one between two pairs would keep the processor from
/// running ahead.
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
mod tests;
