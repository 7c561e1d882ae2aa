//! Runs the papers' experiments, records them, draws their plots and writes the page.

use std::path::Path;
use std::process::ExitCode;
use std::time::Instant;

use clap::Parser;
use surefoot_experiments::data::Data;
use surefoot_experiments::{EXPERIMENTS, Error, Experiment, Folder, Record, Result, Setup, Size, find, page};

/// Run the papers' experiments.
#[derive(Parser)]
struct Arguments {
    /// Experiments by name; `all`, `list`, `plots` (draw again from the records) or `page` (write README.md again).
    #[arg(default_value = "all")]
    what: Vec<String>,
    /// In seconds, on generated data alone.
    #[arg(long, conflicts_with = "full")]
    quick: bool,
    /// As many runs as the papers made; hours.
    #[arg(long)]
    full: bool,
    /// The seed that all others are drawn from.
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<()> {
    match arguments.what.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["list"] => EXPERIMENTS.iter().for_each(|e| println!("{:<16} {}", e.name, e.title)),
        ["plots"] => EXPERIMENTS.iter().try_for_each(|experiment| {
            draw(experiment, Size::Quick)?;
            draw(experiment, Size::Usual)
        })?,
        ["page"] => write_page()?,
        ["all"] => {
            EXPERIMENTS.iter().try_for_each(|experiment| compute(experiment, arguments))?;
            write_page()?;
        }
        ref names => {
            let chosen = names.iter().map(|name| find(name)).collect::<Result<Vec<_>>>()?;
            chosen.into_iter().try_for_each(|experiment| compute(experiment, arguments))?;
            write_page()?;
        }
    }
    Ok(())
}

fn compute(experiment: &Experiment, arguments: &Arguments) -> Result<()> {
    let size = match (arguments.quick, arguments.full) {
        (true, _) => Size::Quick,
        (_, true) => Size::Full,
        _ => Size::Usual,
    };
    let data = if size == Size::Quick { Data::none() } else { Data::find() };
    if experiment.needs_data && size != Size::Quick && !data.is_there() {
        println!(
            "{:<16} left out: it needs the real data; set SUREFOOT_DATA to their folder",
            experiment.name
        );
        return Ok(());
    }
    let (setup, began) = (Setup { size, seed: arguments.seed, data }, Instant::now());
    let findings = (experiment.run)(&setup)?;
    let broken = findings.claims.iter().filter(|claim| !claim.holds).map(|claim| claim.says.clone());
    let broken: Vec<String> = broken.collect();
    Folder::of(experiment.name).keep(size, &Record::new(experiment, &setup, findings))?;
    draw(experiment, size)?;
    println!("{:<16} {:>7.1} s", experiment.name, began.elapsed().as_secs_f64());
    broken.iter().for_each(|claim| println!("{:<16} does not hold: {claim}", ""));
    Ok(())
}

fn draw(experiment: &Experiment, size: Size) -> Result<()> {
    let folder = Folder::of(experiment.name);
    match folder.record(size)? {
        Some(record) => folder.keep_plot(size, &(experiment.draw)(&record.findings).svg()),
        None => Ok(()),
    }
}

fn write_page() -> Result<()> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("README.md");
    std::fs::write(&path, page()?).map_err(|error| Error::Other(format!("README.md: {error}")))
}
