//! What is put before the agent: which items of the selected packs fit into the budgets, and the text that they make.
//! Pure: what was shown before comes in, what is shown now goes out. Claiming and recording it is `session`'s, when it
//! happens is `hook`'s.

mod choose;
mod clean;
pub mod compose;
mod frame;
pub mod headline;
pub mod item;
mod left_out;
pub mod rearm;
mod room;
mod sections;
#[cfg(test)]
mod tests;

use crate::model::config::{HARD_MAX_CHARS, Inject};
use crate::model::pack::PackMeta;
use crate::model::repo_path::RepoPath;
use crate::score::lessons::Candidate;

pub use clean::units;

/// A pack with the text that it can bring.
#[derive(Clone, Debug)]
pub struct PackText<'a> {
    pub meta: &'a PackMeta,
    /// `guardrails.md` as it is in force.
    pub guardrails: &'a str,
    /// The lessons in force, in any order.
    pub lessons: Vec<Known<'a>>,
}

/// A lesson in force.
#[derive(Clone, Copy, Debug)]
pub struct Known<'a> {
    pub candidate: Candidate<'a>,
    /// Not in the reviewed base branch yet.
    pub pending: bool,
}

/// A file that the agent touches, and the packs selected for it.
#[derive(Clone, Debug)]
pub struct Touched<'a> {
    pub file: &'a RepoPath,
    /// Best first.
    pub packs: Vec<PackText<'a>>,
}

/// At which moment the text reaches the agent: what it has to be told about that.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Occasion {
    /// Nothing was done to the file yet: a prompt names it, or it is read.
    Before,
    /// The edit was already submitted.
    Edit,
    /// The edit was held up until these rules are read.
    Held,
}

/// In UTF-16 units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Budget {
    pub injection: usize,
    /// What this agent may still be given.
    pub agent_left: usize,
}

impl Budget {
    /// What the settings leave to an agent that was already given `used` units.
    pub fn new(settings: &Inject, used: usize) -> Self {
        Self { injection: settings.max_chars, agent_left: settings.max_chars_per_session.saturating_sub(used) }
    }

    fn limit(self) -> usize {
        self.injection.min(HARD_MAX_CHARS).min(self.agent_left)
    }
}
