//! The client as a hook sees it: one session that calls `marvel hook` with the JSON that it sends.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use super::{Output, TestRepo};

/// A session of the client in a repository.
pub struct Client<'a> {
    pub repo: &'a TestRepo,
    pub id: String,
    /// The folder that the client stands in.
    pub cwd: PathBuf,
    /// The sub-agent that calls; none for the main one.
    pub agent: Option<String>,
}

/// What a hook answered.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answer {
    /// Put before the agent.
    pub context: String,
    /// Shown to the person.
    pub message: String,
    /// Why the call was refused.
    pub denied: String,
}

impl<'a> Client<'a> {
    pub fn new(repo: &'a TestRepo, id: &str) -> Self {
        Self { repo, id: id.to_owned(), cwd: repo.dir.clone(), agent: None }
    }

    pub fn agent(&self, id: &str) -> Self {
        Self { repo: self.repo, id: self.id.clone(), cwd: self.cwd.clone(), agent: Some(id.to_owned()) }
    }

    pub fn at(&self, cwd: &Path) -> Self {
        Self { repo: self.repo, id: self.id.clone(), cwd: cwd.to_owned(), agent: self.agent.clone() }
    }

    /// The fields that every event has, and those given.
    pub fn payload(&self, event: &str, fields: &Value) -> Value {
        let mut payload = json!({
            "session_id": self.id,
            "transcript_path": "/home/ada/.claude/projects/x/transcript.jsonl",
            "cwd": self.cwd,
            "hook_event_name": event,
        });
        if let Some(agent) = &self.agent {
            payload["agent_id"] = json!(agent);
            payload["agent_type"] = json!("general-purpose");
        }
        for (key, value) in fields.as_object().unwrap() {
            payload[key] = value.clone();
        }
        payload
    }

    /// Sends an event as it is and takes what is printed.
    pub fn send(&self, payload: &Value) -> Output {
        self.repo.hook("event", payload)
    }

    /// Sends an event; the answer must be one that the client takes.
    #[track_caller]
    pub fn event(&self, event: &str, fields: &Value) -> Answer {
        Answer::of(event, &self.send(&self.payload(event, fields)))
    }

    #[track_caller]
    pub fn start(&self, source: &str) -> Answer {
        self.event("SessionStart", &json!({ "source": source }))
    }

    #[track_caller]
    pub fn prompt(&self, text: &str) -> Answer {
        self.event("UserPromptSubmit", &json!({ "prompt": text, "permission_mode": "default" }))
    }

    #[track_caller]
    pub fn tool(&self, tool: &str, input: &Value) -> Answer {
        self.event("PreToolUse", &json!({ "tool_name": tool, "tool_input": input, "permission_mode": "default" }))
    }

    #[track_caller]
    pub fn read(&self, path: &str) -> Answer {
        self.tool("Read", &json!({ "file_path": self.repo.dir.join(path) }))
    }

    #[track_caller]
    pub fn edit(&self, path: &str) -> Answer {
        let path = self.repo.dir.join(path);
        self.tool("Edit", &json!({ "file_path": path, "old_string": "a", "new_string": "b", "replace_all": false }))
    }

    #[track_caller]
    pub fn bash(&self, command: &str) -> Answer {
        self.tool("Bash", &json!({ "command": command, "description": "x" }))
    }

    /// A file of this session's run, line by line.
    pub fn run_file(&self, name: &str) -> Vec<Value> {
        let path = self.repo.dir.join(".git/marvel/runs").join(&self.id).join(name);
        let text = std::fs::read_to_string(path).unwrap_or_default();
        text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }
}

impl Answer {
    /// Reads the one object that a hook may print, as strictly as the client does.
    #[track_caller]
    pub fn of(event: &str, output: &Output) -> Self {
        assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{output}");
        if output.stdout.is_empty() {
            return Self::default();
        }
        let object: Value = serde_json::from_str(&output.stdout).unwrap_or_else(|error| panic!("{error}: {output}"));
        let specific = &object["hookSpecificOutput"];
        assert!(specific.is_null() || specific["hookEventName"] == event, "{output}");
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let context = text(&specific["additionalContext"]);
        assert!(context.encode_utf16().count() <= 10_000);
        let decision = &specific["permissionDecision"];
        assert!(decision.is_null() || decision == "deny", "{output}");
        Self { context, message: text(&object["systemMessage"]), denied: text(&specific["permissionDecisionReason"]) }
    }

    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}
