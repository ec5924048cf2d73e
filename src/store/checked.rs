//! All that is checked together, of one state: the packs, the team's settings, and what stands among them that is no plain
//! file. What is wrong with it is `check`'s to say.

use std::path::Path;

use super::id::Id;
use super::repo::Repo;
use super::tree::staged;
use crate::check;
use crate::error::{Context as _, Error, Result};
use crate::model::config::{CONFIG_PATH, CONFIG_SCHEMA_PATH};
use crate::model::pack::PACKS_DIR;
use crate::model::pack_files::PackFiles;
use crate::model::timestamp::Timestamp;

#[derive(Clone, Debug, Default)]
pub struct Checked {
    pub packs: PackFiles,
    /// Paths below `marvel/packs` that are symbolic links or submodules.
    pub links: Vec<String>,
    /// `marvel/config.json`
    pub config: Option<Vec<u8>>,
    /// `marvel/_config.schema.json`
    pub config_schema: Option<Vec<u8>>,
}

impl Checked {
    /// How `packs` is checked with all the rest.
    pub fn options(&self, now: Timestamp) -> check::Options<'_> {
        let (config, config_schema) = (self.config.as_deref(), self.config_schema.as_deref());
        check::Options { config, config_schema, links: &self.links, ..check::Options::new(now) }
    }
}

impl Repo {
    /// The working tree's state, edits that are not committed included; see [`Repo::packs_here`].
    pub fn checked_here(&self) -> Result<Checked> {
        let mut checked = Checked { packs: self.packs_here()?, ..Checked::default() };
        if let Some(work_tree) = self.work_tree() {
            find_links(&work_tree.join(PACKS_DIR), PACKS_DIR, &mut checked.links);
            checked.config = read_plain(&work_tree.join(CONFIG_PATH))?;
            checked.config_schema = read_plain(&work_tree.join(CONFIG_SCHEMA_PATH))?;
        }
        Ok(checked)
    }

    /// What a commit of the index would have.
    pub fn checked_in_index(&self) -> Result<Checked> {
        let mut args = vec!["ls-files", "-z", "--stage", "--full-name", "--"];
        let paths = [PACKS_DIR, CONFIG_PATH, CONFIG_SCHEMA_PATH].map(|path| format!(":(top,literal){path}"));
        args.extend(paths.iter().map(String::as_str));
        let list = self.with_index(self.git()).args(args).run().context("git's index cannot be read")?;
        self.checked(staged(&list).collect())
    }

    /// What a commit has.
    pub fn checked_at(&self, commit: Id) -> Result<Checked> {
        let commit = commit.to_string();
        let args = ["ls-tree", "-z", "-r", "--full-tree", &commit, "--", PACKS_DIR, CONFIG_PATH, CONFIG_SCHEMA_PATH];
        let list = self.git().args(args).run().context(format!("the files of commit {commit} cannot be listed"))?;
        let entries = super::tree::text_fields(&list).filter_map(|entry| {
            let (fields, path) = entry.split_once('\t')?;
            let mut fields = fields.split(' ');
            let mode = fields.next()?.to_owned();
            Some((mode, Id::parse(fields.nth(1)?)?, path.to_owned()))
        });
        self.checked(entries.collect())
    }

    fn checked(&self, entries: Vec<(String, Id, String)>) -> Result<Checked> {
        let mut checked = Checked::default();
        for (mode, id, path) in entries {
            if !mode.starts_with("100") {
                checked.links.push(path);
                continue;
            }
            let bytes = self.blob(id)?;
            match path.as_str() {
                CONFIG_PATH => checked.config = Some(bytes),
                CONFIG_SCHEMA_PATH => checked.config_schema = Some(bytes),
                _ => {
                    checked.packs.set(path, bytes);
                }
            }
        }
        Ok(checked)
    }
}

/// Links and submodules in a folder, and that folder where it is one itself.
fn find_links(folder: &Path, path: &str, links: &mut Vec<String>) {
    if std::fs::symlink_metadata(folder).is_ok_and(|data| data.is_symlink()) {
        links.push(path.to_owned());
        return;
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let Ok(kind) = entry.file_type() else { continue };
        let path = format!("{path}/{}", entry.file_name().to_string_lossy());
        if kind.is_symlink() {
            links.push(path);
        } else if kind.is_dir() {
            find_links(&entry.path(), &path, links);
        }
    }
}

/// A plain file's bytes; `None` where there is none, or a link.
fn read_plain(path: &Path) -> Result<Option<Vec<u8>>> {
    if !std::fs::symlink_metadata(path).is_ok_and(|data| data.is_file()) {
        return Ok(None);
    }
    match std::fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) => Err(Error::user(format!("{} cannot be read", path.display())).caused_by(error)),
    }
}
