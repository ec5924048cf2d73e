//! Commits changes in this clone's name: the commits themselves, then what the clone remembers of them and what is in
//! force here. A crash in between loses nothing: the commits' trailers say the same as the ledger.

use super::branch::{self, Change, Outcome};
use super::identity::Identity;
use super::overlay;
use super::repo::Repo;
use crate::error::Result;
use crate::model::config::Config;
use crate::model::timestamp::Timestamp;

/// Commits the changes, all or none, and makes them count in this clone at once.
pub fn publish(repo: &Repo, config: &Config, now: Timestamp, changes: &[Change<'_>]) -> Result<Outcome> {
    let outcome = branch::commit(repo, config, &Identity::read(repo, now)?, changes)?;
    overlay::settle(repo, config, &outcome, now)?;
    Ok(outcome)
}
