//! A finding: what is wrong with the packs, where, and what to do. Found by `check`, printed by `ui`.

use serde::Serialize;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Error,
    Warning,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Finding {
    /// From the repository's root.
    pub file: String,
    /// From 1; 0 where the finding is about the file as a whole.
    pub line: usize,
    /// From 1, in characters; 0 where the finding is about the line as a whole.
    pub column: usize,
    pub severity: Severity,
    /// Stable, in kebab-case: to filter by.
    pub code: &'static str,
    pub message: String,
    pub hint: Option<String>,
}
