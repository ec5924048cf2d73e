//! Moves a ref from a value that was read to a new one, and tells what stood in the way. git does it: its locks, its
//! reflog, its `reference-transaction` hook, its reftables. Whether to try again is `branch`'s to decide.

use std::path::PathBuf;
use std::time::Duration;

use super::id::Id;
use super::identity::Identity;
use super::process::Failure;
use super::repo::Repo;
use crate::error::{Context as _, Result};

#[derive(Debug)]
pub(super) enum Swap {
    Moved,
    /// Somebody else moved it first.
    Lost,
    /// The ref is locked.
    Locked(Lock),
    /// Neither: what git said.
    Refused(Failure),
}

#[derive(Debug)]
pub(super) struct Lock {
    pub(super) path: PathBuf,
    pub(super) age: Duration,
}

impl Repo {
    /// Sets `name` to `new` if it still is `old` (`None`: if it still does not exist).
    pub(super) fn swap_ref(&self, name: &str, old: Option<Id>, new: Id, log: &str, identity: &Identity) -> Result<Swap> {
        let order = match old {
            Some(old) => format!("update {name}\0{new}\0{old}\0"),
            None => format!("create {name}\0{new}\0"),
        };
        let mut git = self.git().args(["update-ref", "--create-reflog", "--no-deref", "-m", log, "-z", "--stdin"]);
        for (name, value) in identity.variables() {
            git = git.env(name, value);
        }
        match git.input(order).run() {
            Ok(_) => Ok(Swap::Moved),
            // the outcome is read from the ref, not from what git says about it
            Err(failure @ Failure::Exit { .. }) => match self.find_ref(name)? {
                Some(found) if found == new => Ok(Swap::Moved),
                found if found != old => Ok(Swap::Lost),
                _ => Ok(self.lock_of(name).map_or(Swap::Refused(failure), Swap::Locked)),
            },
            Err(failure) => Err(failure).context(format!("{name} was not moved")),
        }
    }

    fn lock_of(&self, name: &str) -> Option<Lock> {
        let file = if self.is_reftable() { "reftable/tables.list.lock".to_owned() } else { format!("{name}.lock") };
        let path = self.common_dir().join(file);
        let modified = std::fs::symlink_metadata(&path).ok()?.modified().ok()?;
        Some(Lock { path, age: modified.elapsed().unwrap_or_default() })
    }
}
