//! A scanner for JSON text: it gives pieces in order and builds no tree. Offsets stay exact and bytes stay bytes, so
//! that messages can point, and whether a string is valid UTF-8 is for the caller to judge.

use std::borrow::Cow;

use crate::error::{Fault, quoted};
use crate::fast::number::number;

/// A place in a line of JSON.
pub(in crate::format) struct Scanner<'a> {
    pub(in crate::format) line: &'a [u8],
    pub(in crate::format) at: usize,
}

impl<'a> Scanner<'a> {
    /// The next byte that is not white space, still to be taken.
    pub(in crate::format) fn peek(&mut self) -> Option<u8> {
        while matches!(self.line.get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
        self.line.get(self.at).copied()
    }

    /// Takes the next byte that is not white space if it is this one.
    pub(in crate::format) fn take(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.at += usize::from(found);
        found
    }

    /// Takes the next byte, which must be this one.
    pub(in crate::format) fn expect(&mut self, byte: u8) -> Result<(), Fault> {
        if self.take(byte) { Ok(()) } else { Err(self.fault(format!("'{}'", byte as char))) }
    }

    /// After one item of a list: whether another one follows, or the list is closed.
    pub(in crate::format) fn another(&mut self, close: u8) -> Result<bool, Fault> {
        if self.take(b',') {
            Ok(true)
        } else if self.take(close) {
            Ok(false)
        } else {
            Err(self.fault(format!("',' or '{}'", close as char)))
        }
    }

    /// A string, unescaped; `expected` says what it is for.
    pub(in crate::format) fn string(&mut self, expected: &'static str) -> Result<Cow<'a, [u8]>, Fault> {
        if !self.take(b'"') {
            return Err(self.fault(expected));
        }
        let start = self.at;
        let mut out = Cow::Borrowed(&self.line[start..start]);
        loop {
            let rest = &self.line[self.at..];
            let Some(length) = memchr::memchr2(b'"', b'\\', rest) else {
                return Err(Fault::new(start - 1, "a closing quote", "none up to the end of the line"));
            };
            match &mut out {
                Cow::Borrowed(_) => out = Cow::Borrowed(&self.line[start..self.at + length]),
                Cow::Owned(unescaped) => unescaped.extend_from_slice(&rest[..length]),
            }
            self.at += length + 1;
            if rest[length] == b'"' {
                return Ok(out);
            }
            self.escape(out.to_mut())?;
        }
    }

    /// What stands behind a backslash.
    fn escape(&mut self, out: &mut Vec<u8>) -> Result<(), Fault> {
        let byte = self.line.get(self.at).copied();
        self.at += 1;
        out.push(match byte {
            Some(b'n') => b'\n',
            Some(b't') => b'\t',
            Some(b'r') => b'\r',
            Some(b'b') => 8,
            Some(b'f') => 12,
            Some(byte @ (b'"' | b'\\' | b'/')) => byte,
            Some(b'u') => {
                let character = self.unicode()?;
                out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
                return Ok(());
            }
            _ => {
                self.at -= 1;
                return Err(self.fault("an escape that JSON knows, behind '\\'"));
            }
        });
        Ok(())
    }

    /// Four hexadecimal digits, or two groups of them for a character beyond 16 bits; half a pair is replaced.
    fn unicode(&mut self) -> Result<char, Fault> {
        let first = self.hexadecimal()?;
        if (0xd800..0xdc00).contains(&first) && self.line[self.at..].starts_with(b"\\u") {
            let before = self.at;
            self.at += 2;
            let second = self.hexadecimal()?;
            if (0xdc00..0xe000).contains(&second) {
                let code = 0x10000 + ((first - 0xd800) << 10) + (second - 0xdc00);
                return Ok(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = before;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn hexadecimal(&mut self) -> Result<u32, Fault> {
        let digits =
            self.line.get(self.at..self.at + 4).filter(|digits| digits.iter().all(u8::is_ascii_hexdigit));
        let code = digits.and_then(|digits| u32::from_str_radix(std::str::from_utf8(digits).ok()?, 16).ok());
        let code = code.ok_or_else(|| self.fault("four hexadecimal digits behind '\\u'"))?;
        self.at += 4;
        Ok(code)
    }

    /// A number: its value and its spelling.
    pub(in crate::format) fn number(&mut self) -> Result<(f64, &'a [u8]), Fault> {
        let rest = &self.line[self.at..];
        // What other parsers allow and JSON does not: a sign, a dot or a word in front.
        let starts = matches!(rest, [b'-' | b'0'..=b'9', ..])
            && !matches!(rest, [b'-', b'i' | b'n' | b'I' | b'N', ..]);
        match number(rest).filter(|_| starts) {
            Some((value, length)) if value.is_finite() => {
                self.at += length;
                Ok((value, &rest[..length]))
            }
            Some((_, length)) => Err(Fault::new(self.at, "a finite number", quoted(&rest[..length]))),
            None => Err(self.fault("a value")),
        }
    }

    /// Takes one of JSON's three words if it stands here.
    pub(in crate::format) fn word(&mut self, word: &[u8]) -> bool {
        let found = self.line[self.at..].starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    /// What stands here, up to the next thing that ends a value, is not what was expected.
    #[cold]
    pub(in crate::format) fn fault(&self, expected: impl Into<Cow<'static, str>>) -> Fault {
        let rest = self.line.get(self.at..).unwrap_or_default();
        let ends = |byte: &u8| matches!(byte, b',' | b']' | b'}' | b' ' | b'\t');
        let end = rest.iter().skip(1).position(ends).map_or(rest.len(), |position| position + 1);
        Fault::new(self.at, expected, quoted(&rest[..end]))
    }
}
