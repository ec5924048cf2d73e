//! `marvel log -n 1`, which needs the whole index of history, as a whole process, against
//! `git log --format=%H packs -- marvel/packs`, in turn: where no index is kept yet (cold), and where one commit came since
//! (warm); for 10,000 promotions, and for 200 commits of packs among 100,000.
//!
//! `cargo bench --bench history [ROUNDS]`; `MARVEL_BIN` names another binary to measure.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark is a program of its own")]

#[allow(dead_code, reason = "each benchmark takes what it needs")]
mod measure;

use std::fmt::Write as _;
use std::path::Path;
use std::time::Duration;

use measure::{compare, fed, git, marvel, output, time, write};
use serde_json::json;

/// Lessons are spread over so many packs.
const PACKS: usize = 40;

fn main() {
    let rounds = measure::rounds(10);
    let dir = tempfile::tempdir().unwrap();
    println!("{rounds} rounds, medians of whole processes");
    for (name, commits, every) in [("10,000 promotions", 10_000, 1), ("200 among 100,000 commits", 100_000, 500)] {
        let repo = dir.path().join(commits.to_string());
        world(&repo, commits, every);
        let mut taken = [const { Vec::new() }; 3];
        for round in 0..rounds {
            let _ = std::fs::remove_dir_all(repo.join(".git/marvel/cache"));
            taken[0].push(log(&repo));
            promote(&repo, commits + round * every, 1);
            taken[1].push(log(&repo));
            taken[2].push(time(git(&repo).args(["log", "--format=%H", "packs", "--", "marvel/packs"])));
        }
        let told = output(marvel().args(["log", "--json"]).current_dir(&repo));
        let told: serde_json::Value = serde_json::from_str(&told).unwrap();
        assert_eq!(told["events"].as_array().unwrap().len(), commits / every + rounds + PACKS, "every commit is told");
        let [cold, warm, plain] = taken;
        compare(&format!("{name}, cold"), cold, "git log", plain.clone());
        compare(&format!("{name}, one more commit"), warm, "git log", plain);
    }
}

fn log(repo: &Path) -> Duration {
    time(marvel().args(["log", "-n", "1"]).current_dir(repo))
}

/// So many more commits, each of one lesson.
fn promote(repo: &Path, from: usize, count: usize) {
    let mut stream = "feature done\n".to_owned();
    let mut files = vec![String::new(); PACKS];
    for at in from..from + count {
        let pack = at % PACKS;
        files[pack] = output(git(repo).args(["show", &format!("packs:{}", path(pack, "lessons.jsonl"))]));
        lesson(at, 1, &mut files, &mut stream, Some("refs/heads/packs^0"));
    }
    stream.push_str("done\n");
    fed(git(repo).args(["fast-import", "--quiet", "--force"]), &stream);
}

fn path(pack: usize, file: &str) -> String {
    format!("marvel/packs/pack-{pack}/{file}")
}

fn blob(path: &str, text: &str, stream: &mut String) {
    write!(stream, "M 100644 inline {path}\ndata {}\n{text}\n", text.len()).unwrap();
}

fn commit(branch: &str, at: usize, message: &str, from: Option<&str>, stream: &mut String) {
    let head = format!("commit refs/heads/{branch}\ncommitter Ada <ada@example.com> {} +0000", 1_700_000_000 + at);
    writeln!(stream, "{head}\ndata {}\n{message}", message.len()).unwrap();
    from.into_iter().for_each(|from| writeln!(stream, "from {from}").unwrap());
}

/// A commit as `marvel promote` makes one.
fn lesson(at: usize, step: usize, files: &mut [String], stream: &mut String, from: Option<&str>) {
    let (pack, id) = ((at / step) % PACKS, format!("{at:010x}"));
    let title = format!("Take value {at} from the environment");
    let line = json!({"timestamp": "2026-11-29T10:15:00.000Z", "category": "auth", "title": title, "id": id,
        "description": "It differs between machines.", "actionable": "Read it once, at start."});
    writeln!(files[pack], "{line}").unwrap();
    let trailers = format!("Marvel-Action: promote\nMarvel-Pack: pack-{pack}\nMarvel-Lesson: {id}\nMarvel-Run: run-{at}\n");
    commit("packs", at, &format!("promote(pack-{pack}): {title}\n\nDo: Read it once, at start.\n\n{trailers}"), from, stream);
    blob(&path(pack, "lessons.jsonl"), &files[pack], stream);
}

/// A branch with packs, of whose commits each `every`th is a promotion and the others change other files.
fn world(dir: &Path, commits: usize, every: usize) {
    let mut stream = String::new();
    let mut files = vec![String::new(); PACKS];
    commit("main", 0, "Begin", None, &mut stream);
    for pack in 0..PACKS {
        let meta = json!({"name": format!("pack-{pack}"), "version": "1.0.0", "owner": "team", "categories": ["auth"]});
        blob(&path(pack, "pack.json"), &format!("{meta:#}\n"), &mut stream);
        blob(&path(pack, "guardrails.md"), "## Secrets\n\n- Keep them out of the log.\n", &mut stream);
        blob(&path(pack, "lessons.jsonl"), "", &mut stream);
    }
    let mut first = Some("refs/heads/main");
    for at in 0..commits {
        let from = first.take();
        if at % every == 0 {
            lesson(at, every, &mut files, &mut stream, from);
        } else {
            commit("packs", at, "A change", from, &mut stream);
            let file = at % 1_000;
            blob(&format!("src/part-{}/file-{file}.ts", file / 100), &format!("export const file = {at}\n"), &mut stream);
        }
    }
    write(&dir.join("README.md"), "");
    time(git(dir).args(["init", "-q", "-b", "main"]));
    fed(git(dir).args(["fast-import", "--quiet"]), &stream);
    time(git(dir).args(["reset", "-q", "--hard"]));
}
