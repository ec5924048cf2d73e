//! Three JSON values as one: objects property by property, lists as sets, everything else as it is.

use std::collections::HashSet;

use semver::Version;
use serde_json::value::RawValue;

use crate::merge::three::{Base, keys, pick};
use crate::model::record::Record;

pub(super) enum Value {
    /// As a version has it.
    Raw(String),
    Object {
        fields: Vec<(String, Self)>,
        inline: bool,
    },
    List {
        items: Vec<String>,
        inline: bool,
    },
    Conflict {
        path: String,
        base: Option<String>,
        ours: String,
        theirs: String,
    },
}

impl Value {
    fn is_empty(&self) -> bool {
        match self {
            Self::Object { fields, .. } => fields.is_empty(),
            Self::List { items, .. } => items.is_empty(),
            Self::Raw(_) | Self::Conflict { .. } => false,
        }
    }

    /// The paths of the properties in conflict, in order.
    pub(super) fn conflicts(&self, paths: &mut Vec<String>) {
        match self {
            Self::Conflict { path, .. } => paths.push(path.clone()),
            Self::Object { fields, .. } => fields.iter().for_each(|(_, value)| value.conflicts(paths)),
            Self::Raw(_) | Self::List { .. } => {}
        }
    }
}

/// One value in its three versions.
#[derive(Clone)]
pub(super) struct Three<'a> {
    /// All versions of the base; more than one where it is an unfinished merge.
    pub(super) bases: Vec<Option<&'a str>>,
    pub(super) ours: Option<&'a str>,
    pub(super) theirs: Option<&'a str>,
}

/// Deeper than this, an object is taken as a whole.
const DEPTH: usize = 8;

/// `None` where the value is gone. A value that one side removed and the other one changed stays.
pub(super) fn merge(path: &str, three: &Three<'_>, depth: usize) -> Option<Value> {
    let picked = pick(Base::of(three.bases.iter().copied()), three.ours, three.theirs);
    if let Ok(value) = picked {
        return value.map(|raw| Value::Raw(raw.to_owned()));
    }
    let sides = [three.ours, three.theirs];
    let parts = if depth < DEPTH { merge_objects(path, three, depth) } else { None };
    if let Some(merged) = parts.or_else(|| merge_lists(three)) {
        // What one side removed and the other one emptied is gone.
        return Some(merged).filter(|merged| !merged.is_empty() || !sides.contains(&None));
    }
    match sides {
        [Some(ours), Some(theirs)] => Some(match higher_version(path, ours, theirs) {
            Some(raw) => Value::Raw(raw.to_owned()),
            None => Value::Conflict {
                path: path.to_owned(),
                base: three.bases.last().copied().flatten().map(str::to_owned),
                ours: ours.to_owned(),
                theirs: theirs.to_owned(),
            },
        }),
        _ => three.ours.or(three.theirs).map(|raw| Value::Raw(raw.to_owned())),
    }
}

/// Both sides released: the higher version is the one that has what both have.
fn higher_version<'a>(path: &str, ours: &'a str, theirs: &'a str) -> Option<&'a str> {
    let version = |raw: &str| Version::parse(&serde_json::from_str::<String>(raw).ok()?).ok();
    let (our, their) = (version(ours)?, version(theirs)?);
    (path == "version").then_some(if our >= their { ours } else { theirs })
}

/// `None` unless there is an object on each side that has anything.
fn merge_objects(path: &str, three: &Three<'_>, depth: usize) -> Option<Value> {
    let read = |raw: Option<&str>| raw.map_or_else(|| Some(Record::default()), |raw| Record::parse(raw).ok());
    let (ours, theirs) = (read(three.ours)?, read(three.theirs)?);
    let bases: Vec<Record> = three.bases.iter().map(|base| read(*base).unwrap_or_default()).collect();
    let mut fields = Vec::new();
    for key in keys(bases.last(), &ours, &theirs) {
        let inner =
            Three { bases: bases.iter().map(|base| base.raw(key)).collect(), ours: ours.raw(key), theirs: theirs.raw(key) };
        let path = if depth == 0 { key.to_owned() } else { format!("{path}.{key}") };
        if let Some(value) = merge(&path, &inner, depth + 1) {
            fields.push((key.to_owned(), value));
        }
    }
    Some(Value::Object { fields, inline: is_inline(three) })
}

/// The base's items that nobody removed, then what is new on either side.
fn merge_lists(three: &Three<'_>) -> Option<Value> {
    let read = |raw: Option<&str>| raw.map_or_else(|| Some(Vec::new()), items);
    let (ours, theirs) = (read(three.ours)?, read(three.theirs)?);
    let bases: Vec<Vec<Item>> = three.bases.iter().map(|base| read(*base).unwrap_or_default()).collect();
    let has = |list: &[Item], item: &Item| list.iter().any(|other| other.meaning == item.meaning);
    let in_base = |item: &Item| !bases.is_empty() && bases.iter().all(|base| has(base, item));
    let new = |list: &[Item]| list.iter().filter(|item| !in_base(item)).cloned().collect::<Vec<_>>();
    let (ours_new, theirs_new) = (new(&ours), new(&theirs));
    let (first, second) = if ours_new <= theirs_new { (ours_new, theirs_new) } else { (theirs_new, ours_new) };
    let kept = bases.last().into_iter().flatten().filter(|item| in_base(item) && has(&ours, item) && has(&theirs, item));
    let mut seen = HashSet::new();
    let all = kept.cloned().chain(first).chain(second).filter(|item| seen.insert(item.meaning.clone()));
    Some(Value::List { items: all.map(|item| item.raw).collect(), inline: is_inline(three) })
}

#[derive(Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Item {
    /// The same for every spelling of one value.
    meaning: String,
    raw: String,
}

fn items(raw: &str) -> Option<Vec<Item>> {
    let items: Vec<Box<RawValue>> = serde_json::from_str(raw).ok()?;
    let meaning =
        |raw: &str| serde_json::from_str::<serde_json::Value>(raw).map_or_else(|_| raw.to_owned(), |value| value.to_string());
    Some(items.iter().map(|item| Item { meaning: meaning(item.get()), raw: item.get().to_owned() }).collect())
}

/// Whether the value stands on one line: as whoever changed that has it.
fn is_inline(three: &Three<'_>) -> bool {
    let inline = |raw: &str| !raw.contains('\n');
    let base = three.bases.iter().flatten().map(|raw| inline(raw)).next_back();
    match (three.ours.map(inline), three.theirs.map(inline)) {
        (Some(ours), Some(theirs)) if ours == theirs => ours,
        (Some(ours), Some(_)) => base.is_some_and(|base| ours != base),
        (ours, theirs) => ours.or(theirs).unwrap_or(true),
    }
}
