//! The lines that somebody changed: a review finds fault with them alone. What is wrong with a line is the other files'.

use std::collections::{BTreeMap, BTreeSet};

use similar::{ChangeTag, TextDiff};

use crate::model::pack_files::PackFiles;

/// The lines that somebody changed, by file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Changed {
    files: BTreeMap<String, Lines>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Lines {
    All,
    These(BTreeSet<usize>),
}

impl Changed {
    /// A file that is new, or changed as a whole.
    pub fn add_file(&mut self, file: impl Into<String>) {
        self.files.insert(file.into(), Lines::All);
    }

    /// A line (from 1) of a file that is new or changed.
    pub fn add_line(&mut self, file: impl Into<String>, line: usize) {
        if let Lines::These(lines) = self.files.entry(file.into()).or_insert_with(|| Lines::These(BTreeSet::new())) {
            lines.insert(line);
        }
    }

    /// Whether the line is one of them; line 0 is the file as a whole.
    pub fn contains(&self, file: &str, line: usize) -> bool {
        match self.files.get(file) {
            None => false,
            Some(Lines::All) => true,
            Some(Lines::These(lines)) => line == 0 || lines.contains(&line),
        }
    }

    /// The lines of the second state that the first has not.
    pub fn between(before: &PackFiles, after: &PackFiles) -> Self {
        let mut changed = Self::default();
        for (path, bytes) in after.iter() {
            match before.get(path) {
                Some(old) if old == bytes => {}
                None => changed.add_file(path),
                Some(old) => {
                    let (old, new) = (String::from_utf8_lossy(old), String::from_utf8_lossy(bytes));
                    for change in TextDiff::from_lines(&*old, &*new).iter_all_changes() {
                        if let (ChangeTag::Insert, Some(line)) = (change.tag(), change.new_index()) {
                            changed.add_line(path, line + 1);
                        }
                    }
                }
            }
        }
        changed
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}
