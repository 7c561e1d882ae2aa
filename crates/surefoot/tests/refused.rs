//! An example that is refused leaves no trace, and a model that knows one label is sure of it.

use surefoot::data::{KeyedFeatures, SpaceKind};
use surefoot::{Predictor, prelude::*};

fn model(learner: &str, labels: Labels) -> Model {
    let learner = LearnerSpec::parse(learner).expect("a SPEC");
    let recipe = Recipe { space: SpaceKind::AsGiven, ..Recipe::default() };
    Model::new(Settings::new(learner, labels, recipe)).expect("a model")
}

fn reloaded(model: &Model) -> Model {
    Model::from_bytes(&model.to_bytes().expect("bytes")).expect("what was saved can be loaded")
}

#[test]
fn a_refused_example_leaves_labels_and_features_as_they_were() {
    for learner in ["arow", "auto"] {
        let mut model = model(learner, Labels::open());
        model.learn(&KeyedFeatures::given(&[1], &[1.0]), "a").expect("learned");
        let before = model.to_bytes().expect("bytes");
        for weight in [-1.0, 1.01e12, f64::NAN, f64::INFINITY] {
            let refused = model.learn_weighted(&KeyedFeatures::given(&[2], &[1.0]), "b", weight);
            assert!(refused.expect_err("a bad weight").to_string().contains("importance weight"));
        }
        assert!(before == model.to_bytes().expect("bytes"));
        let refused = model.learn(&KeyedFeatures::given(&[1], &[f64::NAN]), "b");
        assert!(refused.expect_err("not a number").to_string().contains("finite"));
        assert_eq!((model.labels().len(), reloaded(&model).labels().len()), (1, 1));
        model.learn(&KeyedFeatures::given(&[1], &[1.0]), "b").expect("learned");
        assert_eq!(reloaded(&model).labels().len(), 2);
    }
}

#[test]
fn one_label_of_many_is_certain_and_two_are_two_scores() {
    for learner in ["arow", "cw-var:schedule=exact", "arow:decision=vote", "auto"] {
        let mut model = model(learner, Labels::open());
        let x = [1.0];
        let x = KeyedFeatures::given(&[1], &x);
        for weight in [1.0, 1.0, 0.0] {
            let round = model.learn_weighted(&x, "b", weight).expect("learned");
            assert!(round.prediction.label.is_none_or(|label| label == 0));
        }
        let mut predictor = Predictor::new(&model);
        let prediction = predictor.predict(&x);
        assert!(!prediction.binary && prediction.binary_score().is_none());
        assert_eq!((prediction.label, prediction.scores.len()), (Some(0), 1));
        assert_eq!(predictor.probabilities(), [1.0]);
        model.learn(&x, "a").expect("learned");
        let mut predictor = Predictor::new(&model);
        assert_eq!(predictor.predict(&x).scores.len(), 2);
        assert_eq!(predictor.probabilities().len(), 2);
        assert!((predictor.probabilities().iter().sum::<f64>() - 1.0).abs() < 1e-12);
    }
}
