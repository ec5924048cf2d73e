//! Reads objects: commits, trees, blobs. What a partial clone lacks is asked of git, which fetches it.

use gix::objs::{CommitRef, Kind, TreeRefIter};

use super::id::Id;
use super::process::Git;
use super::repo::Repo;
use crate::error::{Context as _, Error, Result};
use crate::model::timestamp::Timestamp;

/// A commit, as plain data. Bytes that are not UTF-8 are replaced.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    pub id: Id,
    pub tree: Id,
    pub parents: Vec<Id>,
    pub author: Person,
    /// When it was written.
    pub authored: Timestamp,
    /// When it was committed.
    pub committed: Timestamp,
    pub message: String,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Person {
    pub name: String,
    pub email: String,
}

/// One entry of a tree.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) mode: gix::objs::tree::EntryMode,
    pub(super) name: Vec<u8>,
    pub(super) id: Id,
}

impl Entry {
    pub(super) fn into_git(self) -> gix::objs::tree::Entry {
        gix::objs::tree::Entry { mode: self.mode, filename: self.name.into(), oid: self.id.0 }
    }
}

impl Commit {
    /// The first line of the message.
    pub fn subject(&self) -> &str {
        self.message.lines().next().unwrap_or_default()
    }

    pub(super) fn parse(id: Id, data: &[u8]) -> Result<Self> {
        let broken = || format!("commit {id} cannot be read");
        let commit = CommitRef::from_bytes(data, id.0.kind()).with_context_of(broken)?;
        let author = commit.author().with_context_of(broken)?;
        let committer = commit.committer().with_context_of(broken)?;
        Ok(Self {
            id,
            tree: Id(commit.tree()),
            parents: commit.parents().map(Id).collect(),
            author: Person { name: author.name.to_string(), email: author.email.to_string() },
            authored: instant(author.seconds()),
            committed: instant(committer.seconds()),
            message: commit.message.to_string(),
        })
    }
}

fn instant(seconds: i64) -> Timestamp {
    Timestamp::from_unix(seconds).or_else(|| Timestamp::from_unix(0)).expect("the epoch is in range")
}

impl Repo {
    pub fn commit(&self, id: Id) -> Result<Commit> {
        Commit::parse(id, &self.object(id, Kind::Commit)?)
    }

    pub(super) fn blob(&self, id: Id) -> Result<Vec<u8>> {
        self.object(id, Kind::Blob)
    }

    pub(super) fn tree(&self, id: Id) -> Result<Vec<Entry>> {
        let data = self.object(id, Kind::Tree)?;
        TreeRefIter::from_bytes(&data, id.0.kind())
            .map(|entry| {
                let entry = entry.context(format!("tree {id} cannot be read"))?;
                Ok(Entry { mode: entry.mode, name: entry.filename.to_vec(), id: Id(entry.oid.to_owned()) })
            })
            .collect()
    }

    /// One entry of a tree, without taking the others apart.
    pub(super) fn tree_entry(&self, id: Id, name: &str) -> Result<Option<Entry>> {
        let data = self.object(id, Kind::Tree)?;
        for entry in TreeRefIter::from_bytes(&data, id.0.kind()) {
            let entry = entry.context(format!("tree {id} cannot be read"))?;
            if entry.filename == name {
                return Ok(Some(Entry { mode: entry.mode, name: name.into(), id: Id(entry.oid.to_owned()) }));
            }
        }
        Ok(None)
    }

    pub(super) fn object(&self, id: Id, kind: Kind) -> Result<Vec<u8>> {
        let found = self.git.try_find_object(id.0).context(format!("object {id} cannot be read"))?;
        match found {
            Some(mut object) if object.kind == kind => Ok(std::mem::take(&mut object.data)),
            Some(object) => Err(Error::user(format!("object {id} is a {}, not a {kind}", object.kind))),
            None if self.may_fetch => fetch(self.git(), id, kind),
            None => Err(missing(id)),
        }
    }
}

/// Lets git read the object: it knows where a partial clone gets it from.
fn fetch(git: Git, id: Id, kind: Kind) -> Result<Vec<u8>> {
    let output =
        git.args(["cat-file", "--batch"]).input(format!("{id}\n")).run().map_err(|failure| missing(id).caused_by(failure))?;
    let header_end = output.iter().position(|&byte| byte == b'\n').ok_or_else(|| missing(id))?;
    let header = String::from_utf8_lossy(&output[..header_end]);
    let mut fields = header.split(' ').skip(1);
    let (found, size) = (fields.next(), fields.next().and_then(|size| size.parse::<usize>().ok()));
    match (found, size) {
        (Some(found), Some(size)) if found == kind.to_string() => {
            output.get(header_end + 1..header_end + 1 + size).map(<[u8]>::to_vec).ok_or_else(|| missing(id))
        }
        _ => Err(missing(id)),
    }
}

fn missing(id: Id) -> Error {
    Error::user(format!("object {id} is not in this repository")).hint("`git fsck` says what else is missing")
}

/// As [`crate::error::Context`], with the sentence made only where it is needed.
trait ContextOf<T> {
    fn with_context_of(self, message: impl Fn() -> String) -> Result<T>;
}

impl<T, E: Into<Box<dyn std::error::Error + Send + Sync>>> ContextOf<T> for std::result::Result<T, E> {
    fn with_context_of(self, message: impl Fn() -> String) -> Result<T> {
        self.map_err(|source| Error::user(message()).caused_by(source))
    }
}
