//! The files of a merge as the check reads them: by lesson, and what is no lesson counted. It shares nothing with the
//! reader of the merge itself.

use std::collections::HashMap;

use crate::model::glance::Seen;
use crate::model::jsonl::BOM;
use crate::model::lesson::LessonId;

/// A lesson's place in [`Names`].
pub(super) type Name = usize;

#[derive(Clone, Copy)]
pub(super) enum Is {
    Blank,
    Marker,
    Other,
    Lesson(Name),
}

pub(super) type Lines<'a> = Vec<(&'a [u8], Is)>;

/// The ids of all files.
#[derive(Default)]
pub(super) struct Names {
    pub(super) ids: Vec<LessonId>,
    known: HashMap<LessonId, Name>,
}

impl Names {
    /// A file's lines without their ends. A line that runs along with `like` is not parsed again.
    pub(super) fn lines<'a>(&mut self, bytes: &'a [u8], like: &Lines<'_>) -> Lines<'a> {
        let places: HashMap<Name, usize> = like.iter().enumerate().filter_map(|(at, (_, is))| Some((is.name()?, at))).collect();
        let mut next = 0;
        let mut lines = Vec::with_capacity(like.len());
        for line in bytes.split(|&byte| byte == b'\n') {
            let line = line.strip_suffix(b"\r").unwrap_or(line);
            let line = line.strip_prefix(BOM).unwrap_or(line);
            let is = match like.get(next).filter(|(other, _)| *other == line) {
                Some((_, is)) => *is,
                None => self.judge(line),
            };
            // A changed line stands where it stood; a new one moves nothing on.
            if let Some(place) = is.name().and_then(|name| places.get(&name)) {
                next = place + 1;
            }
            lines.push((line, is));
        }
        lines
    }

    fn judge(&mut self, line: &[u8]) -> Is {
        match Seen::of(line) {
            Seen::Blank => Is::Blank,
            Seen::ConflictMarker => Is::Marker,
            Seen::Bad => Is::Other,
            Seen::Lesson(glance) => Is::Lesson(match self.known.get(&glance.id) {
                Some(&name) => name,
                None => {
                    self.known.insert(glance.id.clone(), self.ids.len());
                    self.ids.push(glance.id);
                    self.ids.len() - 1
                }
            }),
        }
    }
}

impl Is {
    fn name(self) -> Option<Name> {
        match self {
            Self::Lesson(name) => Some(name),
            Self::Blank | Self::Marker | Self::Other => None,
        }
    }
}

#[derive(Default)]
pub(super) struct File<'a> {
    /// The lines of each lesson in file order.
    lessons: Vec<Vec<&'a [u8]>>,
    /// The two lines of each lesson that is in conflict.
    conflicts: HashMap<Name, [Option<&'a [u8]>; 2]>,
    /// How often each line stands there that is neither a lesson nor blank.
    pub(super) other: HashMap<&'a [u8], usize>,
    /// Whether a merge was not finished in it.
    pub(super) unfinished: bool,
}

impl<'a> File<'a> {
    /// With `in_parts`, a lesson between conflict markers is in conflict; else it is one of several lines.
    pub(super) fn new(lines: &Lines<'a>, names: usize, in_parts: bool) -> Self {
        let mut file = Self { lessons: vec![Vec::new(); names], ..Self::default() };
        let mut part = b'>'; // the marker that came last
        for &(line, is) in lines {
            match is {
                Is::Blank => {}
                Is::Marker => {
                    file.unfinished = true;
                    part = line.trim_ascii_start().first().copied().unwrap_or(b'>');
                }
                Is::Other => *file.other.entry(line).or_default() += 1,
                Is::Lesson(name) if !in_parts || part == b'>' => file.lessons[name].push(line),
                Is::Lesson(name) => {
                    let sides = file.conflicts.entry(name).or_default();
                    match part {
                        b'<' => sides[0] = Some(line),
                        b'=' => sides[1] = Some(line),
                        _ => {}
                    }
                }
            }
        }
        file
    }

    pub(super) fn all(&self, name: Name) -> &[&'a [u8]] {
        &self.lessons[name]
    }

    pub(super) fn last(&self, name: Name) -> Option<&'a [u8]> {
        self.all(name).last().copied()
    }

    /// Every lesson with several lines.
    pub(super) fn repeated(&self) -> impl Iterator<Item = (Name, &[&'a [u8]])> {
        self.lessons.iter().enumerate().filter(|(_, lines)| lines.len() > 1).map(|(name, lines)| (name, lines.as_slice()))
    }

    /// The lines that the lesson has once ours, or theirs, is chosen wherever there is a conflict.
    pub(super) fn chosen(&self, name: Name) -> [Option<&'a [u8]>; 2] {
        self.conflicts.get(&name).copied().unwrap_or([self.last(name); 2])
    }
}
