//! Looks up what lessons take for granted: paths and names in HEAD's tree, identifiers in its files, and for what is not
//! there the commit that removed it. What never was there is told from what is gone. What follows is `evolve`'s.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::id::Id;
use super::process::Failure;
use super::repo::Repo;
use super::tree::text_fields;
use crate::error::{Context as _, Error, Result};
use crate::evolve::premise::{Named, Standing};
use crate::model::pack::{PACKS_DIR, PackMeta};
use crate::model::repo_path::RepoPath;
use crate::model::timestamp::Timestamp;
use crate::score::glob::Pattern;

/// Further back nobody looks for an identifier: every version of every file has to be compared.
const IDENTIFIER_YEARS: i64 = 2;
/// So many names are looked for in one go.
const BATCH: usize = 100;

/// Something named, and the pathspecs of the files in which an identifier counts.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Wanted {
    pub named: Named,
    pub files: Vec<String>,
}

/// What was found out once: names that are not in HEAD's tree.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
struct Kept {
    /// The commit up to which history was searched.
    head: String,
    gone: BTreeMap<String, Removal>,
    never: BTreeSet<String>,
}

/// The commit that removed something, and where it went to, where it did not go away.
#[derive(Clone, Serialize, Deserialize)]
struct Removal {
    commit: String,
    at: Timestamp,
    moved_to: Option<String>,
}

impl Repo {
    /// The names of all files of HEAD's tree.
    pub fn files_at_head(&self) -> Result<Vec<RepoPath>> {
        let Some(head) = self.head()?.tip else { return Ok(Vec::new()) };
        let args = ["ls-tree", "-r", "-z", "--name-only", "--full-tree", &head.to_string()];
        let list = self.git().args(args).run().context("the files of HEAD cannot be listed")?;
        let names = list.split(|&byte| byte == 0).filter(|name| !name.is_empty());
        Ok(names.filter_map(|name| RepoPath::new(&String::from_utf8_lossy(name))).collect())
    }

    /// How it stands with each thing named.
    pub fn standings(&self, wanted: &BTreeSet<Wanted>, now: Timestamp) -> Result<HashMap<Wanted, Standing>> {
        let mut standings = HashMap::new();
        let Some(head) = self.head()?.tip else {
            return Ok(wanted.iter().map(|wanted| (wanted.clone(), Standing::Never)).collect());
        };
        let files = self.files_at_head()?;
        let mut missing = Vec::new();
        let mut by_files: BTreeMap<&[String], Vec<&Wanted>> = BTreeMap::new();
        for wanted in wanted {
            if is_there(&wanted.named, &files) {
                standings.insert(wanted.clone(), Standing::Present);
            } else if let Named::Identifier(_) = wanted.named {
                by_files.entry(&wanted.files).or_default().push(wanted);
            } else {
                missing.push(wanted);
            }
        }
        for (files, wanted) in by_files {
            let found = self.grep(head, &wanted, files)?;
            for wanted in wanted {
                if found.contains(wanted.named.text()) {
                    standings.insert(wanted.clone(), Standing::Present);
                } else {
                    missing.push(wanted);
                }
            }
        }
        self.missing(&missing, &files, head, now, &mut standings)?;
        Ok(standings)
    }

    /// The identifiers that stand, as whole words, in the files of a commit.
    fn grep(&self, head: Id, wanted: &[&Wanted], files: &[String]) -> Result<BTreeSet<String>> {
        let mut found = BTreeSet::new();
        for batch in wanted.chunks(BATCH) {
            let mut git = self.git().args(["grep", "-h", "-o", "-w", "-F", "-I", "--no-color"]);
            for wanted in batch {
                git = git.args(["-e", wanted.named.text()]);
            }
            match git.arg(head.to_string()).arg("--").args(files).run() {
                Ok(lines) => found.extend(String::from_utf8_lossy(&lines).lines().map(str::to_owned)),
                Err(Failure::Exit { code: 1, .. }) => {}
                Err(failure) => return Err(Error::user("the files of HEAD cannot be searched").caused_by(failure)),
            }
        }
        Ok(found)
    }

    /// Searches history for what is not there, as far as it was not searched before.
    fn missing(
        &self,
        missing: &[&Wanted],
        files: &[RepoPath],
        head: Id,
        now: Timestamp,
        standings: &mut HashMap<Wanted, Standing>,
    ) -> Result<()> {
        if missing.is_empty() {
            return Ok(());
        }
        let mut kept = self.read_kept();
        let continued = !kept.head.is_empty() && self.is_behind(&kept.head, head);
        if !continued {
            kept = Kept::default();
        }
        let known = |wanted: &&&Wanted| kept.never.contains(&key(wanted));
        let (before, new): (Vec<&Wanted>, Vec<&Wanted>) =
            missing.iter().filter(|wanted| !kept.gone.contains_key(&key(wanted))).partition(known);
        let mut found = HashMap::new();
        if !before.is_empty() && kept.head != head.to_string() {
            found.extend(self.removals(&before, &format!("{}..{head}", kept.head), now)?);
        }
        if !new.is_empty() {
            found.extend(self.removals(&new, &head.to_string(), now)?);
        }
        for wanted in before.into_iter().chain(new) {
            let key = key(wanted);
            match found.remove(wanted) {
                Some(removal) => {
                    kept.never.remove(&key);
                    kept.gone.insert(key, removal);
                }
                None => {
                    kept.never.insert(key);
                }
            }
        }
        for wanted in missing {
            let standing = match kept.gone.get(&key(wanted)).cloned() {
                Some(Removal { commit, at, moved_to }) => {
                    match moved_to.filter(|to| files.iter().any(|file| file.as_str() == to)) {
                        Some(to) => Standing::Moved { to, commit, at },
                        None => Standing::Gone { commit, at },
                    }
                }
                None => Standing::Never,
            };
            standings.insert((*wanted).clone(), standing);
        }
        kept.head = head.to_string();
        // one that cannot be written is found out again next time
        let _ = crate::session::file::write_cache(&self.kept_path(), &serde_json::to_vec(&kept).unwrap_or_default());
        Ok(())
    }

    fn kept_path(&self) -> PathBuf {
        self.root().cache_dir().join("premises.json")
    }

    fn read_kept(&self) -> Kept {
        let bytes = crate::session::file::read(&self.kept_path()).ok().flatten();
        bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
    }

    fn is_behind(&self, ancestor: &str, head: Id) -> bool {
        let ask = self.git().args(["merge-base", "--is-ancestor", ancestor, &head.to_string()]).output();
        Id::parse(ancestor).is_some() && ask.is_ok_and(|output| output.code == 0)
    }

    /// The newest commit of a range that removed each, where there is one.
    fn removals(&self, wanted: &[&Wanted], range: &str, now: Timestamp) -> Result<HashMap<Wanted, Removal>> {
        let mut found = HashMap::new();
        for batch in wanted.chunks(BATCH) {
            self.removed_files(batch, range, &mut found)?;
        }
        let mut identifiers: BTreeMap<&[String], Vec<&Wanted>> = BTreeMap::new();
        for wanted in wanted.iter().filter(|wanted| matches!(wanted.named, Named::Identifier(_)) && !found.contains_key(**wanted))
        {
            identifiers.entry(&wanted.files).or_default().push(wanted);
        }
        for (files, wanted) in identifiers {
            for batch in wanted.chunks(BATCH) {
                self.removed_words(batch, files, range, now, &mut found)?;
            }
        }
        Ok(found)
    }

    fn removed_files(&self, wanted: &[&Wanted], range: &str, found: &mut HashMap<Wanted, Removal>) -> Result<()> {
        let specs: Vec<String> = wanted.iter().flat_map(|wanted| pathspecs(wanted.named.text(), "top,glob")).collect();
        let git = self.git().args(["-c", "core.quotePath=false", "log", "--no-renames", "--diff-filter=D", "--name-only"]);
        let log = git.args(["--format=%x01%H %ct", range, "--"]).args(specs).run().context("history cannot be searched")?;
        for (commit, at, lines) in commits(&String::from_utf8_lossy(&log)) {
            let deleted: Vec<RepoPath> = lines.filter_map(RepoPath::new).collect();
            let mut moves = None;
            for wanted in wanted {
                if found.contains_key(*wanted) || !is_there(&wanted.named, &deleted) {
                    continue;
                }
                let moves: &Vec<(RepoPath, String)> = match &mut moves {
                    Some(moves) => moves,
                    None => moves.insert(self.moves(commit)?),
                };
                // a folder moved where all of its files did
                let mut of_it = deleted.iter().filter(|file| is_there(&wanted.named, std::slice::from_ref(*file)));
                let to = |file: &RepoPath| moves.iter().find(|(from, _)| from == file).map(|(_, to)| to.clone());
                let moved_to = of_it.clone().all(|file| to(file).is_some()).then(|| of_it.next().and_then(to)).flatten();
                found.insert((*wanted).clone(), Removal { commit: commit.to_owned(), at, moved_to });
            }
        }
        Ok(())
    }

    /// The files that a commit renamed, with the names that they have since.
    fn moves(&self, commit: &str) -> Result<Vec<(RepoPath, String)>> {
        let args =
            ["diff-tree", "-r", "-z", "--no-commit-id", "--root", "--name-status", "--find-renames", "--diff-filter=R", commit];
        let list = self.git().args(args).run().context("history cannot be searched")?;
        let mut fields = text_fields(&list);
        let mut moves = Vec::new();
        // the kind, the old name, the new one
        while let (Some(_), Some(from), Some(to)) = (fields.next(), fields.next(), fields.next()) {
            moves.extend(RepoPath::new(&from).map(|from| (from, to)));
        }
        Ok(moves)
    }

    fn removed_words(
        &self,
        wanted: &[&Wanted],
        files: &[String],
        range: &str,
        now: Timestamp,
        found: &mut HashMap<Wanted, Removal>,
    ) -> Result<()> {
        let words: Vec<String> = wanted.iter().map(|wanted| escaped(wanted.named.text())).collect();
        let since = now.minus(chrono::TimeDelta::days(365 * IDENTIFIER_YEARS));
        let git = self.git().args(["log", "--no-merges", "--no-renames", "-p", "-U0", "--no-color", "--no-ext-diff"]);
        let git =
            git.args(["--no-textconv", "--format=%x01%H %ct", &format!("--since={since}"), &format!("-G{}", words.join("|"))]);
        let log = git.args([range, "--"]).args(files).run().context("history cannot be searched")?;
        for (commit, at, lines) in commits(&String::from_utf8_lossy(&log)) {
            for line in lines.filter(|line| line.starts_with('-') && !line.starts_with("--- ")) {
                for wanted in wanted {
                    if !found.contains_key(*wanted) && has_word(line, wanted.named.text()) {
                        found.insert((*wanted).clone(), Removal { commit: commit.to_owned(), at, moved_to: None });
                    }
                }
            }
        }
        Ok(())
    }
}

/// The pathspecs of the files that a pack is about; without a word about files all but the packs themselves.
pub fn files_of(pack: &PackMeta) -> Vec<String> {
    let extensions = pack.applies_to.extensions.iter().map(|extension| format!(":(top,glob,icase)**/*{extension}"));
    let paths = pack.references.code_paths.iter().chain(&pack.sensitive_paths).flat_map(|text| pathspecs(text, "top,glob"));
    let mut specs: Vec<String> = extensions.chain(paths).collect();
    if specs.is_empty() {
        specs.push(":(top)".to_owned());
    }
    specs.extend(pack.excludes_paths.iter().flat_map(|text| pathspecs(text, "top,glob,exclude")));
    specs.push(format!(":(top,exclude){PACKS_DIR}"));
    specs
}

/// What a path or glob of a pack means, as git says it.
fn pathspecs(text: &str, magic: &str) -> Vec<String> {
    let anchored = text.contains('/') && text.contains(['*', '?', '{']);
    let place = if anchored { "" } else { "**/" };
    let text = text.trim_start_matches("./").trim_matches('/');
    let text = if anchored { text.to_owned() } else { text.replace('[', "\\[") };
    let forms = |one: String| [format!(":({magic}){place}{one}"), format!(":({magic}){place}{one}/**")];
    braces(&text).into_iter().flat_map(forms).collect()
}

/// `{a,b}` is two patterns to git.
fn braces(text: &str) -> Vec<String> {
    let Some((before, rest)) = text.split_once('{') else { return vec![text.to_owned()] };
    let Some((inside, after)) = rest.split_once('}') else { return vec![text.to_owned()] };
    inside.split(',').flat_map(|one| braces(&format!("{before}{one}{after}"))).collect()
}

fn is_there(named: &Named, files: &[RepoPath]) -> bool {
    match named {
        Named::Identifier(text) => files.iter().any(|file| file.components().any(|part| part == text)),
        Named::Path(text) | Named::Glob(text) | Named::File(text) => {
            Pattern::new(text).is_ok_and(|pattern| files.iter().any(|file| pattern.matches(file)))
        }
    }
}

/// Names what was looked for in the file of what is known.
fn key(wanted: &Wanted) -> String {
    match &wanted.named {
        Named::Identifier(text) => format!("name {text} {}", wanted.files.join(" ")),
        Named::Path(text) | Named::Glob(text) | Named::File(text) => format!("path {text}"),
    }
}

/// The parts of a log: a commit, its time, its lines.
fn commits(log: &str) -> impl Iterator<Item = (&str, Timestamp, impl Iterator<Item = &str>)> {
    log.split('\u{1}').filter_map(|part| {
        let mut lines = part.lines();
        let (commit, seconds) = lines.next()?.split_once(' ')?;
        let at = Timestamp::from_unix(seconds.parse().ok()?)?;
        Some((commit, at, lines.filter(|line| !line.is_empty())))
    })
}

/// For a regular expression of POSIX.
fn escaped(word: &str) -> String {
    let special = |c: char| "\\.[]{}()*+?^$|".contains(c);
    word.chars().flat_map(|c| special(c).then_some('\\').into_iter().chain([c])).collect()
}

fn has_word(line: &str, word: &str) -> bool {
    let inside = |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() || c == '_');
    line.match_indices(word)
        .any(|(at, _)| !inside(line[..at].chars().next_back()) && !inside(line[at + word.len()..].chars().next()))
}

#[cfg(test)]
mod tests {
    use super::{braces, escaped, has_word, pathspecs};

    #[test]
    fn paths_are_said_as_git_says_them() {
        assert_eq!(pathspecs("src/api", "top,glob"), [":(top,glob)**/src/api", ":(top,glob)**/src/api/**"]);
        assert_eq!(pathspecs("src/*.ts", "glob"), [":(glob)src/*.ts", ":(glob)src/*.ts/**"]);
        assert_eq!(pathspecs("*.md", "glob")[0], ":(glob)**/*.md");
        assert_eq!(braces("a/{b,c}.{d,e}"), ["a/b.d", "a/b.e", "a/c.d", "a/c.e"]);
        assert_eq!(braces("a{b"), ["a{b"]);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("-  fetchUser(1)", "fetchUser") && has_word("-$x", "$x"));
        assert!(!has_word("-  fetchUsers(1)", "fetchUser") && !has_word("-  prefetchUser", "fetchUser"));
        assert_eq!(escaped("$a.b"), "\\$a\\.b");
    }
}
