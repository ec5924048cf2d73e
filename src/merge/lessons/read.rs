//! The three files as lines, each told to be a lesson or not. What becomes of them is not decided here.

use std::collections::HashMap;

use crate::model::glance::{Glance, Seen};
use crate::model::jsonl::BOM;
use crate::model::lesson::LessonId;

/// A lesson's number, the same in all three files.
pub(super) type Key = usize;

/// All that was read, whatever file it stands in.
#[derive(Default)]
pub(super) struct Reader<'a> {
    /// What was seen of the lessons' lines, those of the base first.
    seen: Vec<Glance<'a>>,
    keys: HashMap<LessonId, Key>,
    /// Where each lesson stands first in `seen`.
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
    marker: bool,
    /// Where the lesson stands in the reader's `seen`.
    seen: usize,
}

impl<'a> Reader<'a> {
    /// Reads a file. Where a side runs as the base does its lines are known already.
    pub(super) fn read(&mut self, bytes: &'a [u8], base: Option<&File<'a>>) -> File<'a> {
        let mut file = File::default();
        let mut next = 0;
        for (at, line) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            let (content, end) = split(line);
            let known = base.and_then(|base| base.lines.get(next)).filter(|known| known.content == content);
            let entry = known.map_or_else(|| self.entry(content, end), |known| Entry { end, ..*known });
            // A changed line stands where it stood; a new one moves nothing on.
            if known.is_some() {
                next += 1;
            } else if let Some(place) = base.and_then(|base| base.live_at(entry.key?)) {
                next = place + 1;
            }
            if entry.marker {
                file.marker.get_or_insert(at + 1);
            }
            if let Some(key) = entry.key {
                if file.live.len() <= key {
                    file.live.resize(key + 1, None);
                }
                if let Some(earlier) = file.live[key].replace(at) {
                    file.shadows.entry(key).or_default().push(earlier);
                }
            }
            file.lines.push(entry);
        }
        file
    }

    /// How many lessons there are in all.
    pub(super) fn count(&self) -> usize {
        self.first.len()
    }

    pub(super) fn id(&self, key: Key) -> &LessonId {
        &self.seen[self.first[key]].id
    }

    /// A lesson's title, as the first file that has it has it.
    pub(super) fn title(&self, key: Key) -> &str {
        &self.seen[self.first[key]].title
    }

    /// What was seen of a lesson's line.
    pub(super) fn glance(&self, entry: &Entry<'a>) -> &Glance<'a> {
        &self.seen[entry.seen]
    }

    fn entry(&mut self, content: &'a [u8], end: &'static [u8]) -> Entry<'a> {
        let entry = Entry { content, end, key: None, marker: false, seen: 0 };
        match Seen::of(content) {
            Seen::ConflictMarker => Entry { marker: true, ..entry },
            Seen::Blank | Seen::Bad => entry,
            Seen::Lesson(glance) => {
                let seen = self.seen.len();
                let key = self.keys.get(&glance.id).copied().unwrap_or_else(|| {
                    self.keys.insert(glance.id.clone(), self.first.len());
                    self.first.push(seen);
                    self.first.len() - 1
                });
                self.seen.push(glance);
                Entry { key: Some(key), seen, ..entry }
            }
        }
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
