//! Rules of `guardrails.md` that were added, removed or reworded.

use crate::model::guardrails::Guardrails;
use crate::model::pack::PackName;
use crate::model::words::{closeness, words};

/// Both sides of a rule: added where there is no `before`, removed where there is no `after`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleChange {
    pub pack: PackName,
    pub before: Option<RuleText>,
    pub after: Option<RuleText>,
}

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct RuleText {
    /// The `##` heading that it stands under.
    pub heading: Option<String>,
    /// The list item as it stands in the file.
    pub raw: String,
    /// The item's words alone.
    pub words: String,
}

/// From this closeness on, two rules are one rule in two wordings.
const REWORDED: f64 = 0.5;

/// The changes in order of the file after them; what is gone comes last. Line ends and the place of a rule in its
/// section are no change.
pub(super) fn between(pack: &PackName, before: &str, after: &str) -> Vec<RuleChange> {
    let (mut gone, mut new) = (read(before), read(after));
    drop_common(&mut gone, &mut new);
    let mut pairs: Vec<(f64, usize, usize)> = Vec::new();
    let bags = |rules: &[RuleText]| rules.iter().map(|rule| words(&rule.words)).collect::<Vec<_>>();
    let (gone_bags, new_bags) = (bags(&gone), bags(&new));
    for (n, new_bag) in new_bags.iter().enumerate() {
        for (g, gone_bag) in gone_bags.iter().enumerate() {
            let moved = gone[g].words == new[n].words;
            let close = if moved { 2.0 } else { closeness(gone_bag, new_bag) };
            if close >= REWORDED {
                pairs.push((close, n, g));
            }
        }
    }
    pairs.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut before_of: Vec<Option<usize>> = vec![None; new.len()];
    let mut taken = vec![false; gone.len()];
    for (_, n, g) in pairs {
        if before_of[n].is_none() && !taken[g] {
            before_of[n] = Some(g);
            taken[g] = true;
        }
    }
    let change = |before, after| RuleChange { pack: pack.clone(), before, after };
    let mut changes: Vec<RuleChange> =
        new.into_iter().zip(before_of).map(|(rule, g)| change(g.map(|g| gone[g].clone()), Some(rule))).collect();
    changes.extend(gone.into_iter().zip(taken).filter(|(_, taken)| !taken).map(|(rule, _)| change(Some(rule), None)));
    changes
}

/// Whether anything but rules is different: headings, introductions, prose.
pub(super) fn prose_differs(before: &str, after: &str) -> bool {
    prose(before) != prose(after)
}

fn read(text: &str) -> Vec<RuleText> {
    let rules = Guardrails::parse(text);
    rules
        .rules()
        .map(|(section, rule)| RuleText {
            heading: section.heading.map(str::to_owned),
            raw: rule.raw.replace("\r\n", "\n"),
            words: rule.words(),
        })
        .collect()
}

/// Takes out what both have, each as often as both have it.
fn drop_common(gone: &mut Vec<RuleText>, new: &mut Vec<RuleText>) {
    let mut count = std::collections::HashMap::new();
    for rule in new.iter() {
        *count.entry((rule.heading.clone(), rule.raw.clone())).or_insert(0_usize) += 1;
    }
    let mut kept = count.clone();
    gone.retain(|rule| match count.get_mut(&(rule.heading.clone(), rule.raw.clone())) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
    for (rule, left) in &mut kept {
        *left -= count[rule];
    }
    new.retain(|rule| match kept.get_mut(&(rule.heading.clone(), rule.raw.clone())) {
        Some(left) if *left > 0 => {
            *left -= 1;
            false
        }
        _ => true,
    });
}

fn prose(text: &str) -> Vec<String> {
    let parsed = Guardrails::parse(text);
    let mut rest = String::new();
    let mut at = 0;
    for (_, rule) in parsed.rules() {
        rest.push_str(&text[at..rule.range.start]);
        at = rule.range.end;
    }
    rest.push_str(&text[at..]);
    rest.lines().map(str::trim_end).filter(|line| !line.is_empty()).map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use super::{between, prose_differs};
    use crate::model::pack::PackName;

    type Said = (Option<String>, Option<String>);

    fn said(before: &str, after: &str) -> Vec<Said> {
        let pack = PackName::new("a").expect("valid");
        let text = |rule: super::RuleText| format!("{}: {}", rule.heading.unwrap_or_default(), rule.words);
        between(&pack, before, after).into_iter().map(|change| (change.before.map(text), change.after.map(text))).collect()
    }

    fn some(text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    #[test]
    fn rules_are_added_removed_reworded_and_moved() {
        let before = "## One\n- Use tabs in Go\n- Validate inputs early\n- Gone for good\n- Same\n- Same\n";
        let after = "## One\r\n- Same\r\n- New thing entirely\r\n- Validate all inputs early\r\n## Two\r\n- Use tabs in Go\r\n";
        assert_eq!(
            said(before, after),
            [
                (None, some("One: New thing entirely")),
                (some("One: Validate inputs early"), some("One: Validate all inputs early")),
                (some("One: Use tabs in Go"), some("Two: Use tabs in Go")),
                (some("One: Gone for good"), None),
                (some("One: Same"), None),
            ]
        );
        assert!(prose_differs(before, after));
    }

    #[test]
    fn prose_is_told_from_rules() {
        assert!(!prose_differs("## One\n- a\n", "## One\r\n\r\n- b\n- c\n"));
        assert!(prose_differs("## One\n- a\n", "## One\nAlways.\n\n- a\n"));
        assert!(said("# T\nx\n- a\n", "# T\ny\n- a\n").is_empty());
    }
}
