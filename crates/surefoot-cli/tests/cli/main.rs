//! The program from the outside: one binary of tests, so that it is linked once.

mod bad_input;
mod balanced;
mod columns;
mod compact;
mod console;
mod contract;
mod convert;
mod crash;
mod documents;
mod every_record;
mod extremes;
mod live;
mod meaning;
mod merging;
mod metrics;
mod newcomer;
mod output;
mod pictures;
mod places;
mod predictions;
mod reference;
mod run;
mod same_bytes;
mod schema;
mod talking;
mod tuning;
