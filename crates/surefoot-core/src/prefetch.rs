//! Asking for memory before it is needed.
//!
//! A table of a million rows does not fit into the caches next to a core, and an example touches some seventy rows all
//! over it. Whoever knows the next example asks for its rows while this one is learned. And whoever makes such a table asks the
//! system for its pages together. Both are `unsafe`, as only `vectored` is besides, because they take a pointer; `--bench
//! diagonal` and benches/README.md measure what they save.

/// Tables below this many bytes stay in the caches anyway.
const WORTH_IT: usize = 1 << 18;

/// Bytes that come together.
const LINE: usize = 64;

/// A multiple of the size of a page, whatever that is.
#[cfg(target_os = "linux")]
const PAGES: usize = 1 << 16;

/// Whether a table is so large that asking ahead pays.
#[must_use]
pub fn pays<T>(table: &[T]) -> bool {
    size_of_val(table) >= WORTH_IT
}

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

/// Asks for an item of a table for every id, each no longer than a cache line. Changes nothing, as [`rows`].
///
/// For frequent features too, which are in the caches anyway: that costs less than a guess at which are (benches/README.md). And
/// for ids out of range, of which there are few: asking for memory that is not there does no harm.
#[inline]
pub fn each<T>(table: &[T], ids: &[u32]) {
    ids.iter().for_each(|&id| line(table, (id as usize).wrapping_mul(size_of::<T>())));
}

/// Asks the system for the memory of the next `more` items of a table that has room for them. They will be written anyway, but page by page
/// the system takes its time. Changes nothing; a system that does not understand hands pages out one by one.
///
/// ```
/// let mut table: Vec<u64> = Vec::with_capacity(1 << 16);
/// surefoot_core::prefetch::pages(&mut table, 1 << 20);
/// table.resize(1 << 16, 7);
/// ```
#[cfg_attr(not(target_os = "linux"), allow(unused_variables))]
pub fn pages<T>(table: &mut Vec<T>, more: usize) {
    #[cfg(target_os = "linux")]
    {
        let room = table.spare_capacity_mut();
        let count = more.min(room.len());
        let room = &mut room[..count];
        let length = size_of_val(room);
        let at = room.as_mut_ptr().cast::<libc::c_void>();
        let skipped = at.addr().next_multiple_of(PAGES) - at.addr();
        let length = length.saturating_sub(skipped) / PAGES * PAGES;
        if length == 0 {
            return;
        }
        // SAFETY: the range lies within memory that the table owns and holds no item, and the borrow keeps others away. The call
        // leaves what is there as it is: it does what a write to each page would, and fails where it is not understood.
        #[allow(unsafe_code)]
        unsafe {
            libc::madvise(at.wrapping_byte_add(skipped), length, libc::MADV_POPULATE_WRITE);
        }
    }
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
            each(&table, &[from as u32, count as u32 % 256]);
            prop_assert!(table.iter().enumerate().all(|(i, &x)| x == i as u64));
        }

        #[test]
        fn pages_leave_a_table_as_it_is(length in 0usize..40_000, room in 0usize..100_000, more: usize) {
            let mut table: Vec<u64> = Vec::with_capacity(length + room);
            table.extend(0..length as u64);
            let (at, capacity) = (table.as_ptr(), table.capacity());
            pages(&mut table, more);
            pages(&mut table, more % (room + 1));
            prop_assert_eq!((table.as_ptr(), table.capacity(), table.len()), (at, capacity, length));
            prop_assert!(table.iter().enumerate().all(|(i, &x)| x == i as u64));
            table.resize(length + room, 7);
            prop_assert!(table[length..].iter().all(|&x| x == 7));
        }
    }

    #[test]
    fn small_tables_are_left_alone() {
        assert!(!pays(&[0u8; 100]));
        assert!(pays(&vec![0u64; 1 << 16]));
    }
}
