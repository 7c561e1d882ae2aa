//! The list of cases, `corpus.txt`.
//!
//! ```text
//! case NAME [tolerance=1e-6] [absolute=1e-9] [flips=2]
//!   COMMAND LINE                 run it, as a shell would: 'quotes', and < FILE for standard input by a pipe
//!   learn DATA FLAGS             train with every output, predict, test and inspect: see `learn`
//!   show FILE                    a file that was written, or evenly spaced lines of it if it is long
//! ```

/// Cells in double precision, whose sums keep their order.
const TOLERANCE: f64 = 1e-12;

/// Far below anything that is computed; zero has no relative neighbours.
const ABSOLUTE: f64 = 1e-300;

pub struct Case {
    pub name: String,
    /// How far numbers may be apart, relatively.
    pub tolerance: f64,
    /// And how far in any case, for numbers in which large ones nearly cancel.
    pub absolute: f64,
    /// How many rounds of a `--predictions` file may tell another label, where two labels nearly tie.
    pub flips: usize,
    pub steps: Vec<Step>,
}

pub enum Step {
    Run { arguments: Vec<String>, input: Option<String> },
    Show(String),
}

/// All cases, in the order of the list.
pub fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in include_str!("corpus.txt").lines() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        match (line.strip_prefix("case "), cases.last_mut()) {
            (Some(heading), _) => {
                let case = head(heading);
                assert!(cases.iter().all(|other| other.name != case.name), "two cases {}", case.name);
                cases.push(case);
            }
            (None, Some(case)) => case.steps.extend(steps(line)),
            (None, None) => panic!("corpus.txt begins with a case, not with {line}"),
        }
    }
    cases
}

pub fn head(heading: &str) -> Case {
    let mut words = heading.split_whitespace();
    let name = words.next().expect("a case has a name").to_string();
    let mut case = Case { name, tolerance: TOLERANCE, absolute: ABSOLUTE, flips: 0, steps: Vec::new() };
    for word in words {
        match word.split_once('=') {
            Some(("tolerance", value)) => case.tolerance = value.parse().expect("a tolerance"),
            Some(("absolute", value)) => case.absolute = value.parse().expect("a tolerance"),
            Some(("flips", value)) => case.flips = value.parse().expect("a number of rounds"),
            _ => panic!("case {}: unknown setting {word}", case.name),
        }
    }
    case
}

fn steps(line: &str) -> Vec<Step> {
    let words = words(line);
    match words[0].as_str() {
        "learn" => learn(&words[1], &words[2..]),
        "show" => vec![Step::Show(words[1].clone())],
        _ => vec![run(&words)],
    }
}

fn run(words: &[String]) -> Step {
    match words {
        [arguments @ .., sign, input] if sign == "<" => {
            Step::Run { arguments: arguments.to_vec(), input: Some(input.clone()) }
        }
        _ => Step::Run { arguments: words.to_vec(), input: None },
    }
}

/// Everything that a learner shows of itself: each round, the model, and its predictions for the first rows.
fn learn(data: &str, flags: &[String]) -> Vec<Step> {
    let few = crate::data::variant(data, "few");
    let line = |text: String| run(&words(&text));
    let Step::Run { mut arguments, input } =
        line(format!("train {data} -o model --predictions rounds --json"))
    else {
        unreachable!("train is run")
    };
    arguments.extend_from_slice(flags);
    vec![
        Step::Run { arguments, input },
        Step::Show("rounds".into()),
        line(format!("predict model {few} --scores --votes --probabilities")),
        line(format!("test model {data} --json")),
        line("inspect model --json --top 4".to_string()),
    ]
}

/// Words between blanks; what stands in single quotes is one word.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    for (part, text) in line.split('\'').enumerate() {
        if part % 2 == 1 {
            words.push(text.to_string());
        } else {
            words.extend(text.split_whitespace().map(String::from));
        }
    }
    words
}
