//! Which guidance is done: what the trailers of reachable commits name. The clone's own ledger says the same, unless it was
//! lost; the branch says it to every clone.

use std::collections::HashSet;

use super::history::{Follow, History};
use super::message::Trailers;
use super::repo::Repo;
use crate::error::Result;
use crate::model::config::Config;

/// Ids of the guidance that stands in a trailer on the packs branch, here or at the remote, or on the base branch.
pub fn guidance_done(repo: &Repo, config: &Config) -> Result<HashSet<String>> {
    let branch = repo.packs_branch(config)?;
    let mut tips: Vec<_> =
        branch.local.into_iter().chain(branch.remote.map(|(_, tip)| tip)).chain(repo.base(config)?.tip).collect();
    tips.dedup();
    let mut done = HashSet::new();
    for touch in History::new(repo)?.touching(&tips, None, Follow::All)? {
        for trailers in Trailers::parse_all(&repo.commit(touch.commit)?.message) {
            done.extend(trailers.guidance);
        }
    }
    Ok(done)
}
