//! Who commits: author and committer as git would take them from its configuration and environment, dates included.
//! Somebody nobody knows is an error before anything is written; we never guess an address as git may.

use std::ffi::OsString;

use chrono::{Offset as _, TimeZone as _};
use gix::bstr::{BString, ByteSlice as _};

use super::repo::Repo;
use crate::error::{Context as _, Error, Result};
use crate::model::timestamp::{Form, Timestamp};
use crate::model::visible::{escape, hidden};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    pub author: Signature,
    pub committer: Signature,
}

/// A name, an address and a moment, as a commit's header has them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    name: BString,
    email: BString,
    /// Since the epoch.
    seconds: i64,
    /// East of Greenwich.
    offset_seconds: i32,
}

impl Identity {
    /// As git commits: `GIT_AUTHOR_*` and `GIT_COMMITTER_*`, then `author.*` and `committer.*`, then `user.*`, then
    /// `EMAIL`; the dates of the environment, else `now` in this machine's zone.
    pub fn read(repo: &Repo, now: Timestamp) -> Result<Self> {
        Ok(Self { author: Signature::read(repo, "author", now)?, committer: Signature::read(repo, "committer", now)? })
    }

    /// The same person for both, at a moment in UTC.
    pub fn of(name: &str, email: &str, at: Timestamp) -> Self {
        let signature = Signature { name: name.into(), email: email.into(), seconds: at.unix(), offset_seconds: 0 };
        Self { author: signature.clone(), committer: signature }
    }

    /// What a server may refuse although git does not: characters in the names that nobody sees.
    pub fn warning(&self) -> Option<String> {
        let odd = |signature: &Signature| !hidden(&signature.name()).is_empty();
        [&self.author, &self.committer].into_iter().find(|one| odd(one)).map(|one| {
            format!("the name {} has characters that cannot be seen: a server may refuse its commits", escape(&one.name()))
        })
    }

    /// As variables for a git that is to commit as this person.
    pub(super) fn variables(&self) -> Vec<(&'static str, OsString)> {
        let Self { author, committer } = self;
        vec![
            ("GIT_AUTHOR_NAME", os_string(&author.name)),
            ("GIT_AUTHOR_EMAIL", os_string(&author.email)),
            ("GIT_AUTHOR_DATE", author.date().into()),
            ("GIT_COMMITTER_NAME", os_string(&committer.name)),
            ("GIT_COMMITTER_EMAIL", os_string(&committer.email)),
            ("GIT_COMMITTER_DATE", committer.date().into()),
        ]
    }
}

impl Signature {
    pub fn name(&self) -> String {
        self.name.to_string()
    }

    pub fn email(&self) -> String {
        self.email.to_string()
    }

    pub(super) fn to_git(&self) -> gix::actor::Signature {
        let time = gix::date::Time::new(self.seconds, self.offset_seconds);
        gix::actor::Signature { name: self.name.clone(), email: self.email.clone(), time }
    }

    /// In git's own form, which needs no interpretation.
    fn date(&self) -> String {
        let minutes = self.offset_seconds.abs() / 60;
        let sign = if self.offset_seconds < 0 { '-' } else { '+' };
        format!("@{} {sign}{:02}{:02}", self.seconds, minutes / 60, minutes % 60)
    }

    fn read(repo: &Repo, role: &str, now: Timestamp) -> Result<Self> {
        let variable = |part: &str| std::env::var_os(format!("GIT_{}_{part}", role.to_uppercase()));
        let field = |part: &str| -> Result<Option<BString>> {
            if let Some(value) = variable(&part.to_uppercase()) {
                return Ok(Some(cleaned(&bytes(value))));
            }
            for section in [role, "user"] {
                if let Some(value) = repo.config_bytes(&format!("{section}.{part}"))? {
                    return Ok(Some(cleaned(&value)));
                }
            }
            Ok(None)
        };
        let given = |value: Option<BString>| value.filter(|value| !value.is_empty()).ok_or_else(|| unknown(role));
        let name = given(field("name")?)?;
        let email = match field("email")? {
            Some(email) => Some(email),
            None => std::env::var_os("EMAIL").map(|email| cleaned(&bytes(email))),
        };
        let email = given(email)?;
        let (seconds, offset_seconds) = match variable("DATE").filter(|date| !date.is_empty()) {
            Some(date) => match parse_date(&date.to_string_lossy()) {
                Some(date) => date,
                None => date_by_git(repo, role)?,
            },
            None => (now.unix(), local_offset(now)),
        };
        Ok(Self { name, email, seconds, offset_seconds })
    }
}

fn unknown(role: &str) -> Error {
    Error::user(format!("git does not know who the {role} is, so nothing was written"))
        .hint("git config --global user.name \"Your Name\"")
        .hint("git config --global user.email \"you@example.com\"")
}

/// As git cleans a name: nothing that would break the header, no punctuation at its ends.
fn cleaned(value: &[u8]) -> BString {
    let crud = |byte: u8| byte <= 32 || b".,:;<>\"\\'".contains(&byte);
    let start = value.iter().position(|&byte| !crud(byte)).unwrap_or(value.len());
    let end = value.iter().rposition(|&byte| !crud(byte)).map_or(start, |last| last + 1);
    value[start..end].iter().copied().filter(|byte| !b"<>\n\0".contains(byte)).collect::<Vec<_>>().into()
}

/// The forms of a date that leave nothing open: git's own, and RFC 3339.
fn parse_date(text: &str) -> Option<(i64, i32)> {
    let text = text.trim();
    if let Some((seconds, zone)) = text.trim_start_matches('@').split_once(' ') {
        // git takes small numbers without the mark for something else
        if let Ok(seconds) = seconds.parse::<i64>()
            && (text.starts_with('@') || seconds >= 100_000_000)
        {
            return Some((seconds, parse_zone(zone)?));
        }
    }
    let (at, Form::Strict) = Timestamp::parse(text)? else { return None };
    let zone = if text.ends_with(['Z', 'z']) { "+0000" } else { text.get(text.len() - 6..)? };
    Some((at.unix(), parse_zone(zone)?))
}

fn parse_zone(zone: &str) -> Option<i32> {
    let sign = match zone.as_bytes().first()? {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let digits: String = zone[1..].chars().filter(|&c| c != ':').collect();
    let number: i32 = if digits.len() == 4 { digits.parse().ok()? } else { return None };
    Some(sign * (number / 100 * 3600 + number % 100 * 60))
}

/// Any other form: git reads it.
fn date_by_git(repo: &Repo, role: &str) -> Result<(i64, i32)> {
    let variable = format!("GIT_{}_IDENT", role.to_uppercase());
    let ident = repo.git().args(["var", &variable]).text().context(format!("git cannot read the date of the {role}"))?;
    let date = ident.rsplit_once("> ").and_then(|(_, date)| parse_date(&format!("@{date}")));
    date.ok_or_else(|| Error::user(format!("git cannot read the date of the {role}")))
}

fn local_offset(now: Timestamp) -> i32 {
    let utc = chrono::DateTime::from_timestamp(now.unix(), 0).unwrap_or_default().naive_utc();
    chrono::Local.offset_from_utc_datetime(&utc).fix().local_minus_utc()
}

fn bytes(value: OsString) -> Vec<u8> {
    gix::path::os_string_into_bstring(value).map(Into::into).unwrap_or_default()
}

fn os_string(value: &BString) -> OsString {
    gix::path::from_bstr(value.as_bstr()).map_or_else(|_| value.to_string().into(), |path| path.into_owned().into_os_string())
}

#[cfg(test)]
mod tests {
    use super::{cleaned, parse_date};

    #[test]
    fn dates_that_leave_nothing_open_are_read_here() {
        for (text, date) in [
            ("@1000 +0000", Some((1000, 0))),
            ("1795947300 -0130", Some((1_795_947_300, -5400))),
            ("2026-11-29T10:15:00.000Z", Some((1_795_947_300, 0))),
            ("2026-11-29T12:15:00+02:00", Some((1_795_947_300, 7200))),
            ("2026-11-29T10:15:00", None),
            ("1000 +0000", None),
            ("yesterday", None),
            ("Sun, 29 Nov 2026 10:15:00 +0000", None),
        ] {
            assert_eq!(parse_date(text), date, "{text}");
        }
    }

    #[test]
    fn ge13_names_are_cleaned_as_git_cleans_them() {
        for (name, clean) in
            [("Zoë 李", "Zoë 李"), (" <Jo> Doe, ", "Jo Doe"), ("<>, .", ""), ("Jo\nDoe", "JoDoe"), ("J. R.", "J. R")]
        {
            assert_eq!(cleaned(name.as_bytes()), clean, "{name}");
        }
        assert_eq!(cleaned(b"Bad\xffName"), b"Bad\xffName".as_slice());
    }
}
