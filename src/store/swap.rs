//! Moves a ref from a value that was read to a new one, and tells what stood in the way. git does it: its locks, its
//! reflog, its `reference-transaction` hook, its reftables. What is tried again is the caller's to build anew.

use std::hash::{BuildHasher as _, Hasher as _};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use super::id::Id;
use super::identity::Identity;
use super::process::Failure;
use super::repo::Repo;
use crate::error::{Context as _, Error, Result};
use crate::model::visible::escape;
use crate::session::file;

/// How long others may win before we give up.
const PATIENCE: Duration = Duration::from_secs(30);
/// How long to queue behind other promotions before going on beside them.
const QUEUE_PATIENCE: Duration = Duration::from_secs(10);
/// How long a lock may stay before it is taken for a left-over.
const LOCK_PATIENCE: Duration = Duration::from_secs(3);
/// How often git may refuse for a reason that neither the ref nor a lock explains.
const REFUSALS: u32 = 3;

/// Where a ref is to point, and what it has to point to until then.
pub(super) struct Target {
    pub(super) old: Option<Id>,
    pub(super) new: Id,
    /// What the reflog says.
    pub(super) log: String,
}

/// Moves the ref to what `build` makes on the values that it reads; who loses a race builds anew. Without a target nothing
/// moves.
pub(super) fn swing<T>(
    repo: &Repo,
    name: &str,
    identity: &Identity,
    mut build: impl FnMut() -> Result<(T, Option<Target>)>,
) -> Result<T> {
    // Promotions queue, so that none loses every race. The ref's own value is what protects it: without the lock (one that
    // is held for long, a file system that has none) they race.
    let _turn = file::lock(&repo.common_dir().join("marvel/branch.lock"), QUEUE_PATIENCE).ok();
    let started = Instant::now();
    let (mut locked_since, mut refusals, mut attempt) = (None, 0, 0);
    loop {
        let (built, target) = build()?;
        let Some(Target { old, new, log }) = target else { return Ok(built) };
        match repo.swap_ref(name, old, new, &log, identity)? {
            Swap::Moved => return Ok(built),
            Swap::Lost if started.elapsed() < PATIENCE => {}
            Swap::Lost => return Err(Error::user(format!("others kept moving {} for too long", escape(name))).hint("try again")),
            Swap::Locked(lock) if locked_since.get_or_insert_with(Instant::now).elapsed() >= LOCK_PATIENCE => {
                return Err(locked(name, &lock));
            }
            Swap::Locked(_) => {}
            Swap::Refused(failure) => {
                refusals += 1;
                if refusals >= REFUSALS {
                    return Err(Error::user(format!("git would not move {}", escape(name))).caused_by(failure));
                }
            }
        }
        attempt += 1;
        std::thread::sleep(pause(attempt));
    }
}

fn locked(name: &str, Lock { path, age }: &Lock) -> Error {
    let seconds = age.as_secs();
    let age = match seconds {
        0..120 => format!("{seconds} seconds"),
        120..7200 => format!("{} minutes", seconds / 60),
        _ => format!("{} hours", seconds / 3600),
    };
    let path = path.display().to_string();
    Error::user(format!("{} is locked, so nothing was committed: {} is {age} old", escape(name), escape(&path)))
        .hint("another git command may be at work; if none is, the lock was left behind by one that died")
}

/// Longer with every attempt, and never the same for two processes.
fn pause(attempt: u32) -> Duration {
    let random = std::collections::hash_map::RandomState::new().build_hasher().finish();
    let most = u64::from(attempt.min(16)) * 4_000;
    Duration::from_micros(500 + random % most)
}

#[derive(Debug)]
enum Swap {
    Moved,
    /// Somebody else moved it first.
    Lost,
    /// The ref is locked.
    Locked(Lock),
    /// Neither: what git said.
    Refused(Failure),
}

#[derive(Debug)]
struct Lock {
    path: PathBuf,
    age: Duration,
}

impl Repo {
    /// Sets `name` to `new` if it still is `old` (`None`: if it still does not exist).
    fn swap_ref(&self, name: &str, old: Option<Id>, new: Id, log: &str, identity: &Identity) -> Result<Swap> {
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
