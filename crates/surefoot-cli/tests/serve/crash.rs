//! Crashes: what was acknowledged is kept, and the model is what `train` makes of the journal.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use crate::server::{Client, Server, current, folder, journal, trained};

/// Rounds, unless SUREFOOT_CRASHES says how many.
fn rounds() -> u64 {
    std::env::var("SUREFOOT_CRASHES").ok().and_then(|text| text.parse().ok()).unwrap_or(6)
}

/// The kinds of models that are learned, one a round.
const MODELS: [(&str, &str); 5] = [
    ("arow", r#"{"learner":"arow","labels":["a","b"]}"#),
    ("auto", r#"{"learner":"auto","labels":["a","b"]}"#),
    ("many", r#"{"learner":"auto","task":"multiclass"}"#),
    ("factored", r#"{"learner":"arow/factored","labels":["a","b"]}"#),
    ("scaled", r#"{"learner":"arow","labels":["a","b"],"scale":"rms"}"#),
];

fn row(model: &str, n: u64) -> String {
    let label = match model {
        "many" => ["a", "b", "c", "d", "e"][(n % 5) as usize],
        _ => ["a", "b"][(n % 2) as usize],
    };
    let x = (n.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 40) as f64 / 1e6;
    match model {
        "factored" | "scaled" => {
            format!(r#"{{"id":"r{n}","label":"{label}","x":{x},"y":{},"z":{}}}"#, n % 11, n % 7)
        }
        _ => format!(
            r#"{{"id":"r{n}","label":"{label}","w{}":1,"w{}":{x},"text":"t{} t{}"}}"#,
            n % 97,
            n % 13,
            n % 5,
            n % 31
        ),
    }
}

/// 16 learners and 8 predictors until the server dies; what was acknowledged: number and row.
fn load(server: Server, model: &str, next: &AtomicU64, life: Duration) -> BTreeMap<u64, String> {
    let (acked, dead) = (Mutex::new(BTreeMap::new()), AtomicBool::new(false));
    let address = server.address.clone();
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| {
                let Ok(mut client) = Client::connect(&address) else { return };
                while !dead.load(Ordering::Relaxed) {
                    let row = row(model, next.fetch_add(1, Ordering::Relaxed));
                    let path = format!("/v1/models/{model}/learn");
                    let Ok(answer) =
                        client.ask("POST", &path, &[("content-type", "application/json")], row.as_bytes())
                    else {
                        return;
                    };
                    assert_eq!(answer.status, 200, "{}", answer.text());
                    let seq = answer.json()["seq"].as_u64().expect("a number");
                    acked.lock().expect("no panic").insert(seq, row);
                }
            });
        }
        for _ in 0..8 {
            scope.spawn(|| {
                let Ok(mut client) = Client::connect(&address) else { return };
                let mut after = 0;
                while !dead.load(Ordering::Relaxed) {
                    let known = acked.lock().expect("no panic").keys().next_back().copied().unwrap_or(0);
                    let path = format!("/v1/models/{model}/predict");
                    let Ok(answer) = client.ask(
                        "POST",
                        &path,
                        &[("content-type", "application/json")],
                        br#"{"x":1,"w3":1}"#,
                    ) else {
                        return;
                    };
                    let now = answer.json()["after"].as_u64().expect("a number");
                    assert!(now >= after && now >= known, "after {now}, and {known} was acknowledged");
                    after = now;
                }
            });
        }
        thread::sleep(life);
        server.kill();
        dead.store(true, Ordering::Relaxed);
    });
    acked.into_inner().expect("no panic")
}

/// The rows of the journal by their numbers.
fn records(folder: &Path, model: &str) -> BTreeMap<u64, String> {
    let mut all = BTreeMap::new();
    for path in journal(folder, model) {
        for line in fs::read_to_string(path).expect("text").lines() {
            let words: Vec<&str> = line.splitn(6, ' ').collect();
            all.insert(words[2].parse().expect("a number"), words[5].to_string());
        }
    }
    all
}

fn create(server: &Server) {
    for (name, settings) in MODELS {
        let path = format!("/v1/models/{name}");
        let made = server.ask("PUT", &path, &[("content-type", "application/json")], settings.as_bytes());
        assert_eq!(made.status, 201, "{name}: {}", made.text());
    }
}

#[test]
fn kills_lose_nothing_that_was_acknowledged() {
    let place = folder();
    let flags = ["--new-labels", "--snapshot-examples", "400"];
    let server = Server::start(place.path(), &flags);
    create(&server);
    assert!(server.stop());
    let next = AtomicU64::new(0);
    let mut acked: BTreeMap<&str, BTreeMap<u64, String>> = BTreeMap::new();
    for round in 0..rounds() {
        let (model, _) = MODELS[(round % 5) as usize];
        let server = Server::start(place.path(), &flags);
        let life = Duration::from_millis(150 + (round * 37) % 200);
        acked.entry(model).or_default().extend(load(server, model, &next, life));
        let server = Server::start(place.path(), &flags);
        let known = records(place.path(), model);
        for (seq, row) in &acked[model] {
            assert_eq!(known.get(seq), Some(row), "round {round}: record {seq} of {model}");
        }
        let numbers: Vec<u64> = known.keys().copied().collect();
        assert_eq!(numbers, (1..=numbers.len() as u64).collect::<Vec<_>>());
        let file = server.get(&format!("/v1/models/{model}/file")).body;
        assert!(file == trained(place.path(), model), "round {round}: {model}");
        server.kill();
    }
    assert!(acked.values().map(BTreeMap::len).sum::<usize>() > 100);
}

/// The library that notes what is on disk, and fails where it is told to; none where there is no compiler.
fn shim(folder: &Path) -> Option<PathBuf> {
    let library = folder.join("disk.so");
    let source = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/serve/disk.c");
    let built = Command::new("gcc")
        .args(["-shared", "-fPIC", "-O1", "-o"])
        .arg(&library)
        .args([source, "-ldl"])
        .status();
    if built.is_ok_and(|status| status.success()) {
        return Some(library);
    }
    eprintln!("skipped: gcc is not installed, which builds the simulated disk");
    None
}

/// Cuts every file to what had been synced when the power went, as the notes have it.
fn cut_to_synced(folder: &Path, notes: &Path) {
    let mut synced: BTreeMap<PathBuf, u64> = BTreeMap::new();
    for line in fs::read_to_string(notes).expect("notes").lines() {
        let (size, path) = line.split_once(' ').expect("size and path");
        // The file in its place has the name that it was renamed to.
        synced.insert(PathBuf::from(path), size.parse().expect("a size"));
    }
    let log = folder.join("models");
    let mut folders = vec![log];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|ending| ending == "log") {
                let size = synced.get(&path).copied().unwrap_or(0);
                let file = fs::File::options().write(true).open(&path).expect("a file");
                assert!(file.metadata().expect("known").len() >= size);
                file.set_len(size).expect("cut");
            }
        }
    }
}

#[test]
fn power_cuts_lose_nothing_that_was_acknowledged() {
    let tools = folder();
    let Some(library) = shim(tools.path()) else { return };
    let place = folder();
    let notes = tools.path().join("notes");
    let variables = [("LD_PRELOAD", library.as_path()), ("DISK_NOTES", notes.as_path())];
    let flags = ["--snapshot-examples", "400", "--new-labels"];
    let server = Server::start(place.path(), &flags);
    create(&server);
    server.kill();
    let (next, mut acked) = (AtomicU64::new(0), BTreeMap::new());
    for round in 0..rounds() {
        let server = Server::start_with(place.path(), &flags, &variables);
        acked.extend(load(server, "arow", &next, Duration::from_millis(150 + (round * 53) % 200)));
        cut_to_synced(place.path(), &notes);
        let server = Server::start_with(place.path(), &flags, &variables);
        let known = records(place.path(), "arow");
        for (seq, row) in &acked {
            assert_eq!(known.get(seq), Some(row), "round {round}: record {seq}");
        }
        assert!(server.get("/v1/models/arow/file").body == trained(place.path(), "arow"), "round {round}");
        server.kill();
        cut_to_synced(place.path(), &notes);
    }
    assert!(acked.len() > 50);
}

#[test]
fn a_full_disk_stops_learning_until_there_is_room() {
    let tools = folder();
    let Some(library) = shim(tools.path()) else { return };
    let place = folder();
    let full = tools.path().join("full");
    let server = Server::start_with(place.path(), &[], &[("LD_PRELOAD", &library), ("DISK_FULL_IF", &full)]);
    create(&server);
    let learn = |n: u64| server.post("/v1/models/arow/learn", &row("arow", n));
    assert_eq!(learn(1).status, 200);
    let before = server.get("/v1/models/arow/file").body;
    fs::write(&full, "").expect("written");
    for n in 2..5 {
        let refused = learn(n);
        assert_eq!(
            (refused.status, refused.json()["code"].as_str()),
            (503, Some("disk_full")),
            "{}",
            refused.text()
        );
        assert!(refused.headers.contains("retry-after"));
    }
    assert_eq!(server.post("/v1/models/arow/predict", r#"{"x":1}"#).status, 200);
    assert_eq!(server.get("/v1/models").json()["models"][0]["writable"], false);
    assert!(server.get("/v1/models/arow/file").body == before);
    fs::remove_file(&full).expect("removed");
    assert_eq!(learn(2).json()["seq"], 2);
    assert!(server.get("/v1/models/arow/file").body == trained(place.path(), "arow"));
}

#[test]
fn a_failed_sync_is_not_tried_again() {
    let tools = folder();
    let Some(library) = shim(tools.path()) else { return };
    let place = folder();
    let failing = tools.path().join("failing");
    let variables = [("LD_PRELOAD", library.as_path()), ("DISK_SYNC_FAILS_IF", failing.as_path())];
    let server = Server::start_with(place.path(), &[], &variables);
    create(&server);
    let learn = |server: &Server, n: u64| server.post("/v1/models/arow/learn", &row("arow", n));
    assert_eq!(learn(&server, 1).status, 200);
    fs::write(&failing, "").expect("written");
    assert_eq!(learn(&server, 2).json()["code"], "disk_failed");
    fs::remove_file(&failing).expect("removed");
    // The disk would take it now, and what it did with the pages before is not known.
    assert_eq!(learn(&server, 3).json()["code"], "disk_failed");
    assert_eq!(server.post("/v1/models/arow/predict", r#"{"x":1}"#).status, 200);
    server.kill();
    let server = Server::start(place.path(), &[]);
    assert_eq!(records(place.path(), "arow").len(), 1);
    assert_eq!(learn(&server, 2).json()["seq"], 2);
    let _ = current(place.path(), "arow");
}
