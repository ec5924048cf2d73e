//! The three files as lines, each distinct line parsed once. What becomes of them is not decided here.

use std::collections::HashMap;

use crate::model::jsonl::{BOM, BadLine, Content, Line};
use crate::model::lesson::{Lesson, LessonId};

/// A lesson's number, the same in all three files.
pub(super) type Key = usize;

/// All that was read, whatever file it stands in.
#[derive(Default)]
pub(super) struct Reader<'a> {
    seen: HashMap<&'a [u8], usize>,
    parsed: Vec<Option<(Key, Lesson)>>,
    keys: HashMap<LessonId, Key>,
    pub(super) ids: Vec<LessonId>,
    /// Where each lesson's first line stands in `parsed`.
    first: Vec<usize>,
}

#[derive(Default)]
pub(super) struct File<'a> {
    pub(super) lines: Vec<Entry<'a>>,
    /// The first conflict marker's line, from 1.
    pub(super) marker: Option<usize>,
    /// Of each lesson's lines the last one, which is the one that counts.
    live: Vec<Option<usize>>,
    /// Of each lesson with several lines the other ones.
    shadows: HashMap<Key, Vec<usize>>,
}

#[derive(Clone, Copy)]
pub(super) struct Entry<'a> {
    /// The line without its end and without a BOM.
    pub(super) content: &'a [u8],
    /// `\n` or `\r\n`; `\n` too where the file ends without one.
    pub(super) end: &'static [u8],
    /// The lesson that it is, if it is one.
    pub(super) key: Option<Key>,
    parsed: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn read(&mut self, bytes: &'a [u8]) -> File<'a> {
        let mut file = File::default();
        for (at, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let (content, end) = split(line);
            let (parsed, marker) = self.parse(content);
            if marker {
                file.marker.get_or_insert(at + 1);
            }
            let key = self.parsed[parsed].as_ref().map(|(key, _)| *key);
            if let Some(key) = key {
                file.live.resize(file.live.len().max(key + 1), None);
                if let Some(earlier) = file.live[key].replace(at) {
                    file.shadows.entry(key).or_default().push(earlier);
                }
            }
            file.lines.push(Entry { content, end, key, parsed });
        }
        file
    }

    pub(super) fn lesson(&self, entry: &Entry<'_>) -> &Lesson {
        let (_, lesson) = self.parsed[entry.parsed].as_ref().expect("an entry with a key is a lesson");
        lesson
    }

    /// A lesson's title, as the first file that has it has it.
    pub(super) fn title(&self, key: Key) -> &str {
        self.parsed[self.first[key]].as_ref().map_or("", |(_, lesson)| &lesson.title)
    }

    /// Where the line stands in `parsed`, and whether it is a conflict marker.
    fn parse(&mut self, content: &'a [u8]) -> (usize, bool) {
        const MARKER: usize = 0;
        const NOISE: usize = 1;
        if self.parsed.is_empty() {
            self.parsed.extend([None, None]);
        }
        if let Some(&at) = self.seen.get(content) {
            return (at, at == MARKER);
        }
        let at = match Line::parse(content).content {
            Content::Bad(BadLine::ConflictMarker) => MARKER,
            Content::Blank | Content::Bad(_) => NOISE,
            Content::Lesson(lesson) => {
                let next = self.ids.len();
                let key = *self.keys.entry(lesson.id.clone()).or_insert(next);
                if key == next {
                    self.ids.push(lesson.id.clone());
                    self.first.push(self.parsed.len());
                }
                self.parsed.push(Some((key, lesson)));
                self.parsed.len() - 1
            }
        };
        self.seen.insert(content, at);
        (at, at == MARKER)
    }
}

impl<'a> File<'a> {
    /// The line that counts for a lesson.
    pub(super) fn live(&self, key: Key) -> Option<&Entry<'a>> {
        self.live_at(key).map(|at| &self.lines[at])
    }

    pub(super) fn live_at(&self, key: Key) -> Option<usize> {
        self.live.get(key).copied().flatten()
    }

    /// The lines of a lesson that a later one with the same id overrules, in file order.
    pub(super) fn shadows(&self, key: Key) -> impl Iterator<Item = &Entry<'a>> {
        self.shadows.get(&key).into_iter().flatten().map(|&at| &self.lines[at])
    }

    /// Every line of a lesson, the one that counts last.
    pub(super) fn all(&self, key: Key) -> impl Iterator<Item = &Entry<'a>> {
        self.shadows(key).chain(self.live(key))
    }
}

/// A line's content and end.
fn split(line: &[u8]) -> (&[u8], &'static [u8]) {
    let (content, end): (_, &'static [u8]) = match line {
        [content @ .., b'\r', b'\n'] => (content, b"\r\n"),
        [content @ .., b'\n'] => (content, b"\n"),
        content => (content, b"\n"),
    };
    (content.strip_prefix(BOM).unwrap_or(content), end)
}
