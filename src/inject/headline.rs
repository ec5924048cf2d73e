//! Two lines of talk: what the person is told of an injection, and what an agent is told when a session starts.

use super::clean::{TAG, clean_path, one_line, units};
use super::item::{Item, Kind};
use crate::model::pack::{PACKS_DIR, PackMeta, PackName};
use crate::model::plural::count;
use crate::model::repo_path::RepoPath;
use crate::model::visible;

/// UTF-16 units that a session's first text has at most.
pub const MAX_HEADLINE: usize = 1_500;

/// `marvel: security, 5 rules and 2 lessons for src/auth/login.ts`
pub(super) fn announcement(items: &[Item], rules: usize, files: &[&RepoPath]) -> Option<String> {
    let (first, more) = files.split_first()?;
    let mut packs: Vec<&str> = Vec::new();
    for item in items {
        if !packs.contains(&item.pack.as_str()) {
            packs.push(item.pack.as_str());
        }
    }
    let lessons = items.iter().filter(|item| item.kind == Kind::Lesson).count();
    let prose = items.iter().any(|item| matches!(item.kind, Kind::Section | Kind::Part));
    let mut what = Vec::new();
    if rules > 0 {
        what.push(count(rules, "rule"));
    } else if prose {
        what.push("guardrails".to_owned());
    }
    if lessons > 0 {
        what.push(count(lessons, "lesson"));
    }
    if what.is_empty() {
        what.push("links".to_owned());
    }
    let name = visible::escape(first.as_str()).replace(['\n', '\t'], " ");
    let files = if more.is_empty() { name } else { format!("{name} and {}", count(more.len(), "more file")) };
    Some(format!("marvel: {}, {} for {files}", packs.join(", "), what.join(" and ")))
}

/// What an agent is told first: which packs there are, and which of them the files changed in the working tree call
/// for (`called`, best first). Empty where there are no packs.
pub fn session_start(packs: &[&PackMeta], called: &[(&PackName, Vec<&RepoPath>)]) -> String {
    if packs.is_empty() {
        return String::new();
    }
    let open = format!(
        "<{TAG}>\nThis repository's team keeps its conventions in {PACKS_DIR}. Those that apply to a file arrive when it is read or edited.\n"
    );
    let close = format!("</{TAG}>");
    let mut left = MAX_HEADLINE - units(&open) - units(&close);
    // what the work at hand calls for may take half, and the list of packs what remains
    let calls: Vec<String> = called
        .iter()
        .filter_map(|(pack, files)| {
            let (first, more) = files.split_first()?;
            let more = if more.is_empty() { String::new() } else { format!(" and {} more", more.len()) };
            Some(format!("- {pack}: {}{more}", clean_path(first.as_str())))
        })
        .collect();
    let calls = list("\nThe files changed in the working tree call for:\n", &calls, left / 2);
    left -= units(&calls);
    let mut sorted = packs.to_vec();
    sorted.sort_by(|a, b| a.name.cmp(&b.name));
    let all: Vec<String> = sorted
        .iter()
        .map(|pack| match pack.description.as_deref().map(one_line) {
            Some(text) if !text.is_empty() && units(&text) <= 160 => format!("- {}: {text}", pack.name),
            _ => format!("- {}", pack.name),
        })
        .collect();
    let packs = list("\nPacks:\n", &all, left);
    open + &packs + &calls + &close
}

/// As many lines as `room` allows, and how many more there are; nothing where not even the first one fits.
fn list(heading: &str, lines: &[String], room: usize) -> String {
    let mut text = heading.to_owned();
    let mut left = room.saturating_sub(units(heading));
    for (i, line) in lines.iter().enumerate() {
        let rest = lines.len() - i;
        let more = format!("- and {rest} more\n");
        let after = if rest == 1 { 0 } else { units(&more) };
        if units(line) + 1 + after > left {
            if i == 0 || units(&more) > left {
                return if i == 0 { String::new() } else { text };
            }
            return text + &more;
        }
        left -= units(line) + 1;
        text.extend([line, "\n"]);
    }
    if lines.is_empty() { String::new() } else { text }
}

#[cfg(test)]
mod tests {
    use super::{MAX_HEADLINE, session_start};
    use crate::inject::units;
    use crate::model::pack::{PackMeta, PackName};
    use crate::model::repo_path::RepoPath;

    fn meta(name: &str, description: Option<&str>) -> PackMeta {
        let mut meta = PackMeta::minimal(PackName::new(name).unwrap(), "team");
        meta.description = description.map(str::to_owned);
        meta
    }

    #[test]
    fn packs_are_named_and_those_that_the_changed_files_call_for() {
        let packs = [meta("testing", None), meta("security", Some("Who may do\n what."))];
        let files = [RepoPath::new("src/a.ts").unwrap(), RepoPath::new("src/b.ts").unwrap()];
        let called = [(&packs[1].name, files.iter().collect()), (&packs[0].name, vec![])];
        let text = session_start(&packs.iter().collect::<Vec<_>>(), &called);
        assert_eq!(
            text,
            "<marvel-context>\n\
             This repository's team keeps its conventions in marvel/packs. Those that apply to a file arrive when it is read or edited.\n\
             \n\
             Packs:\n\
             - security: Who may do what.\n\
             - testing\n\
             \n\
             The files changed in the working tree call for:\n\
             - security: src/a.ts and 1 more\n\
             </marvel-context>"
        );
        assert_eq!(session_start(&[], &[]), "");
    }

    #[test]
    fn it_is_never_too_long_and_always_in_the_same_order() {
        let description = "x".repeat(159);
        let mut packs: Vec<_> = (0..500).map(|i| meta(&format!("pack-{i:03}"), Some(&description))).collect();
        let files: Vec<_> = (0..500).map(|i| RepoPath::new(&format!("src/{}/{i}.ts", "é".repeat(50))).unwrap()).collect();
        let called: Vec<_> = packs.iter().map(|pack| (pack.name.clone(), files.iter().collect::<Vec<_>>())).collect();
        let called: Vec<_> = called.iter().map(|(name, files)| (name, files.clone())).collect();
        let text = session_start(&packs.iter().collect::<Vec<_>>(), &called);
        assert!(units(&text) <= MAX_HEADLINE && text.ends_with(" more\n</marvel-context>"), "{text}");
        assert_eq!(text.matches("- and ").count(), 2);
        packs.reverse();
        assert_eq!(session_start(&packs.iter().collect::<Vec<_>>(), &called), text);
        let long = meta(&"a".repeat(2_000), None);
        assert!(units(&session_start(&[&long], &[(&long.name, vec![&files[0]])])) <= MAX_HEADLINE);
    }
}
