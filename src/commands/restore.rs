//! `marvel restore`: brings a lesson back from history, whoever took it out and however: pruned, graduated, taken out by
//! hand, or left on a branch whose pull request was squashed.

use super::Context;
use super::log::one;
use super::promote::finished;
use crate::error::{Error, Result};
use crate::evolve::key::Key;
use crate::evolve::life::{Chronicle, Deed};
use crate::model::record::Record;
use crate::model::visible::abbreviated;
use crate::store::lines::{self, Found};
use crate::store::{Id, Repo};
use crate::ui::Report;

/// Bring back a lesson that was pruned, graduated or taken out, as history last had it
#[derive(clap::Args)]
pub struct Args {
    /// The lesson: the first digits of its id (`marvel log` shows what there was)
    #[arg(value_name = "ID")]
    lesson: String,
    /// Show the commit with its diff, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let config = cx.config(&repo)?;
    let chronicle = cx.chronicle(&repo, &config)?;
    let (_, digits) = lines::split(&args.lesson)?;
    let key = one(&chronicle.lives(), digits)?.clone();
    let Some(last) = last(&repo, &chronicle, &key)? else {
        return Err(
            Error::user(format!("no commit that is here has the lesson {key}")).hint("in a shallow clone: git fetch --unshallow")
        );
    };
    let changes = [lines::restore(&last.found, &last.line, &last.why)];
    let mut commits = finished(cx, &repo, &config, &changes, args.dry_run)?;
    if !commits.outcome.commits.is_empty() {
        commits.notes.insert(0, last.why);
    }
    Ok(Box::new(commits))
}

/// A lesson as it last stood.
struct Last {
    found: Found,
    line: Record,
    why: String,
}

/// The newest state in which a commit, or the parent of the one that took it out, has the lesson.
fn last(repo: &Repo, chronicle: &Chronicle, key: &Key) -> Result<Option<Last>> {
    let lives = chronicle.lives();
    let mut ended = None;
    for event in lives.of(key).rev() {
        let commit = &chronicle.commit(event).id;
        let Some(id) = Id::parse(commit) else { continue };
        if event.deed.ends() && ended.is_none() {
            ended = Some((event.deed, commit.clone()));
        }
        let before = if event.deed.ends() { repo.commit(id)?.parents } else { Vec::new() };
        let name = event.key().unwrap_or_else(|| key.clone());
        for state in before.into_iter().chain([id]) {
            let lessons = repo.packs_at(state)?.lessons(&name.pack);
            if let (Some(lesson), Some(line)) = (lessons.find(&name.id), lessons.record(&name.id)) {
                let why = match &ended {
                    Some((deed, by)) => format!("Was {} by {}.", past(*deed), abbreviated(by)),
                    None => format!("As {} had it.", abbreviated(commit)),
                };
                let found = Found { pack: name.pack.clone(), lesson: lesson.clone() };
                return Ok(Some(Last { found, line, why }));
            }
        }
    }
    Ok(None)
}

fn past(deed: Deed) -> &'static str {
    match deed {
        Deed::Graduate => "made a guardrail",
        Deed::Prune => "pruned",
        _ => "taken out",
    }
}
