//! `marvel demo`: once round the loop in a throw-away repository, with the real commands, the real hooks and the real
//! git branch, for a newcomer to watch. It knows no more of the commands than a person does: it types them.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use super::Context;
use crate::error::{Context as _, Error, Result};
use crate::model::visible;
use crate::ui::{Report, Ui, style};

/// Watch the whole loop in a throw-away repository
///
/// A correction is heard, becomes a candidate, then a commit on the branch `packs`, and stands before the agent in the next session. Nothing
/// outside a temporary folder is touched.
#[derive(clap::Args)]
pub struct Args {
    /// Keep the repository, to look around in it
    #[arg(long)]
    keep: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let world = tempfile::Builder::new().prefix("marvel-demo-").tempdir().context("no temporary folder can be made")?;
    let stage = Stage { ui: cx.ui, home: world.path().to_owned(), repo: world.path().join("shop"), marvel: this_program()? };
    stage.play()?;
    let kept = args.keep.then(|| {
        let _ = world.keep();
        stage.repo.clone()
    });
    Ok(Box::new(Outcome { kept }))
}

struct Outcome {
    kept: Option<PathBuf>,
}

impl Report for Outcome {
    fn json(&self) -> Value {
        json!({ "kept": self.kept.as_ref().map(|path| path.to_string_lossy()) })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        match &self.kept {
            Some(path) => writeln!(out, "\nThe repository is kept: {}", visible::escape(&path.to_string_lossy())),
            None => writeln!(out, "\nThe repository is gone again; `--keep` keeps it. In your own project: `marvel init`."),
        }
    }
}

/// The file that the agent works on, and one that the lesson is not about.
const SENSITIVE: &str = "src/auth/login.ts";
const OTHER: &str = "src/shop/cart.ts";
const CORRECTION: &str =
    "No, don't trust the request body. We always validate it with zod at the API boundary, before the handler runs.";

/// A folder with a home and a repository of its own: the person's configuration plays no part.
struct Stage {
    ui: Ui,
    home: PathBuf,
    repo: PathBuf,
    marvel: PathBuf,
}

impl Stage {
    fn play(&self) -> Result<()> {
        self.scene("A small project, and MARVEL set up in it")?;
        self.build_project()?;
        self.type_marvel(&["init", "--yes"])?;
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-qm", "Set up marvel"])?;

        self.scene("A session with the agent. It opens a sensitive file; the hook puts the team's rules beside it")?;
        self.hook("session-start", "one", json!({ "hook_event_name": "SessionStart", "source": "startup" }))?;
        self.show_injection("one", SENSITIVE)?;

        self.scene("You correct the agent; a hook hears it, as it hears every prompt")?;
        self.say(&format!("{}you:{:#} {CORRECTION}\n", style::TITLE, style::TITLE))?;
        self.hook("user-prompt-submit", "one", json!({ "hook_event_name": "UserPromptSubmit", "prompt": CORRECTION }))?;
        self.hook("stop", "one", json!({ "hook_event_name": "Stop" }))?;
        self.hook("session-end", "one", json!({ "hook_event_name": "SessionEnd", "reason": "other" }))?;

        self.scene("Later: what was heard, and what of it is a rule? You decide")?;
        self.type_marvel(&["reflect"])?;
        let candidate = self.first_candidate()?;
        self.type_marvel(&[
            "promote",
            &candidate,
            "--pack",
            "security",
            "--category",
            "validation",
            "--title",
            "Validate request bodies with zod",
            "--description",
            "A request body is input from outside: a handler that trusts it can be made to write anything.",
            "--actionable",
            "Parse the body with a zod schema at the API boundary, before the handler runs",
        ])?;

        self.scene("The promotion is one commit on the branch `packs`; your own branch and files are untouched")?;
        self.type_git(&["log", "--graph", "--format=%h %an: %s", "packs"])?;
        self.type_git(&["show", "--format=%B", "packs"])?;
        self.type_git(&["diff", "--stat", "main...packs"])?;
        self.type_git(&["status", "--short", "--branch"])?;

        self.scene("The next session: the lesson stands first where it matters, and nowhere else")?;
        self.hook("session-start", "two", json!({ "hook_event_name": "SessionStart", "source": "startup" }))?;
        self.show_injection("two", SENSITIVE)?;
        self.show_injection("two", OTHER)?;
        self.type_marvel(&["why", SENSITIVE, OTHER])?;
        Ok(())
    }

    fn build_project(&self) -> Result<()> {
        std::fs::create_dir_all(&self.repo).context("no folder can be made for the demo")?;
        let files = [
            (SENSITIVE, "export async function login(body: any) {\n  return db.users.find(body.email);\n}\n"),
            (OTHER, "export const total = (prices: number[]) => prices.reduce((sum, price) => sum + price, 0);\n"),
            ("README.md", "# shop\n"),
        ];
        for (path, text) in files {
            let path = self.repo.join(path);
            std::fs::create_dir_all(path.parent().expect("every file is in a folder"))
                .context("no folder can be made for the demo")?;
            crate::session::file::replace(&path, text.as_bytes()).context("no file can be written for the demo")?;
        }
        self.git(&["init", "-q", "-b", "main"])?;
        self.git(&["config", "user.name", "You"])?;
        self.git(&["config", "user.email", "you@example.com"])?;
        self.git(&["add", "-A"])?;
        self.git(&["commit", "-qm", "A small shop"])
    }

    /// The agent reads a file: shows what the hook answers.
    fn show_injection(&self, session: &str, file: &str) -> Result<()> {
        let path = self.repo.join(file);
        let input = json!({
            "hook_event_name": "PreToolUse", "tool_name": "Read", "tool_use_id": format!("{session}-{file}"),
            "tool_input": { "file_path": path.to_string_lossy() },
        });
        let answer = self.hook("pre-tool-use", session, input)?;
        let context = serde_json::from_str::<Value>(&answer)
            .ok()
            .and_then(|answer| answer["hookSpecificOutput"]["additionalContext"].as_str().map(str::to_owned));
        let faint = style::FAINT;
        let mut text = format!("{faint}the agent reads {file}, and with it:{faint:#}\n");
        match context {
            None => text.push_str("  (nothing)\n"),
            Some(context) => {
                let lines: Vec<&str> = context.lines().collect();
                for line in lines.iter().take(12) {
                    let cut: String = line.chars().take(110).collect();
                    let more = if cut.len() < line.len() { "…" } else { "" };
                    writeln!(text, "  {}{more}", visible::escape(&cut))
                        .map_err(|error| Error::bug("formatting failed").caused_by(error))?;
                }
                if lines.len() > 12 {
                    text.push_str(&format!("  {faint}… and {} more lines{faint:#}\n", lines.len() - 12));
                }
            }
        }
        self.say(&text)
    }

    fn first_candidate(&self) -> Result<String> {
        let answer = self.capture(&["reflect", "--json"])?;
        let document: Value = serde_json::from_str(&answer).context("`marvel reflect --json` printed no JSON")?;
        document["candidates"][0]["id"]
            .as_str()
            .map(str::to_owned)
            .ok_or_else(|| Error::bug("the demo's correction became no candidate"))
    }

    fn scene(&self, title: &str) -> Result<()> {
        let (bold, mark) = (style::TITLE, style::HINT);
        self.say(&format!("\n{mark}──{mark:#} {bold}{title}{bold:#}\n\n"))
    }

    fn say(&self, text: &str) -> Result<()> {
        if self.ui.json { Ok(()) } else { self.ui.write(text) }
    }

    /// Shows a command as typed, and what it prints.
    fn type_command(&self, shown: &str, program: &Path, args: &[&str]) -> Result<()> {
        let mark = style::ID;
        self.say(&format!("{mark}$ {shown}{mark:#}\n"))?;
        let output = self.run(program, args, "")?;
        self.say(&output)?;
        self.say("\n")
    }

    fn type_marvel(&self, args: &[&str]) -> Result<()> {
        let mut colored = args.to_vec();
        colored.extend(["--color", "always"]);
        self.type_command(&shown("marvel", args), &self.marvel, &colored)
    }

    fn type_git(&self, args: &[&str]) -> Result<()> {
        self.type_command(&shown("git", args), Path::new("git"), &[&["-c", "color.ui=always"], args].concat())
    }

    fn git(&self, args: &[&str]) -> Result<()> {
        self.run(Path::new("git"), args, "").map(drop)
    }

    fn capture(&self, args: &[&str]) -> Result<String> {
        self.run(&self.marvel, args, "")
    }

    /// Sends a hook event as the client does: one line of JSON.
    fn hook(&self, event: &str, session: &str, mut input: Value) -> Result<String> {
        input["session_id"] = json!(session);
        input["cwd"] = json!(self.repo.to_string_lossy());
        self.run(&self.marvel, &["hook", event], &format!("{input}\n"))
    }

    #[allow(clippy::disallowed_methods, reason = "the demo types commands as a person's shell would, in a world of its own")]
    fn run(&self, program: &Path, args: &[&str], stdin: &str) -> Result<String> {
        let nowhere = self.home.join("no-such-file");
        let mut child = Command::new(program)
            .args(args)
            .current_dir(&self.repo)
            .env("HOME", &self.home)
            .env("XDG_CONFIG_HOME", &self.home)
            .env("CLAUDE_CONFIG_DIR", self.home.join(".claude"))
            .env("GIT_CONFIG_GLOBAL", &nowhere)
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_PAGER", "cat")
            .env_remove("GIT_DIR")
            .env_remove("GIT_WORK_TREE")
            .env_remove("GIT_INDEX_FILE")
            .env_remove("MARVEL")
            .env_remove("MARVEL_NOW")
            .env_remove("CLAUDE_PROJECT_DIR")
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .context(format!("`{}` could not be started", program.display()))?;
        child.stdin.take().expect("it was piped").write_all(stdin.as_bytes()).context("the demo's own command does not read")?;
        let output = child.wait_with_output().context("the demo's own command did not end")?;
        let said = String::from_utf8_lossy(&output.stdout).into_owned();
        if output.status.success() {
            return Ok(said + &String::from_utf8_lossy(&output.stderr));
        }
        let why = String::from_utf8_lossy(&output.stderr).into_owned();
        Err(Error::user(format!("the demo stopped at `{}`", shown(&program.to_string_lossy(), args))).caused_by(why))
    }
}

/// The running program itself: the demo shows what is installed, not what is on PATH.
fn this_program() -> Result<PathBuf> {
    std::env::current_exe().context("the running program cannot find itself")
}

/// A command line as a person would type it.
fn shown(program: &str, args: &[&str]) -> String {
    let quoted = args.iter().map(|arg| if arg.contains([' ', '%']) { format!("\"{arg}\"") } else { (*arg).to_owned() });
    std::iter::once(program.to_owned()).chain(quoted).collect::<Vec<_>>().join(" ")
}
