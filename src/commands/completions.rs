//! `marvel completions SHELL`: a shell's completion script, generated from the command line's definition.

use clap_complete::Shell;

use crate::error::Result;
use crate::ui::Report;

/// Print a completion script for a shell
#[derive(clap::Args)]
pub struct Args {
    shell: Shell,
}

pub fn run(args: &Args) -> Result<Box<dyn Report>> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut super::definition(), "marvel", &mut script);
    Ok(Box::new(super::man::Generated { text: String::from_utf8_lossy(&script).into_owned() }))
}
