//! The sizes that pages claim, looked at before any page is unpacked: the parquet crate makes room for what a header
//! says, and a header of ten bytes can say two gigabytes.

use std::io;

use parquet::file::reader::ChunkReader;

/// More than any writer puts into a page; a page is unpacked whole.
const LARGEST_PAGE: i64 = 1 << 28;
/// Headers are some dozens of bytes, but may hold the least and the largest value of a column of text.
const LARGEST_HEADERS: [usize; 2] = [1 << 10, 1 << 20];

/// Walks from header to header through the pages of a column that lie between `start` and `end`.
pub(super) fn check(source: &impl ChunkReader, start: u64, end: u64) -> io::Result<()> {
    let mut at = start;
    while at < end {
        // What cannot be read here cannot be read later either, and is reported then.
        let Some((header, length)) = header_at(source, at) else { return Ok(()) };
        let next = at.saturating_add(length as u64).saturating_add(header.packed.max(0) as u64);
        if !(0..=LARGEST_PAGE).contains(&header.unpacked) || header.packed < 0 || next > source.len() {
            return Err(io::Error::other(format!(
                "not readable as Parquet: a page at byte {at} claims {} bytes, unpacked {}, in a file of {}; at most \
                 {LARGEST_PAGE} are read",
                header.packed,
                header.unpacked,
                source.len()
            )));
        }
        at = next;
    }
    Ok(())
}

/// What a header says of the bytes that follow it.
#[derive(Debug, PartialEq)]
struct PageHeader {
    unpacked: i64,
    packed: i64,
}

fn header_at(source: &impl ChunkReader, at: u64) -> Option<(PageHeader, usize)> {
    let left = usize::try_from(source.len().checked_sub(at)?).ok()?;
    LARGEST_HEADERS.iter().find_map(|&most| {
        let bytes = source.get_bytes(at, most.min(left)).ok()?;
        let mut compact = CompactReader { bytes: &bytes };
        let header = compact.header()?;
        Some((header, bytes.len() - compact.bytes.len()))
    })
}

/// Thrift's compact protocol, as far as skipping needs it.
struct CompactReader<'a> {
    bytes: &'a [u8],
}

const I32: u8 = 5;
/// Deeper than any header nests.
const DEPTH: u32 = 16;

impl CompactReader<'_> {
    /// Fields 2 and 3 of a page header; the rest is skipped.
    fn header(&mut self) -> Option<PageHeader> {
        let (mut unpacked, mut packed, mut id) = (None, None, 0);
        while let Some(kind) = self.field(&mut id)? {
            match (id, kind) {
                (2, I32) => unpacked = Some(self.signed()?),
                (3, I32) => packed = Some(self.signed()?),
                _ => self.skip(kind, DEPTH)?,
            }
        }
        Some(PageHeader { unpacked: unpacked?, packed: packed? })
    }

    /// The kind of the next field of a struct, none at its end.
    fn field(&mut self, id: &mut i64) -> Option<Option<u8>> {
        let byte = self.byte()?;
        if byte == 0 {
            return Some(None);
        }
        *id = match byte >> 4 {
            0 => self.signed()?,
            more => id.saturating_add(i64::from(more)),
        };
        Some(Some(byte & 15))
    }

    fn skip(&mut self, kind: u8, depth: u32) -> Option<()> {
        let depth = depth.checked_sub(1)?;
        match kind {
            1 | 2 => Some(()),
            3 => self.pass(1),
            4..=6 => self.varint().map(drop),
            7 => self.pass(8),
            8 => self.varint().and_then(|length| self.pass(length)),
            9 | 10 => self.skip_list(depth),
            11 => self.skip_map(depth),
            12 => {
                let mut id = 0;
                while let Some(kind) = self.field(&mut id)? {
                    self.skip(kind, depth)?;
                }
                Some(())
            }
            _ => None,
        }
    }

    fn skip_list(&mut self, depth: u32) -> Option<()> {
        let byte = self.byte()?;
        let length = if byte >> 4 == 15 { self.varint()? } else { u64::from(byte >> 4) };
        (0..length).try_for_each(|_| self.skip_element(byte & 15, depth))
    }

    fn skip_map(&mut self, depth: u32) -> Option<()> {
        let length = self.varint()?;
        let kinds = if length > 0 { self.byte()? } else { 0 };
        (0..length).try_for_each(|_| {
            self.skip_element(kinds >> 4, depth)?;
            self.skip_element(kinds & 15, depth)
        })
    }

    /// Truth values take a byte in lists and maps, and none in structs.
    fn skip_element(&mut self, kind: u8, depth: u32) -> Option<()> {
        if matches!(kind, 1 | 2) { self.pass(1) } else { self.skip(kind, depth) }
    }

    fn byte(&mut self) -> Option<u8> {
        let (&first, rest) = self.bytes.split_first()?;
        self.bytes = rest;
        Some(first)
    }

    fn pass(&mut self, length: u64) -> Option<()> {
        self.bytes = self.bytes.get(usize::try_from(length).ok()?..)?;
        Some(())
    }

    fn varint(&mut self) -> Option<u64> {
        let mut number = 0u64;
        for shift in (0..64).step_by(7) {
            let byte = self.byte()?;
            number |= u64::from(byte & 127) << shift;
            if byte < 128 {
                return Some(number);
            }
        }
        None
    }

    fn signed(&mut self) -> Option<i64> {
        self.varint().map(|number| (number >> 1) as i64 ^ -((number & 1) as i64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;

    /// Type 0, 300 bytes unpacked, 3 packed, and a struct of a number, a text and a list of two truth values.
    const HEADER: &[u8] = b"\x15\x00\x15\xd8\x04\x15\x06\x2c\x15\x02\x18\x02hi\x19\x21\x01\x02\x00\x00";

    #[test]
    fn a_header_is_read_to_its_end() {
        let file = Bytes::from([HEADER, b"abc"].concat());
        let expected = PageHeader { unpacked: 300, packed: 3 };
        assert_eq!(header_at(&file, 0), Some((expected, HEADER.len())));
        assert!(check(&file, 0, file.len() as u64).is_ok());
    }

    #[test]
    fn sizes_that_do_not_fit_are_refused_before_anything_is_unpacked() {
        let huge = b"\x15\x00\x15\xfe\xff\xff\xff\x0f\x15\x06\x00abc";
        let error = check(&Bytes::from_static(huge), 0, 13).expect_err("2 GB");
        assert!(error.to_string().contains("unpacked 2147483647"), "{error}");
        let long = b"\x15\x00\x15\x06\x15\xc8\x01\x00abc";
        assert!(check(&Bytes::from_static(long), 0, 11).is_err_and(|e| e.to_string().contains("claims 100")));
    }

    #[test]
    fn nothing_that_is_cut_short_is_a_header() {
        for end in 0..HEADER.len() {
            assert_eq!(CompactReader { bytes: &HEADER[..end] }.header(), None, "{end}");
        }
        assert_eq!(CompactReader { bytes: &[0x1c; 64] }.header(), None);
    }
}
