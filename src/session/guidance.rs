//! `guidance.jsonl`: what the person said in one run. Secrets are taken out before anything comes here.

use std::cmp::Reverse;
use std::collections::HashSet;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::root::Root;
use super::{dismissed, file, own, run, transcripts};
use crate::model::guidance::Guidance;
use crate::model::likeness::{Likeness, compare};

const FILE: &str = "guidance.jsonl";

pub fn append(run_dir: &Path, guidance: &Guidance) -> io::Result<()> {
    file::append_json(&run_dir.join(FILE), guidance)
}

/// That of one run, oldest first.
pub fn read(run_dir: &Path) -> io::Result<Vec<Guidance>> {
    file::read_jsonl(&run_dir.join(FILE))
}

/// How many runs [`recent`] looks into, and how many statements it gives.
const RECENT_RUNS: usize = 50;
const RECENT: usize = 200;

/// The newest statements of this clone, those of one run first: what a hook compares a prompt with.
pub fn recent(root: &Root, run_dir: &Path) -> Vec<Guidance> {
    let changed = |dir: &PathBuf| dir.join(FILE).metadata().and_then(|metadata| metadata.modified()).ok();
    let mut dirs: Vec<(Option<SystemTime>, PathBuf)> = run::dirs(root).into_iter().map(|dir| (changed(&dir), dir)).collect();
    dirs.retain(|(changed, dir)| changed.is_some() && dir != run_dir);
    dirs.sort_by_key(|(changed, _)| Reverse(*changed));
    let newest_first = |dir: &Path| read(dir).unwrap_or_default().into_iter().rev();
    let others = dirs.iter().take(RECENT_RUNS).flat_map(|(_, dir)| newest_first(dir));
    newest_first(run_dir).chain(others).take(RECENT).collect()
}

/// That of which nothing was made yet: neither done by a commit of this clone nor turned down, in these words or in
/// the same. Trailers of commits may say of more that it is done: `store` reads those.
pub fn open(root: &Root) -> Vec<Guidance> {
    let dismissed = dismissed::read(root).unwrap_or_default();
    let own = own::read(root).unwrap_or_default();
    let done: HashSet<&str> = own
        .iter()
        .flat_map(|entry| &entry.guidance)
        .chain(dismissed.iter().flat_map(|one| &one.guidance))
        .map(String::as_str)
        .collect();
    let turned_down = |guidance: &Guidance| {
        dismissed.iter().any(|one| !one.text.is_empty() && matches!(compare(&one.text, &guidance.content), Likeness::Same))
    };
    let all = read_all(root).into_iter();
    all.filter(|guidance| !done.contains(guidance.id.as_str()) && !turned_down(guidance)).collect()
}

/// That of all runs of this clone, and what was found in transcripts, oldest first.
pub fn read_all(root: &Root) -> Vec<Guidance> {
    let mut all: Vec<Guidance> = run::dirs(root).iter().filter_map(|dir| read(dir).ok()).flatten().collect();
    all.extend(transcripts::found(root).unwrap_or_default());
    all.sort_by(|a, b| (a.timestamp, &a.id).cmp(&(b.timestamp, &b.id)));
    all
}
