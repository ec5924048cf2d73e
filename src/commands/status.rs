//! `marvel status`: where things stand, on one page. What is wrong with the installation is `doctor`'s to say.

use std::collections::BTreeMap;
use std::fmt::{self, Write as _};

use serde_json::{Value, json};

use super::Context;
use super::reflect::Heard;
use crate::error::{Context as _, Result};
use crate::install::place::Place;
use crate::install::reach::Reach;
use crate::install::state;
use crate::model::lesson::LessonId;
use crate::model::pack::PackName;
use crate::model::timestamp::Timestamp;
use crate::model::visible::escape;
use crate::session::activity::{self, Activity, Event};
use crate::session::packs::Packs;
use crate::session::run;
use crate::store::Id;
use crate::store::history::History;
use crate::store::refs::short;
use crate::ui::table::table;
use crate::ui::{Report, style};

/// Show where things stand: packs, pending lessons, what waits, the branch, the hooks
#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let heard = Heard::read(cx)?;
    let root = heard.repo.root();
    let packs = Packs::load(&root);
    let installed = heard.repo.work_tree().map(|_| Place::find(&cx.dir).and_then(|place| state::read(&place))).transpose()?;
    let mut status = Status {
        now: cx.now,
        packs: Vec::new(),
        broken: packs.broken.clone(),
        pending: Vec::new(),
        candidates: heard.candidates.len(),
        recurring: heard.candidates.iter().filter(|candidate| candidate.runs.len() > 1).count(),
        branch: branch(&heard)?,
        runs: Runs::default(),
        hooks: installed
            .as_ref()
            .map(|installed| installed.hooked().map(|file| file.shown.clone()).collect())
            .unwrap_or_default(),
        hooks_alive: installed.as_ref().is_some_and(state::Installed::is_alive),
        merge_driver: installed.as_ref().is_some_and(|installed| installed.merge_driver),
    };
    let reach = installed.map(|installed| installed.packs).unwrap_or_default();
    for meta in packs.metas() {
        let lessons = packs.lessons(&meta.name);
        for one in lessons.iter().filter(|one| one.pending) {
            status.pending.push((meta.name.clone(), one.lesson.id.clone(), one.lesson.title.clone()));
        }
        let reach = reach.iter().find(|reach| reach.pack == meta.name).cloned();
        status.packs.push(PackState { name: meta.name.clone(), lessons: lessons.len(), reach });
    }
    for (dir, run) in run::list(&root) {
        status.runs.add(&run, &activity::read(&dir).context(format!("{} cannot be read", dir.display()))?);
    }
    Ok(Box::new(status))
}

struct Status {
    now: Timestamp,
    packs: Vec<PackState>,
    broken: Vec<(String, String)>,
    pending: Vec<(PackName, LessonId, String)>,
    candidates: usize,
    recurring: usize,
    branch: Branch,
    runs: Runs,
    /// Settings files with our entries.
    hooks: Vec<String>,
    hooks_alive: bool,
    merge_driver: bool,
}

struct PackState {
    name: PackName,
    lessons: usize,
    reach: Option<Reach>,
}

struct Branch {
    name: String,
    tip: Option<Id>,
    base: String,
    /// Commits that the branch has and the base has not, and the other way round.
    base_ahead_behind: Option<(usize, usize)>,
    remote: Option<String>,
    /// The same against the branch at the remote.
    remote_ahead_behind: Option<(usize, usize)>,
}

fn branch(heard: &Heard) -> Result<Branch> {
    let (repo, config) = (&heard.repo, &heard.config);
    let packs = repo.packs_branch(config)?;
    let base = repo.base(config)?;
    let mut history = History::new(repo)?;
    let mut against = |other: Option<Id>| -> Result<Option<(usize, usize)>> {
        let Some((tip, other)) = packs.tip().zip(other) else { return Ok(None) };
        let divergence = history.compare(tip, other)?;
        Ok(Some((divergence.left.len(), divergence.right.len())))
    };
    Ok(Branch {
        name: config.branch.clone(),
        tip: packs.local,
        base: base.short().to_owned(),
        base_ahead_behind: against(base.tip)?,
        remote: packs.remote.as_ref().map(|(name, _)| short(name).to_owned()),
        remote_ahead_behind: against(packs.remote.as_ref().map(|(_, tip)| *tip))?,
    })
}

/// What the sessions of this clone came to.
#[derive(Default)]
struct Runs {
    count: usize,
    last: Option<Timestamp>,
    last_hook: Option<Timestamp>,
    prompts: usize,
    /// Prompts by language; `und` for those that were seen and not understood.
    languages: BTreeMap<String, usize>,
    injections: usize,
}

impl Runs {
    fn add(&mut self, run: &run::Run, activity: &[Activity]) {
        self.count += 1;
        self.last = self.last.max(Some(run.segment_started));
        self.injections += run.counts.injections;
        self.last_hook = self.last_hook.max(activity.iter().map(|one| one.at).max());
        for prompt in activity.iter().filter(|one| one.event == Event::Prompt) {
            self.prompts += 1;
            if let Some(lang) = &prompt.lang {
                *self.languages.entry(lang.clone()).or_default() += 1;
            }
        }
    }

    fn not_understood(&self) -> usize {
        self.languages.get("und").copied().unwrap_or(0)
    }
}

impl Report for Status {
    fn json(&self) -> Value {
        let pair = |pair: Option<(usize, usize)>| pair.map(|(ahead, behind)| json!({ "ahead": ahead, "behind": behind }));
        json!({
            "packs": self.packs.iter().map(|pack| json!({
                "pack": pack.name, "lessons": pack.lessons,
                "matches": pack.reach.as_ref().map(|reach| reach.matched),
                "files": pack.reach.as_ref().map(|reach| reach.files),
            })).collect::<Vec<_>>(),
            "broken": self.broken.iter().map(|(pack, reason)| json!({ "pack": pack, "reason": reason })).collect::<Vec<_>>(),
            "pending": self.pending.iter().map(|(pack, id, title)| json!({ "pack": pack, "id": id, "title": title })).collect::<Vec<_>>(),
            "candidates": { "waiting": self.candidates, "recurring": self.recurring },
            "branch": {
                "name": self.branch.name, "tip": self.branch.tip.map(|id| id.to_string()),
                "base": self.branch.base, "against_base": pair(self.branch.base_ahead_behind),
                "remote": self.branch.remote, "against_remote": pair(self.branch.remote_ahead_behind),
            },
            "runs": { "count": self.runs.count, "last": self.runs.last, "prompts": self.runs.prompts, "injections": self.runs.injections },
            "languages": self.runs.languages,
            "hooks": { "alive": self.hooks_alive, "settings": self.hooks, "last": self.runs.last_hook, "merge_driver": self.merge_driver },
        })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        self.packs_text(out)?;
        self.branch_text(out)?;
        match (self.candidates, self.recurring) {
            (0, _) => writeln!(out, "Candidates: none wait.")?,
            (waiting, 0) => writeln!(out, "Candidates: {waiting} wait: `marvel reflect`")?,
            (waiting, recurring) => {
                writeln!(out, "Candidates: {waiting} wait, {recurring} of them said in more than one run: `marvel reflect`")?;
            }
        }
        self.runs_text(out)
    }
}

impl Status {
    fn packs_text(&self, out: &mut String) -> fmt::Result {
        let (name, warning) = (style::NAME, style::WARNING);
        if self.packs.is_empty() && self.broken.is_empty() {
            return writeln!(out, "Packs: none. `marvel init` adds the starter packs.");
        }
        writeln!(out, "Packs in force:")?;
        let rows: Vec<Vec<String>> = self
            .packs
            .iter()
            .map(|pack| {
                let reach = match &pack.reach {
                    Some(reach) if reach.is_silent() => {
                        format!("{warning}matches 0 of {} tracked files{warning:#}", reach.files)
                    }
                    Some(reach) => format!("matches {} of {} tracked files", reach.matched, reach.files),
                    None => String::new(),
                };
                vec![format!("  {name}{}{name:#}", pack.name), plural(pack.lessons, "lesson"), reach]
            })
            .collect();
        out.push_str(&table(&[], &rows));
        for (pack, reason) in &self.broken {
            writeln!(out, "  {warning}{} is silent:{warning:#} {} (`marvel validate`)", escape(pack), escape(reason))?;
        }
        if !self.pending.is_empty() {
            writeln!(out, "Pending review, in force here already:")?;
            let id = style::ID;
            for (pack, lesson, title) in &self.pending {
                writeln!(out, "  {id}{lesson}{id:#}  [{pack}] {}", escape(title))?;
            }
        }
        Ok(())
    }

    fn branch_text(&self, out: &mut String) -> fmt::Result {
        let branch = &self.branch;
        if branch.tip.is_none() && branch.remote.is_none() {
            return writeln!(out, "Branch {}: it is born with the first promotion.", escape(&branch.name));
        }
        let against = |pair: Option<(usize, usize)>| match pair {
            Some((0, 0)) => "up to date with".to_owned(),
            Some((ahead, 0)) => format!("{} ahead of", plural(ahead, "commit")),
            Some((0, behind)) => format!("{} behind", plural(behind, "commit")),
            Some((ahead, behind)) => format!("{ahead} ahead, {behind} behind"),
            None => "unrelated to".to_owned(),
        };
        write!(out, "Branch {}: {} {}", escape(&branch.name), against(branch.base_ahead_behind), escape(&branch.base))?;
        match (&branch.remote, branch.tip) {
            (Some(remote), Some(_)) => {
                let apart = branch.remote_ahead_behind != Some((0, 0));
                let sync = if apart { "; `marvel sync --push` brings them together" } else { "" };
                writeln!(out, "; {} {}{sync}", against(branch.remote_ahead_behind), escape(remote))
            }
            (Some(remote), None) => writeln!(out, "; only at {}: `marvel sync`", escape(remote)),
            (None, _) => writeln!(out, "; not pushed: `marvel sync --push`"),
        }
    }

    fn runs_text(&self, out: &mut String) -> fmt::Result {
        let runs = &self.runs;
        match runs.last {
            None => writeln!(out, "Sessions: none yet.")?,
            Some(last) => writeln!(
                out,
                "Sessions: {}, the last {}; {} heard, {} given.",
                runs.count,
                ago(self.now, last),
                plural(runs.prompts, "prompt"),
                plural(runs.injections, "injection")
            )?,
        }
        if runs.not_understood() > 0 {
            let warning = style::WARNING;
            writeln!(
                out,
                "{warning}Languages:{warning:#} {} of {} were seen and not understood: corrections in them are not captured.",
                runs.not_understood(),
                plural(runs.prompts, "prompt")
            )?;
        }
        match (self.hooks_alive, self.hooks.first()) {
            (true, Some(file)) => writeln!(out, "Hooks: in {}{}.", escape(file), heard_last(self.now, runs.last_hook)),
            (true, None) => writeln!(out, "Hooks: by the plugin{}.", heard_last(self.now, runs.last_hook)),
            (false, _) => writeln!(out, "Hooks: not installed, or switched off: `marvel doctor`"),
        }
    }
}

fn heard_last(now: Timestamp, last: Option<Timestamp>) -> String {
    last.map(|last| format!(", last heard {}", ago(now, last))).unwrap_or_default()
}

fn plural(count: usize, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

/// "3 hours ago", as git says it.
fn ago(now: Timestamp, then: Timestamp) -> String {
    let minutes = now.since(then).num_minutes();
    let (count, unit) = match minutes {
        ..1 => return "just now".to_owned(),
        1..90 => (minutes, "minute"),
        90..2160 => ((minutes + 30) / 60, "hour"),
        _ => ((minutes + 720) / 1440, "day"),
    };
    format!("{} ago", plural(usize::try_from(count).unwrap_or(0), unit))
}
