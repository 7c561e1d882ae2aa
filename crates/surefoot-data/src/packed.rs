//! Output that is compressed if its name says so.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::write::GzEncoder;

/// How an output is packed, by the end of its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Packing {
    /// Not at all.
    None,
    /// `.gz`.
    Gzip,
    /// `.zst`.
    Zstd,
}

impl Packing {
    /// What a name asks for, and the name without that.
    ///
    /// ```
    /// use surefoot_data::Packing;
    /// use std::path::Path;
    /// assert_eq!(Packing::of(Path::new("d/news.svm.gz")), (Packing::Gzip, "d/news.svm".into()));
    /// assert_eq!(Packing::of(Path::new("news.svm")), (Packing::None, "news.svm".into()));
    /// ```
    #[must_use]
    pub fn of(path: &Path) -> (Self, PathBuf) {
        let packing = match path.extension().and_then(|end| end.to_str()) {
            Some("gz") => Self::Gzip,
            Some("zst") => Self::Zstd,
            _ => return (Self::None, path.into()),
        };
        (packing, path.with_extension(""))
    }
}

/// Bytes on their way to an output, packed as its name says. [`PackedWriter::finish`] writes the end; without it, an output that
/// got no bytes was not touched.
pub struct PackedWriter<W: Write> {
    packing: Packing,
    /// The output, until the first bytes come: packers write something when they are dropped.
    out: Option<W>,
    packer: Option<Packer<W>>,
}

enum Packer<W: Write> {
    Plain(W),
    Gzip(GzEncoder<W>),
    Zstd(zstd::Encoder<'static, W>),
}

impl<W: Write> PackedWriter<W> {
    /// Packs what goes to `out`.
    pub fn new(packing: Packing, out: W) -> Self {
        PackedWriter { packing, out: Some(out), packer: None }
    }

    fn packer(&mut self) -> io::Result<&mut Packer<W>> {
        if let Some(out) = self.out.take() {
            self.packer = Some(match self.packing {
                Packing::None => Packer::Plain(out),
                Packing::Gzip => Packer::Gzip(GzEncoder::new(out, Compression::default())),
                Packing::Zstd => Packer::Zstd(zstd::Encoder::new(out, zstd::DEFAULT_COMPRESSION_LEVEL)?),
            });
        }
        self.packer.as_mut().ok_or_else(|| io::Error::other("the output is closed"))
    }

    /// Writes what is left.
    pub fn finish(mut self) -> io::Result<()> {
        self.packer()?;
        match self.packer {
            Some(Packer::Plain(mut out)) => out.flush(),
            Some(Packer::Gzip(encoder)) => encoder.finish()?.flush(),
            Some(Packer::Zstd(encoder)) => encoder.finish()?.flush(),
            None => Ok(()),
        }
    }
}

impl<W: Write> Write for PackedWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self.packer()? {
            Packer::Plain(out) => out.write(bytes),
            Packer::Gzip(encoder) => encoder.write(bytes),
            Packer::Zstd(encoder) => encoder.write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match (&mut self.packer, &mut self.out) {
            (Some(Packer::Plain(out)), _) => out.flush(),
            // An output that is to be empty is there all the same.
            (None, Some(out)) if self.packing == Packing::None => out.flush(),
            // Packed bytes are passed on when a block of them is full.
            _ => Ok(()),
        }
    }
}
