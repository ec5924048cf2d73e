//! The lines of `lessons.jsonl`, one by one. A good line costs one fast pass; only a bad one is parsed for positions.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use chrono::TimeDelta;
use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;

use crate::model::jsonl::{BOM, is_conflict_marker};
use crate::model::lesson::LessonId;
use crate::model::timestamp::{Form, Timestamp};

use super::code::{self, Code};
use super::json::{self, Tree};
use super::place::column;
use super::prose::Prose;
use super::sink::{At, Sink};
use super::wire::{FIELDS, REQUIRED, Wire};
use super::{globs, schema, vague};

/// The most bytes of a line that anybody reads in a review.
const MAX_LINE: usize = 8_192;
const MAX_TITLE: usize = 120;

/// What the lines of one pack are judged by.
pub(super) struct Rules<'a> {
    pub(super) prose: &'a Prose,
    /// The fields that the schemas list.
    pub(super) known: &'a BTreeSet<String>,
    /// `None` where `pack.json` cannot be read.
    pub(super) categories: Option<&'a [String]>,
    /// UTF-16 units that lessons have in an injection.
    pub(super) budget: usize,
}

/// A lesson that was read: for what concerns several of them.
pub(super) struct Entry<'a> {
    pub(super) line: usize,
    pub(super) title: Cow<'a, str>,
    pub(super) actionable: Cow<'a, str>,
}

/// Reports on one `lessons.jsonl`.
pub(super) fn check<'a>(file: &str, bytes: &'a [u8], rules: &Rules<'_>, sink: &mut Sink<'_>) -> Vec<Entry<'a>> {
    let mut entries = Vec::new();
    let mut ids: HashMap<LessonId, usize> = HashMap::new();
    for (i, full) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
        let Ok(text) = std::str::from_utf8(full) else { continue };
        let start = full.len() - trim_start(text).len();
        let text = trim_start(text).trim_end_matches(is_noise);
        if text.is_empty() || is_conflict_marker(text.as_bytes()) {
            continue;
        }
        let line = Line { file, number: i + 1, full: &full[..start + text.len()], start, text };
        let Some(wire) = line.read(sink) else { continue };
        line.check(&wire, rules, sink);
        let id = match &wire.id {
            Some(id) => LessonId::parse(id),
            None => Some(LessonId::derive(&wire.timestamp, &wire.category, &wire.title)),
        };
        if let Some(id) = id {
            if let Some(first) = ids.get(&id) {
                line.check_id(&id, *first, sink);
            }
            ids.insert(id, i + 1);
        }
        entries.push(Entry { line: i + 1, title: wire.title, actionable: wire.actionable });
    }
    entries
}

fn is_noise(c: char) -> bool {
    c == '\0' || c.is_ascii_whitespace()
}

/// What the reader passes over too: a byte order mark, white space, NULs.
fn trim_start(text: &str) -> &str {
    let mark = std::str::from_utf8(BOM).expect("U+FEFF");
    text.strip_prefix(mark).unwrap_or(text).trim_start_matches(is_noise)
}

struct Line<'f, 'a> {
    file: &'f str,
    number: usize,
    /// From the line's first byte.
    full: &'a [u8],
    /// Where `text` begins in it.
    start: usize,
    text: &'a str,
}

impl<'f, 'a> Line<'f, 'a> {
    fn whole(&self) -> At<'f> {
        At { file: self.file, line: self.number, column: 1 }
    }

    /// The place of a byte of `text`.
    fn at(&self, byte: usize) -> At<'f> {
        let full = std::str::from_utf8(self.full).unwrap_or(self.text);
        At::new(self.file, (self.number, column(full, self.start + byte)))
    }

    /// The place of a field's value.
    fn of(&self, field: &str) -> At<'f> {
        Tree::parse(self.text).map_or_else(|_| self.whole(), |tree| self.at(tree.at(&format!("/{field}"))))
    }

    /// The lesson; `None` where the line has none, which is reported.
    fn read(&self, sink: &mut Sink<'_>) -> Option<Wire<'a>> {
        serde_json::from_str(self.text).ok().or_else(|| self.look_closely(sink))
    }

    /// Says what is wrong with a line, and reads of it what can be read.
    fn look_closely(&self, sink: &mut Sink<'_>) -> Option<Wire<'a>> {
        let tree = match Tree::parse(self.text) {
            Ok(tree) => tree,
            Err(error) => {
                let message = format!("not valid JSON: {}", error.reason);
                let hint = "a lesson is one JSON object on one line; this one is passed over";
                sink.report(code::INVALID_JSON, self.at(error.at), message, hint);
                return None;
            }
        };
        let Some(object) = tree.object() else {
            sink.report(code::NOT_AN_OBJECT, self.whole(), "a lesson must be a JSON object", "this line is passed over");
            return None;
        };
        for (key, at) in tree.repeated_keys() {
            let message = format!("the key `{}` stands twice", super::shown(&key));
            sink.report(code::DUPLICATE_KEY, self.at(at), message, "only the last one counts; keep that one");
        }
        let mut wire = Wire::default();
        let mut complete = true;
        for (i, field) in FIELDS.into_iter().enumerate() {
            let value = json::last(object, field).map(|property| &property.value);
            let value = match value {
                None if i < REQUIRED => {
                    let hint = "this line is passed over";
                    sink.report(code::MISSING_FIELD, self.whole(), format!("the required field `{field}` is missing"), hint);
                    complete = false;
                    continue;
                }
                None => continue,
                Some(Value::NullKeyword(_)) if i >= REQUIRED => continue,
                Some(value) => value,
            };
            if let Err((code, expected)) = take(&mut wire, field, value) {
                complete &= i >= REQUIRED && field != "id";
                sink.report(code, self.at(value.start()), format!("`{field}` must be {expected}"), "");
            }
        }
        wire.unknown = object
            .properties
            .iter()
            .map(|property| property.name.as_str())
            .filter(|name| !FIELDS.contains(name))
            .map(|name| Cow::Owned(name.to_owned()))
            .collect();
        complete.then_some(wire)
    }

    fn check(&self, wire: &Wire<'a>, rules: &Rules<'_>, sink: &mut Sink<'_>) {
        for (field, value) in [
            ("category", &wire.category),
            ("title", &wire.title),
            ("description", &wire.description),
            ("actionable", &wire.actionable),
        ] {
            if value.trim().is_empty() {
                sink.report(code::EMPTY_FIELD, self.of(field), format!("`{field}` is empty"), "");
            }
        }
        self.check_time(&wire.timestamp, sink);
        self.check_category(&wire.category, rules, sink);
        if wire.id.as_deref().is_some_and(|id| LessonId::parse(id).is_none()) {
            let hint = "leave it out: marvel gives the line one when it edits it; until then the line is passed over";
            sink.report(code::INVALID_VALUE, self.of("id"), "`id` must be 10 hex digits", hint);
        }
        if wire.utility_score.is_some_and(|score| !(0.0..=1.0).contains(&score)) {
            let hint = "`marvel health --record` writes it";
            sink.report(code::INVALID_VALUE, self.of("utility_score"), "`utility_score` must be from 0 to 1", hint);
        }
        for (i, path) in wire.paths.iter().enumerate() {
            let at = format!("paths/{i}");
            if path.is_empty() {
                sink.report(code::EMPTY_FIELD, self.of(&at), "a glob in `paths` is empty", "");
            } else if let Some((code, message, hint)) = globs::problem(path) {
                sink.report(code, self.of(&at), message, hint);
            }
        }
        for key in &wire.unknown {
            if !rules.known.contains(&**key) {
                let at = Tree::parse(self.text).map_or_else(|_| self.whole(), |tree| self.at(tree.key("", key)));
                schema::report_unknown(at, key, &FIELDS, sink);
            }
        }
        self.check_length(wire, rules, sink);
        if vague::is_vague(&wire.actionable) {
            let hint = "say what to do and where, so that a reviewer can see whether it was done";
            let message = format!("`actionable` says nothing that can be checked: {:?}", super::shown(&wire.actionable));
            sink.report(code::VAGUE, self.of("actionable"), message, hint);
        }
        let printable = self.text.bytes().all(|byte| matches!(byte, b' '..=b'~') && byte != b'\\');
        let texts = [&wire.category, &wire.title, &wire.description, &wire.actionable];
        let mut texts = texts.into_iter().chain(&wire.run_id).chain(&wire.paths);
        let plain = printable && wire.unknown.is_empty() && texts.all(|text| rules.prose.is_plain(text));
        if !plain && let Ok(tree) = Tree::parse(self.text) {
            let place = |byte: usize| {
                let at = self.at(byte);
                (at.line, at.column)
            };
            rules.prose.check_strings(self.file, &tree, &place, sink);
        }
    }

    fn check_time(&self, text: &str, sink: &mut Sink<'_>) {
        let now = sink.options().now;
        let mut say = |code: Code, message: String, hint: &str| sink.report(code, self.of("timestamp"), message, hint);
        let shown = super::shown(text);
        match Timestamp::parse(text) {
            None => say(
                code::INVALID_TIMESTAMP,
                format!("`timestamp` is no ISO 8601 time: {shown:?}"),
                "write it as 2026-11-29T10:15:00.000Z; until then the lesson counts as the oldest",
            ),
            Some((at, form)) => {
                let hint = format!("write it as {at}");
                match form {
                    Form::Strict => {}
                    Form::Loose => say(code::LOOSE_TIMESTAMP, format!("{shown:?} is not of the form of RFC 3339"), &hint),
                    Form::NoZone => say(code::NO_TIME_ZONE, format!("{shown:?} has no time zone and is read as UTC"), &hint),
                }
                if at.since(now) > TimeDelta::minutes(5) {
                    say(
                        code::FUTURE_TIMESTAMP,
                        format!("{shown:?} lies in the future"),
                        "is a clock wrong? The lesson counts all the same",
                    );
                }
            }
        }
    }

    fn check_category(&self, category: &str, rules: &Rules<'_>, sink: &mut Sink<'_>) {
        let Some(categories) = rules.categories else { return };
        if category.trim().is_empty() || categories.iter().any(|known| known == category) {
            return;
        }
        let hint = match categories {
            [] => "add it to `categories` in pack.json".to_owned(),
            known => format!("one of {}; or add it to `categories` in pack.json", known.join(", ")),
        };
        let message = format!("the pack has no category `{}`", super::shown(category));
        sink.report(code::UNKNOWN_CATEGORY, self.of("category"), message, &super::shown(&hint));
    }

    fn check_length(&self, wire: &Wire<'_>, rules: &Rules<'_>, sink: &mut Sink<'_>) {
        if wire.title.len() > MAX_TITLE && wire.title.chars().count() > MAX_TITLE {
            let message = format!("the title has {} characters", wire.title.chars().count());
            sink.report(
                code::TITLE_TOO_LONG,
                self.of("title"),
                message,
                "say it in one short imperative; the rest is the description",
            );
        } else if wire.title.trim().contains('\n') {
            sink.report(code::TITLE_TOO_LONG, self.of("title"), "the title has several lines", "make it one short imperative");
        }
        let hint = "split it into several lessons, or put the details into a document and link it";
        if self.full.len() > MAX_LINE {
            let message = format!("the line has {} bytes, more than {MAX_LINE}", self.full.len());
            sink.report(code::LESSON_TOO_LONG, self.whole(), message, hint);
        } else if wire.title.len() + wire.actionable.len() > rules.budget {
            let units = wire.title.encode_utf16().count() + wire.actionable.encode_utf16().count();
            if units > rules.budget {
                let message =
                    format!("title and instruction have {units} characters; an injection holds {} of lessons", rules.budget);
                sink.report(code::LESSON_TOO_LONG, self.whole(), message, hint);
            }
        }
    }

    fn check_id(&self, id: &LessonId, first: usize, sink: &mut Sink<'_>) {
        // Whichever line is new is the one to speak about.
        let number = if sink.wants(self.file, self.number) { self.number } else { first };
        let other = if number == first { self.number } else { first };
        sink.report(
            code::DUPLICATE_ID,
            At { file: self.file, line: number, column: 1 },
            format!("the id {id} is that of line {other} too; the later line counts"),
            "keep one of the two lines",
        );
    }
}

/// Puts a value into its field, or says what it should have been.
fn take<'a>(wire: &mut Wire<'a>, field: &str, value: &Value<'_>) -> Result<(), (Code, &'static str)> {
    let text = || match value {
        Value::StringLit(text) => Ok(Cow::Owned(text.value.to_string())),
        _ => Err((code::WRONG_TYPE, "a string")),
    };
    match field {
        "timestamp" => wire.timestamp = text()?,
        "category" => wire.category = text()?,
        "title" => wire.title = text()?,
        "description" => wire.description = text()?,
        "actionable" => wire.actionable = text()?,
        "run_id" => wire.run_id = Some(text()?),
        "id" => wire.id = Some(text()?),
        "utility_score" => {
            let number = value.as_number_lit().ok_or((code::WRONG_TYPE, "a number"))?;
            wire.utility_score = number.value.parse().ok();
        }
        "injection_count" => {
            let number = value.as_number_lit().ok_or((code::WRONG_TYPE, "a whole number"))?;
            number.value.parse::<u64>().map_err(|_| (code::INVALID_VALUE, "a whole number from 0 up"))?;
        }
        _ => {
            let wrong = (code::WRONG_TYPE, "a list of strings");
            for element in &value.as_array().ok_or(wrong)?.elements {
                wire.paths.push(Cow::Owned(element.as_string_lit().ok_or(wrong)?.value.to_string()));
            }
        }
    }
    Ok(())
}
