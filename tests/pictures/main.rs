//! Makes the pictures of the README from what the commands really print: a small project, a session in it, and then each
//! command as a person types it. Nothing here says what a picture is to show.
//!
//! `cargo test --bench pictures` writes `marvel/pictures/*.svg`.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a program of its own")]

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use anstyle_svg::Term;
use serde_json::{Value, json};

/// So many characters fit the width of a page.
const COLUMNS: usize = 110;

fn main() {
    let dir = tempfile::tempdir().unwrap();
    let world = World { home: dir.path().canonicalize().unwrap(), repo: dir.path().canonicalize().unwrap().join("shop") };
    world.build();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("marvel/pictures");
    std::fs::create_dir_all(&folder).unwrap();
    let take = |name: &str, args: &[&str]| {
        let said = world.marvel(args, true);
        let text = format!("\x1b[2m$\x1b[0m \x1b[1mmarvel {}\x1b[0m\n{}\n", args.join(" "), said.trim_end());
        let text: String = text.lines().map(wrap).collect();
        std::fs::write(folder.join(format!("{name}.svg")), Term::new().render_svg(&text)).unwrap();
        println!("{name}.svg: {} lines", said.lines().count());
    };
    take("demo", &["demo"]);
    take("why", &["why", "src/auth/login.ts"]);
    take("reflect", &["reflect"]);
    world.learn();
    take("review", &["review"]);
}

/// A line as a terminal shows it that is not wider.
fn wrap(line: &str) -> String {
    let (mut out, mut width, mut chars) = (String::new(), 0, line.chars());
    while let Some(char) = chars.next() {
        if char == '\x1b' {
            // a colour takes no room
            out.push(char);
            out.extend(chars.by_ref().take_while(|&char| char != 'm'));
            out.push('m');
            continue;
        }
        if width == COLUMNS {
            out.push('\n');
            width = 0;
        }
        out.push(char);
        width += 1;
    }
    out + "\n"
}

struct World {
    home: PathBuf,
    repo: PathBuf,
}

impl World {
    /// A project with the starter packs, in which somebody corrected the agent.
    fn build(&self) {
        for (path, text) in [
            ("package.json", "{ \"name\": \"shop\", \"type\": \"module\" }\n"),
            ("tsconfig.json", "{}\n"),
            ("src/auth/login.ts", "export const login = (name: string) => name\n"),
            ("src/cart.ts", "export const cart = []\n"),
            ("src/cart.test.ts", "import './cart'\n"),
        ] {
            let path = self.repo.join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        self.git(&["init", "-q", "-b", "main"]);
        self.marvel(&["init"], false);
        self.commit("Set up marvel");
        for (day, said) in [
            (27, "No, that is wrong. We never compare session tokens with ===, always use timingSafeEqual."),
            (28, "No. Again: never compare session tokens with ===, always use timingSafeEqual."),
            (28, "From now on write the tests beside the file that they test, not in a folder of their own."),
        ] {
            let session = format!("session-{day}");
            let hook = |event: &str, fields: &Value| self.hook(event, &session, day, fields);
            hook("session-start", &json!({ "hook_event_name": "SessionStart", "source": "startup" }));
            let read = json!({ "file_path": self.repo.join("src/auth/login.ts") });
            let tool = json!({ "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_input": read, "tool_use_id": said });
            hook("pre-tool-use", &tool);
            let prompt = json!({ "hook_event_name": "UserPromptSubmit", "prompt": said, "prompt_id": said });
            hook("user-prompt-submit", &prompt);
        }
    }

    /// What was heard becomes a lesson; another one is reworded, and one is written that nobody should merge.
    fn learn(&self) {
        let found: Value = serde_json::from_str(&self.marvel(&["--json", "reflect"], false)).unwrap();
        let id = found["candidates"][0]["id"].as_str().unwrap();
        let wording = ["--title", "Compare tokens in constant time", "--category", "auth", "--pack", "security"];
        let text = ["--description", "A comparison that stops early tells an attacker how far a guess was right."];
        let act = ["--actionable", "Compare session tokens with timingSafeEqual, never with ===."];
        self.marvel(&[&["promote", id], &wording[..], &text, &act].concat(), false);
        let title = ["teach", "--pack", "testing", "--category", "structure", "--title", "Keep tests beside what they test"];
        let text = ["--description", "They are found and moved together.", "--actionable"];
        self.marvel(
            &[&title[..], &text, &["Write src/cart.test.ts beside src/cart.ts. See https://example.org/tests."]].concat(),
            false,
        );
    }

    fn git(&self, args: &[&str]) {
        let status = self.command("git").args(args).status().unwrap();
        assert!(status.success(), "git {args:?}");
    }

    fn commit(&self, message: &str) {
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "--no-verify", "-m", message]);
    }

    fn marvel(&self, args: &[&str], colour: bool) -> String {
        let mut command = self.command(env!("CARGO_BIN_EXE_marvel"));
        command.args(args).args(if colour { ["--color", "always"].as_slice() } else { &[] });
        let output = command.stdin(Stdio::null()).output().unwrap();
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(!said.is_empty(), "{args:?}: {}", String::from_utf8_lossy(&output.stderr));
        said
    }

    fn hook(&self, event: &str, session: &str, day: u32, fields: &Value) {
        let mut input = json!({ "session_id": session, "cwd": self.repo });
        input.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        let mut command = self.command(env!("CARGO_BIN_EXE_marvel"));
        command.env("MARVEL_NOW", format!("2026-11-{day}T10:15:00.000Z"));
        let mut child = command.args(["hook", event]).stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        writeln!(child.stdin.take().unwrap(), "{input}").unwrap();
        assert!(child.wait().unwrap().success());
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.current_dir(&self.repo).env_clear().env("PATH", std::env::var_os("PATH").unwrap_or_default());
        command.env("HOME", &self.home).env("GIT_CONFIG_NOSYSTEM", "1").env("TZ", "UTC").env("LC_ALL", "C.UTF-8");
        command.env("MARVEL_NOW", "2026-11-29T10:15:00.000Z").env("COLUMNS", COLUMNS.to_string()).env("TERM", "xterm-256color");
        for who in ["AUTHOR", "COMMITTER"] {
            command.env(format!("GIT_{who}_NAME"), "Ada").env(format!("GIT_{who}_EMAIL"), "ada@example.com");
            command.env(format!("GIT_{who}_DATE"), "2026-11-29T10:15:00Z");
        }
        command
    }
}
