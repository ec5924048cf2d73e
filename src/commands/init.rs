//! `marvel init`: sets MARVEL up in a repository, and takes it out again. What it puts where is `install`'s.

use std::fmt::Write as _;

use serde_json::json;

use super::Context;
use crate::error::{Error, Result};
use crate::install::change::Change;
use crate::install::place::{Place, Scope};
use crate::install::plan::{self, Choice, Options, Plan};
use crate::model::pack::PackName;
use crate::ui::{Report, diff, prompt, style};

/// Set MARVEL up in this repository: packs, Claude Code's hooks, skills, git hooks, merge driver
#[derive(clap::Args)]
pub struct Args {
    /// Do not ask
    #[arg(short, long)]
    yes: bool,
    /// Whose Claude Code settings get the hooks: the team's (committed), yours here, or yours everywhere
    #[arg(long, value_enum, default_value = "project", value_name = "SCOPE")]
    scope: ScopeArg,
    /// Leave Claude Code's settings and skills alone
    #[arg(long)]
    no_claude: bool,
    /// The starter packs to add, or `none` [default: all where the repository has no packs yet]
    #[arg(long, value_delimiter = ',', value_name = "PACKS")]
    packs: Option<Vec<String>>,
    /// Leave the starter packs as shipped, not fitted to the files of this repository
    #[arg(long)]
    no_tailor: bool,
    /// Keep lessons on a branch of this name [default: packs]
    #[arg(long, value_name = "NAME")]
    branch: Option<String>,
    /// Take out what was put in; the packs stay
    #[arg(long, conflicts_with_all = ["packs", "no_tailor", "branch", "no_claude", "scope"])]
    uninstall: bool,
    /// Show what would change, and change nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum ScopeArg {
    Project,
    Local,
    User,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let place = Place::find(&cx.dir)?;
    let plan = if args.uninstall { plan::uninstall(&place)? } else { plan::install(&place, &options(args)?)? };
    let done = Done { changes: changes(&place, &plan.changes), dry_run: args.dry_run, uninstall: args.uninstall, plan };
    if args.dry_run || done.plan.is_empty() {
        return Ok(Box::new(done));
    }
    if cx.ui.is_interactive() && !args.yes {
        cx.ui.note(done.proposal());
        if !prompt::confirm("Go ahead?")? {
            return Err(Error::user("nothing was changed"));
        }
    }
    done.plan.apply(&place)?;
    Ok(Box::new(done))
}

fn options(args: &Args) -> Result<Options> {
    let scope = match args.scope {
        ScopeArg::Project => Scope::Project,
        ScopeArg::Local => Scope::Local,
        ScopeArg::User => Scope::User,
    };
    let packs = match args.packs.as_deref() {
        None => Choice::Default,
        Some([none]) if none == "none" => Choice::None,
        Some(names) => Choice::Named(
            names
                .iter()
                .map(|name| PackName::new(name).ok_or_else(|| Error::usage(format!("`{name}` is no name of a pack"))))
                .collect::<Result<_>>()?,
        ),
    };
    Ok(Options { scope, claude: !args.no_claude, packs, tailor: !args.no_tailor, branch: args.branch.clone() })
}

fn changes(place: &Place, changes: &[Change]) -> Vec<Shown> {
    let shown = |change: &Change| Shown { path: place.shown(&change.path), change: change.clone() };
    changes.iter().map(shown).collect()
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
}

impl Done {
    fn proposal(&self) -> String {
        let mut text = String::from("This will be written:\n");
        for shown in &self.changes {
            let _ = writeln!(text, "  {:8} {}", shown.action(), shown.path);
        }
        text
    }
}

impl Report for Done {
    fn json(&self) -> serde_json::Value {
        json!({
            "dry_run": self.dry_run,
            "changes": self.changes.iter().map(|shown| json!({ "path": shown.path, "action": shown.action() })).collect::<Vec<_>>(),
            "packs": self.plan.added_packs,
            "tailored": self.plan.tailored.iter().map(|one| json!({ "pack": one.pack, "code_paths": one.added })).collect::<Vec<_>>(),
            "notes": self.plan.notes,
        })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        if self.dry_run {
            for shown in &self.changes {
                diff::unified(&shown.path, shown.change.before.as_deref(), shown.change.after.as_deref(), out)?;
            }
        } else {
            for shown in &self.changes {
                writeln!(out, "{:8} {}", shown.action(), shown.path)?;
            }
            if self.plan.is_empty() {
                writeln!(out, "Nothing to do: everything is {}.", if self.uninstall { "out already" } else { "in place" })?;
            }
        }
        for one in &self.plan.tailored {
            let chosen = if one.added.is_empty() { "nothing here for it".to_owned() } else { one.added.join(", ") };
            writeln!(out, "{}{}{:#} speaks up for: {chosen}", style::NAME, one.pack, style::NAME)?;
        }
        for note in &self.plan.notes {
            writeln!(out, "{}note:{:#} {note}", style::HINT, style::HINT)?;
        }
        Ok(())
    }
}
