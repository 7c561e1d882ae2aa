//! Metrics for Prometheus. Labels are models, routes, codes and reasons; never what rows hold.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::AtomicU64;

use hyper::{Method, StatusCode};
use prometheus_client::encoding::text::encode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::{Metric, Registry};

use super::Entry;
use crate::served::{WriterMetrics, lock};

type LabelSet = Vec<(&'static str, String)>;
type NumberGauge = Gauge<f64, AtomicU64>;

/// Buckets of times, in seconds.
const SECONDS: [f64; 14] =
    [5e-5, 1e-4, 2.5e-4, 5e-4, 1e-3, 2.5e-3, 5e-3, 1e-2, 2.5e-2, 5e-2, 0.1, 0.5, 2.0, 10.0];
/// Buckets of delays of labels, in seconds.
const DELAYS: [f64; 8] = [1.0, 10.0, 60.0, 600.0, 3600.0, 21600.0, 86400.0, 604_800.0];
/// Buckets of sizes.
const SIZES: [f64; 11] = [1.0, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// All metrics of a server.
pub(crate) struct ServerMetrics {
    registry: Mutex<Registry>,
    requests: Family<LabelSet, Counter>,
    request_seconds: Family<LabelSet, Histogram>,
    pub(super) in_flight: Gauge,
    pub(super) connections: Gauge,
    connections_refused: Family<LabelSet, Counter>,
    auth_failures: Family<LabelSet, Counter>,
    pub(super) panics: Counter,
    predictions: Family<LabelSet, Counter>,
    prediction_seconds: Family<LabelSet, Histogram>,
    examples: Family<LabelSet, Counter>,
    mistakes: Family<LabelSet, Counter>,
    updates: Family<LabelSet, Counter>,
    duplicates: Family<LabelSet, Counter>,
    refused: Family<LabelSet, Counter>,
    learn_seconds: Family<LabelSet, Histogram>,
    feedback: Family<LabelSet, Counter>,
    feedback_delay: Family<LabelSet, Histogram>,
    log_sync: Family<LabelSet, Histogram>,
    log_group: Family<LabelSet, Histogram>,
    log_appended: Family<LabelSet, Counter>,
    log_errors: Family<LabelSet, Counter>,
    /// Numbers that are looked up when they are asked for.
    state: Vec<(&'static str, Family<LabelSet, NumberGauge>)>,
}

/// Numbers of a model as it is: name, and what it is.
const STATE: [(&str, &str); 25] = [
    ("sequence", "The number of the last example that the model has learned"),
    ("model_features", "Features that the model knows"),
    ("model_labels", "LabelSet that the model knows"),
    ("model_bytes", "Size of the newest snapshot"),
    ("learn_queue_examples", "Examples that wait to be learned"),
    ("learn_queue_bytes", "Bytes that wait to be learned"),
    ("log_bytes", "Bytes of the journal of the epoch"),
    ("log_writable", "Whether the journal takes more"),
    ("snapshot_sequence", "The number of the last example in the newest snapshot"),
    ("snapshot_timestamp_seconds", "When the newest snapshot was written; 0 if before the server started"),
    ("snapshot_duration_seconds", "How long the newest snapshot took"),
    ("snapshot_failures", "Snapshots that could not be written"),
    ("recovery_seconds", "How long the recovery took"),
    ("recovery_examples", "Examples that were learned again at the start"),
    ("recovery_truncated_bytes", "Bytes of a record that was not whole, cut off at the start"),
    ("pending_predictions", "Predictions that wait for their labels"),
    ("pending_bytes", "Bytes of the predictions that wait"),
    ("pending_expired", "Predictions whose labels did not come in time"),
    ("progressive_error_ratio", "Share of mistakes of the epoch"),
    ("recent_error_ratio", "Share of mistakes among the last 1,000 examples"),
    ("log_loss", "Mean log loss of the epoch"),
    ("recent_log_loss", "Mean log loss of the last 1,000 examples"),
    ("calibration_error_ratio", "How far probabilities are from shares of right predictions"),
    ("drift_changes", "Changes of the data that were noticed since the start"),
    ("epoch", "The epoch of the model"),
];

fn seconds() -> Histogram {
    Histogram::new(SECONDS)
}

fn sizes() -> Histogram {
    Histogram::new(SIZES)
}

fn delays() -> Histogram {
    Histogram::new(DELAYS)
}

impl Default for ServerMetrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix("surefoot");
        let all = &mut registry;
        let version: Family<LabelSet, NumberGauge> = Family::default();
        version.get_or_create(&vec![("version", env!("CARGO_PKG_VERSION").into())]).set(1.0);
        let _ = put(all, "build_info", "The version of the program", version);
        let timed = || Family::new_with_constructor(seconds as fn() -> Histogram);
        let sized = || Family::new_with_constructor(sizes as fn() -> Histogram);
        let delayed = || Family::new_with_constructor(delays as fn() -> Histogram);
        Self {
            requests: put(all, "http_requests", "Requests by route, method and code", Family::default()),
            request_seconds: put(all, "http_request_duration_seconds", "How long requests took", timed()),
            in_flight: put(all, "http_requests_in_flight", "Requests under way", Gauge::default()),
            connections: put(all, "http_connections", "Connections that are open", Gauge::default()),
            connections_refused: put(
                all,
                "http_connections_refused",
                "Connections that were refused",
                Family::default(),
            ),
            auth_failures: put(all, "auth_failures", "Requests that were not let in", Family::default()),
            panics: put(all, "panics", "Bugs that were caught", Counter::default()),
            predictions: put(all, "predictions", "Rows that were predicted", Family::default()),
            prediction_seconds: put(
                all,
                "prediction_duration_seconds",
                "How long requests to predict took",
                timed(),
            ),
            examples: put(all, "examples_learned", "Examples that were learned", Family::default()),
            mistakes: put(
                all,
                "mistakes",
                "Examples that were predicted wrongly before they were learned",
                Family::default(),
            ),
            updates: put(all, "updates", "Examples that changed the model", Family::default()),
            duplicates: put(
                all,
                "examples_duplicate",
                "Examples that had been learned before",
                Family::default(),
            ),
            refused: put(all, "examples_refused", "Requests to learn that were refused", Family::default()),
            learn_seconds: put(
                all,
                "learn_duration_seconds",
                "From the arrival of a request to learn to its answer",
                timed(),
            ),
            feedback: put(
                all,
                "feedback",
                "LabelSet that came later, by what became of them",
                Family::default(),
            ),
            feedback_delay: put(all, "feedback_delay_seconds", "From a prediction to its label", delayed()),
            log_sync: put(all, "log_sync_duration_seconds", "How long the disk took for a group", timed()),
            log_group: put(all, "log_group_examples", "Examples that were synced together", sized()),
            log_appended: put(
                all,
                "log_appended_bytes",
                "Bytes that were appended to the journal",
                Family::default(),
            ),
            log_errors: put(all, "log_errors", "Groups that the disk did not take", Family::default()),
            state: STATE.map(|(name, help)| (name, put(all, name, help, Family::default()))).to_vec(),
            registry: Mutex::new(registry),
        }
    }
}

fn put<M: Metric + Clone>(registry: &mut Registry, name: &str, help: &str, metric: M) -> M {
    registry.register(name, help, metric.clone());
    metric
}

fn model(name: &str) -> LabelSet {
    vec![("model", name.into())]
}

impl ServerMetrics {
    pub(super) fn request(&self, route: &str, method: &Method, code: StatusCode, seconds: f64) {
        let of = |more: &[(&'static str, &str)]| -> LabelSet {
            [("route", route)].iter().chain(more).map(|(name, value)| (*name, value.to_string())).collect()
        };
        // Methods are words of the client's; those that no route has are all the same.
        let method = if super::route::METHODS.contains(&method.as_str()) { method.as_str() } else { "other" };
        self.requests.get_or_create(&of(&[("method", method), ("code", code.as_str())])).inc();
        self.request_seconds.get_or_create(&of(&[])).observe(seconds);
    }

    pub(super) fn refused_connection(&self, reason: &str) {
        self.connections_refused.get_or_create(&vec![("reason", reason.into())]).inc();
    }

    pub(super) fn auth_failure(&self, reason: &str) {
        self.auth_failures.get_or_create(&vec![("reason", reason.into())]).inc();
    }

    pub(super) fn predicted(&self, name: &str, rows: usize, seconds: f64) {
        self.predictions.get_or_create(&model(name)).inc_by(rows as u64);
        self.prediction_seconds.get_or_create(&model(name)).observe(seconds);
    }

    pub(super) fn learned(&self, name: &str, answers: &[crate::Learnt], seconds: f64) {
        let (labels, mut counts) = (model(name), [0u64; 4]);
        for answer in answers {
            match answer {
                crate::Learnt::Learned { mistake, updated, .. } => {
                    counts[0] += 1;
                    counts[1] += u64::from(*mistake);
                    counts[2] += u64::from(*updated);
                }
                crate::Learnt::Duplicate { .. } => counts[3] += 1,
                crate::Learnt::Refused { code, .. } => self.refused(name, code),
            }
        }
        let all = [&self.examples, &self.mistakes, &self.updates, &self.duplicates];
        for (family, count) in all.into_iter().zip(counts) {
            family.get_or_create(&labels).inc_by(count);
        }
        self.learn_seconds.get_or_create(&labels).observe(seconds);
    }

    pub(super) fn refused(&self, name: &str, reason: &str) {
        self.refused.get_or_create(&vec![("model", name.into()), ("reason", reason.into())]).inc();
    }

    pub(super) fn feedback(&self, name: &str, outcome: &str, delay: Option<f64>) {
        self.feedback.get_or_create(&vec![("model", name.into()), ("outcome", outcome.into())]).inc();
        delay.into_iter().for_each(|delay| self.feedback_delay.get_or_create(&model(name)).observe(delay));
    }

    /// What the writer of a model counts.
    pub(super) fn of_writer(&self, name: &str) -> WriterMetrics {
        let of = model(name);
        WriterMetrics {
            sync_seconds: self.log_sync.get_or_create(&of).clone(),
            group_examples: self.log_group.get_or_create(&of).clone(),
            appended_bytes: self.log_appended.get_or_create(&of).clone(),
            errors: self.log_errors.get_or_create(&of).clone(),
        }
    }

    /// All of them, in the form that Prometheus reads.
    pub(super) fn text(&self, models: &[std::sync::Arc<Entry>]) -> Result<String, fmt::Error> {
        self.state.iter().for_each(|(_, family)| family.clear());
        for entry in models {
            let values = state(entry);
            for ((_, family), value) in self.state.iter().zip(values) {
                family.get_or_create(&model(entry.served.name())).set(value);
            }
        }
        let mut out = String::new();
        encode(&mut out, &lock(&self.registry))?;
        Ok(classic(&out))
    }
}

/// The numbers of [`STATE`].
fn state(entry: &Entry) -> [f64; 25] {
    let (served, status) = (&entry.served, entry.served.status());
    let (waiting, waiting_bytes) = served.waiting();
    let log = served.folder().current().and_then(|epoch| epoch.log_bytes()).unwrap_or(0);
    let (rows, bytes, expired) = {
        let pending = lock(&entry.pending);
        (pending.size().0, pending.size().1, pending.expired)
    };
    let (sequence, features, labels, changes, epoch) = {
        let state = served.state();
        let model = &state.model;
        (
            state.sequence,
            model.encoder().index().len(),
            model.labels().len(),
            model.changes().len(),
            state.epoch,
        )
    };
    let monitor = served.monitor();
    let whole = |number: u64| number as f64;
    [
        whole(sequence),
        features as f64,
        labels as f64,
        whole(status.model_bytes),
        waiting as f64,
        waiting_bytes as f64,
        whole(log),
        f64::from(u8::from(status.not_writable.is_none())),
        whole(status.snapshot),
        whole(status.snapshot_millis) / 1e3,
        status.snapshot_seconds,
        whole(status.snapshot_failures),
        status.recovered.1,
        whole(status.recovered.0),
        whole(status.cut_bytes),
        rows as f64,
        bytes as f64,
        whole(expired),
        monitor.error(),
        monitor.recent_error(),
        monitor.log_loss(),
        monitor.recent_log_loss(),
        monitor.calibration_error(),
        changes as f64,
        f64::from(epoch),
    ]
}

/// The text form 0.0.4 of what is written as OpenMetrics: there, HELP and TYPE of a counter lack the `_total` of its samples, and a
/// mark stands at the end.
fn classic(text: &str) -> String {
    let counters: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("# TYPE ")?.strip_suffix(" counter")).collect();
    let mut out = String::with_capacity(text.len() + 16 * counters.len());
    for line in text.lines().filter(|line| *line != "# EOF") {
        let words: Vec<&str> = line.splitn(4, ' ').collect();
        match words[..] {
            ["#", kind @ ("HELP" | "TYPE"), name, rest] if counters.contains(&name) => {
                out.push_str(&format!("# {kind} {name}_total {rest}\n"));
            }
            _ => {
                out.push_str(line);
                out.push('\n');
            }
        }
    }
    out
}
