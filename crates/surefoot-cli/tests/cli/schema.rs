//! JSON against a JSON schema: as much of the standard as our schemas use.

use serde_json::Value;

/// Fails unless the value is as the schema says.
pub fn check(schema: &Value, value: &Value) {
    let mut problems = Vec::new();
    walk(schema, value, "", &mut problems);
    assert!(problems.is_empty(), "{}\nin {value}", problems.join("\n"));
}

/// The schema of this name in the reference.
pub fn load(name: &str) -> Value {
    let path = crate::run::root().join("docs/reference/schema").join(name);
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("a schema is JSON")
}

fn walk(schema: &Value, value: &Value, place: &str, problems: &mut Vec<String>) {
    if !type_fits(&schema["type"], value) {
        problems.push(format!("{place}: expected {}, found {value}", schema["type"]));
    }
    if let Some(words) = schema["enum"].as_array()
        && !words.contains(value)
    {
        problems.push(format!("{place}: {value} is not among {words:?}"));
    }
    if let (Some(least), Some(number)) = (schema["minimum"].as_f64(), value.as_f64())
        && number < least
    {
        problems.push(format!("{place}: {number} is below {least}"));
    }
    if let (Some(most), Some(number)) = (schema["maximum"].as_f64(), value.as_f64())
        && number > most
    {
        problems.push(format!("{place}: {number} is above {most}"));
    }
    for name in schema["required"].as_array().into_iter().flatten().filter_map(Value::as_str) {
        if value.get(name).is_none() {
            problems.push(format!("{place}: `{name}` is missing"));
        }
    }
    for (name, inner) in value.as_object().into_iter().flatten() {
        let place = format!("{place}/{name}");
        match (schema["properties"].get(name), schema.get("additionalProperties")) {
            (Some(schema), _) => walk(schema, inner, &place, problems),
            (None, Some(Value::Bool(false))) => problems.push(format!("{place}: not in the schema")),
            (None, Some(schema)) => walk(schema, inner, &place, problems),
            (None, None) => {}
        }
    }
    for (at, inner) in value.as_array().into_iter().flatten().enumerate() {
        if let Some(items) = schema.get("items") {
            walk(items, inner, &format!("{place}/{at}"), problems);
        }
    }
}

fn type_fits(kind: &Value, value: &Value) -> bool {
    let is = |name: &str| match name {
        "object" => value.is_object(),
        "array" => value.is_array(),
        "string" => value.is_string(),
        "boolean" => value.is_boolean(),
        "null" => value.is_null(),
        "integer" => value.is_u64() || value.is_i64(),
        _ => value.is_number(),
    };
    match kind {
        Value::String(name) => is(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).any(is),
        _ => true,
    }
}

#[test]
fn a_schema_refuses_what_it_should() {
    let schema = serde_json::json!({
        "type": "object", "required": ["a"], "additionalProperties": false,
        "properties": { "a": { "type": "array", "items": { "type": "integer", "minimum": 0 } } },
    });
    check(&schema, &serde_json::json!({ "a": [1, 2] }));
    for bad in
        [serde_json::json!({}), serde_json::json!({ "a": [-1] }), serde_json::json!({ "a": [], "b": 1 })]
    {
        let mut problems = Vec::new();
        walk(&schema, &bad, "", &mut problems);
        assert_eq!(problems.len(), 1, "{bad}");
    }
}
