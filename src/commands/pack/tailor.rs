//! `marvel pack tailor`: fits a pack to the files of this repository, as `init` did with the starter packs. What fits is
//! `install::tailor`'s.

use std::fmt::Write as _;

use serde_json::json;

use crate::commands::Context;
use crate::error::{Context as _, Error, Result};
use crate::install::change::Change;
use crate::install::place::Place;
use crate::install::{Reach, reach, tailor};
use crate::model::pack::{META_FILE, PackMeta, PackName};
use crate::model::visible::escape;
use crate::ui::{Report, diff, style};

/// Fit a pack to the files that this repository tracks
///
/// Adds to `references.code_paths` the folders where files of the pack's extensions live, or, for a pack about tests, how
/// test files are called here. What stands there stays.
#[derive(clap::Args)]
pub(super) struct Args {
    #[arg(value_name = "NAME")]
    name: String,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub(super) fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let place = Place::find(&cx.dir)?;
    let name =
        PackName::new(&args.name).filter(|name| place.work_tree.join(name.path(META_FILE)).is_file()).ok_or_else(|| {
            Error::user(format!("there is no pack `{}` in the working tree", escape(&args.name)))
                .hint("`marvel pack list` lists the packs")
        })?;
    let path = name.path(META_FILE);
    let file = place.work_tree.join(&path);
    let before = crate::session::file::read(&file).context(format!("{path} cannot be read"))?.unwrap_or_default();
    let read = |bytes: &[u8]| PackMeta::parse(bytes).context(format!("{path} does not read"));
    let files = place.files()?;
    let patterns = tailor::patterns(&read(&before)?, &files);
    let (after, added) =
        tailor::apply(&before, &patterns).map_err(|problem| Error::user(format!("{path}:{problem}; nothing was written")))?;
    let reach = reach(&read(&after)?, &files);
    let change = Change::of(file, Some(after)).context(format!("{path} cannot be read"))?;
    if let (Some(change), false) = (&change, args.dry_run) {
        change.apply().context(format!("{path} cannot be written"))?;
    }
    Ok(Box::new(Done { path, added, reach, change, dry_run: args.dry_run }))
}

struct Done {
    path: String,
    added: Vec<String>,
    reach: Reach,
    change: Option<Change>,
    dry_run: bool,
}

impl Report for Done {
    fn json(&self) -> serde_json::Value {
        json!({
            "pack": self.reach.pack,
            "code_paths": self.added,
            "matched": self.reach.matched,
            "files": self.reach.files,
            "dry_run": self.dry_run,
        })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        if let (Some(change), true) = (&self.change, self.dry_run) {
            diff::unified(&self.path, change.before.as_deref(), change.after.as_deref(), out)?;
        }
        for pattern in &self.added {
            writeln!(out, "{}added{:#} {}", style::ADDED, style::ADDED, escape(pattern))?;
        }
        if self.added.is_empty() {
            writeln!(out, "Nothing to add.")?;
        }
        writeln!(out, "{} matches {} of {} tracked files", self.reach.pack, self.reach.matched, self.reach.files)
    }
}
