//! What becomes of one lesson, from its lines in the three files. Where it goes in the file is `layout`'s.

use std::borrow::Cow;

use super::fields::{self, Fields};
use super::read::{Entry, File, Key, Reader};
use super::{Conflict, Newer, What};
use crate::merge::Side;
use crate::merge::text::{edited_fields, is_same};
use crate::model::jsonl::trimmed;
use crate::model::lesson::Lesson;
use crate::model::record::Record;

/// The line that a lesson comes out as.
pub(super) enum Fate<'a> {
    Line {
        content: Cow<'a, [u8]>,
        end: &'static [u8],
        /// Something worth saying.
        what: Option<What>,
    },
    Conflict(Box<Versions<'a>>),
    Gone(What),
}

/// The lines to choose from. They differ in the fields of the conflict only: the rest is merged in all of them.
pub(super) struct Versions<'a> {
    pub(super) conflict: Conflict,
    pub(super) their_title: String,
    pub(super) base: Option<Cow<'a, [u8]>>,
    pub(super) ours: Cow<'a, [u8]>,
    pub(super) theirs: Cow<'a, [u8]>,
}

pub(super) struct Resolver<'a, 'r> {
    pub(super) reader: &'r Reader<'a>,
    pub(super) base: &'r File<'a>,
    pub(super) ours: &'r File<'a>,
    pub(super) theirs: &'r File<'a>,
    pub(super) newer: Option<&'r Newer<'r>>,
}

impl<'a> Resolver<'a, '_> {
    pub(super) fn resolve(&self, key: Key) -> Fate<'a> {
        // Of a base that is an unfinished merge every version counts.
        let bases: Vec<&Entry<'a>> = match self.base.marker {
            Some(_) => self.base.all(key).collect(),
            None => self.base.live(key).into_iter().collect(),
        };
        match (self.ours.live(key), self.theirs.live(key)) {
            (Some(ours), Some(theirs)) => self.both(key, &bases, ours, theirs),
            (Some(ours), None) => self.one(key, &bases, ours, Side::Ours),
            (None, Some(theirs)) => self.one(key, &bases, theirs, Side::Theirs),
            (None, None) => Fate::Gone(What::Removed { by: None }),
        }
    }

    /// The lesson stands on `side` alone.
    fn one(&self, key: Key, bases: &[&Entry<'a>], entry: &Entry<'a>, side: Side) -> Fate<'a> {
        let line = |what| Fate::Line { content: Cow::Borrowed(entry.content), end: entry.end, what: Some(what) };
        if !bases.is_empty() && bases.iter().all(|base| same_text(base.content, entry.content)) {
            return Fate::Gone(What::Removed { by: Some(side.other()) });
        }
        let (ours, theirs) = if side == Side::Ours { (Some(entry), None) } else { (None, Some(entry)) };
        match self.newer(key, ours, theirs) {
            Some(newer) if newer != side => Fate::Gone(What::Newer { side: newer }),
            _ if bases.is_empty() => line(What::Added { by: Some(side) }),
            _ => line(What::KeptEdit { removed_by: side.other() }),
        }
    }

    fn both(&self, key: Key, bases: &[&Entry<'a>], ours: &Entry<'a>, theirs: &Entry<'a>) -> Fate<'a> {
        let base = match bases {
            [base] => Some(*base),
            _ => None,
        };
        let end = end(base, ours, theirs);
        let line = |content: &'a [u8], what| Fate::Line { content: Cow::Borrowed(content), end, what };
        let added = bases.is_empty().then_some(What::Added { by: None });
        if ours.content == theirs.content {
            return line(ours.content, added);
        }
        let newer = if same_text(ours.content, theirs.content) { None } else { self.newer(key, Some(ours), Some(theirs)) };
        if newer.is_none() {
            match base {
                Some(base) if base.content == ours.content => {
                    return line(theirs.content, Some(changed(base, theirs, Side::Theirs)));
                }
                Some(base) if base.content == theirs.content => return line(ours.content, Some(changed(base, ours, Side::Ours))),
                _ => {}
            }
        }
        let (our_record, their_record) = (record(ours.content), record(theirs.content));
        let base_records: Vec<Record> = bases.iter().map(|base| record(base.content)).collect();
        // What a side wrote already is taken as it wrote it.
        let written = |merged: &Record| {
            let equal = |entry: &Entry<'a>, record: &Record| merged.fields().eq(record.fields()).then_some(entry.content);
            let verbatim = match (equal(ours, &our_record), equal(theirs, &their_record)) {
                (Some(ours), Some(theirs)) => Some(ours.min(theirs)),
                (ours, theirs) => ours.or(theirs),
            };
            verbatim.map_or_else(|| Cow::Owned(merged.to_line().into_bytes()), Cow::Borrowed)
        };
        match fields::merge(&base_records, &our_record, &their_record, newer) {
            Fields::Merged(merged) => {
                let edited =
                    |by: &Record| bases.is_empty() || base_records.iter().any(|base| !edited_fields(base, by).is_empty());
                let what = match (newer, edited(&our_record), edited(&their_record)) {
                    (Some(side), ..) => What::Newer { side },
                    (None, false, false) => What::Counted,
                    (None, true, false) => What::Edited { by: Some(Side::Ours) },
                    (None, false, true) => What::Edited { by: Some(Side::Theirs) },
                    (None, true, true) => added.unwrap_or(What::Edited { by: None }),
                };
                Fate::Line { content: written(&merged), end, what: Some(what) }
            }
            Fields::Conflict { fields, base, ours: our_variant, theirs: their_variant } => {
                let title = |entry| self.reader.glance(entry).title.clone().into_owned();
                Fate::Conflict(Box::new(Versions {
                    conflict: Conflict { id: self.reader.id(key).clone(), title: title(ours), fields },
                    their_title: title(theirs),
                    base: base.map(|base| Cow::Owned(base.to_line().into_bytes())),
                    ours: written(&our_variant),
                    theirs: written(&their_variant),
                }))
            }
        }
    }

    fn newer(&self, key: Key, ours: Option<&Entry<'a>>, theirs: Option<&Entry<'a>>) -> Option<Side> {
        let newer = self.newer?;
        let lesson = |entry: Option<&Entry<'a>>| entry.and_then(|entry| Lesson::parse(text(entry.content)).ok());
        newer(self.reader.id(key), lesson(ours).as_ref(), lesson(theirs).as_ref())
    }
}

fn changed(base: &Entry<'_>, entry: &Entry<'_>, by: Side) -> What {
    if same_text(base.content, entry.content) { What::Counted } else { What::Edited { by: Some(by) } }
}

/// Whether two lines teach the same, counters aside.
pub(super) fn same_text(a: &[u8], b: &[u8]) -> bool {
    a == b || is_same(text(a), text(b))
}

fn record(content: &[u8]) -> Record {
    Record::parse(text(content)).expect("a lesson's line is a JSON object")
}

fn text(content: &[u8]) -> &str {
    std::str::from_utf8(trimmed(content)).expect("a lesson's line is UTF-8")
}

/// The one end of three, `\n` where the sides disagree.
pub(super) fn end(base: Option<&Entry<'_>>, ours: &Entry<'_>, theirs: &Entry<'_>) -> &'static [u8] {
    match base {
        _ if ours.end == theirs.end => ours.end,
        Some(base) if base.end == ours.end => theirs.end,
        Some(base) if base.end == theirs.end => ours.end,
        _ => b"\n",
    }
}
