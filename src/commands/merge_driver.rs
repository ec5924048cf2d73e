//! `marvel merge-driver`: called by git to merge one file of a pack. What merging means is `merge`'s; here three files are
//! read and the result is written over ours, whole or not at all.

use std::path::{Path, PathBuf};

use serde_json::json;

use super::Context;
use crate::error::{Error, Result};
use crate::merge::driver::{self, Driven, Kind};
use crate::merge::lessons::MARKER_SIZE;
use crate::model::visible::escape;
use crate::session::file;
use crate::store::process::Git;
use crate::ui::Report;

/// Called by git to merge a file of a pack
///
/// Ends with 0 when merged, with 1 when there is a conflict and its markers are written, and with 129 when anything else
/// is wrong: then the file stays as it is.
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// The common ancestor's version (%O)
    #[arg(allow_hyphen_values = true)]
    base: PathBuf,
    /// Our version, which the result replaces (%A)
    #[arg(allow_hyphen_values = true)]
    ours: PathBuf,
    /// Their version (%B)
    #[arg(allow_hyphen_values = true)]
    theirs: PathBuf,
    /// The file's path in the repository (%P)
    path: Option<String>,
    /// How many characters a conflict marker has (%L)
    marker_size: Option<usize>,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let [base, ours, theirs] = [&args.base, &args.ours, &args.theirs].map(|path| cx.dir.join(path));
    let name = escape(args.path.as_deref().unwrap_or("the lessons")).into_owned();
    // Git gives an empty file where there is no base; a person may give none.
    let base_bytes = read(&base)?.unwrap_or_default();
    let [our_bytes, their_bytes] = [read(&ours)?, read(&theirs)?].map(|bytes| bytes.ok_or_else(|| missing(args)));
    let (our_bytes, their_bytes) = (our_bytes?, their_bytes?);
    let marker_size = args.marker_size.unwrap_or(MARKER_SIZE).clamp(MARKER_SIZE, 1000);
    let kind = Kind::of(args.path.as_deref());
    let driven = driver::drive(kind, &base_bytes, &our_bytes, &their_bytes, marker_size).map_err(|refused| {
        Error::conflict(format!("{name} was not merged")).caused_by(refused).hint("the file is as it was on our side")
    })?;
    let driven = match driven {
        Some(driven) => driven,
        None => as_text(&[&ours, &base, &theirs], marker_size, cx)?,
    };
    if driven.bytes != our_bytes {
        file::replace(&ours, &driven.bytes)
            .map_err(|error| Error::user(format!("the merge of {name} cannot be written")).caused_by(error))?;
    }
    for note in &driven.notes {
        cx.ui.note(format!("{name}: {note}"));
    }
    for conflict in &driven.conflicts {
        cx.ui.warn(format!("conflict in {name}: {conflict}"));
    }
    Ok(Box::new(Verdict(driven)))
}

fn read(path: &Path) -> Result<Option<Vec<u8>>> {
    file::read(path).map_err(|error| Error::user(format!("{} cannot be read", path.display())).caused_by(error))
}

fn missing(args: &Args) -> Error {
    let [ours, theirs] = [&args.ours, &args.theirs].map(|path| path.display());
    Error::user(format!("our version or theirs is missing: {ours}, {theirs}"))
}

/// As git merges lines.
fn as_text(files: &[&PathBuf; 3], marker_size: usize, cx: &Context) -> Result<Driven> {
    let labels = ["ours", "base", "theirs"].iter().flat_map(|label| ["-L", label]);
    let git = Git::at(&cx.dir).args(["merge-file", "-p", "-q", &format!("--marker-size={marker_size}")]).args(labels);
    let output =
        git.args(files).output().map_err(|failure| Error::user("git merge-file cannot be started").caused_by(failure))?;
    match output.code {
        0 => Ok(Driven { bytes: output.stdout, conflicts: Vec::new(), notes: Vec::new() }),
        // The number of conflicts; git ends with 255 where it failed.
        count @ 1..=127 => {
            let conflicts = vec![format!("{count} in its lines")];
            Ok(Driven { bytes: output.stdout, conflicts, notes: Vec::new() })
        }
        code => Err(Error::user(format!("git merge-file ended with {code}")).caused_by(output.stderr)),
    }
}

struct Verdict(Driven);

impl Report for Verdict {
    fn json(&self) -> serde_json::Value {
        json!({ "conflicts": self.0.conflicts, "notes": self.0.notes })
    }

    /// Standard output belongs to the git command.
    fn text(&self, _: &mut String) -> std::fmt::Result {
        Ok(())
    }

    fn exit_code(&self) -> u8 {
        self.0.exit_code()
    }
}
