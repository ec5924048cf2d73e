//! What is kept of what a person says, and what a prompt brings before the agent.

use serde_json::{Value, json};

use crate::support::client::Client;
use crate::support::{TestRepo, write_pack};

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(
        &repo,
        "security",
        &json!({"categories": ["security", "auth"], "sensitive_paths": ["**/auth/**"]}),
        &["Validate inputs", "Hash every token"],
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

fn kept(client: &Client<'_>) -> Vec<Value> {
    client.run_file("guidance.jsonl")
}

const CORRECTION: &str = "No, that's wrong. Use pnpm, not npm, for packages.";

#[test]
fn a_correction_is_kept_with_what_the_agent_was_at() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    client.start("startup");
    client.edit("src/auth/login.ts");
    client.bash("npm install");
    client.prompt(CORRECTION);
    let [guidance] = &kept(&client)[..] else { panic!("{:?}", kept(&client)) };
    assert_eq!(guidance["type"], "correction");
    assert!(guidance["content"].as_str().unwrap().contains("Use pnpm, not npm"));
    assert_eq!((guidance["session_id"].as_str(), guidance["run_id"].as_str()), (Some("s"), Some("run_20261129_101500")));
    assert_eq!((guidance["file"].as_str(), guidance["tool"].as_str()), (Some("src/auth/login.ts"), Some("Bash")));
    assert_eq!(guidance["injected"].as_array().unwrap().len(), 2);
    assert_eq!((guidance["lang"].as_str(), guidance["pack"].as_str()), (Some("en"), Some("tooling")));
    assert!(guidance["id"].as_str().unwrap().starts_with("g_"));
    let prompts: Vec<Value> = client.run_file("activity.jsonl").into_iter().filter(|one| one["event"] == "prompt").collect();
    assert_eq!(prompts.len(), 1);
    assert_eq!((prompts[0]["type"].as_str(), prompts[0]["category"].as_str()), (Some("correction"), Some("tooling")));
    assert!(!prompts[0].to_string().contains("pnpm"), "no text in the activity");
}

#[test]
fn ch24_of_what_teaches_nothing_only_the_kind_is_kept() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    for prompt in ["why do you propose dropping the table?", "thanks, looks good", "ok deploy"] {
        client.prompt(prompt);
    }
    assert!(kept(&client).is_empty());
    let prompts = client.run_file("activity.jsonl");
    assert_eq!(prompts.len(), 3);
    assert!(prompts.iter().all(|one| one["type"] != "correction" && one["type"] != "direction"), "{prompts:?}");
}

#[test]
fn ch01_ch02_what_no_person_wrote_moves_nothing() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    for prompt in [
        "<task-notification>No, that is wrong. Use the skill, never npm.</task-notification>",
        "  \n<system-reminder>Always use tabs.</system-reminder>",
        "<new-kebab-tag>Don't do that again.</new-kebab-tag>",
    ] {
        assert!(client.prompt(prompt).is_empty());
    }
    for source in ["system", "loop_wakeup", "schedule_wakeup", "poll_event"] {
        client.event("UserPromptSubmit", &json!({"prompt": CORRECTION, "source": source}));
    }
    client.agent("agent-1").prompt(CORRECTION);
    assert!(kept(&client).is_empty());
    assert!(client.run_file("activity.jsonl").is_empty());
    client.prompt(&format!("<task-notification>Done.</task-notification>\n{CORRECTION}"));
    assert_eq!(kept(&client).len(), 1);
    assert!(!kept(&client)[0]["content"].as_str().unwrap().contains("Done"));
}

#[test]
fn ch07_a_host_that_we_do_not_know_is_listened_to() {
    let mut repo = repo();
    repo.set_env("CLAUDE_CODE_ENTRYPOINT", "anything-new");
    let client = Client::new(&repo, "s");
    client.event("UserPromptSubmit", &json!({"prompt": CORRECTION, "source": "sdk"}));
    client.event("UserPromptSubmit", &json!({"prompt": "No, never commit to main.", "source": "brand_new"}));
    assert_eq!(kept(&client).len(), 2);
}

#[test]
fn ch06_one_variable_switches_every_hook_off() {
    let mut repo = repo();
    repo.set_env("MARVEL", "0");
    let client = Client::new(&repo, "s");
    assert!(
        client.start("startup").is_empty() && client.prompt(CORRECTION).is_empty() && client.read("src/auth/login.ts").is_empty()
    );
    assert!(!repo.exists(".git/marvel"));
}

#[test]
fn the_same_prompt_told_twice_is_kept_once_and_said_twice_is_kept_twice() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    let prompt = |id: &str| client.event("UserPromptSubmit", &json!({"prompt": CORRECTION, "prompt_id": id}));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| prompt("p1"));
        }
    });
    assert_eq!(kept(&client).len(), 1);
    prompt("p2");
    assert_eq!(kept(&client).len(), 2);
    client.event("UserPromptSubmit", &json!({"prompt": "No, always run the tests first.", "prompt_id": "p2"}));
    assert_eq!(kept(&client).len(), 3);
}

#[test]
fn se01_secrets_are_taken_out_before_the_first_write() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    let secrets = [
        format!("AKIA{}", "ABCDEFGH23456789"),
        format!("ghp_{}", "a1B2c3D4e5F6".repeat(3)),
        format!("{}-{}", "xoxb", "123456789012-abcdefABCDEF123456"),
        format!("glpat{}", "-abcDEF123456ghiJKL78"),
    ];
    for secret in &secrets {
        client.prompt(&format!("No, that's wrong. Never use the key {secret}, use the vault instead."));
    }
    assert_eq!(kept(&client).len(), secrets.len());
    let mut all = String::new();
    for entry in walk(&repo.dir.join(".git/marvel")) {
        all.push_str(&String::from_utf8_lossy(&std::fs::read(entry).unwrap()));
    }
    for secret in &secrets {
        assert!(!all.contains(secret), "{secret}");
    }
    assert!(all.contains("use the vault instead"));
}

fn walk(dir: &std::path::Path) -> Vec<std::path::PathBuf> {
    let entries = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { walk(&path) } else { vec![path] }).collect()
}

#[cfg(unix)]
#[test]
fn what_is_kept_is_the_persons_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = repo();
    let client = Client::new(&repo, "s");
    client.start("startup");
    client.prompt(CORRECTION);
    client.read("src/auth/login.ts");
    let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let top = repo.dir.join(".git/marvel");
    for file in walk(&top) {
        assert_eq!(mode(&file), 0o600, "{}", file.display());
        assert_eq!(mode(file.parent().unwrap()), 0o700, "{}", file.display());
    }
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn files_that_the_prompt_names_bring_their_rules_before_any_edit() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    let answer = client.prompt("please look at @src/auth/login.ts and package.json");
    assert!(answer.context.contains("Validate inputs") && answer.context.contains("Use pnpm for packages"), "{answer:?}");
    assert!(client.read("src/auth/login.ts").is_empty());
    assert!(client.prompt("and again src/auth/login.ts").is_empty());
    assert!(client.prompt("what about src/auth/nothing.ts?").is_empty());
}

#[test]
fn a_correction_makes_its_packs_relevant_and_brings_back_what_is_closest_once() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    assert!(client.read("package.json").context.contains("Use pnpm for packages"));
    assert!(client.read("package.json").is_empty());
    client.prompt(CORRECTION);
    // the pack of the correction's category speaks for any file now
    let again = client.read("README.md");
    assert!(again.context.contains("Use pnpm for packages") && again.context.contains("Rule of tooling."), "{again:?}");
    assert!(client.read("README.md").is_empty());
    client.prompt("No! I told you: use pnpm, never npm, for packages.");
    assert!(client.read("README.md").is_empty(), "once for an agent");
    assert!(!client.agent("a").read("README.md").is_empty(), "a new agent has not seen it");
}

#[test]
fn ch10_what_was_said_in_a_worktree_stays_when_it_goes() {
    let repo = repo();
    let tree = repo.sibling("w");
    repo.git(["worktree", "add", "-q", tree.to_str().unwrap(), "-b", "topic"]);
    let client = Client::new(&repo, "s").at(&tree);
    client.prompt(CORRECTION);
    repo.git(["worktree", "remove", "--force", tree.to_str().unwrap()]);
    assert_eq!(kept(&client).len(), 1);
}

#[test]
fn huge_prompts_are_taken() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    client.prompt(&format!("{CORRECTION}\n```\n{}\n```\n", "log line\n".repeat(200_000)));
    assert_eq!(kept(&client).len(), 1);
    assert!(kept(&client)[0].to_string().len() < 2_000);
}
