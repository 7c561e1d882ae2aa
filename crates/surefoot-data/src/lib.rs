//! Data in, models out.

mod atomic_file;
#[allow(dead_code, reason = "looking features up ahead goes with the encoder")]
mod batch;
mod builder;
mod convert;
#[allow(dead_code, reason = "looking features up ahead goes with the encoder")]
mod debut;
#[allow(dead_code, reason = "looking features up ahead goes with the encoder")]
mod errand;
mod error;
mod fast;
mod format;
mod generate;
mod key;
#[allow(dead_code, reason = "looking features up ahead goes with the encoder")]
mod known;
mod labels;
pub mod model_file;
mod prepare;
mod problem;
mod read;
mod recipe;
mod record;
mod scale;
mod sink;
mod source;
#[allow(dead_code, reason = "looking features up ahead goes with the encoder")]
mod space;
mod state;
mod text;
#[allow(dead_code, reason = "looking features up ahead goes with the encoder")]
mod vectors;

pub use atomic_file::check_replaceable;
pub use batch::{Batch, Example, Features};
pub use builder::{Builder, FEATURE_LIMIT};
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
pub use prepare::{Prepared, Preparer, SpaceFull};
pub use problem::FeatureProblem;
pub use read::{
    BatchReader, Cache, CacheWriter, Job, Jobs, OnBadLine, OnReject, Order, PassOptions, PassReader,
    Progress, ReadOptions, Reader, RecordReader, Reject, stamp,
};
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
