//! Lessons that were added, edited, removed, graduated, or had their counters recorded.

use std::collections::{HashMap, HashSet};

use super::Told;
use super::rules::{RuleChange, RuleText};
use crate::merge::text::edited_fields;
use crate::model::jsonl::{Content, LessonFile, Line};
use crate::model::lesson::{Lesson, LessonId};
use crate::model::likeness::{Likeness, compare};
use crate::model::pack::PackName;
use crate::model::record::Record;

#[derive(Clone, Debug, PartialEq)]
pub struct LessonChange {
    pub kind: LessonKind,
    pub pack: PackName,
    pub id: LessonId,
    pub before: Option<Lesson>,
    pub after: Option<Lesson>,
    /// The fields that an edit changed, those that we do not know included; empty for every other kind.
    pub fields: Vec<String>,
    /// The rule that a graduated lesson became, where it is found among the new ones.
    pub rule: Option<RuleText>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum LessonKind {
    Added,
    /// Its text changed, and maybe its counters.
    Edited,
    Removed,
    /// Removed, and a rule says it now.
    Graduated,
    /// Its counters changed and nothing else.
    Recorded,
}

impl LessonKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Added => "added",
            Self::Edited => "edited",
            Self::Removed => "removed",
            Self::Graduated => "graduated",
            Self::Recorded => "recorded",
        }
    }
}

impl LessonChange {
    /// The newest title.
    pub fn title(&self) -> &str {
        self.after.as_ref().or(self.before.as_ref()).map_or("", |lesson| &lesson.title)
    }
}

/// The changes in order of the file after them; what is gone comes last.
pub(super) fn between(
    pack: &PackName,
    before: &LessonFile,
    after: &LessonFile,
    rules: &[RuleChange],
    told: &Told,
) -> Vec<LessonChange> {
    let (old, new) = (live(before), live(after));
    let change = |kind, before: Option<&Lesson>, after: Option<&Lesson>| LessonChange {
        kind,
        pack: pack.clone(),
        id: after.or(before).expect("a change has a side").id.clone(),
        before: before.cloned(),
        after: after.cloned(),
        fields: Vec::new(),
        rule: None,
    };
    let mut changes = Vec::new();
    for lesson in after.lessons() {
        let (line, _) = new[&lesson.id];
        let Some(&(old_line, earlier)) = old.get(&lesson.id) else {
            changes.push(change(LessonKind::Added, None, Some(lesson)));
            continue;
        };
        let fields = edited(old_line, line);
        if !fields.is_empty() {
            changes.push(LessonChange { fields, ..change(LessonKind::Edited, Some(earlier), Some(lesson)) });
        } else if (earlier.utility_score, earlier.injection_count) != (lesson.utility_score, lesson.injection_count) {
            changes.push(change(LessonKind::Recorded, Some(earlier), Some(lesson)));
        }
    }
    let gone: Vec<&Lesson> = before.lessons().into_iter().filter(|lesson| !new.contains_key(&lesson.id)).collect();
    for (lesson, (kind, rule)) in gone.iter().zip(ends(pack, &gone, rules, told)) {
        changes.push(LessonChange { rule, ..change(kind, Some(lesson), None) });
    }
    changes
}

/// The lines that count, by id.
fn live(file: &LessonFile) -> HashMap<&LessonId, (&Line, &Lesson)> {
    let lessons = file.lines.iter().filter_map(|line| match &line.content {
        Content::Lesson(lesson) => Some((&lesson.id, (line, lesson))),
        _ => None,
    });
    lessons.collect()
}

fn edited(before: &Line, after: &Line) -> Vec<String> {
    if before.bytes == after.bytes {
        return Vec::new();
    }
    match (Record::parse(&before.text()), Record::parse(&after.text())) {
        (Ok(before), Ok(after)) => edited_fields(&before, &after),
        _ => Vec::new(), // no lesson's line is anything but an object
    }
}

/// Whether each lesson that is gone was removed or graduated, and the rule that it became. A rule stands for one
/// lesson at the most, the closest one.
fn ends(pack: &PackName, gone: &[&Lesson], rules: &[RuleChange], told: &Told) -> Vec<(LessonKind, Option<RuleText>)> {
    let rules: Vec<&RuleText> = rules.iter().filter_map(|rule| rule.after.as_ref()).collect();
    let mut pairs = Vec::new();
    for (l, lesson) in gone.iter().enumerate() {
        for (r, rule) in rules.iter().enumerate() {
            if let Some(close) = says(&rule.words, lesson) {
                pairs.push((close, l, r));
            }
        }
    }
    pairs.sort_by(|a: &(f64, usize, usize), b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut taken = HashSet::new();
    let mut ends: Vec<_> = gone
        .iter()
        .map(|lesson| {
            let graduated = told.graduated.contains(&(pack.clone(), lesson.id.clone()));
            (if graduated { LessonKind::Graduated } else { LessonKind::Removed }, None)
        })
        .collect();
    for (_, l, r) in pairs {
        if ends[l].1.is_none() && taken.insert(r) {
            ends[l] = (LessonKind::Graduated, Some(rules[r].clone()));
        }
    }
    ends
}

/// How closely a rule says what the lesson does, by its title, its instruction or both; `None` where it does not.
fn says(rule: &str, lesson: &Lesson) -> Option<f64> {
    let both = format!("{}: {}", lesson.title, lesson.actionable);
    let close = |text: &str| match compare(text, rule) {
        Likeness::Same => Some(1.0),
        Likeness::Close(close) => Some(close),
        Likeness::Opposite | Likeness::Different => None,
    };
    [&lesson.actionable, &lesson.title, &both].into_iter().filter_map(|text| close(text)).max_by(f64::total_cmp)
}

#[cfg(test)]
mod tests {
    use super::{LessonChange, between};
    use crate::merge::changes::{Told, rules};
    use crate::model::jsonl::LessonFile;
    use crate::model::pack::PackName;

    fn line(id: u8, more: &str) -> String {
        format!(
            r#"{{"timestamp":"2026-11-29T10:15:00Z","category":"c","title":"Title {id}","description":"d","actionable":"a",{more}"id":"00000000{id:02}"}}"#
        ) + "\n"
    }

    fn changes(before: &str, after: &str, old_rules: &str, new_rules: &str, told: &Told) -> Vec<LessonChange> {
        let pack = PackName::new("a").expect("valid");
        let file = |text: &str| LessonFile::parse(text.as_bytes());
        between(&pack, &file(before), &file(after), &rules::between(&pack, old_rules, new_rules), told)
    }

    fn said(changes: &[LessonChange]) -> Vec<(&str, &str)> {
        changes.iter().map(|change| (change.kind.as_str(), change.id.as_str())).collect()
    }

    #[test]
    fn a_lesson_is_added_edited_recorded_or_removed() {
        let before = [1, 2, 3, 4].map(|id| line(id, "")).concat() + &line(5, r#""x":1,"#);
        let recorded = line(2, r#""utility_score":0.5,"injection_count":7,"#);
        let edited = line(3, r#""injection_count":7,"#).replace(r#""d""#, r#""new""#);
        let respelled = line(4, "").replace("\":", "\": ");
        let after = [line(6, ""), respelled, recorded, edited, line(5, r#""x":2,"#)].concat();
        let changes = changes(&before, &after, "", "", &Told::default());
        assert_eq!(
            said(&changes),
            [
                ("added", "0000000006"),
                ("recorded", "0000000002"),
                ("edited", "0000000003"),
                ("edited", "0000000005"),
                ("removed", "0000000001"),
            ]
        );
        assert_eq!((&changes[2].fields[..], &changes[3].fields[..]), (&["description".to_owned()][..], &["x".to_owned()][..]));
    }

    #[test]
    fn a_line_that_gets_its_id_pinned_is_the_same_lesson() {
        let bare = r#"{"timestamp":"2026-11-29T10:15:00Z","category":"c","title":"T","description":"d","actionable":"a"}"#;
        let lesson = &LessonFile::parse(bare.as_bytes()).lessons()[0].clone();
        assert!(changes(bare, &lesson.to_record().to_line(), "", "", &Told::default()).is_empty());
    }

    #[test]
    fn of_two_lines_with_one_id_the_later_is_compared() {
        let stale = line(1, "").replace("Title", "Stale");
        assert!(changes(&(stale.clone() + &line(1, "")), &line(1, ""), "", "", &Told::default()).is_empty());
        assert_eq!(said(&changes(&line(1, ""), &(line(1, "") + &stale), "", "", &Told::default())), [("edited", "0000000001")]);
    }

    #[test]
    fn a_lesson_whose_text_became_a_rule_graduated() {
        let lesson = line(1, "").replace(r#""actionable":"a""#, r#""actionable":"Parse every request body with the schema""#);
        let opposite =
            line(2, "").replace(r#""actionable":"a""#, r#""actionable":"Never parse every request body with the schema""#);
        let new_rules = "## Input\n- Parse every request body with its schema.\n";
        let changes = changes(&(opposite + &lesson), "", "## Input\n", new_rules, &Told::default());
        assert_eq!(said(&changes), [("removed", "0000000002"), ("graduated", "0000000001")]);
        let rule = changes[1].rule.as_ref().expect("found");
        assert_eq!(rule.heading.as_deref(), Some("Input"));
        assert_eq!((changes[1].title(), changes[0].rule.is_none()), ("Title 1", true));
    }

    #[test]
    fn a_commit_may_say_that_a_lesson_graduated() {
        let file = LessonFile::parse(line(1, "").as_bytes());
        let told = Told { graduated: [(PackName::new("a").expect("valid"), file.lessons()[0].id.clone())].into() };
        let changes = changes(&line(1, ""), "", "", "- Something worded anew\n", &told);
        assert_eq!((said(&changes), changes[0].rule.is_none()), (vec![("graduated", "0000000001")], true));
    }
}
