//! Where bytes come from: files, standard input, memory; compressed or not.

use std::fs::{self, File};
use std::io::{self, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::error::{Error, Result};

/// What a Parquet file starts and ends with.
const PARQUET: &[u8] = b"PAR1";
/// What stands behind it: the header of the first page or of the file, whose first field is a number.
const PARQUET_HEADER: u8 = 0x15;

/// First bytes that say how a file is packed.
const MAGIC: usize = 6;

/// One input, named but not yet open.
#[derive(Debug, Clone)]
pub enum Source {
    /// A file, compressed with gzip or zstd or not at all.
    Path(PathBuf),
    /// Standard input; read once, from the front.
    Stdin,
    /// Bytes in memory, with a name for messages.
    Memory(Arc<str>, Arc<[u8]>),
}

impl Source {
    /// The source a user means on the command line: `-` is standard input, everything else a path.
    pub fn from_argument(argument: impl Into<PathBuf>) -> Self {
        let path = argument.into();
        if path.as_os_str() == "-" { Source::Stdin } else { Source::Path(path) }
    }

    /// Bytes in memory under a name.
    pub fn memory(name: &str, bytes: impl Into<Arc<[u8]>>) -> Self {
        Source::Memory(name.into(), bytes.into())
    }

    /// The name that messages use.
    pub fn name(&self) -> Arc<str> {
        match self {
            Source::Path(path) => path.to_string_lossy().into(),
            Source::Stdin => "<stdin>".into(),
            Source::Memory(name, _) => name.clone(),
        }
    }

    /// Checks, before any work is done, that the source can be opened; gives its size in bytes if it has one.
    pub fn check(&self) -> Result<Option<u64>> {
        match self {
            Source::Stdin => Ok(None),
            Source::Memory(_, bytes) => Ok(Some(bytes.len() as u64)),
            Source::Path(path) => {
                let metadata = fs::metadata(path).map_err(|error| self.refused(error))?;
                if metadata.is_dir() {
                    let hint = "name the files in it, for example with *";
                    return Err(Error::file(&self.name(), "is a directory, not a file").hint(hint));
                }
                Ok(metadata.is_file().then_some(metadata.len()))
            }
        }
    }

    /// Whether reading it may take as long as its writer likes: it is not a file, but a pipe or a terminal.
    pub(crate) fn may_wait(&self) -> bool {
        match self {
            Source::Stdin => true,
            Source::Memory(..) => false,
            Source::Path(path) => fs::metadata(path).is_ok_and(|metadata| !metadata.is_file()),
        }
    }

    /// Whether its bytes can be read a second time as easily as the first: in memory or in a file, and not compressed.
    pub(crate) fn is_plain_file(&self) -> bool {
        let mut magic = [0; MAGIC];
        let read =
            !self.may_wait() && self.raw().is_ok_and(|(mut raw, _)| fill(&mut raw, &mut magic).is_ok());
        read && Compression::of(&magic) == Compression::None && !magic.starts_with(PARQUET)
    }

    /// The bytes as they are, and whether they may arrive slowly.
    fn raw(&self) -> Result<(Box<dyn Read + Send>, bool)> {
        Ok(match self {
            Source::Stdin => (Box::new(io::stdin()), true),
            Source::Memory(_, bytes) => (Box::new(Cursor::new(bytes.clone())), false),
            Source::Path(path) => {
                let file = File::open(path).map_err(|error| self.refused(error))?;
                let live = file.metadata().is_ok_and(|metadata| !metadata.is_file());
                (Box::new(file), live)
            }
        })
    }

    /// Opens the source and looks at its first bytes to undo compression. `bytes_read` counts what is taken from
    /// the file itself, before decompression.
    pub(crate) fn open(&self, bytes_read: Arc<AtomicU64>) -> Result<Input> {
        let name = self.name();
        let (raw, mut live) = self.raw()?;
        let mut counted = Counted { inner: raw, count: bytes_read.clone() };
        let mut magic = [0; MAGIC];
        let got = fill(&mut counted, &mut magic).map_err(|error| io_error(&name, error))?;
        if magic.starts_with(PARQUET) && (magic[4] == PARQUET_HEADER || self.ends_with(PARQUET)) {
            bytes_read.fetch_add(self.check()?.unwrap_or(got as u64) - got as u64, Ordering::Relaxed);
            return Ok(Input { reader: self.parquet()?, name, live: false });
        }
        let head = Cursor::new(magic).take(got as u64);
        let compression = Compression::of(&magic[..got]);
        live &= compression == Compression::None;
        let reader = compression.undo(head.chain(counted), &name)?;
        Ok(Input { name, reader, live })
    }

    /// Whether the last bytes are these: a text may begin with a label PAR1.
    fn ends_with(&self, mark: &[u8]) -> bool {
        match self {
            Source::Stdin => false,
            Source::Memory(_, bytes) => bytes.ends_with(mark),
            Source::Path(path) => {
                let mut last = vec![0; mark.len()];
                let read = File::open(path).and_then(|mut file| {
                    file.seek(SeekFrom::End(-(mark.len() as i64)))?;
                    file.read_exact(&mut last)
                });
                read.is_ok() && last == mark
            }
        }
    }

    /// The rows of a Parquet file as lines.
    #[cfg(feature = "parquet")]
    fn parquet(&self) -> Result<Box<dyn Read + Send>> {
        use crate::format::ParquetLines;
        let lines = match self {
            Source::Path(path) => ParquetLines::of_file(path),
            Source::Memory(_, bytes) => ParquetLines::of_memory(bytes),
            Source::Stdin => {
                let problem = "a Parquet file is read from its end, which standard input does not allow";
                return Err(Error::file(&self.name(), problem).hint("name the file"));
            }
        };
        Ok(Box::new(lines.map_err(|error| io_error(&self.name(), error))?))
    }

    #[cfg(not(feature = "parquet"))]
    fn parquet(&self) -> Result<Box<dyn Read + Send>> {
        let problem = "is a Parquet file, which this build does not read";
        Err(Error::file(&self.name(), problem)
            .hint("build with the feature parquet, or convert it to csv or jsonl"))
    }

    fn refused(&self, error: io::Error) -> Error {
        match error.kind() {
            io::ErrorKind::NotFound => Error::file(&self.name(), "no such file"),
            io::ErrorKind::PermissionDenied => Error::file(&self.name(), "permission denied"),
            _ => io_error(&self.name(), error),
        }
    }
}

/// An open source: plain bytes from front to back.
pub(crate) struct Input {
    pub(crate) name: Arc<str>,
    reader: Box<dyn Read + Send>,
    /// Whether bytes may arrive slowly (a pipe, a terminal): then what is there is used before more is waited for.
    pub(crate) live: bool,
}

impl Input {
    /// Puts up to `most` bytes into `buffer` from `start` on, over what is there, and makes it longer if it must; returns how
    /// many, none at the end. A live input gives what one read gives.
    pub(crate) fn read_at(&mut self, start: usize, buffer: &mut Vec<u8>, most: usize) -> Result<usize> {
        buffer.resize(buffer.len().max(start + most), 0);
        let room = &mut buffer[start..start + most];
        let got = if self.live { read_once(&mut self.reader, room) } else { fill(&mut self.reader, room) };
        got.map_err(|error| io_error(&self.name, error))
    }
}

/// Reads until `buffer` is full or the input ends.
fn fill(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    let mut got = 0;
    while got < buffer.len() {
        match read_once(reader, &mut buffer[got..])? {
            0 => break,
            more => got += more,
        }
    }
    Ok(got)
}

fn read_once(reader: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match reader.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            outcome => return outcome,
        }
    }
}

fn io_error(name: &Arc<str>, error: io::Error) -> Error {
    match error.kind() {
        // Only decompressors report this: the file stops in the middle of compressed data.
        io::ErrorKind::UnexpectedEof => {
            Error::file(name, "compressed data ends too early; the file is cut off")
                .hint("copy or download it again")
        }
        _ => Error::Io { file: name.clone(), source: error },
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Compression {
    None,
    Gzip,
    Zstd,
    /// Known, but not undone here: the name of the tool that undoes it.
    Foreign(&'static str),
}

impl Compression {
    fn of(magic: &[u8]) -> Self {
        match magic {
            [0x1f, 0x8b, ..] => Compression::Gzip,
            [0x28, 0xb5, 0x2f, 0xfd, ..] => Compression::Zstd,
            [b'B', b'Z', b'h', b'1'..=b'9', 0x31, 0x41] => Compression::Foreign("bzip2"),
            [0xfd, b'7', b'z', b'X', b'Z', 0] => Compression::Foreign("xz"),
            [b'P', b'K', 3, 4, ..] => Compression::Foreign("unzip"),
            _ => Compression::None,
        }
    }

    fn undo(self, raw: impl Read + Send + 'static, name: &Arc<str>) -> Result<Box<dyn Read + Send>> {
        Ok(match self {
            Compression::None => Box::new(raw),
            Compression::Gzip => Box::new(flate2::read::MultiGzDecoder::new(raw)),
            Compression::Zstd => Box::new(zstd::Decoder::new(raw).map_err(|error| io_error(name, error))?),
            Compression::Foreign(tool) => {
                let problem = format!("compressed in a way that is not read here ({tool})");
                return Err(Error::file(name, problem)
                    .hint("decompress it first; gzip and zstd are read as they are"));
            }
        })
    }
}

/// Counts the bytes that pass, for progress.
struct Counted<R> {
    inner: R,
    count: Arc<AtomicU64>,
}

impl<R: Read> Read for Counted<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let got = self.inner.read(buffer)?;
        self.count.fetch_add(got as u64, Ordering::Relaxed);
        Ok(got)
    }
}
