//! Many classes on the diagonal store: scoring against a bare read of the same cells, learning against scoring.
//!
//! `cargo bench -p surefoot-core --bench multiclass`. Only ratios inside one run count.

use std::hint::black_box;
use std::time::Instant;

use surefoot_core::{Head, Learner, Prediction, Scores, SparseVec, Spec, Target, Task};

const EXAMPLES: usize = 10_000;
const NONZEROS: usize = 80;
const FEATURES: usize = 200_000;
const ROUNDS: usize = 9;

struct Stream {
    ids: Vec<u32>,
    values: Vec<f64>,
    labels: Vec<usize>,
}

fn generate(classes: usize) -> Stream {
    let mut seed = 1u64;
    let mut uniform = move || {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((seed >> 11) as f64 + 0.5) / (1u64 << 53) as f64
    };
    let mut stream = Stream { ids: Vec::new(), values: Vec::new(), labels: Vec::new() };
    for _ in 0..EXAMPLES {
        let class = (uniform() * classes as f64) as usize;
        let mut row: Vec<u32> = (0..NONZEROS)
            .map(|i| {
                // A tenth of the words belong to the class, the rest to everybody.
                let id = (FEATURES as f64).powf(uniform()) as u32 - 1;
                if i % 10 == 0 { id / classes as u32 * classes as u32 + class as u32 } else { id }
            })
            .collect();
        row.sort_unstable();
        for i in 1..row.len() {
            row[i] = row[i].max(row[i - 1] + 1);
        }
        stream.ids.extend(row);
        stream.values.extend([1.0 / (NONZEROS as f64).sqrt(); NONZEROS]);
        stream.labels.push(class);
    }
    stream
}

impl Stream {
    fn examples(&self) -> impl Iterator<Item = (SparseVec<'_>, usize)> {
        let rows = self.ids.chunks_exact(NONZEROS).zip(self.values.chunks_exact(NONZEROS));
        rows.zip(&self.labels)
            .map(|((ids, values), &label)| (SparseVec::new(ids, values).expect("finite"), label))
    }
}

/// Reads the means of every class of every feature and adds them up, nothing else.
fn bare(stream: &Stream, cells: &[f64], classes: usize) -> f64 {
    let mut total = 0.0;
    for (x, _) in stream.examples() {
        for id in x.ids() {
            let start = *id as usize * 2 * classes;
            total += cells[start..start + classes].iter().sum::<f64>();
        }
    }
    total
}

fn score(stream: &Stream, learner: &dyn Learner) -> usize {
    let mut scores = Scores::default();
    let mut right = 0;
    for (x, label) in stream.examples() {
        learner.scores(x, &mut scores);
        right += usize::from(scores.label(0) == Some(label));
    }
    right
}

fn learn(stream: &Stream, learner: &mut dyn Learner) {
    let mut head = Head::new(1, false, Task::Multiclass).expect("one member");
    let (mut scores, mut prediction) = (Scores::default(), Prediction::default());
    for (x, label) in stream.examples() {
        learner.update(x, Target::Class(label), 1.0, &mut scores).expect("learns");
        head.update(&scores, Target::Class(label), 1.0, &mut prediction).expect("learns");
    }
}

fn seconds<T>(work: impl FnOnce() -> T) -> f64 {
    let start = Instant::now();
    black_box(work());
    start.elapsed().as_secs_f64()
}

fn main() {
    for classes in [3, 5, 10, 20, 50, 100] {
        let stream = generate(classes);
        let cells = vec![0.5; (FEATURES + NONZEROS + classes) * 2 * classes];
        for spec in ["cw-var:top=1", "arow:r=0.1,top=1", "arow:r=0.1,schedule=one-vs-rest"] {
            let build =
                || Spec::parse(spec).and_then(|s| s.build(Task::Multiclass, classes)).expect("a SPEC");
            let mut learner = build();
            learn(&stream, &mut *learner);
            let (mut read, mut scoring, mut learning) = (f64::INFINITY, f64::INFINITY, f64::INFINITY);
            for _ in 0..ROUNDS {
                read = read.min(seconds(|| bare(&stream, &cells, classes)));
                scoring = scoring.min(seconds(|| score(&stream, &*learner)));
                learning = learning.min(seconds(|| learn(&stream, &mut *learner)));
            }
            let micros = |s: f64| s / EXAMPLES as f64 * 1e6;
            println!(
                "{classes:4} classes {spec:34} read {:6.2} µs  score {:6.2} µs ({:.2} × read)  learn {:6.2} µs ({:.2} × score)",
                micros(read),
                micros(scoring),
                scoring / read,
                micros(learning),
                learning / scoring
            );
        }
    }
}
