//! `marvel why`: which packs a path calls for, by which signals, and what of them would reach the agent. It asks the very
//! code that the hooks ask; how it looks is all that is here.

use std::fmt::{self, Write as _};
use std::path::Path;

use serde_json::{Value, json};

use super::Context;
use crate::error::{Context as _, Error, Result};
use crate::hook::relevant::{Relevant, Scores};
use crate::inject::compose::{Injection, compose};
use crate::inject::item::{Item, Kind, Withheld};
use crate::inject::{Budget, Occasion};
use crate::model::config::Config;
use crate::model::lesson::LessonId;
use crate::model::pack::PackName;
use crate::model::plural::count;
use crate::model::repo_path::RepoPath;
use crate::model::visible::escape;
use crate::score::lessons::{Outcomes, Utility};
use crate::score::select::Scored;
use crate::session::activity::Tail;
use crate::session::cache;
use crate::session::packs::Packs;
use crate::session::root::Root;
use crate::session::run;
use crate::session::shown::{self, Ledger, What};
use crate::ui::table::table;
use crate::ui::{Report, style};

/// Show which packs a path calls for, by which signals, and what of them the agent would get
///
/// Without a path: the files that differ from HEAD in the working tree.
#[derive(clap::Args)]
pub struct Args {
    /// Files, from here; they need not exist
    paths: Vec<String>,
    /// Take a session's guidance, and what it was shown, into account
    #[arg(long, value_name = "SESSION")]
    session: Option<String>,
    /// Show the last injection of the newest run instead
    #[arg(long, conflicts_with = "paths")]
    last: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let config = cx.config(&repo)?;
    let root = repo.root();
    if args.last {
        return last(&root);
    }
    crate::store::overlay::refresh(&repo, &config)?;
    // brings up to date what lessons rank by; without it they rank as they do in a hook
    let _ = cx.chronicle(&repo, &config);
    let mut paths = Vec::new();
    let mut outside = Vec::new();
    for text in &args.paths {
        match root.relative(&cx.dir.join(text)).filter(|path| !path.is_root()) {
            Some(path) => paths.push(path),
            None => outside.push(text.clone()),
        }
    }
    if args.paths.is_empty() {
        paths = repo.changed_files()?;
    }
    let asked = Asked { root: &root, packs: &Packs::load(&root), config: &config };
    let files = paths.iter().map(|path| asked.explain(path, args.session.as_deref(), cx)).collect::<Result<Vec<_>>>()?;
    Ok(Box::new(Why { files, outside, nothing_changed: args.paths.is_empty() && paths.is_empty() }))
}

struct Asked<'a> {
    root: &'a Root,
    packs: &'a Packs,
    config: &'a Config,
}

impl Asked<'_> {
    fn explain(&self, path: &RepoPath, session: Option<&str>, cx: &Context) -> Result<File> {
        let run_dir = session.map(|session| run::dir(self.root, session)).filter(|dir| dir.is_dir());
        if let (Some(session), None) = (session, &run_dir) {
            return Err(Error::user(format!("there is no session `{session}` on record here")));
        }
        let tail = match &run_dir {
            Some(dir) => Tail::read(dir).context("the session's record cannot be read")?,
            None => Tail::default(),
        };
        let memory = match &run_dir {
            Some(dir) => Ledger::open(dir).context("the session's ledger cannot be read")?.memory(None),
            None => Default::default(),
        };
        let scores = Scores::new(cx.now, &tail, self.config);
        let scored = scores.of(self.packs, path);
        let paths = [path.clone()];
        let relevant = Relevant::find(self.root, self.packs, &scores, &paths);
        let injection = match &relevant {
            Some(relevant) => {
                let budget = Budget::new(&self.config.inject, memory.chars);
                compose(&relevant.touched(), Occasion::Before, &memory.shown, budget)
            }
            None => Injection::default(),
        };
        let lessons =
            injection.items.iter().filter(|item| item.kind == Kind::Lesson).filter_map(|item| self.lesson(item)).collect();
        let sections = injection.items.iter().filter(|item| matches!(item.kind, Kind::Section | Kind::Part)).count();
        let chars = crate::inject::units(&injection.text);
        Ok(File { path: path.clone(), scored, lessons, sections, chars, withheld: injection.withheld })
    }

    fn lesson(&self, item: &Item) -> Option<Shown> {
        let one = self.packs.lessons(&item.pack).into_iter().find(|one| one.lesson.id.as_str() == item.name)?;
        let facts = cache::read(self.root, &item.pack).get(&item.name).cloned().unwrap_or_default();
        let utility = Utility::combined(&one.lesson, Outcomes { good: facts.good, count: facts.injected }).value();
        Some(Shown { id: one.lesson.id, pack: item.pack.clone(), title: one.lesson.title, utility, pending: one.pending })
    }
}

struct Why {
    files: Vec<File>,
    /// Arguments that name nothing in this repository.
    outside: Vec<String>,
    nothing_changed: bool,
}

struct File {
    path: RepoPath,
    scored: Vec<Scored>,
    lessons: Vec<Shown>,
    /// Sections of guardrails that would be shown.
    sections: usize,
    /// UTF-16 units of the whole text.
    chars: usize,
    withheld: Vec<Withheld>,
}

struct Shown {
    id: LessonId,
    pack: PackName,
    title: String,
    utility: f64,
    pending: bool,
}

impl Report for Why {
    fn json(&self) -> Value {
        let files = self.files.iter().map(|file| {
            json!({
                "path": file.path.as_str(),
                "packs": file.scored,
                "lessons": file.lessons.iter().map(|one| json!({
                    "id": one.id, "pack": one.pack, "title": one.title, "utility": one.utility, "pending": one.pending,
                })).collect::<Vec<_>>(),
                "sections": file.sections,
                "chars": file.chars,
                "withheld": file.withheld,
            })
        });
        json!({ "files": files.collect::<Vec<_>>(), "outside": self.outside })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        for (i, file) in self.files.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            file.text(out)?;
        }
        for path in &self.outside {
            writeln!(out, "{}: not in this repository; no pack speaks for it", escape(path))?;
        }
        if self.nothing_changed {
            writeln!(out, "No file differs from HEAD. Name one: `marvel why PATH`")?;
        }
        Ok(())
    }
}

impl File {
    fn text(&self, out: &mut String) -> fmt::Result {
        let (bold, faint, green, name) = (style::TITLE, style::FAINT, style::ADDED, style::NAME);
        writeln!(out, "{bold}{}{bold:#}", escape(self.path.as_str()))?;
        let (speaking, silent): (Vec<_>, Vec<_>) = self
            .scored
            .iter()
            .partition(|one| one.selected || !one.signals.is_empty() || one.reason.to_string().starts_with("excluded"));
        let rows: Vec<Vec<String>> = speaking
            .iter()
            .map(|one| {
                let signals = one.signals.iter().map(|fired| {
                    format!("{} {} {faint}({}){faint:#}", fired.signal.as_str(), fired.points, escape(&fired.because))
                });
                let reason = escape(&one.reason.to_string()).into_owned();
                let reason = if one.selected { format!("{green}{reason}{green:#}") } else { reason };
                let strength = if one.strong { "strong" } else { "weak" };
                vec![
                    format!("  {name}{}{name:#}", one.pack),
                    one.score.to_string(),
                    strength.to_owned(),
                    reason,
                    signals.collect::<Vec<_>>().join(", "),
                ]
            })
            .collect();
        out.push_str(&table(&["  pack", "score", "", "", "signals"], &rows));
        if !silent.is_empty() {
            let names = silent.iter().map(|one| one.pack.as_str()).collect::<Vec<_>>().join(", ");
            writeln!(out, "  {faint}no signal: {names}{faint:#}")?;
        }
        if self.lessons.is_empty() && self.sections == 0 {
            writeln!(out, "  the agent gets nothing")?;
        } else {
            let (lessons, sections) = (count(self.lessons.len(), "lesson"), count(self.sections, "section"));
            writeln!(out, "  the agent gets {lessons} and {sections} of guardrails, {} characters", self.chars)?;
        }
        for one in &self.lessons {
            let (id, pending) = (style::ID, if one.pending { " (pending review)" } else { "" });
            writeln!(out, "    {id}{}{id:#} [{}] {}{pending}, utility {:.2}", one.id, one.pack, escape(&one.title), one.utility)?;
        }
        for one in &self.withheld {
            let what = match (&one.id, &one.section) {
                (Some(id), _) => id.to_string(),
                (None, Some(section)) => format!("“{}”", escape(section)),
                (None, None) => "links".to_owned(),
            };
            writeln!(out, "    {faint}withheld: [{}] {what}: {}{faint:#}", one.pack, one.reason)?;
        }
        Ok(())
    }
}

/// What was last put before an agent.
fn last(root: &Root) -> Result<Box<dyn Report>> {
    let mut runs = run::list(root);
    runs.sort_by_key(|(_, run)| run.segment_started);
    for (dir, run) in runs.iter().rev() {
        let entries = shown::read(dir).context(format!("{} cannot be read", shown_path(dir)))?;
        if let Some(entry) = entries.into_iter().rev().find(|entry| matches!(entry.what, What::Shown)) {
            return Ok(Box::new(Last { session: run.session_id.clone(), entry: Some(entry) }));
        }
    }
    Ok(Box::new(Last { session: String::new(), entry: None }))
}

fn shown_path(dir: &Path) -> String {
    dir.display().to_string()
}

struct Last {
    session: String,
    entry: Option<shown::Entry>,
}

impl Report for Last {
    fn json(&self) -> Value {
        json!({ "last": self.entry.as_ref().map(|entry| json!({
            "session": self.session, "at": entry.at, "event": entry.event, "agent": entry.agent, "files": entry.files,
            "lessons": entry.lessons, "items": entry.items, "chars": entry.chars,
        })) })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        let Some(entry) = &self.entry else { return writeln!(out, "Nothing was ever injected in this clone.") };
        let agent = entry.agent.as_deref().map(|agent| format!(", sub-agent {}", escape(agent))).unwrap_or_default();
        writeln!(out, "{}, session {}{agent}", entry.at.format("%F %T"), escape(&self.session))?;
        writeln!(out, "for {}: {} characters, at {}", escape(&entry.files.join(", ")), entry.chars, escape(&entry.event))?;
        entry.items.iter().try_for_each(|item| writeln!(out, "  {}", escape(item)))
    }
}
