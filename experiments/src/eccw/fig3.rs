//! ECCW Fig. 3: the informative features, and the Gaussian over the weights after 50 rounds.

use surefoot_core::analysis::Covariance;
use surefoot_core::store::Store;
use surefoot_data::Ellipse;

use crate::plot::{Axis, Figure, Panel};
use crate::stream::{build, dimension, generated, learn, store};
use crate::{Experiment, Findings, Result, Series, Setup, Table};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "eccw-fig3",
    title: "ECCW Fig. 3: the data, and the weights after 50 rounds",
    needs_data: false,
    run,
    draw,
};

const ROUNDS: usize = 50;
/// The tuned confidence of the experiment on the same stream.
const SPEC: &str = "cw-stdev/full:floor=0,confidence=0.9";

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let points = generated(&mut Ellipse::new(1.0, 4.0, 2.0, 20, setup.seed), 300)?;
    findings.used("generated: ellipse", points.len());
    for (class, name) in ["negative", "positive"].into_iter().enumerate() {
        let own = points.iter().filter(|point| point.1 == class);
        let at = |id: usize, values: &[f64]| values.get(id).copied().unwrap_or(0.0);
        let pairs = own.map(|(x, _)| (at(0, x.features().values()), at(1, x.features().values())));
        findings.series.push(Series::new("data", name, pairs));
    }
    let mut learner = build(SPEC)?;
    learn(&mut *learner, &points[..ROUNDS])?;
    let covariance = Covariance::of(store(&*learner)?, 0, dimension(&points[..ROUNDS]));
    let mut table = Table::new(
        "Ellipses of one standard deviation",
        &["features", "centre x", "centre y", "long axis", "short axis", "angle of the long axis in °"],
    );
    for pair in 0..10 {
        let ellipse = Ellipsoid::of(store(&*learner)?, &covariance, 2 * pair);
        let name = if pair == 0 { "informative".into() } else { format!("noise {pair}") };
        table.row(&name, ellipse.numbers());
        let legend = if pair == 0 { "informative pair" } else { "pairs of noise" };
        findings.series.push(Series::new("weights", legend, ellipse.outline()));
    }
    claims(&table, &mut findings);
    findings.tables.push(table);
    Ok(findings)
}

fn claims(table: &Table, findings: &mut Findings) {
    let number = |row: &str, column: &str| table.number(row, column).unwrap_or(f64::NAN);
    let axes = |row: &str| (number(row, "long axis"), number(row, "short axis"));
    // The separator is the long axis of the data, at 45°: weights that stand on it are at 135°.
    let angle = number("informative", "angle of the long axis in °");
    findings.claim(
        "the long axis of the informative pair is parallel to the true weights",
        (angle - 135.0).abs() < 15.0,
    );
    let (long, short) = axes("informative");
    findings.claim("across it there is little freedom: the ellipse is squashed", short < 0.5 * long);
    let noise: Vec<&str> = table.names().skip(1).collect();
    let round = |row: &&str| axes(row).1 > 0.5 * axes(row).0;
    let circular = noise.iter().filter(|row| round(row)).count();
    findings.claim("the ellipses of the noise are close to circular", circular + 1 >= noise.len());
    let from_origin = |row: &str| number(row, "centre x").hypot(number(row, "centre y"));
    let nearer = noise.iter().all(|row| from_origin(row) < from_origin("informative"));
    findings.claim("their centres are nearer to the origin", nearer);
}

/// Mean and one-standard-deviation ellipse of two weights.
struct Ellipsoid {
    centre: (f64, f64),
    axes: (f64, f64),
    angle: f64,
}

impl Ellipsoid {
    /// Of features `first` and the next one.
    fn of(store: &dyn Store, covariance: &Covariance, first: usize) -> Self {
        let mean = |feature| store.weight(feature, 0).map_or(0.0, |weight| weight.mean);
        let entry = |i, j| covariance.entry(first + i, first + j);
        let (a, b, c) = (entry(0, 0), entry(1, 0), entry(1, 1));
        let (middle, radius) = ((a + c) / 2.0, ((a - c) / 2.0).hypot(b));
        let angle = (0.5 * (2.0 * b).atan2(a - c)).rem_euclid(std::f64::consts::PI);
        let axes = ((middle + radius).sqrt(), (middle - radius).max(0.0).sqrt());
        Self { centre: (mean(first), mean(first + 1)), axes, angle }
    }

    fn numbers(&self) -> [f64; 5] {
        [self.centre.0, self.centre.1, self.axes.0, self.axes.1, self.angle.to_degrees()]
    }

    fn outline(&self) -> impl Iterator<Item = (f64, f64)> + '_ {
        let (sin, cos) = self.angle.sin_cos();
        (0..48).map(|i| f64::from(i) / 48.0 * std::f64::consts::TAU).map(move |t| {
            let (u, v) = (self.axes.0 * t.cos(), self.axes.1 * t.sin());
            (self.centre.0 + u * cos - v * sin, self.centre.1 + u * sin + v * cos)
        })
    }
}

fn draw(findings: &Findings) -> Figure {
    let mut data =
        Panel::new("Informative features", Axis::new("first feature"), Axis::new("second feature"));
    for (colour, series) in findings.panel("data").enumerate() {
        data = data.dots(series, colour, 2.4);
    }
    let data = data.guide([(-8.0, -8.0), (8.0, 8.0)]).square();
    let mut weights = Panel::new("Weights after 50 rounds", Axis::new("weight"), Axis::new("weight"));
    for series in findings.panel("weights") {
        weights = weights.closed(series, if series.name == "informative pair" { 1 } else { 5 });
    }
    let weights = weights.guide([(0.0, 0.0), (-3.0, 3.0)]).square();
    Figure::new(2, vec![data, weights])
}
