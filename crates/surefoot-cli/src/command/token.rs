//! `surefoot token`: tokens for `serve --tokens`.

use clap::{Args, ValueEnum};
use surefoot_server::{TokenRole, new_token};

use crate::failure::Result;
use crate::output;

/// Make a token for a server: it is printed once, and its line for the file of tokens below it
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot token --role learn --name crm\n  \
        surefoot token --role admin --name me 2> me.token >> tokens\n\n\
        The line goes to standard output, and the token itself to standard error: only its hash is kept.")]
pub struct Token {
    /// What it allows: predict, learn (and predict), admin (everything), metrics
    #[arg(long, value_enum, value_name = "ROLE")]
    role: RoleWord,
    /// Whose it is, one word; the log tells it
    #[arg(long, value_name = "NAME")]
    name: String,
}

/// What a token allows.
#[derive(ValueEnum, Debug, Clone, Copy, PartialEq, Eq)]
enum RoleWord {
    /// Predict, and look at models
    Predict,
    /// Besides, teach
    Learn,
    /// Everything
    Admin,
    /// See metrics
    Metrics,
}

impl From<RoleWord> for TokenRole {
    fn from(word: RoleWord) -> Self {
        match word {
            RoleWord::Predict => TokenRole::Predict,
            RoleWord::Learn => TokenRole::Learn,
            RoleWord::Admin => TokenRole::Admin,
            RoleWord::Metrics => TokenRole::Metrics,
        }
    }
}

impl Token {
    /// Makes one.
    pub fn run(self) -> Result<()> {
        let (token, line) = new_token(self.role.into(), &self.name)?;
        output::error(&token);
        output::bytes(format!("{line}\n").as_bytes())
    }
}
