//! `lessons.jsonl` as lines: a reader that no bad line can stop, and a writer that touches only what it changes.
//! What a lesson means is `lesson`'s; which findings are worth reporting is `check`'s.

use std::borrow::Cow;
use std::fmt;

use super::lesson::{Fault, Lesson, LessonId};
use super::record::Record;

/// A file of lessons: every byte of it, line by line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LessonFile {
    pub lines: Vec<Line>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Line {
    /// Every byte of the line, its end included (the last one may have none).
    pub bytes: Vec<u8>,
    pub content: Content,
}

#[derive(Clone, Debug, PartialEq)]
pub enum Content {
    /// Nothing but white space.
    Blank,
    Lesson(Lesson),
    Bad(BadLine),
}

/// Why a line is not read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadLine {
    /// `<<<<<<<`, `|||||||`, `=======` or `>>>>>>>`: somebody has to finish a merge.
    ConflictMarker,
    /// From this byte of the line on (counted from 0) it is not UTF-8.
    NotUtf8 {
        at: usize,
    },
    Fault(Fault),
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConflictMarker => f.write_str("a conflict marker: a merge was not finished"),
            Self::NotUtf8 { .. } => f.write_str("not UTF-8"),
            Self::Fault(fault) => fault.fmt(f),
        }
    }
}

/// Why a file is not written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EditError {
    /// The file has a conflict marker at this line (from 1).
    ConflictMarker { line: usize },
    /// No line has that id.
    NoSuchLesson,
}

impl fmt::Display for EditError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConflictMarker { line } => write!(f, "line {line} is a conflict marker: finish that merge first"),
            Self::NoSuchLesson => f.write_str("no line has that id"),
        }
    }
}

impl std::error::Error for EditError {}

pub const BOM: &[u8] = b"\xef\xbb\xbf";

impl LessonFile {
    /// Reads all lines, the bad ones as what they are. Never fails.
    pub fn parse(bytes: &[u8]) -> Self {
        Self { lines: bytes.split_inclusive(|&byte| byte == b'\n').map(Line::parse).collect() }
    }

    /// Every byte, as read or edited.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.lines.iter().flat_map(|line| line.bytes.iter().copied()).collect()
    }

    /// The lessons with their line numbers (from 1), in file order, duplicates included.
    pub fn numbered(&self) -> impl Iterator<Item = (usize, &Lesson)> {
        self.lines.iter().enumerate().filter_map(|(i, line)| match &line.content {
            Content::Lesson(lesson) => Some((i + 1, lesson)),
            _ => None,
        })
    }

    /// The lessons that count: of two lines with one id the later one.
    pub fn lessons(&self) -> Vec<&Lesson> {
        let mut last = std::collections::HashMap::new();
        for (number, lesson) in self.numbered() {
            last.insert(&lesson.id, number);
        }
        self.numbered().filter(|(number, lesson)| last[&lesson.id] == *number).map(|(_, lesson)| lesson).collect()
    }

    pub fn find(&self, id: &LessonId) -> Option<&Lesson> {
        self.numbered().filter(|(_, lesson)| lesson.id == *id).last().map(|(_, lesson)| lesson)
    }

    /// The record of a lesson's line, to edit and give to [`LessonFile::replace`].
    pub fn record(&self, id: &LessonId) -> Option<Record> {
        self.position(id).and_then(|at| Record::parse(&self.lines[at].text()).ok())
    }

    /// The lines that were passed over, with their numbers (from 1).
    pub fn bad_lines(&self) -> impl Iterator<Item = (usize, &BadLine)> {
        self.lines.iter().enumerate().filter_map(|(i, line)| match &line.content {
            Content::Bad(bad) => Some((i + 1, bad)),
            _ => None,
        })
    }

    /// Refuses files in the middle of a merge: nothing is written into them.
    pub fn ensure_editable(&self) -> Result<(), EditError> {
        match self.bad_lines().find(|(_, bad)| **bad == BadLine::ConflictMarker) {
            Some((line, _)) => Err(EditError::ConflictMarker { line }),
            None => Ok(()),
        }
    }

    /// Appends a line; a last line without an end gets one first.
    pub fn append(&mut self, record: &Record) -> Result<(), EditError> {
        self.ensure_editable()?;
        if let Some(last) = self.lines.last_mut().filter(|last| !last.bytes.ends_with(b"\n")) {
            last.bytes.push(b'\n');
        }
        self.lines.push(Line::parse(format!("{}\n", record.to_line()).as_bytes()));
        Ok(())
    }

    /// Puts `record` in the place of the lesson with that id.
    pub fn replace(&mut self, id: &LessonId, record: &Record) -> Result<(), EditError> {
        self.ensure_editable()?;
        let at = self.position(id).ok_or(EditError::NoSuchLesson)?;
        let end = self.lines[at].end();
        self.lines[at] = Line::parse(format!("{}{end}", record.to_line()).as_bytes());
        Ok(())
    }

    /// Takes out every line with that id.
    pub fn remove(&mut self, id: &LessonId) -> Result<(), EditError> {
        self.ensure_editable()?;
        self.position(id).ok_or(EditError::NoSuchLesson)?;
        self.lines.retain(|line| !matches!(&line.content, Content::Lesson(lesson) if lesson.id == *id));
        Ok(())
    }

    fn position(&self, id: &LessonId) -> Option<usize> {
        self.lines.iter().rposition(|line| matches!(&line.content, Content::Lesson(lesson) if lesson.id == *id))
    }
}

impl Line {
    pub fn parse(bytes: &[u8]) -> Self {
        Self { bytes: bytes.to_vec(), content: Content::parse(trimmed(bytes)) }
    }

    /// The line without BOM, NULs at either side, white space and its end; invalid bytes replaced.
    pub fn text(&self) -> Cow<'_, str> {
        String::from_utf8_lossy(trimmed(&self.bytes))
    }

    /// How the line ends; a line without an end gets `\n`.
    fn end(&self) -> &'static str {
        if self.bytes.ends_with(b"\r\n") { "\r\n" } else { "\n" }
    }
}

impl Content {
    fn parse(bytes: &[u8]) -> Self {
        if bytes.is_empty() {
            return Self::Blank;
        }
        if is_conflict_marker(bytes) {
            return Self::Bad(BadLine::ConflictMarker);
        }
        match std::str::from_utf8(bytes) {
            Err(error) => Self::Bad(BadLine::NotUtf8 { at: error.valid_up_to() }),
            Ok(text) => match Lesson::parse(text) {
                Ok(lesson) => Self::Lesson(lesson),
                Err(fault) => Self::Bad(BadLine::Fault(fault)),
            },
        }
    }
}

/// What readers read of a line: no BOM, no NULs at either side, no white space around it.
pub fn trimmed(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let noise = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
    let start = bytes.iter().position(|byte| !noise(byte)).unwrap_or(bytes.len());
    let end = bytes.iter().rposition(|byte| !noise(byte)).map_or(start, |last| last + 1);
    &bytes[start..end]
}

/// Whether a line (without its end) is one that git writes into a file it could not merge.
pub fn is_conflict_marker(line: &[u8]) -> bool {
    [b'<', b'|', b'=', b'>'].iter().any(|&mark| {
        let run = line.iter().take_while(|&&byte| byte == mark).count();
        run >= 7 && (run == line.len() || line[run] == b' ')
    })
}

#[cfg(test)]
mod tests {
    use super::{BadLine, EditError, LessonFile};

    fn line(title: &str) -> String {
        format!(r#"{{"timestamp":"2026-11-29T10:15:00Z","category":"c", "title":"{title}","description":"d","actionable":"a"}}"#)
    }

    #[test]
    fn no_bad_line_hides_a_good_one() {
        let text = format!("\u{feff}{}\r\n{{torn\n\0\0{}\n<<<<<<< ours\n[]\n\n{}", line("one"), line("two"), line("three"));
        let mut bytes = text.into_bytes();
        bytes.splice(0..0, b"\xff\xfe\n".iter().copied());
        let file = LessonFile::parse(&bytes);
        let titles: Vec<_> = file.lessons().iter().map(|lesson| lesson.title.clone()).collect();
        assert_eq!(titles, ["one", "two", "three"]);
        assert_eq!(file.bad_lines().map(|(number, _)| number).collect::<Vec<_>>(), [1, 3, 5, 6]);
        assert_eq!(file.to_bytes(), bytes);
    }

    #[test]
    fn an_edit_leaves_every_other_byte_alone() {
        let bytes = format!("{}\r\n# note\n{}", line("one"), line("two"));
        let mut file = LessonFile::parse(bytes.as_bytes());
        let id = file.lessons()[0].id.clone();
        let mut record = file.record(&id).expect("a record");
        record.set("id", &id);
        file.replace(&id, &record).expect("editable");
        file.append(&record).expect("editable");
        let text = String::from_utf8(file.to_bytes()).expect("UTF-8");
        let edited = record.to_line();
        assert_eq!(text, format!("{edited}\r\n# note\n{}\n{edited}\n", line("two")));
        file.remove(&id).expect("there");
        assert_eq!(String::from_utf8(file.to_bytes()).expect("UTF-8"), format!("# note\n{}\n", line("two")));
    }

    #[test]
    fn a_file_in_the_middle_of_a_merge_is_not_written() {
        let mut file = LessonFile::parse(format!("{}\n=======\n", line("one")).as_bytes());
        let id = file.lessons()[0].id.clone();
        assert_eq!(file.remove(&id), Err(EditError::ConflictMarker { line: 2 }));
        assert!(file.bad_lines().any(|(_, bad)| *bad == BadLine::ConflictMarker));
    }

    #[test]
    fn of_two_lines_with_one_id_the_later_counts() {
        let second = line("one").replace(r#""d""#, r#""later""#);
        let file = LessonFile::parse(format!("{}\n{second}\n", line("one")).as_bytes());
        assert_eq!(file.lessons().len(), 1);
        assert_eq!(file.lessons()[0].description, "later");
    }
}
