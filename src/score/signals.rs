//! What speaks for a pack, what each signal weighs, and the facts of the moment that signals are read from. Which
//! packs are then selected is `select`'s.

use std::collections::BTreeMap;
use std::fmt;

use chrono::TimeDelta;
use serde::{Serialize, Serializer};

use crate::model::guidance::GuidanceType;
use crate::model::timestamp::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Signal {
    FilePatternMatch,
    ExtensionMatch,
    SensitivePath,
    RecentCorrection,
    CategoryMatch,
    PathKeyword,
    DependencyBoost,
}

impl Signal {
    pub const ALL: [Self; 7] = [
        Self::FilePatternMatch,
        Self::ExtensionMatch,
        Self::SensitivePath,
        Self::RecentCorrection,
        Self::CategoryMatch,
        Self::PathKeyword,
        Self::DependencyBoost,
    ];

    pub fn weight(self) -> u32 {
        match self {
            Self::FilePatternMatch => 15,
            Self::ExtensionMatch => 5,
            Self::SensitivePath | Self::RecentCorrection => 20,
            Self::CategoryMatch | Self::PathKeyword => 8,
            Self::DependencyBoost => 3,
        }
    }

    /// Whether a pack with this signal needs fewer points.
    pub fn is_strong(self) -> bool {
        matches!(self, Self::FilePatternMatch | Self::SensitivePath | Self::RecentCorrection)
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::FilePatternMatch => "FILE_PATTERN_MATCH",
            Self::ExtensionMatch => "EXTENSION_MATCH",
            Self::SensitivePath => "SENSITIVE_PATH",
            Self::RecentCorrection => "RECENT_CORRECTION",
            Self::CategoryMatch => "CATEGORY_MATCH",
            Self::PathKeyword => "PATH_KEYWORD",
            Self::DependencyBoost => "DEPENDENCY_BOOST",
        }
    }
}

impl fmt::Display for Signal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl Serialize for Signal {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// More corrections than these add nothing.
pub const MAX_CORRECTIONS: u32 = 3;
/// How long a prompt speaks for its category.
pub const RECENT: TimeDelta = TimeDelta::minutes(30);

/// The session as scoring sees it.
#[derive(Clone, Copy, Debug)]
pub struct Moment<'a> {
    pub now: Timestamp,
    /// The prompts of this session; old ones may be among them.
    pub spoken: &'a [Spoken],
}

/// A prompt of this session: what it was, not what it said.
#[derive(Clone, Debug, PartialEq)]
pub struct Spoken {
    pub kind: GuidanceType,
    pub category: Option<String>,
    pub at: Timestamp,
}

impl<'a> Moment<'a> {
    /// The categories of the recent prompts, each with whether it was a correction.
    pub(super) fn recent(&self) -> Vec<(&'a str, bool)> {
        self.spoken
            .iter()
            .filter(|spoken| {
                let age = self.now.since(spoken.at);
                age >= TimeDelta::zero() && age <= RECENT
            })
            .filter_map(|spoken| Some((spoken.category.as_deref()?, spoken.kind == GuidanceType::Correction)))
            .collect()
    }
}

/// Words that, in a path, speak for categories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Keywords(Vec<(String, Vec<String>)>);

const BUILT_IN: [(&str, &[&str]); 8] = [
    ("test", &["testing", "test-quality"]),
    ("spec", &["testing", "test-quality"]),
    ("auth", &["security", "auth"]),
    ("middleware", &["security", "auth"]),
    ("config", &["configuration"]),
    ("env", &["configuration"]),
    ("schema", &["database", "schema"]),
    ("migration", &["database", "schema"]),
];

impl Default for Keywords {
    fn default() -> Self {
        Self::new(&BTreeMap::new())
    }
}

impl Keywords {
    /// The built-in ones and the team's own (`keywords` of `config.json`), which add to them.
    pub fn new(more: &BTreeMap<String, Vec<String>>) -> Self {
        let own = |(word, categories): (&str, &[&str])| {
            (word.to_owned(), categories.iter().map(|&category| category.to_owned()).collect())
        };
        let mut all: Vec<(String, Vec<String>)> = BUILT_IN.into_iter().map(own).collect();
        all.extend(
            more.iter().filter(|(word, _)| !word.is_empty()).map(|(word, categories)| (word.to_lowercase(), categories.clone())),
        );
        Self(all)
    }

    /// The keywords that stand in a path, with the categories that they speak for.
    pub fn in_path<'a>(&'a self, path: &str) -> Vec<(&'a str, &'a [String])> {
        let lower = path.to_lowercase();
        self.0
            .iter()
            .filter(|(word, _)| lower.contains(word.as_str()))
            .map(|(word, categories)| (word.as_str(), categories.as_slice()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Keywords, Moment, Spoken};
    use crate::model::guidance::GuidanceType;
    use crate::model::timestamp::Timestamp;

    #[test]
    fn only_the_last_thirty_minutes_speak_and_nothing_from_the_future() {
        let at = |minutes: i64| Timestamp::from_unix(1_800_000_000 + 60 * minutes).expect("in range");
        let spoken: Vec<_> = [-31, -30, 0, 1]
            .into_iter()
            .map(|minutes| Spoken { kind: GuidanceType::Approval, category: Some(format!("c{minutes}")), at: at(minutes) })
            .collect();
        let moment = Moment { now: at(0), spoken: &spoken };
        assert_eq!(moment.recent(), [("c-30", false), ("c0", false)]);
    }

    #[test]
    fn a_team_adds_keywords_and_takes_none_away() {
        let more = BTreeMap::from([("Auth".to_owned(), vec!["sessions".to_owned()]), (String::new(), vec!["all".to_owned()])]);
        let keywords = Keywords::new(&more);
        let found: Vec<_> = keywords.in_path("src/AUTH/a.rs").into_iter().flat_map(|(_, categories)| categories).collect();
        assert_eq!(found, ["security", "auth", "sessions"]);
    }
}
