//! What the routes answer.

use serde_json::json;

use crate::server::{Server, folder, journal, surefoot, trained};

/// A server with a model `t` of two labels.
fn server(place: &std::path::Path, flags: &[&str]) -> Server {
    let server = Server::start(place, flags);
    let made = server.ask(
        "PUT",
        "/v1/models/t",
        &[("content-type", "application/json")],
        br#"{"learner":"auto","labels":["spam","ham"]}"#,
    );
    assert_eq!(made.status, 201, "{}", made.text());
    server
}

#[test]
fn predict_learn_and_feedback() {
    let place = folder();
    let server = server(place.path(), &[]);
    let learned = server.post("/v1/models/t/learn", r#"{"id":"a","label":"spam","text":"cheap pills"}"#);
    assert_eq!(learned.status, 200);
    assert_eq!(learned.json()["seq"], 1);
    assert_eq!(learned.json()["label"], "spam");
    let again = server.post("/v1/models/t/learn", r#"{"id":"a","label":"spam","text":"cheap pills"}"#);
    assert_eq!(again.json(), json!({ "seq": 1, "duplicate": true }));
    let other = server.post("/v1/models/t/learn", r#"{"id":"a","label":"ham","text":"cheap pills"}"#);
    assert_eq!((other.status, &other.json()["code"]), (409, &json!("conflict")));
    let predicted =
        server.post("/v1/models/t/predict?votes&all-labels&explain=2", r#"{"id":"p","text":"cheap offer"}"#);
    let told = predicted.json();
    assert_eq!((&told["after"], &told["tracked"], &told["label"]), (&json!(1), &json!(true), &json!("spam")));
    assert!(told["probabilities"]["ham"].is_number() && told["explanation"]["features"].is_array());
    let several = server.post("/v1/models/t/predict", r#"[{"text":"a"},{"text":"cheap"}]"#).json();
    assert_eq!((several["predictions"].as_array().map(Vec::len), &several["after"]), (Some(2), &json!(1)));
    let uncertain = server.get("/v1/models/t/uncertain").json();
    assert_eq!(
        (&uncertain["rows"][0]["id"], &uncertain["rows"][0]["row"]["text"]),
        (&json!("p"), &json!("cheap offer"))
    );
    let fed = server.post("/v1/models/t/feedback", r#"{"id":"p","label":"ham"}"#);
    assert_eq!(
        (fed.status, &fed.json()["seq"], &fed.json()["mistake"]),
        (200, &json!(2), &json!(true)),
        "{}",
        fed.text()
    );
    let again = server.post("/v1/models/t/feedback", r#"[{"id":"p","label":"ham"}]"#).json();
    assert_eq!(again["feedback"][0]["duplicate"], true);
    assert_eq!(server.post("/v1/models/t/feedback", r#"{"id":"p","label":"spam"}"#).status, 409);
    assert_eq!(server.post("/v1/models/t/feedback", r#"{"id":"q","label":"spam"}"#).status, 404);
    let lines = "{\"label\":\"ham\",\"text\":\"lunch\"}\n{\"label\":\"spam\",\"text\":\"pills\"}\n";
    let nd = server.ask(
        "POST",
        "/v1/models/t/learn",
        &[("content-type", "application/x-ndjson")],
        lines.as_bytes(),
    );
    assert_eq!(nd.text().lines().count(), 2);
    let file = server.get("/v1/models/t/file");
    assert!(file.headers.contains("surefoot-sequence: 4"), "{}", file.headers);
    assert!(file.body == trained(place.path(), "t"));
    assert_eq!(server.get("/v1/models/t/log?from=3").text().lines().count(), 2);
    assert_eq!(server.get("/v1/models").json()["models"][0]["seq"], 4);
    assert_eq!(server.get("/v1/models/t").json()["counts"]["examples"], 4);
    assert_eq!(server.get("/v1/models/t/monitor").json()["examples"], 4);
    assert!(
        server.get("/v1/models/t/weights?top=3").json()["labels"]
            .as_array()
            .is_some_and(|all| all.len() == 2)
    );
    assert!(server.stop());
    // The snapshot that was written at the end is what the journal makes.
    let (same, said) = surefoot(place.path(), &["serve", &place.path().display().to_string(), "--check"]);
    assert!(same && said.contains("4 records, compared with the snapshot of record 4: the same"), "{said}");
}

#[test]
fn predictions_are_those_of_the_command_line_to_the_digit() {
    let place = folder();
    let server = server(place.path(), &[]);
    let rows: Vec<String> = (0..90u32)
        .map(|n| {
            format!(
                r#"{{"label":"{}","text":"w{} w{}","x":{}}}"#,
                ["ham", "spam"][n as usize % 2],
                n % 7,
                n % 2 * 9 + n % 3,
                n
            )
        })
        .collect();
    server.post("/v1/models/t/learn", &format!("[{}]", rows.join(",")));
    let file = server.get("/v1/models/t/file").body;
    std::fs::write(place.path().join("now.model"), file).expect("written");
    std::fs::write(place.path().join("rows.jsonl"), rows.join("\n")).expect("written");
    let flags = ["predict", "now.model", "rows.jsonl", "--json", "--votes", "--all-labels"];
    let (done, said) = surefoot(place.path(), &flags);
    assert!(done, "{said}");
    let answers = server.ask(
        "POST",
        "/v1/models/t/predict?votes&all-labels",
        &[("content-type", "application/x-ndjson")],
        rows.join("\n").as_bytes(),
    );
    let lines: Vec<String> = answers.text().lines().map(|line| line.replace(",\"after\":90}", "}")).collect();
    let told: Vec<&str> = said.lines().filter(|line| line.starts_with('{')).collect();
    assert_eq!(lines, told);
}

#[test]
fn all_or_nothing_and_bad_rows() {
    let place = folder();
    let server = server(place.path(), &[]);
    let before = server.get("/v1/models/t/file").body;
    for (body, code, row) in [
        (r#"[{"label":"ham","x":1},{"label":"eggs","x":1}]"#, "unlearnable", 2),
        (r#"[{"label":"ham","x":1},{"x":1}]"#, "unlearnable", 2),
        (r#"[{"label":"ham","x":1},{"label":"ham","x":1e99}]"#, "bad_row", 2),
        (r#"[{"label":"ham","x":1},{"label":"ham","weight":1e9}]"#, "bad_row", 2),
        (r#"[{"label":"ham","x":1},{"label":"ham","x":y}]"#, "bad_row", 2),
        (r#"{"label":"ham","x""#, "bad_row", 1),
    ] {
        let refused = server.post("/v1/models/t/learn", body);
        assert!([400, 422].contains(&refused.status), "{body}: {}", refused.text());
        let told = refused.json();
        assert_eq!((&told["code"], &told["row"]), (&json!(code), &json!(row)), "{body}: {told}");
    }
    assert!(journal(place.path(), "t").is_empty() && server.get("/v1/models/t/file").body == before);
    let body =
        r#"[{"label":"ham","x":1},{"label":"eggs","x":1},{"label":"ham","x":y},{"label":"spam","x":2}]"#;
    let told = server.post("/v1/models/t/learn?on-bad-row=skip", body).json();
    assert_eq!(
        (&told["learned"][2]["seq"], &told["learned"][1]["code"]),
        (&json!(2), &json!("unlearnable")),
        "{told}"
    );
    assert_eq!(told["bad_rows"][0]["row"], 3);
    assert!(server.get("/v1/models/t/file").body == trained(place.path(), "t"));
}

#[test]
fn models_are_made_of_files_and_settings_and_go_into_the_trash() {
    let place = folder();
    let (made, said) = surefoot(
        place.path(),
        &[
            "train",
            concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/tickets.tsv"),
            "-o",
            "tickets.model",
            "--quiet",
        ],
    );
    assert!(made, "{said}");
    let file = place.path().join("tickets.model");
    let data = place.path().join("data");
    let server = Server::start(&data, &["--model", &format!("tickets={}", file.display()), "--new-labels"]);
    let told = server.post("/v1/models/tickets/predict", r#"{"text":"my card was charged twice"}"#).json();
    assert!(told["probability"].as_f64().is_some_and(|p| p > 0.5), "{told}");
    let bytes = std::fs::read(&file).expect("a model");
    let octets = [("content-type", "application/octet-stream")];
    assert_eq!(server.ask("PUT", "/v1/models/again", &octets, &bytes).status, 201);
    assert_eq!(server.ask("PUT", "/v1/models/again", &octets, &bytes).status, 409);
    assert_eq!(server.ask("PUT", "/v1/models/bad", &octets, &bytes[..bytes.len() - 9]).status, 422);
    assert_eq!(server.ask("PUT", "/v1/models/..", &octets, &bytes).status, 400);
    assert!(server.get("/v1/models/again/file").body == bytes);
    let deleted = server.ask("DELETE", "/v1/models/again", &[], b"");
    assert_eq!((deleted.status, &deleted.json()["trash"]), (200, &json!("again.1")));
    assert_eq!(server.get("/v1/models/again").status, 404);
    for (settings, status) in [
        (r#"{"task":"multiclass","learner":"arow","scale":"rms","ngrams":"1-2"}"#, 201),
        (r#"{"task":"multiclass","learner":"oracle"}"#, 422),
        (r#"{"learner":"arow"}"#, 422),
        (r#"{"labels":["a","b"],"bits":99}"#, 422),
        (r#"{"labels":["a","a"]}"#, 422),
        (r#"{"labels":"#, 400),
        (r#"{"labels":["a","b"],"nonsense":1}"#, 400),
    ] {
        let name = format!("/v1/models/m{status}{}", settings.len());
        let made = server.ask("PUT", &name, &[("content-type", "application/json")], settings.as_bytes());
        assert_eq!(made.status, status, "{settings}: {}", made.text());
    }
    assert!(server.stop());
    // They are there again.
    let server = Server::start(&data, &[]);
    assert_eq!(server.get("/v1/models").json()["models"].as_array().map(Vec::len), Some(2));
}

#[test]
fn versions_and_rollback() {
    let place = folder();
    let server = server(place.path(), &[]);
    let learn = |n: u32| {
        server
            .post(
                "/v1/models/t/learn",
                &format!(r#"{{"label":"{}","x{}":1}}"#, ["ham", "spam"][n as usize % 2], n % 5),
            )
            .json()
    };
    (0..10).for_each(|n| drop(learn(n)));
    let ten = server.get("/v1/models/t/file").body;
    assert_eq!(server.post("/v1/models/t/versions", r#"{"name":"ten"}"#).json()["seq"], 10);
    assert_eq!(server.post("/v1/models/t/versions", r#"{"name":"ten"}"#).status, 409);
    assert_eq!(server.post("/v1/models/t/versions", r#"{"name":"../ten"}"#).status, 400);
    (10..15).for_each(|n| drop(learn(n)));
    assert_eq!(server.post("/v1/models/t/rollback", r#"{"to":"no"}"#).status, 404);
    assert_eq!(server.post("/v1/models/t/rollback", r#"{"to":12}"#).json(), json!({ "seq": 12, "epoch": 2 }));
    assert_eq!(learn(20)["seq"], 13);
    assert!(server.get("/v1/models/t/file").body == trained(place.path(), "t"));
    assert_eq!(server.post("/v1/models/t/rollback", r#"{"to":"ten"}"#).json()["seq"], 10);
    assert!(server.get("/v1/models/t/file").body == ten);
    assert_eq!(server.get("/v1/models/t").json()["versions"], json!(["ten"]));
}

#[test]
fn metrics_pass_a_lint() {
    let place = folder();
    let server = server(place.path(), &[]);
    server.post("/v1/models/t/learn", r#"{"label":"ham","x":1}"#);
    server.post("/v1/models/t/predict", r#"{"x":1}"#);
    let metrics = server.get("/metrics");
    assert!(metrics.headers.contains("version=0.0.4"), "{}", metrics.headers);
    let text = metrics.text();
    for sample in [
        "surefoot_examples_learned_total{model=\"t\"} 1",
        "surefoot_sequence{model=\"t\"} 1",
        "surefoot_log_writable{model=\"t\"} 1",
        "# TYPE surefoot_http_requests_total counter",
        "surefoot_log_group_examples_count{model=\"t\"} 1",
    ] {
        assert!(text.contains(sample), "{sample} in {text}");
    }
    let lint = std::process::Command::new("promtool")
        .args(["check", "metrics"])
        .stdin(std::process::Stdio::piped())
        .spawn();
    let Ok(mut lint) = lint else {
        eprintln!("skipped: promtool is not installed (apt-get install prometheus)");
        return;
    };
    std::io::Write::write_all(&mut lint.stdin.take().expect("piped"), text.as_bytes()).expect("written");
    assert!(lint.wait().expect("done").success(), "{text}");
}

#[test]
fn the_document_has_every_path() {
    let place = folder();
    let server = server(place.path(), &[]);
    let document = server.get("/openapi.json").json();
    assert_eq!(document["openapi"], "3.1.0");
    for path in ["/v1/models/{model}/predict", "/v1/models/{model}/monitor", "/metrics"] {
        assert!(document["paths"][path].is_object(), "{path}");
    }
    let page = server.get("/");
    assert!(
        page.headers.contains("default-src 'none'") && page.text().contains("page.js"),
        "{}",
        page.headers
    );
}

#[test]
fn a_second_server_is_refused_and_other_addresses_need_tokens() {
    let place = folder();
    let server = server(place.path(), &[]);
    let path = place.path().display().to_string();
    let (done, said) = surefoot(place.path(), &["serve", &path, "--listen", "127.0.0.1:0"]);
    assert!(!done && said.contains("another server is using this folder"), "{said}");
    drop(server);
    let (done, said) = surefoot(place.path(), &["serve", &path, "--listen", "0.0.0.0:0"]);
    assert!(!done && said.contains("--tokens") && said.contains("--no-auth"), "{said}");
}
