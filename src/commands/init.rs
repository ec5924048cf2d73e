//! `marvel init`: sets MARVEL up in a repository, and takes it out again. What it puts where is `install`'s.

use std::fmt::Write as _;

use serde_json::json;

use super::Context;
use crate::error::{Error, Result};
use crate::install::change::Change;
use crate::install::entries::EVENTS;
use crate::install::git_hooks::{HOOKS, State};
use crate::install::place::{Place, Scope};
use crate::install::plan::{self, Choice, Options, Plan};
use crate::install::{Installed, Reach, ci, state};
use crate::model::pack::PackName;
use crate::model::visible::escape;
use crate::ui::{Report, diff, prompt, style, table};

/// Set MARVEL up in this repository: packs, Claude Code's hooks, skills, git hooks, merge driver
#[derive(clap::Args)]
pub struct Args {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Whose Claude Code settings get the hooks: the team's (committed), yours here, or yours everywhere [default: project]
    #[arg(long, value_enum, value_name = "SCOPE")]
    scope: Option<ScopeArg>,
    /// Leave Claude Code's settings and skills alone
    #[arg(long)]
    no_claude: bool,
    /// Install no git hooks
    #[arg(long)]
    no_git_hooks: bool,
    /// The starter packs to add, or `none` [default: all where the repository has no packs yet]
    #[arg(long, value_delimiter = ',', value_name = "PACKS")]
    packs: Option<Vec<String>>,
    /// Leave the starter packs as shipped, not fitted to the files of this repository
    #[arg(long)]
    no_tailor: bool,
    /// Keep lessons on a branch of this name [default: packs]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Take out what was put in; the packs stay, and with `--scope user` your own settings are cleared even where another
    /// repository put the hooks there
    #[arg(long, conflicts_with_all = ["no_claude", "no_git_hooks", "packs", "no_tailor", "branch"])]
    uninstall: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
    /// Print a workflow file that validates and reviews packs in pull requests, and do nothing else
    #[arg(long, value_enum, value_name = "HOST", conflicts_with_all = ["uninstall", "dry_run"])]
    print_ci: Option<Host>,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ScopeArg {
    Project,
    Local,
    User,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum Host {
    Github,
    Gitlab,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    if let Some(host) = args.print_ci {
        let text = match host {
            Host::Github => ci::GITHUB,
            Host::Gitlab => ci::GITLAB,
        };
        return Ok(Box::new(super::man::Generated { text: text.to_owned() }));
    }
    let place = Place::find(&cx.dir)?;
    let plan = if args.uninstall {
        plan::uninstall(&place, scope(args) == Scope::User)?
    } else {
        plan::install(&place, &options(args)?)?
    };
    let shown = |change: &Change| Shown { path: place.shown(&change.path), change: change.clone() };
    let mut done = Done {
        changes: plan.changes.iter().map(shown).collect(),
        dry_run: args.dry_run,
        uninstall: args.uninstall,
        root: place.work_tree.display().to_string(),
        plan,
        now: None,
    };
    if args.dry_run {
        return Ok(Box::new(done));
    }
    if !done.plan.is_empty() && cx.ui.is_interactive() && !args.yes {
        cx.ui.note(done.proposal());
        if !prompt::confirm("Go ahead?")? {
            return Err(Error::user("nothing was changed"));
        }
    }
    done.plan.apply(&place)?;
    // What is said to be there is what is found there.
    done.now = Some(state::read(&Place::find(&cx.dir)?)?);
    Ok(Box::new(done))
}

fn scope(args: &Args) -> Scope {
    match args.scope {
        None | Some(ScopeArg::Project) => Scope::Project,
        Some(ScopeArg::Local) => Scope::Local,
        Some(ScopeArg::User) => Scope::User,
    }
}

fn options(args: &Args) -> Result<Options> {
    let name = |name: &String| PackName::new(name).ok_or_else(|| Error::usage(format!("`{name}` is no name of a pack")));
    let packs = match args.packs.as_deref() {
        None => Choice::Default,
        Some([none]) if none == "none" => Choice::None,
        Some(names) => Choice::Named(names.iter().map(name).collect::<Result<_>>()?),
    };
    Ok(Options {
        scope: scope(args),
        claude: !args.no_claude,
        git_hooks: !args.no_git_hooks,
        packs,
        tailor: !args.no_tailor,
        branch: args.branch.clone(),
    })
}

struct Shown {
    path: String,
    change: Change,
}

impl Shown {
    fn action(&self) -> &'static str {
        match (&self.change.before, &self.change.after) {
            (None, _) => "created",
            (_, None) => "removed",
            _ => "changed",
        }
    }
}

struct Done {
    plan: Plan,
    changes: Vec<Shown>,
    dry_run: bool,
    uninstall: bool,
    root: String,
    /// As it was found afterwards.
    now: Option<Installed>,
}

impl Done {
    fn proposal(&self) -> String {
        let mut text = format!("In {}:\n", escape(&self.root));
        for shown in &self.changes {
            let _ = writeln!(text, "  {}  {}", shown.action(), shown.path);
        }
        if !self.plan.git_config.is_empty() {
            let _ = writeln!(text, "  changed  .git/config (the merge driver)");
        }
        text
    }

    fn git_commands(&self) -> impl Iterator<Item = String> {
        self.plan.git_config.iter().map(|(key, value)| match value {
            Some(value) => format!("git config {key} '{}'", value.replace('\'', "'\\''")),
            None => format!("git config --remove-section {key}"),
        })
    }

    fn diff(&self, out: &mut String) -> std::fmt::Result {
        for shown in &self.changes {
            diff::unified(&shown.path, shown.change.before.as_deref(), shown.change.after.as_deref(), out)?;
        }
        let color = if self.uninstall { style::REMOVED } else { style::ADDED };
        self.git_commands().try_for_each(|command| writeln!(out, "{color}{}{color:#}", escape(&command)))
    }

    fn summary(&self, now: &Installed, out: &mut String) -> std::fmt::Result {
        for shown in self.changes.iter().filter(|_| self.uninstall) {
            writeln!(out, "{} {}", shown.action(), shown.path)?;
        }
        if self.plan.is_empty() {
            writeln!(out, "Nothing to do: everything is {}.", if self.uninstall { "out already" } else { "in place" })?;
        }
        if self.uninstall {
            return Ok(());
        }
        let mut rows = Vec::new();
        for pack in &now.packs {
            let is_new = if self.plan.added_packs.contains(&pack.pack) { ", new" } else { "" };
            rows.push(vec![format!("pack {}", pack.pack), format!("{}{is_new}", speaks_for(pack))]);
        }
        for file in now.hooked() {
            rows.push(vec!["Claude Code".to_owned(), format!("{}: {} of {} hooks", file.shown, file.alive(), EVENTS.len())]);
        }
        if !now.skills.is_empty() {
            rows.push(vec!["skills".to_owned(), format!("{}, such as /marvel-reflect", now.skills.len())]);
        }
        let calls = now.git_hooks.iter().filter(|(_, state)| !matches!(state, State::Foreign | State::None)).count();
        rows.push(vec!["git hooks".to_owned(), format!("{calls} of {}", HOOKS.len())]);
        rows.push(vec!["merge driver".to_owned(), if now.merge_driver { "registered" } else { "not registered" }.to_owned()]);
        out.push_str(&table::table(&[], &rows));
        Ok(())
    }

    /// What to do next, where something is new.
    fn next_steps(&self, out: &mut String) -> std::fmt::Result {
        if self.plan.is_empty() || self.uninstall || self.dry_run {
            return Ok(());
        }
        let hint = style::HINT;
        let in_tree: Vec<&str> = ["marvel", ".claude"]
            .into_iter()
            .filter(|folder| self.changes.iter().any(|shown| shown.path.starts_with(&format!("{folder}/"))))
            .collect();
        if !in_tree.is_empty() {
            writeln!(out, "{hint}next:{hint:#} git add {} && git commit -m \"Set up MARVEL\"", in_tree.join(" "))?;
        }
        if self.now.as_ref().is_some_and(Installed::is_alive) {
            writeln!(
                out,
                "{hint}next:{hint:#} start Claude Code here; `marvel why PATH` shows what it will be told about a file"
            )?;
        }
        Ok(())
    }
}

/// "matches 3 of 40 tracked files", and whether that is a problem.
fn speaks_for(pack: &Reach) -> String {
    if pack.git_commands {
        return format!("matches {} of {} tracked files, and git commands", pack.matched, pack.files);
    }
    let silent = if pack.is_silent() { ": nothing here calls for it" } else { "" };
    format!("matches {} of {} tracked files{silent}", pack.matched, pack.files)
}

impl Report for Done {
    fn json(&self) -> serde_json::Value {
        let hooks = |now: &Installed| {
            now.hooked()
                .map(|file| json!({ "path": file.shown, "hooks": file.alive(), "complete": file.complete }))
                .collect::<Vec<_>>()
        };
        json!({
            "dry_run": self.dry_run,
            "changes": self.changes.iter().map(|shown| json!({ "path": shown.path, "action": shown.action() })).collect::<Vec<_>>(),
            "git_config": self.plan.git_config.iter().map(|(key, value)| json!({ "key": key, "value": value })).collect::<Vec<_>>(),
            "packs": self.plan.added_packs,
            "tailored": self.plan.tailored.iter().map(|one| json!({ "pack": one.pack, "code_paths": one.added })).collect::<Vec<_>>(),
            "notes": self.plan.notes,
            "settings": self.now.as_ref().map(hooks),
        })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        match &self.now {
            Some(now) => self.summary(now, out)?,
            None if self.plan.is_empty() => writeln!(out, "Nothing to do.")?,
            None => self.diff(out)?,
        }
        let (name, hint) = (style::NAME, style::HINT);
        for one in self.plan.tailored.iter().filter(|one| !one.added.is_empty()) {
            writeln!(out, "{name}{}{name:#} was fitted to this repository: {}", one.pack, escape(&one.added.join(", ")))?;
        }
        for note in &self.plan.notes {
            writeln!(out, "{hint}note:{hint:#} {note}")?;
        }
        self.next_steps(out)
    }
}
