//! What several tests need.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use surefoot::core::{LearnerSpec, Task};
use surefoot::data::{Format, Recipe, Scale, Source, SpaceKind};
use surefoot::train::{Silent, TrainOptions, resume};
use surefoot::{Model, Settings, default_recipe, default_recipe_for};
use surefoot_server::{Epoch, LearnPolicy, Learnt, RowLimits, Rows, Served, ServerFolder};

/// A kind of data: its rows, and a model that has seen none of them.
pub struct Case {
    pub name: &'static str,
    pub learner: &'static str,
    pub labels: &'static [&'static str],
    pub row: fn(u64) -> String,
    pub scale: Scale,
}

/// Pseudo-random numbers that depend on `n` alone.
pub fn mixed(n: u64) -> u64 {
    let mut x = n.wrapping_add(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

fn number(n: u64) -> f64 {
    (mixed(n) >> 11) as f64 / (1u64 << 53) as f64
}

fn sparse(n: u64) -> String {
    let label = if mixed(n) % 10 < 4 { "spam" } else { "ham" };
    let words = (0..8).map(|k| {
        let word = mixed(31 * n + k) % 5000;
        let word = if label == "spam" && k < 2 { word % 40 } else { word };
        format!(r#""w{word}_{k}":{:.3}"#, number(n + k))
    });
    format!(r#"{{"id":"r{n}","label":"{label}",{}}}"#, words.collect::<Vec<_>>().join(","))
}

fn dense(n: u64) -> String {
    let x: Vec<f64> = (0..6).map(|k| 50.0 * number(17 * n + k) - 20.0 * k as f64).collect();
    let label = if x[0] + x[1] * 0.5 + x[2] > 20.0 * number(n) { "b" } else { "a" };
    let cells = x.iter().enumerate().map(|(k, x)| format!(r#""x{k}":{x:.4}"#));
    format!(r#"{{"id":{n},"label":"{label}",{}}}"#, cells.collect::<Vec<_>>().join(","))
}

fn many(n: u64) -> String {
    let label = mixed(n) % 7;
    let words = (0..6).map(|k| format!(r#""f{}":1"#, (label * 13 + mixed(n * 7 + k) % 40)));
    let words: std::collections::BTreeSet<String> = words.collect();
    format!(r#"{{"id":"m{n}","label":"l{label}",{}}}"#, words.into_iter().collect::<Vec<_>>().join(","))
}

fn text(n: u64) -> String {
    const WORDS: [&str; 12] = [
        "refund", "please", "card", "charged", "twice", "parcel", "lost", "late", "login", "password",
        "reset", "thanks",
    ];
    let label = ["billing", "delivery", "account"][(mixed(n) % 3) as usize];
    let base = (mixed(n) % 3) as usize * 4;
    let words = (0..7).map(|k| WORDS[(base + (mixed(n * 11 + k) % 6) as usize) % 12]);
    format!(r#"{{"id":"t{n}","label":"{label}","text":"{}"}}"#, words.collect::<Vec<_>>().join(" "))
}

pub const CASES: &[Case] = &[
    Case { name: "arow", learner: "arow", labels: &["ham", "spam"], row: sparse, scale: Scale::None },
    Case { name: "auto-sparse", learner: "auto", labels: &["ham", "spam"], row: sparse, scale: Scale::None },
    Case { name: "auto-dense", learner: "auto", labels: &["a", "b"], row: dense, scale: Scale::None },
    Case { name: "auto-many", learner: "auto", labels: &[], row: many, scale: Scale::None },
    Case {
        name: "auto-text",
        learner: "auto",
        labels: &["account", "billing", "delivery"],
        row: text,
        scale: Scale::None,
    },
    Case { name: "factored", learner: "arow/factored", labels: &["a", "b"], row: dense, scale: Scale::None },
    Case { name: "scaled", learner: "arow", labels: &["a", "b"], row: dense, scale: Scale::Rms },
    Case {
        name: "averaged",
        learner: "pa1:average=true",
        labels: &["ham", "spam"],
        row: sparse,
        scale: Scale::None,
    },
];

impl Case {
    /// A model at the start of its stream.
    pub fn model(&self) -> Model {
        let learner = LearnerSpec::parse(self.learner).expect("a learner");
        let recipe = if learner.is_ensemble() { default_recipe_for(&learner) } else { default_recipe() };
        let recipe = Recipe { space: SpaceKind::Dictionary, scale: self.scale, ..recipe };
        let labels = match self.labels {
            [] => surefoot::data::Labels::open(),
            names => surefoot::data::Labels::declared(names).expect("labels"),
        };
        assert!(labels.is_binary() || learner.is_ensemble());
        let _ = Task::Binary;
        Model::new(Settings::new(learner, labels, recipe)).expect("a model")
    }
}

/// A folder with one model, called `m`.
pub fn prepare(folder: &Path, model: &Model) {
    let server = ServerFolder::open(folder).expect("a free folder");
    let place = server.model("m").expect("a name");
    place.begin_epoch(&model.to_bytes().expect("bytes"), 0, "test").expect("an epoch");
}

/// The model `m` of a folder, served.
pub fn open(folder: &Path, policy: LearnPolicy) -> (ServerFolder, Arc<Served>) {
    let server = ServerFolder::open(folder).expect("a free folder");
    let model = server.models().expect("models").remove(0);
    let (served, _) = Served::open(model, folder, policy, 2, Default::default()).expect("recovered");
    (server, served)
}

/// Everything that may come.
pub fn policy() -> LearnPolicy {
    LearnPolicy { new_labels: true, ..LearnPolicy::default() }
}

/// Learns rows in one request.
pub fn learn(served: &Served, rows: &[String]) -> Vec<Learnt> {
    let body = format!("[{}]", rows.join(", "));
    let rows = Rows::parse(body.as_bytes(), served.rows(), &RowLimits::default(), false).expect("good rows");
    served.learn(rows, false).expect("sent").blocking_recv().expect("answered").expect("learned")
}

/// What the model's file would be now.
pub fn bytes(served: &Served) -> Vec<u8> {
    served
        .look(|state| state.model.to_bytes())
        .expect("sent")
        .blocking_recv()
        .expect("answered")
        .expect("bytes")
}

/// What `surefoot train LOG… --resume base.model` makes.
pub fn trained(epoch: &Epoch, threads: usize) -> Vec<u8> {
    let segments = epoch.segments().expect("segments");
    let sources: Vec<Source> =
        segments.into_iter().map(|(_, path): (u64, PathBuf)| Source::Path(path)).collect();
    let base = Model::load(epoch.base()).expect("the base model");
    if sources.is_empty() {
        return base.to_bytes().expect("bytes");
    }
    let options = TrainOptions::default().threads(threads).format(None::<&'static Format>);
    let (model, _) = resume(base, sources, &options, &mut Silent).expect("trained");
    model.to_bytes().expect("bytes")
}
