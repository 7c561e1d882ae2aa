//! ECCW Fig. 4: the confidence loss beside the squared hinge loss and the 0-1 loss.

use surefoot_core::analysis::ConfidenceLoss;
use surefoot_core::normal;

use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup};

/// The values of φ that are drawn.
const PHIS: [f64; 4] = [0.5, 1.0, 1.5, 2.0];

/// The entry in the list.
pub const EXPERIMENT: Experiment =
    Experiment { name: "eccw-fig4", title: "ECCW Fig. 4: the confidence loss", needs_data: false, run, draw };

fn run(_: &Setup) -> Result<Findings> {
    let mut findings = Findings::default();
    let margins: Vec<f64> = (0..=200).map(|i| -1.5 + 4.0 * f64::from(i) / 200.0).collect();
    let curve = |name: &str, loss: &dyn Fn(f64) -> f64| {
        Series::new("", name, margins.iter().map(|&margin| (margin, loss(margin))))
    };
    for phi in PHIS {
        let loss = ConfidenceLoss::new(normal::cdf(phi))?;
        findings.series.push(curve(&format!("φ = {phi}"), &|margin| loss.at(margin)));
        let above = margins.iter().all(|&m| loss.at(m) >= f64::from(u8::from(m <= 0.0)) - 1e-9);
        findings.claim(format!("the loss bounds the 0-1 loss from above at φ = {phi} (Lemma 5)"), above);
    }
    findings.series.push(curve("squared hinge", &|margin| (1.0 - margin).max(0.0).powi(2)));
    findings.series.push(curve("0-1", &|margin| f64::from(u8::from(margin <= 0.0))));
    let at = |series: usize, margin: f64| {
        let line: &Series = &findings.series[series];
        line.points().find(|(x, _)| (x - margin).abs() < 1e-9).map_or(f64::NAN, |(_, y)| y)
    };
    let (left, right) = (at(3, -1.0) < at(0, -1.0), at(3, 0.3) > at(0, 0.3));
    findings.claim("larger φ is tighter for margins below 0", left);
    findings.claim("smaller φ is tighter for margins above 0", right);
    Ok(findings)
}

fn draw(findings: &Findings) -> Figure {
    let axes = (Axis::new("margin m/√v (standard deviations)"), Axis::new("loss").from_to(0.0, 6.0));
    let mut panel = Panel::new("Confidence loss", axes.0, axes.1);
    for (colour, series) in findings.series.iter().enumerate() {
        panel =
            if colour < PHIS.len() { panel.line(series, colour) } else { panel.dashed(series, colour + 1) };
    }
    Figure::of(panel)
}
