//! `marvel log`: the packs' history, told by lesson instead of by line.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fmt::Write as _;

use serde_json::json;

use super::Context;
use crate::error::{Error, Result};
use crate::evolve::key::Key;
use crate::evolve::life::{Chronicle, Deed, Event, Lives};
use crate::merge::text::edited_fields;
use crate::model::visible::escape;
use crate::store::message::why_now;
use crate::store::{Id, Repo};
use crate::ui::changes::field_text;
use crate::ui::origin::{short, time};
use crate::ui::{Report, style, words};

/// Show what happened to lessons: who taught, changed, graduated or pruned them, newest first
#[derive(clap::Args)]
pub struct Args {
    /// A pack, or the first digits of a lesson's id
    #[arg(value_name = "PACK|ID")]
    which: Option<String>,
    /// Show no more than this many
    #[arg(short = 'n', long, value_name = "NUMBER")]
    max_count: Option<usize>,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let chronicle = cx.chronicle(&repo, &cx.config(&repo)?)?;
    let of_pack = args.which.as_ref().filter(|which| chronicle.events.iter().any(|event| event.pack.as_str() == which.as_str()));
    let one_lesson = args.which.is_some() && of_pack.is_none();
    let mut events: Vec<usize> = match &args.which {
        Some(which) if one_lesson => {
            let lives = chronicle.lives();
            lives.events(one(&lives, which)?)
        }
        _ => {
            let fits = |event: &Event| !event.copy && of_pack.is_none_or(|pack| event.pack.as_str() == pack);
            (0..chronicle.events.len()).filter(|&at| fits(&chronicle.events[at])).collect()
        }
    };
    events.reverse();
    events.truncate(args.max_count.unwrap_or(usize::MAX));
    let none = chronicle.events.is_empty();
    let details = if one_lesson {
        events.iter().map(|&at| Detail::read(&repo, &chronicle, at)).collect::<Result<_>>()?
    } else {
        Vec::new()
    };
    // counts are recorded without saying of what
    let named = events.iter().all(|&at| chronicle.events[at].deed != Deed::Record);
    let titles = if named { HashMap::new() } else { chronicle.lives().titles() };
    Ok(Box::new(Log { chronicle, events, details, titles, one_lesson, none }))
}

/// The lesson that a person's abbreviation means.
pub(super) fn one<'a>(lives: &'a Lives<'_>, which: &str) -> Result<&'a Key> {
    match lives.find(which)[..] {
        [one] => Ok(one),
        [] => Err(unknown(which)),
        ref several => {
            let names: Vec<_> = several.iter().map(|key| format!("{key} ({})", escape(lives.title(key)))).collect();
            Err(Error::user(format!("`{}` means {} lessons: {}", escape(which), several.len(), names.join(", ")))
                .hint("give more digits"))
        }
    }
}

pub(super) fn unknown(which: &str) -> Error {
    Error::user(format!("history has no pack and no lesson `{}`", escape(which)))
        .hint("`marvel pack list` shows the packs, `marvel lessons` the lessons with their ids; 4 digits are enough")
}

/// Where what belongs to a commit stands, below its date.
const INDENT: &str = "            ";

struct Log {
    chronicle: Chronicle,
    /// Newest first.
    events: Vec<usize>,
    /// What else is told of each, where it is one lesson's history.
    details: Vec<Detail>,
    /// Of lessons whose events do not say it.
    titles: HashMap<Key, String>,
    one_lesson: bool,
    /// Whether there is no history at all.
    none: bool,
}

/// On what evidence a commit changed a lesson, and what it changed.
struct Detail {
    why_now: Option<String>,
    /// Field, before, after.
    fields: Vec<(String, String, String)>,
}

impl Detail {
    fn read(repo: &Repo, chronicle: &Chronicle, at: usize) -> Result<Self> {
        let event = &chronicle.events[at];
        let Some((id, key)) = Id::parse(&chronicle.commit(event).id).zip(event.key()) else {
            return Ok(Self { why_now: None, fields: Vec::new() });
        };
        let commit = repo.commit(id)?;
        let mut fields = Vec::new();
        if let (Deed::Edit | Deed::Sync, Some(&parent)) = (event.deed, commit.parents.first()) {
            let line = |state: Id, key: &Key| Ok(repo.packs_at(state)?.lessons(&key.pack).record(&key.id));
            let before = line(parent, event.was.as_ref().unwrap_or(&key))?;
            if let Some((before, after)) = before.zip(line(id, &key)?) {
                let changed = edited_fields(&before, &after).into_iter();
                let texts = |field: String| (field.clone(), field_text(&before, &field), field_text(&after, &field));
                fields = changed.map(texts).collect();
            }
        }
        Ok(Self { why_now: why_now(&commit.message), fields })
    }
}

impl Log {
    fn title<'a>(&'a self, event: &'a Event) -> &'a str {
        match event.key() {
            Some(key) if event.title.is_empty() => self.titles.get(&key).map(String::as_str).unwrap_or_default(),
            _ => &event.title,
        }
    }

    /// How many events from this one on record counts in one commit.
    fn recorded(&self, at: usize) -> usize {
        let event = |at: usize| &self.chronicle.events[self.events[at]];
        let first = event(at);
        let same = |next: &usize| event(*next).deed == Deed::Record && event(*next).commit == first.commit;
        if first.deed == Deed::Record { (at..self.events.len()).take_while(same).count() } else { 1 }
    }
}

impl Report for Log {
    fn json(&self) -> serde_json::Value {
        let event = |(index, &at): (usize, &usize)| {
            let event = &self.chronicle.events[at];
            let commit = self.chronicle.commit(event);
            let mut value = json!({
                "commit": commit.id,
                "time": time(commit.authored),
                "author": commit.author,
                "action": event.deed.as_str(),
                "pack": event.pack,
                "lesson": event.lesson,
                "title": self.title(event),
            });
            if let Some(run) = &event.run {
                value["run"] = json!(run);
            }
            if let Some(was) = &event.was {
                value["was"] = json!(was);
            }
            if commit.boundary {
                value["boundary"] = json!(true);
            }
            if let Some(detail) = self.details.get(index) {
                value["why_now"] = json!(detail.why_now);
                let field =
                    |(field, before, after): &(String, String, String)| json!({"field": field, "before": before, "after": after});
                value["edited"] = detail.fields.iter().map(field).collect();
            }
            value
        };
        json!({ "events": self.events.iter().enumerate().map(event).collect::<Vec<_>>() })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        if self.none {
            return writeln!(out, "No history yet: the first lesson begins it.");
        }
        let events = || self.events.iter().map(|&at| &self.chronicle.events[at]);
        let deeds = events().map(|event| event.deed.as_str().len()).max().unwrap_or(0);
        let packs = if self.one_lesson { 0 } else { events().map(|event| event.pack.as_str().len()).max().unwrap_or(0) };
        let (name, faint) = (style::NAME, style::FAINT);
        let mut at = 0;
        while at < self.events.len() {
            let event = &self.chronicle.events[self.events[at]];
            let commit = self.chronicle.commit(event);
            let count = self.recorded(at);
            let detail = self.details.get(at);
            at += count;
            let date = time(commit.authored).format("%Y-%m-%d");
            write!(out, "{}  {date}  {:deeds$}  ", short(commit), event.deed.as_str())?;
            if !self.one_lesson {
                let pack = if count > 1 { "" } else { event.pack.as_str() };
                write!(out, "{name}{pack:packs$}{name:#}  ")?;
            }
            if count > 1 {
                write!(out, "counts of {count} lessons")?;
            } else {
                out.push_str(&escape(&one_line(self.title(event))));
            }
            if let Some(lesson) = event.lesson.as_ref().filter(|_| !self.one_lesson && count == 1) {
                write!(out, " {faint}({lesson}){faint:#}")?;
            }
            if let Some(was) = &event.was {
                write!(out, " {faint}(was {was}){faint:#}")?;
            }
            write!(out, "  {faint}{}", escape(&commit.author))?;
            if let Some(run) = &event.run {
                write!(out, ", {}", escape(run))?;
            }
            writeln!(out, "{faint:#}")?;
            for (field, before, after) in detail.iter().flat_map(|detail| &detail.fields) {
                writeln!(out, "{INDENT}{}: {}", escape(field), words::text(before, after))?;
            }
            if let Some(why) = detail.and_then(|detail| detail.why_now.as_ref()) {
                writeln!(out, "{INDENT}{faint}{}{faint:#}", escape(why))?;
            }
        }
        Ok(())
    }
}

fn one_line(text: &str) -> Cow<'_, str> {
    if text.contains(['\n', '\r', '\t']) {
        Cow::Owned(text.split_whitespace().collect::<Vec<_>>().join(" "))
    } else {
        Cow::Borrowed(text)
    }
}
