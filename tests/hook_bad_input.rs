//! A hook never gets in the way: whatever it is given, it ends soon, with exit 0, nothing on standard error, and nothing or
//! one JSON object on standard output.

use std::io::{Read as _, Write as _};
use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::json;

use crate::support::client::{Answer, Client};
use crate::support::{Output, TestRepo, write_pack};

const EVENTS: [&str; 6] = ["session-start", "user-prompt-submit", "pre-tool-use", "subagent-start", "stop", "session-end"];

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &json!({"sensitive_paths": ["**/auth/**"], "categories": ["security"]}), &["Validate inputs"]);
    repo.write("src/auth/login.ts", "export {}\n");
    repo.commit("packs");
    repo
}

fn hook(repo: &TestRepo, args: &[&str], stdin: &[u8]) -> Output {
    let mut all = vec!["hook"];
    all.extend(args);
    repo.run(repo.command(env!("CARGO_BIN_EXE_marvel"), &all, &repo.dir), stdin)
}

#[track_caller]
fn silent(output: &Output) {
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""), "{output}");
}

#[test]
fn broken_input_is_answered_with_silence() {
    let repo = repo();
    let nested = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let inputs: Vec<Vec<u8>> = vec![
        b"".to_vec(),
        b"\n".to_vec(),
        b"{".to_vec(),
        b"null\n".to_vec(),
        b"[]\n".to_vec(),
        b"\"text\"\n".to_vec(),
        b"{}\n".to_vec(),
        b"\xff\xfe\x00\n".to_vec(),
        b"{\"session_id\":\"s\"}\n".to_vec(),
        b"{\"session_id\":\"s\",\"hook_event_name\":\"WorktreeCreate\",\"name\":\"x\"}\n".to_vec(),
        format!("{{\"session_id\":\"s\",\"cwd\":{},\"tool_input\":{{\"file_path\":", json!(repo.dir)).into_bytes(),
        format!("{{\"tool_input\":{nested}}}\n").into_bytes(),
        nested.into_bytes(),
    ];
    for input in &inputs {
        for event in EVENTS {
            silent(&hook(&repo, &[event], input));
        }
    }
    assert!(!repo.exists(".git/marvel"), "nothing was kept");
}

#[test]
fn unknown_arguments_are_passed_over() {
    let repo = repo();
    let payload = Client::new(&repo, "s")
        .payload("PreToolUse", &json!({"tool_name": "Read", "tool_input": {"file_path": "src/auth/login.ts"}}));
    for (i, args) in [&["pre-tool-use", "--later", "x"][..], &[], &["no-such-event"], &["--help"]].iter().enumerate() {
        let mut payload = payload.clone();
        payload["session_id"] = json!(format!("s{i}"));
        let answer = Answer::of("PreToolUse", &hook(&repo, args, format!("{payload}\n").as_bytes()));
        assert!(answer.context.contains("Validate inputs"), "{args:?}");
    }
    // the argument names the event where the input does not
    let mut payload = payload;
    payload.as_object_mut().unwrap().remove("hook_event_name");
    let answer = Answer::of("PreToolUse", &hook(&repo, &["pre-tool-use"], payload.to_string().as_bytes()));
    assert!(answer.context.contains("Validate inputs"));
}

#[test]
fn ch16_bytes_that_are_no_utf8_cost_only_themselves() {
    let repo = repo();
    let mut input = format!("{{\"session_id\":\"s\",\"cwd\":{},\"hook_event_name\":\"PreToolUse\",\"tool_name\":\"Write\",\"tool_input\":{{\"content\":\"", json!(repo.dir)).into_bytes();
    input.extend_from_slice(b"\xff\xfe \\ud83d \xc3");
    input.extend_from_slice(b"\",\"file_path\":\"src/auth/login.ts\"}}\n");
    let answer = Answer::of("PreToolUse", &hook(&repo, &["pre-tool-use"], &input));
    assert!(answer.context.contains("Validate inputs"));
}

#[test]
fn huge_input_is_read() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    let answer = client.tool("Write", &json!({"content": "\n\"é\\".repeat(1_200_000), "file_path": "src/auth/login.ts"}));
    assert!(answer.context.contains("Validate inputs"));
    client.event("UserPromptSubmit", &json!({"prompt": "a b ".repeat(2_500_000)}));
}

#[test]
fn input_that_never_ends_is_not_waited_for() {
    let repo = repo();
    let payload = Client::new(&repo, "s")
        .payload("PreToolUse", &json!({"tool_name": "Read", "tool_input": {"file_path": "src/auth/login.ts"}}));
    for (input, answered) in [(format!("{payload}\n"), true), (payload.to_string(), false), (String::new(), false)] {
        let began = Instant::now();
        let mut command = repo.command(env!("CARGO_BIN_EXE_marvel"), &["hook", "pre-tool-use"], &repo.dir);
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut stdin = child.stdin.take().unwrap();
        stdin.write_all(input.as_bytes()).unwrap();
        let mut stdout = String::new();
        child.stdout.take().unwrap().read_to_string(&mut stdout).unwrap();
        assert_eq!(child.wait().unwrap().code(), Some(0));
        assert!(began.elapsed() < Duration::from_secs(20), "the deadline is far nearer");
        assert_eq!(stdout.contains("Validate inputs"), answered, "{input}");
        drop(stdin);
    }
}

#[test]
fn ch08_without_a_repository_nothing_happens() {
    let mut repo = TestRepo::outside();
    let client = Client::new(&repo, "s");
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "SubagentStart", "Stop", "SessionEnd"] {
        let fields = json!({"prompt": "No, use pnpm.", "tool_name": "Read", "tool_input": {"file_path": "a.ts"}});
        silent(&client.send(&client.payload(event, &fields)));
    }
    assert_eq!(std::fs::read_dir(&repo.dir).unwrap().count(), 0);

    // the project's folder counts where the payload names none that is usable
    let project = self::repo();
    repo.set_env("CLAUDE_PROJECT_DIR", project.dir.to_str().unwrap());
    for (i, cwd) in [json!(""), json!(null), json!("/no/such/folder"), json!(repo.dir), json!("relative")].iter().enumerate() {
        let client = Client::new(&repo, &format!("s{i}"));
        let mut payload = client.payload(
            "PreToolUse",
            &json!({"tool_name": "Read", "tool_input": {"file_path": project.dir.join("src/auth/login.ts")}}),
        );
        payload["cwd"] = cwd.clone();
        let answer = Answer::of("PreToolUse", &client.send(&payload));
        assert!(answer.context.contains("Validate inputs"), "{cwd}");
    }
}

#[test]
fn a_session_without_an_id_is_kept_by_the_clients_variable_or_not_at_all() {
    let mut repo = repo();
    let payload = json!({"cwd": repo.dir, "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": {"file_path": "src/auth/login.ts"}});
    silent(&repo.hook("pre-tool-use", &payload));
    repo.set_env("CLAUDE_CODE_SESSION_ID", "from-the-client");
    assert!(repo.hook("pre-tool-use", &payload).stdout.contains("Validate inputs"));
    assert!(repo.exists(".git/marvel/runs/from-the-client/injections.jsonl"));
}

#[test]
fn ids_that_are_no_file_names_stay_in_their_folder() {
    let repo = repo();
    for id in ["../../../outside", "/tmp/x", "a/b", "..", &"long".repeat(200), "nul\u{0}", "ümlaut"] {
        let answer = Client::new(&repo, id).read("src/auth/login.ts");
        assert!(answer.context.contains("Validate inputs"), "{id}");
    }
    assert_eq!(std::fs::read_dir(repo.dir.join(".git/marvel/runs")).unwrap().count(), 7);
    assert!(!repo.sibling("outside").exists());
}

#[test]
fn a_broken_pack_silences_itself_and_not_the_others() {
    let repo = repo();
    write_pack(&repo, "broken", &json!({"sensitive_paths": ["**/auth/**"]}), &["Never seen"]);
    repo.write("marvel/packs/broken/pack.json", "{\"name\":\"broken\",");
    repo.write(
        "marvel/packs/half/pack.json",
        json!({"name": "half", "version": "1.0.0", "owner": "o", "sensitive_paths": ["**/auth/**", "[", "{a"]}).to_string(),
    );
    repo.write("marvel/packs/half/lessons.jsonl", b"{\"torn\":\n\xff\n[]\n42\nnull\n\"str\"\n<<<<<<< ours\n\0\0\0\n");
    repo.write("marvel/packs/half/guardrails.md", b"- Half is here \xff.\n");
    repo.write("marvel/config.json", "{\"inject\":");
    let client = Client::new(&repo, "s");
    client.start("startup");
    let answer = client.read("src/auth/login.ts");
    assert!(answer.context.contains("Validate inputs") && answer.context.contains("Half is here"), "{answer:?}");
    assert!(!answer.context.contains("Never seen"));
    let log = repo.read(".git/marvel/log");
    assert!(log.contains("marvel/packs/broken is passed over") && log.contains("marvel/config.json is passed over"), "{log}");
}

#[test]
fn a_broken_git_configuration_and_an_empty_path_are_no_matter() {
    let repo = repo();
    repo.write(".git/config", "[core\nnot a config = \u{0}\n");
    for session in ["s", "t"] {
        let mut command = repo.command(env!("CARGO_BIN_EXE_marvel"), &["hook"], &repo.dir);
        if session == "t" {
            command.env_remove("PATH").env_remove("HOME");
        } else {
            command.env("PATH", "");
        }
        let payload = Client::new(&repo, session)
            .payload("PreToolUse", &json!({"tool_name": "Read", "tool_input": {"file_path": "src/auth/login.ts"}}));
        let answer = Answer::of("PreToolUse", &repo.run(command, format!("{payload}\n").as_bytes()));
        assert!(answer.context.contains("Validate inputs"));
    }
    let client = Client::new(&repo, "u");
    client.start("startup");
    client.prompt("No, that's wrong. Use pnpm, not npm.");
    assert_eq!(client.run_file("guidance.jsonl").len(), 1);
    client.event("Stop", &json!({}));
    client.event("SessionEnd", &json!({}));
}

#[test]
fn where_nothing_can_be_written_nothing_is_said() {
    // a file stands where the folder should be: that holds for root too
    let repo = repo();
    std::fs::write(repo.dir.join(".git/marvel"), "in the way").unwrap();
    let client = Client::new(&repo, "s");
    let fields =
        json!({"prompt": "No, that's wrong. Use pnpm.", "tool_name": "Read", "tool_input": {"file_path": "src/auth/login.ts"}});
    for event in ["SessionStart", "UserPromptSubmit", "PreToolUse", "Stop", "SessionEnd"] {
        silent(&client.send(&client.payload(event, &fields)));
    }
    assert_eq!(repo.read(".git/marvel"), "in the way");
}

#[cfg(unix)]
#[test]
fn a_read_only_git_folder_is_no_matter() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = repo();
    let git = repo.dir.join(".git");
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o555)).unwrap();
    let free = std::fs::write(git.join("probe"), "").is_ok();
    let client = Client::new(&repo, "s");
    let answer = client.read("src/auth/login.ts");
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    // root writes everywhere
    assert!(free || answer.is_empty());
}

#[test]
fn damaged_records_of_a_run_are_passed_over() {
    let repo = repo();
    let client = Client::new(&repo, "s");
    client.start("startup");
    client.read("README.md");
    for (file, bytes) in [
        ("run.json", &b"{\"torn"[..]),
        ("activity.jsonl", b"\0\0\0{\"at\":1}\n\xff\xfe\n{\"at\""),
        ("injections.jsonl", b"nonsense\n{\"what\":\"later\"}\n{\"at\":\"20"),
        ("guidance.jsonl", b"[]\n{"),
    ] {
        std::fs::write(repo.dir.join(".git/marvel/runs/s").join(file), bytes).unwrap();
    }
    std::fs::write(repo.dir.join(".git/marvel/overlay.json"), "{\"version\":1,\"packs\":[]}").unwrap();
    assert!(client.read("src/auth/login.ts").context.contains("Validate inputs"));
    assert!(client.read("src/auth/login.ts").is_empty());
    client.prompt("No, that's wrong. Use pnpm, not npm.");
    client.event("Stop", &json!({}));
    client.event("SessionEnd", &json!({}));
    assert!(repo.read(".git/marvel/log").contains("overlay"));
}

#[test]
fn a_client_that_passes_no_arguments_is_not_refused_anything() {
    let repo = TestRepo::new();
    let output = repo.marvel([]);
    assert_eq!((output.code, output.stdout.as_str(), output.stderr.as_str()), (0, "", ""));
    // a person who mistypes is told
    assert_eq!(repo.marvel(["no-such-command"]).code, 2);
}
