//! Door 2: the commands, one file each. Here they are only listed; what they share is in the layers below.

mod blame;
mod completions;
mod context;
mod demo;
mod diff;
mod doctor;
mod edit;
mod evidence;
mod evolve;
mod git_hook;
mod health;
mod init;
mod lessons;
mod log;
mod man;
mod merge_driver;
mod pack;
mod promote;
mod reflect;
mod refresh;
mod restore;
mod review;
mod status;
mod sync;
mod teach;
mod validate;
mod why;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::{CommandFactory as _, Parser, Subcommand};

pub use context::Context;
pub use refresh::refresh;

use crate::error::{Error, Result};
use crate::merge::driver::FAILED;
use crate::ui::{Report, Ui};

/// Teach coding agents what your team has already learned, and keep that knowledge in git.
#[derive(Parser)]
#[command(name = "marvel", version, max_term_width = 100, disable_help_subcommand = true)]
pub struct Cli {
    #[command(flatten)]
    global: context::GlobalArgs,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Blame(blame::Args),
    Completions(completions::Args),
    Demo(demo::Args),
    Diff(diff::Args),
    Doctor(doctor::Args),
    Edit(edit::Args),
    Evolve(evolve::Args),
    GitHook(git_hook::Args),
    Health(health::Args),
    Init(init::Args),
    Lessons(lessons::Args),
    Log(log::Args),
    Man(man::Args),
    MergeDriver(merge_driver::Args),
    Pack(pack::Args),
    Promote(promote::Args),
    Reflect(reflect::Args),
    Restore(restore::Args),
    Review(review::Args),
    Status(status::Args),
    Sync(sync::Args),
    Teach(teach::Args),
    Validate(validate::Args),
    Why(why::Args),
}

impl Command {
    fn run(&self, cx: &Context) -> Result<Box<dyn Report>> {
        match self {
            Self::Blame(args) => blame::run(args, cx),
            Self::Completions(args) => completions::run(args),
            Self::Demo(args) => demo::run(args, cx),
            Self::Diff(args) => diff::run(args, cx),
            Self::Doctor(args) => doctor::run(args, cx),
            Self::Edit(args) => edit::run(args, cx),
            Self::Evolve(args) => evolve::run(args, cx),
            Self::GitHook(args) => git_hook::run(args, cx),
            Self::Health(args) => health::run(args, cx),
            Self::Init(args) => init::run(args, cx),
            Self::Lessons(args) => lessons::run(args, cx),
            Self::Log(args) => log::run(args, cx),
            Self::Man(args) => man::run(args),
            Self::MergeDriver(args) => merge_driver::run(args, cx),
            Self::Pack(args) => pack::run(args, cx),
            Self::Promote(args) => promote::run(args, cx),
            Self::Reflect(args) => reflect::run(args, cx),
            Self::Restore(args) => restore::run(args, cx),
            Self::Review(args) => review::run(args, cx),
            Self::Status(args) => status::run(args, cx),
            Self::Sync(args) => sync::run(args, cx),
            Self::Teach(args) => teach::run(args, cx),
            Self::Validate(args) => validate::run(args, cx),
            Self::Why(args) => why::run(args, cx),
        }
    }
}

/// Parses the command line, runs the command, prints its report or its error.
pub fn main(args: Vec<OsString>) -> ExitCode {
    // Git takes the codes 1 to 128 as a merged file with conflicts: no error and no panic of ours may end with one of them.
    if args.get(1).is_some_and(|arg| arg == "merge-driver") {
        let ended = std::panic::catch_unwind(|| run(args).unwrap_or_else(|code| if code == 0 { 0 } else { FAILED }));
        return ExitCode::from(ended.unwrap_or(FAILED));
    }
    ExitCode::from(run(args).unwrap_or_else(|code| code))
}

/// The exit code that a report has; that of an error is the other one.
fn run(args: Vec<OsString>) -> Result<u8, u8> {
    let cli = Cli::try_parse_from(args).map_err(|error| {
        let _ = error.print();
        u8::try_from(error.exit_code()).unwrap_or(2)
    })?;
    let failed = |ui: Ui, error: &Error| {
        ui.error(error);
        error.kind.exit_code()
    };
    let cx = Context::new(&cli.global).map_err(|error| failed(cli.global.ui(), &error))?;
    cli.command.run(&cx).and_then(|report| cx.ui.print(&*report)).map_err(|error| failed(cx.ui, &error))
}

/// The command line's definition, for what is generated from it.
pub fn definition() -> clap::Command {
    Cli::command()
}
