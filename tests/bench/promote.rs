//! `marvel teach`, which commits one lesson, as a whole process, against the same commit made by a script of git's plumbing
//! commands on a branch beside it, in turn: in a small repository, and in one of 100,000 files and 100,000 commits.
//!
//! `cargo bench --bench promote [ROUNDS]`; `MARVEL_BIN` names another binary to measure.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark is a program of its own")]

#[allow(dead_code, reason = "each benchmark takes what it needs")]
mod measure;

use std::fmt::Write as _;
use std::path::Path;
use std::time::{Duration, Instant};

use measure::{compare, fed, git, marvel, output, time, write};
use serde_json::json;

const LESSONS: &str = "marvel/packs/security/lessons.jsonl";

fn main() {
    let rounds = measure::rounds(30);
    let dir = tempfile::tempdir().unwrap();
    println!("{rounds} rounds, medians of whole processes");
    for (name, files, commits) in [("a small repository", 10, 10), ("100,000 files, 100,000 commits", 100_000, 100_000)] {
        let repo = dir.path().join(files.to_string());
        world(&repo, files, commits);
        let mut taken = [Vec::new(), Vec::new()];
        for round in 0..rounds + 3 {
            let (ours, git) = (teach(&repo, round), plumbing(&repo, round));
            // the first ones make the branch and fill the caches
            if round >= 3 {
                taken[0].push(ours);
                taken[1].push(git);
            }
        }
        let count = |branch: &str| output(git(&repo).args(["show", &format!("{branch}:{LESSONS}")])).lines().count();
        assert_eq!([count("packs"), count("plain")], [rounds + 3; 2]);
        let [ours, git] = taken;
        compare(name, ours, "plumbing", git);
    }
}

fn teach(repo: &Path, round: usize) -> Duration {
    let title = format!("Take value {round} from the environment");
    let text = ["--description", "It differs between machines.", "--actionable", "Read it once, at start.", "--category", "auth"];
    time(marvel().args(["teach", "--pack", "security", "--force", "--title", &title]).args(text).current_dir(repo))
}

/// The same commit by hand: a blob, an index of its own, a tree, a commit, a ref that moves if nobody moved it.
fn plumbing(repo: &Path, round: usize) -> Duration {
    let began = Instant::now();
    let tip = output(git(repo).args(["rev-parse", "plain"])).trim().to_owned();
    let mut lessons = output(git(repo).args(["cat-file", "blob", &format!("{tip}:{LESSONS}")]));
    let line = json!({"timestamp": "2026-11-29T10:15:00.000Z", "category": "auth", "title": format!("Take value {round}"),
        "description": "It differs between machines.", "actionable": "Read it once, at start.", "id": format!("{round:010x}")});
    writeln!(lessons, "{line}").unwrap();
    let blob = fed(git(repo).args(["hash-object", "-w", "--stdin"]), &lessons);
    let index = repo.join(".git/plain-index");
    let with_index = |args: &[&str]| output(git(repo).args(args).env("GIT_INDEX_FILE", &index));
    with_index(&["read-tree", &tip]);
    with_index(&["update-index", "--cacheinfo", &format!("100644,{},{LESSONS}", blob.trim())]);
    let tree = with_index(&["write-tree"]);
    let commit = fed(git(repo).args(["commit-tree", tree.trim(), "-p", &tip]), "teach(security): Take a value\n");
    output(git(repo).args(["update-ref", "-m", "teach", "refs/heads/plain", commit.trim(), &tip]));
    began.elapsed()
}

/// Files in folders of a hundred, all from the first commit; each later commit changes one of them.
fn world(dir: &Path, files: usize, commits: usize) {
    let pack = json!({"name": "security", "version": "1.0.0", "owner": "team", "categories": ["auth"]});
    let path = |file: usize| format!("src/part-{}/file-{file}.ts", file / 100);
    let mut stream = String::new();
    let blob = |path: &str, text: &str, stream: &mut String| {
        write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len()).unwrap();
    };
    for commit in 0..commits {
        let head = "commit refs/heads/main\ncommitter Ada <ada@example.com> ";
        writeln!(stream, "{head}{} +0000\ndata 8\nA change", 1_700_000_000 + commit).unwrap();
        if commit == 0 {
            blob("marvel/packs/security/pack.json", &format!("{pack:#}\n"), &mut stream);
            blob("marvel/packs/security/guardrails.md", "## Secrets\n\n- Keep them out of the log.\n", &mut stream);
            blob(LESSONS, "", &mut stream);
            (0..files).for_each(|file| blob(&path(file), &format!("export const file = {file}\n"), &mut stream));
        } else {
            blob(&path(commit % files), &format!("export const file = {commit} * 2\n"), &mut stream);
        }
    }
    write(&dir.join("README.md"), "");
    time(git(dir).args(["init", "-q", "-b", "main"]));
    for (key, value) in [("user.name", "Ada"), ("user.email", "ada@example.com")] {
        time(git(dir).args(["config", key, value]));
    }
    fed(git(dir).args(["fast-import", "--quiet"]), &stream);
    time(git(dir).args(["branch", "plain"]));
    time(git(dir).args(["reset", "-q", "--hard"]));
}
