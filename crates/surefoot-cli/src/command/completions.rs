//! `surefoot completions`: tab completion for shells.

use clap::Args;
use clap_complete::Shell;

use crate::failure::Result;
use crate::output;

/// Print a script that completes commands and flags in a shell
#[derive(Args, Debug)]
#[command(
    after_help = "Examples:\n  surefoot completions bash > ~/.local/share/bash-completion/completions/surefoot\n  \
                        surefoot completions zsh > \"${fpath[1]}/_surefoot\"\n  \
                        surefoot completions fish > ~/.config/fish/completions/surefoot.fish"
)]
pub struct Completions {
    /// The shell
    #[arg(value_enum)]
    shell: Shell,
}

impl Completions {
    /// Prints the script.
    pub fn run(self) -> Result<()> {
        let mut script = Vec::new();
        clap_complete::generate(self.shell, &mut crate::command(), "surefoot", &mut script);
        output::bytes(&script)
    }
}
