//! Keeps `$GIT_DIR/marvel/overlay.json` of one worktree up to date: what is in force beyond its files. What is in force is
//! `in_force`'s, how it is applied `session::overlay`'s.

use std::collections::{BTreeMap, HashSet};
use std::fmt::Write as _;

use sha2::{Digest as _, Sha256};

use super::branch::Outcome;
use super::history::History;
use super::id::Id;
use super::in_force::{pending, reviewed};
use super::repo::Repo;
use crate::error::{Context as _, Result};
use crate::model::config::{Config, Pending};
use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE};
use crate::model::pack_files::PackFiles;
use crate::model::timestamp::Timestamp;
use crate::session::overlay::{Overlay, StandIn};
use crate::session::own;

/// Another form of the file, or another way to compute it, is another key.
const FORM: u32 = 1;

/// What is in force for this worktree beyond its own files, from the file where that is still right; else computed and
/// written.
pub fn refresh(repo: &Repo, config: &Config) -> Result<Overlay> {
    let root = repo.root();
    let inputs = Inputs::read(repo, config)?;
    let stored = Overlay::read(&root);
    if stored.key == inputs.key {
        return Ok(stored);
    }
    let overlay = inputs.overlay(repo, config)?;
    overlay.write(&root).context(format!("{} cannot be written", Overlay::path(&root).display()))?;
    Ok(overlay)
}

/// As [`refresh`], and nothing is written.
pub fn compute(repo: &Repo, config: &Config) -> Result<Overlay> {
    let inputs = Inputs::read(repo, config)?;
    let stored = Overlay::read(&repo.root());
    if stored.key == inputs.key { Ok(stored) } else { inputs.overlay(repo, config) }
}

/// After a commit to packs: notes it as this clone's own, and brings it into force here. The commit stands whatever
/// becomes of this.
pub fn settle(repo: &Repo, config: &Config, outcome: &Outcome, now: Timestamp) -> Result<Overlay> {
    let root = repo.root();
    for committed in &outcome.commits {
        let (Some(id), trailers) = (committed.id, &committed.message.trailers) else { continue };
        let entry = own::Entry {
            timestamp: now,
            action: trailers.action.map(|action| action.to_string()).unwrap_or_default(),
            commit: id.to_string(),
            pack: trailers.pack.as_ref().map(ToString::to_string),
            lesson: trailers.lesson.as_ref().map(ToString::to_string),
            guidance: trailers.guidance.clone(),
            segments: trailers.segments.clone(),
        };
        own::append(&root, &entry).context(format!("{} cannot be written", own::path(&root).display()))?;
    }
    refresh(repo, config)
}

/// All that the answer depends on.
struct Inputs {
    head: Option<Id>,
    base: Option<Id>,
    packs: Option<Id>,
    own: HashSet<String>,
    sparse: bool,
    key: String,
}

impl Inputs {
    fn read(repo: &Repo, config: &Config) -> Result<Self> {
        let root = repo.root();
        let head = repo.head()?.tip;
        let base = repo.base(config)?.tip;
        let packs = repo.packs_branch(config)?.tip();
        let own = own::read(&root).context(format!("{} cannot be read", own::path(&root).display()))?;
        let sparse = match repo.work_tree() {
            Some(work_tree) => {
                std::fs::symlink_metadata(work_tree.join("marvel")).is_err()
                    && repo.config_bool("core.sparseCheckout")? == Some(true)
            }
            None => false,
        };
        let mut key = format!("{FORM} {:?} {sparse}", config.pending);
        for id in [head, base, packs] {
            let _ = write!(key, " {}", id.map_or_else(|| "-".to_owned(), |id| id.to_string()));
        }
        let mut digest = Sha256::new();
        for entry in &own {
            digest.update(entry.commit.as_bytes());
            digest.update(b"\n");
        }
        let digest = digest.finalize();
        let _ = write!(key, " {}:", own.len());
        for byte in digest.iter().take(8) {
            let _ = write!(key, "{byte:02x}");
        }
        let own = own.into_iter().map(|entry| entry.commit).collect();
        Ok(Self { head, base, packs, own, sparse, key })
    }

    fn overlay(self, repo: &Repo, config: &Config) -> Result<Overlay> {
        let mut history = History::new(repo)?;
        let mut overlay = Overlay::default();
        overlay.key = self.key;
        if let (Some(head), Some(base)) = (self.head, self.base) {
            overlay.packs = reviewed(repo, &mut history, head, base)?;
        }
        if let (Some(packs), true) = (self.packs, config.pending != Pending::Off) {
            let all = config.pending == Pending::Branch;
            let counts = |id: Id| all || self.own.contains(&id.to_string());
            for (pack, change) in pending(repo, &mut history, packs, self.base, self.head, counts)? {
                let known = overlay.packs.entry(pack).or_default();
                known.meta = known.meta.take().or(change.meta);
                known.guardrails = known.guardrails.take().or(change.guardrails);
                known.lessons.extend(change.lessons);
                known.rules.extend(change.rules);
            }
        }
        if let (Some(head), true) = (self.head, self.sparse) {
            overlay.stand_in = stand_in(&repo.packs_at(head)?);
        }
        Ok(overlay)
    }
}

fn stand_in(files: &PackFiles) -> BTreeMap<crate::model::pack::PackName, StandIn> {
    let text = |bytes: Option<&[u8]>| String::from_utf8_lossy(bytes.unwrap_or_default()).into_owned();
    let packs = files.packs().into_iter().filter_map(|pack| {
        let meta = files.meta(&pack)?.ok()?;
        let (guardrails, lessons) = (text(files.file(&pack, GUARDRAILS_FILE)), text(files.file(&pack, LESSONS_FILE)));
        Some((pack, StandIn { meta, guardrails, lessons }))
    });
    packs.collect()
}
