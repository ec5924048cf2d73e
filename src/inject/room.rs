//! What fits: lessons and guardrails put into a given room, half of which is kept for the guardrails.

use super::PackText;
use super::choose::Chosen;
use super::clean::{one_line, units};
use super::item::{Item, Kind, Shown, Why, Withheld, digest};
use super::left_out::LeftOut;
use super::sections::{Part, Section};

/// What there is to show of the selected packs.
pub(super) struct Wanted<'a, 'p> {
    pub packs: &'p [PackText<'a>],
    /// Best first.
    pub lessons: Vec<Chosen>,
    /// With the place of their pack, best pack first.
    pub sections: Vec<(usize, Section<'a>)>,
    /// With the place of their pack.
    pub links: Vec<(usize, Item, String)>,
}

/// What was put into the room, pack by pack.
#[derive(Debug, Default)]
pub(super) struct Filled {
    pub packs: Vec<Group>,
    pub used: usize,
    pub withheld: Vec<Withheld>,
}

/// One pack's share of the text.
#[derive(Debug, Default)]
pub(super) struct Group {
    pub lessons: Vec<Piece>,
    /// Sections with their place in the file.
    pub guardrails: Vec<(usize, Piece)>,
}

/// A stretch of the text, and the items that are shown by it.
#[derive(Debug)]
pub(super) struct Piece {
    pub text: String,
    pub items: Vec<Item>,
    pub rules: usize,
}

pub(super) fn lessons_heading(pack: &PackText<'_>) -> String {
    format!("\n[{}] lessons\n", pack.meta.name)
}

pub(super) fn guardrails_heading(pack: &PackText<'_>) -> String {
    format!("\n[{}] guardrails\n", pack.meta.name)
}

impl Wanted<'_, '_> {
    /// Fills `room`; what finds none is withheld for the reason given.
    pub(super) fn fill(&self, room: usize, why: Why) -> Filled {
        let mut filled = Filled { packs: self.packs.iter().map(|_| Group::default()).collect(), ..Filled::default() };
        // what is larger than this never fits beside the other half
        let share = room / 2;
        let mut needed = 0;
        let mut before = None;
        for (place, section) in &self.sections {
            let first = before.replace(*place) != Some(*place);
            needed += section.units + 1 + if first { units(&guardrails_heading(&self.packs[*place])) } else { 1 };
        }
        let for_lessons = room - needed.min(share);
        for one in &self.lessons {
            let heading = units(&lessons_heading(&self.packs[one.pack]));
            let group = &mut filled.packs[one.pack];
            let head = if group.lessons.is_empty() { heading } else { 0 };
            match one.line(share.saturating_sub(heading + 1)).filter(|line| filled.used + head + units(line) < for_lessons) {
                Some(text) => {
                    filled.used += head + units(&text) + 1;
                    group.lessons.push(Piece { text, items: vec![one.item.clone()], rules: 0 });
                }
                None => filled.withheld.push(one.withheld(why)),
            }
        }
        let mut in_order: Vec<usize> = (0..self.sections.len()).collect();
        in_order.sort_by_key(|&at| !self.sections[at].1.armed);
        for at in in_order {
            let (place, section) = &self.sections[at];
            let head = filled.head_of_section(&self.packs[*place], *place);
            let left = (room - filled.used).saturating_sub(head);
            let oversized = section.units >= share.saturating_sub(units(&guardrails_heading(&self.packs[*place])));
            let piece = if section.units < left {
                Some(Piece { text: section.text.clone(), items: vec![section.item.clone()], rules: section.rules })
            } else if oversized {
                split(section, left)
            } else {
                None
            };
            if piece.as_ref().is_none_or(|piece| piece.items[0].kind != Kind::Section) {
                let section = Some(section.item.name.clone());
                filled.withheld.push(Withheld { pack: self.packs[*place].meta.name.clone(), id: None, section, reason: why });
            }
            if let Some(piece) = piece {
                filled.used += head + units(&piece.text) + 1;
                filled.packs[*place].guardrails.push((at, piece));
            }
        }
        for group in &mut filled.packs {
            group.guardrails.sort_by_key(|(at, _)| *at);
        }
        for (place, item, text) in &self.links {
            let head = filled.head_of_section(&self.packs[*place], *place);
            if filled.used + head + units(text) < room {
                filled.used += head + units(text) + 1;
                let piece = Piece { text: text.clone(), items: vec![item.clone()], rules: 0 };
                filled.packs[*place].guardrails.push((usize::MAX, piece));
            } else {
                filled.withheld.push(Withheld { pack: item.pack.clone(), id: None, section: None, reason: why });
            }
        }
        filled
    }

    /// What of each pack was withheld from the text, or everything of it.
    pub(super) fn left_out<'s>(&'s self, withheld: Option<&'s [Withheld]>) -> Vec<LeftOut<'s>> {
        let mut left: Vec<LeftOut<'_>> =
            self.packs.iter().map(|pack| LeftOut { pack: &pack.meta.name, lessons: 0, sections: Vec::new() }).collect();
        match withheld {
            None => {
                self.lessons.iter().for_each(|one| left[one.pack].lessons += 1);
                self.sections.iter().for_each(|(place, section)| left[*place].sections.push(&section.item.name));
            }
            Some(withheld) => {
                for one in withheld {
                    let Some(pack) = left.iter_mut().find(|left| *left.pack == one.pack) else { continue };
                    pack.lessons += usize::from(one.id.is_some());
                    pack.sections.extend(one.section.as_deref());
                }
            }
        }
        left
    }
}

impl Filled {
    /// What the next piece of a pack's guardrails costs beside its text.
    fn head_of_section(&self, pack: &PackText<'_>, place: usize) -> usize {
        if self.packs[place].guardrails.is_empty() { units(&guardrails_heading(pack)) } else { 1 }
    }
}

/// As many of a section's parts as fit, in their order; one that is too long by itself is passed over.
fn split(section: &Section<'_>, left: usize) -> Option<Piece> {
    let parts = section.parts();
    let count = parts.len();
    let mut taken: Vec<Part> = Vec::new();
    let mut used = units(&section.show(&[]));
    for part in parts {
        let more = units(&part.text) + 1;
        if used + more <= left {
            used += more;
            taken.push(part);
        }
    }
    let text = section.show(&taken);
    let rules = taken.iter().map(|part| part.rules).sum();
    let all = taken.len() == count;
    let items = if all { vec![section.item.clone()] } else { taken.into_iter().map(|part| part.item).collect() };
    (!items.is_empty()).then_some(Piece { text, items, rules })
}

/// The pack's links as the item that closes its guardrails.
pub(super) fn links(pack: &PackText<'_>, shown: &Shown) -> Option<(Item, String)> {
    let links: Vec<String> =
        pack.meta.references.doc_links.iter().map(|link| one_line(link)).filter(|link| !link.is_empty()).collect();
    let text = format!("See also: {}", links.join(", "));
    let item = Item { kind: Kind::Links, pack: pack.meta.name.clone(), name: String::new(), hash: digest(&[&text]) };
    (!links.is_empty() && !shown.has(&item)).then_some((item, text))
}
