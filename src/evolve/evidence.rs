//! All that is known of one lesson when its fate is judged, as plain data, and the reasons that come of it.

use std::collections::BTreeSet;

use serde::Serialize;

use super::key::Key;
use super::premise::Premise;
use super::utility::{good, utility};
use crate::model::lesson::Lesson;
use crate::model::timestamp::Timestamp;

/// A commit, as evidence.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub commit: String,
    pub at: Timestamp,
}

/// Counts over all recorded segments of history and this clone's own that are not recorded yet.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Totals {
    pub injected: u64,
    pub good: u64,
    /// Runs in which it was injected, recurred, was contradicted.
    pub runs: u64,
    pub recurred: u64,
    pub contradicted: u64,
}

impl Totals {
    pub fn utility(&self) -> f64 {
        utility(self.injected, self.good)
    }

    /// What a lesson's line says where that is more than history knows: a squash may have dropped what commits said.
    pub fn at_least(&mut self, lesson: &Lesson) {
        let injected = lesson.injection_count.unwrap_or(0);
        if injected > self.injected {
            let score = lesson.utility_score.unwrap_or(0.5);
            self.injected = injected;
            self.good = good(score, injected).max(self.good);
        }
    }

    pub fn add(&mut self, other: Self) {
        self.injected += other.injected;
        self.good += other.good;
        self.runs += other.runs;
        self.recurred += other.recurred;
        self.contradicted += other.contradicted;
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Evidence {
    pub key: Key,
    pub lesson: Lesson,
    /// The commit that brought it; `None` where it stands in no commit yet.
    pub learned: Option<Change>,
    /// The last change of its text after that.
    pub edited: Option<Change>,
    /// Everyone who taught it or worded it anew.
    pub teachers: BTreeSet<String>,
    /// Statements of people that led to it.
    pub corrections: u64,
    pub totals: Totals,
    pub premises: Vec<Premise>,
    /// The rule of the pack's guardrails that says the same.
    pub rule: Option<String>,
    /// Since when its pack matched no file, where this was watched long enough to say so.
    pub pack_silent_since: Option<Timestamp>,
}

impl Evidence {
    /// When it was learned: by history, else by its own word.
    pub fn since(&self) -> Option<Timestamp> {
        self.learned.as_ref().map(|change| change.at).or_else(|| self.lesson.instant())
    }
}

/// One reason of a recommendation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Reason {
    /// Stable, in kebab-case.
    pub code: &'static str,
    pub text: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

impl Reason {
    pub fn new(code: &'static str, text: impl Into<String>) -> Self {
        Self { code, text: text.into(), commit: None }
    }

    pub fn at(mut self, commit: &str) -> Self {
        self.commit = Some(commit.to_owned());
        self
    }
}

/// Whole days from `earlier` to `now`; none where it lies ahead.
pub(super) fn days(now: Timestamp, earlier: Timestamp) -> u64 {
    u64::try_from(now.since(earlier).num_days()).unwrap_or(0)
}
