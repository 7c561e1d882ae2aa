//! `surefoot serve`: models that predict and learn over HTTP.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};
use surefoot_server::{App, LogFormat, ServerOptions, TlsFiles, check, repair, serve};

use crate::failure::{Failure, Result};
use crate::output;
use crate::places;

/// Serve models over HTTP: they predict, and learn from labels that come later
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot serve data --model tickets=tickets.model\n  \
        curl localhost:8080/v1/models/tickets/predict -H 'Content-Type: application/json' -d '{\"text\": \"charged twice\"}'\n  \
        surefoot serve data --check\n  \
        surefoot train data/models/tickets/epoch-0001/log/*.log --resume data/models/tickets/epoch-0001/base.model -o same.model\n\n\
        What was answered as learned is on disk: every example is a line of a journal that `surefoot train` reads, and the\n\
        served model is, byte for byte, what it makes of it.")]
pub struct Serve {
    /// The folder of the server; it is made if it is not there
    folder: PathBuf,
    /// Create this model from a file, unless there is one of its name
    #[arg(long, value_name = "NAME=FILE", value_parser = named_file)]
    model: Vec<(String, PathBuf)>,
    /// Learn every journal again without serving, and compare with the newest snapshot
    #[arg(long, conflicts_with_all = ["repair", "model"])]
    check: bool,
    /// Keep the sound beginning of a damaged journal without serving, and move the rest into `damaged/`
    #[arg(long, conflicts_with = "model")]
    repair: bool,
    #[command(flatten)]
    front: FrontFlags,
    #[command(flatten)]
    learning: LearningFlags,
}

/// Who is let in, and how.
#[derive(Args, Debug)]
#[command(next_help_heading = "Front")]
struct FrontFlags {
    /// The address; port 0 chooses one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:8080")]
    listen: SocketAddr,
    /// The file of tokens, whose lines `surefoot token` makes
    #[arg(long, value_name = "FILE")]
    tokens: Option<PathBuf>,
    /// Let every request do everything although others can reach the address
    #[arg(long, hide_short_help = true)]
    no_auth: bool,
    /// A name that requests may use for this server, besides localhost
    #[arg(long, value_name = "NAME", hide_short_help = true)]
    allowed_host: Vec<String>,
    /// Certificates for TLS, as a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_key")]
    tls_cert: Option<PathBuf>,
    /// The key for TLS, as a PEM file
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    tls_key: Option<PathBuf>,
    /// How requests are told on standard error
    #[arg(long, value_enum, value_name = "FORMAT", default_value = "json")]
    log_format: LogWord,
    /// The largest body, in megabytes
    #[arg(long, value_name = "MB", default_value_t = 8, hide_short_help = true)]
    max_body: usize,
    /// Connections at the same time
    #[arg(long, value_name = "N", default_value_t = 1024, hide_short_help = true)]
    max_connections: usize,
}

/// What is learned, and when it is saved.
#[derive(Args, Debug)]
#[command(next_help_heading = "Learning")]
struct LearningFlags {
    /// Take labels that a model does not know yet
    #[arg(long)]
    new_labels: bool,
    /// Labels that a model may have
    #[arg(long, value_name = "N", default_value_t = 10_000, hide_short_help = true)]
    max_labels: usize,
    /// The largest value of a feature, without its sign
    #[arg(long, value_name = "X", default_value_t = 1e15, hide_short_help = true)]
    max_value: f64,
    /// Write a snapshot after so many examples
    #[arg(long, value_name = "N", default_value_t = 100_000, hide_short_help = true)]
    snapshot_examples: u64,
    /// Write a snapshot after so many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 300, hide_short_help = true)]
    snapshot_seconds: u64,
    /// Hours that predictions wait for their labels
    #[arg(long, value_name = "HOURS", default_value_t = 24, hide_short_help = true)]
    pending_hours: u64,
}

/// How requests are told.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum LogWord {
    /// A JSON object a request
    Json,
    /// A line for people
    Text,
    /// Nothing
    Off,
}

impl From<LogWord> for LogFormat {
    fn from(word: LogWord) -> Self {
        match word {
            LogWord::Json => LogFormat::Json,
            LogWord::Text => LogFormat::Text,
            LogWord::Off => LogFormat::Off,
        }
    }
}

fn named_file(text: &str) -> Result<(String, PathBuf), String> {
    let (name, file) = text.split_once('=').ok_or("expected NAME=FILE")?;
    surefoot_server::check_name(name).map_err(|error| error.to_string())?;
    Ok((name.into(), file.into()))
}

impl Serve {
    /// Serves until a signal ends it.
    pub fn run(self) -> Result<()> {
        if self.check {
            return self.check_all();
        }
        if self.repair {
            let done = repair(&self.folder)?;
            done.iter().for_each(|line| output::error(line));
            let count = output::counted(done.len() as u64, "thing");
            return output::bytes(format!("{count} repaired\n").as_bytes());
        }
        let models = self.model.iter().map(|(name, file)| Ok((name, places::load(file)?)));
        let models = models.collect::<Result<Vec<_>>>()?;
        let app = App::open(&self.folder, self.options())?;
        for (name, model) in models {
            match app.create(name, &model) {
                Err(surefoot_server::Error::Exists(_)) => {
                    output::note(&format!(
                        "note: there is a model {name} already; it goes on, and the file is not read"
                    ));
                }
                created => created?,
            }
        }
        Ok(serve(app)?)
    }

    fn threads() -> usize {
        std::thread::available_parallelism().map_or(1, usize::from)
    }

    fn options(&self) -> ServerOptions {
        let (front, learning) = (&self.front, &self.learning);
        let mut options = ServerOptions {
            listen: front.listen,
            tokens: front.tokens.clone(),
            no_auth: front.no_auth,
            allowed_hosts: front.allowed_host.clone(),
            body_bytes: front.max_body.saturating_mul(1 << 20),
            connections: front.max_connections,
            threads: Self::threads(),
            log: front.log_format.into(),
            pending_time: Duration::from_secs(learning.pending_hours.saturating_mul(3600)),
            ..ServerOptions::default()
        };
        options.tls =
            front.tls_cert.clone().zip(front.tls_key.clone()).map(|(cert, key)| TlsFiles { cert, key });
        options.rows.value = learning.max_value;
        (options.learn.new_labels, options.learn.max_labels) = (learning.new_labels, learning.max_labels);
        options.learn.snapshots.examples = learning.snapshot_examples.max(1);
        options.learn.snapshots.every = Duration::from_secs(learning.snapshot_seconds.max(1));
        options
    }

    fn check_all(&self) -> Result<()> {
        let all = check(&self.folder, Self::threads())?;
        let mut told = String::new();
        for checked in &all {
            let records = output::counted(checked.records, "record");
            let compared = checked.snapshot.map_or("no snapshot to compare".into(), |at| {
                format!("compared with the snapshot of record {}", output::thousands(at))
            });
            let verdict = if checked.problems.is_empty() { "the same" } else { "not the same" };
            told.push_str(&format!("{}: {records}, {compared}: {verdict}\n", checked.name));
        }
        output::bytes(told.as_bytes())?;
        let problems: Vec<String> = all.into_iter().flat_map(|checked| checked.problems).collect();
        if problems.is_empty() { Ok(()) } else { Err(Failure::Data(problems.join("\n"))) }
    }
}

impl From<surefoot_server::Error> for Failure {
    fn from(error: surefoot_server::Error) -> Self {
        match error {
            surefoot_server::Error::Model(error) => error.into(),
            surefoot_server::Error::Unfit(_) | surefoot_server::Error::Name(_) => Failure::usage(error),
            _ => Failure::Data(error.to_string()),
        }
    }
}
