//! `marvel reflect --from-history`: what people changed again and again of what an agent committed. Kept apart from what
//! people said, and only on request.

use std::fmt::{self, Write as _};

use chrono::Duration;
use serde_json::{Value, json};

use super::super::Context;
use crate::capture::redact::redact;
use crate::capture::rewrites::{Habit, Rewrite, habits, rewrites};
use crate::error::Result;
use crate::model::plural::count;
use crate::model::visible::{abbreviated, escape};
use crate::store::patches::Since;
use crate::ui::progress::Progress;
use crate::ui::{Report, style};

/// How far back history is read where nothing is said, in days.
const DAYS: i64 = 365;
/// Lines of an example that are shown.
const LINES: usize = 4;

pub(super) fn run(since: Option<&str>, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let history = cx.config(&repo)?.history;
    let since = match since {
        Some(revision) => Since::Revision(revision.to_owned()),
        None => Since::Time(cx.now.minus(Duration::days(DAYS))),
    };
    let mut progress = Progress::new(&cx.ui, "Reading history, commits");
    let (mut patches, mut agents) = (Vec::new(), 0);
    repo.patches(&since, &history, &mut |patch| {
        agents += usize::from(patch.agent);
        patches.push(patch);
        progress.at(patches.len());
    })?;
    let found = rewrites(patches, history.window_days);
    let habits = habits(&found);
    Ok(Box::new(FromHistory { agents, rewrites: found.len(), habits }))
}

struct FromHistory {
    /// Commits that an agent wrote.
    agents: usize,
    rewrites: usize,
    habits: Vec<Habit>,
}

impl Report for FromHistory {
    fn json(&self) -> Value {
        let text = |lines: &[String]| redact(&lines.join("\n")).into_owned();
        let habits = self.habits.iter().map(|habit| {
            let commits = habit.rewrites.iter().map(|one| {
                json!({ "agent": one.agent_commit, "commit": one.commit, "author": one.author, "time": one.at, "file": one.path,
                        "before": text(&one.before), "after": text(&one.after) })
            });
            json!({
                "id": habit.id,
                "title": redact(&habit.title()),
                "count": habit.rewrites.len(),
                "removed": habit.removed.as_deref().map(redact),
                "added": habit.added.as_deref().map(redact),
                "people": habit.people(),
                "rewrites": commits.collect::<Vec<_>>(),
            })
        });
        json!({ "agent_commits": self.agents, "rewrites": self.rewrites, "from_history": habits.collect::<Vec<_>>() })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        for habit in &self.habits {
            entry(out, habit)?;
            writeln!(out)?;
        }
        let (rewrites, commits) = (count(self.rewrites, "rewrite"), count(self.agents, "commit"));
        match (self.agents, self.habits.is_empty()) {
            (0, _) => {
                writeln!(out, "No commit of an agent was found: `history.agent_authors` in marvel/config.json says who is one.")
            }
            (_, true) => writeln!(out, "{rewrites} of lines from {commits} of an agent, and none recurred."),
            (_, false) => writeln!(
                out,
                "From {rewrites} of lines that {commits} of an agent had brought. `marvel teach \"…\"` makes a lesson of one."
            ),
        }
    }
}

fn entry(out: &mut String, habit: &Habit) -> fmt::Result {
    let (id, bold, faint) = (style::ID, style::TITLE, style::FAINT);
    let people: Vec<String> = habit.people().into_iter().map(|name| escape(name).into_owned()).collect();
    let last = habit.rewrites.last().map(|one| one.at.format("%F")).unwrap_or_default();
    writeln!(out, "{id}{}{id:#}  changed {} times, by {}, last {last}", habit.id, habit.rewrites.len(), people.join(", "))?;
    writeln!(out, "    {bold}{}{bold:#}", escape(&redact(&habit.title())))?;
    if let Some(Rewrite { before, after, .. }) = habit.rewrites.last() {
        for (sign, style, lines) in [('-', style::REMOVED, before), ('+', style::ADDED, after)] {
            for line in lines.iter().take(LINES) {
                writeln!(out, "    {style}{sign} {}{style:#}", escape(&redact(line.trim())))?;
            }
        }
    }
    for one in habit.rewrites.iter().rev().take(LINES) {
        let (commit, after) = (abbreviated(&one.commit), abbreviated(&one.agent_commit));
        writeln!(out, "    {faint}{commit} after {after}, {}{faint:#}", escape(&one.path))?;
    }
    Ok(())
}
