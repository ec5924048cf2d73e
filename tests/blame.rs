//! `marvel blame`: who taught what, with `git blame` as the judge.

use serde_json::json;

use crate::support::year::Year;
use crate::support::{TestRepo, lesson_line, write_pack};

#[test]
fn blame_agrees_with_git_on_lines_that_were_never_touched_again() {
    let repo = TestRepo::unborn();
    let year = Year::new(300);
    let marks = year.import(&repo.dir);
    repo.git(["checkout", "-q", "--force", "packs"]);
    let mut compared = 0;
    for pack in ["pack-00", "pack-07", "pack-19", "pack-39"] {
        let path = format!("marvel/packs/{pack}/lessons.jsonl");
        let mine = repo.marvel(["blame", pack, "--json"]).json();
        let git = repo.git(["blame", "-l", "-s", "packs", "--", &path]);
        for lesson in mine["lessons"].as_array().unwrap() {
            let id = lesson["id"].as_str().unwrap();
            let facts: Vec<_> = year.facts.iter().filter(|fact| fact.lesson == id).collect();
            assert_eq!(lesson["commit"], json!(marks[&facts[0].mark]), "{lesson}");
            let touched = facts.len() > 1;
            assert_eq!(lesson.get("edited").is_some(), facts.iter().any(|fact| fact.action == "edit"), "{lesson}");
            let title = lesson["title"].as_str().unwrap();
            let line = git.lines().find(|line| line.contains(&format!("\"{title}\""))).unwrap();
            let commit = line.split(' ').next().unwrap().trim_start_matches('^');
            // in a squashed half of the year git knows only who squashed
            let squashed = repo.git(["log", "-1", "--format=%s", commit]).starts_with("Packs (#");
            if !touched && !squashed {
                assert_eq!(json!(commit), lesson["commit"], "{title}");
                compared += 1;
            }
        }
    }
    assert!(compared > 10, "{compared}");
}

#[test]
fn the_person_who_taught_is_named_and_who_reworded_too() {
    let mut repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &["Use pnpm"]);
    repo.commit("Begin");
    repo.set_env("GIT_AUTHOR_NAME", "Bob");
    repo.set_env("GIT_AUTHOR_EMAIL", "bob@example.com");
    let file = repo.read("marvel/packs/api/lessons.jsonl");
    repo.write("marvel/packs/api/lessons.jsonl", file.replace("Why: Use pnpm", "Because the lock file is pnpm's"));
    repo.commit("Say why");
    let counted = repo.read("marvel/packs/api/lessons.jsonl").replace("\"general\",", "\"general\",\"injection_count\":7,");
    repo.write("marvel/packs/api/lessons.jsonl", counted + &lesson_line("Sort imports") + "\n");
    repo.git(["commit", "-q", "-a", "-m", "Count"]);
    repo.write("marvel/packs/api/lessons.jsonl", repo.read("marvel/packs/api/lessons.jsonl") + &lesson_line("Not yet") + "\n");
    let blame = repo.marvel(["blame", "api", "--json"]).json();
    let who: Vec<_> =
        blame["lessons"].as_array().unwrap().iter().map(|lesson| (&lesson["author"], &lesson["edited"]["author"])).collect();
    assert_eq!(json!(who), json!([["Ada", "Bob"], ["Bob", null], [null, null]]));
    let text = repo.marvel(["blame", "api"]).ok();
    assert!(text.contains("Ada") && text.contains("(reworded by Bob, 2026-11-29)") && text.contains("not committed"), "{text}");
    assert_eq!(repo.marvel(["blame", "nothing"]).code, 1);
}

#[test]
fn ge14_a_name_that_is_not_utf8_is_shown_with_replacements() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &["Use pnpm"]);
    repo.git(["add", "-A"]);
    let tree = repo.git(["write-tree"]);
    let raw = [
        format!("tree {tree}\nauthor ").as_bytes(),
        b"Bad\xffName <b@x> 1700000000 +0000\ncommitter Ada <a@x> 1700000000 +0000\n\nBegin\n",
    ]
    .concat();
    let commit = repo.run(repo.command("git", &["hash-object", "-t", "commit", "-w", "--stdin"], &repo.dir), &raw).ok();
    repo.git(["update-ref", "HEAD", commit.trim()]);
    let blame = repo.marvel(["blame", "api", "--json"]).json();
    assert_eq!(blame["lessons"][0]["author"], json!("Bad\u{fffd}Name"));
}
