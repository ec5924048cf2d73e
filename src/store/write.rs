//! Writes objects: the packs' blobs and trees, and commits, signed where they have to be. Nothing here moves a ref: what
//! is written and then not used is git's to collect.

use std::collections::BTreeMap;

use gix::objs::tree::{Entry, EntryKind};

use super::id::Id;
use super::identity::Identity;
use super::repo::Repo;
use crate::error::{Context as _, Error, Result};
use crate::model::config::Sign;
use crate::model::pack::PACKS_DIR;
use crate::model::pack_files::PackFiles;

/// What is to become of paths below one tree: `None` takes a file out.
type Edits<'a> = BTreeMap<&'a str, Option<&'a [u8]>>;

impl Repo {
    /// A root tree like `root` (nothing, where there is none) whose packs are `after` instead of `before`. Only files that
    /// differ between the two are written; everything else, whatever it is, stays.
    pub(super) fn write_packs(&self, root: Option<Id>, before: &PackFiles, after: &PackFiles) -> Result<Id> {
        let mut edits = Edits::new();
        for (path, bytes) in after.iter().filter(|(path, bytes)| before.get(path) != Some(bytes)) {
            edits.insert(path, Some(bytes));
        }
        edits.extend(before.iter().filter(|(path, _)| after.get(path).is_none()).map(|(path, _)| (path, None)));
        let written = self.edit_tree(root, &edits)?.map_or_else(|| self.write(&gix::objs::Tree::empty()), Ok)?;
        self.assert_only_packs_differ(root, written)?;
        Ok(written)
    }

    /// `None` where nothing is left.
    fn edit_tree(&self, tree: Option<Id>, edits: &Edits<'_>) -> Result<Option<Id>> {
        if edits.is_empty() {
            return Ok(tree);
        }
        let mut entries: Vec<Entry> = match tree {
            Some(tree) => self.tree(tree)?.into_iter().map(super::object::Entry::into_git).collect(),
            None => Vec::new(),
        };
        let mut below: BTreeMap<&str, Edits<'_>> = BTreeMap::new();
        for (path, bytes) in edits {
            match path.split_once('/') {
                Some((folder, rest)) => {
                    below.entry(folder).or_default().insert(rest, *bytes);
                }
                None => self.edit_file(&mut entries, path, *bytes)?,
            }
        }
        for (folder, edits) in below {
            let at = entries.iter().position(|entry| entry.filename == folder);
            let old = at.map(|at| &entries[at]).filter(|entry| entry.mode.is_tree()).map(|entry| Id(entry.oid));
            match (self.edit_tree(old, &edits)?, at) {
                (Some(new), Some(at)) => {
                    entries[at].mode = EntryKind::Tree.into();
                    entries[at].oid = new.0;
                }
                (Some(new), None) => {
                    entries.push(Entry { mode: EntryKind::Tree.into(), filename: folder.into(), oid: new.0 });
                }
                // what is taken out of a folder that is none is not there anyway
                (None, Some(at)) if entries[at].mode.is_tree() => {
                    entries.remove(at);
                }
                (None, _) => {}
            }
        }
        if entries.is_empty() {
            return Ok(None);
        }
        entries.sort();
        self.write(&gix::objs::Tree { entries }).map(Some)
    }

    fn edit_file(&self, entries: &mut Vec<Entry>, name: &str, bytes: Option<&[u8]>) -> Result<()> {
        let at = entries.iter().position(|entry| entry.filename == name);
        let Some(bytes) = bytes else {
            at.map(|at| entries.remove(at));
            return Ok(());
        };
        let oid = self.git.write_blob(bytes).context("a file's content cannot be written into the repository")?.detach();
        match at {
            Some(at) => {
                if !entries[at].mode.is_blob() {
                    entries[at].mode = EntryKind::Blob.into();
                }
                entries[at].oid = oid;
            }
            None => entries.push(Entry { mode: EntryKind::Blob.into(), filename: name.into(), oid }),
        }
        Ok(())
    }

    /// Whatever went wrong before: a commit of ours never changes anything but packs.
    pub(super) fn assert_only_packs_differ(&self, old: Option<Id>, new: Id) -> Result<()> {
        match self.differs_outside_packs(old, Some(new))? {
            None => Ok(()),
            Some(path) => {
                Err(Error::bug(format!("the new commit would change {path}, which is none of the packs; nothing was committed")))
            }
        }
    }

    /// A path outside `marvel/packs` in which two root trees differ, if there is one.
    pub(super) fn differs_outside_packs(&self, old: Option<Id>, new: Option<Id>) -> Result<Option<String>> {
        let (mut old, mut new) = (old, new);
        let mut prefix = String::new();
        for name in PACKS_DIR.split('/') {
            if old == new {
                return Ok(None);
            }
            let read = |tree: Option<Id>| tree.map_or_else(|| Ok(Vec::new()), |tree| self.tree(tree));
            let (before, after) = (read(old)?, read(new)?);
            let other = |entry: &&super::object::Entry| entry.name != name.as_bytes() || !entry.mode.is_tree();
            let (mut left, mut right) = (before.iter().filter(other), after.iter().filter(other));
            loop {
                match (left.next(), right.next()) {
                    (None, None) => break,
                    (a, b) if a == b => {}
                    (a, b) => {
                        let entry = b.or(a).expect("one of them is there");
                        return Ok(Some(format!("{prefix}{}", String::from_utf8_lossy(&entry.name))));
                    }
                }
            }
            let folder = |entries: &[super::object::Entry]| {
                entries.iter().find(|entry| entry.name == name.as_bytes() && entry.mode.is_tree()).map(|entry| entry.id)
            };
            (old, new) = (folder(&before), folder(&after));
            prefix = format!("{prefix}{name}/");
        }
        Ok(None)
    }

    fn write(&self, object: &impl gix::objs::WriteTo) -> Result<Id> {
        let written = self.git.write_object(object).context("an object cannot be written into the repository")?;
        Ok(Id(written.detach()))
    }

    /// A commit that no ref points to yet.
    pub(super) fn write_commit(&self, tree: Id, parents: &[Id], message: &str, identity: &Identity, sign: bool) -> Result<Id> {
        if sign {
            return self.write_signed(tree, parents, message, identity);
        }
        self.write(&gix::objs::Commit {
            tree: tree.0,
            parents: parents.iter().map(|parent| parent.0).collect(),
            author: identity.author.to_git(),
            committer: identity.committer.to_git(),
            encoding: None,
            message: message.into(),
            extra_headers: Vec::new(),
        })
    }

    /// git signs: with its programs, its key, its questions.
    fn write_signed(&self, tree: Id, parents: &[Id], message: &str, identity: &Identity) -> Result<Id> {
        let mut git = self.git().args(["-c", "i18n.commitEncoding=UTF-8", "commit-tree", "-S", "-F", "-"]);
        for parent in parents {
            git = git.args(["-p", &parent.to_string()]);
        }
        for (name, value) in identity.variables() {
            git = git.env(name, value);
        }
        let id = git.arg(tree.to_string()).input(message).text().map_err(|failure| {
            Error::user("the commit could not be signed, so nothing was committed")
                .caused_by(failure)
                .hint("git signs with `user.signingKey` and `gpg.format`; a plain `git commit -S` shows whether that works")
                .hint("the setting `sign` in marvel/config.json says whether commits on the packs branch are signed")
        })?;
        Id::parse(&id).ok_or_else(|| Error::bug(format!("git commit-tree answered {id:?}")))
    }

    /// Whether commits are to be signed: the setting, or what git does with every commit.
    pub(super) fn signs(&self, sign: Sign) -> Result<bool> {
        match sign {
            Sign::Always => Ok(true),
            Sign::Never => Ok(false),
            Sign::Auto => Ok(self.config_bool("commit.gpgSign")?.unwrap_or(false)),
        }
    }
}
