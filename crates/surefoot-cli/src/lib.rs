//! The command line of Surefoot. Every capability is a library call of the crate `surefoot`; here are only flags,
//! progress and reports.

// Both panic when the reader has gone: `output` has ways to print that do not.
#![warn(clippy::print_stderr, clippy::print_stdout)]

mod command;
mod failure;
mod flags;
mod output;
mod places;
mod records;

use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use failure::Failure;

/// Learns linear classifiers from streams, one example at a time, and knows how sure it is of every weight.
#[derive(Parser, Debug)]
#[command(
    name = "surefoot",
    version,
    disable_help_subcommand = true,
    max_term_width = 100,
    after_help = "Start here:\n  surefoot train examples/tickets.tsv -o tickets.model\n  \
                  surefoot predict tickets.model new.txt --probabilities\n\n\
                  Every command has examples in its --help. Exit codes: 0 done, 1 bad data or model, 2 wrong usage."
)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// What to do.
#[derive(Subcommand, Debug)]
enum Command {
    Train(Box<command::train::Train>),
    Predict(command::predict::Predict),
    Test(command::test::Test),
    Compare(command::compare::Compare),
    Tune(command::tune::Tune),
    Inspect(command::inspect::Inspect),
    Explain(command::explain::Explain),
    Merge(command::merge::Merge),
    #[cfg(feature = "serve")]
    Serve(Box<command::serve::Serve>),
    #[cfg(feature = "serve")]
    Token(command::token::Token),
    Rules(command::rules::Rules),
    Generate(command::generate::Generate),
    Convert(command::convert::Convert),
    Completions(command::completions::Completions),
    Man(command::man::Man),
}

impl Command {
    fn run(self) -> Result<(), Failure> {
        match self {
            Self::Train(train) => train.run(),
            Self::Predict(predict) => predict.run(),
            Self::Test(test) => test.run(),
            Self::Compare(compare) => compare.run(),
            Self::Tune(tune) => tune.run(),
            Self::Inspect(inspect) => inspect.run(),
            Self::Explain(explain) => explain.run(),
            Self::Merge(merge) => merge.run(),
            #[cfg(feature = "serve")]
            Self::Serve(serve) => serve.run(),
            #[cfg(feature = "serve")]
            Self::Token(token) => token.run(),
            Self::Rules(rules) => rules.run(),
            Self::Generate(generate) => generate.run(),
            Self::Convert(convert) => convert.run(),
            Self::Completions(completions) => completions.run(),
            Self::Man(man) => man.run(),
        }
    }
}

/// The whole command line, for documentation, completions and tests.
#[must_use]
pub fn command() -> clap::Command {
    Cli::command()
}

/// Runs the program: 0 done, 1 bad data or model, 2 wrong usage. A closed pipe is not an error.
#[must_use]
pub fn main() -> ExitCode {
    match Cli::parse().command.run() {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.exit(),
    }
}
