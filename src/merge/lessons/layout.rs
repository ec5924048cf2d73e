//! Where the lines go: the base's order, then the lessons that are new by (instant, id). Lines that are no lessons stay
//! where they stood: those of the base in its order, new ones after the line that they followed.

use std::collections::{HashMap, VecDeque};

use super::read::{Entry, File, Key, Reader};
use super::resolve::{Fate, end, same_text};
use crate::model::timestamp::Timestamp;

/// A line of the output.
pub(super) enum Slot<'a> {
    /// What became of a lesson goes here.
    Lesson(Key),
    /// A line as it is: no lesson, or one that a later line with the same id overrules.
    Line { content: &'a [u8], end: &'static [u8] },
}

/// What a new line that is no lesson came after.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Anchor {
    Start,
    /// A line of the base, whether it is still there or not.
    Base(usize),
    New(Key),
}

/// A line that is no lesson: its content and its end.
type Noise<'a> = (&'a [u8], &'static [u8]);

pub(super) struct Layout<'a, 'r> {
    pub(super) reader: &'r Reader<'a>,
    pub(super) base: &'r File<'a>,
    pub(super) ours: &'r File<'a>,
    pub(super) theirs: &'r File<'a>,
    /// What becomes of each lesson.
    pub(super) fates: &'r [Fate<'a>],
}

impl<'a> Layout<'a, '_> {
    pub(super) fn slots(&self) -> Vec<Slot<'a>> {
        let (ours, theirs) = (Matched::new(self.base, self.ours), Matched::new(self.base, self.theirs));
        let mut noise = NewNoise::new(&ours, &theirs);
        let mut slots = Vec::with_capacity(self.ours.lines.len().max(self.theirs.lines.len()));
        noise.place(Anchor::Start, &mut slots);
        for (at, entry) in self.base.lines.iter().enumerate() {
            match entry.key {
                Some(key) if self.base.live_at(key) == Some(at) => self.lesson(key, &mut slots),
                Some(key) => {
                    let stands_in = |file: &File<'a>| file.all(key).any(|line| same_text(line.content, entry.content));
                    if stands_in(self.ours) && stands_in(self.theirs) && self.differs(key, entry) {
                        slots.push(Slot::Line { content: entry.content, end: entry.end });
                    }
                }
                None => {
                    if let (Some(ours), Some(theirs)) = (ours.of_base.get(&at), theirs.of_base.get(&at)) {
                        slots.push(Slot::Line { content: entry.content, end: end(Some(entry), ours, theirs) });
                    }
                }
            }
            noise.place(Anchor::Base(at), &mut slots);
        }
        for key in self.new_keys() {
            self.lesson(key, &mut slots);
            noise.place(Anchor::New(key), &mut slots);
        }
        slots
    }

    /// The lessons that the base does not have, by (instant, id). What names no time comes last.
    fn new_keys(&self) -> Vec<Key> {
        let mut new: Vec<Key> = (0..self.fates.len()).filter(|&key| self.base.live(key).is_none()).collect();
        new.sort_by_cached_key(|&key| {
            let entries = self.ours.live(key).into_iter().chain(self.theirs.live(key));
            let first =
                entries.filter_map(|entry| Timestamp::parse(&self.reader.glance(entry).timestamp)).map(|(at, _)| at).min();
            (first.is_none(), first, self.reader.id(key))
        });
        new
    }

    /// A lesson, after the lines that a side put before it under the same id and that say something else: nothing that
    /// somebody wrote gets lost, and the later line still counts.
    fn lesson(&self, key: Key, slots: &mut Vec<Slot<'a>>) {
        let is_new = |line: &&Entry<'a>| !self.base.all(key).any(|known| same_text(known.content, line.content));
        let mut shadows: Vec<&Entry<'a>> = self
            .ours
            .shadows(key)
            .chain(self.theirs.shadows(key))
            .filter(is_new)
            .filter(|line| self.differs(key, line))
            .collect();
        shadows.sort_by_key(|line| (line.content, line.end));
        shadows.dedup_by_key(|line| line.content);
        slots.extend(shadows.into_iter().map(|line| Slot::Line { content: line.content, end: line.end }));
        slots.push(Slot::Lesson(key));
    }

    /// Whether a line teaches something else than what becomes of its lesson.
    fn differs(&self, key: Key, line: &Entry<'a>) -> bool {
        match &self.fates[key] {
            Fate::Line { content, .. } => !same_text(content, line.content),
            Fate::Conflict(versions) => ![&versions.ours, &versions.theirs].iter().any(|side| same_text(side, line.content)),
            Fate::Gone(_) => true,
        }
    }
}

/// The lines of a side that are no lessons: which of them the base has, and where the new ones stand.
struct Matched<'a, 'r> {
    /// By their place in the base; of equal lines the first is the first.
    of_base: HashMap<usize, &'r Entry<'a>>,
    new: HashMap<Anchor, Vec<Noise<'a>>>,
}

impl<'a, 'r> Matched<'a, 'r> {
    fn new(base: &File<'a>, side: &'r File<'a>) -> Self {
        let mut places: HashMap<&[u8], VecDeque<usize>> = HashMap::new();
        for (at, entry) in base.lines.iter().enumerate().filter(|(_, entry)| entry.key.is_none()) {
            places.entry(entry.content).or_default().push_back(at);
        }
        let mut matched = Self { of_base: HashMap::new(), new: HashMap::new() };
        let mut anchor = Anchor::Start;
        for (at, entry) in side.lines.iter().enumerate() {
            match entry.key {
                Some(key) if side.live_at(key) == Some(at) => anchor = base.live_at(key).map_or(Anchor::New(key), Anchor::Base),
                Some(_) => {}
                None => match places.get_mut(entry.content).and_then(VecDeque::pop_front) {
                    Some(place) => {
                        matched.of_base.insert(place, entry);
                        anchor = Anchor::Base(place);
                    }
                    None => matched.new.entry(anchor).or_default().push((entry.content, entry.end)),
                },
            }
        }
        matched
    }

    fn counts(&self) -> HashMap<&'a [u8], usize> {
        let mut counts = HashMap::new();
        for (content, _) in self.new.values().flatten() {
            *counts.entry(*content).or_default() += 1;
        }
        counts
    }
}

/// The new lines of both sides. A line that both have comes out once: as often as the side that has it more often.
struct NewNoise<'a, 'r> {
    left: HashMap<&'a [u8], usize>,
    ours: &'r HashMap<Anchor, Vec<Noise<'a>>>,
    theirs: &'r HashMap<Anchor, Vec<Noise<'a>>>,
}

impl<'a, 'r> NewNoise<'a, 'r> {
    fn new(ours: &'r Matched<'a, '_>, theirs: &'r Matched<'a, '_>) -> Self {
        let mut left = ours.counts();
        for (content, count) in theirs.counts() {
            let most = left.entry(content).or_default();
            *most = count.max(*most);
        }
        Self { left, ours: &ours.new, theirs: &theirs.new }
    }

    /// Each side's lines in their order, and the sides in the same order whichever is called ours.
    fn place(&mut self, anchor: Anchor, slots: &mut Vec<Slot<'a>>) {
        let lines = |side: &'r HashMap<Anchor, Vec<Noise<'a>>>| side.get(&anchor).map_or(&[][..], Vec::as_slice);
        let (ours, theirs) = (lines(self.ours), lines(self.theirs));
        let (first, second) = if ours <= theirs { (ours, theirs) } else { (theirs, ours) };
        for &(content, end) in first.iter().chain(second) {
            if let Some(left) = self.left.get_mut(content).filter(|left| **left > 0) {
                *left -= 1;
                slots.push(Slot::Line { content, end });
            }
        }
    }
}
