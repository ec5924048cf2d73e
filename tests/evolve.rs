//! `marvel evolve` and `marvel restore` on the packs branch of a real repository: what graduates, what is pruned, what comes
//! back, with git as the judge.

use serde_json::{Value, json};

use super::support::client::Client;
use super::support::{TestRepo, write_pack};

const LESSONS: &str = "packs:marvel/packs/security/lessons.jsonl";
const RULES: &str = "packs:marvel/packs/security/guardrails.md";

pub fn project() -> TestRepo {
    let repo = TestRepo::new();
    let meta = json!({"categories": ["security"], "sensitive_paths": ["**/auth/**"]});
    write_pack(&repo, "security", &meta, &[]);
    repo.write("src/auth/login.ts", "export const legacyCheck = 1\n");
    repo.write("src/auth/old.ts", "export const legacyHash = 1\n");
    repo.commit("packs");
    repo
}

#[track_caller]
pub fn teach(repo: &TestRepo, title: &str, actionable: &str) -> String {
    let fields = ["--title", title, "--description", "It went wrong once.", "--actionable", actionable, "--category", "security"];
    let [a, b, c, d, e, f, g, h] = fields;
    let output = repo.marvel(["--json", "teach", "--pack", "security", "--force", a, b, c, d, e, f, g, h]);
    assert_eq!(output.code, 0, "{output}");
    let done: Value = serde_json::from_str(&output.stdout).unwrap();
    done["commits"].as_array().unwrap().last().unwrap()["lesson"].as_str().unwrap().to_owned()
}

#[track_caller]
fn judged(repo: &TestRepo) -> Value {
    let output = repo.marvel(["--json", "evolve"]);
    assert_eq!(output.code, 0, "{output}");
    serde_json::from_str(&output.stdout).unwrap()
}

fn ids(judged: &Value, list: &str) -> Vec<String> {
    judged[list].as_array().unwrap().iter().map(|entry| entry["id"].as_str().unwrap().to_owned()).collect()
}

fn codes(judged: &Value, list: &str) -> Vec<String> {
    let reasons = judged[list][0]["reasons"].as_array().unwrap();
    reasons.iter().map(|reason| reason["code"].as_str().unwrap().to_owned()).collect()
}

#[test]
fn a_lesson_that_proved_itself_becomes_a_rule_in_one_commit() {
    let mut repo = project();
    let id = teach(&repo, "Check the signature first", "Call verify() before anything is parsed.");
    assert_eq!(ids(&judged(&repo), "keep"), [id.as_str()]);
    // shown in enough sessions, with nothing said against it; taught by one person alone, so the setting says that one is enough
    repo.write(
        "marvel/config.json",
        r#"{"evolve": {"graduate_injections": 3, "graduate_runs": 3, "graduate_people": 1, "graduate_utility": 0.75}}"#,
    );
    for session in ["one", "two", "three"] {
        let client = Client::new(&repo, session);
        client.start("startup");
        assert!(client.read("src/auth/login.ts").context.contains("Check the signature"));
    }
    repo.now = "2027-01-15T10:15:00.000Z".to_owned();
    let found = judged(&repo);
    assert_eq!(ids(&found, "graduate"), [id.as_str()], "{found}");
    let preview = repo.marvel(["evolve", "--apply", "--dry-run"]);
    assert!(
        preview.stdout.contains("+- Check the signature first: Call verify() before anything is parsed.")
            && preview.stdout.contains("would commit"),
        "{preview}"
    );
    assert_eq!(repo.git(["log", "--format=%s", "main..packs"]).lines().count(), 1);

    let output = repo.marvel(["evolve", "--apply"]);
    assert_eq!(output.code, 0, "{output}");
    assert_eq!(repo.git(["log", "-1", "--format=%s", "packs"]), "graduate(security): Check the signature first");
    let trailer = repo.git(["log", "-1", "--format=%(trailers:key=Marvel-Lesson,valueonly)", "packs"]);
    assert_eq!(trailer.trim(), id);
    assert_eq!(repo.git(["show", LESSONS]), "");
    let rules = repo.git(["show", RULES]);
    assert!(rules.ends_with("## Security\n\n- Check the signature first: Call verify() before anything is parsed."), "{rules}");
    assert_eq!(repo.git(["diff", "--name-only", "packs^", "packs"]).lines().count(), 2);
    // the rule is in force here at once, and the lesson is not
    let answer = Client::new(&repo, "four").read("src/auth/login.ts");
    assert!(answer.context.contains("Call verify() before") && !answer.context.contains(&id), "{answer:?}");
    assert!(ids(&judged(&repo), "graduate").is_empty());
    assert_eq!(repo.git(["status", "--porcelain"]), "?? marvel/config.json");
}

#[test]
fn a_person_may_graduate_what_nothing_recommends_and_needs_a_reason_to_prune() {
    let repo = project();
    let first = teach(&repo, "Log in UTC", "Write times in UTC.");
    let second = teach(&repo, "Name the tenant", "Put the tenant into every log line.");
    let output = repo.marvel(["evolve", "--prune", &second]);
    assert!(output.code == 2 && output.stderr.contains("--reason"), "{output}");
    let output = repo.marvel(["evolve", "--graduate", &first[..6], "--prune", &second, "--reason", "There is one tenant now."]);
    assert_eq!(output.code, 0, "{output}");
    assert_eq!(
        repo.git(["log", "--format=%s", "-2", "packs"]),
        "prune(security): Name the tenant\ngraduate(security): Log in UTC"
    );
    assert!(repo.git(["log", "-1", "--format=%B", "packs"]).contains("Because: There is one tenant now."));
    assert_eq!(repo.git(["show", LESSONS]), "");
    let again = repo.marvel(["evolve", "--prune", &second, "--reason", "again"]);
    assert_eq!(again.code, 1, "{again}");
    assert!(repo.marvel(["evolve", "--graduate", "ffff"]).code != 0);
}

#[test]
fn what_a_lesson_is_about_is_gone_and_the_commit_that_removed_it_is_named() {
    let repo = project();
    let gone = teach(&repo, "Keep the old file in step", "Change src/auth/old.ts together with the new one.");
    let stays = teach(&repo, "Look at the new file", "Change src/auth/login.ts together with the tests.");
    let never = teach(&repo, "Mind the gap", "Do as docs/never-written.md says.");
    assert!(ids(&judged(&repo), "prune").is_empty());
    repo.git(["rm", "-q", "src/auth/old.ts"]);
    let removed = repo.commit("Remove the old check");
    let found = judged(&repo);
    assert_eq!((ids(&found, "prune"), codes(&found, "prune")), (vec![gone.clone()], vec!["premise-gone".to_owned()]));
    assert_eq!(found["prune"][0]["reasons"][0]["commit"], removed.as_str());
    let mut kept = ids(&found, "keep");
    kept.sort();
    let mut expected = vec![stays.clone(), never];
    expected.sort();
    assert_eq!(kept, expected);
    let text = repo.marvel(["evolve"]).stdout;
    assert!(text.contains(&removed[..10]) && text.contains("marvel evolve --graduate"), "{text}");
    assert_eq!(repo.marvel(["evolve", "--apply"]).code, 0);
    assert!(repo.git(["log", "-1", "--format=%B", "packs"]).contains(&removed[..10]));
    assert!(!repo.git(["show", LESSONS]).contains(&gone) && repo.git(["show", LESSONS]).contains(&stays));
}

#[test]
fn a_file_that_only_moved_is_no_reason_to_prune() {
    let repo = project();
    let id = teach(&repo, "Keep the old file in step", "Change src/auth/old.ts together with the new one.");
    repo.write("lib/old.ts", repo.read("src/auth/old.ts"));
    repo.git(["rm", "-q", "src/auth/old.ts"]);
    let moved = repo.commit("Move it");
    let found = judged(&repo);
    assert_eq!((ids(&found, "strengthen"), codes(&found, "strengthen")), (vec![id], vec!["premise-moved".to_owned()]), "{found}");
    let reason = &found["strengthen"][0]["reasons"][0];
    assert!(reason["commit"] == moved.as_str() && reason["text"].as_str().unwrap().contains("lib/old.ts"), "{reason}");
    assert!(repo.marvel(["evolve", "--apply"]).stdout.contains("nothing to commit"));
    // and when it goes from there, it is gone
    repo.git(["rm", "-q", "lib/old.ts"]);
    repo.commit("Remove it");
    assert_eq!(codes(&judged(&repo), "prune"), ["premise-gone"]);
}

#[test]
fn what_was_taken_out_comes_back_as_it_was() {
    let repo = project();
    let id = teach(&repo, "Log in UTC", "Write times in UTC.");
    let line = repo.git(["show", LESSONS]);
    assert_eq!(repo.marvel(["evolve", "--prune", &id, "--reason", "A mistake."]).code, 0);
    assert!(Client::new(&repo, "one").read("src/auth/login.ts").context.find("Log in UTC").is_none());
    let preview = repo.marvel(["restore", &id[..5], "--dry-run"]);
    assert!(preview.code == 0 && preview.stdout.contains("would commit"), "{preview}");
    let output = repo.marvel(["restore", &id[..5]]);
    assert!(output.code == 0 && output.stdout.contains("Was pruned by "), "{output}");
    assert_eq!(repo.git(["show", LESSONS]), line);
    let message = repo.git(["log", "-1", "--format=%B", "packs"]);
    let pruned = repo.git(["rev-parse", "packs^"]);
    assert!(
        message.starts_with("restore(security): Log in UTC") && message.contains(&format!("Was pruned by {}.", &pruned[..10])),
        "{message}"
    );
    assert!(Client::new(&repo, "two").read("src/auth/login.ts").context.contains("Log in UTC"));
    assert!(repo.marvel(["restore", &id]).stdout.contains("skipped"));
    // graduated, then back
    assert_eq!(repo.marvel(["evolve", "--graduate", &id]).code, 0);
    assert_eq!(repo.marvel(["restore", &id]).code, 0);
    assert_eq!(repo.git(["show", LESSONS]), line);
    assert!(repo.marvel(["log", &id]).stdout.contains("restore"));
    assert_eq!(repo.marvel(["restore", "abcd"]).code, 1);
    assert_eq!(repo.marvel(["restore", "xyz"]).code, 2);
}

#[test]
fn a_line_that_was_taken_out_by_hand_comes_back_too() {
    let repo = project();
    write_pack(&repo, "security", &json!({"categories": ["security"], "sensitive_paths": ["**/auth/**"]}), &["By hand", "Other"]);
    repo.commit("two lessons");
    let text = repo.read("marvel/packs/security/lessons.jsonl");
    let shown: Value = serde_json::from_str(&repo.marvel(["--json", "lessons"]).stdout).unwrap();
    let lessons = shown["lessons"].as_array().unwrap();
    let id = lessons.iter().find(|one| one["title"] == "By hand").unwrap()["id"].as_str().unwrap().to_owned();
    repo.write("marvel/packs/security/lessons.jsonl", format!("{}\n", text.lines().nth(1).unwrap()));
    repo.commit("one lesson");
    assert_eq!(repo.marvel(["restore", &id]).code, 0);
    let line = repo.git(["show", LESSONS]).lines().last().unwrap().to_owned();
    let expected = format!(r#"{},"id":"{id}"}}"#, text.lines().next().unwrap().trim_end_matches('}'));
    assert_eq!(line, expected);
}

#[test]
fn the_report_reads_well() {
    let repo = project();
    let id = teach(&repo, "Keep the old file in step", "Change src/auth/old.ts together with the new one.");
    teach(&repo, "Log in UTC", "Write times in UTC.");
    repo.git(["rm", "-q", "src/auth/old.ts"]);
    let removed = repo.commit("Remove the old check");
    let text = repo.marvel(["evolve"]).stdout.replace(&id, "[id]").replace(&removed[..10], "[commit]");
    insta::assert_snapshot!(text, @"
    Prune (they are wrong, or what they are about is gone)
      [id] [security] Keep the old file in step
          names `src/auth/old.ts`, which is gone (removed in [commit], 2026-11-29)

    1 lesson stays as it is.
    marvel evolve --graduate ID   --prune ID   --apply for all of it; --dry-run shows the commits
    ");
}
