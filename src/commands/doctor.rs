//! `marvel doctor`: what is installed, what runs, what is wrong, and what to type. Judging is `install::diagnosis`'; here the
//! facts are gathered and shown.

use std::fmt::Write as _;

use serde_json::json;

use super::Context;
use crate::error::Result;
use crate::install::client::Client;
use crate::install::diagnosis::{self, Fact, Level};
use crate::install::place::Place;
use crate::install::state;
use crate::model::config::Config;
use crate::model::pack::PACKS_DIR;
use crate::model::visible::escape;
use crate::session::packs::Packs;
use crate::session::shown::{self, What};
use crate::session::{file, guidance, log, packs, run};
use crate::store;
use crate::ui::{Report, style};

/// Find out what is installed, what runs, what is wrong, and what to type
#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let place = Place::find(&cx.dir)?;
    let installed = state::read(&place)?;
    let (config, bad_config) = packs::config(&place.root);
    let mut facts = binary(&place);
    facts.extend(diagnosis::client(&installed, &Client::find(&place)));
    facts.extend(diagnosis::entries(&installed));
    facts.extend(diagnosis::skills(&installed));
    facts.extend(diagnosis::git_hooks(&installed, &place.shown(&installed.hooks_folder.path)));
    facts.extend(diagnosis::merge_driver(&installed, has_attributes(&place)));
    facts.extend(bad_config.map(|why| Fact::wrong("config", why, "marvel validate")));
    facts.extend(diagnosis::reach(&installed));
    facts.extend(valid(&place, cx)?);
    facts.extend(ignored(&place));
    facts.extend(identity(&place)?);
    facts.push(branch(&place, &config));
    facts.extend(budget(&place, &config));
    facts.extend(last(&place));
    Ok(Box::new(Diagnosis { facts }))
}

fn binary(place: &Place) -> Vec<Fact> {
    let version = env!("CARGO_PKG_VERSION");
    let fix = format!("put {} into a folder of PATH", place.recorded_program());
    vec![match (place.on_path("marvel"), place.in_usual_places()) {
        (Some(path), _) => Fact::ok("binary", format!("marvel {version}, {}", path.display())),
        (None, Some(path)) => {
            let message =
                format!("marvel {version} is not on PATH; a project's hooks find {}, your own settings do not", path.display());
            Fact::note("binary", message, fix)
        }
        (None, None) => {
            let message = format!("marvel {version} is not on PATH, and in none of the places where hooks look for it");
            Fact::wrong("binary", message, fix)
        }
    }]
}

/// Whether the next promotion would find where to stand; if not, what it would say.
fn branch(place: &Place, config: &Config) -> Fact {
    match store::branch::packs(&place.repo, config) {
        Ok(_) => Fact::ok("branch", format!("a promotion can be committed to {}", escape(&config.branch))),
        Err(error) => Fact {
            fix: error.hints.first().cloned(),
            ..Fact::wrong("branch", format!("nothing can be committed to {}: {}", escape(&config.branch), error.message), "")
        },
    }
}

fn has_attributes(place: &Place) -> bool {
    let path = format!("{PACKS_DIR}/any/lessons.jsonl");
    let answer = place.repo.git().args(["check-attr", "merge", "--", &path]).text();
    answer.is_ok_and(|text| text.ends_with(": merge: marvel"))
}

fn valid(place: &Place, cx: &Context) -> Result<Vec<Fact>> {
    let files = place.repo.packs_here()?;
    let findings = crate::check::check(&files, &crate::check::Options::new(cx.now));
    let errors = findings.iter().filter(|finding| finding.severity == crate::model::finding::Severity::Error).count();
    Ok(match errors {
        0 => Vec::new(),
        _ => vec![Fact::wrong("packs", format!("{errors} errors: what has one is silent or read in part"), "marvel validate")],
    })
}

/// What git ignores never reaches a teammate.
fn ignored(place: &Place) -> Vec<Fact> {
    let ignores = |path: &str| {
        place.repo.git().args(["check-ignore", "-q", "--no-index", "--", path]).output().is_ok_and(|output| output.code == 0)
    };
    let paths = [format!("{PACKS_DIR}/any/lessons.jsonl"), ".claude/settings.json".to_owned()];
    let found = paths.iter().filter(|path| ignores(path)).map(|path| {
        let shown = path.replace("/any/", "/*/");
        let fix = format!("git check-ignore -v --no-index {path}");
        Fact::note("ignored", format!("{shown} is ignored by git: it reaches nobody else"), fix)
    });
    found.collect()
}

/// Promotions are commits: they need an author.
fn identity(place: &Place) -> Result<Vec<Fact>> {
    let known = place.repo.git().args(["var", "GIT_AUTHOR_IDENT"]).output();
    if known.is_ok_and(|output| output.code == 0) {
        return Ok(Vec::new());
    }
    let fix = "git config user.name \"Your Name\" && git config user.email you@example.com";
    Ok(vec![Fact::wrong("identity", "git does not know who you are: nothing can be promoted", fix)])
}

/// Rules that fill more than four fifths of what an injection, or a session, may hold.
fn budget(place: &Place, config: &Config) -> Vec<Fact> {
    let units = |text: &str| text.encode_utf16().count();
    let most = config.inject.max_chars / 2;
    let packs = Packs::load(&place.root);
    let mut facts = Vec::new();
    for meta in packs.metas() {
        let used = units(&packs.guardrails(&meta.name)) * 100 / most.max(1);
        if used > 80 {
            let message = format!("the guardrails of {} fill {used} % of what one injection keeps for guardrails", meta.name);
            facts.push(Fact::note("budget", message, format!("shorten marvel/packs/{}/guardrails.md", meta.name)));
        }
    }
    let Some((dir, newest)) = run::list(&place.root).into_iter().max_by_key(|(_, run)| run.started) else { return facts };
    let shown: usize = shown::read(&dir)
        .unwrap_or_default()
        .iter()
        .filter(|entry| entry.what == What::Shown && entry.agent.is_none())
        .map(|entry| entry.chars)
        .sum();
    let used = shown * 100 / config.inject.max_chars_per_session.max(1);
    if used > 80 {
        let message = format!("{} was shown {used} % of what a session may be shown", newest.run_id);
        facts.push(Fact::note(
            "budget",
            message,
            "raise inject.max_chars_per_session in marvel/config.json, or run `marvel evolve`",
        ));
    }
    facts
}

/// When it last did anything.
fn last(place: &Place) -> Vec<Fact> {
    let root = &place.root;
    let captured = guidance::read_all(root).into_iter().max_by_key(|guidance| guidance.timestamp);
    let shown = run::dirs(root)
        .iter()
        .flat_map(|dir| shown::read(dir).unwrap_or_default())
        .filter(|entry| entry.what == What::Shown)
        .max_by_key(|entry| entry.at);
    let mut facts = Vec::new();
    facts.push(match captured {
        Some(guidance) => Fact::ok("last-capture", format!("{}, a {}", guidance.timestamp, guidance.kind)),
        None => Fact::note("last-capture", "none yet", "correct the agent once, then `marvel reflect`"),
    });
    facts.push(match shown {
        Some(entry) => Fact::ok("last-injection", format!("{}, for {}", entry.at, entry.files.join(", "))),
        None => Fact::note("last-injection", "none yet", "`marvel why PATH` shows what a file would bring"),
    });
    let log = file::read(&log::path(root)).ok().flatten().unwrap_or_default();
    let log = String::from_utf8_lossy(&log);
    let lines: Vec<&str> = log.lines().filter(|line| !line.trim().is_empty()).collect();
    if let Some(line) = lines.iter().rfind(|line| is_refusal(line)) {
        facts.push(Fact::ok("last-refusal", *line));
    }
    if let Some(line) = lines.iter().rfind(|line| !is_refusal(line)) {
        facts.push(Fact::note("log", *line, format!("read {}", place.shown(&log::path(root)))));
    }
    facts
}

/// Whether a line of the log tells of an edit or a commit that was held up, as it should be.
fn is_refusal(line: &str) -> bool {
    line.contains(" hook: refused the first edit") || (line.contains(" git-hook: ") && line.contains(" refused: "))
}

struct Diagnosis {
    facts: Vec<Fact>,
}

impl Diagnosis {
    fn count(&self, level: Level) -> usize {
        self.facts.iter().filter(|fact| fact.level == level).count()
    }
}

impl Report for Diagnosis {
    fn json(&self) -> serde_json::Value {
        json!({ "ok": self.count(Level::Wrong) == 0, "facts": self.facts })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        let width = self.facts.iter().map(|fact| fact.about.len()).max().unwrap_or(0);
        for fact in &self.facts {
            let (color, mark) = match fact.level {
                Level::Ok => (style::ADDED, "ok   "),
                Level::Note => (style::HINT, "note "),
                Level::Wrong => (style::ERROR, "wrong"),
            };
            writeln!(out, "{color}{mark}{color:#} {:width$}  {}", fact.about, escape(&fact.message))?;
            if let Some(fix) = &fact.fix {
                writeln!(out, "      {:width$}  {}> {}{:#}", "", style::HINT, escape(fix), style::HINT)?;
            }
        }
        match self.count(Level::Wrong) {
            0 => writeln!(out, "Nothing is wrong."),
            1 => writeln!(out, "1 thing is wrong."),
            wrong => writeln!(out, "{wrong} things are wrong."),
        }
    }

    fn exit_code(&self) -> u8 {
        u8::from(self.count(Level::Wrong) > 0)
    }
}
