//! What `SessionStart` brings up to date, and what it learns from git on the way: the one bridge from the hooks' door to
//! git. It may be cut off at any time.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver};
use std::thread;
use std::time::{Duration, Instant};

use super::evidence;
use crate::error::{Context as _, Result};
use crate::hook::{Refreshed, Unpushed};
use crate::model::config::Config;
use crate::session::root::Root;
use crate::session::{clock, log};
use crate::store::history::History;
use crate::store::message::Trailers;
use crate::store::{Repo, recency};

/// How long a session waits for history. One that was never read, and is very long, takes longer: the next command that
/// reads it does the rest, and until then lessons rank by the time in their lines.
const HISTORY: Duration = Duration::from_millis(500);

/// Refreshes the overlay of this worktree and what lessons rank by. What fails is noted in the log and leaves things as they were.
pub fn refresh(root: &Root, config: &Config) -> Refreshed {
    let mut refreshed = Refreshed::default();
    let note = |what: &str, result: Result<()>| {
        if let Err(error) = result {
            let cause = std::error::Error::source(&error).map(|cause| format!(": {cause}")).unwrap_or_default();
            log::note(root, what, &format!("{error}{cause}"));
        }
    };
    let began = Instant::now();
    let place = root.work_tree.as_deref().unwrap_or(&root.git_dir);
    let reading = history(place.to_owned(), config.clone());
    let repo = match Repo::open(place) {
        Ok(repo) => repo.without_fetching(),
        Err(error) => {
            note("refresh", Err(error));
            return refreshed;
        }
    };
    note("overlay", crate::store::overlay::refresh(&repo, config).map(drop));
    note("changed files", repo.changed_files().map(|files| refreshed.changed = files));
    note("unpushed lessons", unpushed(&repo, config).map(|found| refreshed.unpushed = found));
    if let Some(read) = reading.and_then(|reading| reading.recv_timeout(HISTORY.saturating_sub(began.elapsed())).ok()) {
        note("history", read);
    }
    refreshed
}

/// Works out, beside the rest, what lessons rank by: when each text last changed, and what sessions say of it.
fn history(place: PathBuf, config: Config) -> Option<Receiver<Result<()>>> {
    let (send, receive) = mpsc::channel();
    let read = move || -> Result<()> {
        let repo = Repo::open(&place)?.without_fetching();
        let chronicle = repo.chronicle(&config, &mut |_| {})?;
        recency::refresh(&repo.root(), &chronicle).context("what history says of lessons cannot be kept")?;
        evidence::keep_outcomes(&repo.root(), &chronicle, clock::now())
    };
    let started = thread::Builder::new().spawn(move || drop(send.send(read())));
    started.ok().map(|_| receive)
}

/// Lessons on the packs branch that neither the remote's packs branch nor the base has.
fn unpushed(repo: &Repo, config: &Config) -> Result<Option<Unpushed>> {
    let branch = repo.packs_branch(config)?;
    // without a remote there is nowhere to push to
    let (Some(local), Some(_)) = (branch.local, repo.remote(config)?) else { return Ok(None) };
    let Some(known) = branch.remote.map(|(_, tip)| tip).or(repo.base(config)?.tip) else { return Ok(None) };
    let mut found: Option<Unpushed> = None;
    for id in History::new(repo)?.compare(local, known)?.left {
        let commit = repo.commit(id)?;
        let lessons = Trailers::parse_all(&commit.message).iter().filter(|trailers| trailers.lesson.is_some()).count();
        if lessons > 0 {
            let oldest = found.map_or(commit.committed, |found| found.oldest.min(commit.committed));
            found = Some(Unpushed { lessons: found.map_or(0, |found| found.lessons) + lessons, oldest });
        }
    }
    Ok(found)
}
