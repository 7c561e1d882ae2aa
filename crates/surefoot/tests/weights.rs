//! Importance weights through the whole model.

use surefoot::core::LearnerSpec;
use surefoot::data::{Features, FormatOptions, Labels, Recipe, SpaceKind};
use surefoot::{Model, Settings};

#[test]
fn a_label_met_with_no_weight_stays_in_step_with_its_class() {
    let mut model = Model::new(Settings {
        learner: LearnerSpec::parse("arow").unwrap(),
        labels: Labels::open(),
        recipe: Recipe { space: SpaceKind::AsGiven, ..Recipe::default() },
        columns: FormatOptions::default(),
        seed: 0,
    })
    .unwrap();
    for (label, weight) in [("a", 1.0), ("b", 0.0), ("c", 1.0)] {
        model.learn(&Features::given(&[1], &[1.0]), label.as_bytes(), weight).unwrap();
    }
    assert_eq!(model.learner().classes(), 3);
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.labels().len(), 3);
}
