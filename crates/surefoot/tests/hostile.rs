//! Model files from strangers: each is refused with a message of its own, and no number in a file makes a panic.
//!
//! `tests/hostile` holds the files; they are made from a small model by the table below:
//! `SUREFOOT_REGENERATE=1 cargo test -p surefoot --test hostile` writes them again.

#[path = "common/models.rs"]
mod models;

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use surefoot::Model;
use surefoot::core::state::{State, Tensor};
use surefoot::data::model_file::{Header, from_bytes, to_bytes};
use surefoot::data::{KeyedFeatures, Random};

fn folder(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests").join(name)
}

fn base() -> Vec<u8> {
    models::points().expect("a model")
}

/// The file after its JSON was changed; the length in front of it is right again.
fn with_json(change: impl FnOnce(String) -> String) -> Vec<u8> {
    let file = base();
    let length =
        usize::try_from(u64::from_le_bytes(file[..8].try_into().expect("8 bytes"))).expect("a length");
    let json = change(String::from_utf8(file[8..8 + length].to_vec()).expect("JSON"));
    [&(json.len() as u64).to_le_bytes(), json.as_bytes(), &file[8 + length..]].concat()
}

/// The file after one field of its JSON was changed.
fn with_field(change: impl FnOnce(&mut Value)) -> Vec<u8> {
    with_json(|text| {
        let mut value = serde_json::from_str(&text).expect("JSON");
        change(&mut value);
        value.to_string()
    })
}

/// The file with other words in its header, and the checksum that goes with them.
fn with_header(change: impl FnOnce(&mut Header)) -> Vec<u8> {
    let (mut header, state) = from_bytes(&base()).expect("a model");
    change(&mut header);
    to_bytes(&header, &state).expect("bytes")
}

/// The file with other numbers, and the checksum that goes with them.
fn with_state(change: impl FnOnce(&mut State<'static>)) -> Vec<u8> {
    let (header, mut state) = from_bytes(&base()).expect("a model");
    change(&mut state);
    to_bytes(&header, &state).expect("bytes")
}

/// The file with other numbers in one tensor of doubles.
fn with_numbers(name: &str, change: impl FnOnce(&mut Vec<f64>)) -> Vec<u8> {
    with_state(|state| {
        let mut numbers = state.take_f64(name).expect("numbers");
        change(&mut numbers);
        state.put(name, Tensor::F64(Cow::Owned(numbers)));
    })
}

fn flipped(mut file: Vec<u8>) -> Vec<u8> {
    let last = file.len() - 3;
    file[last] ^= 0x10;
    file
}

/// The name of the tensor that comes first in the file, and of the one after it.
fn first_two(json: &Value) -> [String; 2] {
    let start = |tensor: &Value| tensor["data_offsets"][0].as_u64();
    let mut names: Vec<_> =
        json.as_object().expect("an object").iter().filter(|t| t.0 != "__metadata__").collect();
    names.sort_by_key(|(_, tensor)| start(tensor));
    [names[0].0.clone(), names[1].0.clone()]
}

fn inner(json: &mut Value, change: impl FnOnce(&mut Value)) {
    let text = json["__metadata__"]["surefoot"].as_str().expect("an entry");
    let mut entry: Value = serde_json::from_str(text).expect("JSON");
    change(&mut entry);
    json["__metadata__"]["surefoot"] = entry.to_string().into();
}

/// A model of this learner, which forgets, with other numbers in the tensors of its weights.
fn forgetting_with_state(learner: &str, change: impl FnOnce(&mut State<'static>)) -> Vec<u8> {
    let file = models::forgetting(learner).expect("a model");
    let (header, mut state) = from_bytes(&file).expect("a model");
    change(&mut state);
    to_bytes(&header, &state).expect("bytes")
}

const STAMPS: &str = "learner.store.stamp";
const CELLS: &str = "learner.store.cells";
const PAGES: &str = "space.pages";
const LINK: &str = "head.calibration00.link";

fn attacks() -> BTreeMap<&'static str, Vec<u8>> {
    let file = base();
    BTreeMap::from([
        ("empty", Vec::new()),
        ("seven-bytes", file[..7].to_vec()),
        ("truncated-header", file[..40].to_vec()),
        ("truncated-numbers", file[..file.len() - 8].to_vec()),
        ("trailing-bytes", [&file[..], b"more"].concat()),
        ("huge-header", [&u64::MAX.to_le_bytes(), &file[8..]].concat()),
        ("large-header", [&90_000_000u64.to_le_bytes(), &file[8..]].concat()),
        ("not-json", with_json(|text| text.replace('{', "("))),
        ("deep-json", with_json(|_| "[".repeat(100_000))),
        ("flipped-bit", flipped(file.clone())),
        (
            "duplicate-name",
            with_json(|text| {
                let [name, _] = first_two(&serde_json::from_str(&text).expect("JSON"));
                text.replacen(
                    '{',
                    &format!("{{\"{name}\":{{\"dtype\":\"U8\",\"shape\":[0],\"data_offsets\":[0,0]}},"),
                    1,
                )
            }),
        ),
        (
            "overlapping-tensors",
            with_field(|json| {
                let [first, second] = first_two(json);
                json[second.as_str()]["data_offsets"][0] = json[first.as_str()]["data_offsets"][0].clone();
            }),
        ),
        (
            "shape-larger-than-bytes",
            with_field(|json| {
                let [first, _] = first_two(json);
                json[first.as_str()]["shape"] = json!([1_000_000]);
            }),
        ),
        (
            "shape-overflows",
            with_field(|json| {
                let [first, _] = first_two(json);
                json[first.as_str()]["shape"] = json!([u64::MAX, u64::MAX]);
            }),
        ),
        (
            "offsets-backwards",
            with_field(|json| {
                let [first, _] = first_two(json);
                json[first.as_str()]["data_offsets"] = json!([8, 0]);
            }),
        ),
        (
            "unknown-number-type",
            with_field(|json| {
                let [first, _] = first_two(json);
                json[first.as_str()]["dtype"] = "Q7".into();
            }),
        ),
        ("foreign", with_field(|json| json["__metadata__"] = json!({ "format": "pt" }))),
        ("entry-is-not-json", with_field(|json| json["__metadata__"]["surefoot"] = "hello".into())),
        (
            "no-checksum",
            with_field(|json| {
                inner(json, |entry| drop(entry.as_object_mut().expect("{}").remove("checksum")))
            }),
        ),
        ("other-checksum", with_field(|json| inner(json, |entry| entry["checksum"] = "md5:0".into()))),
        ("later-version", with_header(|header| header.version = 99)),
        ("earlier-version", with_header(|header| header.version = 0)),
        (
            "no-version",
            with_field(|json| {
                inner(json, |entry| {
                    let text = entry["header"].as_str().expect("text").replace("\"version\"", "\"vision\"");
                    entry["header"] = text.into();
                })
            }),
        ),
        (
            "other-header-field",
            with_field(|json| {
                inner(json, |entry| {
                    let text = entry["header"].as_str().expect("text").replace("\"seed\"", "\"salt\"");
                    entry["header"] = text.into();
                })
            }),
        ),
        ("more-mistakes-than-examples", with_header(|header| header.counts.mistakes = 7)),
        ("more-updates-than-rounds", with_header(|header| header.counts.updates = 7)),
        ("more-rounds-than-time", with_header(|header| header.counts.rounds = u64::MAX)),
        ("forgetting", with_header(|header| header.memory = 0.5)),
        ("unknown-learner", with_header(|header| header.learner = "oracle".into())),
        ("parameter-out-of-range", with_header(|header| header.learner = "arow:r=-1".into())),
        ("other-learner", with_header(|header| header.learner = "arow/full".into())),
        ("ensemble-of-one-learner", with_header(|header| header.learner = "auto".into())),
        (
            "three-labels-in-a-pair",
            with_header(|header| {
                header.labels = json!({ "kind": "binary", "names": ["a", "b", "c"] }).to_string();
            }),
        ),
        (
            "labels-that-are-the-same",
            with_header(|header| {
                header.labels = json!({ "kind": "closed", "names": ["1", "1.0", "2"] }).to_string();
            }),
        ),
        (
            "labels-without-classes",
            with_header(|header| {
                header.labels = json!({ "kind": "closed", "names": ["a", "b", "c"] }).to_string();
            }),
        ),
        ("missing-tensor", with_state(|state| drop(state.take_f64(CELLS)))),
        ("strange-tensor", with_state(|state| state.put("zebra", Tensor::U8(Cow::Borrowed(b"stripes"))))),
        (
            "wrong-type",
            with_state(|state| {
                drop(state.take_f64(CELLS));
                state.put(CELLS, Tensor::U8(Cow::Borrowed(b"12345678")));
            }),
        ),
        ("cell-too-few", with_numbers(CELLS, |cells| cells.truncate(11))),
        ("not-a-number", with_numbers(CELLS, |cells| cells[0] = f64::NAN)),
        ("infinite-variance", with_numbers(CELLS, |cells| cells[1] = f64::INFINITY)),
        ("negative-variance", with_numbers(CELLS, |cells| cells[1] = -1.0)),
        ("negative-slope", with_numbers(LINK, |link| link[0] = -1.0)),
        (
            "page-that-occurs-twice",
            with_state(|state| {
                let mut pages = state.take_u64(PAGES).expect("pages");
                pages[1] = pages[0];
                state.put(PAGES, Tensor::U64(pages.into()));
            }),
        ),
        (
            "page-without-features",
            with_state(|state| {
                let mut met = state.take_u32("space.met").expect("features met");
                met[0] = 0;
                state.put("space.met", Tensor::U32(met.into()));
            }),
        ),
        ("more-rounds-in-the-head", with_state(|state| state.put_counts("head.rounds", &[u64::MAX]))),
        (
            "stamp-after-the-clock",
            forgetting_with_state("arow:half-life=4", |state| {
                let mut stamps = state.take_u32(STAMPS).expect("stamps");
                stamps[1] = 7;
                state.put(STAMPS, Tensor::U32(stamps.into()));
            }),
        ),
        (
            "stamp-too-few",
            forgetting_with_state("arow:half-life=4", |state| {
                let stamps = state.take_u32(STAMPS).expect("stamps");
                state.put(STAMPS, Tensor::U32(stamps[1..].to_vec().into()));
            }),
        ),
        (
            "clock-that-has-run-out",
            forgetting_with_state("arow:half-life=4", |state| {
                state.put_counts("learner.store.clock", &[u64::from(u32::MAX)]);
            }),
        ),
        (
            "no-clock",
            forgetting_with_state("arow:half-life=4", |state| {
                drop(state.take_u64("learner.store.clock"));
            }),
        ),
        ("clock-of-what-never-forgets", with_state(|state| state.put_counts("learner.store.clock", &[6]))),
        (
            "forgotten-too-late",
            forgetting_with_state("arow/full:half-life=640", |state| {
                state.put_counts("learner.store.passed", &[10]);
            }),
        ),
        ("link-too-short", with_numbers(LINK, |link| link.truncate(2))),
    ])
}

#[test]
fn every_hostile_file_is_refused_with_its_own_message() {
    let attacks = attacks();
    let mut messages = BTreeMap::new();
    for (name, bytes) in &attacks {
        let path = folder("hostile").join(format!("{name}.model"));
        if std::env::var_os("SUREFOOT_REGENERATE").is_some() {
            std::fs::write(&path, bytes).expect("written");
        }
        assert!(std::fs::read(&path).expect("a file of the folder") == *bytes, "{name} is another file now");
        let message = Model::load(&path).expect_err(name).to_string();
        let message = message.strip_prefix(&format!("{}: ", path.display())).expect("the path comes first");
        messages.insert(*name, message.to_string());
    }
    let list: String = messages.iter().map(|(name, message)| format!("{name}: {message}\n")).collect();
    insta::assert_snapshot!(list);
    let mut different: Vec<&String> = messages.values().collect();
    different.sort();
    different.dedup();
    assert_eq!(different.len(), attacks.len(), "each has a message of its own");
    let files = std::fs::read_dir(folder("hostile")).expect("the folder").count();
    assert_eq!(files, attacks.len(), "no file without an entry in the table");
}

/// A number that is likely to hurt.
fn nasty(random: &mut Random) -> f64 {
    let wild = f64::from_bits(random.below(u64::MAX));
    [0.0, -0.0, 1.0, -1.0, 1e308, 5e-324, f64::INFINITY, f64::NAN, wild][random.below(9) as usize]
}

#[test]
fn no_number_in_a_file_makes_a_panic() {
    let mut random = Random::new(7);
    for (_, bytes) in models::models().expect("models") {
        for _ in 0..300 {
            let (header, state) = from_bytes(&bytes).expect("a model");
            let mut changed = State::new();
            let victim = random.below(state.iter().count() as u64) as usize;
            for (at, (name, tensor)) in state.iter().enumerate() {
                changed.put(name, if at == victim { damaged(tensor, &mut random) } else { tensor.clone() });
            }
            let Ok(mut model) = Model::from_bytes(&to_bytes(&header, &changed).expect("bytes")) else {
                continue;
            };
            // Whatever was let in can be used: predicted with, learned on, saved.
            let x = KeyedFeatures::given(&[1, 2, 9], &[1.0, -0.5, 2.0]);
            let label = model.labels().names()[0].to_string();
            drop(model.predict(&x));
            drop(model.learn(&x, label).map(drop));
            drop(model.to_bytes());
        }
    }
}

/// One number of the tensor is another, or it has one more or one less.
fn damaged(tensor: &Tensor<'_>, random: &mut Random) -> Tensor<'static> {
    fn change<T: Clone>(numbers: &[T], random: &mut Random, new: T) -> Cow<'static, [T]> {
        let mut numbers = numbers.to_vec();
        match (random.below(6), numbers.len()) {
            (0, _) => numbers.push(new),
            (1, _) | (_, 0) => drop(numbers.pop()),
            (_, length) => numbers[random.below(length as u64) as usize] = new,
        }
        Cow::Owned(numbers)
    }
    let whole = [0, 1, 7, u64::MAX >> 1, u64::MAX][random.below(5) as usize];
    match tensor {
        Tensor::U8(bytes) => Tensor::U8(change(bytes, random, whole as u8)),
        Tensor::U32(numbers) => Tensor::U32(change(numbers, random, whole as u32)),
        Tensor::U64(numbers) => Tensor::U64(change(numbers, random, whole)),
        Tensor::F32(numbers) => {
            let new = nasty(random) as f32;
            Tensor::F32(change(numbers, random, new))
        }
        Tensor::F64(numbers) => {
            let new = nasty(random);
            Tensor::F64(change(numbers, random, new))
        }
    }
}
