//! What clients should not send.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use crate::server::{Client, Server, folder, journal};

fn server(place: &std::path::Path) -> Server {
    let server = Server::start(place, &["--max-body", "1"]);
    let made = server.ask(
        "PUT",
        "/v1/models/t",
        &[("content-type", "application/json")],
        br#"{"labels":["a","b"]}"#,
    );
    assert_eq!(made.status, 201, "{}", made.text());
    server
}

#[test]
fn two_hundred_bad_rows_and_the_server_goes_on() {
    let place = folder();
    let server = server(place.path());
    let good = br#"{"label":"a","x":1.5,"text":"some words","list":["a","b"],"deep":{"y":[1,2]}}"#;
    let before = server.get("/v1/models/t/file").body;
    let mut refused = 0;
    let mut client = Client::connect(&server.address).expect("connected");
    for n in 0..200usize {
        let mut bad = good.to_vec();
        match n % 4 {
            0 => bad.truncate(n % good.len()),
            1 => bad[n % good.len()] = b"\0{}[]:,\"x\xff"[n % 10],
            2 => drop(bad.splice(n % good.len()..n % good.len(), *b"}]")),
            _ => bad.extend_from_slice(&vec![b'['; n]),
        }
        // What is still JSON may be learned; no label comes from that.
        let bad: Vec<u8> =
            String::from_utf8_lossy(&bad).replace("\"label\":\"a\"", "\"label\":\"c\"").into_bytes();
        let answer = client.ask("POST", "/v1/models/t/learn", &[("content-type", "application/json")], &bad);
        let answer = answer.expect("an answer");
        assert!((400..=422).contains(&answer.status), "{}: {}", String::from_utf8_lossy(&bad), answer.text());
        let told = answer.json();
        assert!(told["error"].is_string() && told["code"].is_string());
        refused += usize::from(told["row"] == 1);
    }
    assert!(refused > 100, "{refused}");
    assert!(journal(place.path(), "t").is_empty() && server.get("/v1/models/t/file").body == before);
}

#[test]
fn deep_nesting_and_bombs() {
    let place = folder();
    let server = server(place.path());
    let json = ("content-type", "application/json");
    let nested = [r#"{"a":"#.repeat(20_000), "1".into(), "}".repeat(20_000)].concat();
    assert_eq!(server.post("/v1/models/t/predict", &nested).status, 400);
    let large = format!(r#"{{"text":"{}"}}"#, "x".repeat(2 << 20));
    let refused = server.raw(
        format!("POST /v1/models/t/predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n", large.len()).as_bytes(),
    );
    assert!(refused.contains("413"), "{refused}");
    let chunked = format!(
        "POST /v1/models/t/predict HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ntransfer-encoding: chunked\r\n\r\n{:x}\r\n{large}\r\n0\r\n\r\n",
        large.len()
    );
    assert!(server.raw(chunked.as_bytes()).contains("413"));
    // A little that becomes much.
    let mut bomb = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
    (0..64).for_each(|_| bomb.write_all(&[b' '; 1 << 20]).expect("packed"));
    let bomb = bomb.finish().expect("packed");
    let answer = server.ask("POST", "/v1/models/t/predict", &[json, ("content-encoding", "gzip")], &bomb);
    assert_eq!(answer.status, 413);
    let broken =
        server.ask("POST", "/v1/models/t/predict", &[json, ("content-encoding", "gzip")], &bomb[..100]);
    assert_eq!(broken.status, 400);
    assert_eq!(
        server.ask("POST", "/v1/models/t/predict", &[json, ("content-encoding", "br")], b"{}").status,
        415
    );
    let mut good = flate2::write::ZlibEncoder::new(Vec::new(), flate2::Compression::fast());
    good.write_all(br#"{"x":1}"#).expect("packed");
    let good = good.finish().expect("packed");
    assert_eq!(
        server.ask("POST", "/v1/models/t/predict", &[json, ("content-encoding", "deflate")], &good).status,
        200
    );
}

#[test]
fn bodies_that_lie_and_heads_that_are_too_long() {
    let place = folder();
    let server = server(place.path());
    let head = |more: &str| {
        format!(
            "POST /v1/models/t/learn HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n{more}\r\n"
        )
    };
    let row = r#"{"label":"a","x":1}"#;
    // Longer than what comes, shorter, two lengths, no number, too large a number.
    assert!(!server.raw((head("content-length: 900\r\n") + row).as_bytes()).contains("200 OK"));
    assert!(!server.raw((head("content-length: 5\r\n") + row).as_bytes()).contains("200 OK"));
    assert!(
        server.raw((head("content-length: 19\r\ncontent-length: 5\r\n") + row).as_bytes()).contains("400")
    );
    assert!(server.raw((head("content-length: -1\r\n") + row).as_bytes()).contains("400"));
    assert!(server.raw((head("content-length: 18446744073709551616\r\n") + row).as_bytes()).contains("400"));
    assert!(server.raw((head("content-length: 18446744073709551610\r\n") + row).as_bytes()).contains("413"));
    let many = format!("x: {}\r\n", "y".repeat(100)).repeat(400);
    assert!(server.raw(head(&many).as_bytes()).contains("431"));
    let long = format!("GET /v1/models?{} HTTP/1.1\r\nhost: localhost\r\n\r\n", "x".repeat(10_000));
    assert!(server.raw(long.as_bytes()).contains("414"));
    assert!(server.raw(b"\x16\x03\x01\x02\x00nonsense\r\n\r\n").contains("400"));
    for path in
        ["/v1/models/%2e%2e/file", "/v1/models//file", "/v1/models/t/../t/file", "/etc/passwd", "/v2/x", "*"]
    {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    assert_eq!(server.ask("PATCH", "/v1/models", &[], b"").status, 405);
    assert!(journal(place.path(), "t").is_empty());
    assert_eq!(server.get("/v1/models").status, 200);
}

#[test]
fn slow_heads_are_cut_off_and_do_not_keep_others_waiting() {
    let place = folder();
    let server = server(place.path());
    let slow: Vec<TcpStream> = (0..50)
        .map(|_| {
            let mut stream = TcpStream::connect(&server.address).expect("connected");
            stream.write_all(b"GET / HTTP/1.1\r\nhost: local").expect("sent");
            stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
            stream
        })
        .collect();
    assert_eq!(server.get("/v1/models").status, 200);
    for mut stream in slow {
        let mut out = Vec::new();
        // It ends, whatever is said before.
        let _ = stream.read_to_end(&mut out);
        assert!(!String::from_utf8_lossy(&out).contains("200 OK"));
    }
    assert_eq!(server.get("/v1/models").status, 200);
}
