//! What a person typed in a session, out of the transcript that the client keeps: one JSON object a line. Which files those
//! are, and how far they were read, is `session`'s.

use serde::Deserialize;
use serde_json::Value;

use crate::model::timestamp::Timestamp;
use crate::model::tool::is_action;

/// Who the client says wrote it, where no person did.
const AUTOMATIC: [&str; 4] = ["system", "loop_wakeup", "schedule_wakeup", "poll_event"];

/// A prompt, and what the agent had been at.
#[derive(Clone, Debug, PartialEq)]
pub struct Typed {
    pub session: String,
    /// The entry's own id.
    pub entry: String,
    pub at: Timestamp,
    /// Where the client stood.
    pub cwd: Option<String>,
    pub text: String,
    /// Whether the turn before it edited or ran something.
    pub acted: bool,
    /// The last file that a tool was used on, as the client names it, and the tool.
    pub file: Option<String>,
    pub tool: Option<String>,
}

/// Reads a transcript line by line, in order.
#[derive(Debug, Default)]
pub struct Reader {
    acted: bool,
    file: Option<String>,
    tool: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Entry {
    #[serde(default)]
    r#type: String,
    #[serde(default)]
    is_sidechain: bool,
    #[serde(default)]
    is_meta: bool,
    #[serde(default)]
    is_compact_summary: bool,
    #[serde(default)]
    is_visible_in_transcript_only: bool,
    agent_id: Option<String>,
    prompt_source: Option<String>,
    uuid: Option<String>,
    timestamp: Option<String>,
    session_id: Option<String>,
    cwd: Option<String>,
    message: Option<Message>,
}

#[derive(Deserialize)]
struct Message {
    #[serde(default)]
    content: Value,
}

impl Reader {
    /// What the line says that a person typed; nothing for every other line, broken ones included.
    pub fn line(&mut self, line: &str) -> Option<Typed> {
        let entry: Entry = serde_json::from_str(line).ok()?;
        // what sub-agents do and are told is no conversation with the person
        if entry.is_sidechain || entry.agent_id.is_some() {
            return None;
        }
        let content = entry.message?.content;
        match entry.r#type.as_str() {
            "assistant" => {
                parts(&content).filter(|part| kind(part) == "tool_use").for_each(|part| self.tool(part));
                None
            }
            "user" => {
                let text = typed(&content)?;
                let by_nobody = entry.is_meta || entry.is_compact_summary || entry.is_visible_in_transcript_only;
                if by_nobody || entry.prompt_source.is_some_and(|source| AUTOMATIC.contains(&source.as_str())) {
                    return None;
                }
                let acted = std::mem::take(&mut self.acted);
                Some(Typed {
                    session: entry.session_id?,
                    entry: entry.uuid?,
                    at: Timestamp::parse(&entry.timestamp?)?.0,
                    cwd: entry.cwd,
                    text,
                    acted,
                    file: self.file.clone(),
                    tool: self.tool.clone(),
                })
            }
            _ => None,
        }
    }

    fn tool(&mut self, part: &Value) {
        let Some(name) = part["name"].as_str() else { return };
        self.acted |= is_action(name);
        self.tool = Some(name.to_owned());
        let input = &part["input"];
        if let Some(file) = ["file_path", "notebook_path"].iter().find_map(|key| input[key].as_str()) {
            self.file = Some(file.to_owned());
        }
    }
}

fn parts(content: &Value) -> impl Iterator<Item = &Value> {
    content.as_array().into_iter().flatten()
}

fn kind(part: &Value) -> &str {
    part["type"].as_str().unwrap_or_default()
}

/// The text of a message that a person sent; none where it brings the result of a tool.
fn typed(content: &Value) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.to_owned());
    }
    if parts(content).any(|part| kind(part) == "tool_result") {
        return None;
    }
    let texts: Vec<&str> = parts(content).filter(|part| kind(part) == "text").filter_map(|part| part["text"].as_str()).collect();
    (!texts.is_empty()).then(|| texts.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::{Reader, Typed};

    fn user(extra: &str, content: &str) -> String {
        format!(
            r#"{{"type":"user","uuid":"u1","sessionId":"s1","timestamp":"2026-11-29T10:15:00.000Z","cwd":"/p"{extra},"message":{{"role":"user","content":{content}}}}}"#
        )
    }

    fn read(lines: &[String]) -> Vec<Typed> {
        let mut reader = Reader::default();
        lines.iter().filter_map(|line| reader.line(line)).collect()
    }

    #[test]
    fn what_a_person_typed_is_found_in_either_form() {
        let found = read(&[
            user("", r#""Use pnpm""#),
            user("", r#"[{"type":"text","text":"a"},{"type":"image"},{"type":"text","text":"b"}]"#),
        ]);
        assert_eq!(found.iter().map(|one| one.text.as_str()).collect::<Vec<_>>(), ["Use pnpm", "a\nb"]);
        assert_eq!((found[0].session.as_str(), found[0].entry.as_str(), found[0].cwd.as_deref()), ("s1", "u1", Some("/p")));
    }

    #[test]
    fn what_nobody_typed_is_passed_over() {
        for line in [
            user(r#","isSidechain":true"#, r#""x""#),
            user(r#","isMeta":true"#, r#""x""#),
            user(r#","isCompactSummary":true"#, r#""x""#),
            user(r#","isVisibleInTranscriptOnly":true"#, r#""x""#),
            user(r#","agentId":"a1""#, r#""x""#),
            user(r#","promptSource":"system""#, r#""x""#),
            user("", r#"[{"type":"tool_result","content":"Use npm"},{"type":"text","text":"x"}]"#),
            user("", "[]"),
            r#"{"type":"summary","summary":"x"}"#.to_owned(),
            r#"{"type":"queue-operation","content":"x"}"#.to_owned(),
            r#"{"type":"user","message":"x"}"#.to_owned(),
            "{\"type\":\"user\",".to_owned(),
            String::new(),
            "[1]".to_owned(),
        ] {
            assert!(read(std::slice::from_ref(&line)).is_empty(), "{line}");
        }
    }

    #[test]
    fn whether_the_turn_acted_and_on_what_file_is_known() {
        let tool = |name: &str, input: &str| {
            format!(r#"{{"type":"assistant","message":{{"content":[{{"type":"tool_use","name":"{name}","input":{input}}}]}}}}"#)
        };
        let found = read(&[
            user("", r#""first""#),
            tool("Read", r#"{"file_path":"/p/a.ts"}"#),
            user("", r#""second""#),
            tool("Edit", r#"{"file_path":"/p/b.ts"}"#),
            user("", r#"[{"type":"tool_result","content":"ok"}]"#),
            user("", r#""third""#),
            user("", r#""fourth""#),
        ]);
        let told: Vec<_> = found.iter().map(|one| (one.acted, one.file.as_deref(), one.tool.as_deref())).collect();
        let b = Some("/p/b.ts");
        assert_eq!(
            told,
            [(false, None, None), (false, Some("/p/a.ts"), Some("Read")), (true, b, Some("Edit")), (false, b, Some("Edit"))]
        );
    }
}
