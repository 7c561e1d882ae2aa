//! What an experiment is, and the list of them.

use crate::data::Data;
use crate::plot::Figure;
use crate::{Error, Findings, Result, eccw, fact, mccw};

/// One table or figure of a paper.
#[derive(Debug, Clone, Copy)]
pub struct Experiment {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// What it shows, in a line.
    pub title: &'static str,
    /// Whether it needs the real data sets, unless it is run quickly.
    pub needs_data: bool,
    /// Computes it. Timings apart, the same setup gives the same findings.
    pub run: fn(&Setup) -> Result<Findings>,
    /// Draws what it found.
    pub draw: fn(&Findings) -> Figure,
}

/// Every experiment, in the order of the page.
pub static EXPERIMENTS: &[Experiment] = &[
    eccw::fig2::EXPERIMENT,
    eccw::fig2c::EXPERIMENT,
    eccw::fig3::EXPERIMENT,
    eccw::fig4::EXPERIMENT,
    eccw::theorem4::EXPERIMENT,
    fact::fig1::EXPERIMENT,
    fact::fig2::EXPERIMENT,
    fact::table1::EXPERIMENT,
    fact::fig3::EXPERIMENT,
    fact::fig4::EXPERIMENT,
    fact::fig5::EXPERIMENT,
    fact::table2::EXPERIMENT,
    fact::table3::EXPERIMENT,
    mccw::table1::EXPERIMENT,
    mccw::table2::EXPERIMENT,
    mccw::fig1::EXPERIMENT,
    mccw::table3::EXPERIMENT,
    mccw::table3::OTHER_TASKS,
    mccw::fig2::EXPERIMENT,
    mccw::bounds::EXPERIMENT,
    mccw::decision::EXPERIMENT,
    mccw::gibbs::EXPERIMENT,
];

/// Looks an experiment up by name.
pub fn find(name: &str) -> Result<&'static Experiment> {
    EXPERIMENTS.iter().find(|experiment| experiment.name == name).ok_or_else(|| {
        let known: Vec<&str> = EXPERIMENTS.iter().map(|experiment| experiment.name).collect();
        Error::Other(format!("there is no experiment '{name}'; choose from {}, or all", known.join(", ")))
    })
}

/// How much is computed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Size {
    /// Seconds, on generated data alone: what the tests run.
    Quick,
    /// What the page shows.
    Usual,
    /// As many runs as the papers made.
    Full,
}

impl Size {
    /// The name of the file that keeps such a record.
    #[must_use]
    pub fn file(self) -> &'static str {
        match self {
            Size::Quick => "quick.json",
            Size::Usual => "result.json",
            Size::Full => "full.json",
        }
    }
}

/// What an experiment is given.
#[derive(Debug, Clone)]
pub struct Setup {
    /// How much is computed.
    pub size: Size,
    /// The seed that all others are drawn from.
    pub seed: u64,
    /// The real data sets.
    pub data: Data,
}

impl Setup {
    /// The choice that fits the size.
    pub fn pick<T>(&self, quick: T, usual: T, full: T) -> T {
        match self.size {
            Size::Quick => quick,
            Size::Usual => usual,
            Size::Full => full,
        }
    }

    /// Whether this is the quick run, which uses generated data alone.
    #[must_use]
    pub fn is_quick(&self) -> bool {
        self.size == Size::Quick
    }

    /// Seeds for `count` runs. Parts of an experiment that must not share data take different `part`s.
    pub fn seeds(&self, part: u64, count: usize) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed.wrapping_add(part.wrapping_mul(1_000_003));
        (0..count as u64).map(move |run| first.wrapping_add(run))
    }
}
