//! `marvel edit`: one commit, whose diff is the line that was changed and nothing else. git is the judge.

use serde_json::json;

use crate::support::{TestRepo, lesson_line, write_pack};

const FILE: &str = "marvel/packs/a/lessons.jsonl";

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "a", &json!({ "categories": ["general"] }), &["Use pnpm", "Write tests"]);
    write_pack(&repo, "b", &json!({ "categories": ["build"] }), &[]);
    let counted = lesson_line("Use pnpm")
        .replace(r#""category""#, r#""unknown": [1,  2],"utility_score":0.9,"injection_count":7,"category""#);
    repo.write(FILE, format!("{counted}\n{}\n", lesson_line("Write tests")));
    repo.commit("packs");
    repo
}

/// The id of the lesson with that title.
fn id(repo: &TestRepo, title: &str) -> String {
    let lessons = repo.marvel(["lessons", "--json"]).json();
    let lesson = lessons["lessons"].as_array().unwrap().iter().find(|lesson| lesson["title"] == title).unwrap();
    lesson["id"].as_str().unwrap().to_owned()
}

#[test]
fn an_edit_is_one_commit_that_changes_one_line() {
    let repo = repo();
    let id = id(&repo, "Use pnpm");
    let before = repo.git(["show", "main:marvel/packs/a/lessons.jsonl"]);
    let said = repo.marvel(["edit", &id[..5], "--title", "Use pnpm, not npm", "--paths", "web/**"]).ok();
    assert!(said.contains("edit(a): Use pnpm, not npm"), "{said}");
    assert_eq!(repo.git(["rev-list", "--count", "main..packs"]), "1");
    assert_eq!(repo.git(["diff", "--numstat", "main", "packs"]), format!("1\t1\t{FILE}"));
    let after = repo.git(["show", "packs:marvel/packs/a/lessons.jsonl"]);
    let expected = before.replacen("\"Use pnpm\"", "\"Use pnpm, not npm\"", 1);
    let expected = expected.replacen("}\n", &format!(",\"paths\":[\"web/**\"],\"id\":\"{id}\"}}\n"), 1);
    // between fields there is no white space any more, inside of them it stays
    assert_eq!(after, expected.replacen("\"unknown\": [1", "\"unknown\":[1", 1));
    let message = repo.git(["log", "-1", "--format=%B", "packs"]);
    for line in
        ["Was: Use pnpm", "Changed: title, paths", "Marvel-Action: edit", "Marvel-Pack: a", &format!("Marvel-Lesson: {id}")]
    {
        assert!(message.lines().any(|one| one == line), "{line}: {message}");
    }
    assert_eq!(repo.git(["status", "--porcelain"]), "");
    assert_eq!(repo.git(["fsck", "--strict", "--no-dangling"]), "");
    let ledger = repo.read(".git/marvel/own.jsonl");
    assert!(ledger.contains("\"action\":\"edit\"") && ledger.contains(&id), "{ledger}");

    // it counts here at once, under the same id, with its counters
    let lessons = repo.marvel(["lessons", &id, "--json"]).json();
    let lesson = &lessons["lessons"][0];
    assert_eq!((&lesson["title"], &lesson["pending"]), (&json!("Use pnpm, not npm"), &json!(true)));
    assert_eq!((&lesson["injection_count"], &lesson["utility_score"]), (&json!(7), &json!(0.9)));

    let cleared = repo.marvel(["edit", &id, "--paths", ""]).ok();
    assert!(cleared.contains("edit(a)"), "{cleared}");
    assert!(!repo.git(["show", "packs:marvel/packs/a/lessons.jsonl"]).contains("web/**"));
}

#[test]
fn a_lesson_moves_to_another_pack_in_one_commit() {
    let repo = repo();
    let id = id(&repo, "Write tests");
    repo.marvel(["edit", &id, "--pack", "b"]).ok();
    assert_eq!(repo.git(["diff", "--name-only", "main", "packs"]), format!("{FILE}\nmarvel/packs/b/lessons.jsonl"));
    let moved = repo.git(["show", "packs:marvel/packs/b/lessons.jsonl"]);
    assert!(moved.contains(&id) && moved.contains(r#""category":"build""#), "{moved}");
    let lessons = repo.marvel(["lessons", &id, "--json"]).json();
    assert_eq!(lessons["lessons"].as_array().unwrap().len(), 1, "{lessons}");
    assert_eq!(lessons["lessons"][0]["pack"], "b");
}

#[test]
fn a_dry_run_shows_the_diff_and_writes_nothing() {
    let repo = repo();
    let id = id(&repo, "Use pnpm");
    let before = repo.git(["count-objects", "-v"]);
    let shown = repo.marvel(["edit", &id, "--title", "Use npm", "--dry-run"]).ok();
    assert!(shown.contains("would commit on packs") && shown.contains("\"title\":\"Use npm\""), "{shown}");
    assert_eq!(repo.git(["count-objects", "-v"]), before);
    let json = repo.marvel(["edit", &id, "--title", "Use npm", "--dry-run", "--json"]).json();
    assert_eq!((&json["dry_run"], &json["commits"][0]["action"], &json["version"]), (&json!(true), &json!("edit"), &json!(1)));
}

#[test]
fn what_cannot_be_edited_is_refused_with_a_reason() {
    let repo = repo();
    let id = id(&repo, "Use pnpm");
    let refused = |args: &[&str], code: i32, reason: &str| {
        let mut all = vec!["edit"];
        all.extend(args);
        let output = repo.run(repo.command(env!("CARGO_BIN_EXE_marvel"), &all, &repo.dir), b"");
        assert_eq!(output.code, code, "{output}");
        assert!(output.stderr.contains(reason), "{output}");
    };
    refused(&[&id], 2, "nothing says what to change");
    refused(&["abc"], 2, "no id of a lesson");
    refused(&["ffff", "--title", "x"], 1, "no lesson of the packs branch has the id `ffff`");
    refused(&[&id, "--title", " "], 2, "the title is empty");
    refused(&[&id, "--category", "Not a slug"], 2, "no category");
    refused(&[&id, "--paths", "a[["], 2, "no glob");
    refused(&[&id, "--pack", "nowhere"], 1, "there is no pack nowhere");
    assert_ne!(repo.try_git(["rev-parse", "--verify", "-q", "packs"]).code, 0);
    let same = repo.marvel(["edit", &id, "--title", "Use pnpm"]).ok();
    assert!(same.contains("skipped") && same.contains("it says so already"), "{same}");

    // a line that no commit of the branch has is the person's own to change
    repo.write(FILE, format!("{}\n", lesson_line("Only here")));
    let own = id_of_file(&repo);
    refused(&[&own, "--title", "x"], 1, &format!("it stands in your files alone: change {FILE} itself"));
}

fn id_of_file(repo: &TestRepo) -> String {
    id(repo, "Only here")
}
