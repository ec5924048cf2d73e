//! What `doctor` makes of what is installed: one finding a fact, each that is wrong with what to type. Pure: the facts are
//! gathered elsewhere.

use serde::Serialize;

use super::client::{Client, DELIVERS, TAKES_ARGS};
use super::entries::EVENTS;
use super::git_hooks::{Closed, State};
use super::place::Scope;
use super::seal::Owner;
use super::state::{Installed, SettingsFile};

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    Ok,
    /// Worth knowing.
    Note,
    Wrong,
}

/// One fact.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fact {
    pub level: Level,
    /// Stable, in kebab-case.
    pub about: &'static str,
    pub message: String,
    /// What to type, or to do.
    pub fix: Option<String>,
}

impl Fact {
    pub fn ok(about: &'static str, message: impl Into<String>) -> Self {
        Self { level: Level::Ok, about, message: message.into(), fix: None }
    }

    pub fn note(about: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Note, about, message: message.into(), fix: Some(fix.into()) }
    }

    pub fn wrong(about: &'static str, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { level: Level::Wrong, about, message: message.into(), fix: Some(fix.into()) }
    }
}

/// The client and what it runs.
pub fn client(installed: &Installed, client: &Client) -> Vec<Fact> {
    let about = "client";
    let direct = installed.hooked().any(|file| file.scope != Scope::Project);
    let lowest = if direct { TAKES_ARGS } else { DELIVERS };
    vec![match client {
        Client::Missing => Fact::note(about, "`claude` is not on PATH", "install Claude Code, or open it where it is installed"),
        Client::Unknown(path) => Fact::note(about, format!("{} does not say its version", path.display()), "claude --version"),
        Client::Found(_, version) if *version < lowest => {
            let message = format!("Claude Code {version} is too old: from {lowest} on, what a hook says reaches the agent");
            Fact::wrong(about, message, "claude update")
        }
        Client::Found(_, version) => Fact::ok(about, format!("Claude Code {version}")),
    }]
}

/// The hook entries in the client's settings.
pub fn entries(installed: &Installed) -> Vec<Fact> {
    let about = "hooks";
    let mut facts = Vec::new();
    for file in &installed.settings {
        if file.switches.hooks_off {
            let message = format!("{} switches all hooks off (`disableAllHooks`)", file.shown);
            facts.push(Fact::wrong(about, message, format!("take `disableAllHooks` out of {}", file.shown)));
        }
        match &file.entries {
            Err(problem) => {
                let message = format!("{}:{problem}; Claude Code passes the whole file over", file.shown);
                facts.push(Fact::wrong(about, message, format!("repair {}", file.shown)));
            }
            Ok(found) if !found.is_empty() => facts.push(file_entries(file)),
            Ok(_) => {}
        }
    }
    let ways: Vec<&str> =
        installed.hooked().map(|file| file.shown.as_str()).chain(installed.has_plugin().then_some("the plugin")).collect();
    match ways.len() {
        0 => facts.push(Fact::wrong(about, "Claude Code has no hooks of marvel: nothing is captured or shown", "marvel init")),
        1 => {}
        _ => {
            let message = format!("installed {} ways, so each event runs as often: {}", ways.len(), ways.join(", "));
            facts.push(Fact::wrong(
                "installed-twice",
                message,
                "keep one: `marvel init --uninstall` takes out those in settings files",
            ));
        }
    }
    facts
}

fn file_entries(file: &SettingsFile) -> Fact {
    let (alive, all) = (file.alive(), EVENTS.len());
    if file.complete {
        return Fact::ok("hooks", format!("{}: {alive} of {all} hooks", file.shown));
    }
    let message = format!("{}: {alive} of {all} hooks, not as this version writes them", file.shown);
    Fact::wrong("hooks", message, format!("marvel init --scope {}", file.scope.name()))
}

pub fn skills(installed: &Installed) -> Vec<Fact> {
    let about = "skills";
    let outdated = installed.skills.iter().filter(|skill| skill.owner == Owner::Us && !skill.current).count();
    let own = installed.skills.iter().filter(|skill| skill.owner != Owner::Us).count();
    if outdated > 0 {
        return vec![Fact::note(about, format!("{outdated} skills are of another version"), "marvel init")];
    }
    let changed = if own > 0 { format!(", {own} changed by hand") } else { String::new() };
    match installed.skills.len() {
        0 if installed.has_plugin() => vec![Fact::ok(about, "with the plugin")],
        0 => vec![Fact::note(about, "there are none", "marvel init")],
        all => vec![Fact::ok(about, format!("{all} skills{changed}"))],
    }
}

pub fn git_hooks(installed: &Installed, folder: &str) -> Vec<Fact> {
    let about = "git-hooks";
    if installed.hooks_folder.closed == Some(Closed::Missing) {
        let message = format!("{folder}: {}", Closed::Missing.because());
        return vec![Fact::wrong(about, message, "git config --show-origin core.hooksPath")];
    }
    let with = |wanted: &[State]| -> Vec<&str> {
        installed.git_hooks.iter().filter(|(_, state)| wanted.contains(state)).map(|(hook, _)| *hook).collect()
    };
    let (missing, foreign) = (with(&[State::None]), with(&[State::Foreign]));
    let mut facts = Vec::new();
    if missing.is_empty() && foreign.is_empty() {
        facts.push(Fact::ok(about, format!("{} in {folder}", installed.git_hooks.len())));
    }
    if let (Some(closed), false) = (installed.hooks_folder.closed, missing.is_empty()) {
        let message = format!("{} do not call marvel: {}", missing.join(", "), closed.because());
        facts.push(Fact::note(about, message, format!("add to each: {}", super::git_hooks::line("NAME"))));
    } else if !missing.is_empty() {
        let message =
            format!("{} are not in {folder}: packs are not checked before they are committed or pushed", missing.join(", "));
        facts.push(Fact::note(about, message, "marvel init"));
    }
    for hook in foreign {
        let message = format!("{folder}/{hook} does not call marvel");
        facts.push(Fact::note(about, message, format!("add to it: {}", super::git_hooks::line(hook))));
    }
    facts
}

pub fn merge_driver(installed: &Installed, attributes: bool) -> Vec<Fact> {
    let about = "merge-driver";
    let mut facts = vec![if installed.merge_driver {
        Fact::ok(about, "registered in this clone")
    } else {
        Fact::wrong(about, "not registered in this clone: merges of lessons conflict by line", "marvel init")
    }];
    if !attributes && !installed.packs.is_empty() {
        let message = "marvel/packs/.gitattributes does not name it: git does not use it";
        facts.push(Fact::wrong(about, message, "add to marvel/packs/.gitattributes: */lessons.jsonl merge=marvel"));
    }
    facts
}

/// Whether the packs have anything to say here.
pub fn reach(installed: &Installed) -> Vec<Fact> {
    let about = "packs";
    if installed.packs.is_empty() {
        return vec![Fact::wrong(about, "there are none", "marvel init")];
    }
    let mut facts = vec![Fact::ok(about, format!("{} packs", installed.packs.len()))];
    facts.extend(installed.silent_packs().map(|pack| {
        let message = format!("{} matches 0 of {} tracked files", pack.pack, pack.files);
        Fact::note(about, message, format!("marvel pack tailor {}", pack.pack))
    }));
    facts
}
