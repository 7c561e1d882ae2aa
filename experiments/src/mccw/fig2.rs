//! MCCW Fig. 2: the label distributions of CW beside those of maximum entropy.

use surefoot_core::metric::{Brier, Entropy, LogLoss, Metric, Outcome, Reliability};
use surefoot_core::probability::Voter;
use surefoot_core::{Head, Learner, Prediction, Scores, Target};

use super::maxent::{Maxent, VARIANCES, tuned_variance};
use super::method::{CONFIDENCES, Method, Setting};
use super::parts::Parts;
use super::tasks::NEWS;
use crate::data::DataSet;
use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup, Table};

/// The entry in the list.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mccw-fig2",
    title: "MCCW Fig. 2: probabilities of CW and of maximum entropy",
    needs_data: true,
    run,
    draw,
};

const CW: Method = Method::new("CW", "cw-var:top=1", CONFIDENCES);

/// The passes after which bars are drawn.
const SHOWN: [usize; 3] = [1, 3, 7];

const PANELS: [&str; 4] =
    ["Error against entropy", "Test examples", "Contribution to the error", "Conditional error"];

/// What the heights of the bars are.
const UNITS: [&str; 3] = ["examples", "wrong, % of all examples", "wrong, % of the bin"];

/// What is counted of a way to give probabilities.
#[derive(Debug, Clone, Default)]
struct Tally {
    entropy: Entropy,
    bins: Reliability,
    loss: LogLoss,
    brier: Brier,
    /// Sum of the predictions' probabilities and their number, wrong ones first.
    sums: [(f64, f64); 2],
}

impl Tally {
    fn update(&mut self, truth: usize, probabilities: &[f64]) {
        let best =
            (0..probabilities.len()).reduce(|a, b| if probabilities[b] > probabilities[a] { b } else { a });
        let truth_of = Target::Class(truth);
        let outcome = Outcome { truth: truth_of, predicted: best, probabilities, score: 0.0, labels: &[] };
        self.entropy.update(&outcome, 1.0);
        self.bins.update(&outcome, 1.0);
        self.loss.update(&outcome, 1.0);
        self.brier.update(&outcome, 1.0);
        let sum = &mut self.sums[usize::from(best == Some(truth))];
        *sum = (sum.0 + outcome.confidence().unwrap_or(0.0), sum.1 + 1.0);
    }

    fn count(&self) -> f64 {
        self.sums[0].1 + self.sums[1].1
    }

    fn error(&self) -> f64 {
        100.0 * self.sums[0].1 / self.count()
    }

    /// Mean probability of the predictions that are wrong or right.
    fn mean(&self, right: bool) -> f64 {
        let (sum, count) = self.sums[usize::from(right)];
        sum / count
    }

    fn entropy(&self) -> f64 {
        self.entropy.value().unwrap_or(f64::NAN)
    }

    /// Of each bin: examples, share of all examples that are wrong and in it, share of its examples that are wrong.
    fn panels(&self, name: &str) -> [Series; 3] {
        let wrong = |bin: &surefoot_core::metric::ReliabilityBin| 1.0 - bin.accuracy.unwrap_or(1.0);
        let series = |panel: usize, y: &dyn Fn(&surefoot_core::metric::ReliabilityBin) -> f64| {
            Series::new(PANELS[panel], name, self.bins.bins().map(|bin| (bin.from, y(&bin))))
        };
        [
            series(1, &|bin| bin.weight),
            series(2, &|bin| 100.0 * bin.weight * wrong(bin) / self.count()),
            series(3, &|bin| 100.0 * wrong(bin)),
        ]
    }

    fn row(&self, name: &str, table: &mut Table) {
        let rest = [self.loss.value(), self.brier.value(), self.bins.value()].map(|v| v.unwrap_or(f64::NAN));
        let first = [self.error(), self.entropy(), self.mean(true), self.mean(false)];
        table.row(name, first.into_iter().chain(rest));
    }
}

fn run(setup: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let set = NEWS.read(setup, &mut findings)?;
    let parts = Parts::deal(set.examples.len(), 5, setup.seed).tuned_on(setup);
    let passes = setup.pick(7, 10, 10);
    let chosen = CW.sized(setup).tune(&set, &parts.tuning(), passes)?;
    let variance = tuned_variance(&set, &parts.tuning())?;
    let (votes, calibrated) = cw(&set, &parts, &Setting { passes, ..chosen.clone() })?;
    let maxent = maximum_entropy(&set, &parts, variance);
    let path = votes.iter().map(|tally| (tally.entropy(), tally.error()));
    findings.series.push(Series::new(PANELS[0], "CW, pass by pass", path));
    findings.series.push(Series::new(PANELS[0], "maxent", [(maxent.entropy(), maxent.error())]));
    findings.series.extend(maxent.panels("maxent"));
    for pass in SHOWN {
        findings.series.extend(votes[pass - 1].panels(&format!("CW, pass {pass}")));
    }
    let mut table = Table::new(
        "Probabilities on the tested parts",
        &[
            "method",
            "error %",
            "entropy / ln K",
            "mean Pr[ŷ] if right",
            "if wrong",
            "log loss",
            "Brier",
            "calibration error",
        ],
    );
    maxent.row(&format!("maxent, prior variance {variance}"), &mut table);
    for (i, tally) in votes.iter().enumerate().filter(|(i, _)| SHOWN.contains(&(i + 1)) || i + 1 == passes) {
        tally.row(&format!("CW vote, pass {}", i + 1), &mut table);
    }
    calibrated.row(&format!("CW calibrated, pass {passes} (beyond the paper)"), &mut table);
    findings.tables.push(table);
    let mut settings = Table::new("Settings that tuning chose", &["method", "setting"]);
    settings.row("CW", [format!("{}, {} passes", chosen.spec, chosen.passes)]);
    settings.row("maxent", [format!("prior variance {variance} of {VARIANCES:?}")]);
    findings.tables.push(settings);
    claims(&mut findings, &votes, &maxent);
    if !setup.is_quick() {
        // On a few hundred generated examples chance decides this one.
        let fewer = votes.last().is_some_and(|last| last.error() < maxent.error());
        findings.claim("CW makes fewer errors than maxent in the end", fewer);
    }
    Ok(findings)
}

/// The votes after each pass, and the calibrated probabilities after the last.
fn cw(set: &DataSet, parts: &Parts, setting: &Setting) -> Result<(Vec<Tally>, Tally)> {
    let (mut votes, mut calibrated) = (vec![Tally::default(); setting.passes], Tally::default());
    let (mut voter, mut p) = (Voter::new(), Vec::new());
    let (mut scores, mut prediction) = (Scores::default(), Prediction::default());
    for split in parts.tests() {
        let mut pass = 0;
        CW.learn(setting, set, &split.train, |_, learner: &dyn Learner, head: &Head| {
            for (x, class) in split.test.iter().map(|&i| &set.examples[i]) {
                learner.votes(x.features(), &[1.0], &mut voter, &mut p);
                votes[pass].update(*class, &p);
                if pass + 1 == setting.passes {
                    learner.scores(x.features(), &mut scores);
                    head.predict(&scores, &mut prediction);
                    prediction.probabilities(&mut p);
                    calibrated.update(*class, &p);
                }
            }
            pass += 1;
        })?;
    }
    Ok((votes, calibrated))
}

fn maximum_entropy(set: &DataSet, parts: &Parts, variance: f64) -> Tally {
    let (mut tally, mut p) = (Tally::default(), Vec::new());
    for split in parts.tests() {
        let model = Maxent::fit(set, &split.train, variance);
        for (x, class) in split.test.iter().map(|&i| &set.examples[i]) {
            model.probabilities(x.features(), &mut p);
            tally.update(*class, &p);
        }
    }
    tally
}

fn claims(findings: &mut Findings, votes: &[Tally], maxent: &Tally) {
    let (first, last) = (&votes[0], &votes[votes.len() - 1]);
    let above = votes.iter().filter(|tally| tally.entropy() > maxent.entropy()).count();
    findings.claim(
        format!("the entropy of CW is above maxent's after {above} of {} passes: after all", votes.len()),
        above == votes.len(),
    );
    findings
        .claim("each CW pass lowers the entropy", votes.windows(2).all(|w| w[1].entropy() < w[0].entropy()));
    let sure = |tally: &Tally| tally.bins.bins().last().map_or(0.0, |bin| bin.weight);
    findings.claim(
        "maxent gives more predictions a probability of 0.9 and more than CW after its first pass",
        sure(maxent) > sure(first),
    );
    let gentler = last.mean(true) < maxent.mean(true) && last.mean(false) < maxent.mean(false);
    findings.claim("CW's predictions have a lower mean probability than maxent's, right or wrong", gentler);
}

fn draw(findings: &Findings) -> Figure {
    let scatter = Panel::new(PANELS[0], Axis::new("entropy / ln K"), Axis::new("test error, %"));
    let scatter = findings.panel(PANELS[0]).enumerate().fold(scatter, |panel, (i, series)| {
        let named = Series { name: String::new(), ..series.clone() };
        if i == 0 { panel.line(&named, 0).dots(series, 0, 4.0) } else { panel.dots(series, 1, 7.0) }
    });
    let bins: Vec<String> = (0..10).map(|bin| format!("{:.1}", f64::from(bin) / 10.0)).collect();
    let bars = |(title, unit): (&&str, &str)| {
        let mut x = Axis::names(bins.clone());
        x = x.labelled("probability of the prediction, from");
        let empty = Panel::new(title, x, Axis::new(unit));
        let colours = [1, 5, 0, 6];
        findings.panel(title).zip(colours).fold(empty, |panel, (series, colour)| panel.bars(series, colour))
    };
    Figure::new(2, std::iter::once(scatter).chain(PANELS[1..].iter().zip(UNITS).map(bars)).collect())
}
