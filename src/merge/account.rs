//! The check that a merge lost nothing: every lesson, every edit and every unreadable line of the three inputs is in the
//! result, in a conflict, or gone for a reason that can be named. It reads the bytes anew and shares no decision with the
//! merge that it checks.

mod read;

use std::collections::{BTreeSet, HashMap};
use std::fmt;

use read::{File, Lines, Name, Names};

use super::Side;
use super::counters::Counters;
use super::lessons::{Merged, What};
use super::text::{ID, is_counter};
use crate::model::jsonl::trimmed;
use crate::model::lesson::LessonId;
use crate::model::record::{Record, same_value};

/// What is missing from a result, or in it without a reason.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Loss {
    /// It stands on a side, nobody removed it, and it is not there.
    Lesson(LessonId),
    /// A field's value is not the one that the three versions call for.
    Field { id: LessonId, field: String },
    /// Its counters are those of neither side.
    Counters(LessonId),
    /// It was removed, or no side has it, and it is there.
    Revived(LessonId),
    /// A line with an id that another line has too, or one that is no lesson.
    Line(String),
}

impl fmt::Display for Loss {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lesson(id) => write!(f, "lesson {id} is missing"),
            Self::Field { id, field } => write!(f, "`{field}` of lesson {id} is wrong"),
            Self::Counters(id) => write!(f, "the counters of lesson {id} are wrong"),
            Self::Revived(id) => write!(f, "lesson {id} came back"),
            Self::Line(line) => write!(f, "a line is missing: {line:?}"),
        }
    }
}

/// Everything that `merged` lost of the three versions (`base` is empty where there is none).
pub fn losses(base: &[u8], ours: &[u8], theirs: &[u8], merged: &Merged) -> Vec<Loss> {
    let mut names = Names::default();
    let base = names.lines(base, &Lines::new());
    let [ours, theirs, result] = [ours, theirs, &merged.bytes].map(|bytes| names.lines(bytes, &base));
    let count = names.ids.len();
    let newer = merged.report.iter().filter_map(|resolution| match resolution.what {
        What::Newer { side } => Some((&resolution.id, side)),
        _ => None,
    });
    let check = Check {
        base: File::new(&base, count, false),
        ours: File::new(&ours, count, false),
        theirs: File::new(&theirs, count, false),
        result: File::new(&result, count, true),
        newer: newer.collect(),
        names: &names,
    };
    let mut losses = Vec::new();
    (0..count).for_each(|name| check.lesson(name, &mut losses));
    check.other_lines(&mut losses);
    losses
}

struct Check<'a, 'r> {
    base: File<'a>,
    ours: File<'a>,
    theirs: File<'a>,
    result: File<'a>,
    newer: HashMap<&'r LessonId, Side>,
    names: &'r Names,
}

impl<'a> Check<'a, '_> {
    fn lesson(&self, name: Name, losses: &mut Vec<Loss>) {
        let id = &self.names.ids[name];
        let bases = match self.base.all(name) {
            [.., last] if !self.base.unfinished => std::slice::from_ref(last),
            all => all,
        };
        let newer = self.newer.get(id).copied();
        let result = self.result.chosen(name);
        let (side, line) = match (self.ours.last(name), self.theirs.last(name)) {
            (Some(ours), Some(theirs)) => return self.fields(id, bases, [ours, theirs], result, losses),
            (Some(ours), None) => (Side::Ours, ours),
            (None, Some(theirs)) => (Side::Theirs, theirs),
            (None, None) if result == [None, None] => return,
            (None, None) => return losses.push(Loss::Revived(id.clone())),
        };
        let unchanged = !bases.is_empty() && bases.iter().all(|base| differing(base, line).is_empty());
        let removed = unchanged || newer == Some(side.other());
        match result {
            [Some(ours), Some(theirs)] if !removed => {
                let wrong = [ours, theirs].into_iter().flat_map(|result| differing(line, result));
                losses.extend(wrong.map(|field| Loss::Field { id: id.clone(), field }));
            }
            // What stands there then is another line with the same id, which is new.
            [Some(result), _] if !self.new_shadow(name, result) => losses.push(Loss::Revived(id.clone())),
            [None, _] if !removed => losses.push(Loss::Lesson(id.clone())),
            _ => {}
        }
    }

    fn new_shadow(&self, name: Name, line: &[u8]) -> bool {
        let new = !self.base.all(name).iter().any(|base| text_is(base, line));
        new && [&self.ours, &self.theirs].iter().any(|side| side.all(name).contains(&line))
    }

    /// Every field of a lesson that both sides have: of three values the changed one, of two changed ones both.
    fn fields(&self, id: &LessonId, bases: &[&[u8]], sides: [&[u8]; 2], result: [Option<&[u8]>; 2], losses: &mut Vec<Loss>) {
        let [Some(chose_ours), Some(chose_theirs)] = result else {
            return losses.push(Loss::Lesson(id.clone()));
        };
        let newer = self.newer.get(id).copied();
        let taken = |line| chose_ours == line && chose_theirs == line;
        let plain = match bases {
            _ if sides[0] == sides[1] => taken(sides[0]),
            [base] if *base == sides[0] => taken(sides[1]),
            [base] if *base == sides[1] => taken(sides[0]),
            _ => false,
        };
        if plain && newer.is_none() {
            return;
        }
        let bases: Vec<Record> = bases.iter().map(|line| record(line)).collect();
        let (sides, results) = (sides.map(record), [chose_ours, chose_theirs].map(record));
        let keys: BTreeSet<&str> = sides.iter().chain(&results).flat_map(Record::keys).collect();
        for key in keys.into_iter().filter(|key| !is_counter(key) && *key != ID) {
            let [ours, theirs] = [sides[0].raw(key), sides[1].raw(key)];
            let base_is = |value: Option<&str>| {
                let mut values = bases.iter().map(|base| base.raw(key));
                if bases.is_empty() { value.is_none() } else { values.all(|base| same(base, value)) }
            };
            let expected = match newer {
                Some(Side::Ours) => [ours, ours],
                Some(Side::Theirs) => [theirs, theirs],
                None if same(ours, theirs) || base_is(theirs) => [ours, ours],
                None if base_is(ours) => [theirs, theirs],
                None => [ours, theirs],
            };
            if !same(results[0].raw(key), expected[0]) || !same(results[1].raw(key), expected[1]) {
                losses.push(Loss::Field { id: id.clone(), field: key.to_owned() });
            }
        }
        let counters = sides.each_ref().map(Counters::of);
        if !results.iter().all(|result| counters.contains(&Counters::of(result))) {
            losses.push(Loss::Counters(id.clone()));
        }
    }

    /// Lines that no reader takes for a lesson, or that a later line overrules: somebody wrote them all the same.
    fn other_lines(&self, losses: &mut Vec<Loss>) {
        let count = |file: &File<'a>, line: &[u8]| file.other.get(line).copied().unwrap_or(0);
        let lines: BTreeSet<&[u8]> = self.ours.other.keys().chain(self.theirs.other.keys()).copied().collect();
        for line in lines {
            let [base, ours, theirs] = [&self.base, &self.ours, &self.theirs].map(|file| count(file, line));
            let needed = base.min(ours).min(theirs) + ours.saturating_sub(base).max(theirs.saturating_sub(base));
            if count(&self.result, line) < needed {
                losses.push(Loss::Line(String::from_utf8_lossy(line).into_owned()));
            }
        }
        for (side, other) in [(&self.ours, &self.theirs), (&self.theirs, &self.ours)] {
            for (name, lines) in side.repeated() {
                let base = self.base.all(name);
                for line in &lines[..lines.len() - 1] {
                    let says = |others: &[&[u8]]| others.iter().any(|other| text_is(line, other));
                    // The base's line that counted was replaced by the later one, or removed.
                    let overruled_there = says(&base[..base.len().saturating_sub(1)]);
                    let kept = !says(base) || (overruled_there && says(other.all(name)));
                    let stands = self.result.chosen(name).into_iter().flatten().any(|result| text_is(line, result));
                    if kept && !stands && !says(self.result.all(name)) {
                        losses.push(Loss::Line(String::from_utf8_lossy(line).into_owned()));
                    }
                }
            }
        }
    }
}

/// The text fields of `line` that `result` has otherwise.
fn differing(line: &[u8], result: &[u8]) -> Vec<String> {
    if line == result {
        return Vec::new();
    }
    let (line, result) = (record(line), record(result));
    let keys: BTreeSet<&str> = line.keys().chain(result.keys()).filter(|key| !is_counter(key) && *key != ID).collect();
    keys.into_iter().filter(|key| !same(line.raw(key), result.raw(key))).map(str::to_owned).collect()
}

fn text_is(a: &[u8], b: &[u8]) -> bool {
    differing(a, b).is_empty()
}

fn same(a: Option<&str>, b: Option<&str>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same_value(a, b),
        (a, b) => a.is_none() && b.is_none(),
    }
}

fn record(line: &[u8]) -> Record {
    std::str::from_utf8(trimmed(line)).ok().and_then(|text| Record::parse(text).ok()).unwrap_or_default()
}
