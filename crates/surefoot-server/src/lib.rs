//! A server that learns: models that predict and learn over HTTP, durable to the last acknowledged example.
//!
//! The one idea: the journal of a model is a data file. Every acknowledged example is one line of it, in the order in which they
//! were learned, and the served model is, byte for byte, what `surefoot train JOURNAL --resume BASE` makes of it.
//!
//! - [`ServerFolder`] is the layout on disk; [`Served`] is a model with its one writer thread.
//! - [`check`](fn@check) learns every journal again and compares; [`repair`](fn@repair) keeps what is sound of a damaged one.

mod check;
mod epoch;
mod error;
mod folder;
mod http;
mod job;
mod journal;
mod monitor;
mod options;
mod recover;
mod repair;
mod rows;
mod seen;
mod served;
mod snapshot;
mod writer;

pub use check::{Checked, check};
pub use epoch::Epoch;
pub use error::{Error, Result};
pub use folder::{ModelFolder, ServerFolder, check_name};
pub use http::{App, LogFormat, ServerOptions, TlsFiles, TokenRole, document, new_token, serve};
pub use job::{Learnt, Refusal, StreamPoint};
pub use monitor::{Mark, Monitor, MonitorBin, MonitorPoint};
pub use options::{LearnPolicy, SnapshotPolicy};
pub use repair::repair;
pub use rows::{BadRow, RowLimits, Rows};
pub use served::{Answer, Queue, Served, ServedState, Status, WriterMetrics};
