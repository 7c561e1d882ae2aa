//! What a line of any format can say: the one interface between formats and whatever takes their examples, and an example kept
//! as its file says it, which conversion carries from one format to another.

use surefoot_core::check_weight;

use crate::error::shown;
use crate::problem::FeatureProblem;

/// Takes the parts of one example, in the order of the line.
///
/// The [`Builder`](crate::Builder) turns them into keyed features for learning; a [`Record`](crate::Record)
/// keeps them as they are, for conversion to another format.
pub trait Sink {
    /// The label, as the file spells it. A line without one is unlabelled.
    fn label(&mut self, label: &[u8]);
    /// The labels of a line that may have several, or none. They take the place of any that were given before.
    fn labels<'l>(&mut self, labels: impl Iterator<Item = &'l [u8]>);
    /// The importance of the example (1 if never called).
    fn weight(&mut self, weight: f64);
    /// A name of the example, to be echoed beside its prediction.
    fn tag(&mut self, tag: &[u8]);
    /// A feature that the file gives as an integer.
    fn indexed(&mut self, id: u64, value: f64);
    /// A row of a matrix: integer features and their values, in any order. A [`Builder`](crate::Builder) takes it far quicker than
    /// one call a feature.
    fn row(&mut self, ids: impl Iterator<Item = u64>, values: impl Iterator<Item = f64>) {
        ids.zip(values).for_each(|(id, value)| self.indexed(id, value));
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

/// The parts of one example, in the order of its line.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// The label, if there is one.
    pub label: Option<Vec<u8>>,
    /// All of them where a line may have several; then `label` is none.
    pub labels: Option<Vec<Vec<u8>>>,
    /// The importance, 1 if the file says nothing.
    pub weight: f64,
    /// The name of the example, if there is one.
    pub tag: Option<Vec<u8>>,
    /// Everything else.
    pub parts: Vec<RecordPart>,
}

/// One statement about an example; see [`Sink`] for what each means.
#[derive(Debug, Clone, PartialEq)]
pub enum RecordPart {
    /// An integer feature.
    Indexed(u64, f64),
    /// The namespace of what follows, and the scale of its values.
    Namespace(Vec<u8>, f64),
    /// A named numeric feature.
    Feature(Vec<u8>, f64),
    /// A feature that is one word of several.
    Category(Vec<u8>, Vec<u8>),
    /// Running text.
    Text(Vec<u8>, Vec<u8>),
}

impl Default for Record {
    fn default() -> Self {
        Record { label: None, labels: None, weight: 1.0, tag: None, parts: Vec::new() }
    }
}

impl Record {
    /// Forgets the example.
    pub fn clear(&mut self) {
        *self = Record { parts: std::mem::take(&mut self.parts), ..Record::default() };
        self.parts.clear();
    }

    /// Whether it could be learned from: names and labels in UTF-8, a weight that is a weight.
    pub(crate) fn check(&self) -> Result<(), FeatureProblem> {
        self.each_label().try_for_each(|label| utf8("label", label))?;
        if check_weight(self.weight).is_err() {
            return Err(FeatureProblem::Weight(self.weight));
        }
        self.parts.iter().try_for_each(|part| match part {
            RecordPart::Indexed(..) => Ok(()),
            RecordPart::Namespace(name, _) | RecordPart::Feature(name, _) | RecordPart::Text(name, _) => {
                utf8("feature name", name)
            }
            RecordPart::Category(name, value) => {
                utf8("feature name", name).and_then(|()| utf8("category", value))
            }
        })
    }

    /// The labels, however many there may be.
    pub fn each_label(&self) -> impl Iterator<Item = &[u8]> {
        self.label.iter().chain(self.labels.iter().flatten()).map(Vec::as_slice)
    }

    /// Tells the example to another sink.
    pub fn replay(&self, out: &mut impl Sink) {
        if let Some(label) = &self.label {
            out.label(label);
        }
        if self.labels.is_some() {
            out.labels(self.each_label());
        }
        if self.weight != 1.0 {
            out.weight(self.weight);
        }
        if let Some(tag) = &self.tag {
            out.tag(tag);
        }
        for part in &self.parts {
            match part {
                RecordPart::Indexed(id, value) => out.indexed(*id, *value),
                RecordPart::Namespace(name, scale) => out.namespace(name, *scale),
                RecordPart::Feature(name, value) => out.feature(name, *value),
                RecordPart::Category(name, value) => out.category(name, value),
                RecordPart::Text(name, text) => out.text(name, text),
            }
        }
    }
}

fn utf8(what: &'static str, bytes: &[u8]) -> Result<(), FeatureProblem> {
    let found = || shown(bytes);
    std::str::from_utf8(bytes).map(drop).map_err(|_| FeatureProblem::NotUtf8 { what, found: found() })
}

impl Sink for Record {
    fn label(&mut self, label: &[u8]) {
        (self.label, self.labels) = (Some(label.to_vec()), None);
    }

    fn labels<'l>(&mut self, labels: impl Iterator<Item = &'l [u8]>) {
        (self.label, self.labels) = (None, Some(labels.map(<[u8]>::to_vec).collect()));
    }

    fn weight(&mut self, weight: f64) {
        self.weight = weight;
    }

    fn tag(&mut self, tag: &[u8]) {
        self.tag = Some(tag.to_vec());
    }

    fn indexed(&mut self, id: u64, value: f64) {
        self.parts.push(RecordPart::Indexed(id, value));
    }

    fn namespace(&mut self, name: &[u8], scale: f64) {
        self.parts.push(RecordPart::Namespace(name.to_vec(), scale));
    }

    fn feature(&mut self, name: &[u8], value: f64) {
        self.parts.push(RecordPart::Feature(name.to_vec(), value));
    }

    fn category(&mut self, name: &[u8], value: &[u8]) {
        self.parts.push(RecordPart::Category(name.to_vec(), value.to_vec()));
    }

    fn text(&mut self, name: &[u8], text: &[u8]) {
        self.parts.push(RecordPart::Text(name.to_vec(), text.to_vec()));
    }
}
