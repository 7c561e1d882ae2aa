//! What a line of any format can say: the one interface between formats and whatever takes their examples.

use crate::builder::Builder;

/// Takes the parts of one example, in the order of the line.
///
/// The [`Builder`](crate::Builder) turns them into keyed features for learning; a [`Record`](crate::Record)
/// keeps them as they are, for conversion to another format.
pub trait Sink {
    /// The label, as the file spells it. A line without one is unlabelled.
    fn label(&mut self, label: &[u8]);
    /// The importance of the example (1 if never called).
    fn weight(&mut self, weight: f64);
    /// A name of the example, to be echoed beside its prediction.
    fn tag(&mut self, tag: &[u8]);
    /// A feature that the file gives as an integer.
    fn indexed(&mut self, id: u64, value: f64);
    /// Several of them, and a value for each.
    fn row(&mut self, ids: &[u64], values: &[f64]) {
        ids.iter().zip(values).for_each(|(&id, &value)| self.indexed(id, value));
    }
    /// Following features belong to this namespace, their values times `scale`. The empty name is the default one.
    fn namespace(&mut self, name: &[u8], scale: f64);
    /// A named numeric feature.
    fn feature(&mut self, name: &[u8], value: f64);
    /// The same for a name that is known to be text.
    fn named(&mut self, name: &str, value: f64) {
        self.feature(name.as_bytes(), value);
    }
    /// A feature that is one word of several: `name=value`.
    fn category(&mut self, name: &[u8], value: &[u8]);
    /// Running text, to be cut into words by the text pipeline.
    fn text(&mut self, name: &[u8], text: &[u8]);
}

impl Sink for Builder<'_> {
    fn label(&mut self, label: &[u8]) {
        self.label(label);
    }

    fn weight(&mut self, weight: f64) {
        self.weight(weight);
    }

    fn tag(&mut self, tag: &[u8]) {
        self.tag(tag);
    }

    #[inline]
    fn indexed(&mut self, id: u64, value: f64) {
        self.indexed(id, value);
    }

    #[inline]
    fn row(&mut self, ids: &[u64], values: &[f64]) {
        self.row(ids.iter().copied(), values.iter().copied());
    }

    fn namespace(&mut self, name: &[u8], scale: f64) {
        self.namespace(name, scale);
    }

    fn feature(&mut self, name: &[u8], value: f64) {
        self.feature(name, value);
    }

    fn named(&mut self, name: &str, value: f64) {
        self.named(name, value);
    }

    fn category(&mut self, name: &[u8], value: &[u8]) {
        self.category(name, value);
    }

    fn text(&mut self, name: &[u8], text: &[u8]) {
        self.text(name, text);
    }
}
