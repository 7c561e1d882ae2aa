//! MCCW Table 3: CW beside online and batch baselines, and beside what came after the paper.

use serde_json::Value;

use super::maxent::{Maxent, tuned_variance};
use super::method::{CONFIDENCES, Method};
use super::parts::Parts;
use super::svm;
use super::table2::mean_row;
use super::tasks::{OTHERS, TOPICS, Task, read_all};
use super::verdict::Verdict;
use crate::data::DataSet;
use crate::plot::{Axis, Figure, Panel};
use crate::{Experiment, Findings, Result, Series, Setup, Table};

/// The entry in the list for the paper's kind of tasks.
pub const EXPERIMENT: Experiment = Experiment {
    name: "mccw-table3",
    title: "MCCW Table 3: CW beside other methods",
    needs_data: true,
    run: |setup| run(setup, TOPICS),
    draw,
};

/// The entry in the list for tasks of another kind.
pub const OTHER_TASKS: Experiment = Experiment {
    name: "mccw-table3b",
    title: "Beyond MCCW Table 3: log lines, letters and digits",
    needs_data: true,
    run: |setup| run(setup, OTHERS),
    draw,
};

const CS: &[&str] = &["c=0.0001", "c=0.001", "c=0.01", "c=0.1", "c=1"];
const RS: &[&str] = &["r=0.1", "r=1", "r=10", "r=100", "r=1000"];
/// At one confidence, because the larger C is the more it is CW at that confidence.
const SCWS: &[&str] = &["c=0.001", "c=0.01", "c=0.1", "c=1", "c=10"];
const SCALES: &[&str] = &["scale=0.01", "scale=0.1", "scale=1", "scale=10"];

const PERCEPTRON: &str = "Perceptron";
const MAXENT: &str = "Maxent";
const ONLINE_BASELINES: [&str; 3] = [PERCEPTRON, "PA k=1", "PA k=5"];
const CWS: [&str; 3] = ["CW k=1", "CW k=5", "CW k=∞"];
const SVMS: [&str; 2] = ["SVM 1 vs 1", "SVM MC"];

/// The paper's online methods: three baselines, then CW.
const ONLINE: [Method; 6] = [
    Method::new(PERCEPTRON, "perceptron", &[""]),
    Method::new("PA k=1", "pa1", CS),
    Method::new("PA k=5", "pa1:top=5,schedule=exact", CS),
    Method::new("CW k=1", "cw-var", CONFIDENCES),
    Method::new("CW k=5", "cw-var:top=5", CONFIDENCES),
    Method::new("CW k=∞", "cw-var:top=all", CONFIDENCES),
];

/// What came later, or was not tried.
const BEYOND: [Method; 7] = [
    Method::new("CW-Stdev k=1", "cw-stdev:floor=0.0001", CONFIDENCES),
    Method::new("AROW k=1", "arow:schedule=sequential", RS),
    Method::new("AROW 1 vs rest", "arow:schedule=one-vs-rest", RS),
    Method::new("SCW-I k=1", "scw1:confidence=0.9", SCWS),
    Method::new("NHERD k=1", "nherd", CS),
    Method::new("Logistic 1 vs rest", "logistic:schedule=one-vs-rest", SCALES),
    Method::new("CW-fact k=1", "cw-stdev/factored:rank=4,floor=0.0001", CONFIDENCES),
];

/// The paper's rows for the tasks that are ours too, or nearly: perceptron, PA, CW, SVM, maxent.
const PAPER: [(&str, [f64; 9]); 2] = [
    ("20 News (paper)", [81.07, 88.59, 88.60, 92.90, 92.78, 92.16, 85.18, 90.33, 88.94]),
    ("Amazon 7 (paper)", [74.93, 76.55, 76.72, 78.70, 78.04, 77.98, 75.11, 76.60, 76.40]),
];

/// Its mean passes over nine tasks: none for the perceptron and PA, then CW.
const PAPER_PASSES: [Option<f64>; 6] = [None, None, None, Some(6.67), Some(2.22), Some(4.33)];

const ACCURACY: &str = "Accuracy on the tested parts, %";
const MARKS: &str =
    "McNemar: better than all baselines (∗ 0.05, ∗∗ 0.001), than the online ones († 0.05, †† 0.001)";
const SECONDS: &str = "CPU seconds of the first pass, median of the tested parts";
const LATER: &str = "Beyond the paper: accuracy, %";

/// A task's name and how every method did on it.
type Outcome = (String, Vec<Verdict>);

fn run(setup: &Setup, of: &[Task]) -> Result<Findings> {
    let mut findings = Findings::default();
    let sets = read_all(setup, of, &mut findings)?;
    let one = |set: &DataSet| Ok((set.name.clone(), verdicts(setup, set)?));
    let outcomes = sets.iter().map(one).collect::<Result<Vec<Outcome>>>()?;
    let later: Vec<&str> = BEYOND.iter().map(|m| m.name).collect();
    let online: Vec<&str> = ONLINE.iter().map(|m| m.name).collect();
    let learners = [&online[..], &later].concat();
    let mut accuracy =
        table(ACCURACY, &[&online[..], &SVMS, &[MAXENT]].concat(), &outcomes, |v, _| Some(v.accuracy()));
    let beyond = table(LATER, &later, &outcomes, |v, _| Some(v.accuracy()));
    let marks = table(MARKS, &learners[ONLINE_BASELINES.len()..], &outcomes, |v, all| Some(mark(v, all)));
    let mut passes = table("Passes that tuning chose (up to 10)", &learners, &outcomes, |v, _| v.passes);
    let seconds = table(SECONDS, &learners, &outcomes, |v, _| v.seconds());
    mean_row(&mut passes);
    findings.series = outcomes.iter().map(bars).collect();
    claims(&mut findings, &accuracy);
    if !setup.is_quick() {
        // On a few hundred generated examples chance decides these.
        fine_claims(&mut findings, &accuracy, &passes);
    }
    if of == TOPICS && !setup.is_quick() {
        PAPER.iter().for_each(|(name, numbers)| accuracy.row(name, numbers.map(Value::from)));
        passes.row("paper: mean of its nine", PAPER_PASSES);
    }
    findings.tables = vec![accuracy, beyond, marks, passes, settings(&outcomes)];
    findings.timings = vec![seconds];
    Ok(findings)
}

/// A row a task, a column a method.
fn table<V: Into<Value>>(
    title: &str,
    methods: &[&'static str],
    outcomes: &[Outcome],
    cell: impl Fn(&Verdict, &[Verdict]) -> Option<V>,
) -> Table {
    let mut table = Table::new(title, &[&["task"], methods].concat());
    for (task, found) in outcomes {
        let of = |name: &&str| found.iter().find(|v| v.name == *name).and_then(|v| cell(v, found));
        table.row(task, methods.iter().map(of));
    }
    table
}

fn settings(outcomes: &[Outcome]) -> Table {
    let mut table = Table::new("Settings that tuning chose", &["task: method", "setting"]);
    for (task, found) in outcomes {
        found.iter().for_each(|v| table.row(&format!("{task}: {}", v.name), [v.setting.as_str()]));
    }
    table
}

/// The error of every method, the names of all in that of the series.
fn bars((task, found): &Outcome) -> Series {
    let names: Vec<&str> = found.iter().map(|v| v.name).collect();
    Series::new(
        task,
        &names.join(";"),
        found.iter().enumerate().map(|(i, v)| (i as f64, 100.0 - v.accuracy())),
    )
}

/// Every method on one task.
fn verdicts(setup: &Setup, set: &DataSet) -> Result<Vec<Verdict>> {
    let parts = Parts::deal(set.examples.len(), setup.pick(5, 3, 5), setup.seed).tuned_on(setup);
    let methods: Vec<Method> = ONLINE.iter().chain(&BEYOND).copied().collect();
    let mut found = Verdict::of(&methods, set, &parts, setup.pick(5, 10, 10))?;
    found.push(maxent(set, &parts)?);
    if !setup.is_quick() {
        found.extend(svm::verdicts(set, &parts)?);
    }
    Ok(found)
}

fn maxent(set: &DataSet, parts: &Parts) -> Result<Verdict> {
    let variance = tuned_variance(set, &parts.tuning())?;
    let fit = |split: super::parts::Split| Maxent::fit(set, &split.train, variance).right(set, &split.test);
    let right = parts.tests().into_iter().flat_map(fit).collect();
    Ok(Verdict::batch(MAXENT, format!("prior variance {variance}"), right))
}

/// The paper's marks.
fn mark(verdict: &Verdict, all: &[Verdict]) -> &'static str {
    let online: Vec<&Verdict> = all.iter().filter(|v| ONLINE_BASELINES.contains(&v.name)).collect();
    let batch = all.iter().filter(|v| v.name == MAXENT || SVMS.contains(&v.name));
    let baselines: Vec<&Verdict> = online.iter().copied().chain(batch).collect();
    match () {
        () if verdict.beats(&baselines, 0.001) => "∗∗",
        () if verdict.beats(&baselines, 0.05) => "∗",
        () if verdict.beats(&online, 0.001) => "††",
        () if verdict.beats(&online, 0.05) => "†",
        () => "",
    }
}

fn claims(findings: &mut Findings, accuracy: &Table) {
    let tasks = accuracy.rows.len();
    let beats = |task: &&str| best(accuracy, task, &CWS) > best(accuracy, task, &ONLINE_BASELINES);
    let won = accuracy.names().filter(beats).count();
    findings.claim(
        format!("the best CW beats the online baselines on {won} of {tasks} tasks: on most"),
        2 * won > tasks,
    );
}

/// The largest accuracy of some methods on a task.
fn best(accuracy: &Table, task: &str, methods: &[&str]) -> f64 {
    methods.iter().filter_map(|method| accuracy.number(task, method)).fold(f64::NEG_INFINITY, f64::max)
}

/// Claims about small differences.
fn fine_claims(findings: &mut Findings, accuracy: &Table, passes: &Table) {
    let number = |task: &str, method: &str| accuracy.number(task, method).unwrap_or(f64::NEG_INFINITY);
    let tasks = accuracy.rows.len();
    let count = |wins: &dyn Fn(&str) -> bool| accuracy.names().filter(|task| wins(task)).count();
    let baselines = [&ONLINE_BASELINES[..], &SVMS, &[MAXENT]].concat();
    let won = count(&|task| best(accuracy, task, &CWS) > best(accuracy, task, &baselines));
    findings.claim(format!("it beats all baselines on {won} of {tasks}: on most"), 2 * won > tasks);
    let won = count(&|task| number(task, "CW k=5") >= number(task, "CW k=∞"));
    findings.claim(
        format!("five constraints are as good as all or better on {won} of {tasks}: on most"),
        2 * won > tasks,
    );
    let mean = |method: &str| passes.number("mean", method).unwrap_or(f64::NAN);
    let (one, five) = (mean("CW k=1"), mean("CW k=5"));
    findings.claim(
        format!("k=5 converges in fewer passes than k=1 ({five:.2} and {one:.2} on average)"),
        five <= one,
    );
}

fn draw(findings: &Findings) -> Figure {
    let panel = |series: &Series| {
        let names: Vec<&str> = series.name.split(';').collect();
        let unnamed = Series { name: String::new(), ..series.clone() };
        Panel::new(&series.panel, Axis::names(names), Axis::new("error, %")).bars(&unnamed, 0).wide()
    };
    Figure::new(1, findings.series.iter().map(panel).collect())
}
