//! What git's merge driver answers for one file, without touching any: the bytes and the exit code. Reading the three
//! files and writing the result is the command's; so is a file that is merged as text.

use super::lessons::{self, Options, What};
use super::{Refused, label, meta};
use crate::model::pack::{LESSONS_FILE, META_FILE};

/// How a file of a pack is merged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    Lessons,
    Meta,
    /// Line by line, as git does it.
    Text,
}

impl Kind {
    /// By the file's name; what has no name is a file of lessons.
    pub fn of(path: Option<&str>) -> Self {
        match path.map(|path| path.rsplit(['/', '\\']).next().unwrap_or(path)) {
            None | Some(LESSONS_FILE) => Self::Lessons,
            Some(META_FILE) => Self::Meta,
            Some(_) => Self::Text,
        }
    }
}

/// What is to be written over ours.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Driven {
    pub bytes: Vec<u8>,
    /// What is in conflict, in words; the markers stand in the bytes.
    pub conflicts: Vec<String>,
    /// What was decided and may surprise.
    pub notes: Vec<String>,
}

/// Git takes 1 to 128 as "conflict, and this is the result": only a result with its markers may say so.
pub const CONFLICT: u8 = 1;
/// Everything else that goes wrong; ours stays as it is.
pub const FAILED: u8 = 129;

impl Driven {
    pub fn exit_code(&self) -> u8 {
        if self.conflicts.is_empty() { 0 } else { CONFLICT }
    }
}

/// Merges a file of lessons or a `pack.json`. Git's base is empty where there is none.
pub fn drive(kind: Kind, base: &[u8], ours: &[u8], theirs: &[u8], marker_size: usize) -> Result<Option<Driven>, Refused> {
    match kind {
        Kind::Lessons => {
            let merged = lessons::merge(Some(base), ours, theirs, &Options { newer: None, marker_size })?;
            let conflicts = merged.conflicts.iter();
            let conflicts =
                conflicts.map(|it| format!("lesson {} ({}): {}", it.id, label(&it.title), label(&it.fields.join(", "))));
            let kept = merged.report.iter().filter(|resolution| matches!(resolution.what, What::KeptEdit { .. }));
            let notes = kept.map(|it| {
                format!("lesson {} ({}) was removed on one side and edited on the other: the edit stays", it.id, label(&it.title))
            });
            Ok(Some(Driven { conflicts: conflicts.collect(), notes: notes.collect(), bytes: merged.bytes }))
        }
        Kind::Meta => match meta::merge(Some(base), ours, theirs, marker_size) {
            Ok(merged) => {
                let conflicts = merged.conflicts.iter().map(|path| label(path)).collect();
                Ok(Some(Driven { bytes: merged.bytes, conflicts, notes: Vec::new() }))
            }
            Err(Refused::Unreadable { .. }) => Ok(None),
            Err(refused) => Err(refused),
        },
        Kind::Text => Ok(None),
    }
}

#[cfg(test)]
mod tests {
    use super::{Kind, drive as merged};

    #[test]
    fn a_file_is_merged_by_what_its_name_says() {
        for (path, kind) in [
            (None, Kind::Lessons),
            (Some("marvel/packs/a/lessons.jsonl"), Kind::Lessons),
            (Some("marvel\\packs\\a\\pack.json"), Kind::Meta),
            (Some("marvel/packs/a/guardrails.md"), Kind::Text),
        ] {
            assert_eq!(Kind::of(path), kind, "{path:?}");
        }
    }

    #[test]
    fn the_exit_code_tells_a_conflict_from_a_merge() {
        let line = |title: &str| {
            format!(
                r#"{{"timestamp":"2026-11-29","category":"c","title":"{title}","description":"d","actionable":"a","id":"0123456789"}}"#
            )
        };
        let drive = |ours: &str, theirs: &str| merged(Kind::Lessons, b"", ours.as_bytes(), theirs.as_bytes(), 7);
        assert_eq!(drive(&line("a"), "").unwrap().unwrap().exit_code(), 0);
        let driven = drive(&line("a"), &line("b")).unwrap().unwrap();
        assert_eq!((driven.exit_code(), driven.conflicts), (1, vec!["lesson 0123456789 (a): title".to_owned()]));
        assert!(drive("<<<<<<< ours\n", &line("b")).is_err());
        let driven = merged(Kind::Lessons, line("a").as_bytes(), b"# note", line("b").as_bytes(), 7).unwrap().unwrap();
        assert_eq!(driven.notes, ["lesson 0123456789 (a) was removed on one side and edited on the other: the edit stays"]);
    }

    #[test]
    fn what_is_no_json_is_left_to_git() {
        assert_eq!(merged(Kind::Meta, b"{}", b"{torn", b"{\"a\":1}", 7), Ok(None));
        assert_eq!(merged(Kind::Text, b"", b"a", b"b", 7), Ok(None));
    }
}
