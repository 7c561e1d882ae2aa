//! The Open Inference Protocol V2, in the bytes that its clients send.

use serde_json::{Value, json};

use crate::server::{Answer, Server, folder};

fn server(place: &std::path::Path) -> Server {
    let server = Server::start(place, &[]);
    for (name, settings) in [
        ("text", r#"{"learner":"auto","labels":["spam","ham"]}"#),
        ("columns", r#"{"learner":"arow","labels":["a","b"]}"#),
    ] {
        let path = format!("/v1/models/{name}");
        assert_eq!(
            server.ask("PUT", &path, &[("content-type", "application/json")], settings.as_bytes()).status,
            201
        );
    }
    for n in 0..40 {
        let (label, text) = if n % 2 == 0 { ("spam", "cheap pills") } else { ("ham", "lunch today") };
        server.post("/v1/models/text/learn", &json!({ "label": label, "text": text }).to_string());
        let (label, x) = if n % 2 == 0 { ("a", 1.0) } else { ("b", -1.0) };
        server.post(
            "/v1/models/columns/learn",
            &json!({ "label": label, "x": x, "3": x, "kind": label }).to_string(),
        );
    }
    server
}

fn infer(server: &Server, model: &str, request: &Value) -> Answer {
    // Without a Content-Type, as tritonclient sends it.
    server.ask("POST", &format!("/v2/models/{model}/infer"), &[], request.to_string().as_bytes())
}

#[test]
fn texts_columns_matrices_and_json() {
    let place = folder();
    let server = server(place.path());
    let text = json!({ "id": "7", "model_name": "text", "inputs": [
        { "name": "whatever", "shape": [2, 1], "datatype": "BYTES", "data": [["cheap pills"], ["lunch"]] }
    ] });
    let told = infer(&server, "text", &text).json();
    assert_eq!(
        (&told["id"], &told["model_version"], &told["parameters"]["after"]),
        (&json!("7"), &json!("live"), &json!(40))
    );
    assert_eq!(
        told["outputs"][0],
        json!({ "name": "label", "datatype": "BYTES", "shape": [2], "data": ["spam", "ham"] })
    );
    assert_eq!(
        (&told["outputs"][2]["name"], &told["outputs"][2]["shape"]),
        (&json!("probabilities"), &json!([2, 2]))
    );
    let direct = server.post("/v1/models/text/predict", r#"{"text":"cheap pills"}"#).json();
    assert_eq!(told["outputs"][1]["data"][0], direct["probability"]);
    let columns = json!({ "inputs": [
        { "name": "x", "shape": [2], "datatype": "FP32", "data": [1.0, -1.0] },
        { "name": "kind", "shape": [2], "datatype": "BYTES", "data": ["a", "b"] },
    ], "outputs": [{ "name": "label" }, { "name": "score" }, { "name": "variance" }, { "name": "vote" }] });
    let told = infer(&server, "columns", &columns).json();
    assert_eq!(
        (&told["outputs"][0]["data"], told["outputs"].as_array().map(Vec::len)),
        (&json!(["a", "b"]), Some(4))
    );
    assert!(told["id"].is_string());
    let matrix = json!({ "inputs": [{ "name": "m", "shape": [2, 4], "datatype": "FP64", "data": [0, 0, 0, 1.0, 0, 0, 0, -1.0] }] });
    assert_eq!(infer(&server, "columns", &matrix).json()["outputs"][0]["data"], json!(["a", "b"]));
    let csr = json!({ "inputs": [
        { "name": "indptr", "shape": [3], "datatype": "INT64", "data": [0, 1, 2], "parameters": { "first_index": 1 } },
        { "name": "indices", "shape": [2], "datatype": "INT64", "data": [2, 2] },
        { "name": "values", "shape": [2], "datatype": "FP64", "data": [1, -1] },
    ] });
    assert_eq!(infer(&server, "columns", &csr).json()["outputs"][0]["data"], json!(["a", "b"]));
    let rows =
        json!({ "inputs": [{ "name": "json", "shape": [1], "datatype": "BYTES", "data": ["{\"x\": 1}"] }] });
    assert_eq!(infer(&server, "columns", &rows).json()["outputs"][0]["data"], json!(["a"]));
}

#[test]
fn binary_tensors() {
    let place = folder();
    let server = server(place.path());
    let mut bytes = Vec::new();
    for text in ["cheap pills", "lunch today"] {
        bytes.extend((text.len() as u32).to_le_bytes());
        bytes.extend(text.as_bytes());
    }
    let head = json!({ "inputs": [{ "name": "text", "shape": [2], "datatype": "BYTES",
        "parameters": { "binary_data_size": bytes.len() } }], "parameters": { "binary_data_output": true } })
    .to_string();
    let ask = |head: &str, bytes: &[u8]| {
        let length = head.len().to_string();
        let body = [head.as_bytes(), bytes].concat();
        server.ask("POST", "/v2/models/text/infer", &[("inference-header-content-length", &length)], &body)
    };
    assert_eq!(ask(&head, &bytes).json()["outputs"][0]["data"], json!(["spam", "ham"]));
    for (length, code) in [(bytes.len() - 1, "bad_tensor"), (3, "bad_tensor"), (0, "bad_tensor")] {
        let answer = ask(&head, &bytes[..length]);
        assert_eq!((answer.status, &answer.json()["code"]), (400, &json!(code)));
    }
    let long = ask(&head, &[bytes.as_slice(), b"x"].concat());
    assert_eq!(long.status, 400);
    for (kind, element) in [
        ("INT8", (-1i8).to_le_bytes().to_vec()),
        ("INT32", (-1i32).to_le_bytes().to_vec()),
        ("FP32", (-1f32).to_le_bytes().to_vec()),
        ("FP64", (-1f64).to_le_bytes().to_vec()),
    ] {
        let head = json!({ "inputs": [{ "name": "x", "shape": [1], "datatype": kind,
            "parameters": { "binary_data_size": element.len() } }] })
        .to_string();
        let length = head.len().to_string();
        let body = [head.as_bytes(), &element].concat();
        let told = server.ask(
            "POST",
            "/v2/models/columns/infer",
            &[("inference-header-content-length", &length)],
            &body,
        );
        assert_eq!(told.json()["outputs"][0]["data"], json!(["b"]), "{kind}: {}", told.text());
    }
}

#[test]
fn health_metadata_and_versions() {
    let place = folder();
    let server = server(place.path());
    assert_eq!(server.get("/v2").json()["name"], "surefoot");
    assert_eq!(server.get("/v2/").json()["extensions"][0], "binary_tensor_data");
    assert_eq!(server.get("/v2/health/live").json(), json!({ "live": true }));
    assert_eq!(server.get("/v2/health/ready").json()["ready"], true);
    assert_eq!(server.get("/v2/models/text/ready").json(), json!({ "name": "text", "ready": true }));
    assert_eq!(server.get("/v2/models/none/ready").status, 404);
    let told = server.get("/v2/models/text").json();
    assert_eq!((&told["versions"], &told["inputs"][0]["name"]), (&json!(["live"]), &json!("text")));
    server.post("/v1/models/text/versions", r#"{"name":"one"}"#);
    let request =
        json!({ "inputs": [{ "name": "text", "shape": [1], "datatype": "BYTES", "data": ["cheap"] }] });
    let of = |version: &str| {
        server.ask(
            "POST",
            &format!("/v2/models/text/versions/{version}/infer"),
            &[],
            request.to_string().as_bytes(),
        )
    };
    let before = of("one").json();
    server.post("/v1/models/text/learn", r#"{"label":"ham","text":"cheap cheap"}"#);
    let after = of("one").json();
    assert_eq!((&after["outputs"], &after["parameters"]["after"]), (&before["outputs"], &json!(40)));
    assert_eq!(of("live").json()["parameters"]["after"], 41);
    assert_eq!(of("two").status, 404);
}

#[test]
fn what_is_wrong_is_told() {
    let place = folder();
    let server = server(place.path());
    let tensor = |name: &str, shape: Value, kind: &str, data: Value| json!({ "name": name, "shape": shape, "datatype": kind, "data": data });
    for request in [
        json!({}),
        json!({ "inputs": [] }),
        json!({ "inputs": [tensor("x", json!([2]), "FP64", json!([1]))] }),
        json!({ "inputs": [tensor("x", json!([u64::MAX, 2]), "FP64", json!([1]))] }),
        json!({ "inputs": [tensor("x", json!([1]), "FP16", json!([1]))] }),
        json!({ "inputs": [tensor("x", json!([1]), "FP64", json!(["1"]))] }),
        json!({ "inputs": [tensor("json", json!([1]), "BYTES", json!(["{"]))] }),
        json!({ "inputs": [tensor("x", json!([1]), "FP64", json!([1])), tensor("y", json!([2]), "FP64", json!([1, 2]))] }),
        json!({ "inputs": [tensor("x", json!([1]), "FP64", json!([1]))], "outputs": [{ "name": "nonsense" }] }),
        json!({ "inputs": [tensor("indptr", json!([2]), "INT64", json!([0, 9])), tensor("indices", json!([1]), "INT64", json!([1])),
                           tensor("values", json!([1]), "FP64", json!([1]))] }),
    ] {
        let refused = infer(&server, "columns", &request);
        assert_eq!(refused.status, 400, "{request}: {}", refused.text());
        assert!(refused.json()["error"].is_string());
    }
}
