//! One lesson: the fields of a line of `lessons.jsonl`, and who it is. The line's bytes are `jsonl`'s.

use std::fmt;

use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::record::Record;
use super::timestamp::{Form, Timestamp};

/// Ten hex digits, unique in a pack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct LessonId(String);

impl LessonId {
    pub const LENGTH: usize = 10;

    /// The id of a line that carries none: from what identifies it.
    pub fn derive(timestamp: &str, category: &str, title: &str) -> Self {
        let mut hash = Sha256::new();
        for (i, part) in [timestamp, category, title].into_iter().enumerate() {
            if i > 0 {
                hash.update([0]);
            }
            hash.update(part.as_bytes());
        }
        let digest = hash.finalize();
        let digits = digest.iter().take(Self::LENGTH / 2).flat_map(|byte| [byte >> 4, byte & 15]);
        Self(digits.filter_map(|digit| char::from_digit(digit.into(), 16)).collect())
    }

    /// Takes ten hex digits; upper case is folded.
    pub fn parse(text: &str) -> Option<Self> {
        (text.len() == Self::LENGTH && text.bytes().all(|byte| byte.is_ascii_hexdigit())).then(|| Self(text.to_ascii_lowercase()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether a person's abbreviation (4 digits or more) means this id.
    pub fn starts_with(&self, prefix: &str) -> bool {
        prefix.len() >= 4 && self.0.starts_with(&prefix.to_ascii_lowercase())
    }
}

impl fmt::Display for LessonId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Lesson {
    pub id: LessonId,
    /// Whether the line carries its id, or it was derived.
    pub pinned: bool,
    /// As written; see [`Lesson::instant`].
    pub timestamp: String,
    pub category: String,
    pub title: String,
    pub description: String,
    pub actionable: String,
    pub run_id: Option<String>,
    /// 0 to 1; a counter.
    pub utility_score: Option<f64>,
    /// A counter.
    pub injection_count: Option<u64>,
    /// Globs: where this lesson applies.
    pub paths: Vec<String>,
}

/// The fields that say what a lesson teaches: whether it was *edited* is judged by these.
/// Every other field but the counters counts as text too.
pub const COUNTERS: [&str; 2] = ["utility_score", "injection_count"];

/// Why a line is no lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    Json { column: usize, reason: String },
    NotAnObject,
    Missing(&'static str),
    WrongType { field: &'static str, expected: &'static str },
    Timestamp(String),
    Id(String),
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Json { reason, .. } => write!(f, "not valid JSON: {reason}"),
            Self::NotAnObject => f.write_str("not a JSON object"),
            Self::Missing(field) => write!(f, "the required field `{field}` is missing"),
            Self::WrongType { field, expected } => write!(f, "`{field}` must be {expected}"),
            Self::Timestamp(text) => write!(f, "`timestamp` is no ISO 8601 time: {text:?}"),
            Self::Id(text) => write!(f, "`id` must be 10 hex digits, not {text:?}"),
        }
    }
}

/// The line as serde reads it fast: right types, unknown fields passed over.
#[derive(Deserialize)]
struct Wire {
    timestamp: String,
    category: String,
    title: String,
    description: String,
    actionable: String,
    #[serde(default)]
    run_id: Option<String>,
    #[serde(default)]
    utility_score: Option<f64>,
    #[serde(default)]
    injection_count: Option<u64>,
    #[serde(default)]
    id: Option<String>,
    #[serde(default)]
    paths: Option<Vec<String>>,
}

impl Lesson {
    /// Reads one line (without its end of line).
    pub fn parse(line: &str) -> Result<Self, Fault> {
        // A list of strings would do for `Wire`, and is no lesson.
        match line.trim_start().starts_with('{').then(|| serde_json::from_str::<Wire>(line)) {
            Some(Ok(wire)) => Self::from_wire(wire),
            _ => Record::parse(line).map_err(|error| json_fault(line, &error)).and_then(|record| Self::from_record(&record)),
        }
    }

    fn from_wire(wire: Wire) -> Result<Self, Fault> {
        let id = match &wire.id {
            Some(text) => LessonId::parse(text).ok_or_else(|| Fault::Id(text.clone()))?,
            None => LessonId::derive(&wire.timestamp, &wire.category, &wire.title),
        };
        Ok(Self {
            id,
            pinned: wire.id.is_some(),
            timestamp: wire.timestamp,
            category: wire.category,
            title: wire.title,
            description: wire.description,
            actionable: wire.actionable,
            run_id: wire.run_id,
            utility_score: wire.utility_score.map(|score| score.clamp(0.0, 1.0)),
            injection_count: wire.injection_count,
            paths: wire.paths.unwrap_or_default(),
        })
    }

    /// Reads a record, forgiving what is wrong in optional fields (`validate` reports it).
    pub fn from_record(record: &Record) -> Result<Self, Fault> {
        let text = |field: &'static str| -> Result<String, Fault> {
            let raw = record.raw(field).ok_or(Fault::Missing(field))?;
            serde_json::from_str(raw).map_err(|_| Fault::WrongType { field, expected: "a string" })
        };
        let id = match record.raw("id") {
            None | Some("null") => None,
            Some(raw) => Some(serde_json::from_str(raw).map_err(|_| Fault::Id(raw.to_owned()))?),
        };
        Self::from_wire(Wire {
            timestamp: text("timestamp")?,
            category: text("category")?,
            title: text("title")?,
            description: text("description")?,
            actionable: text("actionable")?,
            run_id: record.get("run_id"),
            utility_score: record.get("utility_score"),
            injection_count: record.get("injection_count"),
            id,
            paths: record.get("paths"),
        })
    }

    /// A record in the key order of the format, with the id pinned: how MARVEL writes a new lesson.
    pub fn to_record(&self) -> Record {
        let mut record = Record::default();
        record.set("timestamp", &self.timestamp);
        record.set("category", &self.category);
        record.set("title", &self.title);
        record.set("description", &self.description);
        record.set("actionable", &self.actionable);
        if let Some(run_id) = &self.run_id {
            record.set("run_id", run_id);
        }
        if let Some(score) = self.utility_score {
            record.set("utility_score", score);
        }
        if let Some(count) = self.injection_count {
            record.set("injection_count", count);
        }
        record.set("id", &self.id);
        if !self.paths.is_empty() {
            record.set("paths", &self.paths);
        }
        record
    }

    /// When it was learned; `None` where the text is no time.
    pub fn instant(&self) -> Option<Timestamp> {
        Timestamp::parse(&self.timestamp).map(|(at, _)| at)
    }

    pub fn timestamp_form(&self) -> Option<Form> {
        Timestamp::parse(&self.timestamp).map(|(_, form)| form)
    }

    /// Whether both say the same: everything but the counters and whether the id is written out.
    pub fn same_text(&self, other: &Self) -> bool {
        self.id == other.id
            && self.timestamp == other.timestamp
            && self.category == other.category
            && self.title == other.title
            && self.description == other.description
            && self.actionable == other.actionable
            && self.run_id == other.run_id
            && self.paths == other.paths
    }
}

fn json_fault(line: &str, error: &serde_json::Error) -> Fault {
    let reason = error.to_string();
    let reason = reason.split(" at line ").next().unwrap_or(&reason).to_owned();
    match serde_json::from_str::<serde::de::IgnoredAny>(line) {
        Ok(_) => Fault::NotAnObject,
        Err(_) => Fault::Json { column: error.column().max(1), reason },
    }
}

#[cfg(test)]
mod tests {
    use super::{Fault, Lesson, LessonId};

    const LINE: &str =
        r#"{"timestamp":"2026-11-29T10:15:00.000Z","category":"auth","title":"T","description":"D","actionable":"A","x":1}"#;

    #[test]
    fn a_line_without_an_id_gets_the_digest_of_what_identifies_it() {
        let lesson = Lesson::parse(LINE).expect("valid");
        // printf '2026-11-29T10:15:00.000Z\0auth\0T' | sha256sum
        assert_eq!(lesson.id, LessonId::derive("2026-11-29T10:15:00.000Z", "auth", "T"));
        assert_eq!(lesson.id.as_str(), "8fe8594c74");
        assert!(!lesson.pinned);
        assert!(lesson.to_record().to_line().ends_with(r#""actionable":"A","id":"8fe8594c74"}"#));
    }

    #[test]
    fn what_is_wrong_in_a_line_is_named() {
        for (line, fault) in [
            ("[1]", Fault::NotAnObject),
            (r#"["2026-11-29T10:15:00Z","c","T","d","a"]"#, Fault::NotAnObject),
            ("42", Fault::NotAnObject),
            (r#"{"timestamp":"t","category":"c"}"#, Fault::Missing("title")),
            (
                r#"{"timestamp":"t","category":"c","title":1,"description":"","actionable":""}"#,
                Fault::WrongType { field: "title", expected: "a string" },
            ),
            (
                r#"{"timestamp":"t","category":"c","title":"","description":"","actionable":"","id":"xyz"}"#,
                Fault::Id("xyz".to_owned()),
            ),
        ] {
            assert_eq!(Lesson::parse(line), Err(fault), "{line}");
        }
        assert!(matches!(Lesson::parse(r#"{"a":"#), Err(Fault::Json { .. })));
    }

    #[test]
    fn a_wrong_optional_field_hides_no_lesson() {
        let line = LINE.replace(r#""x":1"#, r#""utility_score":"high","paths":"src""#);
        let lesson = Lesson::parse(&line).expect("still a lesson");
        assert_eq!((lesson.utility_score, lesson.paths.len()), (None, 0));
    }
}
