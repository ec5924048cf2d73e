//! Which lessons of the selected packs are to be shown for a file: the best of each pack, and of those the best.
//! Whether they fit is `room`'s.

use super::clean::{clean, head, units, whole_sentences};
use super::item::{Item, Shown, Why, Withheld};
use super::{Known, PackText};
use crate::model::config::HARD_MAX_CHARS;
use crate::model::repo_path::RepoPath;
use crate::score::lessons::{Candidate, Standing, rank};

/// Lessons of one pack in an injection, at most.
pub const MAX_OF_A_PACK: usize = 3;
/// Lessons of all packs in an injection, at most.
pub const MAX_LESSONS: usize = 10;

/// A lesson that is to be shown.
#[derive(Clone, Debug)]
pub(super) struct Chosen<'a> {
    /// The place of its pack.
    pub pack: usize,
    pub known: Known<'a>,
    pub item: Item,
    armed: bool,
    standing: Standing,
}

/// Best first. What is not chosen is named with the reason.
pub(super) fn choose<'a>(packs: &[PackText<'a>], file: &RepoPath, shown: &Shown) -> (Vec<Chosen<'a>>, Vec<Withheld>) {
    let (mut chosen, mut withheld) = (Vec::new(), Vec::new());
    for (place, pack) in packs.iter().enumerate() {
        let candidates: Vec<Candidate<'_>> = pack.lessons.iter().map(|known| known.candidate).collect();
        let mut before = shown.lessons_of(&pack.meta.name);
        let mut ranked: Vec<Chosen<'_>> = rank(&candidates, file)
            .into_iter()
            .map(|ranked| {
                let known = pack.lessons[ranked.index];
                let item = item(pack, &known);
                let armed = shown.is_armed(&item);
                Chosen { pack: place, known, item, armed, standing: ranked.standing }
            })
            .collect();
        ranked.sort_by_key(|one| !one.armed);
        let mut taken = 0;
        for one in ranked {
            let again = one.armed || shown.knows(&one.item);
            let reason = if one.standing.is_kept_back() {
                Why::OtherPaths
            } else if shown.has(&one.item) {
                Why::ShownBefore
            } else if taken == MAX_OF_A_PACK {
                Why::Outranked
            } else if !again && !one.standing.is_close() && before >= MAX_OF_A_PACK {
                Why::NotClose
            } else {
                taken += 1;
                before += usize::from(!again);
                chosen.push(one);
                continue;
            };
            withheld.push(one.withheld(reason));
        }
    }
    chosen.sort_by(|a, b| (!a.armed, &a.standing, a.pack).cmp(&(!b.armed, &b.standing, b.pack)));
    if chosen.len() > MAX_LESSONS {
        withheld.extend(chosen.drain(MAX_LESSONS..).map(|one| one.withheld(Why::Outranked)));
    }
    (chosen, withheld)
}

fn item(pack: &PackText<'_>, known: &Known<'_>) -> Item {
    let lesson = known.candidate.lesson;
    Item::lesson(&pack.meta.name, &lesson.id, &[&lesson.title, &lesson.actionable, &lesson.description])
}

impl Chosen<'_> {
    pub(super) fn withheld(&self, reason: Why) -> Withheld {
        let id = Some(self.known.candidate.lesson.id.clone());
        Withheld { pack: self.item.pack.clone(), id, section: None, reason }
    }

    /// The lesson as a list item. One that is longer than `share`, and so would never fit, loses its last sentences.
    pub(super) fn line(&self, share: usize) -> Option<String> {
        const MORE: &str = " […]";
        // no more than this is ever shown, whatever the file holds
        let head = |text| head(text, 4 * HARD_MAX_CHARS).trim();
        let lesson = self.known.candidate.lesson;
        let title = head(&lesson.title);
        let body = match head(&lesson.actionable) {
            "" => head(&lesson.description),
            body => body,
        };
        let between = if title.is_empty() || body.is_empty() { "" } else { ": " };
        let text = format!("{title}{between}{body}");
        let text = clean(&text).trim().replace('\n', "\n  ");
        let pending = if self.known.pending { " (pending review)" } else { "" };
        let line = |text: &str, more: &str| format!("- {text}{more} ({}){pending}", lesson.id);
        let whole = line(&text, "");
        if units(&whole) <= share {
            return Some(whole);
        }
        let room = share.checked_sub(units(&line("", MORE)))?;
        whole_sentences(&text, room).map(|text| line(text, MORE))
    }
}
