//! The files of the packs at a commit, in the index, in the working tree; and the names of all tracked files. What is in
//! the files is others' to say.

use std::path::Path;

use gix::objs::tree::EntryKind;

use super::id::Id;
use super::process::Git;
use super::repo::Repo;
use crate::error::{Context as _, Error, Result};
use crate::model::pack::PACKS_DIR;
use crate::model::pack_files::PackFiles;
use crate::model::repo_path::RepoPath;

/// Deeper folders are no part of a pack.
const MAX_DEPTH: usize = 8;

impl Repo {
    /// The packs at a commit.
    pub fn packs_at(&self, commit: Id) -> Result<PackFiles> {
        let tree = self.commit(commit)?.tree;
        match self.packs_tree(tree)? {
            Some(packs) => self.packs_in(packs),
            None => Ok(PackFiles::default()),
        }
    }

    /// The tree that stands at `marvel/packs` in a root tree.
    pub(super) fn packs_tree(&self, root: Id) -> Result<Option<Id>> {
        let mut tree = root;
        for name in PACKS_DIR.split('/') {
            match self.tree_entry(tree, name)? {
                Some(entry) if entry.mode.is_tree() => tree = entry.id,
                _ => return Ok(None),
            }
        }
        Ok(Some(tree))
    }

    /// All files of the tree that stands at `marvel/packs`.
    pub(super) fn packs_in(&self, tree: Id) -> Result<PackFiles> {
        self.packs_blobs(tree)?.into_iter().map(|(path, id)| Ok((path, self.blob(id)?))).collect()
    }

    /// Their paths and blobs.
    pub(super) fn packs_blobs(&self, tree: Id) -> Result<Vec<(String, Id)>> {
        let mut blobs = Vec::new();
        self.collect(tree, PACKS_DIR, 0, &mut blobs)?;
        Ok(blobs)
    }

    fn collect(&self, tree: Id, path: &str, depth: usize, blobs: &mut Vec<(String, Id)>) -> Result<()> {
        for entry in self.tree(tree)? {
            let path = format!("{path}/{}", String::from_utf8_lossy(&entry.name));
            match entry.mode.kind() {
                EntryKind::Tree if depth < MAX_DEPTH => self.collect(entry.id, &path, depth + 1, blobs)?,
                EntryKind::Blob | EntryKind::BlobExecutable => blobs.push((path, entry.id)),
                // links and submodules have no content of their own
                _ => {}
            }
        }
        Ok(())
    }

    /// The packs as they stand in the index: what a commit would take. Inside a git hook it is that command's own index.
    pub fn packs_in_index(&self) -> Result<PackFiles> {
        let list = self
            .with_index(self.git())
            .args(["ls-files", "-z", "--stage", "--full-name", "--", &format!(":(top,literal){PACKS_DIR}")])
            .run()
            .context("git's index cannot be read")?;
        let mut files = PackFiles::default();
        for (mode, id, path) in staged(&list) {
            if mode.starts_with("100") {
                files.set(path, self.blob(id)?);
            }
        }
        Ok(files)
    }

    /// The names of all files that git tracks in this worktree, from its root; in a bare repository those of HEAD.
    pub fn tracked_files(&self) -> Result<Vec<RepoPath>> {
        let git = self.with_index(self.git());
        let git = match (self.work_tree(), self.head()?.tip) {
            (Some(_), _) => git.args(["ls-files", "-z", "--full-name", "--", ":(top)"]),
            (None, Some(tip)) => git.args(["ls-tree", "-z", "-r", "--name-only", "--full-tree", &tip.to_string()]),
            (None, None) => return Ok(Vec::new()),
        };
        let list = git.run().context("the tracked files cannot be listed")?;
        let mut paths: Vec<_> = text_fields(&list).filter_map(|path| RepoPath::new(&path)).collect();
        // a path in the middle of a merge stands there up to three times
        paths.dedup();
        Ok(paths)
    }

    pub(super) fn with_index(&self, git: Git) -> Git {
        match self.index_file() {
            Some(file) => git.env("GIT_INDEX_FILE", file),
            None => git,
        }
    }

    /// The packs of the working tree, edits that are not committed included. Links are not followed: what they lead to
    /// is not the team's. Where there is none (a bare repository), or
    /// a sparse checkout left `marvel/` out, those of HEAD stand in.
    pub fn packs_here(&self) -> Result<PackFiles> {
        let is_folder = |path: &Path| std::fs::symlink_metadata(path).is_ok_and(|data| data.is_dir());
        let folder = self.work_tree().map(|work_tree| (work_tree.join("marvel"), work_tree.join(PACKS_DIR)));
        if let Some((_, folder)) = folder.filter(|(marvel, packs)| is_folder(marvel) && is_folder(packs)) {
            let mut files = PackFiles::default();
            read_folder(&folder, PACKS_DIR, 0, &mut files)?;
            return Ok(files);
        }
        let sparse = self.work_tree().is_none() || self.config_bool("core.sparseCheckout")? == Some(true);
        match self.head()?.tip {
            Some(tip) if sparse => self.packs_at(tip),
            _ => Ok(PackFiles::default()),
        }
    }
}

/// `mode id stage\tpath` of every entry that is in no conflict.
pub(super) fn staged(list: &[u8]) -> impl Iterator<Item = (String, Id, String)> + '_ {
    text_fields(list).filter_map(|entry| {
        let (fields, path) = entry.split_once('\t')?;
        let mut fields = fields.split(' ');
        let (mode, id, stage) = (fields.next()?, Id::parse(fields.next()?)?, fields.next()?);
        (stage == "0").then(|| (mode.to_owned(), id, path.to_owned()))
    })
}

/// The parts of a list that NULs end.
pub(super) fn text_fields(list: &[u8]) -> impl Iterator<Item = String> + '_ {
    list.split(|&byte| byte == 0).filter(|field| !field.is_empty()).map(|field| String::from_utf8_lossy(field).into_owned())
}

fn read_folder(folder: &Path, path: &str, depth: usize, files: &mut PackFiles) -> Result<()> {
    let unreadable = |error| Error::user(format!("{path} cannot be read")).caused_by(error);
    for entry in std::fs::read_dir(folder).map_err(unreadable)? {
        let entry = entry.map_err(unreadable)?;
        let path = format!("{path}/{}", entry.file_name().to_string_lossy());
        let kind = entry.file_type().map_err(unreadable)?;
        if kind.is_dir() {
            if depth < MAX_DEPTH {
                read_folder(&entry.path(), &path, depth + 1, files)?;
            }
        } else if kind.is_file() {
            // never through a link: it may lead anywhere
            let bytes =
                std::fs::read(entry.path()).map_err(|error| Error::user(format!("{path} cannot be read")).caused_by(error))?;
            files.set(path, bytes);
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::staged;

    #[test]
    fn entries_in_conflict_are_left_out() {
        let id = "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391";
        let list = format!("100644 {id} 0\tmarvel/packs/ä b/x\0100644 {id} 2\tmarvel/packs/c\0");
        let entries: Vec<_> = staged(list.as_bytes()).map(|(mode, _, path)| (mode, path)).collect();
        assert_eq!(entries, [("100644".to_owned(), "marvel/packs/ä b/x".to_owned())]);
    }
}
