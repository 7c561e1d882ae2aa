//! How fast text becomes examples: this reader beside a straightforward one written with the standard library, in one
//! run over one file, so that only the ratios count. Run with `cargo bench -p surefoot-data --bench reading`.

use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Write};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use surefoot_core::{Learner, Scores, Spec, Target, Task};
use surefoot_data::{
    Batch, Cache, CacheWriter, Encoder, Labels, Plan, ReadOptions, Reader, Recipe, Row, Source, SpaceKind,
};

const LINES: usize = 200_000;
const FEATURES: u64 = 75;
const ROUNDS: usize = 5;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = tempfile::tempdir()?;
    let path = folder.path().join("bench.svm");
    generate(&path, Values::Counts)?;
    compare_readers(&path, "counts of words")?;
    let bytes = generate(&path, Values::Mixed)?;
    stream_a_gigabyte(&path, bytes)?;
    let naive = compare_readers(&path, "numbers of many forms")?;
    let cache = folder.path().join("bench.cache");
    fill_cache(&path, &cache)?;
    let cached = fastest(|| from_cache(&cache))?;
    report("surefoot, from the cache", bytes, cached, naive);
    compare_passes(&path, &cache)
}

/// Both readers over one file; gives the time of the straightforward one.
fn compare_readers(path: &Path, what: &str) -> Outcome<f64> {
    let bytes = std::fs::metadata(path)?.len();
    println!("svmlight, {what}, {LINES} lines of about {FEATURES} features, {:.0} MB", bytes as f64 / 1e6);
    let naive = fastest(|| straightforward(path))?;
    report("std lines, split, parse", bytes, naive, naive);
    for threads in [1, 2] {
        let ours = fastest(|| reader(path, threads))?;
        report(&format!("surefoot, {threads} thread(s)"), bytes, ours, naive);
    }
    Ok(naive)
}

type Outcome<T> = Result<T, Box<dyn std::error::Error>>;

/// What the values of a file are like.
#[derive(Clone, Copy, PartialEq)]
enum Values {
    /// One form throughout, as in nearly every file.
    Counts,
    /// Any of three at random: what guessing ahead finds hardest.
    Mixed,
}

/// A file of text-like sparsity: small ids are the most frequent.
fn generate(path: &Path, values: Values) -> Outcome<u64> {
    let mut out = BufWriter::new(File::create(path)?);
    let mut state = 1u64;
    let mut random = move || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    for _ in 0..LINES {
        write!(out, "{}", if random() & 1 == 0 { "+1" } else { "-1" })?;
        let mut id = 0;
        for _ in 0..FEATURES - 15 + random() % 30 {
            id += 1 + random() % (1 << (random() % 12));
            match random() % 3 {
                form if values == Values::Counts => write!(out, " {id}:{}", 1 + form / 2)?,
                0 => write!(out, " {id}:1")?,
                1 => write!(out, " {id}:0.{:04}", random() % 10_000)?,
                _ => write!(out, " {id}:{}.{:02}", random() % 9, random() % 100)?,
            }
        }
        writeln!(out)?;
    }
    out.flush()?;
    Ok(std::fs::metadata(path)?.len())
}

/// The reader that one writes in ten minutes.
fn straightforward(path: &Path) -> Outcome<f64> {
    let mut sum = 0.0;
    for line in BufReader::new(File::open(path)?).lines() {
        let line = line?;
        let mut words = line.split_whitespace();
        let label: f64 = words.next().ok_or("no label")?.parse()?;
        let mut features: Vec<(u64, f64)> = Vec::new();
        for word in words {
            let (id, value) = word.split_once(':').ok_or("no colon")?;
            features.push((id.parse()?, value.parse()?));
        }
        sum += label + features.iter().map(|&(id, value)| id as f64 * value).sum::<f64>();
    }
    Ok(sum)
}

fn reader(path: &Path, threads: usize) -> Outcome<f64> {
    let recipe = Recipe { space: SpaceKind::AsGiven, ..Recipe::default() };
    let options = ReadOptions { threads, ..ReadOptions::default() };
    let mut reader = Reader::open(vec![Source::Path(path.into())], options, Arc::new(Plan::new(recipe)?))?;
    total(|batch| reader.next_batch(batch))
}

fn fill_cache(path: &Path, cache: &Path) -> Outcome<()> {
    let recipe = Recipe { space: SpaceKind::AsGiven, ..Recipe::default() };
    let plan = Arc::new(Plan::new(recipe)?);
    let mut reader = Reader::open(vec![Source::Path(path.into())], ReadOptions::default(), plan)?;
    let mut writer = CacheWriter::create(cache, "bench")?;
    let mut batch = Batch::new();
    while reader.next_batch(&mut batch)? {
        writer.push(&batch)?;
    }
    Ok(writer.finish(0)?)
}

fn from_cache(path: &Path) -> Outcome<f64> {
    let mut cache = Cache::open(path, "bench")?.ok_or("no cache")?;
    total(|batch| cache.next_batch(batch))
}

/// Peak memory of streaming a file of a gigabyte: it must not depend on the file's size.
fn stream_a_gigabyte(path: &Path, bytes: u64) -> Outcome<()> {
    let big = path.with_extension("big.svm");
    let mut out = File::create(&big)?;
    for _ in 0..1_000_000_000 / bytes + 1 {
        std::io::copy(&mut File::open(path)?, &mut out)?;
    }
    let before = peak_megabytes();
    reader(&big, 2)?;
    let grown = before.zip(peak_megabytes()).map(|(before, after)| (after - before).to_string());
    let size = std::fs::metadata(&big)?.len() as f64 / 1e9;
    println!("streaming {size:.1} GB, 2 threads: {} MB more at the peak", grown.unwrap_or("?".into()));
    Ok(std::fs::remove_file(&big)?)
}

/// A further pass of arow: the examples from memory, and from the cache.
fn compare_passes(path: &Path, cache: &Path) -> Outcome<()> {
    let recipe = Recipe { space: SpaceKind::AsGiven, ..Recipe::default() };
    let plan = Arc::new(Plan::new(recipe)?);
    let mut reader = Reader::open(vec![Source::Path(path.into())], ReadOptions::default(), plan.clone())?;
    let (mut kept, mut batch) = (Vec::new(), Batch::new());
    while reader.next_batch(&mut batch)? {
        kept.push(std::mem::take(&mut batch));
    }
    let mut model = Model {
        encoder: Encoder::new(Labels::declared(&["-1", "1"])?, plan, true),
        learner: Spec::parse("arow")?.build(Task::Binary, 2)?,
        row: Row::new(),
        scores: Scores::default(),
    };
    kept.iter().try_for_each(|batch| model.learn(batch))?;
    // One after the other in turns, so that a noisy moment hits both.
    let mut best = [f64::INFINITY; 2];
    for _ in 0..ROUNDS {
        let start = Instant::now();
        kept.iter().try_for_each(|batch| model.learn(batch))?;
        best[0] = best[0].min(start.elapsed().as_secs_f64());
        let start = Instant::now();
        let mut cache = Cache::open(cache, "bench")?.ok_or("no cache")?;
        while cache.next_batch(&mut batch)? {
            model.learn(&batch)?;
        }
        best[1] = best[1].min(start.elapsed().as_secs_f64());
    }
    let [memory, cached] = best.map(|seconds| seconds * 1e3);
    println!(
        "a pass of arow: {memory:.1} ms from memory, {cached:.1} ms from the cache, {:.2} times",
        cached / memory
    );
    Ok(())
}

/// What learns the examples of a pass.
struct Model {
    encoder: Encoder,
    learner: Box<dyn Learner>,
    row: Row,
    scores: Scores,
}

impl Model {
    fn learn(&mut self, batch: &Batch) -> Outcome<()> {
        for example in batch.iter() {
            let label = example.label().ok_or("no label")?;
            let encoded = self.encoder.encode(&example.features, label, example.weight, &mut self.row)?;
            let target = Target::Class(encoded.class);
            self.learner.update(self.row.vector()?, target, example.weight, &mut self.scores)?;
        }
        Ok(())
    }
}

/// Something that needs every number of every example, and costs little.
fn total(mut next_batch: impl FnMut(&mut Batch) -> surefoot_data::Result<bool>) -> Outcome<f64> {
    let mut batch = Batch::new();
    let mut sum = 0.0;
    while next_batch(&mut batch)? {
        for example in batch.iter() {
            let label = if example.label() == Some(b"+1") { 1.0 } else { -1.0 };
            let pairs = example.features.keys().iter().zip(example.features.values());
            sum += label + pairs.map(|(&id, &value)| id as f64 * value).sum::<f64>();
        }
    }
    Ok(sum)
}

/// Seconds of the fastest of several runs; all must read the same numbers.
fn fastest(mut run: impl FnMut() -> Outcome<f64>) -> Outcome<f64> {
    let mut best = f64::INFINITY;
    let mut sums = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        sums.push(run()?);
        best = best.min(start.elapsed().as_secs_f64());
    }
    sums.dedup();
    if sums.len() == 1 { Ok(best) } else { Err("runs disagree".into()) }
}

fn report(what: &str, bytes: u64, seconds: f64, base: f64) {
    let speed = bytes as f64 / seconds / 1e6;
    println!("{what:<26} {:>7.1} ms {speed:>7.0} MB/s {:>6.2} times", seconds * 1e3, base / seconds);
}

/// Peak resident memory, where the system tells.
fn peak_megabytes() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    Some(line.split_whitespace().nth(1)?.parse::<u64>().ok()? / 1024)
}
