//! An instant, as lessons and records write it. Reading takes the common forms of ISO 8601; writing is always
//! RFC 3339 in UTC with milliseconds. The clock itself is `session::clock`'s.

use std::fmt;

use chrono::{DateTime, Datelike as _, NaiveDate, NaiveDateTime, SecondsFormat, TimeDelta, Utc};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Timestamp(DateTime<Utc>);

/// How far a text is from what MARVEL itself writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// RFC 3339.
    Strict,
    /// Valid ISO 8601 of a common shape (comma fraction, offset without colon or minutes, a date alone).
    Loose,
    /// No zone given: read as UTC, on every machine alike.
    NoZone,
}

impl Timestamp {
    /// Where Unix time begins.
    pub const EPOCH: Self = Self(DateTime::UNIX_EPOCH);

    pub fn from_utc(instant: DateTime<Utc>) -> Self {
        Self(instant)
    }

    pub fn from_unix(seconds: i64) -> Option<Self> {
        DateTime::from_timestamp(seconds, 0).map(Self)
    }

    pub fn from_unix_millis(millis: i64) -> Option<Self> {
        DateTime::from_timestamp_millis(millis).map(Self)
    }

    pub fn unix(self) -> i64 {
        self.0.timestamp()
    }

    pub fn unix_millis(self) -> i64 {
        self.0.timestamp_millis()
    }

    /// Whole and part seconds from `earlier` to `self`; negative if `self` is the earlier one.
    pub fn since(self, earlier: Self) -> TimeDelta {
        self.0 - earlier.0
    }

    pub fn minus(self, delta: TimeDelta) -> Self {
        Self(self.0.checked_sub_signed(delta).unwrap_or(DateTime::<Utc>::MIN_UTC))
    }

    /// Formats with a `strftime` pattern, in UTC.
    pub fn format(self, pattern: &str) -> String {
        self.0.format(pattern).to_string()
    }

    /// Reads RFC 3339 and the common forms of ISO 8601. `None` for anything else, leap seconds included.
    pub fn parse(text: &str) -> Option<(Self, Form)> {
        if text.len() > 64 || !text.is_ascii() {
            return None;
        }
        if let Some(instant) = parse_rfc3339(text) {
            return Some((instant, Form::Strict));
        }
        if let Ok(date) = NaiveDate::parse_from_str(text, "%Y-%m-%d") {
            return in_range(date.and_hms_opt(0, 0, 0)?.and_utc()).map(|at| (at, Form::NoZone));
        }
        let normal = text.replacen(',', ".", 1).replacen(' ', "T", 1).to_ascii_uppercase();
        let (_, clock) = normal.split_once('T')?;
        match clock.find(['Z', '+', '-']) {
            None => {
                let format = if clock.matches(':').count() == 1 { "%Y-%m-%dT%H:%M" } else { "%Y-%m-%dT%H:%M:%S%.f" };
                let naive = NaiveDateTime::parse_from_str(&normal, format).ok()?;
                (!clock.contains(":60") && !clock.ends_with('.'))
                    .then(|| in_range(naive.and_utc()))
                    .flatten()
                    .map(|at| (at, Form::NoZone))
            }
            Some(at) => {
                let split = normal.len() - clock.len() + at;
                let (local, zone) = normal.split_at(split);
                let zone = full_offset(zone)?;
                let seconds = if clock[..at].matches(':').count() == 1 { ":00" } else { "" };
                parse_rfc3339(&format!("{local}{seconds}{zone}")).map(|at| (at, Form::Loose))
            }
        }
    }
}

fn parse_rfc3339(text: &str) -> Option<Timestamp> {
    let seconds = text.get(17..19)?;
    let fraction_is_empty = text.as_bytes().get(19) == Some(&b'.') && !text.as_bytes().get(20)?.is_ascii_digit();
    if seconds == "60" || fraction_is_empty {
        return None;
    }
    in_range(DateTime::parse_from_rfc3339(text).ok()?.to_utc())
}

fn in_range(instant: DateTime<Utc>) -> Option<Timestamp> {
    (1..=9999).contains(&instant.year()).then_some(Timestamp(instant))
}

/// `+02`, `+0200`, `+02:00`, `Z` as RFC 3339 writes them.
fn full_offset(zone: &str) -> Option<String> {
    if zone == "Z" {
        return Some(zone.to_owned());
    }
    let (sign, digits) = zone.split_at(1);
    let digits = digits.replacen(':', "", 1);
    match digits.len() {
        2 => Some(format!("{sign}{digits}:00")),
        4 => Some(format!("{sign}{}:{}", &digits[..2], &digits[2..])),
        _ => None,
    }
}

impl fmt::Display for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0.to_rfc3339_opts(SecondsFormat::Millis, true))
    }
}

impl fmt::Debug for Timestamp {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Serialize for Timestamp {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Timestamp {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).map(|(at, _)| at).ok_or_else(|| serde::de::Error::custom("not an ISO 8601 time"))
    }
}

#[cfg(test)]
mod tests {
    use super::{Form, Timestamp};

    fn read(text: &str) -> Option<(String, Form)> {
        Timestamp::parse(text).map(|(at, form)| (at.to_string(), form))
    }

    #[test]
    fn common_forms_are_read_as_the_instant_they_name() {
        for (text, instant, form) in [
            ("2026-11-29T10:15:00.000Z", "2026-11-29T10:15:00.000Z", Form::Strict),
            ("2026-11-29t10:15:00z", "2026-11-29T10:15:00.000Z", Form::Strict),
            ("2026-11-29 10:15:00+02:00", "2026-11-29T08:15:00.000Z", Form::Strict),
            ("2026-11-29T10:15:00,5+0200", "2026-11-29T08:15:00.500Z", Form::Loose),
            ("2026-11-29T10:15:00+02", "2026-11-29T08:15:00.000Z", Form::Loose),
            ("2026-11-29T10:15Z", "2026-11-29T10:15:00.000Z", Form::Loose),
            ("2026-11-29T10:15:00", "2026-11-29T10:15:00.000Z", Form::NoZone),
            ("2026-11-29", "2026-11-29T00:00:00.000Z", Form::NoZone),
        ] {
            assert_eq!(read(text), Some((instant.to_owned(), form)), "{text}");
        }
    }

    #[test]
    fn what_is_no_instant_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-11-29T10:15:60Z",
            "2026-11-29T10:60:00Z",
            "2026-11-29T10:15:00.Z",
            "2026-02-30",
            "2026-11-29T10:15:00 UTC",
            "2026-11-29T10:15:00+2",
            "2026-11-29T",
            "T10:15:00Z",
            "２０２６-11-29",
        ] {
            assert_eq!(read(text), None, "{text}");
        }
    }
}
