//! The ways in which text is cut into features, and which of them a member of an ensemble sees.
//!
//! A row of a text cut several ways has the features of one cut behind those of another ([`Segments`]), so that leaving some out
//! costs what is left.

use std::fmt;

use crate::{Error, Result};

/// A way to cut text into features.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cut {
    /// Single words.
    Words,
    /// Two words that follow each other; more, where longer word n-grams are asked for.
    Pairs,
    /// Characters that follow each other.
    Characters,
}

impl Cut {
    /// Every cut with the word that users type, in the order of a row.
    pub const WORDS: [(Cut, &'static str); 3] =
        [(Self::Words, "words"), (Self::Pairs, "pairs"), (Self::Characters, "chars")];
}

/// Which cuts of a text are seen; what was not cut from text always is.
///
/// ```
/// use surefoot_core::transform::{Cut, Cuts};
/// let cuts = Cuts::parse("words+pairs")?;
/// assert!(cuts.has(Cut::Pairs) && !cuts.has(Cut::Characters));
/// assert_eq!(cuts.to_string(), "words+pairs");
/// # Ok::<(), surefoot_core::Error>(())
/// ```
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Cuts([bool; 3]);

impl Default for Cuts {
    fn default() -> Self {
        Self::ALL
    }
}

impl Cuts {
    /// All of them.
    pub const ALL: Self = Self([true; 3]);

    /// Single words alone.
    pub const WORDS: Self = Self([true, false, false]);

    /// Reads `words`, `words+pairs`, …
    pub fn parse(text: &str) -> Result<Self> {
        let mut own = Self([false; 3]);
        for word in text.split('+') {
            let place = Cut::WORDS.iter().position(|(_, known)| *known == word.trim());
            let known = || Cut::WORDS.map(|(_, word)| word).join(", ");
            let unknown = || Error::Unknown { what: "cut of text", found: word.to_string(), known: known() };
            own.0[place.ok_or_else(unknown)?] = true;
        }
        Ok(own)
    }

    /// Whether a cut is among them.
    #[must_use]
    pub fn has(self, cut: Cut) -> bool {
        self.0[cut as usize]
    }

    /// Those that are among these or among others.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self(std::array::from_fn(|cut| self.0[cut] || other.0[cut]))
    }
}

impl fmt::Display for Cuts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let own: Vec<&str> =
            Cut::WORDS.iter().filter(|(cut, _)| self.has(*cut)).map(|(_, word)| *word).collect();
        f.write_str(&own.join("+"))
    }
}

/// How many features of a row were cut from text in each way. They stand behind the others, one cut after the other.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Segments(pub [u32; 3]);

impl Segments {
    /// Features that were cut from text.
    #[must_use]
    pub fn len(self) -> usize {
        self.0.iter().map(|&count| count as usize).sum()
    }

    /// Whether no feature was.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.0 == [0; 3]
    }

    /// Whether there are pairs or characters: those are many, and most are never met again.
    #[must_use]
    pub fn has_many(self) -> bool {
        self.0[1..] != [0; 2]
    }

    /// Where these begin in a row of so many.
    #[must_use]
    pub fn first_of_many(self, features: usize) -> usize {
        features.saturating_sub(self.0[1..].iter().map(|&count| count as usize).sum())
    }

    /// The places of the features that are seen, in a row of so many, the bias left out.
    pub fn seen(self, cuts: Cuts, features: usize) -> impl Iterator<Item = std::ops::Range<usize>> {
        let mut end = features.saturating_sub(self.len());
        let others = 0..end;
        let cut = (0..3).map(move |cut| {
            let start = end;
            end += self.0[cut] as usize;
            if cuts.0[cut] { start..end } else { start..start }
        });
        std::iter::once(others).chain(cut)
    }
}
