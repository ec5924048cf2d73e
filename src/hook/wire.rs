//! The wire: one JSON object in, one or none out. Whatever is not as expected is read as if it were not there; what an
//! event means is its own file's.

use std::borrow::Cow;
use std::fmt;
use std::io::{self, Read, Write};

use serde::de::{IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize};

use crate::model::jsonl::BOM;

/// A longer line is not read: no tool call is that large.
const MAX_BYTES: usize = 64 * 1024 * 1024;
/// Most lines are small.
const FIRST_READ: usize = 8 * 1024;
const READ: usize = 64 * 1024;

/// What the client says of an event; fields that we do not use are passed over.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub struct Input<'a> {
    #[serde(borrow)]
    pub hook_event_name: Text<'a>,
    #[serde(borrow)]
    pub session_id: Text<'a>,
    #[serde(borrow)]
    pub cwd: Text<'a>,
    #[serde(borrow)]
    pub prompt_id: Text<'a>,
    /// Only inside a sub-agent.
    #[serde(borrow)]
    pub agent_id: Text<'a>,
    #[serde(borrow)]
    pub agent_type: Text<'a>,
    #[serde(borrow)]
    pub tool_name: Text<'a>,
    #[serde(borrow)]
    pub tool_use_id: Text<'a>,
    #[serde(borrow)]
    pub tool_input: ToolInput<'a>,
    #[serde(borrow)]
    pub prompt: Text<'a>,
    /// Of a session's start, or of a prompt.
    #[serde(borrow)]
    pub source: Text<'a>,
    #[serde(borrow)]
    pub model: Text<'a>,
}

#[derive(Debug, Default)]
pub struct ToolInput<'a> {
    pub file_path: Text<'a>,
    pub notebook_path: Text<'a>,
    pub path: Text<'a>,
    pub command: Text<'a>,
}

/// A string, or nothing: not there, empty, or of another type.
#[derive(Debug, Default)]
pub struct Text<'a>(Option<Cow<'a, str>>);

impl Text<'_> {
    pub fn get(&self) -> Option<&str> {
        self.0.as_deref()
    }
}

impl<'a> Input<'a> {
    pub fn parse(text: &'a str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}

/// The text with halves of surrogate pairs replaced, which JSON may hold and no text can: a client that cuts a prompt in the
/// middle of an emoji sends one. `None` where there are none.
pub fn mend(text: &str) -> Option<String> {
    let mut out: Option<String> = None;
    let mut copied = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while let Some(found) = bytes.get(at..).and_then(|rest| rest.iter().position(|&byte| byte == b'\\')) {
        let escape = at + found;
        at = match surrogate(&bytes[escape..]) {
            None => escape + 2,
            Some(Half::High) if surrogate(&bytes[escape + 6..]) == Some(Half::Low) => escape + 12,
            Some(_) => {
                let out = out.get_or_insert_default();
                out.push_str(&text[copied..escape]);
                out.push_str("\\ufffd");
                copied = escape + 6;
                copied
            }
        };
    }
    out.map(|out| out + &text[copied..])
}

/// Reads one line, or all there is where the object goes on behind it. Not to the end of input where it need not:
/// clients are known to keep it open.
pub fn read_line(mut input: impl Read) -> io::Result<String> {
    let mut bytes = Vec::new();
    let mut seen = 0;
    loop {
        let Some(line) = bytes[seen..].iter().position(|&byte| byte == b'\n') else {
            seen = bytes.len();
            if read_more(&mut input, &mut bytes)? == 0 {
                return Ok(into_text(bytes));
            }
            continue;
        };
        let end = seen + line;
        if !is_unfinished(&bytes[..end]) {
            bytes.truncate(end);
            return Ok(into_text(bytes));
        }
        seen = end + 1;
    }
}

fn read_more(input: &mut impl Read, bytes: &mut Vec<u8>) -> io::Result<usize> {
    let start = bytes.len();
    if start > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "the input is too large"));
    }
    bytes.resize(start + if start == 0 { FIRST_READ } else { READ }, 0);
    let got = read_some(input, &mut bytes[start..]);
    bytes.truncate(start + *got.as_ref().unwrap_or(&0));
    got
}

fn read_some(input: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match input.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            read => return read,
        }
    }
}

/// Whether the object does not end with this line: clients write one line, a person's test may not.
fn is_unfinished(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes).trim_ascii();
    bytes.is_empty()
        || (bytes.starts_with(b"{") && !bytes.ends_with(b"}"))
        || (bytes.len() < READ && serde_json::from_slice::<IgnoredAny>(bytes).is_err_and(|error| error.is_eof()))
}

/// UTF-8 whatever the locale says; invalid bytes are replaced.
fn into_text(mut bytes: Vec<u8>) -> String {
    if bytes.starts_with(BOM) {
        bytes.drain(..BOM.len());
    }
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[derive(PartialEq)]
enum Half {
    High,
    Low,
}

/// Which half the escape is that the bytes begin with.
fn surrogate(bytes: &[u8]) -> Option<Half> {
    let [b'\\', b'u', b'd' | b'D', half, x, y, ..] = bytes else { return None };
    if !x.is_ascii_hexdigit() || !y.is_ascii_hexdigit() {
        return None;
    }
    match half.to_ascii_lowercase() {
        b'8' | b'9' | b'a' | b'b' => Some(Half::High),
        b'c'..=b'f' => Some(Half::Low),
        _ => None,
    }
}

/// What MARVEL answers: nothing, or one object.
#[derive(Debug, Default, PartialEq)]
pub struct Answer {
    /// Put before the agent.
    pub context: Option<String>,
    /// Shown to the person, never to the agent.
    pub message: Option<String>,
    /// Refuses the tool call, with this as the reason.
    pub deny: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Output<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    hook_specific_output: Option<Specific<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    system_message: Option<&'a str>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Specific<'a> {
    hook_event_name: &'a str,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    permission_decision_reason: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    additional_context: Option<&'a str>,
}

impl Answer {
    pub fn is_empty(&self) -> bool {
        self.context.is_none() && self.message.is_none() && self.deny.is_none()
    }

    /// Writes the object in one go, or nothing.
    pub fn write(&self, event: &str, mut output: impl Write) -> io::Result<()> {
        if self.is_empty() {
            return Ok(());
        }
        let specific = Specific {
            hook_event_name: event,
            permission_decision: self.deny.as_ref().map(|_| "deny"),
            permission_decision_reason: self.deny.as_deref(),
            additional_context: self.context.as_deref(),
        };
        let speaks = self.context.is_some() || self.deny.is_some();
        let object = Output { hook_specific_output: speaks.then_some(specific), system_message: self.message.as_deref() };
        let mut bytes = serde_json::to_vec(&object)?;
        bytes.push(b'\n');
        output.write_all(&bytes)?;
        output.flush()
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Text<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Anything;
        impl<'de> Visitor<'de> for Anything {
            type Value = Option<Cow<'de, str>>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Self::Value, E> {
                Ok((!text.is_empty()).then_some(Cow::Borrowed(text)))
            }
            fn visit_str<E>(self, text: &str) -> Result<Self::Value, E> {
                Ok((!text.is_empty()).then(|| Cow::Owned(text.to_owned())))
            }
            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(None)
            }
            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(None)
            }
            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(None)
            }
            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(None)
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(None)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(None)
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
                Ok(None)
            }
        }
        deserializer.deserialize_any(Anything).map(Text)
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for ToolInput<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Fields;
        impl<'de> Visitor<'de> for Fields {
            type Value = ToolInput<'de>;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("anything")
            }
            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut fields = ToolInput::default();
                while let Some(key) = map.next_key::<Text<'de>>()? {
                    match key.get() {
                        Some("file_path") => fields.file_path = map.next_value()?,
                        Some("notebook_path") => fields.notebook_path = map.next_value()?,
                        Some("path") => fields.path = map.next_value()?,
                        Some("command") => fields.command = map.next_value()?,
                        _ => {
                            map.next_value::<IgnoredAny>()?;
                        }
                    }
                }
                Ok(fields)
            }
            fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Self::Value, A::Error> {
                while seq.next_element::<IgnoredAny>()?.is_some() {}
                Ok(ToolInput::default())
            }
            fn visit_str<E>(self, _: &str) -> Result<Self::Value, E> {
                Ok(ToolInput::default())
            }
            fn visit_bool<E>(self, _: bool) -> Result<Self::Value, E> {
                Ok(ToolInput::default())
            }
            fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
                Ok(ToolInput::default())
            }
            fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
                Ok(ToolInput::default())
            }
            fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
                Ok(ToolInput::default())
            }
            fn visit_unit<E>(self) -> Result<Self::Value, E> {
                Ok(ToolInput::default())
            }
        }
        deserializer.deserialize_any(Fields)
    }
}

#[cfg(test)]
mod tests {
    use super::{Answer, Input, mend, read_line};

    fn read(bytes: &[u8]) -> String {
        read_line(bytes).unwrap()
    }

    #[test]
    fn one_line_is_read_and_not_what_follows() {
        assert_eq!(read(b"{\"a\":1}\nrest"), "{\"a\":1}");
        assert_eq!(read(b"{\"a\":1}\r\n"), "{\"a\":1}\r");
        assert_eq!(read(b"{\"a\":1}"), "{\"a\":1}");
        assert_eq!(read(b"\xef\xbb\xbf{\n \"a\": {}\n}\n"), "{\n \"a\": {}\n}");
        assert_eq!(read(b""), "");
        assert_eq!(read(b"\n\nnothing"), "\n\nnothing");
        let long = format!("{{\"a\":\"{}\"}}\n", "x".repeat(3_000_000));
        assert_eq!(read(long.as_bytes()), long.trim_end());
    }

    /// Input that is never closed: a second read would wait for ever.
    struct Open<'a>(&'a [u8]);

    impl std::io::Read for Open<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
            assert!(!self.0.is_empty(), "read on after the line was whole");
            let n = self.0.len().min(buffer.len()).min(5);
            buffer[..n].copy_from_slice(&self.0[..n]);
            self.0 = &self.0[n..];
            Ok(n)
        }
    }

    #[test]
    fn the_end_of_input_is_not_waited_for() {
        assert_eq!(read_line(Open(b"{\"a\":{\"b\":1}}\n")).unwrap(), "{\"a\":{\"b\":1}}");
    }

    #[test]
    fn ch16_bytes_are_utf8_and_what_is_not_is_replaced() {
        let text = read("{\"prompt\":\"测试质量\\n👍\"}\n".as_bytes());
        assert_eq!(Input::parse(&text).unwrap().prompt.get(), Some("测试质量\n👍"));
        let text = read(b"{\"prompt\":\"caf\xe9\"}\n");
        assert_eq!(Input::parse(&text).unwrap().prompt.get(), Some("caf\u{fffd}"));
        for (half, mended) in [
            (r"a\ud83d", "a\u{fffd}"),
            (r"\udc4dx", "\u{fffd}x"),
            (r"\ud83d\ud83d\udc4d", "\u{fffd}👍"),
            (r"\ud83d\n\\ud83d", "\u{fffd}\n\\ud83d"),
            (r"\uD83D\uDC4D", "👍"),
        ] {
            let text = format!("{{\"prompt\":\"{half}\"}}");
            let text = mend(&text).unwrap_or(text);
            assert_eq!(Input::parse(&text).unwrap().prompt.get(), Some(mended), "{half}");
        }
    }

    #[test]
    fn what_is_of_another_type_is_not_there() {
        let text = r#"{"session_id":1,"cwd":null,"tool_name":["x"],"agent_id":"","prompt":{"a":[1]},"source":true,"model":1.5,
            "tool_input":{"file_path":{"x":1},"path":"p","content":"c","command":-1},"later":[{}]}"#;
        let input = Input::parse(text).unwrap();
        let all = [&input.session_id, &input.cwd, &input.tool_name, &input.agent_id, &input.prompt, &input.source, &input.model];
        assert!(all.iter().all(|text| text.get().is_none()));
        assert_eq!((input.tool_input.file_path.get(), input.tool_input.path.get()), (None, Some("p")));
        for odd in ["[]", "1", "\"x\"", "null", "true", "-1.5"] {
            let text = format!("{{\"tool_input\":{odd},\"session_id\":\"s\"}}");
            assert_eq!(Input::parse(&text).unwrap().session_id.get(), Some("s"), "{odd}");
        }
        for broken in ["", "[]", "1", "{", "{\"session_id\":\"s\"", "nonsense"] {
            assert!(Input::parse(broken).is_err() || Input::parse(broken).unwrap().session_id.get().is_none(), "{broken}");
        }
    }

    #[test]
    fn the_answer_is_one_object_or_nothing() {
        let written = |answer: &Answer| {
            let mut bytes = Vec::new();
            answer.write("PreToolUse", &mut bytes).unwrap();
            String::from_utf8(bytes).unwrap()
        };
        assert_eq!(written(&Answer::default()), "");
        let context = Answer { context: Some("a\nb".to_owned()), ..Answer::default() };
        assert_eq!(
            written(&context),
            "{\"hookSpecificOutput\":{\"hookEventName\":\"PreToolUse\",\"additionalContext\":\"a\\nb\"}}\n"
        );
        assert_eq!(written(&Answer { message: Some("m".to_owned()), ..Answer::default() }), "{\"systemMessage\":\"m\"}\n");
        let deny = Answer { deny: Some("why".to_owned()), ..Answer::default() };
        assert!(written(&deny).contains(r#""permissionDecision":"deny","permissionDecisionReason":"why""#));
    }
}
