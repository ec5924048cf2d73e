//! One lesson that both sides changed: field by field. Which line of a side is meant is `resolve`'s.

use std::collections::{HashMap, HashSet};

use serde_json::value::RawValue;

use crate::merge::Side;
use crate::merge::counters::{Counters, join};
use crate::merge::text::{ID, is_counter};
use crate::merge::three::{Base, keys, pick};
use crate::model::record::Record;

pub(super) enum Fields {
    Merged(Record),
    /// What both sides changed to different values; everything else is the same in all three records.
    Conflict {
        fields: Vec<String>,
        base: Option<Record>,
        ours: Record,
        theirs: Record,
    },
}

/// `bases` holds every version of the base (none where the lesson is new on both sides). With `newer`, that side's text
/// is taken as it is and only the counters are joined.
pub(super) fn merge(bases: &[Record], ours: &Record, theirs: &Record, newer: Option<Side>) -> Fields {
    let base_values: Vec<HashMap<&str, &str>> = bases.iter().map(|base| base.fields().collect()).collect();
    let (our_values, their_values): (HashMap<&str, &str>, HashMap<&str, &str>) =
        (ours.fields().collect(), theirs.fields().collect());
    let base_of = |key: &str| Base::of(base_values.iter().map(|base| base.get(key).copied()));
    let counted = {
        let mut counters = bases.iter().map(Counters::of);
        let first = counters.next().unwrap_or_default();
        join(counters.all(|other| other == first).then_some(first), Counters::of(ours), Counters::of(theirs))
    };
    let mut conflicts = Vec::new();
    let mut merged: Vec<(&str, Option<&str>)> = Vec::new();
    for key in keys(bases.last(), ours, theirs) {
        let (our, their) = (our_values.get(key).copied(), their_values.get(key).copied());
        let side = |side| if side == Side::Ours { our } else { their };
        let picked = pick(base_of(key), our, their);
        let value = if is_counter(key) {
            counted.map_or_else(|| picked.unwrap_or(our.max(their)), side)
        } else if key == ID {
            // An id that was written out once stays: the fields that it would be derived from may change.
            picked.ok().flatten().or(our.max(their))
        } else if let (Some(newer), false) = (newer, our == their) {
            side(newer)
        } else {
            picked.unwrap_or_else(|_| {
                conflicts.push(key);
                None
            })
        };
        merged.push((key, value));
    }
    if conflicts.is_empty() {
        return Fields::Merged(record(merged.into_iter()));
    }
    let open: HashSet<&str> = conflicts.iter().copied().collect();
    let variant = |values: &HashMap<&str, &str>| {
        let values = values.clone();
        let open = &open;
        record(merged.iter().map(move |&(key, value)| (key, if open.contains(key) { values.get(key).copied() } else { value })))
    };
    Fields::Conflict {
        base: base_values.last().map(variant),
        ours: variant(&our_values),
        theirs: variant(&their_values),
        fields: conflicts.into_iter().map(str::to_owned).collect(),
    }
}

fn record<'a>(fields: impl Iterator<Item = (&'a str, Option<&'a str>)>) -> Record {
    let fields = fields.filter_map(|(key, value)| Some((key.to_owned(), value?)));
    fields.map(|(key, raw)| (key, RawValue::from_string(raw.to_owned()).expect("it was read from a record"))).collect()
}

#[cfg(test)]
mod tests {
    use super::{Fields, merge};
    use crate::merge::Side;
    use crate::model::record::Record;

    fn read(text: &str) -> Record {
        Record::parse(text).expect("valid")
    }

    fn merged(bases: &[&str], ours: &str, theirs: &str, newer: Option<Side>) -> Result<String, String> {
        let bases: Vec<Record> = bases.iter().map(|base| read(base)).collect();
        match merge(&bases, &read(ours), &read(theirs), newer) {
            Fields::Merged(record) => Ok(record.to_line()),
            Fields::Conflict { fields, base, ours, theirs } => {
                let base = base.map(|base| base.to_line()).unwrap_or_default();
                Err(format!("{}|{base}|{}|{}", fields.join(","), ours.to_line(), theirs.to_line()))
            }
        }
    }

    /// Both directions must say the same, but for the sides of a conflict.
    fn both(bases: &[&str], ours: &str, theirs: &str) -> Result<String, String> {
        let one = merged(bases, ours, theirs, None);
        let other = merged(bases, theirs, ours, None);
        match (&one, &other) {
            (Ok(one), Ok(other)) => assert_eq!(one, other),
            (Err(one), Err(other)) => {
                let swapped: Vec<&str> = other.split('|').collect();
                assert_eq!(*one, [swapped[0], swapped[1], swapped[3], swapped[2]].join("|"));
            }
            _ => panic!("{one:?} {other:?}"),
        }
        one
    }

    #[test]
    fn edits_of_different_fields_come_together() {
        let base = r#"{"title":"t","description":"d","x":1}"#;
        let done =
            both(&[base], r#"{"title":"T","description":"d","x":1}"#, r#"{"title":"t","description":"D","x":2,"y":[1, 2]}"#);
        assert_eq!(done.unwrap(), r#"{"title":"T","description":"D","x":2,"y":[1, 2]}"#);
    }

    #[test]
    fn a_field_we_do_not_know_keeps_its_place_and_its_bytes() {
        let base = r#"{"title":"t","id":"i"}"#;
        let done = both(&[base], r#"{"title":"t","x":1.50,"id":"i","z":0}"#, r#"{"title":"T","y":"\u00e9","id":"i"}"#);
        assert_eq!(done.unwrap(), r#"{"title":"T","y":"\u00e9","x":1.50,"id":"i","z":0}"#);
    }

    #[test]
    fn one_field_with_two_new_values_is_a_conflict_and_the_rest_is_merged_all_the_same() {
        let base = r#"{"title":"t","description":"d","x":1}"#;
        let done = both(&[base], r#"{"title":"A","description":"D","x":1}"#, r#"{"title":"B","description":"d","x":9}"#);
        assert_eq!(
            done.unwrap_err(),
            r#"title|{"title":"t","description":"D","x":9}|{"title":"A","description":"D","x":9}|{"title":"B","description":"D","x":9}"#
        );
        assert!(both(&[base], r#"{"title":"t","description":"d","x":2}"#, r#"{"title":"t","description":"d","x":3}"#).is_err());
        assert!(both(&[base], r#"{"title":"t","description":"d"}"#, r#"{"title":"t","description":"d","x":3}"#).is_err());
    }

    #[test]
    fn another_spelling_is_no_other_value() {
        let base = r#"{"title":"é"}"#;
        assert_eq!(both(&[base], r#"{"title":"\u00e9"}"#, r#"{"title":"new"}"#).unwrap(), r#"{"title":"new"}"#);
        assert_eq!(both(&[], r#"{"title":"\u00e9"}"#, r#"{"title":"é"}"#).unwrap(), r#"{"title":"\u00e9"}"#);
    }

    #[test]
    fn counters_join_as_a_pair_and_never_conflict() {
        let base = r#"{"injection_count":1,"utility_score":0.5}"#;
        let ours = r#"{"injection_count":9,"utility_score":0.4}"#;
        assert_eq!(both(&[base], ours, r#"{"injection_count":5,"utility_score":0.9}"#).unwrap(), ours);
        assert_eq!(both(&[base], ours, r#"{"title":"t"}"#).unwrap(), ours.replace('}', r#","title":"t"}"#));
        assert_eq!(both(&[], ours, r#"{"utility_score":"high"}"#).unwrap(), ours);
    }

    #[test]
    fn an_id_that_was_written_out_stays() {
        let base = r#"{"title":"t","id":"ab"}"#;
        assert_eq!(both(&[base], r#"{"title":"t"}"#, r#"{"title":"T","id":"AB"}"#).unwrap(), r#"{"title":"T","id":"AB"}"#);
    }

    #[test]
    fn a_base_that_is_a_conflict_itself_settles_nothing() {
        let bases = [r#"{"title":"a","x":1}"#, r#"{"title":"b","x":1}"#];
        assert_eq!(both(&bases, r#"{"title":"a","x":1}"#, r#"{"title":"a","x":2}"#).unwrap(), r#"{"title":"a","x":2}"#);
        assert!(both(&bases, r#"{"title":"a","x":1}"#, r#"{"title":"b","x":1}"#).is_err());
    }

    #[test]
    fn the_newer_text_is_taken_as_it_is() {
        let base = r#"{"title":"t","description":"d","injection_count":1}"#;
        let ours = r#"{"title":"t","description":"D","injection_count":2}"#;
        let theirs = r#"{"title":"T","description":"d","injection_count":3}"#;
        let done = merged(&[base], ours, theirs, Some(Side::Ours)).unwrap();
        assert_eq!(done, r#"{"title":"t","description":"D","injection_count":3}"#);
    }
}
