//! Who may do what: every route of the document with every role.

use std::fs;

use serde_json::Value;

use crate::server::{Server, folder, surefoot};

/// The order of what roles may do; metrics are apart.
const ROLES: [&str; 5] = ["none", "metrics", "predict", "learn", "admin"];

fn allowed(role: &str, needed: &str) -> bool {
    let rank = |name: &str| ["predict", "learn", "admin"].iter().position(|own| *own == name);
    match needed {
        "open" => true,
        "metrics" => role == "metrics" || role == "admin",
        _ => rank(role).is_some_and(|own| rank(needed).is_some_and(|needed| own >= needed)),
    }
}

#[test]
fn every_route_with_every_role() {
    let place = folder();
    let mut tokens = Vec::new();
    let mut lines = String::new();
    for role in &ROLES[1..] {
        let (done, said) = surefoot(place.path(), &["token", "--role", role, "--name", "x"]);
        assert!(done, "{said}");
        let line = said.lines().find(|line| line.starts_with(role)).expect("a line");
        let token = said.lines().find(|line| line.starts_with("sf_")).expect("a token").to_string();
        assert!(!line.contains(&token));
        lines += &format!("{line}\n");
        tokens.push((*role, token));
    }
    let file = place.path().join("tokens");
    fs::write(&file, lines).expect("written");
    let data = place.path().join("data");
    let server = Server::start(&data, &["--tokens", &file.display().to_string()]);
    let document = server.get("/openapi.json").json();
    let mut asked = 0;
    for (path, methods) in document["paths"].as_object().expect("paths") {
        for (method, operation) in methods.as_object().expect("methods") {
            let needs =
                operation["description"].as_str().and_then(|text| text.strip_prefix("Needs the role "));
            let needs = needs.map_or("open", |text| text.trim_end_matches('.'));
            let path = path.replace("{model}", "none").replace("{version}", "1");
            for role in ROLES {
                let bearer =
                    tokens.iter().find(|(own, _)| *own == role).map(|(_, token)| format!("Bearer {token}"));
                let mut headers = vec![("content-type", "application/json")];
                headers.extend(bearer.as_ref().map(|bearer| ("authorization", bearer.as_str())));
                let answer = server.ask(&method.to_uppercase(), &path, &headers, b"{}");
                let let_in = ![401, 403].contains(&answer.status);
                assert_eq!(
                    let_in,
                    allowed(role, needs),
                    "{method} {path} as {role}: {} {}",
                    answer.status,
                    answer.text()
                );
                if !let_in {
                    assert_eq!(answer.status, if role == "none" { 401 } else { 403 });
                    assert!(answer.json()["error"].is_string());
                }
                asked += 1;
            }
        }
    }
    assert!(asked >= 5 * 20, "{asked}");
    let wrong = server.ask("GET", "/v1/models", &[("authorization", "Bearer sf_00")], b"");
    assert_eq!((wrong.status, &wrong.json()["code"]), (401, &Value::from("unknown_token")));
    // A token that is taken out of the file is refused from the signal on.
    fs::write(&file, "# nothing\n").expect("written");
    server.signal("-HUP");
    let bearer = format!("Bearer {}", tokens[3].1);
    let gone = (0..200).any(|_| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        server.ask("GET", "/v1/models", &[("authorization", &bearer)], b"").status == 401
    });
    assert!(gone);
}

#[test]
fn pages_of_other_sites_reach_nothing() {
    let place = folder();
    let server = Server::start(place.path(), &["--allowed-host", "box.local"]);
    let json = ("content-type", "application/json");
    let put =
        |headers: &[(&str, &str)]| server.ask("PUT", "/v1/models/x", headers, br#"{"labels":["a","b"]}"#);
    assert_eq!(put(&[json, ("host", "evil.example")]).status, 403);
    assert_eq!(put(&[json, ("host", "evil.example:8080")]).status, 403);
    assert_eq!(put(&[json, ("origin", "http://evil.example")]).status, 403);
    assert_eq!(put(&[json, ("origin", "null")]).status, 403);
    assert_eq!(put(&[]).status, 415);
    assert_eq!(put(&[("content-type", "text/plain")]).status, 415);
    assert_eq!(put(&[("content-type", "application/x-www-form-urlencoded")]).status, 415);
    assert_eq!(server.get("/v1/models").json()["models"].as_array().map(Vec::len), Some(0));
    let own = format!("http://{}", server.address);
    assert_eq!(put(&[json, ("origin", &own)]).status, 201);
    assert_eq!(server.ask("GET", "/v1/models", &[("host", "BOX.local:80")], b"").status, 200);
    assert_eq!(server.ask("GET", "/", &[("host", "evil.example")], b"").status, 403);
    assert!(server.raw(b"GET /v1/models HTTP/1.1\r\n\r\n").contains("403"));
}
