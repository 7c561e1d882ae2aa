//! Rows of made-up data in several formats. Sparse rows have some features that only their label has; in others a
//! feature speaks for a label as its number has it, and a row gets the label that its features speak for most. One row
//! of twelve gets any label.

use std::fmt::Write;

pub const TWENTY: [&str; 20] = [
    "1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12", "13", "14", "15", "16", "17", "18", "19",
    "20",
];

const TOPICS: [&str; 3] = ["garden", "kitchen", "workshop"];
const CITIES: [&str; 5] = ["Bern", "Graz", "Turin", "Lyon", "Ulm"];
const WORDS: [&str; 32] = [
    "saw", "soup", "seed", "nail", "salt", "rose", "drill", "bread", "rain", "wood", "pan", "leaf", "bolt",
    "rice", "soil", "glue", "knife", "tree", "lamp", "plate", "worm", "screw", "onion", "moss", "not", "the",
    "and", "with", "old", "new", "small", "good",
];

/// A linear congruential generator: Knuth's constants, the upper half of the state.
pub struct Draw(u64);

impl Draw {
    pub fn new(seed: u64) -> Self {
        let mut draw = Draw(seed);
        draw.below(2);
        draw
    }

    pub fn below(&mut self, end: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 32) * end) >> 32
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len() as u64) as usize]
    }

    /// Between -1 and 1, in thousandths.
    fn measure(&mut self) -> f64 {
        (self.below(2001) as f64 - 1000.0) / 1000.0
    }
}

/// How much a feature speaks for a label, between -1 and 1.
fn speaks(feature: u64, label: usize) -> f64 {
    let mixed = (feature + 1).wrapping_mul(0x9E37_79B9_7F4A_7C15)
        ^ (label as u64 + 1).wrapping_mul(0xC2B2_AE3D_27D4_EB4F);
    let mixed = (mixed ^ (mixed >> 29)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    (mixed >> 40) as f64 / (1u64 << 23) as f64 - 1.0
}

/// The label that the features speak for most, or now and then any.
fn label<'t>(draw: &mut Draw, labels: &[&'t str], features: &[(u64, f64)]) -> &'t str {
    if draw.below(12) == 0 {
        return draw.pick(labels);
    }
    let score =
        |label: usize| features.iter().map(|&(feature, value)| value * speaks(feature, label)).sum::<f64>();
    let best = (0..labels.len()).max_by(|&a, &b| score(a).total_cmp(&score(b)));
    labels[best.expect("a label")]
}

/// Sparse rows of integer features: some that many rows have, some of the label, and rare ones.
pub fn svmlight(
    seed: u64,
    rows: usize,
    labels: &[&str],
    length: usize,
    id: impl Fn(&mut Draw) -> u64,
) -> String {
    let mut draw = Draw::new(seed);
    let mut pool = || (0..length * 2).map(|_| id(&mut draw)).collect::<Vec<u64>>();
    let (common, of_label): (Vec<u64>, Vec<Vec<u64>>) = (pool(), labels.iter().map(|_| pool()).collect());
    let mut text = String::new();
    for _ in 0..rows {
        let label = draw.below(labels.len() as u64) as usize;
        let mut features: Vec<(u64, f64)> = (0..length)
            .map(|at| {
                let place = draw.below(2 * length as u64) as usize;
                let id = match draw.below(4) {
                    _ if at >= 16 => id(&mut draw),
                    0 => id(&mut draw),
                    1 => of_label[label][place],
                    _ => common[place],
                };
                (id, (1 + draw.below(8)) as f64 / 4.0)
            })
            .collect();
        features.sort_by_key(|&(id, _)| id);
        features.dedup_by_key(|&mut (id, _)| id);
        text.push_str(if draw.below(12) == 0 { draw.pick(labels) } else { labels[label] });
        for (id, value) in features {
            write!(text, " {id}:{value}").expect("memory");
        }
        text.push('\n');
    }
    text
}

/// Ten measurements a row, the later ones leaning on the earlier, on very different scales.
pub fn dense(seed: u64, rows: usize, labels: usize) -> String {
    let mut draw = Draw::new(seed);
    let mut text = String::new();
    for _ in 0..rows {
        let mut features: Vec<(u64, f64)> = (0..10).map(|at| (at, draw.measure())).collect();
        for at in 5..10 {
            features[at].1 = 0.75 * features[at - 5].1 + 0.25 * features[at].1;
        }
        text.push_str(label(&mut draw, &TOPICS[..labels], &features));
        for (at, value) in features {
            write!(text, " {}:{:.4}", at + 1, value * [1.0, 10.0, 0.1][at as usize % 3] + 0.5)
                .expect("memory");
        }
        text.push('\n');
    }
    text
}

/// Words, a city and a number, and the topic that they speak for.
fn note(draw: &mut Draw) -> (&'static str, Vec<&'static str>, &'static str, f64) {
    let words: Vec<u64> = (0..4 + draw.below(6)).map(|_| draw.below(WORDS.len() as u64)).collect();
    let city = draw.below(CITIES.len() as u64);
    let mut features: Vec<(u64, f64)> = words.iter().map(|&word| (word, 1.0)).collect();
    features.push((100 + city, 1.0));
    let topic = label(draw, &TOPICS, &features);
    let words = words.iter().map(|&word| WORDS[word as usize]).collect();
    (topic, words, CITIES[city as usize], 20.0 + draw.below(600) as f64 / 10.0)
}

/// Named features in two namespaces, importance weights and tags.
pub fn vw(seed: u64, rows: usize) -> String {
    let mut draw = Draw::new(seed);
    let mut text = String::new();
    for row in 0..rows {
        let (topic, words, city, age) = note(&mut draw);
        let weight = ["1", "2", "0.5", "3"][draw.below(4) as usize];
        let sign = if topic == TOPICS[0] { "1" } else { "-1" };
        let words = words.join(" ");
        writeln!(text, "{sign} {weight} 'row{row}|who town={city} age:{:.2} |what {words}", age / 40.0)
            .expect("memory");
    }
    text
}

/// Columns of numbers, categories, codes and text, with empty cells, weights and ids.
pub fn table(seed: u64, rows: usize, separator: char) -> String {
    let mut draw = Draw::new(seed);
    let line = |cells: &[String]| cells.join(&separator.to_string()) + "\n";
    let header = ["id", "label", "importance", "age", "city", "code", "text", "title"];
    let mut text = line(&header.map(String::from));
    for row in 0..rows {
        let (topic, words, city, age) = note(&mut draw);
        let age = if draw.below(9) == 0 { String::new() } else { format!("{age:.1}") };
        let weight = ["1", "1", "2.5", "0.5"][draw.below(4) as usize].to_string();
        let code = (3000 + 7 * draw.below(6)).to_string();
        let (title, body) = (words[..2].join(" "), format!("\"{}, {}\"", words[2], words[3..].join(" ")));
        text += &line(&[format!("r{row}"), topic.into(), weight, age, city.into(), code, body, title]);
    }
    text
}

/// Objects with a namespace, a list and text.
pub fn jsonl(seed: u64, rows: usize) -> String {
    let mut draw = Draw::new(seed);
    let mut text = String::new();
    for row in 0..rows {
        let (topic, words, city, age) = note(&mut draw);
        let (tools, words) = (format!("{:?}", &words[..2]), words[2..].join(" "));
        writeln!(
            text,
            "{{\"id\": \"n{row}\", \"label\": \"{topic}\", \"who\": {{\"age\": {age}, \"city\": \"{city}\"}}, \
             \"tools\": {tools}, \"text\": \"{words}\"}}"
        )
        .expect("memory");
    }
    text
}

pub fn fasttext(seed: u64, rows: usize) -> String {
    let mut draw = Draw::new(seed);
    let mut line = || {
        let (topic, words, city, _) = note(&mut draw);
        format!("__label__{topic} {city} {}\n", words.join(" "))
    };
    (0..rows).map(|_| line()).collect()
}

/// Running text without labels.
pub fn questions() -> String {
    [
        "my card was charged twice, please refund it",
        "where is the parcel that I ordered last week?",
        "I cannot sign in with my new password",
        "the app crashes when I save a schedule",
        "could you offer a dark mode",
        "zzz qqq",
    ]
    .map(|line| format!("{line}\n"))
    .concat()
}

/// Good rows with five bad ones among them.
pub fn with_bad_lines(seed: u64) -> String {
    let good = svmlight(seed, 60, &["-1", "1"], 6, |draw| 1 + draw.below(80));
    let mut lines: Vec<&str> = good.lines().collect();
    for (at, bad) in [
        (50, "1 5:nan"),
        (41, "1 :2"),
        (30, "-1 3:x 4:1"),
        (17, "1 99999999999999999999999:1"),
        (4, "1 7 8:1"),
    ] {
        lines.insert(at, bad);
    }
    lines.join("\n") + "\n"
}
