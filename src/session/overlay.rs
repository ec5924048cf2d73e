//! What is in force beyond the checkout, as changes to the working tree's packs: computed against this worktree's HEAD
//! by `store`, applied here. The working tree wins: a change of a text that stands no longer there does nothing.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::root::Root;
use super::{file, log};
use crate::model::guardrails::Guardrails;
use crate::model::lesson::{Lesson, LessonId};
use crate::model::pack::{PackMeta, PackName};

const VERSION: u32 = 1;

/// `$GIT_DIR/marvel/overlay.json`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Overlay {
    version: u32,
    /// What it was computed from (ids of commits, settings), in a form of `store`'s own: equal means still right.
    pub key: String,
    /// The packs of HEAD's tree, in a sparse checkout that has no `marvel/`: they count where the working tree has none.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub stand_in: BTreeMap<PackName, StandIn>,
    pub packs: BTreeMap<PackName, PackChanges>,
}

impl Default for Overlay {
    fn default() -> Self {
        Self { version: VERSION, key: String::new(), stand_in: BTreeMap::new(), packs: BTreeMap::new() }
    }
}

/// A whole pack, as text.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct StandIn {
    pub meta: PackMeta,
    pub guardrails: String,
    /// The file's text.
    pub lessons: String,
}

/// What is to be changed in one pack, in this order of steps.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct PackChanges {
    /// Where the pack is new.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub meta: Option<PackMeta>,
    /// The whole text, where the pack is new or its file is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub guardrails: Option<String>,
    pub lessons: Vec<LessonChange>,
    pub rules: Vec<RuleChange>,
}

/// A lesson added (nothing before), edited (both) or removed (nothing after).
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LessonChange {
    pub id: LessonId,
    /// The line that it replaces.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// The line as it is in force.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Whether the base branch does not have it yet.
    #[serde(default)]
    pub pending: bool,
}

/// A rule of the guardrails added, edited or removed: list items as they stand in the file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct RuleChange {
    /// The heading that it stands under; `None` where it stands before the first.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    #[serde(default)]
    pub pending: bool,
}

/// A lesson that counts for this worktree now.
#[derive(Clone, Debug, PartialEq)]
pub struct InForce {
    pub lesson: Lesson,
    pub pending: bool,
}

/// How a pending rule ends.
const PENDING: &str = " (pending review)";

impl Overlay {
    pub fn path(root: &Root) -> PathBuf {
        root.git_dir.join("marvel/overlay.json")
    }

    /// An empty one where there is none. A broken one counts as none and is noted in the log.
    pub fn read(root: &Root) -> Self {
        let path = Self::path(root);
        let read = file::read(&path).map_err(|error| error.to_string()).and_then(|bytes| match bytes {
            None => Ok(Self::default()),
            Some(bytes) => Self::parse(&bytes),
        });
        read.unwrap_or_else(|reason| {
            log::note(root, "overlay", &format!("{} is passed over: {reason}", path.display()));
            Self::default()
        })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let overlay: Self = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if overlay.version == VERSION { Ok(overlay) } else { Err(format!("version {}", overlay.version)) }
    }

    /// Writes it for this worktree; a file that already says so is left alone.
    pub fn write(&self, root: &Root) -> io::Result<()> {
        let path = Self::path(root);
        let bytes = serde_json::to_vec(self)?;
        match file::read(&path) {
            Ok(Some(old)) if old == bytes => Ok(()),
            _ => file::write_cache(&path, &bytes),
        }
    }

    pub fn changes(&self, pack: &PackName) -> Option<&PackChanges> {
        self.packs.get(pack)
    }
}

impl PackChanges {
    /// The lessons that count, given those of the working tree: in their order, the added ones behind them.
    pub fn lessons(&self, lessons: Vec<Lesson>) -> Vec<InForce> {
        let mut all: Vec<InForce> = lessons.into_iter().map(|lesson| InForce { lesson, pending: false }).collect();
        for change in &self.lessons {
            let at = all.iter().position(|one| one.lesson.id == change.id);
            let after = change.after.as_deref().map(Lesson::parse);
            match (at, &change.before, after) {
                (None, None, Some(Ok(lesson))) => all.push(InForce { lesson, pending: change.pending }),
                (Some(at), Some(before), after) if Lesson::parse(before).is_ok_and(|old| old.same_text(&all[at].lesson)) => {
                    match after {
                        Some(Ok(lesson)) => all[at] = InForce { lesson, pending: change.pending },
                        Some(Err(_)) => {}
                        None => {
                            all.remove(at);
                        }
                    }
                }
                _ => {}
            }
        }
        all
    }

    /// The guardrails that count, given those of the working tree (`None`: it has no such file).
    pub fn guardrails<'a>(&'a self, text: Option<&'a str>) -> Cow<'a, str> {
        let mut text = Cow::Borrowed(text.or(self.guardrails.as_deref()).unwrap_or_default());
        for change in &self.rules {
            if let Some(changed) = change.apply(&text) {
                text = Cow::Owned(changed);
            }
        }
        text
    }
}

impl RuleChange {
    /// The text with the change made; `None` where there is nothing to change.
    fn apply(&self, text: &str) -> Option<String> {
        let parsed = Guardrails::parse(text);
        let find = |rule: &str| {
            let words = rule_words(rule);
            parsed.rules().find(|(_, rule)| rule.words() == words).map(|(_, rule)| rule.range.clone())
        };
        let after = self.after.as_deref().map(|rule| {
            let mark = if self.pending { PENDING } else { "" };
            format!("{}{mark}", rule.trim_end())
        });
        let splice = |range: std::ops::Range<usize>, with: &str| format!("{}{with}{}", &text[..range.start], &text[range.end..]);
        match (&self.before, after) {
            (Some(before), Some(after)) => find(before).map(|range| splice(range, &after)),
            (Some(before), None) => find(before).map(|range| {
                let end = text[range.end..].find('\n').map_or(text.len(), |at| range.end + at + 1);
                splice(range.start..end, "")
            }),
            (None, Some(after)) => {
                let words = self.after.as_deref().map(rule_words);
                if parsed.rules().any(|(_, rule)| Some(rule.words()) == words) {
                    return None;
                }
                let section = parsed.sections.iter().find(|section| section.heading == self.section.as_deref());
                Some(match (section, &self.section) {
                    (Some(section), _) => {
                        let at = section
                            .rules
                            .last()
                            .map_or(section.range.start + section.text.trim_end().len(), |rule| rule.range.end);
                        let gap = if section.rules.is_empty() { "\n\n" } else { "\n" };
                        splice(at..at, &format!("{gap}{after}"))
                    }
                    (None, heading) => {
                        let body = text.trim_end();
                        let gap = if body.is_empty() { "" } else { "\n\n" };
                        let heading = heading.as_ref().map(|heading| format!("## {heading}\n\n")).unwrap_or_default();
                        format!("{body}{gap}{heading}{after}\n")
                    }
                })
            }
            (None, None) => None,
        }
    }
}

/// What a rule says, whatever its list mark and wrapping.
fn rule_words(rule: &str) -> String {
    let parsed = Guardrails::parse(rule);
    let words = parsed.rules().next().map(|(_, rule)| rule.words());
    words.unwrap_or_else(|| rule.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{LessonChange, Overlay, PackChanges, RuleChange};
    use crate::model::lesson::Lesson;
    use crate::model::pack::PackName;
    use crate::session::root::Root;

    fn line(id: u8, title: &str) -> String {
        format!(
            r#"{{"timestamp":"2026-11-29T10:15:00.000Z","category":"c","title":"{title}","description":"d","actionable":"a","id":"000000000{id}"}}"#
        )
    }

    fn lesson(id: u8, title: &str) -> Lesson {
        Lesson::parse(&line(id, title)).unwrap()
    }

    fn change(id: u8, before: Option<&str>, after: Option<&str>, pending: bool) -> LessonChange {
        let text = |title: Option<&str>| title.map(|title| line(id, title));
        LessonChange { id: lesson(id, "").id, before: text(before), after: text(after), pending }
    }

    fn titles(changes: Vec<LessonChange>, tree: &[(u8, &str)]) -> Vec<(String, bool)> {
        let changes = PackChanges { lessons: changes, ..PackChanges::default() };
        let lessons = tree.iter().map(|&(id, title)| lesson(id, title)).collect();
        changes.lessons(lessons).into_iter().map(|one| (one.lesson.title, one.pending)).collect()
    }

    #[test]
    fn changes_are_made_where_the_working_tree_still_has_what_they_replace() {
        let changes = || {
            vec![
                change(1, Some("one"), Some("ONE"), false),
                change(1, Some("ONE"), Some("One!"), true),
                change(2, Some("two"), None, false),
                change(3, None, Some("three"), true),
            ]
        };
        let told = |tree: &[(u8, &str)]| titles(changes(), tree);
        let say = |all: &[(&str, bool)]| all.iter().map(|&(title, pending)| (title.to_owned(), pending)).collect::<Vec<_>>();
        assert_eq!(told(&[(1, "one"), (2, "two")]), say(&[("One!", true), ("three", true)]));
        assert_eq!(told(&[(1, "mine"), (2, "mine too")]), say(&[("mine", false), ("mine too", false), ("three", true)]));
        assert_eq!(told(&[(3, "here already")]), say(&[("here already", false)]));
        assert_eq!(told(&[]), say(&[("three", true)]));
    }

    #[test]
    fn a_line_that_does_not_read_changes_nothing() {
        let mut broken = change(1, Some("one"), Some("ONE"), true);
        broken.after = Some("{".to_owned());
        assert_eq!(titles(vec![broken], &[(1, "one")]), [("one".to_owned(), false)]);
    }

    /// Section, before, after, pending.
    type Rule<'a> = (Option<&'a str>, Option<&'a str>, Option<&'a str>, bool);

    fn guardrails(text: Option<&str>, rules: &[Rule<'_>]) -> String {
        let own = |text: &Option<&str>| text.map(str::to_owned);
        let rules = rules.iter().map(|(section, before, after, pending)| RuleChange {
            section: own(section),
            before: own(before),
            after: own(after),
            pending: *pending,
        });
        let changes = PackChanges { rules: rules.collect(), guardrails: Some("whole\n".to_owned()), ..PackChanges::default() };
        changes.guardrails(text).into_owned()
    }

    const TEXT: &str = "# T\n\n## A\n\n- one\n  more\n- two\n\nprose\n\n## B\n\n- three\n";

    #[test]
    fn rules_come_and_go_in_their_section() {
        let told = guardrails(
            Some(TEXT),
            &[
                (Some("A"), None, Some("- new"), true),
                (Some("A"), Some("* one more"), None, false),
                (Some("B"), Some("- three"), Some("- 3"), false),
                (Some("C"), None, Some("- last"), false),
                (Some("B"), None, Some("- two"), false),
                (Some("B"), Some("- not there"), None, false),
            ],
        );
        assert_eq!(told, "# T\n\n## A\n\n- two\n- new (pending review)\n\nprose\n\n## B\n\n- 3\n\n## C\n\n- last\n");
    }

    #[test]
    fn a_new_pack_brings_its_whole_text_and_an_empty_section_takes_a_rule() {
        assert_eq!(guardrails(None, &[]), "whole\n");
        assert_eq!(guardrails(Some(""), &[(None, None, Some("- a"), false)]), "- a\n");
        assert_eq!(guardrails(Some("## A\n"), &[(Some("A"), None, Some("- a"), false)]), "## A\n\n- a\n");
    }

    #[test]
    fn a_broken_overlay_counts_as_none_and_is_logged() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root { work_tree: None, git_dir: dir.path().to_owned(), common_dir: dir.path().to_owned() };
        assert_eq!(Overlay::read(&root), Overlay::default());
        let mut overlay = Overlay { key: "k".to_owned(), ..Overlay::default() };
        let changes = PackChanges { lessons: vec![change(1, None, Some("one"), true)], ..PackChanges::default() };
        overlay.packs.insert(PackName::new("a").unwrap(), changes);
        overlay.write(&root).unwrap();
        assert_eq!(Overlay::read(&root), overlay);
        for broken in ["{\"version\":1,", "{\"version\":2}", "{\"version\":1,\"packs\":{\"../x\":{}}}"] {
            super::file::write_cache(&Overlay::path(&root), broken.as_bytes()).unwrap();
            assert_eq!(Overlay::read(&root), Overlay::default(), "{broken}");
        }
        assert_eq!(std::fs::read_to_string(super::log::path(&root)).unwrap().lines().count(), 3);
    }
}
