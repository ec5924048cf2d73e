//! The three-way merge of `lessons.jsonl`, by lesson instead of by line.
//!
//! A lesson that one side added is kept; one that a side removed is gone unless the other side edited it; one that both
//! edited is merged field by field, and a field with two new values is a conflict. Lines that nobody changed, and lines
//! that one side alone changed, come out byte for byte. Both directions give the same bytes, but for the order of the
//! parts of a conflict. Which files are merged, and when, is `store`'s; guardrails are merged as text, by git.

mod fields;
mod layout;
mod read;
mod resolve;

use layout::{Layout, Slot};
use read::Reader;
use resolve::{Fate, Resolver, Versions};

use super::account;
use super::{Refused, Side, first_marker, label, unchanged_side};
use crate::model::lesson::{Lesson, LessonId};

/// Asked, by those who know history, about a lesson whose text differs: which side's version is newer, since the other's
/// text stands in its history after the merge base. `None` for a side means that it does not have the lesson: if its
/// history had the other's text, it removed it later. Without an answer the three versions alone decide.
pub type Newer<'a> = dyn Fn(&LessonId, Option<&Lesson>, Option<&Lesson>) -> Option<Side> + 'a;

#[derive(Clone, Copy)]
pub struct Options<'a> {
    pub newer: Option<&'a Newer<'a>>,
    /// How many characters a conflict marker has; git asks for more of them in a merge within a merge.
    pub marker_size: usize,
}

pub const MARKER_SIZE: usize = 7;

impl Default for Options<'_> {
    fn default() -> Self {
        Self { newer: None, marker_size: MARKER_SIZE }
    }
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The file; with conflict markers in it where there are conflicts.
    pub bytes: Vec<u8>,
    /// What became of the lessons that are not the same in all three files, in the order of the base and then of the new
    /// ones. Empty where one side had changed nothing.
    pub report: Vec<Resolution>,
    pub conflicts: Vec<Conflict>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resolution {
    pub id: LessonId,
    pub title: String,
    pub what: What,
}

/// Where a side is `None`, both did it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Added {
        by: Option<Side>,
    },
    Edited {
        by: Option<Side>,
    },
    /// Its counters were joined, its text is as it was.
    Counted,
    Removed {
        by: Option<Side>,
    },
    /// One side removed it, the other one edited its text: the edit stays.
    KeptEdit {
        removed_by: Side,
    },
    /// That side's version is the later one: history says so.
    Newer {
        side: Side,
    },
}

/// A lesson of which both sides changed the same fields to different values.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Conflict {
    pub id: LessonId,
    /// As ours has it.
    pub title: String,
    pub fields: Vec<String>,
}

/// Merges three versions of a file; without a `base` (unrelated histories, both sides added the file) it is the union.
/// The result is checked to hold everything of the three before it is handed out.
pub fn merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8], options: &Options<'_>) -> Result<Merged, Refused> {
    let unchanged = unchanged_side(base, ours, theirs);
    if let Some(side) = unchanged.filter(|_| options.newer.is_none() || ours == theirs) {
        return taken(side.other(), ours, theirs);
    }
    let mut reader = Reader::default();
    let base_file = reader.read(base.unwrap_or_default(), None);
    let (our_file, their_file) = (reader.read(ours, Some(&base_file)), reader.read(theirs, Some(&base_file)));
    for (side, file) in [(Side::Ours, &our_file), (Side::Theirs, &their_file)] {
        if let Some(line) = file.marker {
            return Err(Refused::ConflictMarker { side, line });
        }
    }
    let resolver = Resolver { reader: &reader, base: &base_file, ours: &our_file, theirs: &their_file, newer: options.newer };
    let fates: Vec<Fate<'_>> = (0..reader.count()).map(|key| resolver.resolve(key)).collect();
    let slots = Layout { reader: &reader, base: &base_file, ours: &our_file, theirs: &their_file, fates: &fates }.slots();
    let merged = write(&slots, &fates, &reader, options.marker_size, ours.len().max(theirs.len()));
    if let Some(side) =
        unchanged.filter(|_| !merged.report.iter().any(|resolution| matches!(resolution.what, What::Newer { .. })))
    {
        return taken(side.other(), ours, theirs);
    }
    let losses = account::losses(base.unwrap_or_default(), ours, theirs, &merged);
    if losses.is_empty() { Ok(merged) } else { Err(Refused::Unaccounted(losses)) }
}

/// The other side's bytes, as they are.
fn taken(side: Side, ours: &[u8], theirs: &[u8]) -> Result<Merged, Refused> {
    let bytes = if side == Side::Ours { ours } else { theirs };
    match first_marker(bytes) {
        Some(line) => Err(Refused::ConflictMarker { side, line }),
        None => Ok(Merged { bytes: bytes.to_vec(), ..Merged::default() }),
    }
}

/// `size` is about how many bytes it will be.
fn write(slots: &[Slot<'_>], fates: &[Fate<'_>], reader: &Reader<'_>, marker_size: usize, size: usize) -> Merged {
    let mut merged = Merged { bytes: Vec::with_capacity(size), ..Merged::default() };
    for slot in slots {
        let key = match slot {
            Slot::Lesson(key) => *key,
            Slot::Line { content, end } => {
                merged.bytes.extend_from_slice(content);
                merged.bytes.extend_from_slice(end);
                continue;
            }
        };
        let what = match &fates[key] {
            Fate::Line { content, end, what } => {
                merged.bytes.extend_from_slice(content);
                merged.bytes.extend_from_slice(end);
                *what
            }
            Fate::Conflict(versions) => {
                write_conflict(&mut merged.bytes, versions, marker_size);
                merged.conflicts.push(versions.conflict.clone());
                None
            }
            Fate::Gone(what) => Some(*what),
        };
        if let Some(what) = what {
            let (id, title) = (reader.id(key).clone(), reader.title(key).to_owned());
            merged.report.push(Resolution { id, title, what });
        }
    }
    merged
}

/// Whole lines, so that the file is valid once one of the parts is chosen; the outer markers say what is meant.
fn write_conflict(out: &mut Vec<u8>, versions: &Versions<'_>, size: usize) {
    let Versions { conflict, base, ours, theirs, their_title } = versions;
    let mark = |char: &str| char.repeat(size.max(MARKER_SIZE));
    let (id, fields) = (&conflict.id, label(&conflict.fields.join(", ")));
    let parts: [(String, Option<&[u8]>); 4] = [
        (format!("{} ours: {id} {} ({fields})", mark("<"), label(&conflict.title)), Some(ours)),
        (format!("{} base", mark("|")), base.as_deref()),
        (mark("="), Some(theirs)),
        (format!("{} theirs: {id} {} ({fields})", mark(">"), label(their_title)), None),
    ];
    for (marker, line) in parts {
        for bytes in [Some(marker.as_bytes()), line].into_iter().flatten() {
            out.extend_from_slice(bytes);
            out.push(b'\n');
        }
    }
}

#[cfg(test)]
mod tests;
