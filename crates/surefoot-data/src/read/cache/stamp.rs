//! What a cache was made from: it is used again only if all of this is the same.

use std::fs;
use std::time::UNIX_EPOCH;

use crate::error::{Error, Result};
use crate::read::ReadOptions;
use crate::read::parse::look;
use crate::recipe::Plan;
use crate::source::Source;

/// Describes sources and settings in one line of text. None if a source cannot be known again, as standard input.
///
/// Threads and chunk sizes are left out: examples do not depend on them.
pub fn stamp(sources: &[Source], options: &ReadOptions, plan: &Plan) -> Result<Option<String>> {
    let mut files = Vec::new();
    for source in sources {
        let Source::Path(path) = source else { return Ok(None) };
        let metadata = fs::metadata(path).map_err(|error| Error::io(path, error))?;
        if !metadata.is_file() {
            return Ok(None);
        }
        let modified = metadata.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
        let Some(modified) = modified else { return Ok(None) };
        files.push((source.name(), metadata.len(), modified.as_nanos()));
    }
    let format = options.format.map(|format| format.name);
    let reading = (format, &options.columns, options.on_bad_line);
    let version = env!("CARGO_PKG_VERSION");
    // What the first rows tell of the columns is no setting, but shapes the examples as well.
    let found = if options.columns.look { look(sources, options)?.layout() } else { None };
    Ok(Some(format!("surefoot {version}; {files:?}; {reading:?}; {found:?}; {}", plan.recipe().to_json())))
}
