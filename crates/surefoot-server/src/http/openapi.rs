//! The document of the interface, made of the list of routes.

use serde_json::{Map, Value, json};

use super::route::{BodyNeeds, ROUTES, Route, object, reference};
use super::tokens::TokenRole;

/// The document, OpenAPI 3.1.
#[must_use]
pub fn document() -> Value {
    let mut paths = Map::new();
    for route in ROUTES {
        let path = paths.entry(route.path).or_insert_with(|| json!({}));
        path[route.method.to_lowercase()] = operation(route);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Surefoot",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Models that predict and learn. What is answered as learned is on disk.",
            "license": { "name": "MIT OR Apache-2.0", "identifier": "MIT OR Apache-2.0" },
        },
        "paths": paths,
        "components": { "schemas": schemas(), "securitySchemes": { "token": { "type": "http", "scheme": "bearer" } } },
    })
}

fn operation(route: &Route) -> Value {
    let open = route.path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let open = open
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }));
    let query = route.query.iter().map(|(name, about)| {
        json!({ "name": name, "in": "query", "description": about, "schema": { "type": "string" } })
    });
    let kind =
        if (route.answer)() == json!({ "type": "string" }) { "text/plain" } else { "application/json" };
    let id = format!("{} {}", route.method.to_lowercase(), route.path.replace(['{', '}'], ""));
    let id: Vec<&str> =
        id.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut operation = json!({
        "operationId": id.join("_"),
        "summary": route.about,
        "parameters": open.chain(query).collect::<Vec<_>>(),
        "responses": {
            "200": { "description": "Done", "content": { kind: { "schema": (route.answer)() } } },
            "default": { "description": "Refused", "content": { "application/json": { "schema": reference("Error") } } },
        },
    });
    if route.role != TokenRole::Open {
        operation["security"] = json!([{ "token": [] }]);
        operation["description"] = format!("Needs the role {}.", route.role.name()).into();
    }
    let row = object();
    let rows = json!({ "oneOf": [row, { "type": "array", "items": row }] });
    let content = match route.needs {
        BodyNeeds::Nothing => return operation,
        BodyNeeds::Rows => {
            json!({ "application/json": { "schema": rows }, "application/x-ndjson": { "schema": { "type": "string" } } })
        }
        BodyNeeds::Json | BodyNeeds::Anything => json!({ "application/json": { "schema": row } }),
        BodyNeeds::Model => json!({
            "application/json": { "schema": row },
            "application/octet-stream": { "schema": { "type": "string", "format": "binary" } },
        }),
    };
    operation["requestBody"] = json!({ "required": true, "content": content });
    operation
}

/// An object with these properties, all of which are there.
fn with(properties: Value) -> Value {
    let names: Vec<String> =
        properties.as_object().map(|map| map.keys().cloned().collect()).unwrap_or_default();
    json!({ "type": "object", "properties": properties, "required": names })
}

fn list(of: Value) -> Value {
    json!({ "type": "array", "items": of })
}

fn schemas() -> Value {
    let (number, whole, text, truth) = (
        json!({ "type": "number" }),
        json!({ "type": "integer" }),
        json!({ "type": "string" }),
        json!({ "type": "boolean" }),
    );
    let or_null = |kind: &str| json!({ "type": [kind, "null"] });
    let mut error = with(json!({ "error": text, "code": text }));
    error["properties"]["row"] = whole.clone();
    error["properties"]["byte"] = whole.clone();
    let learned = with(json!({
        "seq": whole, "label": text, "predicted": or_null("string"), "probability": number, "mistake": truth, "updated": truth,
    }));
    let duplicate = with(json!({ "seq": whole, "duplicate": truth }));
    let mut feedback = with(json!({ "id": text, "seq": whole }));
    for (name, kind) in
        [("duplicate", &truth), ("predicted", &text), ("mistake", &truth), ("delay_seconds", &number)]
    {
        feedback["properties"][name] = kind.clone();
    }
    let mut prediction = with(json!({
        "label": or_null("string"), "probability": or_null("number"), "score": number, "variance": number, "after": whole,
    }));
    for (name, kind) in [("id", &text), ("tracked", &truth), ("vote", &number), ("explanation", &object())] {
        prediction["properties"][name] = kind.clone();
    }
    let numbers = json!({ "type": "object", "additionalProperties": number });
    for name in ["probabilities", "scores", "variances", "votes"] {
        prediction["properties"][name] = numbers.clone();
    }
    let weight = with(json!({ "feature": text, "mean": number, "sd": number, "evidence": number }));
    let uncertain = with(json!({
        "id": text, "millis": whole, "row": object(), "label": or_null("string"), "probabilities": numbers, "variance": number,
        "doubt": { "enum": ["probability", "variance"] }, "doubts": with(json!({ "probability": number, "variance": number })),
        "explanation": or_null("object"),
    }));
    let point = with(
        json!({ "sequence": whole, "error": number, "recent_error": number, "recent_log_loss": number }),
    );
    let bin = with(json!({ "count": whole, "right": whole, "probability_sum": number }));
    let mark = with(json!({ "sequence": whole, "kind": text, "text": text }));
    let change = with(json!({ "seq": whole, "text": text, "signals": list(text.clone()) }));
    json!({
        "Error": error,
        "Prediction": prediction,
        "Predictions": with(json!({ "after": whole, "predictions": list(reference("Prediction")) })),
        "Learned": { "oneOf": [learned, duplicate] },
        "LearnedRows": with(json!({ "learned": list(reference("Learned")) })),
        "Feedback": feedback,
        "FeedbackRows": with(json!({ "feedback": list(reference("Feedback")) })),
        "Weights": with(json!({ "after": whole, "labels": list(with(json!({ "label": text, "weights": list(weight) }))) })),
        "Uncertain": with(json!({ "after": whole, "waiting": whole, "rows": list(uncertain) })),
        "Monitor": with(json!({
            "name": text, "seq": whole, "epoch": whole, "labels": list(text.clone()), "features": whole, "examples": whole,
            "mistakes": whole, "updates": whole, "error": number, "recent_error": number, "log_loss": number,
            "recent_log_loss": number, "calibration_error": number, "curve": list(point), "bins": list(bin),
            "marks": list(mark), "changes": list(change), "queue": with(json!({ "examples": whole, "bytes": whole })),
            "pending": with(json!({ "rows": whole, "bytes": whole })), "log_bytes": whole,
            "snapshot": with(json!({ "seq": whole, "millis": whole, "seconds": number })), "writable": truth,
            "not_writable": or_null("object"),
        })),
    })
}
