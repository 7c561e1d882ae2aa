//! Asking for memory before it is needed.
//!
//! A table of a million rows does not fit into the caches next to a core, and an example touches some seventy rows all
//! over it, so the rows of the next example are asked for while this one is learned. It is `unsafe`, as only `simd` is
//! besides, because it takes a pointer; `--bench diagonal` and benches/README.md measure what it saves.

/// Tables below this many bytes stay in the caches anyway: asking ahead does not pay.
pub const WORTH_IT: usize = 1 << 18;

/// Bytes that come together.
const LINE: usize = 64;

/// Asks for the memory of `table[from..from + count]`. Changes nothing, and an index out of range asks for nothing.
///
/// ```
/// let table = vec![1.0; 1000];
/// surefoot_core::prefetch::rows(&table, 990, 2);
/// surefoot_core::prefetch::rows(&table, 5000, 2);
/// ```
#[inline]
pub fn rows<T>(table: &[T], from: usize, count: usize) {
    if let Some(rows) = table.get(from..from.saturating_add(count)) {
        (0..size_of_val(rows)).step_by(LINE).for_each(|offset| line(rows, offset));
    }
}

/// Asks for an item of a table that is no longer than a cache line. Changes nothing, as [`rows`].
///
/// For frequent features too, which are in the caches anyway: that costs less than a guess at which are (benches/README.md). And
/// for ids out of range, of which there are few: asking for memory that is not there does no harm.
#[inline]
pub fn item<T>(table: &[T], id: u32) {
    line(table, (id as usize).wrapping_mul(size_of::<T>()));
}

/// Asks for the cache line `offset` bytes into `rows`, which may be beyond them.
#[inline(always)]
#[cfg_attr(not(target_arch = "x86_64"), allow(unused_variables))]
fn line<T>(rows: &[T], offset: usize) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let at = rows.as_ptr().cast::<i8>().wrapping_add(offset);
        // SAFETY: a prefetch is a hint. It reads nothing that the program could see, faults on no address, and needs no
        // processor feature that x86-64 might lack. The address is made without `add`'s promise to stay in bounds.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn any_range_of_any_table_is_only_a_hint(length in 0usize..200, from: usize, count: usize) {
            let table: Vec<u64> = (0..length as u64).collect();
            rows(&table, from, count);
            rows(&table, from % 256, count % 256);
            item(&table, from as u32);
            item(&table, count as u32 % 256);
            prop_assert!(table.iter().enumerate().all(|(i, &x)| x == i as u64));
        }
    }
}
