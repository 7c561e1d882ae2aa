//! The promise of docs/reference/model-file.md: a model that any version wrote is read by every later one and predicts the
//! same, bit for bit.
//!
//! `tests/models` holds models as they were written; they are never written again. A new version of the format adds its
//! own: `SUREFOOT_REGENERATE=1 cargo test -p surefoot --test compatibility` writes those that are missing.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use surefoot::data::{Batch, Scale, Source, SpaceKind};
use surefoot::train::{Silent, resume};
use surefoot::{Predictor, Reading, prelude::*};

const MAIL: &str = "spam\tcheap pills, really cheap\nham\tlunch today?\nlist\tnews of the day\nspam\tcheap watches\n\
                    ham\ttoday at noon\nlist\tthe news\nspam\tpills\nham\tlunch, cheap lunch\n";
const POINTS: &str = "+1 1:1 2:0.5\n-1 2:1 7:-0.25\n+1 1:2 4000000000:1\n-1 3:1.5\n+1 1:0.125\n-1 2:3 3:1\n";
const FLOWERS: &str =
    "1 1:1 2:0.5\n2 2:1 3:0.5\n3 3:1 1:0.5\n1 1:2\n2 2:2\n3 3:2 1:-1\n1 1:1 3:0.25\n4 2:-1\n";

/// So many integers below 2¹⁴ that each is its own index.
static DENSE: LazyLock<String> = LazyLock::new(|| {
    (0..90u32).fold(String::new(), |mut text, row| {
        let _ = write!(text, "{}", if row % 3 == 0 { "+1" } else { "-1" });
        (0..50).for_each(|i| _ = write!(text, " {}:{}", 1 + (50 * row + i) % 2_700, (i + row) % 5 + 1));
        text + "\n"
    })
});

/// Rows that have all features there are.
static TABLE: LazyLock<String> = LazyLock::new(|| {
    (0..90u32).fold(String::new(), |mut text, row| {
        let _ = write!(text, "{}", if row % 3 == 0 { "+1" } else { "-1" });
        (1..6).for_each(|i| _ = write!(text, " {i}:{}", row % 7 + (i * row) % 5 + 1));
        text + "\n"
    })
});

/// What each model was learned with: learner, space, scale, data.
fn recipes() -> [(&'static str, &'static str, Recipe, &'static str); 10] {
    let (plain, single) = (Recipe::default(), surefoot::default_recipe());
    let hashed = SpaceKind::Hashed { bits: 6, seed: 0 };
    [
        // Written when the members of `auto` were on the diagonal store.
        ("v1-bank-text", "auto", plain.clone(), MAIL),
        ("v1-compact-bank", "auto", plain.clone(), POINTS),
        ("v1-diagonal-points", "cw-stdev/diagonal:confidence=0.8", single.clone(), POINTS),
        ("v1-full-hashed", "arow/full", Recipe { space: hashed, ..plain.clone() }, POINTS),
        ("v1-factored-classes", "arow/factored:rank=2", Recipe { scale: Scale::Rms, ..plain }, FLOWERS),
        ("v1-kernel-points", "arow/kernel:kernel=rbf", single.clone(), POINTS),
        // Before it is known what rows are like, and after somebody has joined who keeps correlations.
        ("v3-open-points", "auto", Recipe::default(), POINTS),
        ("v1-joined-table", "auto", Recipe::default(), &TABLE),
        ("v2-dense-points", "arow/compact", single.clone(), &DENSE),
        ("v1-averaged-classes", "pa1:average=true,schedule=exact,top=2", single, FLOWERS),
    ]
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/models")
}

fn source(data: &str) -> Vec<Source> {
    vec![Source::memory(if data == MAIL { "mail.tsv" } else { "points.svm" }, data.as_bytes())]
}

/// Everything that the model says of the data, every digit of it.
fn predictions(model: &Model, data: &str) -> Result<String> {
    let mut reader = model.read(source(data), &Reading::default())?;
    let (mut batch, mut predictor, mut text) = (Batch::new(), Predictor::new(model), String::new());
    while reader.next_batch(&mut batch)? {
        for example in batch.iter() {
            let prediction = predictor.predict(&example.features);
            let label = model.label(prediction.label).map_or_else(String::new, ToString::to_string);
            let line = format!("{label}\t{:?}\t{:?}", prediction.score, prediction.variance);
            let _ =
                writeln!(text, "{line}\t{:?}\t{:?}", predictor.probabilities().to_vec(), predictor.votes());
        }
    }
    Ok(text)
}

/// Writes a model of today and what it predicts, unless it is there.
fn create(name: &str, learner: &str, recipe: Recipe, data: &str) -> Result<()> {
    let (path, expected) = (folder().join(format!("{name}.model")), folder().join(format!("{name}.txt")));
    if path.exists() {
        return Ok(());
    }
    let options = TrainOptions { learner: Roster::parse(learner)?, recipe, ..TrainOptions::default() };
    let (model, _) = train(source(data), &options, &mut Silent)?;
    model.save(&path)?;
    std::fs::write(expected, predictions(&model, data)?).expect("the predictions are written");
    Ok(())
}

#[test]
fn old_models_predict_what_they_predicted() -> Result<()> {
    for (name, learner, recipe, data) in recipes() {
        if std::env::var_os("SUREFOOT_REGENERATE").is_some() {
            create(name, learner, recipe, data)?;
        }
        let path = folder().join(format!("{name}.model"));
        let (model, version) = (Model::load(&path)?, surefoot::data::model::read_header(&path)?.version);
        assert!(name.starts_with(&format!("v{version}-")), "{name}");
        let expected = std::fs::read_to_string(folder().join(format!("{name}.txt"))).expect("predictions");
        assert_eq!(predictions(&model, data)?, expected, "{name}");
        let (model, report) = resume(model, source(data), &TrainOptions::default(), &mut Silent)?;
        assert_eq!(report.examples as usize, data.lines().count(), "{name} goes on");
        Model::from_bytes(&model.to_bytes()?)?;
    }
    Ok(())
}
