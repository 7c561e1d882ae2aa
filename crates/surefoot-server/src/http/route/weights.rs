//! The weights that decide.

use serde_json::{Value, json};
use surefoot::NamedWeight;

use super::{BodyNeeds, Handled, Route, TokenRole, reference};
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/v1/models/{model}/weights",
    role: TokenRole::Predict,
    needs: BodyNeeds::Nothing,
    about: "The most decisive weights of each label, with their standard deviations",
    query: &[("top", "how many of each label (20)"), ("label", "of this label only")],
    answer: || reference("Weights"),
    handle: |call| -> Handled { Box::pin(weights(call)) },
};

async fn weights(call: Call) -> Result<Reply, ApiError> {
    let (entry, top) = (call.model()?, call.number("top", 20)?.min(10_000) as usize);
    let label = call.value("label").map(ToString::to_string);
    let looked = entry.served.look(move |state| {
        let one = |named: &NamedWeight<'_>| {
            let (mean, sd) = (named.weight.mean, named.weight.variance.max(0.0).sqrt());
            json!({ "feature": named.feature.to_string(), "mean": mean, "sd": sd, "evidence": named.evidence })
        };
        let decisive = state.model.decisive(top).into_iter();
        let asked = decisive.filter(|(name, _)| label.as_ref().is_none_or(|label| *label == name.to_string()));
        let labels: Vec<Value> = asked
            .map(|(label, weights)| json!({ "label": label.to_string(), "weights": weights.iter().map(one).collect::<Value>() }))
            .collect();
        json!({ "after": state.sequence, "labels": labels })
    })?;
    Reply::json(&looked.await.map_err(|_| crate::Refusal::Stopping)?)
}
