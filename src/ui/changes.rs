//! Changes of packs by lesson, for a person (text, Markdown) and for a program. What changed is `merge::changes`', who did
//! it comes from commits.

use std::collections::BTreeSet;
use std::fmt::{self, Write as _};

use serde_json::{Value, json};

use super::{markdown, style, words};
use crate::merge::changes::{ChangeKind, Changes, LessonChange, LessonKind, RuleChange, RuleText};
use crate::model::lesson::Lesson;
use crate::model::pack::PackName;
use crate::model::record::Record;
use crate::model::visible::{abbreviated, escape};
use crate::store::message::Action;
use crate::store::told::Told;

/// Changes with what commits say of them.
pub struct Shown<'a> {
    pub changes: &'a Changes,
    /// Newest first.
    pub told: &'a [Told],
}

impl Shown<'_> {
    /// The newest commit that made what a change shows.
    fn by(&self, change: &LessonChange) -> Option<&Told> {
        let fits = |action: Action| match change.kind {
            LessonKind::Added => matches!(action, Action::Promote | Action::Teach | Action::Restore | Action::Edit),
            LessonKind::Edited => matches!(action, Action::Edit | Action::Promote | Action::Teach | Action::Restore),
            LessonKind::Removed => action == Action::Prune,
            LessonKind::Graduated => action == Action::Graduate,
            LessonKind::Recorded => false,
        };
        let of = |told: &&Told| told.key.pack == change.pack && told.key.id == change.id && fits(told.action);
        let brought = |told: &&Told| matches!(told.action, Action::Promote | Action::Teach);
        // for a new lesson who taught it says more than who corrected a word of it
        let taught = self.told.iter().filter(of).find(|told| change.kind == LessonKind::Added && brought(told));
        taught.or_else(|| self.told.iter().find(of))
    }

    fn packs(&self) -> BTreeSet<&PackName> {
        let Changes { packs, meta, rules, prose, lessons, .. } = self.changes;
        let all =
            packs.iter().map(|one| &one.pack).chain(meta.iter().map(|one| &one.pack)).chain(rules.iter().map(|one| &one.pack));
        all.chain(prose).chain(lessons.iter().map(|one| &one.pack)).collect()
    }

    /// `changes` for lessons, and the rest by kind.
    pub fn json(&self) -> Value {
        let lessons = self.changes.lessons.iter().map(|change| {
            let by = self.by(change);
            json!({
                "kind": change.kind.as_str(), "pack": change.pack, "id": change.id, "title": change.title(),
                "before": change.before.as_ref().map(Lesson::to_record).as_ref().map(value),
                "after": change.after.as_ref().map(Lesson::to_record).as_ref().map(value),
                "fields": change.fields, "rule": change.rule.as_ref().map(|rule| &rule.words),
                "commit": by.map(|by| by.commit.to_string()), "author": by.map(|by| &by.author.name),
                "time": by.map(|by| by.authored), "run": by.and_then(|by| by.run.as_ref()),
                "guidance": by.map(|by| by.guidance), "why_now": by.and_then(|by| by.why_now.as_ref()),
            })
        });
        let rule = |rule: &Option<RuleText>| rule.as_ref().map(|rule| json!({"heading": rule.heading, "text": rule.words}));
        let rules = self
            .changes
            .rules
            .iter()
            .map(|one| json!({"pack": one.pack, "before": rule(&one.before), "after": rule(&one.after)}));
        let meta = self.changes.meta.iter().map(|one| {
            json!({"pack": one.pack, "field": one.field, "before": one.before.as_deref().map(raw), "after": one.after.as_deref().map(raw)})
        });
        let packs = self.changes.packs.iter().map(|one| json!({"pack": one.pack, "kind": kind(one.kind)}));
        let files = self.changes.files.iter().map(|one| json!({"file": one.path, "kind": kind(one.kind)}));
        json!({
            "changes": lessons.collect::<Vec<_>>(),
            "guardrails": rules.collect::<Vec<_>>(),
            "meta": meta.collect::<Vec<_>>(),
            "packs": packs.collect::<Vec<_>>(),
            "files": files.collect::<Vec<_>>(),
        })
    }

    pub fn text(&self, out: &mut String) -> fmt::Result {
        for pack in self.packs() {
            let name = style::NAME;
            writeln!(out, "{name}[{pack}]{name:#}{}", self.came_or_went(pack))?;
            self.lessons(pack).try_for_each(|change| self.lesson_text(out, change))?;
            match self.recorded(pack) {
                0 => {}
                1 => writeln!(out, "  recorded   counters of 1 lesson")?,
                many => writeln!(out, "  recorded   counters of {many} lessons")?,
            }
            if self.is_whole(pack) {
                continue;
            }
            self.rules(pack).try_for_each(|change| rule_text(out, change))?;
            for one in self.changes.meta.iter().filter(|one| one.pack == *pack) {
                let (before, after) = (one.before.as_deref().unwrap_or_default(), one.after.as_deref().unwrap_or_default());
                writeln!(out, "  pack.json  {}: {}", escape(&one.field), words::text(before, after))?;
            }
            if self.changes.prose.contains(pack) {
                writeln!(out, "  guardrails changed outside their rules")?;
            }
        }
        self.changes.files.iter().try_for_each(|one| writeln!(out, "{} {}", kind(one.kind), escape(&one.path)))
    }

    fn lessons(&self, pack: &PackName) -> impl Iterator<Item = &LessonChange> {
        let of = move |change: &&LessonChange| change.pack == *pack && change.kind != LessonKind::Recorded;
        self.changes.lessons.iter().filter(of)
    }

    fn recorded(&self, pack: &PackName) -> usize {
        self.changes.lessons.iter().filter(|change| change.pack == *pack && change.kind == LessonKind::Recorded).count()
    }

    /// A graduated lesson tells of its rule itself.
    fn rules(&self, pack: &PackName) -> impl Iterator<Item = &RuleChange> {
        let told = |rule: &RuleChange| {
            rule.before.is_none() && self.changes.lessons.iter().any(|change| change.rule.is_some() && change.rule == rule.after)
        };
        self.changes.rules.iter().filter(move |rule| rule.pack == *pack && !told(rule))
    }

    /// A pack that came or went is told as one: its rules are counted, and read in their file.
    fn is_whole(&self, pack: &PackName) -> bool {
        self.changes.packs.iter().any(|one| one.pack == *pack && one.kind != ChangeKind::Edited)
    }

    fn came_or_went(&self, pack: &PackName) -> String {
        let rules = match self.changes.rules.iter().filter(|rule| rule.pack == *pack).count() {
            1 => "1 rule".to_owned(),
            many => format!("{many} rules"),
        };
        match self.changes.packs.iter().find(|one| one.pack == *pack).map(|one| one.kind) {
            Some(ChangeKind::Added) => format!(" new pack, {rules}"),
            Some(ChangeKind::Removed) => format!(" pack removed, {rules}"),
            Some(ChangeKind::Edited) | None => String::new(),
        }
    }

    fn lesson_text(&self, out: &mut String, change: &LessonChange) -> fmt::Result {
        let (id, faint) = (style::ID, style::FAINT);
        let color = match change.kind {
            LessonKind::Added => style::ADDED,
            LessonKind::Removed => style::REMOVED,
            _ => style::HUNK,
        };
        let word = format!("{:<9}", change.kind.as_str());
        writeln!(out, "  {color}{word}{color:#}  {id}{}{id:#}  {}", change.id, escape(change.title()))?;
        let indent = " ".repeat(13);
        match (&change.before, &change.after, change.kind) {
            (Some(before), Some(after), LessonKind::Edited) => {
                let (before, after) = (before.to_record(), after.to_record());
                for field in &change.fields {
                    writeln!(
                        out,
                        "{indent}{}: {}",
                        escape(field),
                        words::text(&field_text(&before, field), &field_text(&after, field))
                    )?;
                }
            }
            (_, Some(lesson), _) => {
                writeln!(out, "{indent}{}", escape(&lesson.actionable))?;
                if !lesson.paths.is_empty() {
                    writeln!(out, "{indent}{faint}for {}{faint:#}", escape(&lesson.paths.join(", ")))?;
                }
            }
            _ => {}
        }
        if let Some(rule) = &change.rule {
            let under = rule.heading.as_deref().map(|heading| format!(" under {heading}")).unwrap_or_default();
            writeln!(out, "{indent}now a rule{}: {}", escape(&under), escape(&rule.words))?;
        }
        if let Some(by) = self.by(change) {
            writeln!(out, "{indent}{faint}{}{faint:#}", escape(&origin(by)))?;
        }
        Ok(())
    }

    /// A page for a pull request; headings from level `level` on.
    pub fn markdown(&self, out: &mut String, level: usize) -> fmt::Result {
        let hashes = "#".repeat(level);
        for pack in self.packs() {
            writeln!(out, "{hashes} `{pack}`{}\n", self.came_or_went(pack))?;
            for change in self.lessons(pack) {
                self.lesson_markdown(out, change)?;
            }
            match self.recorded(pack) {
                0 => {}
                1 => writeln!(out, "- **recorded** the counters of 1 lesson")?,
                many => writeln!(out, "- **recorded** the counters of {many} lessons")?,
            }
            if self.is_whole(pack) {
                writeln!(out)?;
                continue;
            }
            for change in self.rules(pack) {
                let side = |rule: &Option<RuleText>| rule.as_ref().map(|rule| rule.words.clone()).unwrap_or_default();
                writeln!(out, "- **guardrail** {}", words::markdown(&side(&change.before), &side(&change.after)))?;
            }
            for one in self.changes.meta.iter().filter(|one| one.pack == *pack) {
                let (before, after) = (one.before.as_deref().unwrap_or_default(), one.after.as_deref().unwrap_or_default());
                writeln!(out, "- **pack.json** {}: {}", markdown::escape(&one.field), words::markdown(before, after))?;
            }
            if self.changes.prose.contains(pack) {
                writeln!(out, "- guardrails changed outside their rules")?;
            }
            writeln!(out)?;
        }
        for one in &self.changes.files {
            writeln!(out, "- {} {}", kind(one.kind), markdown::escape(&one.path))?;
        }
        Ok(())
    }

    fn lesson_markdown(&self, out: &mut String, change: &LessonChange) -> fmt::Result {
        writeln!(out, "- **{}** `{}` {}", change.kind.as_str(), change.id, markdown::escape(change.title()))?;
        match (&change.before, &change.after, change.kind) {
            (Some(before), Some(after), LessonKind::Edited) => {
                let (before, after) = (before.to_record(), after.to_record());
                for field in &change.fields {
                    let told = words::markdown(&field_text(&before, field), &field_text(&after, field));
                    writeln!(out, "  - {}: {told}", markdown::escape(field))?;
                }
            }
            (_, Some(lesson), _) => {
                writeln!(out, "  - {}", markdown::escape(&lesson.actionable))?;
                writeln!(out, "  - why: {}", markdown::escape(&lesson.description))?;
            }
            _ => {}
        }
        if let Some(rule) = &change.rule {
            writeln!(out, "  - now a rule: {}", markdown::escape(&rule.words))?;
        }
        match self.by(change) {
            Some(by) => writeln!(out, "  - {}", markdown::escape(&origin(by))),
            None => Ok(()),
        }
    }
}

/// Who, when, in which commit, on what evidence.
fn origin(by: &Told) -> String {
    let commit = by.commit.to_string();
    let deed = match by.action {
        Action::Teach => "taught",
        Action::Promote => "promoted",
        Action::Edit => "edited",
        Action::Restore => "restored",
        Action::Graduate => "graduated",
        Action::Prune => "pruned",
        Action::Record | Action::Pack | Action::Sync => "committed",
    };
    let mut text = format!("{deed} by {}, {}, in {}", by.author.name, by.authored.format("%F"), abbreviated(&commit));
    if let Some(why) = &by.why_now {
        let _ = write!(text, "; {why}");
    }
    if let Some(run) = &by.run {
        let _ = write!(text, " ({run})");
    }
    text
}

fn rule_text(out: &mut String, change: &RuleChange) -> fmt::Result {
    let (gone, new) = (style::REMOVED, style::ADDED);
    match (&change.before, &change.after) {
        (Some(before), Some(after)) => writeln!(out, "  guardrail  {}", words::text(&before.words, &after.words)),
        (Some(before), None) => writeln!(out, "  guardrail  {gone}[-{}-]{gone:#}", escape(&before.words)),
        (None, Some(after)) => writeln!(out, "  guardrail  {new}{{+{}+}}{new:#}", escape(&after.words)),
        (None, None) => Ok(()),
    }
}

/// A field's text as it is, anything else as JSON.
pub fn field_text(record: &Record, field: &str) -> String {
    record.get::<String>(field).or_else(|| record.raw(field).map(str::to_owned)).unwrap_or_default()
}

fn value(record: &Record) -> Value {
    raw(&record.to_line())
}

fn raw(json: &str) -> Value {
    serde_json::from_str(json).unwrap_or_default()
}

fn kind(kind: ChangeKind) -> &'static str {
    match kind {
        ChangeKind::Added => "added",
        ChangeKind::Edited => "edited",
        ChangeKind::Removed => "removed",
    }
}
