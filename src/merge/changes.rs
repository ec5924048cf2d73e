//! What is different between two states of the packs, by lesson and by rule instead of by line. What `diff`, `review`,
//! a dry run and the overlay say about it is theirs.

mod lessons;
mod rules;

use std::collections::BTreeSet;

pub use lessons::{LessonChange, LessonKind};
pub use rules::{RuleChange, RuleText};

use crate::model::jsonl::BOM;
use crate::model::lesson::LessonId;
use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE, META_FILE, PACKS_DIR, PackName};
use crate::model::pack_files::PackFiles;
use crate::model::record::{Record, same_value};

/// Everything that differs, each list in order of the packs and then of their files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Changes {
    pub packs: Vec<PackChange>,
    pub meta: Vec<MetaChange>,
    pub rules: Vec<RuleChange>,
    /// Packs whose guardrails changed outside their rules: headings, introductions, prose.
    pub prose: Vec<PackName>,
    pub lessons: Vec<LessonChange>,
    /// Files that differ and that nothing above speaks for: unknown ones, and a `pack.json` that is not read.
    pub files: Vec<FileChange>,
}

/// A pack that came or went; what is in it stands in the other lists too.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PackChange {
    pub pack: PackName,
    pub kind: ChangeKind,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeKind {
    Added,
    Edited,
    Removed,
}

/// One property of a `pack.json` that stays or comes or goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetaChange {
    pub pack: PackName,
    /// `version`, `references.code_paths`.
    pub field: String,
    /// As JSON.
    pub before: Option<String>,
    pub after: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileChange {
    /// From the repository's root.
    pub path: String,
    pub kind: ChangeKind,
}

/// What the caller knows from commits, and the two states alone do not say.
#[derive(Clone, Debug, Default)]
pub struct Told {
    /// Lessons whose removal was a graduation.
    pub graduated: BTreeSet<(PackName, LessonId)>,
}

impl Changes {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    /// Whether nothing changed but counters.
    pub fn only_counters(&self) -> bool {
        Self { lessons: Vec::new(), ..self.clone() }.is_empty()
            && self.lessons.iter().all(|change| change.kind == LessonKind::Recorded)
    }
}

/// What `after` has otherwise than `before`.
pub fn between(before: &PackFiles, after: &PackFiles, told: &Told) -> Changes {
    let mut changes = Changes::default();
    let packs: BTreeSet<PackName> = before.packs().into_iter().chain(after.packs()).collect();
    for pack in &packs {
        match (before.has_pack(pack), after.has_pack(pack)) {
            (false, true) => changes.packs.push(PackChange { pack: pack.clone(), kind: ChangeKind::Added }),
            (true, false) => changes.packs.push(PackChange { pack: pack.clone(), kind: ChangeKind::Removed }),
            _ => {}
        }
        let differs = |file| before.file(pack, file) != after.file(pack, file);
        if differs(META_FILE) {
            changes.meta.extend(meta(pack, before, after));
        }
        let mut rules = Vec::new();
        if differs(GUARDRAILS_FILE) {
            let (old, new) = (before.guardrails(pack), after.guardrails(pack));
            rules = rules::between(pack, &old, &new);
            if rules::prose_differs(&old, &new) {
                changes.prose.push(pack.clone());
            }
        }
        if differs(LESSONS_FILE) {
            changes.lessons.extend(lessons::between(pack, &before.lessons(pack), &after.lessons(pack), &rules, told));
        }
        changes.rules.extend(rules);
    }
    changes.files = files(before, after, &changes);
    changes
}

/// The properties of `pack.json` that differ, those of `applies_to` and `references` one by one.
fn meta(pack: &PackName, before: &PackFiles, after: &PackFiles) -> Vec<MetaChange> {
    let read = |files: &PackFiles| files.file(pack, META_FILE).and_then(flat).unwrap_or_default();
    let (old, new) = (read(before), read(after));
    let mut changes = Vec::new();
    for (field, value) in &new {
        let earlier = old.iter().find(|(name, _)| name == field).map(|(_, value)| value);
        if earlier.is_none_or(|earlier| !same_value(earlier, value)) {
            let (before, after) = (earlier.cloned(), Some(value.clone()));
            changes.push(MetaChange { pack: pack.clone(), field: field.clone(), before, after });
        }
    }
    let gone = old.into_iter().filter(|(field, _)| !new.iter().any(|(name, _)| name == field));
    changes.extend(gone.map(|(field, value)| MetaChange { pack: pack.clone(), field, before: Some(value), after: None }));
    changes
}

/// The properties with their JSON, nested ones under `outer.inner`; `None` for what is no JSON object.
fn flat(bytes: &[u8]) -> Option<Vec<(String, String)>> {
    let record = Record::parse(std::str::from_utf8(bytes.strip_prefix(BOM).unwrap_or(bytes)).ok()?).ok()?;
    let mut fields: Vec<(String, String)> = Vec::new();
    for (key, raw) in record.fields() {
        match Record::parse(raw) {
            Ok(inner) => fields.extend(inner.fields().map(|(name, raw)| (format!("{key}.{name}"), raw.to_owned()))),
            Err(_) => fields.push((key.to_owned(), raw.to_owned())),
        }
    }
    Some(fields)
}

fn files(before: &PackFiles, after: &PackFiles, changes: &Changes) -> Vec<FileChange> {
    let paths: BTreeSet<&str> = before.iter().chain(after.iter()).map(|(path, _)| path).collect();
    let mut files = Vec::new();
    for path in paths {
        let kind = match (before.get(path), after.get(path)) {
            (None, Some(_)) => ChangeKind::Added,
            (Some(_), None) => ChangeKind::Removed,
            (old, new) if old != new => ChangeKind::Edited,
            _ => continue,
        };
        if !spoken_for(path, before, after, changes) {
            files.push(FileChange { path: path.to_owned(), kind });
        }
    }
    files
}

/// Whether the other lists say what is different about a file. A change of mere spelling in a file that they can speak
/// for is none.
fn spoken_for(path: &str, before: &PackFiles, after: &PackFiles, changes: &Changes) -> bool {
    let rest = path.strip_prefix(PACKS_DIR).unwrap_or(path).trim_start_matches('/');
    let Some((Some(pack), file)) = rest.split_once('/').map(|(folder, file)| (PackName::new(folder), file)) else {
        return false;
    };
    let read = |files: &PackFiles| files.get(path).is_none_or(|bytes| flat(bytes).is_some());
    match file {
        META_FILE => (read(before) && read(after)) || changes.packs.iter().any(|change| change.pack == pack),
        GUARDRAILS_FILE | LESSONS_FILE => true,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::{ChangeKind, Changes, Told, between};
    use crate::model::pack_files::PackFiles;

    fn files(files: &[(&str, &str)]) -> PackFiles {
        files.iter().map(|(path, text)| (format!("marvel/packs/{path}"), text.as_bytes())).collect()
    }

    fn changes(before: &[(&str, &str)], after: &[(&str, &str)]) -> Changes {
        between(&files(before), &files(after), &Told::default())
    }

    #[test]
    fn nothing_differs_between_equals() {
        let state = [("a/pack.json", "{}"), ("a/guardrails.md", "- x\n"), ("a/lessons.jsonl", "torn\n"), (".gitattributes", "x")];
        assert!(changes(&state, &state).is_empty());
    }

    #[test]
    fn properties_are_compared_one_by_one() {
        let before = r#"{"name":"a","version":"1.0.0","applies_to":{"extensions":[".ts"]},"old":1}"#;
        let after = r#"{"name": "a", "version":"1.1.0","applies_to":{"extensions":[ ".ts" ],"later":true}}"#;
        let changes = changes(&[("a/pack.json", before)], &[("a/pack.json", after)]);
        let said: Vec<_> = changes
            .meta
            .iter()
            .map(|change| (change.field.as_str(), change.before.as_deref(), change.after.as_deref()))
            .collect();
        assert_eq!(
            said,
            [
                ("version", Some("\"1.0.0\""), Some("\"1.1.0\"")),
                ("applies_to.later", None, Some("true")),
                ("old", Some("1"), None)
            ]
        );
        assert!(changes.files.is_empty() && changes.packs.is_empty());
    }

    #[test]
    fn packs_come_and_go_and_no_file_is_passed_over() {
        let before = [("gone/pack.json", "{}"), ("a/pack.json", "{}"), ("a/NOTES.md", "x"), ("Odd/pack.json", "{}")];
        let after = [("new/lessons.jsonl", ""), ("a/pack.json", "{torn"), (".gitattributes", "x")];
        let changes = changes(&before, &after);
        let packs: Vec<_> = changes.packs.iter().map(|change| (change.pack.as_str(), change.kind)).collect();
        assert_eq!(packs, [("gone", ChangeKind::Removed), ("new", ChangeKind::Added)]);
        let files: Vec<_> = changes.files.iter().map(|file| (file.path.as_str(), file.kind)).collect();
        assert_eq!(
            files,
            [
                ("marvel/packs/.gitattributes", ChangeKind::Added),
                ("marvel/packs/Odd/pack.json", ChangeKind::Removed),
                ("marvel/packs/a/NOTES.md", ChangeKind::Removed),
                ("marvel/packs/a/pack.json", ChangeKind::Edited),
            ]
        );
    }
}
