//! KnownTokens and what they allow. The file holds `role name sha256`, one a line; the token itself is told once, when it is made.

use std::fs;
use std::path::Path;

use ring::digest::{SHA256, digest};
use ring::rand::{SecureRandom, SystemRandom};

use crate::{Error, Result};

/// What a request may do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum TokenRole {
    /// What needs no token.
    Open,
    /// See metrics.
    Metrics,
    /// Predict, and look at models.
    Predict,
    /// Besides, teach.
    Learn,
    /// Everything.
    Admin,
}

impl TokenRole {
    /// Those that a token can have.
    pub const ALL: [TokenRole; 4] =
        [TokenRole::Predict, TokenRole::Learn, TokenRole::Admin, TokenRole::Metrics];

    /// The name that users type.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            TokenRole::Open => "open",
            TokenRole::Metrics => "metrics",
            TokenRole::Predict => "predict",
            TokenRole::Learn => "learn",
            TokenRole::Admin => "admin",
        }
    }

    /// What is called by this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|role| role.name() == name)
    }

    /// Whether it may do what `needed` says.
    #[must_use]
    pub fn allows(self, needed: TokenRole) -> bool {
        match needed {
            TokenRole::Open => true,
            TokenRole::Metrics => matches!(self, TokenRole::Metrics | TokenRole::Admin),
            _ => self != TokenRole::Metrics && self >= needed,
        }
    }
}

/// The tokens that a server knows.
#[derive(Debug, Default)]
pub(crate) struct KnownTokens(Vec<KnownToken>);

#[derive(Debug, Clone)]
pub(crate) struct KnownToken {
    pub(crate) role: TokenRole,
    pub(crate) name: String,
    hash: [u8; 32],
}

impl KnownTokens {
    pub(crate) fn read(path: &Path) -> Result<Self> {
        let text = fs::read_to_string(path).map_err(Error::io(path))?;
        let lines = text.lines().enumerate().map(|(at, line)| (at, line.trim()));
        let lines = lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'));
        let refused = |at: usize| {
            let (path, line) = (path.display(), at + 1);
            Error::Unfit(format!("{path}:{line}: expected `role name sha256`, as `surefoot token` prints it"))
        };
        lines.map(|(at, line)| parse_line(line).ok_or_else(|| refused(at))).collect::<Result<_>>().map(Self)
    }

    /// Whose token this is. All are looked at, each as a whole, so that the time says nothing.
    pub(crate) fn find(&self, token: &str) -> Option<&KnownToken> {
        let hash = sha256(token);
        let differs = |known: &KnownToken| known.hash.iter().zip(hash).fold(0, |all, (a, b)| all | (a ^ b));
        self.0.iter().fold(None, |found, known| if differs(known) == 0 { Some(known) } else { found })
    }
}

fn parse_line(line: &str) -> Option<KnownToken> {
    let mut words = line.split_whitespace();
    let (role, name, hex) = (TokenRole::parse(words.next()?)?, words.next()?.to_string(), words.next()?);
    if hex.len() != 64 || !hex.is_ascii() || words.next().is_some() {
        return None;
    }
    let mut hash = [0; 32];
    for (byte, at) in hash.iter_mut().zip((0..64).step_by(2)) {
        *byte = u8::from_str_radix(&hex[at..at + 2], 16).ok()?;
    }
    Some(KnownToken { role, name, hash })
}

fn sha256(text: &str) -> [u8; 32] {
    let mut hash = [0; 32];
    hash.copy_from_slice(digest(&SHA256, text.as_bytes()).as_ref());
    hash
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// A new token of 256 random bits, and the line for the file of tokens.
pub fn new_token(role: TokenRole, name: &str) -> Result<(String, String)> {
    if name.is_empty() || name.contains(char::is_whitespace) {
        return Err(Error::Unfit("the name of a token is one word".into()));
    }
    let mut bits = [0; 32];
    let filled = SystemRandom::new().fill(&mut bits);
    filled.map_err(|_| Error::Unfit("the system gives no random numbers".into()))?;
    let token = format!("sf_{}", hex(&bits));
    let line = format!("{} {name} {}", role.name(), hex(&sha256(&token)));
    Ok((token, line))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn roles_allow_what_is_below_them() {
        use TokenRole::{Admin, Learn, Metrics, Open, Predict};
        let allowed =
            |role: TokenRole| [Open, Metrics, Predict, Learn, Admin].map(|needed| role.allows(needed));
        assert_eq!(allowed(Open), [true, false, false, false, false]);
        assert_eq!(allowed(Metrics), [true, true, false, false, false]);
        assert_eq!(allowed(Predict), [true, false, true, false, false]);
        assert_eq!(allowed(Learn), [true, false, true, true, false]);
        assert_eq!(allowed(Admin), [true; 5]);
    }

    #[test]
    fn a_token_is_found_by_its_line() {
        let folder = tempfile::tempdir().expect("a folder");
        let (token, line) = new_token(TokenRole::Learn, "crm").expect("made");
        let (other, _) = new_token(TokenRole::Learn, "crm").expect("made");
        let path = folder.path().join("tokens");
        fs::write(&path, format!("# ours\n\n{line}\n")).expect("written");
        let tokens = KnownTokens::read(&path).expect("read");
        assert_eq!(
            tokens.find(&token).map(|found| (found.role, &*found.name)),
            Some((TokenRole::Learn, "crm"))
        );
        assert!(tokens.find(&other).is_none() && !line.contains(&token));
        for bad in ["learn crm", "king crm 00", &format!("{line} more"), &line[..line.len() - 1]] {
            fs::write(&path, bad).expect("written");
            assert!(KnownTokens::read(&path).is_err(), "{bad}");
        }
    }
}
