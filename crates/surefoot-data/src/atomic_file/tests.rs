use std::os::unix::fs::{PermissionsExt, symlink};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use super::*;

fn put(path: &Path, text: &str) -> io::Result<()> {
    let mut file = AtomicFile::create(path)?;
    file.write_all(text.as_bytes())?;
    file.commit()
}

fn mode(path: &Path) -> u32 {
    fs::metadata(path).unwrap().permissions().mode() & 0o777
}

fn set_mode(path: &Path, mode: u32) {
    fs::set_permissions(path, fs::Permissions::from_mode(mode)).unwrap();
}

fn files_in(folder: &Path) -> usize {
    fs::read_dir(folder).unwrap().count()
}

#[test]
fn a_link_stays_and_its_file_is_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [file, link, chain] = ["there/file", "link", "chain"].map(|name| folder.path().join(name));
    fs::create_dir(folder.path().join("there")).unwrap();
    symlink("there/file", &link).unwrap();
    symlink(&link, &chain).unwrap();
    // At first the links lead to a file that does not exist.
    for (path, text) in [(&link, "one"), (&chain, "two")] {
        put(path, text).unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert!(link.is_symlink() && chain.is_symlink());
    }
    let circle = folder.path().join("circle");
    symlink("circle", &circle).unwrap();
    assert!(put(&circle, "").is_err() && circle.is_symlink());
}

#[test]
fn permissions_stay_and_new_files_have_the_usual_ones() {
    let folder = tempfile::tempdir().unwrap();
    let [path, new, usual] = ["file", "new", "usual"].map(|name| folder.path().join(name));
    for kept in [0o600, 0o640, 0o666] {
        fs::write(&path, "old").unwrap();
        set_mode(&path, kept);
        put(&path, "new").unwrap();
        assert_eq!(mode(&path), kept);
    }
    put(&new, "").unwrap();
    fs::write(&usual, "").unwrap();
    assert_eq!(mode(&new), mode(&usual), "what the umask leaves of 0666");
    set_mode(&path, 0o444);
    assert!(put(&path, "newer").unwrap_err().to_string().contains("write-protected"));
    assert_eq!(fs::read_to_string(&path).unwrap(), "new");
}

/// A file that is to replace a private one must not be open to others for the moment in which it is created.
#[test]
fn a_private_file_is_private_from_the_start() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    create_new(&path, true).unwrap();
    assert_eq!(mode(&path) & 0o077, 0);
}

#[test]
fn only_files_are_replaced() {
    let folder = tempfile::tempdir().unwrap();
    let [pipe, socket] = ["pipe", "socket"].map(|name| folder.path().join(name));
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    let _listener = std::os::unix::net::UnixListener::bind(&socket).unwrap();
    for (path, said) in [
        (&pipe, "a named pipe"),
        (&socket, "a socket"),
        (&folder.path().into(), "a directory"),
        (&"/dev/null".into(), "a device"),
    ] {
        let refused = put(path, "").unwrap_err().to_string();
        assert!(refused.contains(said), "{refused}");
        assert!(check_replaceable(path).is_err());
    }
    assert!(!fs::metadata(&pipe).unwrap().is_file() && !fs::metadata(&socket).unwrap().is_file());
    check_replaceable(&folder.path().join("new")).unwrap();
    assert_eq!(files_in(folder.path()), 2, "nothing is left beside them");
}

#[test]
fn what_is_not_committed_leaves_no_trace() {
    let folder = tempfile::tempdir().unwrap();
    for length in [5, 5 * BUFFER] {
        let mut file = AtomicFile::create(&folder.path().join("file")).unwrap();
        file.write_all(&vec![7; length]).unwrap();
        assert_eq!(files_in(folder.path()), 1);
        drop(file);
        assert_eq!(files_in(folder.path()), 0);
    }
}

/// With a file that cannot be written in place of its temporary one.
fn unwritable(path: &Path) -> AtomicFile {
    let AtomicFile { out, target } = AtomicFile::create(path).unwrap();
    let temporary = out.into_inner().unwrap().into_temp_path();
    let file = File::open(&temporary).unwrap();
    AtomicFile { out: BufWriter::new(NamedTempFile::from_parts(file, temporary)), target }
}

#[test]
fn a_failure_is_reported_and_nothing_is_left() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    for length in [5, 5 * BUFFER] {
        let mut file = unwritable(&path);
        let written = file.write_all(&vec![7; length]);
        assert!(written.and_then(|()| file.commit()).is_err());
        assert_eq!(files_in(folder.path()), 0);
    }
    let file = AtomicFile::create(&path).unwrap();
    fs::create_dir(&path).unwrap();
    assert!(file.commit().is_err(), "a directory came in between");
    assert_eq!(files_in(folder.path()), 1);
    let refused = put(&folder.path().join("missing/file"), "").unwrap_err();
    assert_eq!(refused.to_string(), io::Error::from_raw_os_error(2).to_string(), "no temporary name in it");
}

#[test]
fn threads_that_write_one_path_publish_whole_files() {
    const WRITERS: u8 = 4;
    const LENGTH: usize = 3 * BUFFER + 1234;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("file");
    // Each writer's files have a length of their own, so that a mixture cannot look whole.
    let content = |writer: u8| vec![writer; LENGTH + usize::from(writer)];
    fs::write(&path, content(0)).unwrap();
    let done = AtomicBool::new(false);
    let seen = thread::scope(|scope| {
        let reader = scope.spawn(|| {
            let mut seen = 0;
            while !done.load(Ordering::Relaxed) || seen == 0 {
                let found = fs::read(&path).unwrap();
                assert!(found == content(found[0]), "a mixture of {} bytes", found.len());
                seen += 1;
            }
            seen
        });
        let write = |writer| {
            for _ in 0..25 {
                let mut file = AtomicFile::create(&path).unwrap();
                content(writer).chunks(10_000).for_each(|piece| file.write_all(piece).unwrap());
                file.commit().unwrap();
            }
        };
        let writers: Vec<_> = (0..WRITERS).map(|writer| scope.spawn(move || write(writer))).collect();
        let written = writers.into_iter().map(thread::ScopedJoinHandle::join).collect::<Vec<_>>();
        done.store(true, Ordering::Relaxed);
        assert!(written.iter().all(Result::is_ok));
        reader.join().unwrap()
    });
    assert!(seen > 0);
    let found = fs::read(&path).unwrap();
    assert!(found == content(found[0]));
    assert_eq!(files_in(folder.path()), 1, "nothing is left beside it");
}
