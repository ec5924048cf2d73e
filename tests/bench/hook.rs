//! What a tool call waits for: `marvel hook pre-tool-use` as a whole process, in a fresh session each time so that an
//! injection is really composed, against an empty static program started in the same way, in turn.
//!
//! `cargo bench --bench hook [ROUNDS]`; `MARVEL_BIN` names another binary to measure.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark is a program of its own")]

#[allow(dead_code, reason = "each benchmark takes what it needs")]
mod measure;

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use measure::{marvel, median, millis, write};
use serde_json::json;

const FILE: &str = "src/area-1/login.ts";

fn main() {
    let rounds = measure::rounds(300);
    let dir = tempfile::tempdir().unwrap();
    let worlds = [World::new(dir.path(), 4, 25), World::new(dir.path(), 500, 100)];
    let empty = empty_program(dir.path());

    let mut idle = Vec::new();
    let mut taken = [Vec::new(), Vec::new()];
    for round in 0..rounds + 20 {
        let mut measured = vec![time(&mut Command::new(&empty), "")];
        measured.extend(worlds.iter().map(|world| world.hook(round)));
        // the first ones fill the caches
        if round >= 20 {
            idle.push(measured[0]);
            taken.iter_mut().zip(&measured[1..]).for_each(|(all, one)| all.push(*one));
        }
    }
    let idle = median(idle);
    println!("{rounds} rounds, medians of whole processes");
    println!("{:<28}{:>9}", "empty static program", millis(idle));
    for (world, taken) in worlds.iter().zip(taken) {
        let taken = median(taken);
        println!("{:<28}{:>9}   minus empty: {}", world.name, millis(taken), millis(taken.saturating_sub(idle)));
    }
}

/// A repository with packs, of which four speak for [`FILE`].
struct World {
    name: String,
    dir: PathBuf,
}

impl World {
    fn new(top: &Path, packs: usize, lessons: usize) -> Self {
        let dir =
            top.join(format!("{packs}x{lessons}")).canonicalize().unwrap_or_else(|_| top.join(format!("{packs}x{lessons}")));
        write(&dir.join(".git/HEAD"), "ref: refs/heads/main\n");
        write(&dir.join(FILE), "export {}\n");
        for pack in 0..packs {
            let area = if pack < 4 { 1 } else { pack };
            let name = format!("pack-{pack}");
            let meta = json!({
                "name": name, "version": "1.0.0", "owner": "team", "description": "What this team knows of one area.",
                "categories": [format!("area-{pack}"), "patterns"],
                "applies_to": {"extensions": [".ts", ".tsx"]},
                "sensitive_paths": [format!("**/area-{area}/secret/**"), format!("**/.env.{area}*")],
                "excludes_paths": ["**/node_modules/**", "**/dist/**"],
                "references": {"code_paths": [format!("src/area-{area}"), format!("packages/*/area-{area}/**")], "doc_links": []},
            });
            let folder = dir.join("marvel/packs").join(&name);
            write(&folder.join("pack.json"), &format!("{meta:#}\n"));
            let rules = |section: usize| {
                (0..5)
                    .map(|rule| format!("- Rule {rule} of section {section}: say what it does, and why it must.\n"))
                    .collect::<String>()
            };
            write(
                &folder.join("guardrails.md"),
                &(0..5).map(|section| format!("## Section {section}\n\n{}\n", rules(section))).collect::<String>(),
            );
            let line = |lesson: usize| {
                format!(
                    r#"{{"timestamp":"2026-11-{:02}T10:15:00.000Z","category":"patterns","title":"Lesson {lesson} of pack {pack}","description":"What was learned when it went wrong the last time, in a sentence or two.","actionable":"Do this instead of that, number {lesson}","id":"{:010x}"}}"#,
                    lesson % 28 + 1,
                    pack * 1_000 + lesson
                ) + "\n"
            };
            write(&folder.join("lessons.jsonl"), &(0..lessons).map(line).collect::<String>());
        }
        Self { name: format!("{packs} packs x {lessons} lessons"), dir }
    }

    fn hook(&self, round: usize) -> Duration {
        let payload = json!({
            "session_id": format!("session-{round}"), "transcript_path": "/home/ada/.claude/projects/x/t.jsonl", "cwd": self.dir,
            "permission_mode": "default", "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": format!("toolu_{round}"),
            "tool_input": {"file_path": self.dir.join(FILE)},
        });
        time(marvel().args(["hook", "pre-tool-use"]).env("CLAUDE_PROJECT_DIR", &self.dir), &format!("{payload}\n"))
    }
}

/// From the start of a process to its end. What it says is read; a hook must have something to say.
fn time(command: &mut Command, input: &str) -> Duration {
    command.stdin(Stdio::piped()).stdout(Stdio::piped());
    let began = Instant::now();
    let mut child = command.spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    // an empty program may have ended already
    let _ = stdin.write_all(input.as_bytes());
    drop(stdin);
    let output = child.wait_with_output().unwrap();
    let taken = began.elapsed();
    let said = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success() && (input.is_empty() || said.contains("Lesson") && said.contains("Rule 1")), "{said}");
    taken
}

fn empty_program(dir: &Path) -> PathBuf {
    let (source, program) = (dir.join("empty.rs"), dir.join("empty"));
    write(&source, "fn main() {}\n");
    let built = Command::new("rustc").args(["-C", "target-feature=+crt-static", "-O", "-o"]).arg(&program).arg(&source).status();
    assert!(built.unwrap().success());
    program
}
