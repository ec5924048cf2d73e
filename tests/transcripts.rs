//! `marvel reflect --transcripts`: months of corrections that the client keeps, read once, counted once.

use serde_json::{Value, json};

use super::evolve::project;
use super::support::TestRepo;
use super::support::client::Client;

fn entry(repo: &TestRepo, session: &str, number: usize, text: &str, extra: &Value) -> String {
    let mut entry = json!({
        "type": "user", "uuid": format!("{session}-{number}"), "sessionId": session, "cwd": repo.dir,
        "timestamp": format!("2026-11-2{number}T10:15:00.000Z"), "isSidechain": false,
        "message": {"role": "user", "content": text},
    });
    for (key, value) in extra.as_object().unwrap() {
        entry[key] = value.clone();
    }
    format!("{entry}\n")
}

fn edit(repo: &TestRepo) -> String {
    let input = json!({"file_path": repo.dir.join("src/auth/login.ts")});
    let message = json!({"content": [{"type": "tool_use", "name": "Edit", "input": input}]});
    format!("{}\n", json!({"type": "assistant", "message": message}))
}

/// Where the client keeps this project's sessions.
fn folder(repo: &TestRepo) -> std::path::PathBuf {
    let name: String =
        repo.dir.to_string_lossy().chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect();
    let folder = repo.dir.parent().unwrap().join(".claude/projects").join(name);
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[track_caller]
fn candidates(repo: &TestRepo, args: &[&str]) -> Vec<Value> {
    let output = repo.beside("").marvel_args(&[&["--json", "reflect"], args].concat());
    assert_eq!(output.code, 0, "{output}");
    let document: Value = serde_json::from_str(&output.stdout).unwrap();
    document["candidates"].as_array().unwrap().clone()
}

const SAID: &str = "No, always use pnpm here, never npm.";

#[test]
fn what_was_said_before_is_found_once() {
    let repo = project();
    let folder = folder(&repo);
    let first =
        edit(&repo) + &entry(&repo, "one", 1, SAID, &json!({})) + &entry(&repo, "one", 2, "Thanks, looks good", &json!({}));
    std::fs::write(folder.join("one.jsonl"), &first).unwrap();
    std::fs::write(folder.join("two.jsonl"), edit(&repo) + &entry(&repo, "two", 3, SAID, &json!({}))).unwrap();
    let nobody = entry(&repo, "three", 4, "Always use yarn from now on.", &json!({"isSidechain": true}))
        + "{\"type\":\"user\",\n"
        + &entry(&repo, "three", 5, "Always use bun from now on.", &json!({"cwd": "/somewhere/else"}));
    std::fs::write(folder.join("three.jsonl"), nobody).unwrap();
    assert!(candidates(&repo, &[]).is_empty());
    let found = candidates(&repo, &["--transcripts"]);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((found[0]["count"].as_u64(), found[0]["runs"].as_array().unwrap().len()), (Some(2), 2), "{found:?}");
    assert_eq!(found[0]["file"], "src/auth/login.ts");
    // they stay, and are read once
    assert_eq!(candidates(&repo, &[]), found);
    assert_eq!(candidates(&repo, &["--transcripts"]), found);
    let told = repo.marvel(["reflect", "--transcripts"]);
    assert!(told.stderr.contains("3 transcripts, 0 prompts not read before: 0 statements kept"), "{told}");
    // what is new is read
    let more = first + &edit(&repo) + &entry(&repo, "one", 6, SAID, &json!({}));
    std::fs::write(folder.join("one.jsonl"), more).unwrap();
    assert_eq!(candidates(&repo, &["--transcripts"])[0]["count"], 3);
    // without the note of how far they were read, nothing is kept twice
    std::fs::remove_file(repo.dir.join(".git/marvel/transcripts/read.json")).unwrap();
    assert_eq!(candidates(&repo, &["--transcripts"])[0]["count"], 3);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn what_is_dismissed_does_not_come_back_and_what_a_hook_heard_counts_once() {
    let repo = project();
    let folder = folder(&repo);
    let client = Client::new(&repo, "live");
    client.edit("src/auth/login.ts");
    client.prompt(SAID);
    std::fs::write(folder.join("live.jsonl"), edit(&repo) + &entry(&repo, "live", 1, SAID, &json!({}))).unwrap();
    let found = candidates(&repo, &["--transcripts"]);
    assert_eq!(found[0]["count"], 1, "{found:?}");
    assert_eq!(repo.marvel(["reflect", "--dismiss", found[0]["id"].as_str().unwrap()]).code, 0);
    std::fs::write(folder.join("later.jsonl"), edit(&repo) + &entry(&repo, "later", 2, SAID, &json!({}))).unwrap();
    assert!(candidates(&repo, &["--transcripts"]).is_empty());
}

#[test]
fn secrets_are_out_before_anything_is_written_and_a_folder_may_be_named() {
    let repo = project();
    let folder = repo.sibling("kept");
    std::fs::create_dir_all(&folder).unwrap();
    let token = format!("ghp_{}", "aB3".repeat(12));
    let text = format!("No, always use the token {token} in the header, never the cookie.");
    std::fs::write(folder.join("a.jsonl"), edit(&repo) + &entry(&repo, "a", 1, &text, &json!({"cwd": "/elsewhere"}))).unwrap();
    let found = candidates(&repo, &["--transcripts", folder.to_str().unwrap()]);
    assert_eq!(found.len(), 1);
    let kept = repo.read(".git/marvel/transcripts/guidance.jsonl");
    assert!(!kept.contains(&token) && kept.contains("[redacted:github-token]"), "{kept}");
    let missing = repo.marvel(["reflect", "--transcripts", "no-such-folder"]);
    assert!(missing.code == 1 && missing.stderr.contains("no-such-folder"), "{missing}");
}
