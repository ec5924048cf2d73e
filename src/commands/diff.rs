//! `marvel diff`: what is different between two states of the packs, by lesson instead of by line.

use std::fmt;

use serde_json::{Value, json};

use super::Context;
use crate::check::{self, Changed, Options};
use crate::error::{Error, Result};
use crate::merge::changes::{self, Changes, between};
use crate::model::finding::Finding;
use crate::model::timestamp::Timestamp;
use crate::store::Repo;
use crate::store::checked::Checked;
use crate::store::message::Action;
use crate::store::told::Told;
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
    let changes = between(&before.packs, &after.packs, &graduated(&told));
    let findings = findings_on_changes(&before, &after, cx.now);
    Ok(Box::new(Difference { changes, told, findings, format: args.format }))
}

/// Both states, and what commits say between them.
fn states(args: &Args, repo: &Repo) -> Result<(Checked, Checked, Vec<Told>)> {
    let resolve = |text: &str| repo.resolve(if text.is_empty() { "HEAD" } else { text });
    let revision = args.revision.as_deref();
    let range = revision.and_then(|text| {
        text.split_once("...").map(|ends| (ends, true)).or_else(|| text.split_once("..").map(|ends| (ends, false)))
    });
    if let Some(((from, to), since_fork)) = range {
        if args.staged {
            return Err(Error::usage("--staged compares what is staged with one revision, and a range was named"));
        }
        let (from, to) = (resolve(from)?, resolve(to)?);
        let before = if since_fork { repo.fork_of(from, to)? } else { repo.checked_at(from)? };
        return Ok((before, repo.checked_at(to)?, repo.told(Some(from), to)?));
    }
    let from = match revision {
        Some(text) => Some(repo.resolve(text)?),
        None => repo.head()?.tip,
    };
    let before = from.map_or_else(|| Ok(Checked::default()), |from| repo.checked_at(from))?;
    let after = if args.staged { repo.checked_in_index()? } else { repo.checked_here()? };
    Ok((before, after, Vec::new()))
}

/// What is wrong with what the second state has otherwise.
pub(super) fn findings_on_changes(before: &Checked, after: &Checked, now: Timestamp) -> Vec<Finding> {
    let mut changed = Changed::between(&before.packs, &after.packs);
    after.links.iter().filter(|link| !before.links.contains(link)).for_each(|link| changed.add_file(link));
    check::check(&after.packs, &Options { changed: Some(&changed), ..after.options(now) })
}

/// The lessons of which commits say that they graduated.
pub(super) fn graduated(told: &[Told]) -> changes::Told {
    let graduated = told.iter().filter(|told| told.action == Action::Graduate);
    changes::Told { graduated: graduated.map(|told| (told.key.pack.clone(), told.key.id.clone())).collect() }
}

struct Difference {
    changes: Changes,
    told: Vec<Told>,
    findings: Vec<Finding>,
    format: Format,
}

impl Report for Difference {
    fn json(&self) -> Value {
        let mut document = Shown { changes: &self.changes, told: &self.told }.json();
        document["findings"] = json!(self.findings);
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
