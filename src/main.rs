//! Two doors and nothing else: hooks before any parsing, everything else through clap.

use std::process::ExitCode;

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    marvel::commands::main(args)
}
