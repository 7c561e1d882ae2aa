//! The journal, for export, audit and followers.

use std::fs;

use surefoot::data::JournalLine;

use super::{BodyNeeds, Handled, Route, TokenRole};
use crate::http::call::Call;
use crate::http::reply::{ApiError, Reply};
use crate::{Error, Served};

pub(crate) static ROUTE: Route = Route {
    method: "GET",
    path: "/v1/models/{model}/log",
    role: TokenRole::Admin,
    needs: BodyNeeds::Nothing,
    about: "Lines of the journal of the epoch, which `train --format journal` reads; the header Surefoot-Next says where to go on",
    query: &[
        ("from", "the number of the first record (that of the epoch)"),
        ("limit", "at most so many (10,000)"),
    ],
    answer: || serde_json::json!({ "type": "string" }),
    handle: |call| -> Handled { Box::pin(journal(call)) },
};

/// Bytes of one answer, nearly.
const MOST_BYTES: usize = 16 << 20;

async fn journal(call: Call) -> Result<Reply, ApiError> {
    let entry = call.model()?;
    let (from, limit) = (call.number("from", 0)?, call.number("limit", 10_000)?);
    let served = entry.served.clone();
    let lines = tokio::task::spawn_blocking(move || lines(&served, from, limit)).await;
    let (text, next, epoch) = lines.map_err(|error| ApiError::internal(&error))??;
    let reply = Reply::new("text/plain; charset=utf-8", text).header("surefoot-next", next);
    Ok(reply.header("surefoot-epoch", epoch))
}

/// Lines from a record on, the number behind the last one, and the epoch. Only what was learned is told.
fn lines(served: &Served, from: u64, limit: u64) -> Result<(Vec<u8>, u64, u32), Error> {
    let epoch = served.folder().current()?;
    let last = served.state().sequence;
    let (mut out, mut next) = (Vec::new(), from.max(epoch.start() + 1));
    let end = last.min(next.saturating_add(limit).saturating_sub(1));
    let segments = epoch.segments()?;
    for (at, (_, path)) in segments.iter().enumerate() {
        let behind = segments.get(at + 1).map_or(u64::MAX, |(first, _)| *first);
        if behind <= next || next > end {
            continue;
        }
        let bytes = fs::read(path).map_err(Error::io(path))?;
        for line in bytes.split_inclusive(|&byte| byte == b'\n') {
            let Ok(record) = JournalLine::parse(line.strip_suffix(b"\n").unwrap_or(line)) else { break };
            if record.sequence < next {
                continue;
            }
            if record.sequence > end || out.len() > MOST_BYTES {
                return Ok((out, next, epoch.number()));
            }
            out.extend_from_slice(line);
            next = record.sequence + 1;
        }
    }
    Ok((out, next, epoch.number()))
}
