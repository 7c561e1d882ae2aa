//! From the pieces of a parsed line to the features of an example.
//!
//! The builder does all that does not depend on the state of the stream, so that any number of workers can do it at
//! once: names, text, what is kept and crossed, sums of repeated features, the value transform. What depends on the
//! stream (indices, running scale, normalisation, bias) is the work of one thread and its [`Encoder`](crate::Encoder).
//!
//! Names: a feature `f` of namespace `n` is called `n^f`, a category `column=value`, a word of a text column
//! `column^word`, the product of two features `a*b`. The name is the identity: two features of one name are one.

mod cross;
mod given;
mod named;
mod seen;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::mem;
use std::ops::Range;

use surefoot_core::check_weight;

use crate::batch::{Batch, ExampleHead, Span};
use crate::error::shown;
use crate::problem::FeatureProblem;
use crate::recipe::{Plan, SpaceKind, Traits};
use crate::text::{self, TextScratch};
use seen::Seen;
use surefoot_core::transform::{Transform, unit_divisor};

/// Features that one example may have. More is a mistake in the settings or an attack, not data.
pub const FEATURE_LIMIT: usize = 1 << 24;

/// Between two parts of a name.
const JOINT: u8 = b'^';

/// Buffers of the builder, kept in the batch.
#[derive(Debug, Default)]
pub(crate) struct BuilderScratch {
    seen: Seen,
    /// Beside each named feature of the example, if there are interactions: its fields in them.
    fields: Vec<u64>,
    /// The transforms that named features are to get, and how many features have this one or one before.
    transforms: Vec<(Transform, usize)>,
    /// The current namespace with its joint, or nothing.
    prefix: Vec<u8>,
    pairs: Vec<(u64, f64)>,
    text: TextScratch,
}

/// Puts the pieces of one line after another into a batch.
///
/// ```
/// use surefoot_data::{Batch, Builder, Plan, Recipe};
///
/// let plan = Plan::new(Recipe::default()).unwrap();
/// let mut batch = Batch::new();
/// let mut builder = Builder::new(&plan, &mut batch);
/// builder.begin(1);
/// builder.label(b"spam");
/// builder.namespace(b"user", 1.0);
/// builder.feature(b"age", 31.0);
/// builder.category(b"country", b"ch");
/// builder.finish().unwrap();
///
/// let features = batch.example(0).features;
/// assert_eq!(features.name(0), b"user^age");
/// assert_eq!(features.name(1), b"user^country=ch");
/// assert_eq!(features.values(), [31.0, 1.0]);
/// ```
#[derive(Debug)]
pub struct Builder<'a> {
    plan: &'a Plan,
    batch: &'a mut Batch,
    /// Integers as given: no names anywhere.
    given: bool,
    /// Whether the first integer feature of the batch makes it one of integers as given.
    undecided: bool,
    seed: u64,
    head: ExampleHead,
    /// Where the features of the current example begin.
    start: usize,
    scale: f64,
    namespace: Traits,
    problem: Option<FeatureProblem>,
}

impl<'a> Builder<'a> {
    /// A builder that appends to `batch`.
    pub fn new(plan: &'a Plan, batch: &'a mut Batch) -> Self {
        let space = plan.recipe().space;
        // Names that share a slot of a hashed space are one feature already within an example.
        let (seed, telling) = match space {
            SpaceKind::Hashed { bits, seed } => (seed, (1 << bits) - 1),
            _ => (0, u64::MAX),
        };
        batch.scratch.seen.tell_apart_by(telling);
        let given = space == SpaceKind::AsGiven;
        let mut builder = Builder {
            plan,
            batch,
            given,
            undecided: space == SpaceKind::Auto,
            seed,
            head: ExampleHead::default(),
            start: 0,
            scale: 1.0,
            namespace: Traits::default(),
            problem: None,
        };
        builder.begin(0);
        builder
    }

    /// Starts an example. One that was begun and neither finished nor abandoned is forgotten.
    pub fn begin(&mut self, line: u64) {
        self.abandon();
        let labels = self.batch.labels.len() as u32;
        self.head = ExampleHead {
            line,
            weight: 1.0,
            labels_start: labels,
            labels_end: labels,
            tag: None,
            end: 0,
            length: 0.0,
        };
        self.batch.scratch.prefix.clear();
        self.scale = 1.0;
        self.namespace = Traits::default();
    }

    /// The label, as the file spells it; it takes the place of one that was given before.
    pub fn label(&mut self, label: &[u8]) {
        if std::str::from_utf8(label).is_err() {
            self.refuse_bytes("label", label);
        }
        let span = self.store(label);
        self.batch.labels.truncate(self.head.labels_start as usize);
        self.batch.labels.extend(span);
    }

    /// The importance weight.
    pub fn weight(&mut self, weight: f64) {
        if check_weight(weight).is_err() {
            self.refuse(FeatureProblem::Weight(weight));
        }
        self.head.weight = weight;
    }

    /// The id or tag that predictions echo.
    pub fn tag(&mut self, tag: &[u8]) {
        self.head.tag = self.store(tag);
    }

    /// A feature that the file gives as an integer. In a space of names it is named by its digits.
    #[inline]
    pub fn indexed(&mut self, id: u64, value: f64) {
        self.given |= self.undecided && self.batch.names.is_empty();
        if self.given {
            self.batch.keys.push(id);
            self.batch.values.push(value);
        } else {
            self.indexed_by_name(id, value);
        }
    }

    /// A row of a matrix: integer features and their values, in any order. Far quicker than one call a feature.
    pub fn row(&mut self, ids: impl Iterator<Item = u64>, values: impl Iterator<Item = f64>) {
        self.given |= self.undecided && self.batch.names.is_empty();
        if self.given {
            self.batch.keys.extend(ids);
            self.batch.values.extend(values);
            // Iterators of unequal length would pair ids with values of the next example.
            let paired = self.batch.keys.len().min(self.batch.values.len());
            self.batch.keys.truncate(paired);
            self.batch.values.truncate(paired);
        } else {
            ids.zip(values).for_each(|(id, value)| self.indexed_by_name(id, value));
        }
    }

    // Apart, so that the path of integers as given stays small enough to be inlined into the parser's loop.
    #[inline(never)]
    fn indexed_by_name(&mut self, id: u64, value: f64) {
        self.feature(id.to_string().as_bytes(), value);
    }

    /// Features that follow belong to this namespace, and their values are multiplied by `scale`.
    pub fn namespace(&mut self, name: &[u8], scale: f64) {
        if std::str::from_utf8(name).is_err() {
            self.refuse_bytes("namespace", name);
        }
        self.scale = scale;
        self.namespace = self.plan.traits(name);
        let prefix = &mut self.batch.scratch.prefix;
        prefix.clear();
        if !name.is_empty() {
            prefix.extend_from_slice(name);
            prefix.push(JOINT);
        }
    }

    /// A numeric feature with a name.
    pub fn feature(&mut self, name: &[u8], value: f64) {
        match std::str::from_utf8(name) {
            Ok(name) => self.named(name, value),
            Err(_) if self.given => self.refuse_name(name),
            Err(_) => self.refuse_bytes("feature name", name),
        }
    }

    /// As [`Builder::feature`], for a name that is known to be text.
    pub fn named(&mut self, name: &str, value: f64) {
        let name = name.as_bytes();
        if self.given {
            return self.digits(name, value);
        }
        if let Some(traits) = self.select(name) {
            let values = self.plan.recipe().values;
            let mark = self.compose(&[name]);
            self.push(mark, value * self.scale, traits.fields, values);
        }
    }

    /// A feature `name=value` of value 1.
    pub fn category(&mut self, name: &[u8], value: &[u8]) {
        if std::str::from_utf8(value).is_err() {
            return self.refuse_bytes("category", value);
        }
        if let Some(traits) = self.admit(name) {
            let values = self.plan.recipe().values;
            let mark = self.compose(&[name, b"=", value]);
            self.push(mark, self.scale, traits.fields, values);
        }
    }

    /// Text, which the recipe turns into features. Invalid UTF-8 in it is replaced, not refused.
    pub fn text(&mut self, name: &[u8], text: &[u8]) {
        let Some(traits) = self.admit(name) else { return };
        let recipe = &self.plan.recipe().text;
        let mut scratch = mem::take(&mut self.batch.scratch.text);
        let joint: &[u8] = if name.is_empty() { b"" } else { b"^" };
        let bare = name.is_empty() && self.batch.scratch.prefix.is_empty();
        // `from_utf8_lossy` goes by characters where this goes by words.
        let text = std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
        if bare && recipe.just_words() {
            self.words(&text, traits, &mut scratch);
        } else {
            text::features(recipe, &text, &mut scratch, &mut |token| {
                let mark = self.compose(&[name, joint, token.as_bytes()]);
                self.push(mark, self.scale, traits.fields, recipe.values);
            });
        }
        self.batch.scratch.text = scratch;
    }

    /// Ends the example: repeated features summed, values transformed, zeros dropped, canonical order.
    /// After an error the example is already rolled back.
    pub fn finish(&mut self) -> Result<(), FeatureProblem> {
        let done = match self.problem.take() {
            Some(problem) => Err(problem),
            None if self.given => self.finish_given(),
            None => self.finish_named(),
        };
        match done {
            Ok(()) => {
                self.head.end = self.batch.keys.len();
                if self.plan.makes_unit_rows() {
                    // Here, where threads are many, and not where all examples are learned.
                    self.head.length = unit_divisor(&self.batch.values[self.start..]);
                }
                self.head.labels_end = self.batch.labels.len() as u32;
                self.batch.heads.push(self.head);
                self.start = self.head.end;
                self.batch.scratch.reset();
                Ok(())
            }
            Err(problem) => {
                self.abandon();
                Err(problem)
            }
        }
    }

    /// Rolls back an example that was begun.
    pub fn abandon(&mut self) {
        let (start, labels) =
            self.batch.heads.last().map_or((0, 0), |head| (head.end, head.labels_end as usize));
        self.start = start;
        self.batch.labels.truncate(labels);
        self.batch.keys.truncate(self.start);
        self.batch.values.truncate(self.start);
        self.batch.names.truncate(self.start);
        self.batch.scratch.reset();
        self.problem = None;
    }

    /// What the recipe says of a feature or column of this name, or none if it is left out or unusable.
    fn admit(&mut self, name: &[u8]) -> Option<Traits> {
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
    fn select(&mut self, name: &[u8]) -> Option<Traits> {
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
    fn compose(&mut self, parts: &[&[u8]]) -> usize {
        let Batch { bytes, scratch, .. } = &mut *self.batch;
        let mark = bytes.len();
        bytes.extend_from_slice(&scratch.prefix);
        parts.iter().for_each(|part| bytes.extend_from_slice(part));
        mark
    }

    /// Copies bytes into the arena.
    fn store(&mut self, bytes: &[u8]) -> Option<Span> {
        let mark = self.batch.bytes.len();
        self.batch.bytes.extend_from_slice(bytes);
        let span = self.span(mark..self.batch.bytes.len());
        if span.is_none() {
            self.batch.bytes.truncate(mark);
        }
        span
    }

    /// A piece of the arena; none if the example has become too large.
    #[inline]
    fn span(&mut self, piece: Range<usize>) -> Option<Span> {
        let fits = self.batch.keys.len() - self.start < FEATURE_LIMIT;
        match (u32::try_from(piece.start), u32::try_from(piece.end)) {
            (Ok(start), Ok(end)) if fits => Some(Span { start, len: end - start }),
            _ => {
                self.refuse(FeatureProblem::TooLarge { limit: FEATURE_LIMIT });
                None
            }
        }
    }

    /// Remembers the first problem of the example, for `finish` to report.
    fn refuse(&mut self, problem: FeatureProblem) {
        self.problem.get_or_insert(problem);
    }

    fn refuse_bytes(&mut self, what: &'static str, found: &[u8]) {
        self.refuse(FeatureProblem::NotUtf8 { what, found: shown(found) });
    }
}

impl BuilderScratch {
    fn reset(&mut self) {
        self.seen.clear();
        self.fields.clear();
        self.transforms.clear();
    }
}
