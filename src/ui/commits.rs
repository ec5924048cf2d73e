//! What was committed to the packs branch, or would be: one printer for every command that commits lessons.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use serde_json::json;

use super::{Report, diff, style};
use crate::model::pack_files::PackFiles;
use crate::model::visible::{abbreviated, escape};
use crate::store::branch::{Committed, Outcome};
use crate::store::message::Action;

/// The commits of one command.
pub struct Commits {
    pub outcome: Outcome,
    pub dry_run: bool,
    /// What the person should know besides, a line each.
    pub notes: Vec<String>,
}

impl Report for Commits {
    fn json(&self) -> serde_json::Value {
        let commits = self.outcome.commits.iter().map(|commit| {
            let trailers = &commit.message.trailers;
            json!({
                "commit": commit.id.map(|id| id.to_string()),
                "action": trailers.action.map(Action::as_str),
                "pack": trailers.pack,
                "lesson": trailers.lesson,
                "title": commit.message.title,
            })
        });
        let skipped = self
            .outcome
            .skipped
            .iter()
            .map(|skipped| json!({ "id": skipped.lesson, "title": skipped.title, "reason": skipped.reason }));
        json!({
            "branch": self.outcome.branch,
            "commits": commits.collect::<Vec<_>>(),
            "skipped": skipped.collect::<Vec<_>>(),
            "dry_run": self.dry_run,
        })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        for commit in &self.outcome.commits {
            match commit.id {
                Some(id) => line(out, &self.outcome.branch, &id.to_string(), commit)?,
                None => preview(out, &self.outcome.branch, commit)?,
            }
        }
        for skipped in &self.outcome.skipped {
            let id = skipped.lesson.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
            writeln!(out, "skipped: {}{id}: {}", escape(&skipped.title), escape(&skipped.reason))?;
        }
        if self.outcome.commits.is_empty() && self.outcome.skipped.is_empty() {
            writeln!(out, "nothing to commit")?;
        }
        self.notes.iter().try_for_each(|note| writeln!(out, "{}", escape(note)))
    }
}

/// As `git commit` says it: `[packs 1a2b3c4] promote(security): …`.
fn line(out: &mut String, branch: &str, id: &str, commit: &Committed) -> fmt::Result {
    let (yellow, text) = (style::ID, commit.message.to_text());
    let subject = text.lines().next().unwrap_or_default();
    let lesson = commit.message.trailers.lesson.as_ref().map(|id| format!(" ({id})")).unwrap_or_default();
    writeln!(out, "[{} {yellow}{}{yellow:#}] {}{lesson}", escape(branch), abbreviated(id), escape(subject))
}

/// The commit as `git show` would show it.
fn preview(out: &mut String, branch: &str, commit: &Committed) -> fmt::Result {
    let yellow = style::ID;
    writeln!(out, "{yellow}would commit on {}{yellow:#}\n", escape(branch))?;
    for text in commit.message.to_text().lines() {
        writeln!(out, "    {}", escape(text))?;
    }
    writeln!(out)?;
    files(out, &commit.before, &commit.after)
}

/// The diff of every file that differs.
pub fn files(out: &mut String, before: &PackFiles, after: &PackFiles) -> fmt::Result {
    let paths: BTreeSet<&str> = before.iter().chain(after.iter()).map(|(path, _)| path).collect();
    paths.into_iter().try_for_each(|path| diff::unified(path, before.get(path), after.get(path), out))
}
