//! The commits of a stretch of history with what they changed, as git itself tells it. Who of the authors is an agent is
//! read off names, addresses and trailers; what the changes mean is `capture::rewrites`'s.

use super::process::Git;
use super::repo::Repo;
use crate::capture::rewrites::{Hunk, Patch};
use crate::error::{Context as _, Result};
use crate::model::config::History;
use crate::model::pack::PACKS_DIR;
use crate::model::timestamp::Timestamp;

/// So many commits are read at a time: a patch may be large.
const BATCH: usize = 400;

/// Where history is read from.
pub enum Since {
    /// What HEAD has and that revision has not.
    Revision(String),
    Time(Timestamp),
}

impl Repo {
    /// Gives the commits behind HEAD to `each`, oldest first, merges left out. Nothing is read where no agent wrote.
    pub fn patches(&self, since: &Since, agents: &History, each: &mut dyn FnMut(Patch)) -> Result<()> {
        let unreadable = "the history of HEAD cannot be read";
        let log = self.git().args(["log", "--no-merges", "--reverse", "--format=%H%x02%an%x02%ae%x02%B%x01"]);
        let log = match since {
            Since::Revision(revision) => log.arg(format!("{}..HEAD", self.resolve(revision)?)),
            Since::Time(time) => log.args([format!("--since={time}"), "HEAD".to_owned()]),
        };
        let list = log.run().context(unreadable)?;
        let list = String::from_utf8_lossy(&list);
        let commits: Vec<(&str, bool)> = list
            .split('\u{1}')
            .filter_map(|commit| {
                let mut fields = commit.trim_start_matches('\n').splitn(4, '\u{2}');
                let (id, name, email) = (fields.next()?, fields.next()?, fields.next()?);
                Some((id, is_agent(name, email, fields.next()?, &agents.agent_authors)))
            })
            .collect();
        let Some(first) = commits.iter().position(|(_, agent)| *agent) else { return Ok(()) };
        for batch in commits[first..].chunks(BATCH) {
            let ids: String = batch.iter().map(|(id, _)| format!("{id}\n")).collect();
            let shown = show(self.git()).input(ids).run().context(unreadable)?;
            for (patch, (_, agent)) in parse(&String::from_utf8_lossy(&shown)).into_iter().zip(batch) {
                each(Patch { agent: *agent, ..patch });
            }
        }
        Ok(())
    }
}

/// Patches without context, as nobody's configuration changes them; packs are no code.
fn show(git: Git) -> Git {
    git.args(["-c", "diff.noprefix=false", "-c", "diff.mnemonicPrefix=false", "-c", "core.quotePath=false", "log"])
        .args(["--stdin", "--no-walk=unsorted", "--format=%x01%H%x02%at%x02%an", "--patch", "--unified=0", "--find-renames"])
        .args(["--no-color", "--no-ext-diff", "--no-textconv", "--src-prefix=a/", "--dst-prefix=b/"])
        .args(["--", ".", &format!(":(exclude){PACKS_DIR}")])
}

/// The name or address is an agent's, or a trailer says that one took part.
fn is_agent(name: &str, email: &str, message: &str, patterns: &[String]) -> bool {
    let fits = |text: &str| {
        let text = text.to_lowercase();
        patterns.iter().any(|pattern| !pattern.is_empty() && text.contains(&pattern.to_lowercase()))
    };
    let trailer = |line: &str| {
        let lower = line.to_lowercase();
        (lower.starts_with("co-authored-by:") || lower.contains("generated with")) && fits(&lower)
    };
    fits(name) || fits(email) || message.lines().any(trailer)
}

fn parse(text: &str) -> Vec<Patch> {
    let mut patches: Vec<Patch> = Vec::new();
    let (mut old_path, mut path) = (String::new(), String::new());
    // what a hunk's own lines look like is no header
    let (mut removed, mut added) = (0, 0);
    for line in text.split('\n') {
        if let Some(patch) = line.strip_prefix('\u{1}').and_then(header) {
            patches.push(patch);
            (removed, added) = (0, 0);
            continue;
        }
        let Some(patch) = patches.last_mut() else { continue };
        if removed + added > 0 {
            let Some(hunk) = patch.hunks.last_mut() else { continue };
            if let (Some(text), true) = (line.strip_prefix('-'), removed > 0) {
                hunk.removed.push(text.trim_end_matches('\r').to_owned());
                removed -= 1;
            } else if let (Some(text), true) = (line.strip_prefix('+'), added > 0) {
                hunk.added.push(text.trim_end_matches('\r').to_owned());
                added -= 1;
            }
            continue;
        }
        if let Some(file) = line.strip_prefix("--- ") {
            old_path = file.strip_prefix("a/").unwrap_or_default().trim_end_matches('\t').to_owned();
        } else if let Some(file) = line.strip_prefix("+++ ") {
            path = file.strip_prefix("b/").unwrap_or_default().trim_end_matches('\t').to_owned();
            // one side of a new or deleted file is /dev/null
            if path.is_empty() {
                path.clone_from(&old_path);
            } else if old_path.is_empty() {
                old_path.clone_from(&path);
            }
        } else if let Some((minus, plus)) = line.strip_prefix("@@ ").and_then(counts) {
            (removed, added) = (minus, plus);
            patch.hunks.push(Hunk { old_path: old_path.clone(), path: path.clone(), ..Hunk::default() });
        }
    }
    patches
}

fn header(line: &str) -> Option<Patch> {
    let mut fields = line.split('\u{2}');
    let (commit, seconds, author) = (fields.next()?, fields.next()?, fields.next()?);
    let at = Timestamp::from_unix(seconds.parse().ok()?)?;
    Some(Patch { commit: commit.to_owned(), at, author: author.to_owned(), agent: false, hunks: Vec::new() })
}

/// `-12,3 +12 @@ …`: how many lines go and how many come.
fn counts(text: &str) -> Option<(usize, usize)> {
    let mut ranges = text.split(' ');
    let mut count = |sign: char| {
        let range = ranges.next()?.strip_prefix(sign)?;
        range.split_once(',').map_or(Some(1), |(_, count)| count.parse().ok())
    };
    Some((count('-')?, count('+')?))
}

#[cfg(test)]
mod tests {
    use super::{is_agent, parse};

    #[test]
    fn an_agent_is_known_by_name_address_or_trailer() {
        let patterns = ["claude".to_owned(), "noreply@anthropic.com".to_owned()];
        let agent = |name, email, message| is_agent(name, email, message, &patterns);
        assert!(agent("Claude", "x@y", "fix"));
        assert!(agent("Ada", "noreply@anthropic.com", "fix"));
        assert!(agent("Ada", "a@b", "fix\n\nCo-Authored-By: Claude <noreply@anthropic.com>"));
        assert!(agent("Ada", "a@b", "fix\n\n🤖 Generated with [Claude Code](https://claude.ai/code)"));
        assert!(!agent("Ada", "a@b", "Tell Claude what to do\n\nCo-authored-by: Bob <bob@example.com>"));
    }

    #[test]
    fn a_patch_is_read_whatever_its_lines_look_like() {
        let text = "\u{1}abc\u{2}1764000000\u{2}Ada\n\ndiff --git a/x.sql b/x.sql\n--- a/x.sql\n+++ b/x.sql\n@@ -1,2 +1 @@ f\n--- a comment\n-second\n+++ plus\n\\ No newline at end of file\n@@ -9,0 +9 @@\n+new\n\u{1}def\u{2}1764000001\u{2}Bob\n";
        let patches = parse(text);
        assert_eq!(patches.len(), 2);
        let hunks = &patches[0].hunks;
        assert_eq!((hunks[0].path.as_str(), hunks.len()), ("x.sql", 2));
        assert_eq!(hunks[0].removed, ["-- a comment", "second"]);
        assert_eq!(hunks[0].added, ["++ plus"]);
        assert!(hunks[1].removed.is_empty() && hunks[1].added == ["new"]);
        assert!(patches[1].hunks.is_empty());
    }
}
