//! Data in, models out.

mod aside;
mod atomic_file;
mod batch;
mod builder;
mod cache;
mod convert;
mod debut;
mod errand;
mod error;
mod fast;
mod format;
mod generate;
mod key;
mod known;
mod labels;
pub mod model_file;
mod nap;
mod pipeline;
mod prepare;
mod problem;
mod recipe;
mod record;
mod scale;
mod sink;
mod source;
mod space;
mod state;
mod text;
mod vectors;

pub use aside::Aside;
pub use atomic_file::check_replaceable;
pub use batch::{Batch, Example, Features};
pub use builder::{Builder, FEATURE_LIMIT};
pub use cache::{Cache, CacheLabels, CacheWriter, ReadAhead, stamp};
pub use convert::{Converted, convert, convert_from_cache, convert_to_cache};
pub use errand::Errand;
pub use error::{Error, Fault, Result, Trouble};
pub use fast::number::{number, whole_number};
pub use format::{Columns, FORMATS, Format, FormatOptions, Line, LineParser, RecordWriter};
pub use generate::{
    Coins, Ellipse, Point, Random, STREAMS, Stream, StreamParameter, StreamProblem, StreamSpec, Zipf, stream,
};
pub use key::{BIAS_KEY, BIAS_NAME, name_key};
pub use labels::{LABEL_LIMIT, Label, LabelProblem, LabelScout, Labels, SCOUTED, SCOUTED_FEATURES, Task};
pub use pipeline::{OnBadLine, Progress, ReadOptions, Reader, RecordReader, Reject};
pub use prepare::{Prepared, Preparer, SpaceFull};
pub use problem::FeatureProblem;
pub use recipe::{Normalize, Plan, Recipe, RecipeProblem, Scale, SpaceKind, Values};
pub use record::{Part, Record};
pub use scale::COLUMN_LIMIT;
pub use sink::Sink;
pub use source::Source;
pub use space::{
    AsGiven, Dictionary, Directory, FeatureName, Hashed, SPACE_LIMIT, Space, load_space, new_space,
};
pub use state::{State, StateProblem, Tensor};
pub use text::{Ngrams, StopWords, TextRecipe, TokenKind};
pub use vectors::Vectors;
