//! Features with names: each is hashed to a key, and a name that the example has already adds to its value.

use super::Builder;
use crate::batch::{Batch, Span};
use crate::key::name_key;
use crate::problem::FeatureProblem;
use crate::recipe::Values;

impl Builder<'_> {
    /// Adds the feature whose name is the arena from `mark` on. If the example has it already, adds to its value and
    /// drops the second copy of the name.
    pub(super) fn push(&mut self, mark: usize, value: f64, fields: u64, transform: Values) {
        let key = name_key(&self.batch.bytes[mark..], self.seed);
        if self.is_repeated(key, value) {
            self.batch.bytes.truncate(mark);
        } else {
            self.push_new(key, mark, value, fields, transform);
        }
    }

    /// The same for a word of a text, which is copied to the arena only if it is new.
    #[inline]
    pub(super) fn push_token(&mut self, token: &[u8], fields: u64, transform: Values) {
        let key = name_key(token, self.seed);
        if !self.is_repeated(key, self.scale) {
            let mark = self.batch.bytes.len();
            self.batch.bytes.extend_from_slice(token);
            self.push_new(key, mark, self.scale, fields, transform);
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

    fn push_new(&mut self, key: u64, mark: usize, value: f64, fields: u64, transform: Values) {
        if let Some(span) = self.span(mark) {
            self.batch.names.push(span);
            self.batch.keys.push(key);
            self.batch.values.push(value);
            self.batch.scratch.fields.push(fields);
            self.batch.scratch.transforms.push(transform);
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
        Ok(())
    }

    /// Refuses what is not finite, transforms the rest if asked to, and closes the gaps that zeros leave.
    fn settle(&mut self, transform: bool) -> Result<(), FeatureProblem> {
        let Batch { keys, values, names, bytes, scratch, .. } = &mut *self.batch;
        let mut kept = self.start;
        for from in self.start..keys.len() {
            let at = from - self.start;
            let value = values[from];
            if !value.is_finite() {
                let Span { start, len } = names[from];
                let name = &bytes[start as usize..][..len as usize];
                return Err(FeatureProblem::NotFinite { name: String::from_utf8_lossy(name).into(), value });
            }
            if value != 0.0 {
                values[kept] = if transform { scratch.transforms[at].apply(value) } else { value };
                keys[kept] = keys[from];
                names[kept] = names[from];
                scratch.fields[kept - self.start] = scratch.fields[at];
                kept += 1;
            }
        }
        keys.truncate(kept);
        values.truncate(kept);
        names.truncate(kept);
        scratch.fields.truncate(kept - self.start);
        scratch.transforms.truncate(kept - self.start);
        Ok(())
    }
}
