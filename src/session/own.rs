//! `own.jsonl`: what this clone itself committed to packs, and what is done by it: guidance, recorded segments. A commit
//! that a reachable trailer names too is no contradiction: either says that it is done.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::file;
use super::root::Root;
use crate::model::timestamp::Timestamp;

/// One commit of this clone.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub timestamp: Timestamp,
    /// As the commit's trailer says: `promote`, `teach`, `edit`, `graduate`, `prune`, `restore`, `record`, `pack`, `sync`.
    pub action: String,
    pub commit: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// The lesson's id.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lesson: Option<String>,
    /// Guidance that is done with it.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub guidance: Vec<String>,
    /// Segments (`<session>#<segment>`) whose counts it recorded.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<String>,
}

pub fn path(root: &Root) -> PathBuf {
    root.data_dir().join("own.jsonl")
}

pub fn append(root: &Root, entry: &Entry) -> io::Result<()> {
    file::append_json(&path(root), entry)
}

/// All entries, oldest first.
pub fn read(root: &Root) -> io::Result<Vec<Entry>> {
    file::read_jsonl(&path(root))
}
