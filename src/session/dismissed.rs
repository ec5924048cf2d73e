//! `dismissed.jsonl`: candidates that a person turned down, so that they do not come back.

use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::file;
use super::root::Root;
use crate::model::timestamp::Timestamp;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Dismissed {
    pub timestamp: Timestamp,
    /// The candidate's id.
    pub candidate: String,
    /// The guidance that it was made of.
    #[serde(default)]
    pub guidance: Vec<String>,
    /// What it said: the same words said again are turned down too.
    #[serde(default)]
    pub text: String,
}

pub fn path(root: &Root) -> PathBuf {
    root.data_dir().join("dismissed.jsonl")
}

pub fn append(root: &Root, dismissed: &Dismissed) -> io::Result<()> {
    file::append_json(&path(root), dismissed)
}

/// All of them, oldest first.
pub fn read(root: &Root) -> io::Result<Vec<Dismissed>> {
    file::read_jsonl(&path(root))
}
