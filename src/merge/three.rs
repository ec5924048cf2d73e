//! Of three JSON values the one to take, and of three orders of keys the one to keep. Both directions choose the same.

use std::collections::{HashMap, HashSet};

use crate::model::record::{Record, same_value};

/// What the base says of a value, where it says one thing.
#[derive(Clone, Copy)]
pub(super) enum Base<'a> {
    Known(Option<&'a str>),
    /// The base is itself a merge that was not finished, and its versions differ.
    Unknown,
}

impl<'a> Base<'a> {
    /// From every version of the base; none at all where there is no base.
    pub(super) fn of(mut versions: impl Iterator<Item = Option<&'a str>>) -> Self {
        let first = versions.next().flatten();
        if versions.all(|other| same(other, first)) { Self::Known(first) } else { Self::Unknown }
    }
}

/// Both sides changed the value, to different ones.
pub(super) struct Both;

/// The one value of three, as JSON text; another spelling is no other value.
pub(super) fn pick<'a>(base: Base<'_>, ours: Option<&'a str>, theirs: Option<&'a str>) -> Result<Option<&'a str>, Both> {
    match base {
        _ if ours == theirs => Ok(ours),
        Base::Known(base) if ours == base => Ok(theirs),
        Base::Known(base) if theirs == base => Ok(ours),
        _ if same(ours, theirs) => Ok(ours.min(theirs)),
        Base::Known(base) if same(ours, base) => Ok(theirs),
        Base::Known(base) if same(theirs, base) => Ok(ours),
        _ => Err(Both),
    }
}

fn same(a: Option<&str>, b: Option<&str>) -> bool {
    match (a, b) {
        (Some(a), Some(b)) => same_value(a, b),
        (a, b) => a == b,
    }
}

/// The keys of both sides in one order: of the side that changed the base's order, and each key that only the other side
/// has after the key that it follows there.
pub(super) fn keys<'a>(base: Option<&Record>, ours: &'a Record, theirs: &'a Record) -> Vec<&'a str> {
    let (ours, theirs) = (distinct(ours), distinct(theirs));
    let ours_leads = match base.map(distinct) {
        Some(base) if ours == base => false,
        Some(base) if theirs == base => true,
        _ => ours <= theirs,
    };
    let (leading, other) = if ours_leads { (ours, theirs) } else { (theirs, ours) };
    let known: HashSet<&str> = leading.iter().copied().collect();
    let mut follows: HashMap<Option<&str>, Vec<&str>> = HashMap::new();
    let mut after = None;
    for key in other {
        if known.contains(key) {
            after = Some(key);
        } else {
            follows.entry(after).or_default().push(key);
        }
    }
    let mut keys = follows.remove(&None).unwrap_or_default();
    for key in leading {
        keys.push(key);
        keys.extend(follows.remove(&Some(key)).unwrap_or_default());
    }
    keys
}

fn distinct(record: &Record) -> Vec<&str> {
    let mut seen = HashSet::new();
    record.keys().filter(|key| seen.insert(*key)).collect()
}

#[cfg(test)]
mod tests {
    use super::{Base, keys, pick};
    use crate::model::record::Record;

    #[test]
    fn the_changed_value_is_taken_and_two_changed_ones_are_left_to_the_caller() {
        let known = Base::of([Some("1")].into_iter());
        assert_eq!(pick(known, Some("1"), Some("2")).ok(), Some(Some("2")));
        assert_eq!(pick(known, None, Some("1")).ok(), Some(None));
        assert_eq!(pick(known, Some("1.0"), Some("[1]")).ok(), None);
        assert_eq!(pick(Base::of([Some("[1]")].into_iter()), Some("[ 1]"), Some("2")).ok(), Some(Some("2")));
        assert_eq!(pick(Base::of(std::iter::empty()), None, Some("2")).ok(), Some(Some("2")));
        let unknown = Base::of([Some("1"), Some("2")].into_iter());
        assert!(pick(unknown, Some("1"), Some("2")).is_err() && pick(unknown, Some("2"), Some("2")).is_ok());
    }

    #[test]
    fn the_side_that_changed_the_order_leads() {
        let read = |keys: &str| {
            let fields: Vec<String> = keys.chars().map(|key| format!("\"{key}\":0")).collect();
            Record::parse(&format!("{{{}}}", fields.join(","))).expect("valid")
        };
        for (base, ours, theirs, order) in [
            ("abc", "abc", "cab", "cab"),
            ("abc", "xabc", "abcy", "xabcy"),
            ("abc", "ac", "abzc", "abzc"),
            ("", "ax", "by", "byax"),
        ] {
            let (base, ours, theirs) = (read(base), read(ours), read(theirs));
            let mut orders = [keys(Some(&base), &ours, &theirs).concat(), keys(Some(&base), &theirs, &ours).concat()];
            orders.iter_mut().for_each(|order| order.make_ascii_lowercase());
            assert_eq!(orders[0], orders[1]);
            assert_eq!(orders[0], order);
        }
    }
}
