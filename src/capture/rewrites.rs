//! What people changed of what an agent wrote, from the history of the code itself: in any language, and without a word
//! having been typed. A single rewrite is no rule; what recurs may be one. Where the patches come from is `store`'s.

use std::collections::{BTreeSet, HashMap, HashSet};

use sha2::{Digest as _, Sha256};

use crate::model::timestamp::Timestamp;

/// One commit with what it changed, line by line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Patch {
    pub commit: String,
    pub at: Timestamp,
    pub author: String,
    /// Whether an agent wrote it.
    pub agent: bool,
    pub hunks: Vec<Hunk>,
}

/// Lines that went and the lines that came in their place, without context.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// From the repository's root, before and after.
    pub old_path: String,
    pub path: String,
    pub removed: Vec<String>,
    pub added: Vec<String>,
}

/// A person's change of lines that an agent had written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rewrite {
    pub agent_commit: String,
    pub commit: String,
    pub author: String,
    pub at: Timestamp,
    pub path: String,
    pub before: Vec<String>,
    pub after: Vec<String>,
}

/// The same kind of change, made more than once.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Habit {
    pub id: String,
    /// What stood in the agent's lines and does not in the person's, and the other way round; one of them may be missing.
    pub removed: Option<String>,
    pub added: Option<String>,
    /// In the order of time.
    pub rewrites: Vec<Rewrite>,
}

/// Longer lines are data, not code.
const MAX_LINE: usize = 400;
/// What differs in more words than this is another text, not a change of kind.
const MAX_WORDS: usize = 12;

/// Every rewrite of an agent's lines by a person within `days`, from patches in the order of time.
pub fn rewrites(patches: impl IntoIterator<Item = Patch>, days: u32) -> Vec<Rewrite> {
    let mut lines: HashMap<String, HashMap<String, (String, Timestamp)>> = HashMap::new();
    let mut found = Vec::new();
    for patch in patches {
        for hunk in &patch.hunks {
            if hunk.old_path != hunk.path
                && let Some(moved) = lines.remove(&hunk.old_path)
            {
                lines.entry(hunk.path.clone()).or_default().extend(moved);
            }
            let known = lines.entry(hunk.path.clone()).or_default();
            let gone: Vec<&str> = hunk.removed.iter().map(|line| line.trim()).filter(|line| says_something(line)).collect();
            let agents: Vec<(String, Timestamp)> = gone.iter().filter_map(|line| known.remove(*line)).collect();
            let recent = |at: &Timestamp| patch.at.since(*at).num_days() < i64::from(days);
            let first = agents.iter().find(|(_, at)| recent(at));
            if let (false, Some((agent_commit, _))) = (patch.agent, first)
                && agents.len() * 2 >= gone.len()
                && words(&hunk.removed) != words(&hunk.added)
            {
                found.push(Rewrite {
                    agent_commit: agent_commit.clone(),
                    commit: patch.commit.clone(),
                    author: patch.author.clone(),
                    at: patch.at,
                    path: hunk.path.clone(),
                    before: hunk.removed.clone(),
                    after: hunk.added.clone(),
                });
            }
            for line in hunk.added.iter().map(|line| line.trim()).filter(|line| says_something(line)) {
                if patch.agent {
                    known.insert(line.to_owned(), (patch.commit.clone(), patch.at));
                } else {
                    known.remove(line);
                }
            }
        }
    }
    found
}

fn says_something(line: &str) -> bool {
    line.len() <= MAX_LINE && line.chars().filter(|char| char.is_alphanumeric()).count() > 2
}

/// What was changed in the same way by more than one commit, the most often changed first.
pub fn habits(rewrites: &[Rewrite]) -> Vec<Habit> {
    let kinds: Vec<BTreeSet<Kind>> = rewrites.iter().map(kinds).collect();
    let mut left: Vec<usize> = (0..rewrites.len()).collect();
    let mut habits = Vec::new();
    loop {
        let mut commits: HashMap<&Kind, HashSet<&str>> = HashMap::new();
        for &at in &left {
            for kind in &kinds[at] {
                commits.entry(kind).or_default().insert(&rewrites[at].commit);
            }
        }
        // both sides known says more than one, long words more than short ones
        let worth = |kind: &Kind| {
            let sides = usize::from(kind.0.is_some()) + usize::from(kind.1.is_some());
            (sides, kind.0.as_ref().map_or(0, String::len) + kind.1.as_ref().map_or(0, String::len))
        };
        let often = commits.iter().filter(|(_, commits)| commits.len() > 1);
        let best = often.max_by(|(a, ac), (b, bc)| (ac.len(), worth(a), b).cmp(&(bc.len(), worth(b), a)));
        let Some((kind, _)) = best else { break };
        let kind = (*kind).clone();
        let (of_kind, others): (Vec<usize>, Vec<usize>) = left.into_iter().partition(|&at| kinds[at].contains(&kind));
        left = others;
        let Kind(removed, added) = kind;
        let id = id(removed.as_deref(), added.as_deref());
        habits.push(Habit { id, removed, added, rewrites: of_kind.into_iter().map(|at| rewrites[at].clone()).collect() });
    }
    habits
}

/// A word that went for a word that came.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
struct Kind(Option<String>, Option<String>);

fn kinds(rewrite: &Rewrite) -> BTreeSet<Kind> {
    let (before, after) = (words(&rewrite.before), words(&rewrite.after));
    let gone: Vec<&String> = before.difference(&after).collect();
    let came: Vec<&String> = after.difference(&before).collect();
    if gone.len() > MAX_WORDS || came.len() > MAX_WORDS {
        return BTreeSet::new();
    }
    let pairs = gone.iter().flat_map(|gone| came.iter().map(|came| Kind(Some((*gone).clone()), Some((*came).clone()))));
    let removed = gone.iter().filter(|_| came.is_empty()).map(|gone| Kind(Some((*gone).clone()), None));
    let added = came.iter().filter(|_| gone.is_empty()).map(|came| Kind(None, Some((*came).clone())));
    pairs.chain(removed).chain(added).collect()
}

/// Names as they stand in code, dots and all; numbers say nothing.
fn words(lines: &[String]) -> BTreeSet<String> {
    let is_part = |char: char| char.is_alphanumeric() || matches!(char, '_' | '$' | '.' | '-');
    let all = lines.iter().flat_map(|line| line.split(move |char| !is_part(char)));
    let all = all.map(|word| word.trim_matches(['.', '-']));
    all.filter(|word| word.chars().any(char::is_alphabetic) && word.len() <= 60).map(str::to_owned).collect()
}

fn id(removed: Option<&str>, added: Option<&str>) -> String {
    let mut digest = Sha256::new();
    digest.update(removed.unwrap_or_default());
    digest.update([0]);
    digest.update(added.unwrap_or_default());
    digest.finalize().iter().take(4).fold("h_".to_owned(), |id, byte| format!("{id}{byte:02x}"))
}

impl Habit {
    /// What it would be as a lesson: imperative, to be worded better by a person.
    pub fn title(&self) -> String {
        match (&self.removed, &self.added) {
            (Some(removed), Some(added)) => format!("Use `{added}` instead of `{removed}`"),
            (Some(removed), None) => format!("Leave out `{removed}`"),
            (None, Some(added)) => format!("Add `{added}`"),
            (None, None) => String::new(),
        }
    }

    /// Who made the change, each once.
    pub fn people(&self) -> BTreeSet<&str> {
        self.rewrites.iter().map(|rewrite| rewrite.author.as_str()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{Hunk, Patch, habits, rewrites};
    use crate::model::timestamp::Timestamp;

    fn patch(commit: &str, day: u32, agent: bool, path: &str, removed: &[&str], added: &[&str]) -> Patch {
        let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect();
        let hunk = Hunk { old_path: path.to_owned(), path: path.to_owned(), removed: lines(removed), added: lines(added) };
        let at = Timestamp::parse(&format!("2026-11-{day:02}T10:00:00Z")).expect("valid").0;
        let author = if agent { "Claude" } else { "Ada" };
        Patch { commit: commit.to_owned(), at, author: author.to_owned(), agent, hunks: vec![hunk] }
    }

    #[test]
    fn a_persons_change_of_an_agents_line_is_a_rewrite_and_nothing_else_is() {
        let rewritten = |patches: Vec<Patch>| rewrites(patches, 14).iter().map(|one| one.commit.clone()).collect::<Vec<_>>();
        let wrote = || patch("a", 1, true, "x.ts", &[], &["  console.log(error)"]);
        let fixed = |day| patch("b", day, false, "x.ts", &["  console.log(error)"], &["  logger.error(error)"]);
        assert_eq!(rewritten(vec![wrote(), fixed(2)]), ["b"]);
        assert_eq!(rewritten(vec![wrote(), fixed(14)]), ["b"]);
        assert!(rewritten(vec![wrote(), fixed(15)]).is_empty(), "too late to say something");
        assert!(rewritten(vec![fixed(2)]).is_empty(), "a person's own line");
        let mut by_agent = fixed(2);
        by_agent.agent = true;
        assert!(rewritten(vec![wrote(), by_agent]).is_empty(), "the agent's own change");
        let indented = patch("b", 2, false, "x.ts", &["  console.log(error)"], &["    console.log(error)"]);
        assert!(rewritten(vec![wrote(), indented]).is_empty(), "white space alone");
        let among_others =
            patch("b", 2, false, "x.ts", &["  console.log(error)", "mine one", "mine two", "mine three"], &["other"]);
        assert!(rewritten(vec![wrote(), among_others]).is_empty(), "mostly a person's lines");
        assert_eq!(rewritten(vec![wrote(), patch("c", 3, false, "x.ts", &["  console.log(error)"], &[])]), ["c"]);
        assert_eq!(
            rewritten(vec![wrote(), fixed(2), patch("c", 3, false, "x.ts", &["  logger.error(error)"], &["none()"])]),
            ["b"]
        );
    }

    #[test]
    fn a_renamed_file_keeps_its_lines() {
        let mut moved = patch("b", 2, false, "y.ts", &["console.log(error)"], &["logger.error(error)"]);
        moved.hunks[0].old_path = "x.ts".to_owned();
        let found = rewrites(vec![patch("a", 1, true, "x.ts", &[], &["console.log(error)"]), moved], 14);
        assert_eq!((found.len(), found[0].path.as_str()), (1, "y.ts"));
    }

    #[test]
    fn what_recurs_is_a_habit_and_a_single_rewrite_is_none() {
        let mut patches = Vec::new();
        for (i, value) in ["error", "reason", "failure"].iter().enumerate() {
            let path = format!("{value}.ts");
            let (before, after) = (format!("console.log({value})"), format!("logger.error({value})"));
            patches.push(patch(&format!("a{i}"), 1, true, &path, &[], &[&before]));
            patches.push(patch(&format!("b{i}"), 2, false, &path, &[&before], &[&after]));
        }
        patches.push(patch("a9", 1, true, "z.ts", &[], &["let total = 0"]));
        patches.push(patch("b9", 2, false, "z.ts", &["let total = 0"], &["let sum = 0"]));
        let found = habits(&rewrites(patches, 14));
        assert_eq!(found.len(), 1);
        assert_eq!(found[0].title(), "Use `logger.error` instead of `console.log`");
        assert_eq!((found[0].rewrites.len(), found[0].people().len()), (3, 1));
        assert!(found[0].id.starts_with("h_") && found[0].id.len() == 10);
    }

    #[test]
    fn many_changes_in_one_commit_are_one_opinion() {
        let mut wrote = patch("a", 1, true, "x.ts", &[], &["var one = f(1)"]);
        wrote.hunks.push(patch("a", 1, true, "y.ts", &[], &["var two = f(2)"]).hunks.remove(0));
        let mut fixed = patch("b", 2, false, "x.ts", &["var one = f(1)"], &["const one = f(1)"]);
        fixed.hunks.push(patch("b", 2, false, "y.ts", &["var two = f(2)"], &["const two = f(2)"]).hunks.remove(0));
        let found = rewrites(vec![wrote, fixed], 14);
        assert_eq!(found.len(), 2);
        assert!(habits(&found).is_empty());
    }

    #[test]
    fn what_is_only_added_or_left_out_recurs_too() {
        let mut patches = Vec::new();
        for (i, name) in ["load", "save"].iter().enumerate() {
            let path = format!("{name}.ts");
            let (before, after) = (format!("return {name}()"), format!("return await {name}()"));
            patches.push(patch(&format!("a{i}"), 1, true, &path, &[], &[&before]));
            patches.push(patch(&format!("b{i}"), 2, false, &path, &[&before], &[&after]));
        }
        let found = habits(&rewrites(patches, 14));
        assert_eq!(found.iter().map(super::Habit::title).collect::<Vec<_>>(), ["Add `await`"]);
    }
}
