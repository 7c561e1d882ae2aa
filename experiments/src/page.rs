//! The page: recorded tables, plots and claims, with what the recipes say of the differences.

use std::fmt::Write as _;

use serde_json::Value;

use crate::folder::Folder;
use crate::{EXPERIMENTS, Experiment, Result, Size, Table};

const HEAD: &str = "\
# The papers, reproduced

Every table and figure of the three papers, computed with this product by one command, ours beside theirs. This page is
made by `cargo run --release -p surefoot-experiments -- page` from the records in the folders; do not edit it.

    make experiments            # all of it, on generated data and on the real data if it is there
    make experiments QUICK=1    # in under two minutes, on generated data alone; the tests run the same

The real data sets are no part of the project: put them into a folder and name it in `SUREFOOT_DATA`. Each folder holds
`recipe.md` (what the paper did, what we do), `result.json` (the recorded run: command, seed, version, machine, numbers),
`quick.json` (the quick run, which a test makes again and compares to the last digit) and `plot.svg`. No parameter was
tuned on what it is judged by.
";

/// The whole page, from what is recorded.
pub fn page() -> Result<String> {
    let mut out = HEAD.to_string();
    for experiment in EXPERIMENTS {
        out.push('\n');
        section(experiment, &mut out)?;
    }
    Ok(out)
}

fn section(experiment: &Experiment, out: &mut String) -> Result<()> {
    let (name, folder) = (experiment.name, Folder::of(experiment.name));
    let _ = writeln!(out, "## {}\n\n[recipe]({name}/recipe.md)", experiment.title);
    let Some(record) = folder.record(Size::Usual)? else {
        let _ = writeln!(out, "\nNot recorded yet.");
        return Ok(());
    };
    let _ = writeln!(out, "· [record]({name}/result.json)");
    if folder.record(Size::Full)?.is_some() {
        let _ = writeln!(out, "· [record of the full run]({name}/full.json)");
    }
    let _ = writeln!(out, "\n![{}]({name}/plot.svg)", experiment.title);
    record.findings.tables.iter().chain(&record.findings.timings).for_each(|found| table(found, out));
    if !record.findings.claims.is_empty() {
        out.push('\n');
    }
    for claim in &record.findings.claims {
        let _ =
            writeln!(out, "- {}: {}", if claim.holds { "holds" } else { "**does not hold**" }, claim.says);
    }
    let _ = writeln!(out, "\n**Differences.** {}", folder.differences()?);
    Ok(())
}

fn table(table: &Table, out: &mut String) {
    let _ = writeln!(out, "\n{}:\n\n| {} |", table.title, table.columns.join(" | "));
    let rules: Vec<&str> = (0..table.columns.len()).map(|at| if at == 0 { "---" } else { "---:" }).collect();
    let _ = writeln!(out, "| {} |", rules.join(" | "));
    for row in &table.rows {
        let cells: Vec<String> = row.iter().map(cell).collect();
        let _ = writeln!(out, "| {} |", cells.join(" | "));
    }
}

/// A cell as people read it: four digits say all.
fn cell(value: &Value) -> String {
    match value {
        Value::Null => "–".into(),
        Value::String(text) => text.clone(),
        other => match other.as_f64() {
            Some(number) if number.fract() == 0.0 && number.abs() < 1e7 => format!("{number:.0}"),
            Some(number) => readable(number),
            None => other.to_string(),
        },
    }
}

fn readable(number: f64) -> String {
    match number.abs() {
        size if !(1e-4..1e5).contains(&size) => format!("{number:.2e}"),
        size if size >= 100.0 => format!("{number:.1}"),
        size if size >= 10.0 => format!("{number:.2}"),
        size if size >= 0.1 => format!("{number:.3}"),
        _ => format!("{number:.5}"),
    }
}
