//! Which lessons of the selected packs are to be shown for a file: the best of each pack, and of those the best.
//! Whether they fit is `room`'s.

use super::clean::{clean, head, units, whole_sentences};
use super::item::{Item, Kind, Shown, Why, Withheld};
use super::{Known, PackText};
use crate::model::config::HARD_MAX_CHARS;
use crate::model::lesson::LessonId;
use crate::model::pack::PackName;
use crate::model::repo_path::RepoPath;
use crate::score::lessons::{Candidate, Ranked, rank};

/// Lessons of one pack in an injection, at most.
pub const MAX_OF_A_PACK: usize = 3;
/// Lessons of all packs in an injection, at most.
pub const MAX_LESSONS: usize = 10;

/// A lesson that is to be shown.
#[derive(Clone, Debug)]
pub(super) struct Chosen {
    /// The place of its pack.
    pub pack: usize,
    pub item: Item,
    id: LessonId,
    /// Title and instruction, clean.
    text: String,
    pending: bool,
}

/// Best first. What is not chosen is named with the reason.
pub(super) fn choose(packs: &[PackText<'_>], file: &RepoPath, shown: &Shown) -> (Vec<Chosen>, Vec<Withheld>) {
    let (mut chosen, mut withheld) = (Vec::new(), Vec::new());
    for (place, pack) in packs.iter().enumerate() {
        let name = &pack.meta.name;
        let candidates: Vec<Candidate<'_>> = pack.lessons.iter().map(|known| known.candidate).collect();
        let armed = |ranked: &Ranked| shown.is_armed(Kind::Lesson, name, candidates[ranked.index].lesson.id.as_str());
        let mut ranked = rank(&candidates, file);
        ranked.sort_by_key(|one| !armed(one));
        let mut before = shown.count(Kind::Lesson, name);
        let mut taken = 0;
        for one in ranked {
            let known = &pack.lessons[one.index];
            let id = &known.candidate.lesson.id;
            let armed = armed(&one);
            let old = shown.hash(Kind::Lesson, name, id.as_str());
            let again = armed || old.is_some();
            let reason = if one.standing.is_kept_back() {
                Why::OtherPaths
            } else if !armed && old.is_some_and(|old| *old == item(name, known).hash) {
                Why::ShownBefore
            } else if taken == MAX_OF_A_PACK {
                Why::Outranked
            } else if !again && !one.standing.is_close() && before >= MAX_OF_A_PACK {
                Why::NotClose
            } else {
                taken += 1;
                before += usize::from(!again);
                chosen.push((one.standing, place, armed, known));
                continue;
            };
            withheld.push(Withheld { pack: name.clone(), id: Some(id.clone()), section: None, reason });
        }
    }
    chosen.sort_by(|a, b| (!a.2, &a.0, a.1).cmp(&(!b.2, &b.0, b.1)));
    let rest = chosen.split_off(chosen.len().min(MAX_LESSONS));
    withheld.extend(rest.into_iter().map(|(_, place, _, known)| Withheld {
        pack: packs[place].meta.name.clone(),
        id: Some(known.candidate.lesson.id.clone()),
        section: None,
        reason: Why::Outranked,
    }));
    let chosen = chosen.into_iter().map(|(_, place, _, known)| Chosen::new(place, &packs[place].meta.name, known));
    (chosen.collect(), withheld)
}

fn item(pack: &PackName, known: &Known<'_>) -> Item {
    let lesson = known.candidate.lesson;
    Item::lesson(pack, &lesson.id, &[&lesson.title, &lesson.actionable, &lesson.description])
}

impl Chosen {
    fn new(pack: usize, name: &PackName, known: &Known<'_>) -> Self {
        // no more than this is ever shown, whatever the file holds
        let head = |text| head(text, 4 * HARD_MAX_CHARS).trim();
        let lesson = known.candidate.lesson;
        let title = head(&lesson.title);
        let body = match head(&lesson.actionable) {
            "" => head(&lesson.description),
            body => body,
        };
        let between = if title.is_empty() || body.is_empty() { "" } else { ": " };
        let text = clean(&format!("{title}{between}{body}")).trim().replace('\n', "\n  ");
        Self { pack, item: item(name, known), id: lesson.id.clone(), text, pending: known.pending }
    }

    pub(super) fn withheld(&self, reason: Why) -> Withheld {
        Withheld { pack: self.item.pack.clone(), id: Some(self.id.clone()), section: None, reason }
    }

    /// The lesson as a list item. One that is longer than `share`, and so would never fit, loses its last sentences.
    pub(super) fn line(&self, share: usize) -> Option<String> {
        const MORE: &str = " […]";
        let pending = if self.pending { " (pending review)" } else { "" };
        let line = |text: &str, more: &str| format!("- {text}{more} ({}){pending}", self.id);
        let whole = line(&self.text, "");
        if units(&whole) <= share {
            return Some(whole);
        }
        let room = share.checked_sub(units(&line("", MORE)))?;
        whole_sentences(&self.text, room).map(|text| line(text, MORE))
    }
}
