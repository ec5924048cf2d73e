//! What counts as the text of a lesson: every field but the counters and whether the id is written out. By it is
//! judged whether a lesson was edited.

use std::collections::{HashMap, HashSet};

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

#[cfg(test)]
mod tests {
    use super::edited_fields;
    use crate::model::record::Record;

    fn fields(before: &str, after: &str) -> Vec<String> {
        edited_fields(&Record::parse(before).expect("valid"), &Record::parse(after).expect("valid"))
    }

    #[test]
    fn counters_ids_spelling_and_order_are_no_edit() {
        let before = r#"{"title":"é","n":1.0,"injection_count":1}"#;
        assert_eq!(fields(before, r#"{"n":1.0, "id":"0123456789","utility_score":0.5,"title":"\u00e9"}"#), [""; 0]);
        assert_eq!(fields(before, r#"{"x":null,"title":"e","n":1.0}"#), ["x", "title"]);
        assert_eq!(fields(before, r#"{"title":"é"}"#), ["n"]);
    }
}
