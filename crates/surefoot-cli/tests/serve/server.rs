//! A server under test, and a client that sends what it is told, byte for byte.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use serde_json::Value;

pub const PROGRAM: &str = env!("CARGO_BIN_EXE_surefoot");

/// A folder in memory, where there is one: what is killed here is a process, not the machine.
pub fn folder() -> tempfile::TempDir {
    let memory = Path::new("/dev/shm");
    let made = if memory.is_dir() { tempfile::tempdir_in(memory) } else { tempfile::tempdir() };
    made.expect("a folder")
}

pub struct Server {
    child: Child,
    pub address: String,
}

impl Server {
    /// Starts a server in a folder.
    pub fn start(folder: &Path, flags: &[&str]) -> Self {
        Self::start_with(folder, flags, &[])
    }

    pub fn start_with(folder: &Path, flags: &[&str], variables: &[(&str, &Path)]) -> Self {
        let mut command = Command::new(PROGRAM);
        command.arg("serve").arg(folder).args(["--listen", "127.0.0.1:0", "--log-format", "off"]).args(flags);
        command.envs(variables.iter().copied());
        std::fs::create_dir_all(folder).expect("a folder");
        let errors = std::fs::File::options().create(true).append(true).open(folder.join("errors"));
        command.stdout(Stdio::piped()).stderr(errors.expect("a file"));
        let mut child = command.spawn().expect("started");
        let mut line = String::new();
        let out = child.stdout.take().expect("piped");
        BufReader::new(out).read_line(&mut line).expect("a line");
        let address = line.trim().split_once("://").map(|(_, address)| address.to_string());
        let errors = || std::fs::read_to_string(folder.join("errors")).unwrap_or_default();
        Self { child, address: address.unwrap_or_else(|| panic!("no server: {line}{}", errors())) }
    }

    /// Ends it as a power cut ends a process.
    pub fn kill(mut self) {
        self.child.kill().expect("killed");
        self.child.wait().expect("gone");
    }

    /// Ends it as systemd does; whether it ended well.
    pub fn stop(mut self) -> bool {
        let pid = self.child.id().to_string();
        Command::new("kill").args(["-TERM", &pid]).status().expect("a signal");
        self.child.wait().expect("gone").success()
    }

    pub fn signal(&self, name: &str) {
        Command::new("kill").args([name, &self.child.id().to_string()]).status().expect("a signal");
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], b"")
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.ask("POST", path, &[("content-type", "application/json")], body.as_bytes())
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Answer {
        Client::connect(&self.address)
            .expect("connected")
            .ask(method, path, headers, body)
            .expect("an answer")
    }

    /// Sends bytes as they are and reads all that comes back.
    pub fn raw(&self, bytes: &[u8]) -> String {
        let mut stream = TcpStream::connect(&self.address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(60))).expect("set");
        // It may be cut off in the middle.
        let _ = stream.write_all(bytes);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut out = Vec::new();
        let _ = stream.read_to_end(&mut out);
        String::from_utf8_lossy(&out).into_owned()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// An answer.
#[derive(Debug)]
pub struct Answer {
    pub status: u16,
    pub headers: String,
    pub body: Vec<u8>,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }

    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }
}

/// A connection that is kept.
pub struct Client {
    stream: BufReader<TcpStream>,
    host: String,
}

impl Client {
    pub fn connect(address: &str) -> std::io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(Duration::from_secs(60)))?;
        Ok(Self { stream: BufReader::new(stream), host: address.into() })
    }

    pub fn ask(
        &mut self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> std::io::Result<Answer> {
        let mut head = format!("{method} {path} HTTP/1.1\r\n");
        if !headers.iter().any(|(name, _)| *name == "host") {
            head += &format!("host: {}\r\n", self.host);
        }
        headers.iter().for_each(|(name, value)| head += &format!("{name}: {value}\r\n"));
        head += &format!("content-length: {}\r\n\r\n", body.len());
        let mut request = head.into_bytes();
        request.extend_from_slice(body);
        self.stream.get_mut().write_all(&request)?;
        let (mut status, mut length, mut told) = (0, 0, String::new());
        loop {
            let mut line = String::new();
            if self.stream.read_line(&mut line)? == 0 {
                return Err(std::io::ErrorKind::UnexpectedEof.into());
            }
            if line == "\r\n" {
                break;
            }
            if let Some(code) = line.strip_prefix("HTTP/1.1 ") {
                status = code[..3].parse().expect("a code");
            }
            let lower = line.to_lowercase();
            if let Some(number) = lower.strip_prefix("content-length: ") {
                length = number.trim().parse().expect("a length");
            }
            told += &lower;
        }
        let mut body = vec![0; length];
        self.stream.read_exact(&mut body)?;
        Ok(Answer { status, headers: told, body })
    }
}

/// Runs the program; what it prints, and whether it ended well.
pub fn surefoot(folder: &Path, arguments: &[&str]) -> (bool, String) {
    let out = Command::new(PROGRAM).args(arguments).current_dir(folder).output().expect("run");
    (
        out.status.success(),
        String::from_utf8_lossy(&out.stdout).into_owned() + &String::from_utf8_lossy(&out.stderr),
    )
}

/// The files of a model's journal.
pub fn journal(folder: &Path, model: &str) -> Vec<PathBuf> {
    let log = current(folder, model).join("log");
    let mut all: Vec<PathBuf> =
        std::fs::read_dir(log).expect("a folder").map(|entry| entry.expect("an entry").path()).collect();
    all.retain(|path| std::fs::metadata(path).is_ok_and(|file| file.len() > 0));
    all.sort();
    all
}

/// The folder of the epoch that is served.
pub fn current(folder: &Path, model: &str) -> PathBuf {
    let place = folder.join("models").join(model);
    let name = std::fs::read_to_string(place.join("CURRENT")).expect("a name");
    place.join(name.trim())
}

/// What `surefoot train JOURNAL --resume BASE` makes.
pub fn trained(folder: &Path, model: &str) -> Vec<u8> {
    let out = folder.join("same.model");
    let (base, log) = (current(folder, model).join("base.model"), journal(folder, model));
    if log.is_empty() {
        return std::fs::read(base).expect("the base model");
    }
    let mut arguments = vec!["train".to_string()];
    arguments.extend(log.iter().map(|path| path.display().to_string()));
    arguments.extend([
        "--resume".into(),
        base.display().to_string(),
        "-o".into(),
        out.display().to_string(),
        "--quiet".into(),
    ]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let (done, said) = surefoot(folder, &arguments);
    assert!(done, "{said}");
    std::fs::read(out).expect("a model")
}
