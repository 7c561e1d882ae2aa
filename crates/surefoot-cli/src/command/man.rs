//! `surefoot man`: the manual page.

use clap::Args;

use crate::failure::{Failure, Result};
use crate::output;

/// Print the manual page, of the whole program or of one command
#[derive(Args, Debug)]
#[command(after_help = "Examples:\n  surefoot man | man -l -\n  \
                        surefoot man train > /usr/local/share/man/man1/surefoot-train.1")]
pub struct Man {
    /// The command; none for the program as a whole
    command: Option<String>,
}

impl Man {
    /// Prints the page.
    pub fn run(self) -> Result<()> {
        let mut root = crate::command();
        root.build();
        let page = match &self.command {
            None => root,
            // Built commands call themselves surefoot-train, as the pages of git's commands do.
            Some(name) => root
                .find_subcommand(name)
                .cloned()
                .ok_or_else(|| Failure::usage(format!("there is no command '{name}'")))?,
        };
        let mut text = Vec::new();
        clap_mangen::Man::new(page).render(&mut text)?;
        output::bytes(&text)
    }
}
