//! Commits changes in this clone's name: the commits themselves, then what the clone remembers of them, then what is in
//! force here. A crash in between loses nothing: the commits' trailers say the same as the ledger.

use super::branch::{self, Change, Outcome};
use super::identity::Identity;
use super::repo::Repo;
use crate::error::{Context as _, Result};
use crate::model::config::Config;
use crate::model::timestamp::Timestamp;
use crate::session::own::{self, Entry};

/// Commits the changes, all or none, and makes them count in this clone at once.
pub fn publish(repo: &Repo, config: &Config, now: Timestamp, changes: &[Change<'_>]) -> Result<Outcome> {
    let identity = Identity::read(repo, now)?;
    let outcome = branch::commit(repo, config, &identity, changes)?;
    let root = repo.root();
    for commit in &outcome.commits {
        let Some(id) = commit.id else { continue };
        let trailers = &commit.message.trailers;
        let entry = Entry {
            timestamp: now,
            action: trailers.action.map(|action| action.as_str().to_owned()).unwrap_or_default(),
            commit: id.to_string(),
            pack: trailers.pack.as_ref().map(ToString::to_string),
            lesson: trailers.lesson.as_ref().map(ToString::to_string),
            guidance: trailers.guidance.clone(),
            segments: trailers.segments.clone(),
        };
        own::append(&root, &entry).context(format!("committed, but {} cannot be written", own::path(&root).display()))?;
    }
    if !outcome.commits.is_empty() {
        super::overlay::refresh(repo, config)?;
    }
    Ok(outcome)
}
