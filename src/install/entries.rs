//! The hook entries that MARVEL puts into a settings file: which events, in which form, and how they are known again.
//! Where in the file they stand is `settings`'.

use serde::Serialize;

/// One event that MARVEL listens to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event {
    /// The client's name.
    pub name: &'static str,
    /// What `marvel hook` calls it.
    pub argument: &'static str,
    pub matcher: Option<&'static str>,
}

const fn event(name: &'static str, argument: &'static str, matcher: Option<&'static str>) -> Event {
    Event { name, argument, matcher }
}

pub const EVENTS: [Event; 6] = [
    event("SessionStart", "session-start", None),
    event("UserPromptSubmit", "user-prompt-submit", None),
    event("PreToolUse", "pre-tool-use", Some("Read|Edit|Write|NotebookEdit|Grep|Bash")),
    event("SubagentStart", "subagent-start", None),
    event("Stop", "stop", None),
    event("SessionEnd", "session-end", None),
];

/// Seconds; a hook ends by itself well before.
const TIMEOUT: u32 = 5;

/// How an entry finds the binary.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Form {
    /// For a file that others share: looks for the binary, and is silent where there is none.
    Guarded,
    /// For a person's own file: calls the binary.
    Direct { program: String },
}

/// One handler, in the client's words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Handler {
    r#type: &'static str,
    pub command: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub args: Vec<String>,
    timeout: u32,
}

/// One group, in the client's words.
#[derive(Clone, Debug, Serialize)]
pub struct Group {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub matcher: Option<&'static str>,
    pub hooks: [Handler; 1],
}

impl Event {
    pub fn handler(&self, form: &Form) -> Handler {
        let (command, args) = match form {
            Form::Guarded => (guarded(self.argument), Vec::new()),
            Form::Direct { program } => (program.clone(), vec!["hook".to_owned(), self.argument.to_owned()]),
        };
        Handler { r#type: "command", command, args, timeout: TIMEOUT }
    }

    pub fn group(&self, form: &Form) -> Group {
        Group { matcher: self.matcher, hooks: [self.handler(form)] }
    }
}

/// Where installers put the binary; a desktop client's `PATH` names few of these.
pub const USUAL_PLACES: [&str; 4] =
    ["~/.cargo/bin/marvel", "~/.local/bin/marvel", "/opt/homebrew/bin/marvel", "/usr/local/bin/marvel"];

const GUARD_HEAD: &str = "/bin/sh -c '";

/// A command line without a `'` of its own, so that every shell reads it alike. It ends with the mark by which it is known again:
/// `marvel`, the name that the inner shell runs under, and the event.
fn guarded(argument: &str) -> String {
    format!(
        "{GUARD_HEAD}for m in marvel {}; do command -v \"$m\" >/dev/null 2>&1 && exec \"$m\" hook \"$1\"; done; exit 0' marvel {argument}",
        USUAL_PLACES.join(" ")
    )
}

/// Whether a handler is MARVEL's, wherever its binary stands or stood: `marvel hook …`, or the guard around it.
pub fn is_ours(command: &str, args: &[String]) -> bool {
    let command = command.trim();
    if let Some(rest) = command.strip_prefix(GUARD_HEAD) {
        let Some((_, tail)) = rest.rsplit_once('\'') else { return false };
        let mut words = tail.split_whitespace();
        return words.next() == Some("marvel") && words.next().is_some() && words.next().is_none();
    }
    if args.is_empty() {
        let (program, rest) = first_word(command);
        return is_marvel(program) && rest.split_whitespace().next() == Some("hook");
    }
    is_marvel(command.trim_matches('"')) && args.first().is_some_and(|word| word == "hook")
}

/// The first word of a command line, quoted or not, and what follows.
fn first_word(command: &str) -> (&str, &str) {
    for quote in ['"', '\''] {
        if let Some((word, rest)) = command.strip_prefix(quote).and_then(|rest| rest.split_once(quote)) {
            return (word, rest);
        }
    }
    command.split_once(char::is_whitespace).unwrap_or((command, ""))
}

fn is_marvel(program: &str) -> bool {
    let name = program.rsplit(['/', '\\']).next().unwrap_or_default();
    name == "marvel" || name.eq_ignore_ascii_case("marvel.exe")
}

#[cfg(test)]
mod tests {
    use super::{EVENTS, Form, is_ours};

    fn args(words: &[&str]) -> Vec<String> {
        words.iter().map(|word| (*word).to_owned()).collect()
    }

    #[test]
    fn st13_own_entries_are_known_whatever_the_path() {
        for event in EVENTS {
            for form in
                [Form::Guarded, Form::Direct { program: "marvel".to_owned() }, Form::Direct { program: "/o p/marvel".to_owned() }]
            {
                let handler = event.handler(&form);
                assert!(is_ours(&handler.command, &handler.args), "{handler:?}");
            }
        }
        for (command, words, ours) in [
            ("/opt/marvel-0.1/marvel hook x", &[][..], true),
            ("\"/opt/my apps/marvel\" hook stop", &[], true),
            ("'/opt/my apps/marvel' hook stop", &[], true),
            ("C:\\tools\\marvel.exe", &["hook", "stop"], true),
            ("marvel-extra hook stop", &[], false),
            ("/opt/marvel/bin/other hook stop", &[], false),
            ("marvel status", &[], false),
            ("marvel", &["status"], false),
            ("echo marvel hook stop", &[], false),
            ("/bin/sh -c 'exec other' marvel-extra stop", &[], false),
            ("/bin/sh -c 'exec other' other", &[], false),
            ("", &[], false),
        ] {
            assert_eq!(is_ours(command, &args(words)), ours, "{command} {words:?}");
        }
    }

    /// Every shell that a client may use runs the guard alike: the event and standard input reach the binary, and without one
    /// nothing is said.
    #[cfg(unix)]
    #[test]
    #[allow(clippy::disallowed_methods, reason = "a shell is what the client starts")]
    fn ch11_the_guard_works_in_every_shell_with_any_home() {
        use std::io::Write as _;
        use std::os::unix::fs::PermissionsExt as _;
        use std::process::{Command, Stdio};
        let dir = tempfile::tempdir().unwrap();
        let home = dir.path().join("It's $HOME (x)");
        let fake = home.join(".local/bin/marvel");
        crate::session::file::replace(&fake, b"#!/bin/sh\necho \"$@\"\ncat\n").unwrap();
        std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
        let handler = EVENTS[2].handler(&Form::Guarded);
        for shell in ["sh", "bash", "dash", "zsh"] {
            for (home, expected) in [(&*home, "hook pre-tool-use\n{\"a\":\"$b\"}\n"), (dir.path(), "")] {
                let spawned = Command::new(shell)
                    .args(["-c", &handler.command])
                    .env("HOME", home)
                    .env("PATH", "/usr/bin:/bin")
                    .stdin(Stdio::piped())
                    .stdout(Stdio::piped())
                    .stderr(Stdio::piped())
                    .spawn();
                let Ok(mut child) = spawned else { continue }; // not every machine has every shell
                let _ = child.stdin.take().unwrap().write_all(b"{\"a\":\"$b\"}\n");
                let output = child.wait_with_output().unwrap();
                assert!(output.status.success(), "{shell}: {output:?}");
                assert_eq!((String::from_utf8_lossy(&output.stdout).as_ref(), output.stderr.len()), (expected, 0), "{shell}");
            }
        }
    }
}
