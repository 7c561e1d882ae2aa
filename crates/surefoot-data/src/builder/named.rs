//! Features with names: each is hashed to a key, and a name that the example has already adds to its value.

use std::mem;
use std::ops::Range;

use super::Builder;
use crate::batch::{Batch, Span};
use crate::key::name_key;
use crate::problem::FeatureProblem;
use crate::recipe::{Traits, Values};
use crate::text::{self, TextScratch, Word};

/// Words of a text, before they become features.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Where each stands in the arena.
    places: Vec<Range<usize>>,
    keys: Vec<u64>,
}

impl Builder<'_> {
    /// Adds the feature whose name is the arena from `mark` on. If the example has it already, adds to its value and
    /// drops the second copy of the name.
    pub(super) fn push(&mut self, mark: usize, value: f64, fields: u64, transform: Values) {
        let name = mark..self.batch.bytes.len();
        let key = name_key(&self.batch.bytes[mark..], self.seed);
        if self.is_repeated(key, value) || !self.push_new(key, name, value, fields, transform) {
            self.batch.bytes.truncate(mark);
        }
    }

    /// The words of a text that are features by themselves. The text is copied to the arena whole, and names point into
    /// it; only words whose letters beyond ASCII were folded are copied one by one.
    pub(super) fn words(&mut self, text: &str, traits: Traits, scratch: &mut TextScratch) {
        let recipe = &self.plan.recipe().text;
        let base = self.batch.bytes.len();
        self.batch.bytes.extend_from_slice(text.as_bytes());
        if recipe.lowercase {
            self.batch.bytes[base..].make_ascii_lowercase();
        }
        let mut found = mem::take(&mut self.batch.scratch.found);
        text::plain_words(recipe, text, scratch, &mut |word| match word {
            Word::Plain(place) => found.places.push(base + place.start..base + place.end),
            Word::Beyond(word) => {
                let mark = self.batch.bytes.len();
                self.batch.bytes.extend_from_slice(word.as_bytes());
                found.places.push(mark..self.batch.bytes.len());
            }
        });
        self.push_found(&mut found, traits.fields, recipe.values);
        self.batch.scratch.found = found;
    }

    /// Adds the words that were found. All are found before the first is hashed and all are hashed before the first is
    /// looked for: each of the three loops guesses wrong now and then, and then loses only its own work ahead.
    fn push_found(&mut self, found: &mut Found, fields: u64, transform: Values) {
        let Found { places, keys } = found;
        keys.extend(places.iter().map(|place| name_key(&self.batch.bytes[place.clone()], self.seed)));
        for (key, place) in keys.drain(..).zip(places.drain(..)) {
            if !self.is_repeated(key, self.scale) {
                self.push_new(key, place, self.scale, fields, transform);
            }
        }
    }

    /// Whether the example has a feature of this key already; adds to its value if so.
    #[inline]
    fn is_repeated(&mut self, key: u64, value: f64) -> bool {
        let Batch { keys, values, scratch, .. } = &mut *self.batch;
        let next = keys.len() - self.start;
        match scratch.seen.find_or_insert(key, next as u32) {
            // A feature that found no room has a position and no value.
            Some(position) => {
                values.get_mut(self.start + position as usize).into_iter().for_each(|sum| *sum += value);
                true
            }
            None => false,
        }
    }

    /// Adds a feature that the example does not have; false if there is no room for it.
    #[inline]
    fn push_new(&mut self, key: u64, name: Range<usize>, value: f64, fields: u64, transform: Values) -> bool {
        let Some(span) = self.span(name) else { return false };
        let Batch { names, keys, values, scratch, .. } = &mut *self.batch;
        names.push(span);
        keys.push(key);
        values.push(value);
        if !self.plan.crossings().is_empty() {
            scratch.fields.push(fields);
        }
        match scratch.transforms.last_mut() {
            Some((last, count)) if *last == transform => *count += 1,
            _ => scratch.transforms.push((transform, 1)),
        }
        true
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
        Ok(())
    }

    /// Refuses what is not finite, closes the gaps that zeros leave, and transforms the rest if asked to.
    fn settle(&mut self, transform: bool) -> Result<(), FeatureProblem> {
        let values = &self.batch.values[self.start..];
        // No early exit: nearly every example passes, and a loop without branches is the faster one.
        let usual = values.iter().fold(true, |so_far, value| so_far & value.is_finite() & (*value != 0.0));
        if !usual {
            self.drop_zeros()?;
        }
        let Batch { values, scratch, .. } = &mut *self.batch;
        let mut rest = &mut values[self.start..];
        for &(values, count) in scratch.transforms.iter().filter(|_| transform) {
            let (these, others) = rest.split_at_mut(count);
            if values != Values::None {
                these.iter_mut().for_each(|value| *value = values.apply(*value));
            }
            rest = others;
        }
        Ok(())
    }

    #[cold]
    fn drop_zeros(&mut self) -> Result<(), FeatureProblem> {
        let Batch { keys, values, names, bytes, scratch, .. } = &mut *self.batch;
        let transforms =
            scratch.transforms.iter().flat_map(|&(values, count)| std::iter::repeat_n(values, count));
        let (mut kept, mut left) = (self.start, Vec::<(Values, usize)>::new());
        for (from, transform) in (self.start..keys.len()).zip(transforms) {
            let value = values[from];
            if !value.is_finite() {
                let Span { start, len } = names[from];
                let name = &bytes[start as usize..][..len as usize];
                return Err(FeatureProblem::NotFinite { name: String::from_utf8_lossy(name).into(), value });
            }
            if value != 0.0 {
                (values[kept], keys[kept], names[kept]) = (value, keys[from], names[from]);
                if let Some(&fields) = scratch.fields.get(from - self.start) {
                    scratch.fields[kept - self.start] = fields;
                }
                left.push((transform, 1));
                kept += 1;
            }
        }
        scratch.transforms = left;
        keys.truncate(kept);
        values.truncate(kept);
        names.truncate(kept);
        scratch.fields.truncate(kept - self.start);
        Ok(())
    }
}
