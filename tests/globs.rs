//! Our globs against git's: what `git check-ignore` says of every pattern and path, both made of small parts.

use std::fmt::Write as _;

use marvel::model::repo_path::RepoPath;
use marvel::score::glob::Pattern;

use crate::support::TestRepo;

/// All sequences of one to `most` parts, joined by `/`.
fn joined(parts: &[&str], most: usize) -> Vec<String> {
    let mut all: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
    let mut longest = all.clone();
    for _ in 1..most {
        longest = longest.iter().flat_map(|start| parts.iter().map(move |part| format!("{start}/{part}"))).collect();
        all.extend(longest.iter().cloned());
    }
    all
}

/// git goes into no folder that is ignored: so a path is ignored where any folder above it matches.
fn ours(pattern: &Pattern<'_>, path: &str) -> bool {
    let ends = path.match_indices('/').map(|(at, _)| at).chain([path.len()]);
    ends.into_iter().any(|end| pattern.matches(&RepoPath::new(&path[..end]).unwrap()))
}

#[test]
fn globs_match_what_git_ignores() {
    let repo = TestRepo::unborn();
    let mut patterns = joined(&["a", "*", "**", "a*b", "[!a]", ".x?"], 3);
    // a plain path with a slash matches at any depth with us, and from the root with git
    patterns.retain(|pattern| pattern.contains(['*', '?', '[']) || !pattern.contains('/'));
    patterns.extend(joined(&["**", "*", "a"], 4).into_iter().filter(|pattern| pattern.contains('*')));
    patterns.extend(
        [
            "/a",
            "/a/b",
            "/*",
            "/a*",
            "a/",
            "*/",
            "**/",
            "a/*/",
            "a/**/",
            "**/a/",
            "[ab]",
            "[a-]",
            "[]a]",
            "[^a]/b",
            "x[y*]z",
            "[[:alpha:]]",
            "[[:digit:]a]",
            "[a/b]",
            "[\\]]",
            "x[a\\-c]y",
            "[z-a]",
            "[a-c]b",
            "\\*",
            "a\\*",
            "\\[a]",
            "\\!a",
            "a?b/**/b",
            "日*",
            "*本",
            "foo*bar",
            "*.rs",
            "*.*",
            "a.*/**",
            "**/.x",
            "*b/**/a*",
            "a**b",
            "a/**b",
            "x[!a]y",
        ]
        .map(str::to_owned),
    );
    let mut paths = joined(&["a", "b", "ab", "axb", ".x"], 3);
    paths.extend(
        [
            "日本",
            "a/日",
            "x*z",
            "xyz",
            "x/y",
            "xay",
            "x-y",
            "xby",
            "]",
            "-",
            "1",
            "*",
            "a*",
            "[a]",
            "!a",
            "a.rs",
            "a/b.rs",
            ".x.rs",
            "foo/bar",
            "fooxbar",
            "aab/a/b/b",
        ]
        .map(str::to_owned),
    );
    // left out: a backslash before a letter, which is a Windows separator with us; `a**/b`, which git's manual says is
    // `a*/b`, and of which git takes off the `a` before it looks
    let mut asked = String::new();
    for (i, pattern) in patterns.iter().enumerate() {
        repo.write(&format!("p{i}/.gitignore"), format!("{pattern}\n"));
        for path in &paths {
            write!(asked, "p{i}/{path}\0").unwrap();
        }
    }
    let command = repo.command("git", &["check-ignore", "--no-index", "--stdin", "-z"], &repo.dir);
    let answer = repo.run(command, asked.as_bytes());
    let ignored: std::collections::HashSet<&str> = answer.stdout.split('\0').collect();
    let mut wrong = Vec::new();
    for (i, text) in patterns.iter().enumerate() {
        let pattern = Pattern::new(text).unwrap();
        for path in &paths {
            let theirs = ignored.contains(format!("p{i}/{path}").as_str());
            // a class also matches itself as it is spelled
            if ours(&pattern, path) != theirs && !text.contains(path.as_str()) {
                wrong.push(format!("{text} against {path}: git says {theirs}"));
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} of {}:\n{}",
        wrong.len(),
        patterns.len() * paths.len(),
        wrong[..wrong.len().min(60)].join("\n")
    );
}
