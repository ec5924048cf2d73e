//! Collects findings: whether anybody wants one, how bad it is, in which order they come out.

use crate::model::finding::{Finding, Severity};

use super::Options;
use super::code::{self, Code};

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

    /// What another one collected.
    pub(super) fn take(&mut self, others: Vec<Finding>) {
        self.findings.extend(others);
    }

    /// By file, line and column; the same thing said twice is said once.
    pub(super) fn finish(mut self) -> Vec<Finding> {
        self.findings.sort();
        self.findings.dedup();
        self.findings
    }
}
