//! What every parser must survive: any bytes, any chunk size, both ways of treating bad lines.

use std::sync::Arc;

use surefoot_data::{
    Batch, Columns, Error, Format, FormatOptions, OnBadLine, Plan, ReadOptions, Reader, Recipe, Source,
    each_record,
};

/// Reads `bytes` in a format, or in whatever format they look like; then writes what was read and reads that again.
pub fn read(format: Option<&str>, bytes: &[u8]) {
    let format = format.map(|name| Format::by_name(name).expect("a format of the list"));
    let columns = FormatOptions { unlabelled: true, ..FormatOptions::default() };
    let options = |on_bad_line, chunk_size| ReadOptions {
        format,
        columns: columns.clone(),
        on_bad_line,
        chunk_size,
        max_line: 1 << 16,
        ..ReadOptions::default()
    };
    let strict = count(bytes, options(OnBadLine::Fail, 1 << 18));
    let pieces = count(bytes, options(OnBadLine::Fail, 7));
    let lenient = count(bytes, options(OnBadLine::Skip, 1 << 18));
    // How much a decompressor gives before it notices the damage depends on how much it is asked for.
    if let (Some(strict), Some(pieces), Some(lenient)) = (strict, pieces, lenient) {
        assert_eq!(strict, pieces, "the size of chunks must not matter");
        assert!(lenient >= strict, "skipping bad lines loses no good ones");
    }
    if let Some(format) = format {
        rewrite(format, bytes, options(OnBadLine::Skip, 1 << 18));
    }
}

/// How many examples come before the end or the first bad line; none if the file as a whole cannot be read.
fn count(bytes: &[u8], options: ReadOptions) -> Option<usize> {
    let plan = Arc::new(Plan::new(Recipe::default()).expect("the default recipe"));
    let mut reader = Reader::open(vec![Source::memory("fuzz", bytes)], options, plan).ok()?;
    let mut batch = Batch::new();
    let mut examples = 0;
    loop {
        match reader.next_batch(&mut batch) {
            Ok(true) => examples += batch.len(),
            Ok(false) | Err(Error::Line { .. }) => return Some(examples),
            Err(_) => return None,
        }
    }
}

/// What can be written must be readable, record for record.
fn rewrite(format: &'static Format, bytes: &[u8], options: ReadOptions) {
    let mut records = Vec::new();
    // Of a file that ends in damage, what comes before it.
    let _ = each_record(&[Source::memory("fuzz", bytes)], &options, &mut |record| {
        records.push(record.clone());
        Ok(())
    });
    let mut columns = Columns::default();
    records.retain(|record| format.gather(record, &mut columns).is_ok());
    let Ok(mut writer) = format.writer(&options.columns, &columns) else { return };
    let mut out = Vec::new();
    writer.header(&mut out);
    let mut written = 0;
    for record in &records {
        let start = out.len();
        match writer.record(record, &mut out) {
            Ok(()) => written += 1,
            Err(_) => out.truncate(start),
        }
    }
    if writer.finish(&mut out).is_err() {
        return;
    }
    let strict = ReadOptions { on_bad_line: OnBadLine::Fail, max_line: 1 << 24, ..options };
    if written > 0 {
        let again = each_record(&[Source::memory("fuzz", out)], &strict, &mut |_| Ok(()));
        assert!(again.expect("what was written can be read").examples >= written);
    }
}
