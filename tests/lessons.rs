//! `marvel lessons`: what is in force, to browse.

use serde_json::json;

use crate::support::{NOW, TestRepo, lesson_line, write_pack};

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &["Use pnpm"]);
    write_pack(&repo, "web", &json!({}), &["Sort imports", "Co\u{1b}[2Jlour"]);
    let counted = lesson_line("Log in first").replace(
        "\"general\"",
        r#""auth","utility_score":0.9,"injection_count":12,"id":"7f3a9c12d0","run_id":"run_1","paths":["src/**"],"x":1"#,
    );
    repo.write("marvel/packs/api/lessons.jsonl", format!("{}\n{{torn\n{counted}\n", lesson_line("Use pnpm")));
    repo
}

#[test]
fn lessons_are_listed_by_pack() {
    let repo = repo();
    insta::assert_snapshot!(repo.marvel(["lessons"]), @r"
    exit 0
    ----- stdout
    pack  id          category  shown  utility  lesson
    api   3007093d2f  general   -      -        Use pnpm
    api   7f3a9c12d0  auth      12     0.90     Log in first
    web   8e4003c34d  general   -      -        Sort imports
    web   07d728d7f8  general   -      -        Co\u001b[2Jlour
    ");
    insta::assert_snapshot!(repo.marvel(["lessons", "web"]), @r"
    exit 0
    ----- stdout
    id          category  shown  utility  lesson
    8e4003c34d  general   -      -        Sort imports
    07d728d7f8  general   -      -        Co\u001b[2Jlour
    ");
    insta::assert_snapshot!(repo.marvel(["lessons", "--category", "auth"]), @r"
    exit 0
    ----- stdout
    pack  id          category  shown  utility  lesson
    api   7f3a9c12d0  auth      12     0.90     Log in first
    ");
}

#[test]
fn one_lesson_is_shown_in_full() {
    let repo = repo();
    insta::assert_snapshot!(repo.marvel(["lessons", "7f3a"]), @r"
    exit 0
    ----- stdout
    7f3a9c12d0 Log in first
      pack     api (auth)
      do       Do: Log in first
      why      Why: Log in first
      paths    src/**
      learned  2026-11-29T10:15:00.000Z
      run      run_1
      shown    12 times
      utility  0.90
    ");
    insta::assert_snapshot!(repo.marvel(["lessons", "nothing"]), @r"
    exit 1
    ----- stderr
    error: there is no pack and no lesson `nothing`
    hint: `marvel pack list` shows the packs, `marvel lessons` the lessons with their ids
    ");
}

#[test]
fn the_document_has_every_field() {
    let repo = repo();
    let lessons = repo.marvel(["lessons", "api", "--json"]).json();
    assert_eq!(lessons["version"], 1);
    assert_eq!(
        lessons["lessons"][1],
        json!({
            "id": "7f3a9c12d0",
            "pack": "api",
            "pending": false,
            "timestamp": NOW,
            "category": "auth",
            "title": "Log in first",
            "description": "Why: Log in first",
            "actionable": "Do: Log in first",
            "run_id": "run_1",
            "utility_score": 0.9,
            "injection_count": 12,
            "paths": ["src/**"],
            "taught": null,
            "edited": null,
            "people": [],
        })
    );
    assert_eq!(lessons["lessons"][0]["utility_score"], json!(null));
    assert_eq!(repo.marvel(["lessons", "web", "--json"]).json()["lessons"][1]["title"], "Co\u{1b}[2Jlour");
}

#[test]
fn an_empty_repository_says_so() {
    let repo = TestRepo::new();
    assert_eq!(repo.marvel(["lessons"]).ok(), "No packs yet: `marvel init` adds some.\n");
    write_pack(&repo, "api", &json!({}), &[]);
    assert_eq!(repo.marvel(["lessons"]).ok(), "No lessons yet.\n");
    assert_eq!(repo.marvel(["lessons", "api", "--json"]).json()["lessons"], json!([]));
}

#[test]
fn a_lesson_says_who_taught_it_and_who_reworded_it() {
    let mut repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &["Use pnpm"]);
    let begin = repo.commit("Begin");
    repo.set_env("GIT_AUTHOR_NAME", "Bob");
    repo.set_env("GIT_AUTHOR_EMAIL", "bob@example.com");
    let file = repo.read("marvel/packs/api/lessons.jsonl");
    repo.write("marvel/packs/api/lessons.jsonl", file.replace("Why: Use pnpm", "The lock file is pnpm's"));
    let reword = repo.commit("Say why");
    let lesson = &repo.marvel(["lessons", "--json"]).json()["lessons"][0];
    assert_eq!(lesson["taught"], json!({ "commit": begin, "author": "Ada", "time": NOW }));
    assert_eq!(lesson["edited"], json!({ "commit": reword, "author": "Bob", "time": NOW }));
    assert_eq!(lesson["people"], json!(["Ada", "Bob"]));
    insta::assert_snapshot!(repo.marvel(["lessons", "3007"]), @r"
    exit 0
    ----- stdout
    3007093d2f Use pnpm
      pack     api (general)
      do       Do: Use pnpm
      why      The lock file is pnpm's
      learned  2026-11-29T10:15:00.000Z
      taught   2026-11-29 by Ada
      reworded 2026-11-29 by Bob
    ");
}
