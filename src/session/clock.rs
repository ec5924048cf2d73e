//! The clock, read once at a door and passed on from there.

use crate::model::timestamp::Timestamp;

/// Now, or what `MARVEL_NOW` (RFC 3339) says; a value that is no time is passed over.
#[allow(clippy::disallowed_methods, reason = "the one place that reads the clock")]
pub fn now() -> Timestamp {
    std::env::var("MARVEL_NOW")
        .ok()
        .and_then(|text| Timestamp::parse(&text))
        .map_or_else(|| Timestamp::from_utc(chrono::Utc::now()), |(at, _)| at)
}
