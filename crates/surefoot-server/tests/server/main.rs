//! Tests of the server, as one program.
#![allow(missing_docs, reason = "tests")]

mod common;
mod damage;
mod same_bytes;
