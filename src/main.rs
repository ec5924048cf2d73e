//! Two doors and nothing else: hooks before any parsing, everything else through clap.

use std::io::{self, IsTerminal as _};
use std::process::ExitCode;

use marvel::{commands, hook};

fn main() -> ExitCode {
    let args: Vec<_> = std::env::args_os().collect();
    if args.get(1).is_some_and(|arg| arg == "hook") {
        hook::run(&args[2..], io::stdin(), io::stdout(), commands::refresh);
        return ExitCode::SUCCESS;
    }
    // Clients that do not know `args` in a hook's entry call the bare program, and would take help and a 2 for a refusal.
    if args.len() == 1 && !io::stdin().is_terminal() {
        return ExitCode::SUCCESS;
    }
    commands::main(args)
}
