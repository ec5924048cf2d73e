//! The text for the files that an agent touches, with the items that are shown by it and those that are withheld.

use std::borrow::Cow;
use std::collections::HashSet;

use super::choose::choose;
use super::clean::units;
use super::frame::Frame;
use super::headline::announcement;
use super::item::{Item, Kind, Shown, Why, Withheld};
use super::room::{Filled, Wanted, guardrails_heading, lessons_heading, links};
use super::sections::unshown;
use super::{Budget, Occasion, PackText, Touched, left_out};
use crate::model::lesson::LessonId;
use crate::model::repo_path::RepoPath;

/// What to put into the context, and what that shows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Injection {
    /// Empty where there is nothing to show.
    pub text: String,
    /// In the order of the text; none twice. To be claimed before the text is printed.
    pub items: Vec<Item>,
    /// The rest of what the selected packs have, with reasons.
    pub withheld: Vec<Withheld>,
    /// What the person is told; `None` where there is nothing to show.
    pub announcement: Option<String>,
}

/// Composes the text for the files of one event, one block a file. Never longer than the budget; the same input always
/// gives the same output.
pub fn compose(touched: &[Touched<'_>], occasion: Occasion, shown: &Shown, budget: Budget) -> Injection {
    let why = if budget.agent_left < budget.injection { Why::AgentBudget } else { Why::NoRoom };
    let mut left = budget.limit();
    let mut shown = Cow::Borrowed(shown);
    let mut all = Injection::default();
    let mut files = Vec::new();
    let mut rules = 0;
    for (place, one) in touched.iter().enumerate() {
        let between = usize::from(!all.text.is_empty());
        let block = Block::new(one, occasion, &shown, left.saturating_sub(between), why);
        all.withheld.extend(block.withheld);
        if block.items.is_empty() {
            continue;
        }
        left -= between + units(&block.text);
        if between > 0 {
            all.text.push('\n');
        }
        all.text.push_str(&block.text);
        all.items.extend(block.items);
        files.push(one.file);
        rules += block.rules;
        if place + 1 < touched.len() {
            let shown = shown.to_mut();
            all.items.iter().for_each(|item| shown.add(item));
        }
    }
    drop_repeated(&mut all);
    all.announcement = announcement(&all.items, rules, &files);
    all
}

/// What one file has withheld and another has shown is not withheld; nothing is named twice.
fn drop_repeated(all: &mut Injection) {
    let shown: HashSet<(&str, Option<&str>, Option<&str>)> = all
        .items
        .iter()
        .filter_map(|item| match item.kind {
            Kind::Lesson => Some((item.pack.as_str(), Some(item.name.as_str()), None)),
            Kind::Section => Some((item.pack.as_str(), None, Some(item.name.as_str()))),
            Kind::Links => Some((item.pack.as_str(), None, None)),
            Kind::Part => None,
        })
        .collect();
    let mut seen = HashSet::new();
    all.withheld.retain(|one| {
        let key = (one.pack.as_str(), one.id.as_ref().map(LessonId::as_str), one.section.as_deref());
        !shown.contains(&key) && seen.insert((one.pack.clone(), one.id.clone(), one.section.clone()))
    });
}

/// The text for one file.
struct Block {
    text: String,
    items: Vec<Item>,
    rules: usize,
    withheld: Vec<Withheld>,
}

impl Block {
    fn new(touched: &Touched<'_>, occasion: Occasion, shown: &Shown, limit: usize, why: Why) -> Self {
        let frame = Frame::new(touched.file, occasion);
        let (wanted, mut withheld) = wanted(&touched.packs, touched.file, shown);
        let room = limit.saturating_sub(frame.units());
        let mut filled = wanted.fill(room, why);
        let mut last_line = None;
        if wanted.left_out(Some(&filled.withheld)).iter().any(|left| left.lessons > 0 || !left.sections.is_empty()) {
            // again, with room for the line that names it
            let reserve = left_out::reserve(&wanted.left_out(None), room / 4);
            filled = wanted.fill(room.saturating_sub(reserve + 2), why);
            last_line = left_out::line(&wanted.left_out(Some(&filled.withheld)), reserve);
        }
        withheld.append(&mut filled.withheld);
        let body = body(&touched.packs, &filled);
        let mut text = frame.open + &body;
        if let Some(line) = last_line {
            text.extend(["\n", &line, "\n"]);
        }
        text.push_str(&frame.close);
        let rules = filled.packs.iter().flat_map(|group| &group.guardrails).map(|(_, piece)| piece.rules).sum();
        let pieces = filled
            .packs
            .into_iter()
            .flat_map(|group| group.lessons.into_iter().chain(group.guardrails.into_iter().map(|(_, piece)| piece)));
        Self { text, items: pieces.flat_map(|piece| piece.items).collect(), rules, withheld }
    }
}

/// Everything that the packs still have for this agent, and what it already has.
fn wanted<'a, 'p>(packs: &'p [PackText<'a>], file: &RepoPath, shown: &Shown) -> (Wanted<'a, 'p>, Vec<Withheld>) {
    let (lessons, mut withheld) = choose(packs, file, shown);
    let (mut sections, mut all_links) = (Vec::new(), Vec::new());
    for (place, pack) in packs.iter().enumerate() {
        let name = &pack.meta.name;
        let (open, done) = unshown(name, pack.guardrails, shown);
        sections.extend(open.into_iter().map(|section| (place, section)));
        withheld.extend(done.into_iter().map(|section| Withheld {
            pack: name.clone(),
            id: None,
            section: Some(section),
            reason: Why::ShownBefore,
        }));
        all_links.extend(links(pack, shown).map(|(item, text)| (place, item, text)));
    }
    (Wanted { packs, lessons, sections, links: all_links }, withheld)
}

fn body(packs: &[PackText<'_>], filled: &Filled) -> String {
    let mut text = String::new();
    for (pack, group) in packs.iter().zip(&filled.packs) {
        if !group.lessons.is_empty() {
            text.push_str(&lessons_heading(pack));
        }
        for piece in &group.lessons {
            text.extend([&piece.text, "\n"]);
        }
        for (i, (_, piece)) in group.guardrails.iter().enumerate() {
            if i == 0 {
                text.push_str(&guardrails_heading(pack));
            } else {
                text.push('\n');
            }
            text.extend([&piece.text, "\n"]);
        }
    }
    text
}
