//! `marvel health`: what sessions say of lessons, and the commit that records it: each session once, whatever happens.

use serde_json::{Value, json};

use super::evolve::{project, teach};
use super::support::TestRepo;
use super::support::client::Client;

#[track_caller]
fn health(repo: &TestRepo) -> Value {
    let output = repo.marvel(["--json", "health"]);
    assert_eq!(output.code, 0, "{output}");
    serde_json::from_str(&output.stdout).unwrap()
}

/// A session that reads a file, and ends.
fn session(repo: &TestRepo, id: &str) {
    let client = Client::new(repo, id);
    client.start("startup");
    client.read("src/auth/login.ts");
    client.event("SessionEnd", &json!({ "reason": "exit" }));
}

fn line(repo: &TestRepo) -> Value {
    let text = repo.git(["show", "packs:marvel/packs/security/lessons.jsonl"]);
    serde_json::from_str(text.lines().next().unwrap()).unwrap()
}

#[test]
fn what_was_shown_and_not_followed_recurred_and_the_rest_was_good() {
    let mut repo = project();
    let id = teach(&repo, "Use pnpm, not npm", "Use pnpm for every install, never npm.");
    session(&repo, "good");
    repo.now = "2026-11-29T11:00:00.000Z".to_owned();
    let client = Client::new(&repo, "bad");
    client.read("src/auth/login.ts");
    repo.now = "2026-11-29T11:01:00.000Z".to_owned();
    Client::new(&repo, "bad").prompt("No, use pnpm, not npm. Always.");
    let found = health(&repo);
    let lesson = &found["lessons"][0];
    assert_eq!(
        (lesson["id"].as_str(), lesson["injections"].as_u64(), lesson["good"].as_u64(), lesson["recurred"].as_u64()),
        (Some(id.as_str()), Some(2), Some(1), Some(1)),
        "{found}"
    );
    assert_eq!(lesson["utility"], 0.5);
    assert!(lesson["although_shown"][0].as_str().unwrap().contains("pnpm"));
    assert_eq!((found["packs"][0]["injections"].as_u64(), found["packs"][0]["runs"].as_u64()), (Some(2), Some(2)));
    let text = repo.marvel(["health"]).stdout;
    assert!(text.contains("Corrected although it had been shown") && text.contains("marvel health --record"), "{text}");
}

#[test]
fn each_session_is_recorded_once() {
    let repo = project();
    let id = teach(&repo, "Log in UTC", "Write times in UTC.");
    assert!(repo.marvel(["health", "--record"]).stdout.contains("nothing to commit"));
    session(&repo, "one");
    session(&repo, "two");
    // a session that goes on is not counted yet
    let open = Client::new(&repo, "open");
    open.start("startup");
    open.read("src/auth/login.ts");
    let preview = repo.marvel(["health", "--record", "--dry-run"]);
    assert!(preview.code == 0 && preview.stdout.contains("Marvel-Segments: one#1, two#1"), "{preview}");
    let output = repo.marvel(["health", "--record"]);
    assert_eq!(output.code, 0, "{output}");
    assert_eq!(repo.git(["log", "-1", "--format=%s", "packs"]), "record: Counts of 2 sessions");
    let counts = repo.git(["log", "-1", "--format=%(trailers:key=Marvel-Count,valueonly)", "packs"]);
    assert!(counts.trim().starts_with(&format!("security/{id} injected=2 good=2")), "{counts}");
    assert_eq!((line(&repo)["injection_count"].as_u64(), line(&repo)["utility_score"].as_f64()), (Some(2), Some(0.75)));
    let tip = repo.git(["rev-parse", "packs"]);
    assert!(repo.marvel(["health", "--record"]).stdout.contains("nothing to commit"));
    assert_eq!(repo.git(["rev-parse", "packs"]), tip);
    // killed between the commit and the ledger: the trailers say it too
    let (ledger, aside) = (repo.dir.join(".git/marvel/own.jsonl"), repo.dir.join(".git/marvel/aside"));
    std::fs::rename(&ledger, &aside).unwrap();
    assert!(repo.marvel(["health", "--record"]).stdout.contains("nothing to commit"));
    std::fs::rename(&aside, &ledger).unwrap();
    session(&repo, "three");
    assert_eq!(repo.marvel(["health", "--record"]).code, 0);
    assert_eq!(line(&repo)["injection_count"], 3);
    assert_eq!(health(&repo)["lessons"][0]["injections"], 4);
}

#[test]
fn however_the_pull_request_is_merged_no_count_is_doubled_or_lost() {
    for how in ["--no-ff", "--squash", "--squash-log", "rebase"] {
        let repo = crate::store_branch::hosted_with_auth();
        teach(&repo, "Log in UTC", "Write times in UTC.");
        session(&repo, "one");
        session(&repo, "two");
        assert_eq!(repo.marvel(["health", "--record"]).code, 0, "{how}");
        crate::store_branch::land(&repo, how);
        repo.git(["pull", "-q", "--ff-only", "origin", "main"]);
        // the host deletes the branch, and so does everybody
        repo.git(["push", "-q", "origin", ":packs"]);
        repo.git(["branch", "-D", "packs"]);
        assert_eq!(repo.marvel(["sync"]).code, 0);
        assert_eq!(health(&repo)["lessons"][0]["injections"], 2, "{how}");
        session(&repo, "three");
        assert_eq!(repo.marvel(["health", "--record"]).code, 0);
        assert_eq!(
            (line(&repo)["injection_count"].as_u64(), line(&repo)["utility_score"].as_f64()),
            (Some(3), Some(0.8)),
            "{how}"
        );
        assert!(repo.marvel(["health", "--record"]).stdout.contains("nothing to commit"), "{how}");
        assert_eq!(health(&repo)["lessons"][0]["injections"], 3, "{how}");
    }
}

#[test]
fn paths_that_match_nothing_and_rules_about_what_is_gone_are_alerts() {
    let repo = project();
    let rules = repo.read("marvel/packs/security/guardrails.md");
    repo.write("marvel/packs/security/guardrails.md", format!("{rules}- Keep `src/auth/old.ts` small.\n"));
    let pack = repo.read("marvel/packs/security/pack.json").replace("**/auth/**\"", "**/auth/**\", \"**/nowhere/**\"");
    repo.write("marvel/packs/security/pack.json", pack);
    repo.git(["rm", "-q", "src/auth/old.ts"]);
    let removed = repo.commit("Remove the old check");
    let found = health(&repo);
    let alerts: Vec<(&str, &str)> = found["alerts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|alert| (alert["code"].as_str().unwrap(), alert["commit"].as_str().unwrap_or_default()))
        .collect();
    assert_eq!(alerts, [("path-unmatched", ""), ("rule-premise-gone", removed.as_str())]);
}

#[test]
fn what_sessions_say_ranks_lessons_before_it_is_recorded() {
    let mut repo = project();
    teach(&repo, "Use pnpm, not npm", "Use pnpm for every install, never npm.");
    for day in 1..4 {
        repo.now = format!("2026-12-0{day}T10:00:00.000Z");
        let id = format!("bad{day}");
        Client::new(&repo, &id).read("src/auth/login.ts");
        repo.now = format!("2026-12-0{day}T10:01:00.000Z");
        Client::new(&repo, &id).prompt("No, use pnpm, not npm. Always.");
    }
    assert_eq!(repo.marvel(["health"]).code, 0);
    let why: Value = serde_json::from_str(&repo.marvel(["--json", "why", "src/auth/login.ts"]).stdout).unwrap();
    assert_eq!(why["files"][0]["lessons"][0]["utility"], 0.2, "{why}");
}
