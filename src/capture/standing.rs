//! A moment or a rule: how likely it is that what was said holds beyond the moment.

use super::classify::Turn;
use super::rows::Row;
use crate::model::guidance::GuidanceType;

/// 0 (of this moment) to 1 (a rule), from the rows of duration that fired, the kind, and whether it was said before.
pub fn standing(lasting: &[&Row], kind: GuidanceType, turn: &Turn) -> f64 {
    let base: f64 = match kind {
        GuidanceType::Direction => 0.6,
        GuidanceType::Correction => 0.3,
        _ => return 0.0,
    };
    let lasting = 0.15 * f64::from(u8::try_from(lasting.len().min(3)).unwrap_or(3));
    f64::min(base + lasting + if turn.said_before { 0.25 } else { 0.0 }, 1.0)
}

/// The standing of a group of repeats, over so many runs.
pub fn of_group<'a>(said: impl Iterator<Item = (&'a str, GuidanceType)>, runs: usize) -> f64 {
    let mut count = 0;
    let mut best: f64 = 0.0;
    for (text, _) in said {
        let judgement = super::classify::classify(&super::strip::strip(text), &Turn::default());
        best = best.max(judgement.standing);
        count += 1;
    }
    let repeats = 0.1 * f64::from(u8::try_from(count - 1).unwrap_or(9).min(3));
    let spread = 0.2 * f64::from(u8::try_from(runs.saturating_sub(1)).unwrap_or(2).min(2));
    f64::min(best + repeats + spread, 1.0)
}
