//! What a line of a file of lessons is, and who its lesson is, without copying its text: for those that read many lines to
//! look at few of them. Lines are taken and refused as [`Line::parse`](super::jsonl::Line::parse) does.

use std::borrow::Cow;

use serde::Deserialize;

use super::jsonl::{is_conflict_marker, trimmed};
use super::lesson::{Lesson, LessonId};

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Seen<'a> {
    Blank,
    ConflictMarker,
    /// Something else that is no lesson.
    Bad,
    Lesson(Glance<'a>),
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Glance<'a> {
    pub id: LessonId,
    pub timestamp: Cow<'a, str>,
    pub title: Cow<'a, str>,
}

/// The fields that make a line a lesson; whatever is wrong with the others hides none.
#[derive(Deserialize)]
struct Wire<'a> {
    #[serde(borrow)]
    timestamp: Cow<'a, str>,
    #[serde(borrow)]
    category: Cow<'a, str>,
    #[serde(borrow)]
    title: Cow<'a, str>,
    #[serde(borrow, rename = "description")]
    _description: Cow<'a, str>,
    #[serde(borrow, rename = "actionable")]
    _actionable: Cow<'a, str>,
    #[serde(default)]
    id: Option<String>,
}

impl<'a> Seen<'a> {
    pub fn of(line: &'a [u8]) -> Self {
        let line = trimmed(line);
        if line.is_empty() {
            Self::Blank
        } else if is_conflict_marker(line) {
            Self::ConflictMarker
        } else {
            std::str::from_utf8(line).ok().and_then(Glance::parse).map_or(Self::Bad, Self::Lesson)
        }
    }
}

impl<'a> Glance<'a> {
    /// Reads one line (without its end); `None` where it is no lesson.
    pub fn parse(line: &'a str) -> Option<Self> {
        // A list of strings would do for `Wire`, and a field given twice would not.
        match line.trim_start().starts_with('{').then(|| serde_json::from_str::<Wire<'_>>(line)) {
            Some(Ok(wire)) => {
                let id = match &wire.id {
                    Some(text) => LessonId::parse(text)?,
                    None => LessonId::derive(&wire.timestamp, &wire.category, &wire.title),
                };
                Some(Self { id, timestamp: wire.timestamp, title: wire.title })
            }
            _ => {
                let lesson = Lesson::parse(line).ok()?;
                Some(Self { id: lesson.id, timestamp: lesson.timestamp.into(), title: lesson.title.into() })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Glance, Seen};
    use crate::model::jsonl::{BadLine, Content, Line};
    use crate::model::lesson::Lesson;

    #[test]
    fn a_line_is_judged_as_the_reader_of_files_does() {
        let lesson = br#"{"timestamp":"2026-11-29","category":"c","title":"T","description":"d","actionable":"a"}"#;
        let after_noise = [b"\xef\xbb\xbf\0 ", lesson.as_slice()].concat();
        for line in [b"" as &[u8], b" \t\r\n", b"\0\0", b"=======", b"<<<<<<< x", b"# x", b"\xff", lesson, &after_noise] {
            let same = match (Seen::of(line), Line::parse(line).content) {
                (Seen::Lesson(glance), Content::Lesson(lesson)) => glance.id == lesson.id,
                (seen, Content::Bad(BadLine::ConflictMarker)) => seen == Seen::ConflictMarker,
                (seen, Content::Bad(_)) => seen == Seen::Bad,
                (seen, Content::Blank) => seen == Seen::Blank,
                _ => false,
            };
            assert!(same, "{line:?}");
        }
    }

    #[test]
    fn it_takes_and_refuses_what_a_lesson_does() {
        let line = r#"{"timestamp":"2026-11-29","category":"c","title":"T","description":"d","actionable":"a""#;
        let mut taken = 0;
        for more in [
            "}",
            r#","id":"0123456789"}"#,
            r#","id":"0123456789","id":"ABCDEFABCD"}"#,
            r#","id":null}"#,
            r#","id":7}"#,
            r#","id":"short"}"#,
            r#","title":"again"}"#,
            r#","title":7}"#,
            r#","paths":"src","utility_score":"high","injection_count":-1,"injection_count":1e999}"#,
            r#","x":{"deep":["\ud800"]}}"#,
            r#","x":{"#,
            "} trailing",
        ] {
            let plain = format!("{line}{more}");
            for line in [plain.clone(), format!(" {plain} "), plain.replace("\"T\"", "\"\\u00e9\"")] {
                let (glance, lesson) = (Glance::parse(&line), Lesson::parse(&line).ok());
                taken += usize::from(glance.is_some());
                let seen = glance.map(|glance| (glance.id, glance.timestamp.into_owned(), glance.title.into_owned()));
                assert_eq!(seen, lesson.map(|lesson| (lesson.id, lesson.timestamp, lesson.title)), "{line}");
            }
        }
        assert!(taken >= 5 * 3, "{taken}");
        for line in ["", "[]", "null", r#"["2026-11-29","c","T","d","a"]"#, r#"{"title":"T"}"#] {
            assert_eq!((Glance::parse(line), Lesson::parse(line).ok()), (None, None), "{line}");
        }
    }
}
