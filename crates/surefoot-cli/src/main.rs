//! The binary `surefoot`; everything is in the library beside it, where tests and documentation reach it.

fn main() -> std::process::ExitCode {
    surefoot_cli::main()
}
