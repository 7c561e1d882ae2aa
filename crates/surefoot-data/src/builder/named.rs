//! Features with names: each is hashed to a key, and a name that the example has already adds to its value.

use std::iter;

use super::{Builder, BuilderScratch, FEATURE_LIMIT, Origin};
use crate::batch::{Batch, Span, are_usable, slice};
use crate::error::shown;
use crate::key::{name_key, name_keys};
use crate::problem::FeatureProblem;
use crate::recipe::Traits;
use crate::text::{self, TextScratch, Word};
use surefoot_core::transform::{Cut, Transform};

impl Builder<'_> {
    /// Adds the feature whose name is the arena from `mark` on. If the example has it already, adds to its value and
    /// drops the second copy of the name.
    pub(super) fn push(&mut self, mark: usize, value: f64, fields: u64, origin: Origin) {
        let Batch { bytes, keys, values, scratch, .. } = &mut *self.batch;
        let (key, next) = (name_key(&bytes[mark..], self.seed), keys.len() - self.start);
        scratch.seen.reserve(&keys[self.start..], 1);
        keys.push(key);
        let position = scratch.seen.table().first(&keys[self.start..], key, next);
        keys.pop();
        if position < next {
            values[self.start + position] += value;
            bytes.truncate(mark);
        } else if let Some(name) = self.span(mark..self.batch.bytes.len()) {
            self.batch.names.push(name);
            self.batch.keys.push(key);
            self.batch.values.push(value);
            self.describe(1, fields, origin);
        } else {
            self.batch.bytes.truncate(mark);
        }
    }

    /// The words of a text that are features by themselves. The text is copied to the arena whole, and names point into
    /// it; only words whose letters beyond ASCII were folded are copied one by one.
    ///
    /// All are found before the first is hashed and all are hashed before the first is looked for: each of the three
    /// loops guesses wrong now and then, and then loses only its own work ahead.
    pub(super) fn words(&mut self, text: &str, traits: Traits, scratch: &mut TextScratch) {
        let recipe = &self.plan.recipe().text;
        let Batch { bytes, names, scratch: BuilderScratch { words, .. }, .. } = &mut *self.batch;
        let (base, first) = (bytes.len(), names.len());
        bytes.extend_from_slice(text.as_bytes());
        if recipe.lowercase {
            bytes[base..].make_ascii_lowercase();
        }
        text::plain_words(recipe, text, scratch, &mut |word| match word {
            Word::Plain(place) => {
                names.push(Span { start: (base + place.start) as u32, len: place.len() as u32 })
            }
            Word::Beyond(word) => {
                names.push(Span { start: bytes.len() as u32, len: word.len() as u32 });
                bytes.extend_from_slice(word.as_bytes());
            }
        });
        if recipe.apart {
            words.clear();
            words.extend_from_slice(&names[first..]);
        }
        let cut = recipe.apart.then_some(Cut::Words);
        self.gather_names(first, traits.fields, Origin { values: recipe.values, cut });
    }

    /// The pairs of the words that were found last. Where one blank is between them their name is a piece of the text.
    pub(super) fn pairs(&mut self, traits: Traits) {
        let recipe = &self.plan.recipe().text;
        if recipe.ngrams.is_none_or(|lengths| lengths.max < 2) {
            return;
        }
        let Batch { bytes, names, scratch, .. } = &mut *self.batch;
        let first = names.len();
        for pair in scratch.words.windows(2) {
            let (start, end) = (pair[0].start, pair[1].start + pair[1].len);
            let between = pair[0].start + pair[0].len;
            if between + 1 == pair[1].start && bytes[between as usize] == b' ' {
                names.push(Span { start, len: end - start });
                continue;
            }
            let start = bytes.len();
            for (word, blank) in pair.iter().zip([true, false]) {
                bytes.extend_from_within(word.start as usize..(word.start + word.len) as usize);
                bytes.extend(blank.then_some(b' '));
            }
            names.push(Span { start: start as u32, len: (bytes.len() - start) as u32 });
        }
        self.gather_names(first, traits.fields, Origin { values: recipe.values, cut: Some(Cut::Pairs) });
    }

    /// The character n-grams of a text.
    pub(super) fn characters(&mut self, text: &str, traits: Traits, scratch: &mut TextScratch) {
        let recipe = &self.plan.recipe().text;
        let Batch { bytes, names, .. } = &mut *self.batch;
        let first = names.len();
        text::characters(recipe, text, scratch, &mut |name| {
            names.push(Span { start: bytes.len() as u32, len: name.len() as u32 });
            bytes.extend_from_slice(name.as_bytes());
        });
        self.gather_names(first, traits.fields, Origin { values: recipe.values, cut: Some(Cut::Characters) });
    }

    /// Makes features of the names from `first` on.
    fn gather_names(&mut self, first: usize, fields: u64, origin: Origin) {
        let Batch { bytes, names, keys, .. } = &mut *self.batch;
        if u32::try_from(bytes.len()).is_err() {
            names.truncate(first);
            return self.refuse(FeatureProblem::TooLarge { limit: FEATURE_LIMIT });
        }
        name_keys(bytes, &names[first..], self.seed, keys);
        self.gather(first, fields, origin);
    }

    /// Makes features of the names and keys from `first` on: of those that repeat one before, none remains but the sum.
    fn gather(&mut self, first: usize, fields: u64, origin: Origin) {
        let Batch { names, keys, values, scratch, .. } = &mut *self.batch;
        scratch.seen.reserve(&keys[self.start..first], keys.len() - first);
        values.resize(keys.len(), 0.0);
        // Slices of the example, so that the loop need not ask the batch where they are each time.
        let (mut seen, names_of) = (scratch.seen.table(), &mut names[self.start..]);
        let (keys_of, values_of) = (&mut keys[self.start..], &mut values[self.start..]);
        let known = first - self.start;
        let mut next = known;
        for at in known..keys_of.len() {
            let (key, name) = (keys_of[at], names_of[at]);
            // Where a repeated one was put, the next one goes.
            (keys_of[next], names_of[next]) = (key, name);
            let position = seen.first(keys_of, key, next);
            values_of[position] += self.scale;
            next += usize::from(position == next);
        }
        keys.truncate(self.start + next);
        values.truncate(self.start + next);
        names.truncate(self.start + next);
        self.describe(next - known, fields, origin);
        if next > FEATURE_LIMIT {
            self.refuse(FeatureProblem::TooLarge { limit: FEATURE_LIMIT });
        }
    }

    /// Notes the fields and the origin of the last `count` features.
    #[inline]
    fn describe(&mut self, count: usize, fields: u64, origin: Origin) {
        let scratch = &mut self.batch.scratch;
        if !self.plan.crossings().is_empty() {
            scratch.fields.extend(iter::repeat_n(fields, count));
        }
        match scratch.runs.last_mut() {
            Some((last, so_far)) if *last == origin => *so_far += count,
            _ => scratch.runs.push((origin, count)),
        }
    }

    pub(super) fn finish_named(&mut self) -> Result<(), FeatureProblem> {
        self.settle(true)?;
        if !self.plan.crossings().is_empty() {
            self.batch.scratch.seen.rebuild(&self.batch.keys[self.start..]);
            self.cross();
            if let Some(problem) = self.problem.take() {
                return Err(problem);
            }
            self.settle(false)?;
        }
        if self.plan.recipe().text.apart {
            self.sort_by_cut();
        }
        Ok(())
    }

    /// Puts what was cut from text in each way behind the rest, in the order in which it came.
    fn sort_by_cut(&mut self) {
        let Batch { keys, values, names, scratch, .. } = &mut *self.batch;
        let place = |origin: &Origin| origin.cut.map(|cut| cut as usize);
        for (origin, count) in &scratch.runs {
            place(origin).into_iter().for_each(|cut| self.head.segments.0[cut] += *count as u32);
        }
        if scratch.runs.is_sorted_by_key(|(origin, _)| place(origin)) {
            return;
        }
        scratch.moved.clear();
        for wanted in [None, Some(0), Some(1), Some(2)] {
            let mut at = self.start;
            for (origin, count) in &scratch.runs {
                let run = at..at + count;
                at = run.end;
                if place(origin) == wanted {
                    scratch.moved.extend(run.map(|from| (keys[from], values[from], names[from])));
                }
            }
        }
        for (to, &moved) in (self.start..).zip(&scratch.moved) {
            (keys[to], values[to], names[to]) = moved;
        }
    }

    /// Refuses what is not finite, closes the gaps that zeros leave, and transforms the rest if asked to.
    fn settle(&mut self, transform: bool) -> Result<(), FeatureProblem> {
        if !are_usable(&self.batch.values[self.start..]) {
            self.drop_zeros()?;
        }
        let Batch { values, scratch, .. } = &mut *self.batch;
        let mut rest = &mut values[self.start..];
        for &(Origin { values, .. }, count) in scratch.runs.iter().filter(|_| transform) {
            let (these, others) = rest.split_at_mut(count);
            if values != Transform::None {
                these.iter_mut().for_each(|value| *value = values.apply(*value));
            }
            rest = others;
        }
        Ok(())
    }

    #[cold]
    fn drop_zeros(&mut self) -> Result<(), FeatureProblem> {
        let Batch { keys, values, names, bytes, scratch, .. } = &mut *self.batch;
        let origins = scratch.runs.iter().flat_map(|&(origin, count)| iter::repeat_n(origin, count));
        let (mut kept, mut left) = (self.start, Vec::<(Origin, usize)>::new());
        for (from, origin) in (self.start..keys.len()).zip(origins) {
            let value = values[from];
            if !value.is_finite() {
                let name = slice(bytes, names[from]);
                return Err(FeatureProblem::NotFinite { name: String::from_utf8_lossy(name).into(), value });
            }
            if value != 0.0 {
                (values[kept], keys[kept], names[kept]) = (value, keys[from], names[from]);
                if let Some(&fields) = scratch.fields.get(from - self.start) {
                    scratch.fields[kept - self.start] = fields;
                }
                left.push((origin, 1));
                kept += 1;
            }
        }
        scratch.runs = left;
        keys.truncate(kept);
        values.truncate(kept);
        names.truncate(kept);
        scratch.fields.truncate(kept - self.start);
        Ok(())
    }

    /// What the recipe says of a feature or column of this name, or none if it is left out or unusable.
    pub(super) fn admit(&mut self, name: &[u8]) -> Option<Traits> {
        if self.given {
            self.refuse_name(name);
            return None;
        }
        if std::str::from_utf8(name).is_err() {
            self.refuse_bytes("feature name", name);
            return None;
        }
        self.select(name)
    }

    /// What the recipe says of a feature, or none if it is left out.
    pub(super) fn select(&mut self, name: &[u8]) -> Option<Traits> {
        if !self.plan.is_selective() {
            return Some(Traits::default());
        }
        let mut traits = self.namespace.or(self.plan.traits(name));
        if !self.batch.scratch.prefix.is_empty() {
            let mark = self.compose(&[name]);
            traits = traits.or(self.plan.traits(&self.batch.bytes[mark..]));
            self.batch.bytes.truncate(mark);
        }
        self.plan.wants(traits).then_some(traits)
    }

    /// Writes the parts of a name behind the namespace to the end of the arena, and returns where it begins.
    pub(super) fn compose(&mut self, parts: &[&[u8]]) -> usize {
        let Batch { bytes, scratch, .. } = &mut *self.batch;
        let mark = bytes.len();
        bytes.extend_from_slice(&scratch.prefix);
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        mark
    }

    pub(super) fn refuse_bytes(&mut self, what: &'static str, found: &[u8]) {
        self.refuse(FeatureProblem::NotUtf8 { what, found: shown(found) });
    }
}
