//! `guidance.jsonl`: what the person said in one run. Secrets are taken out before anything comes here.

use std::io;
use std::path::Path;

use super::root::Root;
use super::{file, run};
use crate::model::guidance::Guidance;

const FILE: &str = "guidance.jsonl";

pub fn append(run_dir: &Path, guidance: &Guidance) -> io::Result<()> {
    file::append_json(&run_dir.join(FILE), guidance)
}

/// That of one run, oldest first.
pub fn read(run_dir: &Path) -> io::Result<Vec<Guidance>> {
    file::read_jsonl(&run_dir.join(FILE))
}

/// That of all runs of this clone, oldest first.
pub fn read_all(root: &Root) -> Vec<Guidance> {
    let mut all: Vec<Guidance> = run::dirs(root).iter().filter_map(|dir| read(dir).ok()).flatten().collect();
    all.sort_by(|a, b| (a.timestamp, &a.id).cmp(&(b.timestamp, &b.id)));
    all
}
