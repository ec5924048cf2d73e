//! The files of the working tree that differ from HEAD, as `git status` finds them.

use super::repo::Repo;
use crate::error::{Context as _, Result};
use crate::model::repo_path::RepoPath;

impl Repo {
    /// Changed, added, renamed (by their new name), deleted and untracked files, in git's order. Nothing in a bare repository.
    pub fn changed_files(&self) -> Result<Vec<RepoPath>> {
        if self.work_tree().is_none() {
            return Ok(Vec::new());
        }
        let status = ["status", "--porcelain=v1", "-z", "--untracked-files=all", "--ignore-submodules"];
        let list = self
            .git()
            .env("GIT_OPTIONAL_LOCKS", "0")
            .args(status)
            .run()
            .context("the working tree cannot be compared with HEAD")?;
        let mut fields = list.split(|&byte| byte == 0).filter(|field| !field.is_empty());
        let mut paths = Vec::new();
        while let Some(entry) = fields.next() {
            if entry.iter().take(2).any(|state| matches!(state, b'R' | b'C')) {
                // its old name follows
                fields.next();
            }
            paths.extend(entry.get(3..).and_then(|path| RepoPath::new(&String::from_utf8_lossy(path))));
        }
        Ok(paths)
    }
}
