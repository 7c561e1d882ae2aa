//! `surefoot serve` from outside: the program, its files and its answers.
#![cfg(all(feature = "serve", target_os = "linux"))]
#![allow(missing_docs, reason = "tests")]

mod crash;
mod hostile;
mod protocol;
mod roles;
mod routes;
mod server;
