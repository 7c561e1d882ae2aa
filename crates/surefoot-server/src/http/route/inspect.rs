//! What a model is.

use serde_json::{Value, json};
use surefoot::Description;
use xxhash_rust::xxh3::xxh3_128;

use super::{BodyNeeds, Handled, Route, TokenRole, object};
use crate::folder::names;
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};
use crate::http::route::list::brief;

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/v1/models/{model}",
    role: TokenRole::Predict,
    needs: BodyNeeds::Nothing,
    about: "What a model is: what `inspect --json` prints, and its number, epoch, versions and whether it learns",
    query: &[
        ("top", "weights of each label (10)"),
        ("checksum", "add the checksum of its file, which takes as long as a snapshot"),
    ],
    answer: object,
    handle: |call| -> Handled { Box::pin(inspect(call)) },
};

async fn inspect(call: Call) -> Result<Reply, ApiError> {
    let (entry, top, sum) = (call.model()?, call.number("top", 10)? as usize, call.flag("checksum"));
    let looked = entry.served.look(move |state| -> Result<(Value, Option<String>), ApiError> {
        let description = Description::new(&state.model, Some(top))?;
        let sum = sum
            .then(|| state.model.to_bytes().map(|bytes| format!("{:032x}", xxh3_128(&bytes))))
            .transpose()?;
        Ok((serde_json::to_value(description).map_err(|error| ApiError::internal(&error))?, sum))
    })?;
    let (mut told, sum) = looked.await.map_err(|_| crate::Refusal::Stopping)??;
    let files = names(&entry.served.folder().versions())?;
    let versions: Vec<&str> = files.iter().filter_map(|name| name.strip_suffix(".model")).collect();
    let more = [brief(&entry), json!({ "versions": versions, "checksum": sum })];
    if let Value::Object(told) = &mut told {
        more.into_iter().filter_map(|more| more.as_object().cloned()).for_each(|more| told.extend(more));
    }
    Reply::json(&told)
}
