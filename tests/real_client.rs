//! The real client, offline: its model is a script, its hooks are ours. What is asserted is what the model would have
//! seen, and what the client's own log says of the hooks. Passed over where there is no client: `claude` on PATH, or where
//! `MARVEL_CLAUDE` says.

#![cfg(unix)]

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::evolve::{project, teach};
use crate::support::TestRepo;
use crate::support::api::{Api, Script, Step};

const LESSON: &str = "Compare tokens with timingSafeEqual";

fn client() -> Option<PathBuf> {
    let named = std::env::var_os("MARVEL_CLAUDE").map(PathBuf::from);
    let on_path = || {
        let path = std::env::var_os("PATH")?;
        std::env::split_paths(&path).map(|folder| folder.join("claude")).find(|program| program.exists())
    };
    let found = named.or_else(on_path);
    if found.is_none() {
        eprintln!("passed over: there is no client on this machine");
    }
    found
}

/// What one start of the client came to.
struct Ran {
    requests: Vec<Value>,
    /// The client's log.
    log: String,
    session: String,
}

impl Ran {
    /// The requests of the conversation that began with this text.
    fn of(&self, text: &str) -> Vec<String> {
        let began = |request: &&Value| {
            let first = request["messages"].as_array().and_then(|all| all.iter().find(|message| message["role"] == "user"));
            first.is_some_and(|message| message["content"].to_string().contains(text))
        };
        let asked = |request: &&Value| request["tools"].as_array().is_some_and(|tools| !tools.is_empty());
        self.requests.iter().filter(began).filter(asked).map(Value::to_string).collect()
    }

    /// Every hook of ours ended with 0; how many there were.
    #[track_caller]
    fn hooks(&self) -> usize {
        let ended = self.log.lines().filter(|line| line.contains("marvel") && line.contains("] finished with status "));
        ended.inspect(|line| assert!(line.contains("finished with status 0 "), "{line}")).count()
    }
}

fn run(repo: &TestRepo, client: &Path, script: Script, prompt: &str, more: &[&str]) -> Ran {
    let api = Api::start(script);
    let log = repo.sibling("client.log");
    let _ = std::fs::remove_file(&log);
    let mut args = vec!["-p", prompt, "--model", "claude-sonnet-5", "--allowedTools", "Read Edit Write Bash Glob Grep Agent"];
    args.extend(["--output-format", "json", "--debug-file", log.to_str().unwrap()]);
    args.extend(more);
    let mut command = repo.command(client.to_str().unwrap(), &args, &repo.dir);
    command.env("ANTHROPIC_BASE_URL", api.url()).env("ANTHROPIC_API_KEY", "none");
    for off in ["CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER", "DISABLE_TELEMETRY"] {
        command.env(off, "1");
    }
    let output = repo.run(command, b"");
    assert_eq!(output.code, 0, "{output}");
    let ended: Value = output.stdout.lines().rev().find_map(|line| serde_json::from_str(line).ok()).unwrap_or_default();
    let last = ended.as_array().and_then(|all| all.last().cloned()).unwrap_or(ended);
    let session = last["session_id"].as_str().unwrap_or_default().to_owned();
    Ran { requests: api.requests(), log: std::fs::read_to_string(&log).unwrap_or_default(), session }
}

fn installed() -> TestRepo {
    let repo = project();
    assert_eq!(repo.marvel(["init"]).code, 0);
    repo.commit("Install");
    repo
}

fn count(text: &str, of: &str) -> usize {
    text.matches(of).count()
}

fn uses(name: &'static str, input: Value) -> Step {
    Step::Uses(vec![(name, input)])
}

#[test]
fn each_agent_is_told_once_and_again_after_compaction() {
    let Some(client) = client() else { return };
    let repo = installed();
    teach(&repo, LESSON, "Call it from node:crypto; never use === for a token.");
    let file = repo.dir.join("src/auth/login.ts");
    let read = || uses("Read", json!({ "file_path": file }));
    let edit = |old: &str, new: &str| uses("Edit", json!({ "file_path": file, "old_string": old, "new_string": new }));
    let errand =
        json!({ "description": "Look at it", "prompt": "ERRAND: look at the login", "subagent_type": "general-purpose" });
    let script: Script = vec![
        ("ERRAND", vec![read(), Step::Says("Looked.")]),
        ("MAIN TASK", vec![read(), edit("legacyCheck", "newCheck"), uses("Agent", errand), read(), Step::Says("Done.")]),
    ];
    let ran = run(&repo, &client, script, "MAIN TASK: tidy up the login", &[]);
    let main = ran.of("MAIN TASK");
    let seen: Vec<usize> = main.iter().map(|request| count(request, LESSON)).collect();
    assert_eq!((seen.first(), seen.last()), (Some(&0), Some(&1)), "{seen:?}");
    assert!(seen[1..].iter().all(|&times| times == 1), "told once, with the first file that it is about: {seen:?}");
    let errand: Vec<usize> = ran.of("ERRAND").iter().map(|request| count(request, LESSON)).filter(|&times| times > 0).collect();
    assert!(!errand.is_empty() && errand.iter().all(|&times| times == 1), "a sub-agent has a memory of its own: {errand:?}");
    assert!(ran.hooks() >= 7, "{}", ran.log);
    assert_eq!(repo.read("src/auth/login.ts"), "export const newCheck = 1\n");

    let again: Script = vec![("", vec![read(), read(), Step::Says("Done.")])];
    let compacted = run(&repo, &client, Vec::new(), "/compact", &["--resume", &ran.session]);
    compacted.hooks();
    let after = run(&repo, &client, again, "GO ON with the login", &["--resume", &compacted.session]);
    let seen = after.requests.iter().map(|request| count(&request.to_string(), LESSON)).max();
    assert_eq!(seen, Some(1), "what compaction took away comes once more");
    assert!(after.hooks() > 2, "{}", after.log);
}

#[test]
fn a_correction_that_is_typed_is_context_in_the_next_session() {
    let Some(client) = client() else { return };
    let repo = installed();
    let file = repo.dir.join("src/auth/login.ts");
    let read = || uses("Read", json!({ "file_path": file }));
    let first =
        run(&repo, &client, vec![("TASK", vec![read(), Step::Says("I compared them with ===.")])], "TASK: check tokens", &[]);
    assert!(first.hooks() > 2, "{}", first.log);
    let said = "No, that is wrong. We never compare tokens with ===; always use timingSafeEqual for tokens and state values.";
    let second = run(&repo, &client, Vec::new(), said, &["--resume", &first.session]);
    assert!(second.hooks() > 1, "{}", second.log);
    let candidates = repo.marvel(["--json", "reflect"]).json();
    let id = candidates["candidates"][0]["id"].as_str().unwrap_or_else(|| panic!("{candidates}")).to_owned();
    let wording = ["--title", LESSON, "--description", "It leaks.", "--actionable", "Use timingSafeEqual for tokens."];
    let [a, b, c, d, e, f] = wording;
    let done = repo.marvel(["promote", &id, "--pack", "security", "--category", "security", a, b, c, d, e, f]);
    assert_eq!(done.code, 0, "{done}");
    let script = || -> Script { vec![("NEXT TASK", vec![read(), Step::Says("Done.")])] };
    let third = run(&repo, &client, script(), "NEXT TASK: look at the login", &[]);
    let seen: Vec<usize> = third.of("NEXT TASK").iter().map(|request| count(request, LESSON)).collect();
    assert_eq!((seen.first(), seen.last()), (Some(&0), Some(&1)), "{seen:?}");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}
