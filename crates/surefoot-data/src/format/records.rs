//! How bytes fall into records. Nearly always a record is a line; in CSV a quoted field may hold line ends.

use memchr::{memchr, memchr_iter, memchr2, memrchr};

/// The rule by which a format's records end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Records {
    /// At each line end.
    Lines,
    /// At each line end outside quotes; a quote opens only at the start of a field.
    Quoted { delimiter: u8 },
}

impl Records {
    /// Index of the line end that closes the first record of `bytes`; none if the record is not complete.
    #[inline]
    pub(crate) fn first_end(self, bytes: &[u8]) -> Option<usize> {
        match self {
            Records::Lines => memchr(b'\n', bytes),
            Records::Quoted { delimiter } => quoted_end(bytes, delimiter),
        }
    }

    /// How many lines of the file a record takes.
    #[inline]
    pub(crate) fn lines(self, record: &[u8]) -> u64 {
        match self {
            Records::Lines => 1,
            Records::Quoted { .. } => 1 + memchr_iter(b'\n', record).count() as u64,
        }
    }

    /// Length of the front part of `bytes` that consists of complete records.
    pub(crate) fn complete(self, bytes: &[u8]) -> usize {
        match self {
            Records::Lines => memrchr(b'\n', bytes).map_or(0, |at| at + 1),
            Records::Quoted { .. } => {
                let mut done = 0;
                while let Some(end) = self.first_end(&bytes[done..]) {
                    done += end + 1;
                }
                done
            }
        }
    }
}

/// The first line end outside quotes.
fn quoted_end(bytes: &[u8], delimiter: u8) -> Option<usize> {
    let mut at = 0;
    loop {
        let found = at + memchr2(b'"', b'\n', &bytes[at..])?;
        if bytes[found] == b'\n' {
            return Some(found);
        }
        let opens = found == 0 || bytes[found - 1] == delimiter;
        at = if opens { closing_quote(bytes, found + 1)? + 1 } else { found + 1 };
    }
}

/// Index of the quote that closes a field whose content starts at `at`; a doubled quote stands for itself.
pub(crate) fn closing_quote(bytes: &[u8], mut at: usize) -> Option<usize> {
    loop {
        let quote = at + memchr(b'"', bytes.get(at..)?)?;
        if bytes.get(quote + 1) != Some(&b'"') {
            return Some(quote);
        }
        at = quote + 2;
    }
}

/// A record without the carriage return that Windows puts before the line end.
#[inline]
pub(crate) fn without_return(record: &[u8]) -> &[u8] {
    record.strip_suffix(b"\r").unwrap_or(record)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CSV: Records = Records::Quoted { delimiter: b',' };

    #[test]
    fn a_line_end_inside_quotes_does_not_end_a_csv_record() {
        assert_eq!(CSV.first_end(b"a,\"x\ny\"\nb"), Some(7));
        assert_eq!(Records::Lines.first_end(b"a,\"x\ny\"\nb"), Some(4));
    }

    #[test]
    fn quotes_in_the_middle_of_a_field_are_letters() {
        assert_eq!(CSV.first_end(b"5\" pipe,1\nb"), Some(9));
        assert_eq!(CSV.first_end(b"\"5\"\" pipe\n\",1\nb"), Some(13));
    }

    #[test]
    fn only_complete_records_count() {
        assert_eq!(CSV.complete(b"a,b\n\"c\nd"), 4);
        assert_eq!(CSV.complete(b"\"c\nd"), 0);
        assert_eq!(Records::Lines.complete(b"a\nb\nc"), 4);
    }
}
