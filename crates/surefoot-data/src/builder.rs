//! From the pieces of a parsed line to the features of an example.
//!
//! The builder does all that does not depend on the state of the stream, so that any number of workers can do it at
//! once: names, text, what is kept and crossed, sums of repeated features, the value transform. What depends on the
//! stream (indices, running scale, normalisation, bias) is the work of one thread and its [`Encoder`](crate::Encoder).
//!
//! Names: a feature `f` of namespace `n` is called `n^f`, a category `column=value`, a word of a text column
//! `column^word`, the product of two features `a*b`. The name is the identity: two features of one name are one.

mod cross;
mod named;
mod seen;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::mem;
use std::ops::Range;

use surefoot_core::check_weight;

use crate::batch::{Batch, ExampleHead, Span, is_canonical};
use crate::key::BIAS_KEY;
use crate::problem::FeatureProblem;
use crate::recipe::{Plan, SpaceKind, Traits};
use crate::record::Sink;
use crate::text::{self, TextScratch};
use seen::Seen;
use surefoot_core::transform::{Cut, Transform, unit_divisor};

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
    /// The transforms that named features are to get and what cut them from text, and how many features in a row are alike.
    runs: Vec<(Origin, usize)>,
    /// The words of a text, one after the other.
    words: Vec<Span>,
    /// Features that are put in another order.
    moved: Vec<(u64, f64, Span)>,
    /// The current namespace with its joint, or nothing.
    prefix: Vec<u8>,
    pairs: Vec<(u64, f64)>,
    text: TextScratch,
}

/// Where a named feature comes from, as far as it matters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Origin {
    /// The transform that it is to get.
    values: Transform,
    /// What cut it from text, where that is to be known.
    cut: Option<Cut>,
}

/// Puts the pieces of one line after another into a batch.
///
/// ```
/// use surefoot_data::{Batch, Builder, Plan, Recipe, Sink};
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
    /// Whether the recipe leaves any integers out, and whether it makes rows of length 1.
    selects_ids: bool,
    unit_rows: bool,
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
        let mut builder = Builder {
            plan,
            batch,
            given: space == SpaceKind::AsGiven,
            undecided: space == SpaceKind::Auto,
            selects_ids: plan.selects_ids(),
            unit_rows: plan.makes_unit_rows(),
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
        let (labels_start, labels_end) = (labels, labels);
        self.head = ExampleHead { line, weight: 1.0, labels_start, labels_end, ..ExampleHead::default() };
        self.batch.scratch.prefix.clear();
        self.scale = 1.0;
        self.namespace = Traits::default();
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
                if self.unit_rows {
                    // Here, where threads are many, and not where all examples are learned.
                    self.head.length = unit_divisor(&self.batch.values[self.start..]);
                }
                self.head.labels_end = self.batch.labels.len() as u32;
                self.batch.heads.push(self.head);
                self.start = self.head.end;
                self.forget_names();
                Ok(())
            }
            Err(problem) => {
                self.abandon();
                Err(problem)
            }
        }
    }

    /// Ends an example that stands for a record without features: a blank one, or a bad one that is skipped.
    pub(crate) fn finish_empty(&mut self, skipped: bool) {
        self.head.skipped = skipped;
        self.head.end = self.batch.keys.len();
        self.batch.heads.push(self.head);
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
        self.forget_names();
        self.problem = None;
    }
}

impl Sink for Builder<'_> {
    /// It takes the place of one that was given before.
    fn label(&mut self, label: &[u8]) {
        if std::str::from_utf8(label).is_err() {
            self.refuse_bytes("label", label);
        }
        let span = self.store(label);
        self.batch.labels.truncate(self.head.labels_start as usize);
        self.batch.labels.extend(span);
        self.head.several = false;
    }

    fn labels<'l>(&mut self, labels: impl Iterator<Item = &'l [u8]>) {
        self.batch.labels.truncate(self.head.labels_start as usize);
        self.head.several = true;
        for label in labels {
            if std::str::from_utf8(label).is_err() {
                self.refuse_bytes("label", label);
            }
            let span = self.store(label);
            self.batch.labels.extend(span);
        }
    }

    fn weight(&mut self, weight: f64) {
        if check_weight(weight).is_err() {
            self.refuse(FeatureProblem::Weight(weight));
        }
        self.head.weight = weight;
    }

    fn tag(&mut self, tag: &[u8]) {
        self.head.tag = self.store(tag);
    }

    /// In a space of names it is named by its digits.
    #[inline]
    fn indexed(&mut self, id: u64, value: f64) {
        self.given |= self.undecided && self.batch.names.is_empty();
        if self.given {
            self.batch.keys.push(id);
            self.batch.values.push(value);
        } else {
            self.indexed_by_name(id, value);
        }
    }

    // Always: where the parser knows how many there are, no call copies them.
    #[inline(always)]
    fn row(&mut self, ids: impl Iterator<Item = u64>, values: impl Iterator<Item = f64>) {
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

    fn namespace(&mut self, name: &[u8], scale: f64) {
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

    fn feature(&mut self, name: &[u8], value: f64) {
        match std::str::from_utf8(name) {
            Ok(name) => self.named(name, value),
            Err(_) if self.given => self.refuse_name(name),
            Err(_) => self.refuse_bytes("feature name", name),
        }
    }

    fn named(&mut self, name: &str, value: f64) {
        let name = name.as_bytes();
        if self.given {
            return self.digits(name, value);
        }
        if let Some(traits) = self.select(name) {
            let values = self.plan.recipe().values;
            let mark = self.compose(&[name]);
            self.push(mark, value * self.scale, traits.fields, Origin { values, cut: None });
        }
    }

    fn category(&mut self, name: &[u8], value: &[u8]) {
        if std::str::from_utf8(value).is_err() {
            return self.refuse_bytes("category", value);
        }
        if let Some(traits) = self.admit(name) {
            let values = self.plan.recipe().values;
            let mark = self.compose(&[name, b"=", value]);
            self.push(mark, self.scale, traits.fields, Origin { values, cut: None });
        }
    }

    /// Invalid UTF-8 in it is replaced, not refused.
    fn text(&mut self, name: &[u8], text: &[u8]) {
        let Some(traits) = self.admit(name) else { return };
        let recipe = &self.plan.recipe().text;
        let mut scratch = mem::take(&mut self.batch.scratch.text);
        let joint: &[u8] = if name.is_empty() { b"" } else { b"^" };
        let bare = name.is_empty() && self.batch.scratch.prefix.is_empty();
        // `from_utf8_lossy` goes by characters where this goes by words.
        let text = std::str::from_utf8(text).map_or_else(|_| String::from_utf8_lossy(text), Cow::Borrowed);
        if bare && recipe.just_words() {
            self.words(&text, traits, &mut scratch);
        } else if bare && recipe.is_cut_plainly() {
            self.words(&text, traits, &mut scratch);
            self.pairs(traits);
            self.characters(&text, traits, &mut scratch);
        } else {
            text::features(recipe, &text, &mut scratch, &mut |cut, token| {
                let mark = self.compose(&[name, joint, token.as_bytes()]);
                let cut = Some(cut).filter(|_| recipe.apart);
                self.push(mark, self.scale, traits.fields, Origin { values: recipe.values, cut });
            });
        }
        self.batch.scratch.text = scratch;
    }
}

impl Builder<'_> {
    /// Forgets what is noted beside the names of an example; integers as given have nothing there.
    fn forget_names(&mut self) {
        if !self.given {
            let scratch = &mut self.batch.scratch;
            scratch.seen.clear();
            scratch.fields.clear();
            scratch.runs.clear();
        }
    }

    // Apart, so that the path of integers as given stays small enough to be inlined into the parser's loop.
    #[inline(never)]
    fn indexed_by_name(&mut self, id: u64, value: f64) {
        self.feature(id.to_string().as_bytes(), value);
    }

    /// A named feature in a space of integers: digits are an id, anything else is refused.
    fn digits(&mut self, name: &[u8], value: f64) {
        let plain = self.batch.scratch.prefix.is_empty() && name.iter().all(u8::is_ascii_digit);
        match std::str::from_utf8(name).ok().and_then(|digits| digits.parse().ok()) {
            Some(id) if plain => self.indexed(id, value),
            _ => self.refuse_name(name),
        }
    }

    fn refuse_name(&mut self, name: &[u8]) {
        let mark = self.compose(&[name]);
        let name = String::from_utf8_lossy(&self.batch.bytes[mark..]).into_owned();
        self.refuse(FeatureProblem::NameAmongIntegers(name));
    }

    fn finish_given(&mut self) -> Result<(), FeatureProblem> {
        let keys = &self.batch.keys[self.start..];
        if keys.len() > FEATURE_LIMIT {
            return Err(FeatureProblem::TooLarge { limit: FEATURE_LIMIT });
        }
        if self.selects_ids || !is_canonical(keys, &self.batch.values[self.start..]) {
            self.make_canonical()?;
        }
        let transform = self.plan.recipe().values;
        if transform != Transform::None {
            self.batch.values[self.start..].iter_mut().for_each(|value| *value = transform.apply(*value));
        }
        Ok(())
    }

    /// Sorts by id, sums repeated ids in the order of the file, drops zeros and what is not wanted.
    fn make_canonical(&mut self) -> Result<(), FeatureProblem> {
        let plan = self.plan;
        let batch = &mut *self.batch;
        let pairs = &mut batch.scratch.pairs;
        pairs.clear();
        pairs.extend(batch.keys.drain(self.start..).zip(batch.values.drain(self.start..)));
        pairs.sort_by_key(|&(id, _)| id);
        for group in pairs.chunk_by(|one, other| one.0 == other.0) {
            let id = group[0].0;
            let value: f64 = group.iter().map(|&(_, value)| value).sum();
            if id == BIAS_KEY {
                return Err(FeatureProblem::ReservedId);
            }
            if !value.is_finite() {
                return Err(FeatureProblem::NotFinite { name: id.to_string(), value });
            }
            if value != 0.0 && plan.wants_id(id) {
                batch.keys.push(id);
                batch.values.push(value);
            }
        }
        Ok(())
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
}
