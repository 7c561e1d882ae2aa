//! A program as a user of the library writes it.

use surefoot::{Model, Predictor, Result, Task};

/// A model can be shared between threads, sent to another one, and copied.
const fn shared<T: Clone + Send + Sync>() {}
const _: () = shared::<Model>();

#[test]
fn named_features_and_labels_as_text() -> Result<()> {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("mail.model");
    let mut model = Model::builder().learner("arow:r=0.1").task(Task::Binary).build()?;
    let first = model.learn(&[("subject=offer", 1.0), ("caps", 0.4)], "spam")?;
    assert!(first.updated);
    let second = model.learn(&[("subject=lunch", 1.0), ("caps", 0.1)], "ham")?;
    assert!(second.mistake());
    assert!(model.learn(&[("subject=sale", 1.0)], "eggs").is_err(), "a third label of two");
    let p = model.predict(&[("caps", 0.9)]);
    assert_eq!(p.label(), "spam");
    assert!(p.probability() > 0.5 && p.probability() < 1.0 && p.score() > 0.0 && p.variance() > 0.0);
    assert!((p.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    let counts = model.counts();
    assert_eq!((counts.examples, counts.rounds, counts.updates), (2, 2, 2));
    model.save(&path)?;
    let loaded = Model::load(&path)?;
    assert_eq!(loaded.to_bytes()?, model.to_bytes()?);
    assert_eq!(loaded.predict(&[("caps", 0.9)]).probability(), model.predict(&[("caps", 0.9)]).probability());
    Ok(())
}

#[test]
fn any_number_of_labels_and_owned_names() -> Result<()> {
    let mut model = Model::builder().build()?;
    assert_eq!((model.predict(&[("goal", 1.0)]).label().as_str(), model.labels().len()), ("", 0));
    for (word, label) in [("goal", "sport"), ("stock", "money"), ("rain", "weather")].repeat(5) {
        model.learn(&vec![(word.to_string(), 1.0), ("the".to_string(), 0.5)], label)?;
    }
    for (word, label) in [("goal", "sport"), ("stock", "money"), ("rain", "weather")] {
        assert_eq!(model.predict(&[(word, 1.0)]).label(), label);
    }
    Ok(())
}

#[test]
fn a_copy_goes_its_own_way() -> Result<()> {
    let mut model = Model::builder().learner("auto").labels(["ham", "spam"]).build()?;
    model.learn(&[("offer", 1.0)], "spam")?;
    let (mut copy, before) = (model.clone(), model.to_bytes()?);
    copy.learn(&[("offer", 1.0), ("lunch", 2.0)], "ham")?;
    assert_eq!(model.to_bytes()?, before);
    model.learn(&[("offer", 1.0), ("lunch", 2.0)], "ham")?;
    assert_eq!(model.to_bytes()?, copy.to_bytes()?);
    Ok(())
}

#[test]
fn threads_predict_with_one_model() -> Result<()> {
    let mut model = Model::builder().learner("arow").labels(["ham", "spam"]).build()?;
    for _ in 0..5 {
        model.learn(&[("offer", 1.0)], "spam")?;
        model.learn(&[("lunch", 1.0)], "ham")?;
    }
    let here = model.predict(&[("offer", 2.0)]).probability();
    let there: Vec<f64> = std::thread::scope(|scope| {
        let ask = || model.predict(&[("offer", 2.0)]).probability();
        let threads: Vec<_> = (0..3).map(|_| scope.spawn(ask)).collect();
        threads.into_iter().map(|thread| thread.join().expect("a prediction")).collect()
    });
    assert_eq!(there, [here; 3]);
    assert_eq!(
        Predictor::new(&model).predict(&Default::default()).label,
        model.predict(&[("x", 0.0)]).class()
    );
    Ok(())
}
