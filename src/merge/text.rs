//! What counts as the text of a lesson: every field but the counters and whether the id is written out. By it is
//! judged whether a lesson was edited.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt;

use serde::de::{MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::model::lesson::COUNTERS;
use crate::model::record::{Record, same_value};

/// The field that carries the id: writing it out edits nothing.
pub(super) const ID: &str = "id";

pub(super) fn is_counter(field: &str) -> bool {
    COUNTERS.contains(&field)
}

/// The text fields that differ, in the order of `after` and then those that it lost. The counters are looked through,
/// and the id is too where both lines are the same lesson.
pub fn edited_fields(before: &Record, after: &Record) -> Vec<String> {
    let old: HashMap<&str, &str> = before.fields().collect();
    let new: HashMap<&str, &str> = after.fields().collect();
    let differs = |key: &str| match (old.get(key), new.get(key)) {
        (Some(old), Some(new)) => !same_value(old, new),
        _ => true,
    };
    let mut seen = HashSet::new();
    let keys = after.keys().chain(before.keys()).filter(|key| seen.insert(*key));
    keys.filter(|key| !is_counter(key) && *key != ID && differs(key)).map(str::to_owned).collect()
}

/// Whether two lines of one lesson teach the same.
pub(super) fn is_same(before: &str, after: &str) -> bool {
    if let (Ok(mut a), Ok(mut b)) = (serde_json::from_str::<Fields<'_>>(before), serde_json::from_str::<Fields<'_>>(after)) {
        for fields in [&mut a, &mut b] {
            fields.0.retain(|(key, _)| !is_counter(&key.0) && key.0 != ID);
        }
        if a.0.len() == b.0.len() && a.0.iter().zip(&b.0).all(|(a, b)| a.0.0 == b.0.0 && a.1.get() == b.1.get()) {
            return true;
        }
    }
    match (Record::parse(before), Record::parse(after)) {
        (Ok(before), Ok(after)) => edited_fields(&before, &after).is_empty(),
        _ => false,
    }
}

/// The fields of a line where they stand: most lines are compared and never changed.
struct Fields<'a>(Vec<(Key<'a>, &'a RawValue)>);

struct Key<'a>(Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Fields<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct All;
        impl<'de> Visitor<'de> for All {
            type Value = Vec<(Key<'de>, &'de RawValue)>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a JSON object")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = Vec::with_capacity(12);
                while let Some(field) = map.next_entry()? {
                    fields.push(field);
                }
                Ok(fields)
            }
        }
        deserializer.deserialize_map(All).map(Fields)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Text;
        impl<'de> Visitor<'de> for Text {
            type Value = Cow<'de, str>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a string")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok(Cow::Borrowed(text))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok(Cow::Owned(text.to_owned()))
            }
        }
        deserializer.deserialize_str(Text).map(Key)
    }
}

#[cfg(test)]
mod tests {
    use super::{edited_fields, is_same};
    use crate::model::record::Record;

    fn fields(before: &str, after: &str) -> Vec<String> {
        let fields = edited_fields(&Record::parse(before).expect("valid"), &Record::parse(after).expect("valid"));
        assert_eq!(is_same(before, after), fields.is_empty());
        fields
    }

    #[test]
    fn counters_ids_spelling_and_order_are_no_edit() {
        let before = r#"{"title":"é","n":1.0,"injection_count":1}"#;
        assert_eq!(fields(before, r#"{"n":1.0, "id":"0123456789","utility_score":0.5,"title":"\u00e9"}"#), [""; 0]);
        assert_eq!(fields(before, r#"{"x":null,"title":"e","n":1.0}"#), ["x", "title"]);
        assert_eq!(fields(before, r#"{"title":"é"}"#), ["n"]);
        assert_eq!(fields(before, r#"{"title":"é","injection_count":2,"n":1.0,"id":"0123456789"}"#), [""; 0]);
        assert_eq!(fields(before, r#"{"title":"é","n":1.0,"title":"e"}"#), ["title"]);
    }
}
