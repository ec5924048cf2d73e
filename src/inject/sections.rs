//! A pack's guardrails as what can be shown: whole sections, and the parts of one that is too long.

use std::collections::HashMap;

use super::clean::{clean, units};
use super::item::{Item, Kind, Shown, digest};
use crate::model::guardrails::Guardrails;
use crate::model::pack::PackName;

/// A section that is still to be shown, or what is left of it.
#[derive(Clone, Debug)]
pub(super) struct Section<'a> {
    /// The whole of it.
    pub item: Item,
    /// What is left to show, with its heading.
    pub text: String,
    /// Of `text`.
    pub units: usize,
    pub rules: usize,
    pub armed: bool,
    heading: &'a str,
    /// What is left of it, where a part was shown before.
    rest: Option<Vec<Part>>,
}

impl Section<'_> {
    /// What is left to show, item by item.
    pub fn parts(&self) -> Vec<Part> {
        self.rest.clone().unwrap_or_else(|| parts(&self.item, &self.text))
    }

    /// Some of its parts, under its heading.
    pub fn show(&self, parts: &[Part]) -> String {
        match self.rest {
            Some(_) => continuation(self.heading, parts),
            None => join(parts),
        }
    }
}

#[derive(Clone, Debug)]
pub(super) struct Part {
    pub item: Item,
    pub text: String,
    pub rules: usize,
}

/// A section as the file has it.
#[derive(Clone, Debug)]
struct Raw<'a> {
    heading: &'a str,
    /// The heading, with a number where it is not the first of that name; empty for what stands before the first one.
    name: String,
    text: &'a str,
}

/// The sections that are still to be shown to an agent, and the names of those that are not.
pub(super) fn unshown<'a>(pack: &PackName, guardrails: &'a str, shown: &Shown) -> (Vec<Section<'a>>, Vec<String>) {
    let (mut open, mut done) = (Vec::new(), Vec::new());
    let in_parts = shown.count(Kind::Part, pack) > 0;
    for raw in raw_sections(guardrails) {
        let hash = digest(&[raw.text]);
        let item = Item { kind: Kind::Section, pack: pack.clone(), name: raw.name.clone(), hash };
        if shown.has(&item) {
            done.push(raw.name);
            continue;
        }
        let text = clean(raw.text).trim().to_owned();
        let armed = shown.is_armed(Kind::Section, pack, &item.name);
        let rest = (in_parts && !armed).then(|| {
            let mut all = parts(&item, &text);
            let count = all.len();
            all.retain(|part| !shown.has(&part.item));
            (all.len() < count).then_some(all)
        });
        let (text, rules, rest) = match rest.flatten() {
            Some(rest) if rest.is_empty() => {
                done.push(raw.name);
                continue;
            }
            Some(rest) => (continuation(raw.heading, &rest), rest.iter().map(|part| part.rules).sum(), Some(rest)),
            None => {
                let rules = Guardrails::parse(&text).rules().count();
                (text, rules, None)
            }
        };
        open.push(Section { item, units: units(&text), text, rules, armed, heading: raw.heading, rest });
    }
    (open, done)
}

/// Every section's name and its words' text: to find the one that is closest to something.
pub(super) fn named(guardrails: &str) -> Vec<(String, &str)> {
    raw_sections(guardrails).into_iter().map(|raw| (raw.name, raw.text)).collect()
}

/// Parts under the heading that they belong to.
fn continuation(heading: &str, parts: &[Part]) -> String {
    let heading = if heading.is_empty() { String::new() } else { format!("## {} (continued)\n", clean(heading)) };
    heading + &join(parts)
}

/// Parts as they stand one below the other.
fn join(parts: &[Part]) -> String {
    parts.iter().map(|part| part.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn raw_sections(guardrails: &str) -> Vec<Raw<'_>> {
    let parsed = Guardrails::parse(guardrails);
    let mut raws: Vec<Raw<'_>> = Vec::new();
    let mut seen: HashMap<&str, usize> = HashMap::new();
    // a title alone says nothing: it goes along with the first section
    let mut title_at = None;
    for section in &parsed.sections {
        let heading = section.heading.unwrap_or_default();
        if section.heading.is_none() && section.text.lines().all(|line| line.trim().is_empty() || line.starts_with("# ")) {
            title_at = Some(section.range.start);
            continue;
        }
        let start = title_at.take().unwrap_or(section.range.start);
        let count = seen.entry(heading).or_default();
        *count += 1;
        raws.push(Raw {
            heading,
            name: if *count == 1 { heading.to_owned() } else { format!("{heading} #{count}") },
            text: &guardrails[start..section.range.end],
        });
    }
    raws
}

/// List items and paragraphs of a section's clean text. A heading stays with what follows it, a fenced block is never
/// taken apart.
fn parts(section: &Item, text: &str) -> Vec<Part> {
    let rules: Vec<usize> = Guardrails::parse(text).rules().map(|(_, rule)| rule.range.start).collect();
    let mut starts = vec![0];
    let mut at = 0;
    let mut after_blank = false;
    let mut only_headings = true;
    let mut fence: Option<char> = None;
    let mut next_rule = rules.iter().peekable();
    for line in text.split_inclusive('\n') {
        let words = line.trim();
        let is_rule = next_rule.next_if_eq(&&at).is_some();
        let begins = is_rule || (after_blank && fence.is_none() && !line.starts_with([' ', '\t']) && !words.is_empty());
        if begins && !only_headings {
            starts.push(at);
            only_headings = true;
        }
        let mark = ['`', '~'].into_iter().find(|&mark| words.len() >= 3 && words.chars().take(3).all(|char| char == mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        only_headings &= words.is_empty() || (words.starts_with('#') && fence.is_none() && mark.is_none());
        after_blank = words.is_empty();
        at += line.len();
    }
    starts.push(text.len());
    let mut seen: HashMap<String, usize> = HashMap::new();
    starts
        .windows(2)
        .filter_map(|bounds| {
            let text = text[bounds[0]..bounds[1]].trim_end();
            let hash = digest(&[text]);
            // the same words twice in one section are two parts
            let count = seen.entry(hash.clone()).or_default();
            *count += 1;
            let nth = if *count == 1 { String::new() } else { format!(" #{count}") };
            let before = |end: usize| rules.partition_point(|&rule| rule < end);
            let name = format!("{}/{hash}{nth}", section.name);
            let item = Item { kind: Kind::Part, pack: section.pack.clone(), name, hash };
            let text = text.trim_start_matches('\n').to_owned();
            (!text.trim().is_empty()).then_some(Part { item, text, rules: before(bounds[1]) - before(bounds[0]) })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "# Title\n\n## One\n\nProse first.\n\n- Rule a\n  goes on\n- Rule b\n\n  ```\n  x\n\ny\n  ```\n\nMore prose,\ntwo lines.\n\n### Below\n- Rule c\n\n## Two\n- Rule\n## Two\n- Rule\n";

    fn pack() -> PackName {
        PackName::new("p").unwrap()
    }

    #[test]
    fn a_section_falls_into_items_and_paragraphs() {
        let (open, done) = unshown(&pack(), TEXT, &Shown::default());
        assert!(done.is_empty());
        let names: Vec<_> = open.iter().map(|section| (section.item.name.as_str(), section.rules)).collect();
        assert_eq!(names, [("One", 3), ("Two", 1), ("Two #2", 1)]);
        let texts: Vec<_> = open[0].parts().into_iter().map(|part| part.text).collect();
        assert_eq!(
            texts,
            [
                "# Title\n\n## One\n\nProse first.",
                "- Rule a\n  goes on",
                "- Rule b\n\n  ```\n  x\n\ny\n  ```",
                "More prose,\ntwo lines.",
                "### Below\n- Rule c",
            ]
        );
    }

    #[test]
    fn what_was_shown_in_parts_goes_on_under_its_heading() {
        let mut shown = Shown::default();
        let (open, _) = unshown(&pack(), TEXT, &shown);
        for part in &open[0].parts()[..4] {
            shown.add(&part.item);
        }
        let (open, _) = unshown(&pack(), TEXT, &shown);
        assert_eq!((open[0].text.as_str(), open[0].rules), ("## One (continued)\n### Below\n- Rule c", 1));
        shown.add(&open[0].parts()[0].item);
        let (_, done) = unshown(&pack(), TEXT, &shown);
        assert_eq!(done, ["One"]);
        // a changed rule comes alone, an armed section comes whole
        let changed = TEXT.replace("Rule c", "Rule d");
        let (open, _) = unshown(&pack(), &changed, &shown);
        assert_eq!(open[0].text, "## One (continued)\n### Below\n- Rule d");
        shown.arm(open[0].item.key());
        let (open, _) = unshown(&pack(), TEXT, &shown);
        assert_eq!((open[0].rest.is_none(), open[0].rules), (true, 3));
    }

    #[test]
    fn a_title_alone_is_nothing_to_show() {
        assert!(raw_sections("# Title\n\n").is_empty());
        assert_eq!(raw_sections("# Title\n\nIntro.\n").len(), 1);
    }
}
