//! Changes of a lesson that the packs branch has: reworded, moved to another pack, taken out, made a rule of, brought back.
//! Each is a function of the packs at whatever tip it is built on. New lessons are `proposal`'s.

use super::branch::{self, Change, Edited};
use super::message::{Action, Message};
use super::repo::Repo;
use crate::error::{Error, Result};
use crate::evolve::key::Key;
use crate::evolve::rule;
use crate::model::config::Config;
use crate::model::jsonl::{EditError, LessonFile};
use crate::model::lesson::{Lesson, LessonId};
use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE, PackName};
use crate::model::pack_files::PackFiles;
use crate::model::record::Record;
use crate::model::visible::escape;

const GONE: &str = "the branch does not have it any more";

/// A lesson, and the pack that it stands in.
#[derive(Clone, Debug, PartialEq)]
pub struct Found {
    pub pack: PackName,
    pub lesson: Lesson,
}

impl Found {
    pub fn key(&self) -> Key {
        Key::new(&self.pack, &self.lesson.id)
    }
}

/// The lesson of these packs that a person means: the first digits of its id, with the pack before them where two packs
/// have it (`security/7f3a`). `None` where there is none.
pub fn find(packs: &PackFiles, which: &str) -> Result<Option<Found>> {
    let (pack, prefix) = split(which)?;
    let mut found = Vec::new();
    for name in packs.packs().into_iter().filter(|name| pack.is_none_or(|pack| name.as_str() == pack)) {
        let file = packs.lessons(&name);
        let fitting = file.lessons().into_iter().filter(|lesson| lesson.id.starts_with(prefix));
        found.extend(fitting.map(|lesson| Found { pack: name.clone(), lesson: lesson.clone() }));
    }
    match found.len() {
        0 | 1 => Ok(found.pop()),
        _ => Err(several(which, found.iter().map(|one| (one.key(), one.lesson.title.as_str())))),
    }
}

/// Takes a pack and the digits of an id apart.
pub fn split(which: &str) -> Result<(Option<&str>, &str)> {
    let (pack, prefix) = which.split_once('/').map_or((None, which), |(pack, prefix)| (Some(pack), prefix));
    if prefix.len() < 4 || prefix.len() > LessonId::LENGTH || !prefix.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return Err(Error::usage(format!("`{}` is no id of a lesson: 4 to 10 hexadecimal digits", escape(which)))
            .hint("`marvel lessons` shows the lessons with their ids"));
    }
    Ok((pack, prefix))
}

/// What a person typed means more than one lesson.
pub fn several<'a>(which: &str, found: impl Iterator<Item = (Key, &'a str)>) -> Error {
    let names: Vec<_> = found.map(|(key, title)| format!("{key} ({})", escape(title))).collect();
    Error::user(format!("`{}` means {} lessons: {}", escape(which), names.len(), names.join(", ")))
        .hint("give more digits, or the pack before a slash")
}

/// As [`find`], among the packs that the next commit of the branch starts from.
pub fn find_on_branch(repo: &Repo, config: &Config, which: &str) -> Result<Found> {
    if let Some(found) = find(&branch::packs(repo, config)?, which)? {
        return Ok(found);
    }
    let error = Error::user(format!("no lesson of the packs branch has the id `{}`", escape(which)));
    Err(match find(&repo.packs_here()?, which)? {
        Some(here) => error.hint(format!(
            "it stands in your files alone: change {} itself, and commit it with your work",
            here.pack.path(LESSONS_FILE)
        )),
        None => error.hint("`marvel lessons` shows the lessons with their ids"),
    })
}

/// What is to become of a lesson's text; what is `None` stays, byte for byte.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rewording {
    pub pack: Option<PackName>,
    pub category: Option<String>,
    pub title: Option<String>,
    pub description: Option<String>,
    pub actionable: Option<String>,
    pub paths: Option<Vec<String>>,
}

impl Rewording {
    /// The lesson as it will read.
    fn of(&self, lesson: &Lesson) -> Lesson {
        let mut new = lesson.clone();
        let texts = [
            (&self.category, &mut new.category),
            (&self.title, &mut new.title),
            (&self.description, &mut new.description),
            (&self.actionable, &mut new.actionable),
        ];
        for (text, field) in texts {
            if let Some(text) = text {
                field.clone_from(text);
            }
        }
        if let Some(paths) = &self.paths {
            new.paths.clone_from(paths);
        }
        new
    }

    fn apply(&self, record: &mut Record) {
        let texts = [
            ("category", &self.category),
            ("title", &self.title),
            ("description", &self.description),
            ("actionable", &self.actionable),
        ];
        for (field, text) in texts {
            if let Some(text) = text {
                record.set(field, text);
            }
        }
        match &self.paths {
            Some(paths) if paths.is_empty() => record.remove("paths"),
            Some(paths) => record.set("paths", paths),
            None => {}
        }
    }

    fn says(&self, before: &Found) -> String {
        let new = self.of(&before.lesson);
        let old = &before.lesson;
        let mut said = Vec::new();
        if self.pack.as_ref().is_some_and(|pack| *pack != before.pack) {
            said.push(format!("Moved from the pack {}.", before.pack));
        }
        if new.title != old.title {
            said.push(format!("Was: {}", old.title));
        }
        let changed: Vec<&str> = [
            ("category", new.category != old.category),
            ("title", new.title != old.title),
            ("description", new.description != old.description),
            ("actionable", new.actionable != old.actionable),
            ("paths", new.paths != old.paths),
        ]
        .into_iter()
        .filter_map(|(name, changed)| changed.then_some(name))
        .collect();
        if !changed.is_empty() {
            said.push(format!("Changed: {}", changed.join(", ")));
        }
        said.join("\n")
    }
}

/// Rewords a lesson, or moves it. Its id is written down first, so that it stays who it is; its counters stay.
pub fn edit(before: &Found, wording: &Rewording) -> Change<'static> {
    let pack = wording.pack.clone().unwrap_or_else(|| before.pack.clone());
    let mut message = Message::about(Action::Edit, &pack, &wording.of(&before.lesson), None);
    message.body.push(wording.says(before));
    message.trailers.run = None;
    let (key, wording) = (before.key(), wording.clone());
    Change::new(message, move |packs| {
        let mut lessons = packs.lessons(&key.pack);
        let Some(mut record) = lessons.record(&key.id) else { return Ok(Edited::Nothing(GONE.to_owned())) };
        let line = record.to_line();
        wording.apply(&mut record);
        if record.to_line() == line && pack == key.pack {
            return Ok(Edited::Nothing("it says so already".to_owned()));
        }
        record.set("id", &key.id);
        let mut after = packs.clone();
        if pack == key.pack {
            lessons.replace(&key.id, &record).map_err(|error| refused(&key.pack, error))?;
        } else {
            let mut there = packs.lessons(&pack);
            if there.find(&key.id).is_some() {
                return Ok(Edited::Nothing(format!("{pack} has a lesson of that id already")));
            }
            there.append(&record).map_err(|error| refused(&pack, error))?;
            after.set_file(&pack, LESSONS_FILE, there.to_bytes());
            lessons.remove(&key.id).map_err(|error| refused(&key.pack, error))?;
        }
        after.set_file(&key.pack, LESSONS_FILE, lessons.to_bytes());
        Ok(Edited::Packs(after))
    })
}

/// The file cannot be written as it stands.
pub(super) fn refused(pack: &PackName, error: EditError) -> Error {
    Error::conflict(format!("{} on the packs branch cannot be changed", pack.path(LESSONS_FILE)))
        .caused_by(error)
        .hint("`marvel validate --rev packs` shows where")
}

/// A file of lessons without one of them; `None` where it has none of that id.
fn without(packs: &PackFiles, key: &Key) -> Result<Option<(Lesson, LessonFile)>> {
    let mut lessons = packs.lessons(&key.pack);
    let Some(lesson) = lessons.find(&key.id).cloned() else { return Ok(None) };
    lessons.remove(&key.id).map_err(|error| refused(&key.pack, error))?;
    Ok(Some((lesson, lessons)))
}

/// Takes a lesson out, for a reason.
pub fn prune(before: &Found, reason: &str) -> Change<'static> {
    let mut message = Message::about(Action::Prune, &before.pack, &before.lesson, None);
    message.body = vec![reason.to_owned()];
    message.trailers.run = None;
    let key = before.key();
    Change::new(message, move |packs| {
        let Some((_, lessons)) = without(packs, &key)? else { return Ok(Edited::Nothing(GONE.to_owned())) };
        let mut after = packs.clone();
        after.set_file(&key.pack, LESSONS_FILE, lessons.to_bytes());
        Ok(Edited::Packs(after))
    })
}

/// Makes a guardrail of a lesson, and takes its line out.
pub fn graduate(before: &Found, reason: &str) -> Change<'static> {
    let mut message = Message::about(Action::Graduate, &before.pack, &before.lesson, None);
    message.body = vec![format!("Rule: {}", rule::imperative(&before.lesson)), reason.to_owned()];
    message.trailers.run = None;
    let key = before.key();
    Change::new(message, move |packs| {
        let Some((lesson, lessons)) = without(packs, &key)? else { return Ok(Edited::Nothing(GONE.to_owned())) };
        let mut after = packs.clone();
        after.set_file(&key.pack, LESSONS_FILE, lessons.to_bytes());
        let guardrails = rule::place(&packs.guardrails(&key.pack), &lesson).text;
        after.set_file(&key.pack, GUARDRAILS_FILE, guardrails.into_bytes());
        Ok(Edited::Packs(after))
    })
}

/// Brings a lesson back as its line was, with its id written down.
pub fn restore(found: &Found, line: &Record, why: &str) -> Change<'static> {
    let mut message = Message::about(Action::Restore, &found.pack, &found.lesson, None);
    message.body.push(why.to_owned());
    message.trailers.run = None;
    let (key, mut record) = (found.key(), line.clone());
    record.set("id", &key.id);
    Change::new(message, move |packs| {
        let mut lessons = packs.lessons(&key.pack);
        if lessons.find(&key.id).is_some() {
            return Ok(Edited::Nothing("the branch has it".to_owned()));
        }
        lessons.append(&record).map_err(|error| refused(&key.pack, error))?;
        let mut after = packs.clone();
        after.set_file(&key.pack, LESSONS_FILE, lessons.to_bytes());
        Ok(Edited::Packs(after))
    })
}

#[cfg(test)]
mod tests {
    use super::{Found, Rewording, edit, find, prune};
    use crate::model::pack::{LESSONS_FILE, PackName};
    use crate::model::pack_files::PackFiles;
    use crate::store::branch::Edited;

    const LINE: &str = r#"{"timestamp":"2026-11-29T10:15:00Z","category":"c", "title":"Use pnpm","x":[1, 2],"description":"d","actionable":"a","utility_score":0.9,"injection_count":7}"#;

    fn name(text: &str) -> PackName {
        PackName::new(text).unwrap()
    }

    fn packs() -> PackFiles {
        let mut packs = PackFiles::default();
        packs.set_file(&name("a"), LESSONS_FILE, format!("{LINE}\n{}\n", LINE.replace("Use pnpm", "Other")).into_bytes());
        packs.set_file(&name("b"), LESSONS_FILE, Vec::new());
        packs
    }

    fn found() -> Found {
        let lesson = packs().lessons(&name("a")).lessons()[0].clone();
        find(&packs(), &lesson.id.as_str()[..6]).unwrap().unwrap()
    }

    fn text(packs: &PackFiles, pack: &str) -> String {
        String::from_utf8(packs.file(&name(pack), LESSONS_FILE).unwrap().to_vec()).unwrap()
    }

    fn edited(wording: &Rewording) -> Result<PackFiles, String> {
        match (edit(&found(), wording).edit)(&packs()).unwrap() {
            Edited::Packs(packs) => Ok(packs),
            Edited::Nothing(why) => Err(why),
        }
    }

    #[test]
    fn an_edit_pins_the_id_and_keeps_counters_and_what_it_does_not_know() {
        let id = found().lesson.id;
        let wording = Rewording { title: Some("Use pnpm only".to_owned()), ..Rewording::default() };
        let after = edited(&wording).unwrap();
        let expected = LINE.replace(r#", "title":"Use pnpm""#, r#","title":"Use pnpm only""#);
        let expected = format!(r#"{},"id":"{id}"}}"#, expected.trim_end_matches('}'));
        assert_eq!(text(&after, "a").lines().next(), Some(expected.as_str()));
        assert_eq!(text(&after, "a").lines().nth(1), text(&packs(), "a").lines().nth(1));
        let message = edit(&found(), &wording).message.to_text();
        assert!(message.starts_with("edit(a): Use pnpm only\n"), "{message}");
        assert!(message.contains("Was: Use pnpm\nChanged: title\n") && !message.contains("Marvel-Run"), "{message}");
    }

    #[test]
    fn what_changes_nothing_pins_nothing() {
        let same = Rewording { title: Some("Use pnpm".to_owned()), pack: Some(name("a")), ..Rewording::default() };
        assert_eq!(edited(&same).unwrap_err(), "it says so already");
    }

    #[test]
    fn a_lesson_moves_with_its_id() {
        let wording = Rewording { pack: Some(name("b")), paths: Some(vec!["x/**".to_owned()]), ..Rewording::default() };
        let after = edited(&wording).unwrap();
        assert!(after.lessons(&name("a")).find(&found().lesson.id).is_none());
        let moved = after.lessons(&name("b")).find(&found().lesson.id).cloned().unwrap();
        assert_eq!((moved.paths, moved.injection_count), (vec!["x/**".to_owned()], Some(7)));
    }

    #[test]
    fn pruning_takes_the_line_and_says_why() {
        let change = prune(&found(), "The path src/a is gone.");
        assert!(change.message.to_text().contains("\nThe path src/a is gone.\n"));
        let Edited::Packs(after) = (change.edit)(&packs()).unwrap() else { panic!("something to do") };
        assert_eq!(text(&after, "a").lines().count(), 1);
        assert!(matches!((change.edit)(&after).unwrap(), Edited::Nothing(_)));
    }

    #[test]
    fn an_abbreviation_means_one_lesson_or_is_refused() {
        let id = found().lesson.id;
        assert_eq!(find(&packs(), &format!("a/{id}")).unwrap(), Some(found()));
        assert_eq!(find(&packs(), &format!("b/{id}")).unwrap(), None);
        for text in ["abc", "xyzw", "", "a/", "0123456789a"] {
            assert!(find(&packs(), text).is_err(), "{text}");
        }
        let mut twice = packs();
        twice.set_file(&name("b"), LESSONS_FILE, LINE.as_bytes().to_vec());
        let error = find(&twice, id.as_str()).unwrap_err().to_string();
        assert!(error.contains(&format!("a/{id} (Use pnpm), b/{id} (Use pnpm)")), "{error}");
    }
}
