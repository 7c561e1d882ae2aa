//! Data in, models out: readers of many formats, features of text, feature indices and the model file of Surefoot.
//!
//! Files are parsed into [batches](Batch) of examples whose features have keys. An [`Encoder`] turns them into what learners
//! take: a class, and a vector of indices and values.
//!
//! ```
//! use std::sync::Arc;
//! use surefoot_data::{Batch, Encoder, Normalize, Plan, ReadOptions, Reader, Recipe, Row, Source, TaskDetector};
//!
//! let mail = Source::memory("mail.vw", *b"spam | offer caps:0.4\nham | lunch\nspam | offer offer\n");
//! let plan = Arc::new(Plan::new(Recipe { normalize: Normalize::L2, ..Recipe::default() })?);
//! let mut reader = Reader::open(vec![mail], ReadOptions::default(), plan.clone())?;
//! let mut batch = Batch::new();
//! assert!(reader.next_batch(&mut batch)?);
//!
//! // Two labels make a binary problem; of the two the larger, spam, is class 1.
//! let mut detector = TaskDetector::new(None);
//! let decided = batch.iter().find_map(|example| detector.see(example.label(), example.features.len()));
//! let labels = decided.map_or_else(|| detector.end(), Ok)?;
//!
//! let mut encoder = Encoder::new(labels, plan, true);
//! let (mut row, mut classes) = (Row::new(), Vec::new());
//! for example in batch.iter() {
//!     let label = example.label().unwrap_or_default();
//!     classes.push(encoder.encode(&example.features, label, example.weight, &mut row)?.class);
//!     let _x = row.vector()?; // for `Learner::update`
//! }
//! assert_eq!(classes, [1, 0, 1]);
//! assert_eq!((&row.ids[..], &row.values[..]), (&[0, 2][..], &[1.0, 1.0][..])); // offer, and the bias
//! assert_eq!(encoder.index().name(1).unwrap().to_string(), "caps");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
mod readme {}

mod atomic_file;
mod batch;
mod builder;
mod convert;
mod drift;
mod encode;
mod error;
mod fast;
mod format;
mod generate;
mod key;
mod label_numbers;
pub mod model_file;
mod named_row;
mod packed;
mod problem;
mod read;
mod recipe;
mod record;
mod source;
mod text;

pub use atomic_file::{check_replaceable, replace_file};
pub use batch::{Batch, Example, KeyedFeatures};
pub use builder::{Builder, FEATURE_LIMIT};
pub use convert::{Converted, convert, convert_from_cache, convert_to_cache};
pub use drift::{Drift, join_with_drift};
pub use encode::index::{FeatureIndex, FeatureName, FoundFeatures, UNKNOWN};
pub use encode::labels::{LABEL_LIMIT, Label, LabelProblem, Labels};
pub use encode::task::{DETECTION_EXAMPLES, DETECTION_FEATURES, TaskDetector};
pub use encode::{Encoded, Encoder, Row};
pub use error::{Error, Fault, Result, Trouble};
pub use fast::number::{number, whole_number};
pub use format::{
    Columns, FORMATS, Format, FormatOptions, JournalLine, Layout, RecordWriter, Role, RowNames,
};
pub use generate::{
    Coins, Ellipse, Hyperplane, Point, Random, STREAMS, Sea, Stagger, Stream, StreamParameter, StreamProblem,
    StreamSpec, Zipf, stream,
};
pub use key::{BIAS_KEY, BIAS_NAME, name_key};
pub use named_row::NamedRow;
pub use packed::{PackedWriter, Packing};
pub use problem::{EncodeProblem, FeatureProblem, IndexFull};
pub use read::{
    BatchReader, Cache, CacheWriter, Findings, FirstLabels, Job, Jobs, OnBadLine, OnReject, Order,
    PassOptions, PassReader, Progress, ReadOptions, Reader, Reject, RowParser, each_record, first_labels,
    format_of, notes_on_columns, stamp,
};
pub use recipe::{Normalize, Plan, Recipe, RecipeProblem, Scale, SpaceKind};
pub use record::{Record, RecordPart, Sink};
pub use source::Source;
pub use text::{Ngrams, StopWords, TextRecipe, TokenKind};
