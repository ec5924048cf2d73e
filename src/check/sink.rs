//! Collects findings: whether anybody wants one, how bad it is, in which order they come out.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::finding::{Finding, Severity};

use super::Options;
use super::code::{self, Code};

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

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

/// Where a finding stands.
#[derive(Clone, Copy)]
pub(super) struct At<'a> {
    pub(super) file: &'a str,
    pub(super) line: usize,
    pub(super) column: usize,
}

impl<'a> At<'a> {
    pub(super) fn file(file: &'a str) -> Self {
        Self { file, line: 0, column: 0 }
    }

    pub(super) fn new(file: &'a str, (line, column): (usize, usize)) -> Self {
        Self { file, line, column }
    }
}

pub(super) struct Sink<'a> {
    options: &'a Options<'a>,
    findings: Vec<Finding>,
}

impl<'a> Sink<'a> {
    pub(super) fn new(options: &'a Options<'a>) -> Self {
        Self { options, findings: Vec::new() }
    }

    pub(super) fn options(&self) -> &'a Options<'a> {
        self.options
    }

    /// Whether findings on this line are asked for.
    pub(super) fn wants(&self, file: &str, line: usize) -> bool {
        self.options.changed.is_none_or(|changed| changed.contains(file, line))
    }

    /// Reports something with what to do about it (nothing where that is plain).
    pub(super) fn report(&mut self, code: Code, at: At<'_>, message: impl Into<String>, hint: &str) {
        // What breaks a file is often in another one: a pack that went away, say.
        let everywhere = code == code::UNKNOWN_DEPENDENCY || code == code::DEPENDENCY_CYCLE || code == code::CASE_COLLISION;
        if !everywhere && !self.wants(at.file, at.line) {
            return;
        }
        let strict = self.options.strict && code == code::UNKNOWN_KEY;
        self.findings.push(Finding {
            file: at.file.to_owned(),
            line: at.line,
            column: at.column,
            severity: if strict { Severity::Error } else { code.severity },
            code: code.name,
            message: message.into(),
            hint: (!hint.is_empty()).then(|| hint.to_owned()),
        });
    }

    /// By file, line and column; the same thing said twice is said once.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.findings.sort();
        self.findings.dedup();
        self.findings
    }
}
