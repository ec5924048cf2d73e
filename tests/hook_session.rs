//! A session from start to end: the headline, compaction, sub-agents, and what the person is told.

use serde_json::json;

use crate::support::client::Client;
use crate::support::{TestRepo, write_pack};

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(
        &repo,
        "security",
        &json!({"categories": ["security", "auth"], "sensitive_paths": ["**/auth/**"], "description": "Who may do what."}),
        &["Validate inputs"],
    );
    write_pack(
        &repo,
        "tooling",
        &json!({"categories": ["tooling"], "references": {"code_paths": ["package.json"]}}),
        &["Use pnpm for packages"],
    );
    repo.write("src/auth/login.ts", "export {}\n");
    repo.write("package.json", "{}\n");
    repo.commit("packs");
    repo
}

fn later(repo: &mut TestRepo, time: &str) {
    repo.now = time.to_owned();
}

#[test]
fn a_session_starts_with_a_headline_that_is_always_the_same() {
    let repo = repo();
    let first = Client::new(&repo, "a").start("startup");
    assert!(first.context.contains("- security: Who may do what.") && first.context.contains("- tooling"), "{first:?}");
    assert!(first.context.encode_utf16().count() <= 1_500);
    assert_eq!(Client::new(&repo, "b").start("startup"), first);
    assert_eq!(Client::new(&repo, "c").start("clear"), first);
    assert!(Client::new(&repo, "d").start("resume").is_empty());
    assert!(Client::new(&repo, "e").start("fork").is_empty());
}

#[test]
fn without_packs_a_session_starts_in_silence() {
    let repo = TestRepo::new();
    assert!(Client::new(&repo, "a").start("startup").is_empty());
}

#[test]
fn a_run_is_opened_goes_on_and_is_closed() {
    let mut repo = repo();
    let run = |repo: &TestRepo| -> serde_json::Value { serde_json::from_str(&repo.read(".git/marvel/runs/s/run.json")).unwrap() };
    Client::new(&repo, "s").event("SessionStart", &json!({"source": "startup", "model": "m-1"}));
    assert_eq!(
        (run(&repo)["run_id"].as_str(), run(&repo)["segment"].as_u64(), run(&repo)["model"].as_str()),
        (Some("run_20261129_101500"), Some(1), Some("m-1"))
    );
    Client::new(&repo, "s").prompt("No, that's wrong. Use pnpm, not npm.");
    Client::new(&repo, "s").read("src/auth/login.ts");
    assert!(Client::new(&repo, "s").event("SessionEnd", &json!({"reason": "other"})).is_empty());
    assert_eq!(run(&repo)["ended"], "2026-11-29T10:15:00.000Z");
    let counts = &run(&repo)["counts"];
    assert_eq!(
        (counts["prompts"].as_u64(), counts["corrections"].as_u64(), counts["tools"].as_u64(), counts["lessons"].as_u64()),
        (Some(1), Some(1), Some(1), Some(2))
    );
    later(&mut repo, "2026-11-30T09:00:00Z");
    Client::new(&repo, "s").start("resume");
    assert_eq!((run(&repo)["run_id"].as_str(), run(&repo)["segment"].as_u64()), (Some("run_20261129_101500"), Some(2)));
    assert!(run(&repo)["ended"].is_null());
    later(&mut repo, "2027-07-01T09:00:00Z");
    Client::new(&repo, "t").start("startup");
    assert!(!repo.exists(".git/marvel/runs/s") && repo.exists(".git/marvel/runs/t"));
}

#[test]
fn after_a_compaction_the_last_files_items_come_again() {
    let mut repo = repo();
    Client::new(&repo, "s").start("startup");
    let before = Client::new(&repo, "s").edit("src/auth/login.ts");
    Client::new(&repo, "s").agent("sub").read("package.json");
    later(&mut repo, "2026-11-29T10:30:00Z");
    let client = Client::new(&repo, "s");
    let again = client.start("compact");
    assert!(before.context.contains("Validate inputs") && again.context.contains("Validate inputs"), "{again:?}");
    assert!(!again.context.contains("pnpm") && again.message.is_empty());
    assert!(client.read("src/auth/login.ts").is_empty());
    assert!(client.read("package.json").context.contains("Use pnpm for packages"));
    assert!(client.agent("sub").read("package.json").is_empty(), "the sub-agent has its own memory");
    later(&mut repo, "2026-11-29T10:45:00Z");
    let client = Client::new(&repo, "s");
    assert!(!client.start("clear").context.contains("Validate inputs"));
    assert!(client.read("src/auth/login.ts").context.contains("Validate inputs"));
}

#[test]
fn a_sub_agent_gets_the_headline_unless_it_only_looks_around() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    let start = |kind: &str| client.event("SubagentStart", &json!({"agent_id": kind, "agent_type": kind})).context;
    assert!(start("general-purpose").contains("- security"));
    for explorer in ["Explore", "Plan"] {
        assert_eq!(start(explorer), "");
    }
}

#[test]
fn at_a_stop_the_person_is_told_once_of_what_was_said_again() {
    let mut repo = repo();
    let correct = |repo: &TestRepo, session: &str| {
        let client = Client::new(repo, session);
        client.start("startup");
        client.edit("package.json");
        client.prompt("No, that's wrong. Use pnpm, not npm.");
        client.event("Stop", &json!({"stop_hook_active": false}))
    };
    correct(&repo, "a");
    later(&mut repo, "2026-11-29T12:00:00Z");
    let told = correct(&repo, "b");
    assert!(
        told.message.contains("Use pnpm, not npm")
            && told.message.contains("(2 times)")
            && told.message.contains("marvel reflect"),
        "{told:?}"
    );
    assert!(told.context.is_empty());
    let client = Client::new(&repo, "b");
    assert!(client.event("Stop", &json!({})).is_empty());
    client.prompt("thanks");
    assert!(client.event("Stop", &json!({})).is_empty());
}

#[test]
fn once_a_day_the_person_is_told_what_keeps_coming_back() {
    let mut repo = repo();
    for (session, time) in [("a", "2026-11-20T10:00:00Z"), ("b", "2026-11-21T10:00:00Z")] {
        later(&mut repo, time);
        let client = Client::new(&repo, session);
        client.edit("package.json");
        client.prompt("No, that's wrong. Always use pnpm, not npm.");
    }
    later(&mut repo, "2026-11-22T10:00:00Z");
    let told = Client::new(&repo, "c").start("startup");
    assert!(told.message.contains("several sessions") && told.message.contains("marvel reflect"), "{told:?}");
    assert!(!told.context.contains("several sessions"));
    assert!(Client::new(&repo, "d").start("startup").message.is_empty());
    later(&mut repo, "2026-11-23T10:01:00Z");
    assert!(!Client::new(&repo, "e").start("startup").message.is_empty());
}

#[test]
fn a_start_that_is_told_twice_is_answered_once() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    let answers: Vec<_> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| client.start("startup"))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(answers.iter().filter(|answer| !answer.is_empty()).count(), 1);
}

#[test]
fn the_lesson_that_was_worded_last_comes_first() {
    let mut repo = repo();
    let titles = ["Lesson one", "Lesson two", "Lesson three", "Lesson four", "Lesson five"];
    write_pack(&repo, "many", &json!({"references": {"code_paths": ["docs"]}}), &titles);
    repo.commit("many");
    let shown = |repo: &TestRepo, session: &str| -> Vec<&str> {
        // what earlier sessions say of the lessons ranks them too, and is another test's
        let _ = std::fs::remove_dir_all(repo.dir.join(".git/marvel/runs"));
        Client::new(repo, session).start("startup");
        let context = Client::new(repo, session).read("docs/a.md").context;
        let mut found: Vec<_> = titles.into_iter().filter_map(|title| Some((context.find(title)?, title))).collect();
        found.sort_unstable();
        found.into_iter().map(|(_, title)| title).collect()
    };
    // all were learned in the same moment: their ids decide
    let first = shown(&repo, "a");
    assert_eq!(first.len(), 3);
    let last = titles.into_iter().find(|title| !first.contains(title)).unwrap();
    later(&mut repo, "2026-11-30T10:15:00.000Z");
    let file = repo.read("marvel/packs/many/lessons.jsonl");
    repo.write("marvel/packs/many/lessons.jsonl", file.replace(&format!("Why: {last}"), "In better words"));
    repo.commit("Reword");
    assert_eq!(shown(&repo, "b"), [last, first[0], first[1]]);
    // counters are no words
    later(&mut repo, "2026-12-01T10:15:00.000Z");
    let file = repo.read("marvel/packs/many/lessons.jsonl");
    let (start, _) = file.split_once(&format!("\"title\":\"{}\"", first[1])).unwrap();
    let (before, line) = start.rsplit_once('{').unwrap();
    let rest = &file[start.len()..];
    repo.write("marvel/packs/many/lessons.jsonl", format!("{before}{{\"injection_count\":3,{line}{rest}"));
    repo.commit("Count");
    assert_eq!(shown(&repo, "c"), [last, first[0], first[1]]);
    std::fs::remove_dir_all(repo.dir.join(".git/marvel/cache")).unwrap();
    assert_eq!(shown(&repo, "d"), [last, first[0], first[1]], "a cache may be deleted at any time");
}
