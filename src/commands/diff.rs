//! `marvel diff`: what is different between two states of the packs, by lesson instead of by line.

use std::fmt;

use serde_json::{Value, json};

use super::Context;
use crate::error::Result;
use crate::merge::changes::{self, Changes, between};
use crate::model::pack_files::PackFiles;
use crate::store::message::Action;
use crate::store::told::Told;
use crate::store::{Id, Repo};
use crate::ui::Report;
use crate::ui::changes::Shown;

/// Show what is different between two states of the packs, lesson by lesson
///
/// As `git diff`: without a revision the working tree against HEAD; `REV` the working tree against it; `A..B` two revisions; `A...B` what B has since they
/// parted.
#[derive(clap::Args)]
pub struct Args {
    #[arg(value_name = "REV[..REV]")]
    revision: Option<String>,
    /// What is staged instead of the working tree
    #[arg(long, visible_alias = "cached")]
    staged: bool,
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", conflicts_with = "json")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    Markdown,
    Json,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let (before, after, told) = states(args, &repo)?;
    let changes = between(&before, &after, &graduated(&told));
    Ok(Box::new(Difference { changes, told, format: args.format }))
}

/// Both states, and what commits say between them.
fn states(args: &Args, repo: &Repo) -> Result<(PackFiles, PackFiles, Vec<Told>)> {
    let resolve = |text: &str| repo.resolve(if text.is_empty() { "HEAD" } else { text });
    let revision = args.revision.as_deref();
    let range = revision.and_then(|text| {
        text.split_once("...").map(|ends| (ends, true)).or_else(|| text.split_once("..").map(|ends| (ends, false)))
    });
    if let (Some(((from, to), since_fork)), false) = (range, args.staged) {
        let (from, to) = (resolve(from)?, resolve(to)?);
        let start = if since_fork { repo.fork_of(from, to)? } else { Some(from) };
        let before = packs_at(repo, start)?;
        return Ok((before, repo.packs_at(to)?, repo.told(start, to)?));
    }
    let from = match revision {
        Some(text) => Some(repo.resolve(text)?),
        None => repo.head()?.tip,
    };
    let after = if args.staged { repo.packs_in_index()? } else { repo.packs_here()? };
    Ok((packs_at(repo, from)?, after, Vec::new()))
}

fn packs_at(repo: &Repo, commit: Option<Id>) -> Result<PackFiles> {
    commit.map_or_else(|| Ok(PackFiles::default()), |commit| repo.packs_at(commit))
}

/// The lessons of which commits say that they graduated.
pub(super) fn graduated(told: &[Told]) -> changes::Told {
    let graduated = told.iter().filter(|told| told.action == Action::Graduate);
    changes::Told { graduated: graduated.map(|told| (told.key.pack.clone(), told.key.id.clone())).collect() }
}

struct Difference {
    changes: Changes,
    told: Vec<Told>,
    format: Format,
}

impl Report for Difference {
    fn json(&self) -> Value {
        let mut document = Shown { changes: &self.changes, told: &self.told }.json();
        document["findings"] = json!([]);
        document
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        let shown = Shown { changes: &self.changes, told: &self.told };
        match self.format {
            Format::Markdown => shown.markdown(out, 3),
            Format::Text | Format::Json => shown.text(out),
        }
    }

    fn wants_json(&self) -> bool {
        self.format == Format::Json
    }
}
