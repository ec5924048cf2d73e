//! From what was said to a commit on the packs branch: `reflect`, `promote`, `teach`.

use serde_json::{Value, json};

use crate::support::{TestRepo, write_pack};

const RULE: &str = "No, that is wrong: the request body needs validation. Parse it with zod before the handler runs.";

/// A repository with a pack in it, and a session in which the person said these things.
fn repo_with(said: &[&str]) -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &json!({ "categories": ["security", "validation"], "sensitive_paths": ["**/auth/**"] }), &[]);
    repo.write("src/auth/login.ts", "export {}\n");
    repo.commit("packs");
    session(&repo, "s1", said);
    repo
}

fn session(repo: &TestRepo, id: &str, said: &[&str]) {
    let send = |event: &str, mut input: Value| {
        input["session_id"] = json!(id);
        input["cwd"] = json!(repo.dir.to_string_lossy());
        assert_eq!(repo.hook(event, &input).code, 0);
    };
    send("session-start", json!({ "hook_event_name": "SessionStart", "source": "startup" }));
    let file = repo.dir.join("src/auth/login.ts");
    send(
        "pre-tool-use",
        json!({ "hook_event_name": "PreToolUse", "tool_name": "Edit", "tool_use_id": format!("t-{id}"), "tool_input": { "file_path": file } }),
    );
    for said in said {
        send("user-prompt-submit", json!({ "hook_event_name": "UserPromptSubmit", "prompt": said }));
    }
    send("session-end", json!({ "hook_event_name": "SessionEnd", "reason": "other" }));
}

fn candidates(repo: &TestRepo) -> Vec<Value> {
    repo.marvel(["reflect", "--json"]).json()["candidates"].as_array().unwrap().clone()
}

fn id_of(candidate: &Value) -> String {
    candidate["id"].as_str().unwrap().to_owned()
}

fn promote(repo: &TestRepo, id: &str) -> crate::support::Output {
    repo.marvel([
        "promote",
        id,
        "--pack",
        "security",
        "--category",
        "validation",
        "--title",
        "Validate request bodies",
        "--description",
        "A body is input from outside.",
        "--actionable",
        "Parse the body with zod before the handler runs",
    ])
}

#[test]
fn a_correction_becomes_a_candidate_and_a_promotion_one_commit() {
    let repo = repo_with(&[RULE]);
    let waiting = candidates(&repo);
    assert_eq!(waiting.len(), 1, "{waiting:?}");
    assert_eq!(waiting[0]["type"], "correction");
    assert_eq!(waiting[0]["pack"], "security");
    assert_eq!(waiting[0]["file"], "src/auth/login.ts");
    assert!(waiting[0]["text"].as_str().unwrap().contains("the request body needs validation"));
    let (head, status, index) =
        (repo.git(["rev-parse", "HEAD"]), repo.git(["status", "--porcelain"]), repo.git(["ls-files", "-s"]));

    let done = promote(&repo, &id_of(&waiting[0])).ok();
    assert!(done.contains("promote(security): Validate request bodies"), "{done}");

    assert_eq!(repo.git(["rev-list", "--count", "main..packs"]), "1");
    let message = repo.git(["log", "-1", "--format=%B", "packs"]);
    for trailer in [
        "Marvel-Action: promote",
        "Marvel-Pack: security",
        "Marvel-Lesson: ",
        "Marvel-Run: run_20261129_101500",
        "Marvel-Guidance: g_",
    ] {
        assert!(message.contains(trailer), "{trailer} is missing:\n{message}");
    }
    assert!(message.contains("Why now: 1 correction in 1 run, last on src/auth/login.ts"), "{message}");
    assert_eq!(repo.git(["diff", "--name-only", "main...packs"]), "marvel/packs/security/lessons.jsonl");
    assert_eq!(repo.git(["fsck", "--strict", "--no-dangling"]), "");
    assert_eq!(
        (head, status, index),
        (repo.git(["rev-parse", "HEAD"]), repo.git(["status", "--porcelain"]), repo.git(["ls-files", "-s"])),
        "the person's own branch, files and index"
    );
    assert_eq!(candidates(&repo), Vec::<Value>::new(), "what was promoted does not come back");
}

#[test]
fn what_was_promoted_stays_done_when_the_ledger_is_lost() {
    let repo = repo_with(&[RULE]);
    promote(&repo, &id_of(&candidates(&repo)[0])).ok();
    std::fs::remove_file(repo.dir.join(".git/marvel/own.jsonl")).unwrap();
    assert_eq!(candidates(&repo), Vec::<Value>::new());
}

#[test]
fn what_was_promoted_stays_done_when_the_branch_is_gone() {
    let repo = repo_with(&[RULE]);
    promote(&repo, &id_of(&candidates(&repo)[0])).ok();
    repo.git(["update-ref", "-d", "refs/heads/packs"]);
    assert_eq!(candidates(&repo), Vec::<Value>::new());
}

#[test]
fn a_dry_run_shows_the_commit_and_writes_nothing() {
    let repo = repo_with(&[RULE]);
    let id = id_of(&candidates(&repo)[0]);
    let before = repo.git(["count-objects", "-v"]);
    let shown = repo.marvel(["promote", &id, "--as-is", "--dry-run"]).ok();
    assert!(shown.contains("would commit on packs") && shown.contains("+++ b/marvel/packs/security/lessons.jsonl"), "{shown}");
    assert_eq!(repo.git(["count-objects", "-v"]), before);
    assert_ne!(repo.try_git(["rev-parse", "--verify", "-q", "packs"]).code, 0);
}

#[test]
fn raw_words_are_not_published_without_a_wording() {
    let repo = repo_with(&[RULE]);
    let refused = repo.marvel(["promote", &id_of(&candidates(&repo)[0])]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("--title is missing") && refused.stderr.contains("--as-is"), "{refused}");
}

#[test]
fn a_dismissed_candidate_does_not_come_back_even_when_said_again() {
    let repo = repo_with(&[RULE]);
    repo.marvel(["reflect", "--dismiss", &id_of(&candidates(&repo)[0])]).ok();
    session(&repo, "s2", &[RULE]);
    assert_eq!(candidates(&repo), Vec::<Value>::new());
}

#[test]
fn repeats_over_runs_are_one_candidate() {
    let repo = repo_with(&[RULE]);
    session(&repo, "s2", &[&RULE.to_uppercase().to_lowercase()]);
    let waiting = candidates(&repo);
    assert_eq!((waiting.len(), &waiting[0]["count"]), (1, &json!(2)), "{waiting:?}");
}

#[test]
fn a_near_duplicate_is_shown_and_refused_without_force() {
    let repo = repo_with(&[]);
    let teach =
        |more: &str| repo.marvel(["teach", "Parse request bodies with zod before the handler runs", "--pack", "security", more]);
    teach("--category=validation").ok();
    let refused = teach("--category=security");
    assert_eq!(refused.code, 1, "{refused}");
    assert!(refused.stderr.contains("says so already"), "{refused}");
    assert_eq!(repo.git(["rev-list", "--count", "main..packs"]), "1");
    repo.marvel([
        "teach",
        "Parse request bodies with zod before the handler runs",
        "--pack",
        "security",
        "--category=security",
        "--force",
    ])
    .ok();
    assert_eq!(repo.git(["rev-list", "--count", "main..packs"]), "2");
}

#[test]
fn what_was_taught_is_in_force_at_once_and_marked() {
    let repo = repo_with(&[]);
    repo.marvel(["teach", "Check the session before you read the body", "--pack", "security", "--category", "security"]).ok();
    let input = json!({
        "hook_event_name": "PreToolUse", "session_id": "s9", "cwd": repo.dir, "tool_name": "Read", "tool_use_id": "t",
        "tool_input": { "file_path": repo.dir.join("src/auth/login.ts") },
    });
    let answer = repo.hook("pre-tool-use", &input).json();
    let context = answer["hookSpecificOutput"]["additionalContext"].as_str().unwrap();
    assert!(context.contains("Check the session before you read the body"), "{context}");
    assert!(context.contains("(pending review)"), "{context}");
}

#[test]
fn an_unknown_candidate_says_where_to_look() {
    let repo = repo_with(&[]);
    let refused = repo.marvel(["promote", "deadbeef", "--as-is"]);
    assert_eq!(refused.code, 1);
    assert!(refused.stderr.contains("marvel reflect"), "{refused}");
}

#[test]
fn a_lesson_says_what_it_was_made_of() {
    let repo = repo_with(&[RULE]);
    let candidate = candidates(&repo).remove(0);
    repo.marvel(["promote", candidate["id"].as_str().unwrap(), "--as-is"]).ok();
    let lesson = &repo.marvel(["lessons", "--json"]).json()["lessons"][0];
    assert_eq!(lesson["taught"]["guidance"], candidate["guidance"]);
    assert_eq!(lesson["taught"]["run"], candidate["runs"][0]);
    let text = repo.marvel(["lessons", lesson["id"].as_str().unwrap()]).ok();
    assert!(text.contains("taught   2026-11-29 by Ada, after 1 statement\n"), "{text}");
    // the hook knows which file it was about: what matters there matters most there
    let facts = repo.read(".git/marvel/cache/lessons/security.json");
    assert!(facts.contains(r#""origin":"src/auth/login.ts""#), "{facts}");
}

#[test]
fn se03_no_secret_and_nothing_hidden_becomes_a_lesson() {
    let repo = repo_with(&["No, never log the whole request, log its id."]);
    let id = id_of(&candidates(&repo)[0]);
    let secret = format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8");
    for bad in [format!("Send it with {secret}."), "Turn \u{202e}around.".to_owned()] {
        for field in ["title", "description", "actionable"] {
            let text = |name: &str| if name == field { bad.as_str() } else { "Log the id of a request." };
            let words = ["--title", text("title"), "--description", text("description"), "--actionable", text("actionable")];
            let place = ["--pack", "security", "--category", "security", "--force"];
            for command in [&["promote", &id][..], &["teach"]] {
                let output = repo.beside("").marvel_args(&[command, &words[..], &place].concat());
                assert!(output.code == 1 && output.stderr.contains(&format!("in `{field}`")), "{output}");
                assert!(!output.stderr.contains(&secret) && !output.stderr.contains('\u{202e}'), "{output}");
            }
        }
    }
    assert_eq!(repo.try_git(["rev-parse", "--verify", "-q", "packs"]).code, 1, "nothing was committed");
}
