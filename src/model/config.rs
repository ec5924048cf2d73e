//! Team settings, `marvel/config.json`: every key has a default, an unknown one is passed over (`validate` reports it).

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::jsonl::BOM;

pub const CONFIG_PATH: &str = "marvel/config.json";
pub const CONFIG_SCHEMA_PATH: &str = "marvel/_config.schema.json";

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Config {
    /// The packs branch, without `refs/heads/`.
    pub branch: String,
    /// The branch that pull requests from the packs branch go into; found out where it is not set.
    pub base: Option<String>,
    /// Whose commits on the packs branch are in force before review.
    pub pending: Pending,
    /// Whether commits on the packs branch are signed.
    pub sign: Sign,
    pub inject: Inject,
    /// More words that, in a path, speak for categories.
    pub keywords: BTreeMap<String, Vec<String>>,
    pub capture: Capture,
    pub evolve: Evolve,
    pub history: History,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Pending {
    /// What this clone itself committed.
    #[default]
    Own,
    /// All that the packs branch has.
    Branch,
    Off,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sign {
    /// As `commit.gpgsign` says.
    #[default]
    Auto,
    Always,
    Never,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Announce {
    /// The person is told of a session's first injection.
    #[default]
    First,
    Always,
    Never,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Inject {
    /// UTF-16 units an injection; 10,000 at the most.
    pub max_chars: usize,
    /// UTF-16 units an agent.
    pub max_chars_per_session: usize,
    pub announce: Announce,
    /// Packs whose rules hold up the first edit of a sensitive path until they were shown.
    pub hold_first_edit: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Capture {
    /// Days after which a one-off redirect is no candidate any more.
    pub expire_days: u32,
}

/// When a lesson graduates, and when it is pruned.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Evolve {
    pub graduate_injections: u64,
    pub graduate_runs: u64,
    /// 0 to 1.
    pub graduate_utility: f64,
    /// Days since it was learned, and since its text was last edited.
    pub graduate_days: u32,
    pub graduate_corrections: u64,
    pub graduate_people: u64,
    /// Runs in which it recurred although it had been shown.
    pub strengthen_runs: u64,
    /// Runs in which it was contradicted.
    pub prune_contradictions: u64,
    /// Days in which its pack matched no file.
    pub prune_unmatched_days: u32,
}

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct History {
    /// Author names or addresses (substrings, any case) of commits that an agent wrote.
    pub agent_authors: Vec<String>,
    /// Days within which a person's change of an agent's lines says something.
    pub window_days: u32,
}

/// What the client takes as one string, in UTF-16 units; a longer one is cut down to a stub.
pub const HARD_MAX_CHARS: usize = 10_000;

impl Default for Config {
    fn default() -> Self {
        Self {
            branch: "packs".to_owned(),
            base: None,
            pending: Pending::default(),
            sign: Sign::default(),
            inject: Inject::default(),
            keywords: BTreeMap::new(),
            capture: Capture::default(),
            evolve: Evolve::default(),
            history: History::default(),
        }
    }
}

impl Default for Inject {
    fn default() -> Self {
        Self { max_chars: 9_000, max_chars_per_session: 40_000, announce: Announce::First, hold_first_edit: Vec::new() }
    }
}

impl Default for Capture {
    fn default() -> Self {
        Self { expire_days: 30 }
    }
}

impl Default for Evolve {
    fn default() -> Self {
        Self {
            graduate_injections: 20,
            graduate_runs: 5,
            graduate_utility: 0.85,
            graduate_days: 14,
            graduate_corrections: 2,
            graduate_people: 2,
            strengthen_runs: 3,
            prune_contradictions: 2,
            prune_unmatched_days: 90,
        }
    }
}

impl Default for History {
    fn default() -> Self {
        Self { agent_authors: vec!["claude".to_owned(), "noreply@anthropic.com".to_owned()], window_days: 14 }
    }
}

impl Config {
    /// Reads `marvel/config.json`; a BOM is passed over.
    pub fn parse(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes.strip_prefix(BOM).unwrap_or(bytes))
    }

    /// `refs/heads/<branch>`.
    pub fn branch_ref(&self) -> String {
        format!("refs/heads/{}", self.branch)
    }
}

#[cfg(test)]
mod tests {
    use super::Config;

    #[test]
    fn every_key_has_a_default() {
        assert_eq!(Config::parse(b"{}").expect("valid"), Config::default());
        let partial = Config::parse(br#"{"inject":{"max_chars":100},"later":1}"#).expect("valid");
        assert_eq!((partial.inject.max_chars, partial.inject.max_chars_per_session), (100, 40_000));
    }
}
