//! Features that come for the first time in their stream, where somebody has found that out before.
//!
//! Whoever learns has to know which integers were met, and looks for that at every feature of every example: a walk through
//! memory of its own. A cache gives the same examples in the same order whenever it is read. So it says which of their features
//! are new, and whoever has learned all examples before looks at those alone.

use std::sync::Arc;

use crate::batch::Head;
use crate::space::LONGEST_REGION;

/// Larger integers are never their own index, and need not be listed.
const LISTED: u64 = LONGEST_REGION;

/// Words of bits that are kept together: 8 KB, 65,536 integers.
const PAGE: usize = 1 << 10;

/// Bits of a word.
const WORD: usize = u64::BITS as usize;

/// Which integers a stream has had so far.
#[derive(Debug, Default)]
pub(crate) struct Met {
    pages: Vec<Option<Box<[u64; PAGE]>>>,
}

impl Met {
    /// One bit for each key, set where it is one to list and comes for the first time.
    pub(crate) fn mask(&mut self, keys: &[u64]) -> Vec<u8> {
        keys.chunks(8)
            .map(|keys| (0..).zip(keys).fold(0, |bits, (at, &key)| bits | self.meet(key) << at))
            .collect()
    }

    fn meet(&mut self, id: u64) -> u8 {
        if id >= LISTED {
            return 0;
        }
        let (word, bit) = (id as usize / WORD, id as usize % WORD);
        if self.pages.len() <= word / PAGE {
            self.pages.resize_with(word / PAGE + 1, || None);
        }
        let page = self.pages[word / PAGE].get_or_insert_with(|| Box::new([0; PAGE]));
        let bits = page[word % PAGE];
        page[word % PAGE] = bits | 1 << bit;
        (!bits >> bit & 1) as u8
    }
}

/// A stream whose examples always come in the same order; a copy is the same stream.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stream(Arc<()>);

/// The first appearances in a batch; none are known in most.
#[derive(Debug, Default)]
pub(crate) struct Debuts {
    /// Their positions, counted from the start of their example.
    places: Vec<u32>,
    /// For each example where its part of them ends.
    ends: Vec<usize>,
    /// The stream, and how many of its examples come before the batch.
    origin: Option<(Stream, u64)>,
}

impl Debuts {
    pub(crate) fn clear(&mut self) {
        self.origin = None;
    }

    /// Takes the bits of [`Met::mask`] for the features of a batch with these examples.
    pub(crate) fn set(&mut self, stream: Stream, before: u64, mask: &[u8], heads: &[Head]) {
        let (words, rest) = mask.as_chunks();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        let words = words.iter().chain([&last]).map(|word| u64::from_le_bytes(*word));
        self.places.clear();
        for (at, word) in words.enumerate() {
            let mut bits = word;
            while bits != 0 {
                self.places.push((at * WORD) as u32 + bits.trailing_zeros());
                bits &= bits - 1;
            }
        }
        self.part(heads);
        self.origin = Some((stream, before));
    }

    /// Parts the positions, counted from the start of the batch until now, among the examples.
    fn part(&mut self, heads: &[Head]) {
        self.ends.clear();
        let (mut start, mut from) = (0, 0);
        for head in heads {
            let more = self.places[from..].iter().take_while(|&&at| (at as usize) < head.end).count();
            let own = &mut self.places[from..from + more];
            own.iter_mut().for_each(|at| *at -= start);
            (start, from) = (head.end as u32, from + more);
            self.ends.push(from);
        }
    }

    /// Those of an example of the batch, if they are known.
    #[inline]
    pub(crate) fn of(&self, example: usize) -> Option<Debut<'_>> {
        let (stream, before) = self.origin.as_ref()?;
        let from = if example == 0 { 0 } else { self.ends[example - 1] };
        let places = &self.places[from..self.ends[example]];
        Some(Debut { stream, number: before + example as u64, places })
    }
}

/// The first appearances in an example.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Debut<'a> {
    stream: &'a Stream,
    /// How many examples of the stream come before it.
    number: u64,
    /// The positions of those that are new.
    pub(crate) places: &'a [u32],
}

/// How far somebody has learned a stream from its beginning.
#[derive(Debug, Default)]
pub(crate) struct Follower {
    stream: Option<Stream>,
    next: u64,
    /// Whether nothing had been met before the stream began.
    from_nothing: bool,
}

/// What is known of the debuts of an example before it is learned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum News {
    /// Nothing: any feature may be new.
    Unheard,
    /// Nothing else is new.
    Perhaps,
    /// They are new, and nothing else is.
    Sure,
}

impl Follower {
    /// What the debuts of an example mean for somebody who has met nothing yet, or something.
    #[inline]
    pub(crate) fn news(&self, debut: Option<&Debut<'_>>, met_nothing: bool) -> News {
        match debut {
            Some(Debut { number: 0, .. }) if met_nothing => News::Sure,
            Some(Debut { number: 0, .. }) => News::Perhaps,
            Some(debut) if self.is_next(debut) && self.from_nothing => News::Sure,
            Some(debut) if self.is_next(debut) => News::Perhaps,
            _ => News::Unheard,
        }
    }

    fn is_next(&self, debut: &Debut<'_>) -> bool {
        let same = |own: &Stream| Arc::ptr_eq(&own.0, &debut.stream.0);
        self.next == debut.number && self.stream.as_ref().is_some_and(same)
    }

    /// An example was learned that had these news.
    #[inline]
    pub(crate) fn learned(&mut self, debut: Option<&Debut<'_>>, news: News) {
        match debut {
            Some(debut) if news != News::Unheard => {
                if debut.number == 0 {
                    self.stream = Some(debut.stream.clone());
                    self.from_nothing = news == News::Sure;
                }
                self.next = debut.number + 1;
            }
            // What comes from elsewhere may be what the stream believes to be new.
            _ => self.stream = None,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn what_comes_first_is_listed_once(
            rows in prop::collection::vec(prop::collection::vec(
                prop_oneof![0u64..50, 65_000u64..66_000, LISTED - 2..LISTED + 2, Just(u64::MAX)], 0..90), 1..20),
            cut in 0usize..20,
        ) {
            let (mut met, mut seen) = (Met::default(), HashSet::new());
            let (first, second) = rows.split_at(cut.min(rows.len()));
            let (stream, mut before) = (Stream::default(), 0);
            for part in [first, second] {
                let (keys, mut end) = (part.concat(), 0);
                let heads: Vec<Head> = part.iter().map(|row| {
                    end += row.len();
                    Head { line: 1, weight: 1.0, label: None, tag: None, end }
                }).collect();
                let mut debuts = Debuts::default();
                debuts.set(stream.clone(), before, &met.mask(&keys), &heads);
                for (at, row) in part.iter().enumerate() {
                    let debut = debuts.of(at).unwrap();
                    prop_assert_eq!(debut.number, before + at as u64);
                    let found: Vec<u64> = debut.places.iter().map(|&at| row[at as usize]).collect();
                    let new = row.iter().copied().filter(|&id| id < LISTED && seen.insert(id));
                    prop_assert_eq!(found, new.collect::<Vec<_>>());
                }
                before += part.len() as u64;
            }
        }
    }

    #[test]
    fn whoever_misses_an_example_hears_no_news_until_the_stream_begins_again() {
        let (one, other) = (Stream::default(), Stream::default());
        let mut follower = Follower::default();
        let mut hear = |stream: Option<(&Stream, u64)>, met_nothing| {
            let debut = stream.map(|(stream, number)| Debut { stream, number, places: &[] });
            let news = follower.news(debut.as_ref(), met_nothing);
            follower.learned(debut.as_ref(), news);
            news
        };
        assert_eq!(hear(Some((&one, 1)), true), News::Unheard, "where is the first one?");
        assert_eq!(hear(Some((&one, 0)), true), News::Sure);
        assert_eq!(hear(Some((&one.clone(), 1)), false), News::Sure);
        assert_eq!(hear(Some((&other, 2)), false), News::Unheard, "another stream");
        assert_eq!(hear(Some((&one, 2)), false), News::Unheard, "something came between");
        assert_eq!(hear(Some((&one, 0)), false), News::Perhaps, "once more, with what was met before");
        assert_eq!(hear(Some((&one, 1)), false), News::Perhaps);
        assert_eq!(hear(Some((&one, 3)), false), News::Unheard, "2 was left out");
        assert_eq!(hear(Some((&other, 0)), true), News::Sure);
        assert_eq!(hear(None, false), News::Unheard);
        assert_eq!(hear(Some((&other, 1)), false), News::Unheard);
    }
}
