//! Importance weights through the whole model.

use surefoot::data::{KeyedFeatures, SpaceKind};
use surefoot::prelude::*;

#[test]
fn a_label_met_with_no_weight_stays_in_step_with_its_class() -> Result<()> {
    let recipe = Recipe { space: SpaceKind::AsGiven, ..Recipe::default() };
    let mut model = Model::builder().learner("arow").recipe(recipe).build()?;
    for (label, weight) in [("a", 1.0), ("b", 0.0), ("c", 1.0)] {
        model.learn_weighted(&KeyedFeatures::given(&[1], &[1.0]), label, weight)?;
    }
    assert_eq!(model.learner().classes(), 3);
    let again = Model::from_bytes(&model.to_bytes()?)?;
    assert_eq!(again.labels().len(), 3);
    Ok(())
}
