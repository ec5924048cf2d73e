//! The counters of a lesson from two versions: a join, never a sum, so that no merge, squash or rebase counts twice.
//! The true totals come from history, which is `evolve`'s.

use std::cmp::Ordering;

use super::Side;
use crate::model::record::Record;

/// The two counters of a line; one without the other says nothing, so they are taken as a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Counters {
    pub utility_score: Option<f64>,
    pub injection_count: Option<u64>,
}

impl Counters {
    pub fn of(record: &Record) -> Self {
        Self { utility_score: record.get("utility_score"), injection_count: record.get("injection_count") }
    }

    fn compare(&self, other: &Self) -> Ordering {
        let score = |counters: &Self| counters.utility_score.unwrap_or(f64::NEG_INFINITY);
        self.injection_count.cmp(&other.injection_count).then(score(self).total_cmp(&score(other)))
    }
}

/// Whose pair it is: what is unchanged takes the other's, else the larger count wins, and then the larger score. `None`
/// where both have the same. A `base` of `None` is one that is not known.
pub fn join(base: Option<Counters>, ours: Counters, theirs: Counters) -> Option<Side> {
    if ours == theirs {
        return None;
    }
    Some(match base {
        Some(base) if base == ours => Side::Theirs,
        Some(base) if base == theirs => Side::Ours,
        _ if ours.compare(&theirs) == Ordering::Less => Side::Theirs,
        _ => Side::Ours,
    })
}

#[cfg(test)]
mod tests {
    use super::{Counters, join};
    use crate::merge::Side;

    fn pair(count: u64, score: f64) -> Counters {
        Counters { utility_score: Some(score), injection_count: Some(count) }
    }

    #[test]
    fn counters_are_joined_and_never_summed() {
        let none = Counters::default();
        for (base, ours, theirs, winner) in [
            (Some(pair(1, 0.5)), pair(2, 0.5), pair(2, 0.5), None),
            (Some(pair(9, 0.5)), pair(9, 0.5), pair(2, 0.5), Some(Side::Theirs)),
            (Some(pair(1, 0.5)), pair(4, 0.1), pair(3, 0.9), Some(Side::Ours)),
            (Some(pair(1, 0.5)), pair(3, 0.1), pair(3, 0.9), Some(Side::Theirs)),
            (Some(pair(1, 0.5)), none, pair(3, 0.9), Some(Side::Theirs)),
            (Some(pair(1, 0.5)), none, pair(1, 0.5), Some(Side::Ours)),
            (Some(none), none, pair(3, 0.9), Some(Side::Theirs)),
            (None, pair(3, 0.9), pair(4, 0.9), Some(Side::Theirs)),
        ] {
            assert_eq!(join(base, ours, theirs), winner, "{base:?} {ours:?} {theirs:?}");
            assert_eq!(join(base, theirs, ours), winner.map(Side::other), "{base:?} {theirs:?} {ours:?}");
        }
    }
}
