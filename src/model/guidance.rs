//! Guidance: one captured statement of the person. How it is recognised is `capture`'s, where it is kept is `session`'s.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::timestamp::Timestamp;

/// What the person did with a prompt.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum GuidanceType {
    Correction,
    Direction,
    Rejection,
    Approval,
    Clarification,
    TaskStart,
    TaskEnd,
    None,
}

impl GuidanceType {
    pub const ALL: [Self; 8] = [
        Self::Correction,
        Self::Direction,
        Self::Rejection,
        Self::Approval,
        Self::Clarification,
        Self::TaskStart,
        Self::TaskEnd,
        Self::None,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Correction => "correction",
            Self::Direction => "direction",
            Self::Rejection => "rejection",
            Self::Approval => "approval",
            Self::Clarification => "clarification",
            Self::TaskStart => "task_start",
            Self::TaskEnd => "task_end",
            Self::None => "none",
        }
    }

    /// Whether the text is kept: a lesson may come of it.
    pub fn is_stored(self) -> bool {
        matches!(self, Self::Correction | Self::Direction)
    }
}

impl fmt::Display for GuidanceType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// One line of `guidance.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Guidance {
    pub id: String,
    pub timestamp: Timestamp,
    pub run_id: String,
    pub session_id: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_id: Option<String>,
    #[serde(rename = "type")]
    pub kind: GuidanceType,
    /// What the person said, secrets taken out.
    pub content: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pack: Option<String>,
    /// 0 to 1.
    pub confidence: f64,
    /// The file that the agent last worked on, from the repository's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The tool that it last used.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// The lessons, as `pack/id`, that had been put before the agent for that file.
    #[serde(default)]
    pub injected: Vec<String>,
    /// ISO 639-1, `mixed`, or `und` where it was not recognised.
    pub lang: String,
    /// The row of the classifier that fired.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
}

/// `g_` and 26 characters that sort by time: 48 bits of milliseconds, 80 bits of a digest over `seed`.
pub fn guidance_id(at: Timestamp, seed: &[&[u8]]) -> String {
    const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
    let mut hash = Sha256::new();
    for part in seed {
        hash.update((part.len() as u64).to_le_bytes());
        hash.update(part);
    }
    let digest = hash.finalize();
    let millis = u128::try_from(at.unix_millis().max(0)).unwrap_or(0) & ((1 << 48) - 1);
    let tail = digest.iter().take(10).fold(0u128, |value, &byte| (value << 8) | u128::from(byte));
    let value = (millis << 80) | tail;
    let digits = (0..26).rev().map(|i| char::from(ALPHABET[usize::try_from((value >> (5 * i)) & 31).expect("five bits")]));
    format!("g_{}", digits.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::guidance_id;
    use crate::model::timestamp::Timestamp;

    #[test]
    fn ids_sort_by_time_and_differ_by_seed() {
        let at = |millis| Timestamp::from_unix_millis(millis).expect("in range");
        let ids = [guidance_id(at(1), &[b"z"]), guidance_id(at(2), &[b"a"]), guidance_id(at(1_790_000_000_000), &[b"a"])];
        assert!(ids.is_sorted());
        assert_ne!(guidance_id(at(1), &[b"ab", b""]), guidance_id(at(1), &[b"a", b"b"]));
        assert_eq!(ids[0].len(), 28);
    }
}
