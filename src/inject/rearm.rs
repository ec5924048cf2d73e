//! What a correction brings back: the lessons and the section of the guardrails that are closest to what was said.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::PackText;
use super::choose::MAX_OF_A_PACK;
use super::item::{Key, Kind};
use super::sections::named;
use crate::model::words::{closeness, words};
use crate::score::lessons::Utility;

/// Three lessons and one section of the packs that have the correction's category, to be armed for the agent that was
/// corrected. The same input always gives the same output.
pub fn rearm(said: &str, category: &str, packs: &[PackText<'_>]) -> Vec<Key> {
    let said = words(said);
    let near = |text: &str| Near::new(&words(text), &said);
    let mut lessons = Vec::new();
    let mut sections = Vec::new();
    for pack in packs.iter().filter(|pack| pack.meta.categories.iter().any(|own| own == category)) {
        let key = |kind, name: &str| Key { kind, pack: pack.meta.name.clone(), name: name.to_owned() };
        for known in &pack.lessons {
            let lesson = known.candidate.lesson;
            let near = near(&format!("{} {} {}", lesson.title, lesson.actionable, lesson.description));
            let utility = Utility::combined(lesson, known.candidate.unrecorded);
            let age = (Reverse(utility), Reverse(lesson.instant()), &lesson.id);
            lessons.push((Reverse(near), age, key(Kind::Lesson, lesson.id.as_str())));
        }
        for (place, (name, text)) in named(pack.guardrails).into_iter().enumerate() {
            sections.push((Reverse(near(text)), place, key(Kind::Section, &name)));
        }
    }
    lessons.sort();
    sections.sort();
    let lessons = lessons.into_iter().take(MAX_OF_A_PACK).map(|(.., key)| key);
    lessons.chain(sections.into_iter().take(1).map(|(.., key)| key)).collect()
}

/// How near a text is to what was said: by shared words, then by how much of the text they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Near {
    shared: usize,
    /// In thousandths.
    close: u32,
}

impl Near {
    fn new(text: &BTreeSet<String>, said: &BTreeSet<String>) -> Self {
        Self { shared: text.intersection(said).count(), close: (closeness(text, said) * 1000.0) as u32 }
    }
}
