//! `activity.jsonl`: what happened in one run and when, without a word of what was said. A hook reads the end of it and
//! appends one line.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file;
use crate::model::guidance::GuidanceType;
use crate::model::timestamp::Timestamp;

/// How much of the file's end a hook reads: some thousand lines, so that a long session costs no more than a short one.
const TAIL_BYTES: u64 = 256 * 1024;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Activity {
    pub at: Timestamp,
    pub event: Event,
    /// The sub-agent; none for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// What identifies the event: a tool call, a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// Of a prompt: what the person did with it.
    #[serde(default, rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<GuidanceType>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub category: Option<String>,
    /// Of a prompt: the language, `und` where it was not understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lang: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    /// From the repository's root.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// How long the hook took.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub micros: Option<u64>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    SessionStart,
    Prompt,
    Tool,
    SubagentStart,
    Stop,
    SessionEnd,
    /// Of a newer version.
    #[serde(other)]
    Other,
}

impl Activity {
    pub fn new(at: Timestamp, event: Event, agent: Option<&str>) -> Self {
        Self {
            at,
            event,
            agent: agent.map(str::to_owned),
            id: None,
            kind: None,
            category: None,
            lang: None,
            tool: None,
            file: None,
            micros: None,
        }
    }
}

pub fn path(run_dir: &Path) -> PathBuf {
    run_dir.join("activity.jsonl")
}

pub fn append(run_dir: &Path, activity: &Activity) -> io::Result<()> {
    file::append_json(&path(run_dir), activity)
}

/// All of it, oldest first.
pub fn read(run_dir: &Path) -> io::Result<Vec<Activity>> {
    file::read_jsonl(&path(run_dir))
}

/// The end of one run's activity.
#[derive(Debug, Default)]
pub struct Tail {
    bytes: Vec<u8>,
}

impl Tail {
    /// Empty where nothing happened yet.
    pub fn read(run_dir: &Path) -> io::Result<Self> {
        match File::open(path(run_dir)) {
            Ok(mut file) => Self::of(&mut file),
            Err(error) if file::is_missing(&error) => Ok(Self::default()),
            Err(error) => Err(error),
        }
    }

    fn of(file: &mut File) -> io::Result<Self> {
        let length = file.metadata()?.len();
        let mut bytes = Vec::with_capacity(usize::try_from(length.min(TAIL_BYTES)).unwrap_or(0) + 1);
        if length > TAIL_BYTES {
            file.seek(SeekFrom::Start(length - TAIL_BYTES))?;
        }
        file.take(TAIL_BYTES).read_to_end(&mut bytes)?;
        if length > TAIL_BYTES {
            let cut = bytes.iter().position(|&byte| byte == b'\n').map_or(bytes.len(), |at| at + 1);
            bytes.drain(..cut);
        }
        Ok(Self { bytes })
    }

    /// The prompts of it, oldest first.
    pub fn prompts(&self) -> impl Iterator<Item = Activity> {
        self.matching(br#""event":"prompt""#).filter(|activity| activity.event == Event::Prompt)
    }

    /// The tool calls of one agent, oldest first.
    pub fn tools(&self, agent: Option<&str>) -> impl Iterator<Item = Activity> {
        self.matching(br#""event":"tool""#).filter(move |one| one.event == Event::Tool && one.agent.as_deref() == agent)
    }

    /// What the main agent did since the last prompt of the person.
    pub fn since_prompt(&self) -> Vec<Activity> {
        let mut all: Vec<_> = self.matching(b"").filter(|one| one.agent.is_none()).collect();
        let last = all.iter().rposition(|one| one.event == Event::Prompt).map_or(0, |at| at + 1);
        all.drain(..last);
        all
    }

    /// Lines that hold the text are read, the others are not: most of them are of no interest to the one who asks.
    fn matching(&self, text: &'static [u8]) -> impl Iterator<Item = Activity> {
        let lines =
            file::lines(&self.bytes).filter(move |line| text.is_empty() || line.windows(text.len()).any(|part| part == text));
        lines.filter_map(|line| serde_json::from_slice(line).ok())
    }
}

#[cfg(test)]
mod tests {
    use super::{Activity, Event, TAIL_BYTES, Tail, append, path, read};
    use crate::model::guidance::GuidanceType;
    use crate::model::timestamp::Timestamp;

    fn tool(second: i64, file: &str, agent: Option<&str>) -> Activity {
        let mut activity = Activity::new(Timestamp::from_unix(second).unwrap(), Event::Tool, agent);
        (activity.tool, activity.file) = (Some("Edit".to_owned()), Some(file.to_owned()));
        activity
    }

    fn prompt(second: i64) -> Activity {
        let mut activity = Activity::new(Timestamp::from_unix(second).unwrap(), Event::Prompt, None);
        (activity.kind, activity.category) = (Some(GuidanceType::Correction), Some("auth".to_owned()));
        activity
    }

    #[test]
    fn what_was_done_is_told_by_agent_and_turn() {
        let dir = tempfile::tempdir().unwrap();
        let all = [tool(1, "a", None), prompt(2), tool(3, "b", None), tool(4, "c", Some("sub"))];
        assert_eq!(Tail::read(dir.path()).unwrap().prompts().count(), 0);
        for activity in &all {
            append(dir.path(), activity).unwrap();
        }
        let tail = Tail::read(dir.path()).unwrap();
        assert_eq!(tail.prompts().collect::<Vec<_>>(), [all[1].clone()]);
        assert_eq!(tail.tools(None).collect::<Vec<_>>(), [all[0].clone(), all[2].clone()]);
        assert_eq!(tail.tools(Some("sub")).count(), 1);
        assert_eq!(tail.since_prompt(), [all[2].clone()]);
        assert_eq!(read(dir.path()).unwrap(), all);
    }

    #[test]
    fn of_a_long_file_only_the_end_is_read_and_no_line_is_torn() {
        let dir = tempfile::tempdir().unwrap();
        let line = serde_json::to_string(&tool(1, "a", None)).unwrap();
        let count = usize::try_from(TAIL_BYTES).unwrap() / line.len() + 50;
        crate::session::file::write_cache(&path(dir.path()), format!("{line}\n").repeat(count).as_bytes()).unwrap();
        append(dir.path(), &prompt(9)).unwrap();
        append(dir.path(), &Activity { event: Event::Other, ..prompt(10) }).unwrap();
        let tail = Tail::read(dir.path()).unwrap();
        let read = tail.tools(None).count();
        assert!(read < count && read > count - 150, "{read} of {count}");
        assert_eq!(tail.prompts().count(), 1);
    }
}
