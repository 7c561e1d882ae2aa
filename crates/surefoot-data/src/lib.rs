//! Data in, models out.

mod aside;
mod atomic_file;
mod batch;
mod builder;
mod cache;
mod convert;
mod encode;
mod error;
mod fast;
mod format;
mod generate;
mod key;
pub mod model_file;
mod named_row;
mod nap;
mod pipeline;
mod problem;
mod recipe;
mod record;
mod sink;
mod source;
mod text;

pub use aside::Aside;
pub use atomic_file::check_replaceable;
pub use batch::{Batch, Example, KeyedFeatures};
pub use builder::{Builder, FEATURE_LIMIT};
pub use cache::{Cache, CacheLabels, CacheWriter, ReadAhead, stamp};
pub use convert::{Converted, convert, convert_from_cache, convert_to_cache};
pub use encode::index::{FeatureIndex, FeatureName, UNKNOWN};
pub use encode::labels::{LABEL_LIMIT, Label, LabelProblem, Labels};
pub use encode::row::Row;
pub use encode::scale::COLUMN_LIMIT;
pub use encode::task::{DETECTION_EXAMPLES, DETECTION_FEATURES, TaskDetector};
pub use encode::{EncodeProblem, Encoded, Encoder, IndexFull};
pub use error::{Error, Fault, Result, Trouble};
pub use fast::number::{number, whole_number};
pub use format::{Columns, FORMATS, Format, FormatOptions, Line, LineParser, RecordWriter};
pub use generate::{
    Coins, Ellipse, Point, Random, STREAMS, Stream, StreamParameter, StreamProblem, StreamSpec, Zipf, stream,
};
pub use key::{BIAS_KEY, BIAS_NAME, name_key};
pub use named_row::NamedRow;
pub use pipeline::{OnBadLine, Progress, ReadOptions, Reader, RecordReader, Reject};
pub use problem::FeatureProblem;
pub use recipe::{Normalize, Plan, Recipe, RecipeProblem, Scale, SpaceKind};
pub use record::{Part, Record};
pub use sink::Sink;
pub use source::Source;
pub use text::{Ngrams, StopWords, TextRecipe, TokenKind};
