//! What is done: guidance that became a lesson, runs that were counted. A commit's trailer says so, or this clone's own
//! ledger; either is enough, so that neither a crash between the two nor a branch that a host deleted brings anything back.

use std::collections::HashSet;

use super::history::{Follow, History};
use super::id::Id;
use super::message::Trailers;
use super::repo::Repo;
use crate::error::{Context as _, Result};
use crate::model::config::Config;
use crate::session::own;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Ids of guidance.
    pub guidance: HashSet<String>,
    /// `<session>#<segment>`.
    pub segments: HashSet<String>,
}

impl Done {
    /// By every commit that the packs branch (here and at the remote), the base and HEAD reach, and by the ledger.
    pub fn read(repo: &Repo, config: &Config) -> Result<Self> {
        let mut done = Self::default();
        let root = repo.root();
        for entry in own::read(&root).context(format!("{} cannot be read", own::path(&root).display()))? {
            done.guidance.extend(entry.guidance);
            done.segments.extend(entry.segments);
        }
        let packs = repo.packs_branch(config)?;
        let remote = packs.remote.map(|(_, tip)| tip);
        let tips: Vec<Id> = [packs.local, remote, repo.base(config)?.tip, repo.head()?.tip].into_iter().flatten().collect();
        let mut history = History::new(repo)?;
        for touch in history.touching(&tips, None, Follow::All)? {
            for trailers in Trailers::parse_all(&repo.commit(touch.commit)?.message) {
                done.guidance.extend(trailers.guidance);
                done.segments.extend(trailers.segments);
            }
        }
        Ok(done)
    }
}
