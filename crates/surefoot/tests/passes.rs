//! Several passes: probabilities stay those of new examples.

use surefoot::data::Random;
use surefoot::prelude::*;
use surefoot::train::{Silent, resume};
use surefoot::{Reading, evaluate};

/// Rows of 5 to 24 words, of which a few go with the label more often than not: learned by heart, most of what they say is chance.
fn noisy_rows(classes: u64, count: usize, seed: u64) -> Vec<Source> {
    let mut random = Random::new(seed);
    let mut row = |_| {
        let class = random.below(classes);
        let told = if random.below(8) == 0 { random.below(classes) } else { class };
        let words: String = (0..5 + random.below(20))
            .map(|i| match i % 4 {
                0 => format!(" w{}", told + classes * random.below(60)),
                _ => format!(" w{}", random.below(3000)),
            })
            .collect();
        format!("{} |{words}\n", class + 1)
    };
    vec![Source::memory("rows.vw", (0..count).map(&mut row).collect::<String>().into_bytes())]
}

/// The log loss on new rows after so many passes over the same ones.
fn held_out_loss(learner: &str, classes: u64, passes: usize) -> Result<f64> {
    let options = TrainOptions::default().learner(LearnerSpec::parse(learner)?).passes(passes);
    let (model, report) = train(noisy_rows(classes, 1500, 7), &options, &mut Silent)?;
    assert_eq!((report.examples, model.head().rounds()), (1500, 1500), "figures are of the first pass");
    let found = evaluate(&model, noisy_rows(classes, 1500, 8), &Reading::default())?;
    found.metrics.get("log-loss").ok_or_else(|| Error::Other("no log loss".into()))
}

#[test]
fn passes_over_the_same_examples_do_not_ruin_probabilities() -> Result<()> {
    // These rows are learned by heart, so weights get worse with every pass; calibrations that learned from known examples
    // would make it several times as bad.
    for learner in ["auto", "arow", "cw-stdev", "logistic"] {
        for classes in [2, 4] {
            let (one, five) = (held_out_loss(learner, classes, 1)?, held_out_loss(learner, classes, 5)?);
            assert!(five <= 1.4 * one, "{learner}, {classes} classes: {one} after 1 pass, {five} after 5");
        }
    }
    Ok(())
}

/// Going on with the data that a model has learned is a second pass, and what follows it is new.
#[test]
fn a_model_that_goes_on_knows_the_data_that_it_has_learned() -> Result<()> {
    let more = |seed| noisy_rows(2, 400, seed);
    for learner in ["auto", "arow"] {
        let options = TrainOptions::default().learner(LearnerSpec::parse(learner)?);
        let (first, report) = train(more(7), &options, &mut Silent)?;
        assert!(report.warnings.is_empty());
        let loaded = Model::from_bytes(&first.to_bytes()?)?;
        let (again, report) = resume(loaded, more(7), &options, &mut Silent)?;
        assert_eq!((again.counts().examples, again.counts().rounds, again.head().rounds()), (400, 800, 400));
        assert!(
            report.warnings[0].contains("the first 400 of these examples before"),
            "{:?}",
            report.warnings
        );
        let (passes, _) = train(more(7), &options.clone().passes(2), &mut Silent)?;
        let rows = || evaluate(&passes, more(8), &Reading::default());
        let same = evaluate(&again, more(8), &Reading::default())?;
        assert_eq!(rows()?.metrics.get("log-loss"), same.metrics.get("log-loss"), "as a second pass");
        let both = [more(7), more(9)].concat();
        let (longer, report) = resume(first.clone(), both, &options, &mut Silent)?;
        assert_eq!((report.examples, longer.counts().examples, longer.head().rounds()), (800, 800, 800));
        let (other, report) = resume(first, more(9), &options, &mut Silent)?;
        assert_eq!((report.warnings.len(), other.counts().examples), (0, 800));
    }
    Ok(())
}
