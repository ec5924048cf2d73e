//! What commands and `SessionStart` compute from git history and old runs so that a hook need not: how recent and how
//! useful each lesson is. Safe to delete at any time.

use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::file;
use super::root::Root;
use crate::model::pack::PackName;

/// What is known of one lesson beyond its line.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Facts {
    /// When its text was last changed, in seconds since 1970.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub changed: Option<i64>,
    /// Injections of this clone's runs that are not recorded in history yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub injected: u64,
    /// Those of them that were good.
    #[serde(skip_serializing_if = "is_zero")]
    pub good: u64,
    /// The file that the correction it came from was about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub origin: Option<String>,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

/// One pack's lessons by id. A file a pack: a hook reads those of the packs that it selected.
pub type PackFacts = BTreeMap<String, Facts>;

fn path(root: &Root, pack: &PackName) -> PathBuf {
    root.cache_dir().join("lessons").join(format!("{pack}.json"))
}

/// Empty where nothing is known, or the file does not read.
pub fn read(root: &Root, pack: &PackName) -> PackFacts {
    let bytes = file::read(&path(root, pack)).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

/// Writes what changed: a file that already says so is left alone.
pub fn write(root: &Root, pack: &PackName, facts: &PackFacts) -> io::Result<()> {
    let path = path(root, pack);
    let bytes = serde_json::to_vec(facts)?;
    match file::read(&path) {
        Ok(Some(old)) if old == bytes => Ok(()),
        _ => file::write_cache(&path, &bytes),
    }
}

/// Changes what is known of a pack's lessons; of a lesson of which nothing is left to say nothing is kept.
pub fn update(root: &Root, pack: &PackName, change: impl FnOnce(&mut PackFacts)) -> io::Result<()> {
    let before = read(root, pack);
    let mut facts = before.clone();
    change(&mut facts);
    facts.retain(|_, facts| *facts != Facts::default());
    if facts == before { Ok(()) } else { write(root, pack, &facts) }
}

#[cfg(test)]
mod tests {
    use super::{Facts, PackFacts, read, update, write};
    use crate::model::pack::PackName;
    use crate::session::root::Root;

    #[test]
    fn facts_come_back_and_a_broken_file_is_none() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root { work_tree: None, git_dir: dir.path().to_owned(), common_dir: dir.path().to_owned() };
        let pack = PackName::new("a").unwrap();
        assert_eq!(read(&root, &pack), PackFacts::new());
        let facts = PackFacts::from([("0123456789".to_owned(), Facts { changed: Some(7), injected: 2, good: 1, origin: None })]);
        write(&root, &pack, &facts).unwrap();
        assert_eq!(read(&root, &pack), facts);
        let changed = |facts: &mut PackFacts| {
            facts.get_mut("0123456789").unwrap().changed = None;
            facts.insert("9876543210".to_owned(), Facts::default());
        };
        update(&root, &pack, changed).unwrap();
        let left = Facts { changed: None, injected: 2, good: 1, origin: None };
        assert_eq!(read(&root, &pack), PackFacts::from([("0123456789".to_owned(), left)]));
        crate::session::file::write_cache(&super::path(&root, &pack), b"{").unwrap();
        assert_eq!(read(&root, &pack), PackFacts::new());
    }
}
