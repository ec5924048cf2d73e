//! What the person is told, and the agent never: once a day that something waits, once a candidate that one is there.

use std::collections::BTreeSet;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::Unpushed;
use super::scene::Scene;
use crate::capture::candidates::{Candidate, group};
use crate::model::config::Config;
use crate::model::timestamp::Timestamp;
use crate::model::visible;
use crate::session::packs::Packs;
use crate::session::root::Root;
use crate::session::{file, guidance};

/// Lessons that were not pushed for so long are worth a word.
const UNPUSHED_DAYS: i64 = 7;
/// From this standing on a candidate states a rule.
const RULE: f64 = 0.75;
/// Candidates of which it is remembered that they were told.
const MAX_TOLD: usize = 500;

/// Statements and packs that are looked at.
const MAX_STATEMENTS: usize = 200;
const MAX_PACKS: usize = 8;

/// What was told already.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(default)]
struct Told {
    daily: Option<Timestamp>,
    candidates: BTreeSet<String>,
}

impl Told {
    fn path(root: &Root) -> PathBuf {
        root.cache_dir().join("told.json")
    }

    /// Reads what was told, lets `tell` say something more, and writes that down before it is said. Without the lock nothing is
    /// said: another hook says it.
    fn update(root: &Root, tell: impl FnOnce(&mut Self) -> Option<String>) -> Option<String> {
        let _lock = file::lock(&root.cache_dir().join("told.lock"), file::LOCK_WAIT).ok()?;
        let bytes = file::read(&Self::path(root)).ok()?;
        let mut told: Self = bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
        let message = tell(&mut told)?;
        file::write_cache(&Self::path(root), &serde_json::to_vec(&told).ok()?).ok()?;
        Some(message)
    }
}

/// At most once a day: candidates that recur, lessons that were not pushed for a week.
pub fn daily(scene: &Scene<'_>, packs: &Packs, config: &Config, unpushed: Option<Unpushed>) -> Option<String> {
    let home = &scene.place.home;
    let now = scene.now;
    Told::update(home, |told| {
        if told.daily.is_some_and(|at| now.since(at).num_hours() < 24 && at <= now) {
            return None;
        }
        let candidates = open_candidates(home, packs, config, now);
        let recurring: Vec<&Candidate> =
            candidates.iter().filter(|one| one.runs.len() > 1 && one.duplicate_of.is_none()).collect();
        let mut parts = Vec::new();
        if let Some(first) = recurring.first() {
            let what = if recurring.len() == 1 { "one thing".to_owned() } else { format!("{} things", recurring.len()) };
            parts.push(format!(
                "you said {what} in several sessions, such as {}. `marvel reflect` turns it into a lesson.",
                quoted(&first.text)
            ));
        }
        if let Some(unpushed) =
            unpushed.filter(|unpushed| unpushed.lessons > 0 && now.since(unpushed.oldest).num_days() >= UNPUSHED_DAYS)
        {
            let days = now.since(unpushed.oldest).num_days();
            let (what, are) = if unpushed.lessons == 1 { ("lesson", "is") } else { ("lessons", "are") };
            parts.push(format!(
                "{} {what} of yours {are} unpushed for {days} days. `marvel sync --push` shares them.",
                unpushed.lessons
            ));
        }
        if parts.is_empty() {
            return None;
        }
        told.daily = Some(now);
        Some(format!("marvel: {}", parts.join(" ")))
    })
}

/// Once a candidate: what this session said that recurred, or that states a rule.
pub fn candidate(scene: &Scene<'_>, packs: &Packs, config: &Config) -> Option<String> {
    let home = &scene.place.home;
    let said: BTreeSet<String> = guidance::read(&scene.run_dir).ok()?.into_iter().map(|one| one.id).collect();
    if said.is_empty() {
        return None;
    }
    let candidates = open_candidates(home, packs, config, scene.now);
    let worth = |one: &&Candidate| {
        one.guidance.iter().any(|id| said.contains(id)) && one.duplicate_of.is_none() && (one.count > 1 || one.standing >= RULE)
    };
    let found = candidates.iter().find(worth)?;
    Told::update(home, |told| {
        if !told.candidates.insert(found.id.clone()) {
            return None;
        }
        while told.candidates.len() > MAX_TOLD {
            told.candidates.pop_first();
        }
        let often = if found.count > 1 { format!(" ({} times)", found.count) } else { String::new() };
        Some(format!("marvel: noted {}{often}. `marvel reflect` turns it into a lesson.", quoted(&found.text)))
    })
}

/// Judged against the packs that the statements speak to, and no more: a hook has little time.
fn open_candidates(root: &Root, packs: &Packs, config: &Config, now: Timestamp) -> Vec<Candidate> {
    let mut open = guidance::open(root);
    let newest = open.len().saturating_sub(MAX_STATEMENTS);
    open.drain(..newest);
    let spoken_to: BTreeSet<&str> = open.iter().filter_map(|one| one.pack.as_deref()).collect();
    let metas = packs.metas().iter().filter(|meta| spoken_to.contains(meta.name.as_str())).take(MAX_PACKS);
    group(&open, &metas.map(|meta| packs.pack(meta, true)).collect::<Vec<_>>(), now, config.capture.expire_days)
}

/// On one line, and short: the person knows what they said.
fn quoted(text: &str) -> String {
    const MAX: usize = 80;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line = visible::escape(&line);
    let cut: String = line.chars().take(MAX).collect();
    if cut.len() < line.len() { format!("\u{201c}{}…\u{201d}", cut.trim_end()) } else { format!("\u{201c}{cut}\u{201d}") }
}
