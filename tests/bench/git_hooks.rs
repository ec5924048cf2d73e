//! `git rebase` of 1,000 commits in a repository with the hooks of `marvel init`, against the same without them, in turn;
//! then `git commit` and `git push`, of a file that is no pack's.
//!
//! `cargo bench --bench git_hooks [ROUNDS]`; `MARVEL_BIN` names another binary to measure.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark is a program of its own")]

#[allow(dead_code, reason = "each benchmark takes what it needs")]
mod measure;

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use measure::{compare, fed, git, marvel, output, time, write};

const COMMITS: usize = 1_000;

fn main() {
    let rounds = measure::rounds(3);
    let dir = tempfile::tempdir().unwrap();
    println!("{rounds} rounds, medians of whole processes");
    let with = World::new(dir.path().join("with"));
    let without = World::new(dir.path().join("without"));
    time(marvel().arg("init").current_dir(&with.repo).env("HOME", dir.path()));
    with.commit("Install");
    assert!(with.repo.join(".git/hooks/post-rewrite").exists(), "the hooks are installed");
    let mut rebase = [const { Vec::new() }; 2];
    let (mut commit, mut push) = (rebase.clone(), rebase.clone());
    for round in 0..rounds {
        for (at, world) in [&with, &without].into_iter().enumerate() {
            rebase[at].push(world.rebase());
        }
        for _ in 0..10 {
            for (at, world) in [&with, &without].into_iter().enumerate() {
                write(&world.repo.join("notes.txt"), &format!("{round} {}\n", commit[at].len()));
                time(world.git().args(["add", "notes.txt"]));
                commit[at].push(time(world.git().args(["commit", "-q", "-m", "Note it"])));
                push[at].push(time(world.git().args(["push", "-q", "origin", "HEAD:refs/heads/notes", "--force"])));
            }
        }
    }
    for (name, [ours, theirs]) in [("rebase of 1,000 commits", rebase), ("commit", commit), ("push", push)] {
        compare(name, ours, "without", theirs);
    }
}

/// A repository with a remote, a main branch, and a topic that left it long ago.
struct World {
    repo: PathBuf,
}

impl World {
    fn new(repo: PathBuf) -> Self {
        let mut stream = String::new();
        let mut commit = |branch: &str, at: usize, from: &str| {
            let head = format!("commit refs/heads/{branch}\ncommitter Ada <ada@example.com> {} +0000", 1_700_000_000 + at);
            let text = format!("export const value = {at}\n");
            let file = format!("M 100644 inline src/{branch}/file-{at}.ts\ndata {}\n{text}", text.len());
            write!(stream, "{head}\ndata 8\nA change\n{from}{file}\n").unwrap();
        };
        commit("main", 0, "");
        (1..=COMMITS).for_each(|at| commit("topic", at, if at == 1 { "from refs/heads/main\n" } else { "" }));
        commit("main", COMMITS + 1, "");
        write(&repo.join("README.md"), "");
        let world = Self { repo };
        let origin = world.repo.with_extension("git");
        time(Command::new("git").args(["init", "-q", "--bare"]).arg(&origin));
        time(world.git().args(["init", "-q", "-b", "main"]));
        // nothing else is to run meanwhile
        for (key, value) in
            [("user.name", "Ada"), ("user.email", "ada@example.com"), ("gc.auto", "0"), ("maintenance.auto", "false")]
        {
            time(world.git().args(["config", key, value]));
        }
        fed(world.git().args(["fast-import", "--quiet"]), &stream);
        time(world.git().args(["reset", "-q", "--hard"]));
        time(world.git().args(["remote", "add", "origin"]).arg(&origin));
        world
    }

    /// Git, which finds the binary that is measured first.
    fn git(&self) -> Command {
        let mut git = git(&self.repo);
        let marvel = marvel();
        let folder = Path::new(marvel.get_program()).parent().unwrap_or(Path::new("")).to_owned();
        let path = std::env::var_os("PATH").unwrap_or_default();
        let paths = std::iter::once(folder).chain(std::env::split_paths(&path));
        git.env("PATH", std::env::join_paths(paths).unwrap());
        git
    }

    fn commit(&self, message: &str) {
        time(self.git().args(["add", "-A"]));
        time(self.git().args(["commit", "-q", "-m", message]));
    }

    fn rebase(&self) -> Duration {
        time(self.git().args(["checkout", "-q", "-B", "work", "topic"]));
        let taken = time(self.git().args(["rebase", "-q", "main"]));
        assert_eq!(output(self.git().args(["rev-list", "--count", "main..work"])).trim(), COMMITS.to_string());
        taken
    }
}
