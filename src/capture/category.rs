//! Which pack a statement speaks to, and in which of its categories: by the words of the packs that exist, whoever
//! made them, and by the file at hand. No fit is an answer too.

use std::collections::{BTreeMap, BTreeSet};

use super::token::fold;
use crate::model::pack::{Pack, PackName};
use crate::model::repo_path::RepoPath;
use crate::model::words::words;

/// Where a statement belongs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Placement {
    pub category: Option<String>,
    pub pack: Option<PackName>,
}

/// Points for a word of the statement found in a place of the pack.
const CATEGORY: u32 = 12;
const KEYWORD: u32 = 8;
const TITLE: u32 = 4;
const RULE: u32 = 2;

/// Below this nothing fits.
const ENOUGH: u32 = 6;

/// Points for a pack that speaks for the file at hand.
const FILE: u32 = 3;

/// `selected` are the packs that were scored relevant for the file at hand, best first; `keywords` is the setting of the
/// same name: a word of the statement, and the categories that it speaks for.
pub fn categorise(
    text: &str,
    file: Option<&RepoPath>,
    packs: &[Pack],
    selected: &[PackName],
    keywords: &BTreeMap<String, Vec<String>>,
) -> Placement {
    let said = words(text);
    let folded = fold(text);
    let near = file.map(|file| words(file.as_str())).unwrap_or_default();
    let mut best: Option<(u32, Placement)> = None;
    for pack in packs {
        let (score, category) = fit(pack, &said, &folded, &near, keywords);
        let score = if score > 0 && selected.contains(pack.name()) { score + FILE } else { score };
        if score >= ENOUGH && best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, Placement { category, pack: Some(pack.name().clone()) }));
        }
    }
    best.map(|(_, placement)| placement).unwrap_or_default()
}

/// How well a pack fits, and its category that fits best.
fn fit(
    pack: &Pack,
    said: &BTreeSet<String>,
    folded: &str,
    near: &BTreeSet<String>,
    keywords: &BTreeMap<String, Vec<String>>,
) -> (u32, Option<String>) {
    let mut by_category: BTreeMap<&str, u32> = BTreeMap::new();
    for category in &pack.meta.categories {
        let parts = words(category);
        let hits = u32::try_from(parts.intersection(said).count()).unwrap_or(u32::MAX);
        let all = u32::try_from(parts.len().max(1)).unwrap_or(1);
        *by_category.entry(category).or_default() += CATEGORY * hits / all;
        let spoken = |word: &str| said.contains(word) || folded.contains(word) && !word.is_ascii();
        let speaks = keywords.iter().filter(|(word, of)| of.contains(category) && spoken(&fold(word))).count();
        *by_category.entry(category).or_default() += KEYWORD * u32::try_from(speaks.min(2)).unwrap_or(2);
    }
    let mut score = overlap(said, &words(pack.meta.name.as_str())) * CATEGORY / 2;
    for lesson in pack.lessons.lessons() {
        let title = overlap(said, &words(&lesson.title)) * TITLE + overlap(said, &words(&lesson.actionable)) * RULE;
        if title >= 2 * TITLE {
            if let Some(points) = by_category.get_mut(lesson.category.as_str()) {
                *points += title;
            }
            score = score.max(title);
        }
    }
    score += RULE * overlap(said, &words(&pack.guardrails)).min(6);
    if score > 0 {
        score += overlap(near, &words(pack.meta.name.as_str()));
    }
    let category = by_category.iter().max_by_key(|&(name, points)| (*points, std::cmp::Reverse(*name)));
    let top = category.map_or(0, |(_, points)| *points);
    let named = category.filter(|(_, points)| **points > 0).map(|(name, _)| (*name).to_owned());
    (score + top, named.or_else(|| pack.meta.categories.first().cloned()))
}

fn overlap(a: &BTreeSet<String>, b: &BTreeSet<String>) -> u32 {
    u32::try_from(a.intersection(b).count()).unwrap_or(u32::MAX)
}
