use super::*;

/// What a member says of two classes.
fn predict(score: f64) -> Prediction {
    Prediction { scores: vec![score], binary: true, slope: 1.0, ..Prediction::default() }
}

#[test]
fn the_margin_is_the_logit_of_the_true_class() {
    let scores = [0.3, -1.0, 2.0];
    let mut shares = Vec::new();
    let margin = against_rivals(&scores, 1, &mut shares).unwrap();
    let power = scores.map(f64::exp);
    let p = power[1] / power.iter().sum::<f64>();
    assert!((margin - (p / (1.0 - p)).ln()).abs() < 1e-14);
    assert!((shares[2] - power[2] / (power[0] + power[2])).abs() < 1e-15 && shares[1] == 0.0);
    assert!(against_rivals(&[1.0], 0, &mut shares).is_none());
}

/// Members that are one and the same know as much together as alone.
#[test]
fn deviations_add_up() -> Result<()> {
    let stacking = Stacking::new(2, Task::Binary)?;
    let member = |slope: f64, variance: f64| Prediction { slope, variance, ..Prediction::default() };
    let (own, lost) = (member(0.5, 9.0), member(0.0, f64::INFINITY));
    assert_eq!(stacking.variance(&[own.clone(), own.clone()]), 2.25);
    assert_eq!(stacking.variance(&[own, lost]), (0.75 + 0.5 * MOST).powi(2));
    Ok(())
}

#[test]
fn merged_weights_go_back_towards_the_plain_mean() -> Result<()> {
    let members = [predict(2.0), predict(-2.0)];
    let (mut own, mut merged) = (Stacking::new(2, Task::Binary)?, Stacking::new(2, Task::Binary)?);
    for _ in 0..20 {
        own.learn(&members, 2, 1, 1.0, &mut Prediction::default())?;
    }
    merged.merge(&[(&own, 20.0), (&own, 20.0)])?;
    assert!(own.weights[0] > 0.6 && merged.weights[0] < own.weights[0], "{:?}", merged.weights);
    assert!(merged.weights[0] > 0.5 && merged.weights[1] > own.weights[1], "{:?}", merged.weights);
    Ok(())
}

/// At the optimum no weight can be moved for the better: the gradient is 0 where a weight is above 0, and points below 0 where
/// it is 0.
#[test]
fn weights_that_may_not_be_negative_are_the_most_probable_ones() -> Result<()> {
    let mut stacking = Stacking::new(3, Task::Binary)?;
    for round in 0..300 {
        // The third member overstates what the first one says.
        let (noise, sign) = (f64::from(round % 7) - 3.0, if round % 2 == 0 { 1.0 } else { -1.0 });
        let members = [predict(sign + 0.3 * noise), predict(0.5 * sign - 0.2 * noise), predict(noise)];
        stacking.learn(&members, 2, usize::from(sign > 0.0), 1.0, &mut Prediction::default())?;
    }
    assert!(stacking.weights.iter().any(|weight| *weight < -0.05), "{:?}", stacking.weights);
    let free = stacking.store.natural_params(0, 1.0)?;
    stacking.drop_negative_weights()?;
    let bound = stacking.store.natural_params(0, 1.0)?;
    for (member, weight) in stacking.weights.iter().enumerate() {
        let slope = bound.shift[member] - free.shift[member];
        match *weight > 1e-9 {
            true => assert!(slope.abs() < 1e-9, "member {member}: {slope}"),
            false => assert!(weight.abs() < 1e-9 && slope > 0.0, "member {member}: {weight}, {slope}"),
        }
    }
    let weights = stacking.weights.clone();
    stacking.drop_negative_weights()?;
    assert_eq!(stacking.weights, weights, "a second time changes nothing");
    Ok(())
}

#[test]
fn weights_of_which_none_would_be_left_stay() -> Result<()> {
    let mut stacking = Stacking::new(2, Task::Binary)?;
    for round in 0..100 {
        let truth = usize::from(round % 2 == 0);
        let wrong = if truth == 1 { -2.0 } else { 2.0 };
        let members = [predict(wrong), predict(0.5 * wrong)];
        stacking.learn(&members, 2, truth, 1.0, &mut Prediction::default())?;
    }
    let weights = stacking.weights.clone();
    stacking.drop_negative_weights()?;
    assert_eq!(stacking.weights, weights);
    Ok(())
}

/// Members that know nothing of so many classes still say something: the step must not take the strongest of many
/// chance rivals for a fault of theirs, or the weights of all go to zero.
#[test]
fn chance_rivals_do_not_take_the_members_weights_away() -> Result<()> {
    let (classes, mut state) = (20usize, 1u64);
    let mut random = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 11) as f64 / (1u64 << 53) as f64
    };
    let mut stacking = Stacking::new(2, Task::Multiclass)?;
    let mut out = Prediction::default();
    for round in 0..400 {
        // Calibrated logits: the truth is drawn by the odds that both members name.
        let scores: Vec<f64> = (0..classes).map(|_| 2.0 * random()).collect();
        let member = Prediction { scores, slope: 1.0, ..Prediction::default() };
        let (mut odds, mut left) = (Vec::new(), random());
        member.probabilities(&mut odds);
        let truth = odds
            .iter()
            .position(|p| {
                left -= p;
                left < 0.0
            })
            .unwrap_or(round % classes);
        stacking.learn(&[member.clone(), member], classes, truth, 1.0, &mut out)?;
    }
    let total: f64 = stacking.weights.iter().sum();
    assert!((0.6..1.4).contains(&total), "{:?}", stacking.weights);
    Ok(())
}
