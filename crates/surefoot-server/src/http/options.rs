//! What the front of a server is told, with its defaults.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use crate::{LearnPolicy, RowLimits};

/// How requests are told in the log.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum LogFormat {
    /// A JSON object a request.
    #[default]
    Json,
    /// A line for people.
    Text,
    /// Nothing.
    Off,
}

/// Certificate and key, as PEM files.
#[derive(Debug, Clone)]
pub struct TlsFiles {
    /// The chain of certificates.
    pub cert: PathBuf,
    /// The private key.
    pub key: PathBuf,
}

/// How a server listens, what it lets in, and what it learns.
#[derive(Debug, Clone)]
pub struct ServerOptions {
    /// The address; port 0 chooses one.
    pub listen: SocketAddr,
    /// The file of tokens; without it every request may do everything.
    pub tokens: Option<PathBuf>,
    /// Whether an address that others reach is served without tokens.
    pub no_auth: bool,
    /// Names that requests may use for this server, besides those of the loopback.
    pub allowed_hosts: Vec<String>,
    /// TLS, if it is wanted.
    pub tls: Option<TlsFiles>,
    /// The largest body, as it is sent and decoded.
    pub body_bytes: usize,
    /// The largest head of a request.
    pub header_bytes: usize,
    /// How long a head may take; also how long a connection may be idle.
    pub header_timeout: Duration,
    /// How long a body may take, and a client to read its answer.
    pub body_timeout: Duration,
    /// Connections at the same time.
    pub connections: usize,
    /// How long requests that are under way may take once the server stops.
    pub stop_timeout: Duration,
    /// What rows may hold.
    pub rows: RowLimits,
    /// What is learned, and when snapshots are written.
    pub learn: LearnPolicy,
    /// How long predictions wait for their labels.
    pub pending_time: Duration,
    /// Bytes that they may take.
    pub pending_bytes: usize,
    /// Threads that learn the journal again at the start.
    pub threads: usize,
    /// How requests are told.
    pub log: LogFormat,
}

impl Default for ServerOptions {
    fn default() -> Self {
        Self {
            listen: SocketAddr::from(([127, 0, 0, 1], 8080)),
            tokens: None,
            no_auth: false,
            allowed_hosts: Vec::new(),
            tls: None,
            body_bytes: 8 << 20,
            header_bytes: 16 << 10,
            header_timeout: Duration::from_secs(10),
            body_timeout: Duration::from_secs(30),
            connections: 1024,
            stop_timeout: Duration::from_secs(30),
            rows: RowLimits::default(),
            learn: LearnPolicy::default(),
            pending_time: Duration::from_secs(24 * 3600),
            pending_bytes: 64 << 20,
            threads: 1,
            log: LogFormat::Json,
        }
    }
}
