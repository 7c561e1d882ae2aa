//! Large files that go straight to the disk, past the page cache.
//!
//! What a model file is made of lies in memory already, and the file is on disk before anyone sees it. The page cache would
//! be one more copy on the way, in memory that has to be found for it (benches/README.md has what that costs). While one part is
//! written, the next one is made ready. A small file, or one where the file system cannot do without the cache, is written as
//! every other file.

use std::fs::File;
use std::io::{self, Seek, SeekFrom, Write};
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::mpsc::{self, Receiver, Sender};
use std::thread::JoinHandle;

use crate::atomic::Replacement;
use crate::nap;

/// Addresses, lengths and places in the file must be multiples of this.
const BLOCK: usize = 4096;

/// Bytes that are written together.
const DESK: usize = 1 << 20;

/// A [`Replacement`] whose bytes take the short way. Its front is written last, so that it can say what the rest amounts to.
pub(crate) struct Straight {
    front: Desk,
    desk: Desk,
    hand: Hand,
}

/// Who writes.
enum Hand {
    /// Nobody yet: all there is lies on the desk.
    Idle(Pen),
    /// A thread of its own, for files that do not fit there.
    Away { full: Sender<Desk>, empty: Receiver<Desk>, thread: JoinHandle<io::Result<Pen>> },
    /// Nobody any more.
    Gone,
}

impl Straight {
    /// Starts a replacement of `target`, which need not exist. The first bytes, as many as `front` says, can be written once more
    /// in the end.
    pub(crate) fn create(target: &Path, front: usize) -> io::Result<Self> {
        let pen = Pen { file: Replacement::create(target)?, past: None };
        let front = Desk::new(front.next_multiple_of(BLOCK), 0);
        let desk = Desk::new(DESK, front.size as u64);
        Ok(Straight { front, desk, hand: Hand::Idle(pen) })
    }

    /// Writes the first bytes once more.
    pub(crate) fn rewrite(&mut self, start: &[u8]) {
        self.front.bytes_mut()[..start.len()].copy_from_slice(start);
    }

    /// Puts the file in its place, see [`Replacement::commit`].
    pub(crate) fn commit(mut self) -> io::Result<()> {
        let mut pen = self.recall()?;
        for desk in [&self.desk, &self.front] {
            pen.put(desk)?;
        }
        pen.file.commit()
    }

    /// Gives the desk away to be written, and takes an empty one.
    fn turn(&mut self) -> io::Result<()> {
        self.send_away()?;
        let Hand::Away { full, empty, .. } = &self.hand else { return Err(gone()) };
        let place = self.desk.place + DESK as u64;
        let sent = full.send(std::mem::replace(&mut self.desk, Desk::new(0, place)));
        let Some(next) = sent.ok().and_then(|()| empty.recv().ok()) else { return self.recall().map(drop) };
        self.desk = Desk { filled: 0, place, ..next };
        Ok(())
    }

    /// Has the rest written by a thread of its own, if it is not so already.
    fn send_away(&mut self) -> io::Result<()> {
        match std::mem::replace(&mut self.hand, Hand::Gone) {
            Hand::Idle(mut pen) => {
                pen.past = pen.file.past_cache().ok();
                let ((full, filled), (give, empty)) = (mpsc::channel(), mpsc::channel());
                // It is there as long as we are.
                _ = give.send(Desk::new(DESK, 0));
                let thread = nap::spawn(move || pen.put_all(&filled, &give));
                self.hand = Hand::Away { full, empty, thread };
                Ok(())
            }
            Hand::Gone => Err(gone()),
            away => {
                self.hand = away;
                Ok(())
            }
        }
    }

    /// Waits until everything that was given away is written.
    fn recall(&mut self) -> io::Result<Pen> {
        match std::mem::replace(&mut self.hand, Hand::Gone) {
            Hand::Idle(pen) => Ok(pen),
            Hand::Away { full, thread, .. } => {
                drop(full);
                thread.join().unwrap_or_else(|panic| resume_unwind(panic))
            }
            Hand::Gone => Err(gone()),
        }
    }
}

fn gone() -> io::Error {
    io::Error::other("a part before this one could not be written")
}

impl Write for Straight {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.front.room() > 0 {
            return Ok(self.front.take(bytes));
        }
        if self.desk.room() == 0 {
            self.turn()?;
        }
        Ok(self.desk.take(bytes))
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Drop for Straight {
    fn drop(&mut self) {
        // What is not committed leaves no trace, once nobody writes any more.
        _ = self.recall();
    }
}

/// Bytes on their way into the file, at an address as needed.
struct Desk {
    bytes: Vec<u8>,
    start: usize,
    size: usize,
    filled: usize,
    /// Where they belong.
    place: u64,
}

impl Desk {
    fn new(size: usize, place: u64) -> Self {
        let bytes = vec![0; size + BLOCK];
        // Where it cannot be told, the first block is refused and goes the usual way.
        let start = bytes.as_ptr().align_offset(BLOCK).min(BLOCK);
        Desk { bytes, start, size, filled: 0, place }
    }

    fn room(&self) -> usize {
        self.size - self.filled
    }

    /// Takes as many bytes as there is room for; returns how many.
    fn take(&mut self, bytes: &[u8]) -> usize {
        let count = bytes.len().min(self.room());
        self.bytes[self.start + self.filled..][..count].copy_from_slice(&bytes[..count]);
        self.filled += count;
        count
    }

    fn bytes(&self) -> &[u8] {
        &self.bytes[self.start..][..self.filled]
    }

    fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes[self.start..][..self.filled]
    }
}

/// What writes.
struct Pen {
    file: Replacement,
    /// The same file without the cache; none while it is small, or if it cannot be had.
    past: Option<File>,
}

impl Pen {
    /// Writes one desk after the other, until no more come.
    fn put_all(mut self, full: &Receiver<Desk>, empty: &Sender<Desk>) -> io::Result<Self> {
        for desk in full {
            self.put(&desk)?;
            // Nobody takes it who needs no more of them.
            _ = empty.send(desk);
        }
        Ok(self)
    }

    /// Writes what lies on a desk: whole blocks past the cache, the rest the usual way.
    fn put(&mut self, desk: &Desk) -> io::Result<()> {
        let blocks = desk.filled - desk.filled % BLOCK;
        let (whole, rest) = desk.bytes().split_at(blocks);
        let done = whole.is_empty()
            || self.past.as_mut().is_some_and(|past| write_at(past, desk.place, whole).is_ok());
        if !done {
            // Once more if half of it was written: either way it stands in its place, or the reason is told.
            self.past = None;
            write_at(&mut self.file, desk.place, whole)?;
        }
        write_at(&mut self.file, desk.place + blocks as u64, rest)
    }
}

fn write_at(file: &mut (impl Write + Seek), place: u64, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    file.seek(SeekFrom::Start(place))?;
    file.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    /// Writes these bytes in pieces of a length, the first of them wrong and then right; whether they went past the cache.
    fn written(path: &Path, bytes: &[u8], front: usize, piece: usize, refused: bool) -> bool {
        let front = front.min(bytes.len());
        let mut file = Straight::create(path, front).unwrap();
        if refused {
            // Addresses that no file system takes without its cache.
            file.desk.start ^= 1;
            file.front.start ^= 1;
        }
        file.write_all(&vec![7; front]).unwrap();
        bytes[front..].chunks(piece).for_each(|piece| file.write_all(piece).unwrap());
        file.rewrite(&bytes[..front]);
        let mut pen = file.recall().unwrap();
        let past = pen.past.is_some();
        if refused && past {
            let mut desk = Desk::new(BLOCK, 0);
            desk.start ^= 1;
            desk.take(&bytes[..BLOCK]);
            pen.put(&desk).unwrap();
            assert!(pen.past.is_none(), "such an address is refused");
        }
        file.hand = Hand::Idle(pen);
        file.commit().unwrap();
        past
    }

    #[test]
    fn the_file_is_what_was_written_whichever_way_it_took() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        let bytes: Vec<u8> = (0..3 * DESK + 12_345).map(|i| ((i * 31) >> 3) as u8).collect();
        let lengths = [0, 1, BLOCK - 1, BLOCK, DESK - 1, DESK, DESK + 1, DESK + BLOCK, 2 * DESK, bytes.len()];
        for length in lengths {
            for front in [0, 1, BLOCK, BLOCK + 9, DESK + 77] {
                for (piece, refused) in [(1 << 30, false), (70_001, false), (DESK, false), (70_001, true)] {
                    let past = written(&path, &bytes[..length], front, piece, refused);
                    let found = fs::read(&path).unwrap();
                    assert!(
                        found == bytes[..length],
                        "{length} bytes, {front} of them last, in pieces of {piece}"
                    );
                    assert!(!past || length > DESK, "a small file has nothing to gain");
                }
            }
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "nothing is left beside it");
    }

    #[test]
    fn what_is_not_committed_leaves_no_trace() {
        let folder = tempfile::tempdir().unwrap();
        for length in [5, 5 * DESK] {
            let mut file = Straight::create(&folder.path().join("file"), 100).unwrap();
            file.write_all(&vec![7; length]).unwrap();
            drop(file);
            assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        }
    }

    #[test]
    fn a_file_that_cannot_be_written_is_told_and_nothing_is_left() {
        let folder = tempfile::tempdir().unwrap();
        let mut file = Straight::create(&folder.path().join("file"), 100).unwrap();
        if let Hand::Idle(pen) = &mut file.hand {
            pen.file.refuse();
        }
        let told = file.write_all(&vec![7; 5 * DESK]).and_then(|()| file.commit());
        assert!(told.is_err());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }
}
