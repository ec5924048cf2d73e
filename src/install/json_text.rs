//! A JSON text that is edited in place: what is not named keeps its bytes, new members look like their neighbours. Strict
//! JSON alone, as the programs read it that these files belong to. What the members mean is the callers'.

use std::fmt;
use std::ops::Range;

use jsonc_parser::ast::Value;
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::Serialize;
use serde::de::IgnoredAny;

use crate::model::jsonl::BOM;

/// Why a text is not edited, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// From 1.
    pub line: usize,
    /// From 1, in characters.
    pub column: usize,
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl std::error::Error for Problem {}

/// A step down into the text.
#[derive(Clone, Copy, Debug)]
pub enum Step<'a> {
    Key(&'a str),
    Index(usize),
}

/// A value and where it stands.
#[derive(Clone, Debug)]
pub struct Node {
    pub range: Range<usize>,
    pub kind: NodeKind,
}

#[derive(Clone, Debug)]
pub enum NodeKind {
    Object(Vec<Member>),
    Array(Vec<Node>),
    String(String),
    Scalar,
}

#[derive(Clone, Debug)]
pub struct Member {
    pub name: String,
    /// From the name's first quote to the value's end.
    pub range: Range<usize>,
    pub value: Node,
}

impl Node {
    pub fn get(&self, key: &str) -> Option<&Self> {
        match &self.kind {
            NodeKind::Object(members) => members.iter().find(|member| member.name == key).map(|member| &member.value),
            _ => None,
        }
    }

    pub fn members(&self) -> &[Member] {
        match &self.kind {
            NodeKind::Object(members) => members,
            _ => &[],
        }
    }

    pub fn items(&self) -> &[Self] {
        match &self.kind {
            NodeKind::Array(items) => items,
            _ => &[],
        }
    }

    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            NodeKind::String(text) => Some(text),
            _ => None,
        }
    }

    pub fn is_object(&self) -> bool {
        matches!(self.kind, NodeKind::Object(_))
    }

    pub fn is_array(&self) -> bool {
        matches!(self.kind, NodeKind::Array(_))
    }

    /// Where its members or items stand.
    fn children(&self) -> Vec<Range<usize>> {
        match &self.kind {
            NodeKind::Object(members) => members.iter().map(|member| member.range.clone()).collect(),
            NodeKind::Array(items) => items.iter().map(|item| item.range.clone()).collect(),
            NodeKind::String(_) | NodeKind::Scalar => Vec::new(),
        }
    }
}

#[derive(Clone, Debug)]
pub struct JsonText {
    bom: bool,
    text: String,
    root: Node,
}

impl JsonText {
    /// Reads a text whose root is an object; an empty one counts as `{}`.
    pub fn parse(bytes: &[u8]) -> Result<Self, Problem> {
        let rest = bytes.strip_prefix(BOM);
        let bom = rest.is_some();
        let bytes = rest.unwrap_or(bytes);
        let text = std::str::from_utf8(bytes).map_err(|error| {
            let before = String::from_utf8_lossy(&bytes[..error.valid_up_to()]);
            problem(&before, before.len(), "this is not UTF-8".to_owned())
        })?;
        let text = if text.trim().is_empty() { "{}\n".to_owned() } else { text.to_owned() };
        let root = read(&text)?;
        if !root.is_object() {
            return Err(problem(&text, root.range.start, "an object `{…}` is expected here".to_owned()));
        }
        Ok(Self { bom, text, root })
    }

    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = if self.bom { BOM.to_vec() } else { Vec::new() };
        bytes.extend_from_slice(self.text.as_bytes());
        bytes
    }

    pub fn root(&self) -> &Node {
        &self.root
    }

    pub fn at(&self, path: &[Step<'_>]) -> Option<&Node> {
        path.iter().try_fold(&self.root, |node, step| match step {
            Step::Key(key) => node.get(key),
            Step::Index(index) => node.items().get(*index),
        })
    }

    /// The value as plain data; `None` where it is not what is asked for.
    pub fn value<T: serde::de::DeserializeOwned>(&self, node: &Node) -> Option<T> {
        serde_json::from_str(&self.text[node.range.clone()]).ok()
    }

    /// A problem with what stands at a node.
    pub fn problem(&self, node: &Node, message: impl Into<String>) -> Problem {
        problem(&self.text, node.range.start, message.into())
    }

    /// Puts another value in a value's place.
    pub fn replace(&mut self, path: &[Step<'_>], value: &impl Serialize) {
        let range = self.expect(path).range.clone();
        let style = self.style(&range);
        self.edit(range, &style.render(value));
    }

    /// Adds an item at an array's end.
    pub fn push(&mut self, path: &[Step<'_>], value: &impl Serialize) {
        self.append(path, None, value);
    }

    /// Adds a member at an object's end.
    pub fn insert(&mut self, path: &[Step<'_>], key: &str, value: &impl Serialize) {
        self.append(path, Some(key), value);
    }

    /// Takes a member or an item out, with its comma and the space before it.
    pub fn remove(&mut self, path: &[Step<'_>]) {
        let Some((last, parent)) = path.split_last() else { return };
        let parent = self.expect(parent).clone();
        let index = match last {
            Step::Index(index) => *index,
            Step::Key(key) => parent.members().iter().position(|member| member.name == *key).expect("a member that was found"),
        };
        let children = parent.children();
        let range = match (children.get(index.wrapping_sub(1)), children.get(index + 1)) {
            (None, None) => parent.range.start + 1..parent.range.end - 1,
            (None, Some(next)) => children[index].start..next.start,
            (Some(previous), _) => previous.end..children[index].end,
        };
        self.edit(range, "");
    }

    fn append(&mut self, path: &[Step<'_>], key: Option<&str>, value: &impl Serialize) {
        let parent = self.expect(path).clone();
        let name = |space: &str| key.map_or_else(String::new, |key| format!("{}:{space}", Style::Minified.render(&key)));
        let children = parent.children();
        let Some(last) = children.last() else {
            // Nothing to look like: one member a line, unless the file is written on a single one.
            let style = self.style(&parent.range);
            let text = match &style {
                Style::Lines { newline, unit, indent } => {
                    let inner = Style::Lines { newline, unit: unit.clone(), indent: format!("{indent}{unit}") };
                    format!("{newline}{indent}{unit}{}{}{newline}{indent}", name(" "), inner.render(value))
                }
                Style::Spaced => format!("{}{}", name(" "), style.render(value)),
                Style::Minified => format!("{}{}", name(""), style.render(value)),
            };
            return self.edit(parent.range.start + 1..parent.range.end - 1, &text);
        };
        let start = children.len().checked_sub(2).map_or(parent.range.start + 1, |i| children[i].end);
        let gap = &self.text[start..last.start];
        let (gap, style) = match gap.rfind('\n') {
            Some(at) => {
                let indent = gap[at + 1..].to_owned();
                let newline = self.newline();
                (format!("{newline}{indent}"), Style::Lines { newline, unit: self.unit(), indent })
            }
            None if self.is_minified() => (String::new(), Style::Minified),
            None => (" ".to_owned(), Style::Spaced),
        };
        let space = if matches!(style, Style::Minified) { "" } else { " " };
        let text = format!(",{gap}{}{}", name(space), style.render(value));
        self.edit(last.end..last.end, &text);
    }

    fn expect(&self, path: &[Step<'_>]) -> &Node {
        self.at(path).expect("callers name what they found")
    }

    fn edit(&mut self, range: Range<usize>, text: &str) {
        self.text.replace_range(range, text);
        self.root = read(&self.text).expect("an edited text is still JSON");
    }

    /// How a value at that place is written.
    fn style(&self, range: &Range<usize>) -> Style {
        let empty = self.root.members().is_empty();
        let several_lines = self.text[self.root.range.clone()].contains('\n');
        if !several_lines && !empty {
            return if self.is_minified() { Style::Minified } else { Style::Spaced };
        }
        let line = self.text[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let indent: String = self.text[line..].chars().take_while(|c| matches!(c, ' ' | '\t')).collect();
        Style::Lines { newline: self.newline(), unit: self.unit(), indent }
    }

    fn newline(&self) -> &'static str {
        match self.text.find('\n') {
            Some(at) if self.text[..at].ends_with('\r') => "\r\n",
            _ => "\n",
        }
    }

    /// One level of indentation, read off the first member that stands on a line of its own.
    fn unit(&self) -> String {
        let first = self.root.members().first().map(|member| member.range.start);
        let before = first.map(|start| &self.text[..start]).unwrap_or_default();
        match before.rsplit_once('\n') {
            Some((_, indent)) if !indent.is_empty() && indent.chars().all(|c| matches!(c, ' ' | '\t')) => indent.to_owned(),
            _ => "  ".to_owned(),
        }
    }

    /// Whether the first member has no space after its colon.
    fn is_minified(&self) -> bool {
        self.root.members().first().is_some_and(|member| {
            let name = serde_json::to_string(&member.name).expect("plain data always serialises");
            self.text[member.range.start..member.value.range.start].len() == name.len() + 1
        })
    }
}

enum Style {
    /// Everything without a space.
    Minified,
    /// On one line, a space after commas and colons.
    Spaced,
    /// A member a line, those of the value one level below `indent`.
    Lines { newline: &'static str, unit: String, indent: String },
}

impl Style {
    fn render(&self, value: &impl Serialize) -> String {
        let pretty = |unit: &str| {
            let mut bytes = Vec::new();
            let formatter = serde_json::ser::PrettyFormatter::with_indent(unit.as_bytes());
            value
                .serialize(&mut serde_json::Serializer::with_formatter(&mut bytes, formatter))
                .expect("plain data always serialises");
            String::from_utf8(bytes).expect("JSON is UTF-8")
        };
        match self {
            Self::Minified => serde_json::to_string(value).expect("plain data always serialises"),
            // Line ends inside strings are escaped: those left are the formatter's.
            Self::Spaced => {
                let text = pretty("");
                let mut out = String::with_capacity(text.len());
                for line in text.lines() {
                    if out.ends_with(',') {
                        out.push(' ');
                    }
                    out.push_str(line);
                }
                out
            }
            Self::Lines { newline, unit, indent } => pretty(unit).replace('\n', &format!("{newline}{indent}")),
        }
    }
}

fn read(text: &str) -> Result<Node, Problem> {
    // The judge of what is JSON is a strict reader; the other one only knows where things stand.
    serde_json::from_str::<IgnoredAny>(text).map_err(|error| {
        let message = error.to_string();
        let message = message.rsplit_once(" at line ").map_or(message.as_str(), |(message, _)| message).to_owned();
        let line = text.split('\n').nth(error.line().saturating_sub(1)).unwrap_or_default();
        let column = text_column(line, error.column());
        Problem { line: error.line(), column, message: explain(line, column, message) }
    })?;
    let parsed = parse_to_ast(text, &CollectOptions::default(), &ParseOptions::default())
        .map_err(|error| problem(text, error.range().start, error.kind().to_string()))?;
    node(text, &parsed.value.expect("a JSON text has a value"))
}

/// What people put into JSON that is none.
fn explain(line: &str, column: usize, message: String) -> String {
    let found = line.chars().nth(column - 1);
    let before = line.chars().take(column - 1).collect::<String>();
    match found {
        Some('/') => "a comment stands here: JSON has none".to_owned(),
        Some('}' | ']') if message.contains("trailing comma") || before.trim_end().ends_with(',') => {
            "a comma stands before this bracket: JSON has none there".to_owned()
        }
        _ => message,
    }
}

fn node(text: &str, value: &Value<'_>) -> Result<Node, Problem> {
    let range = value.range();
    let kind = match value {
        Value::StringLit(string) => NodeKind::String(string.value.clone().into_owned()),
        Value::Array(array) => NodeKind::Array(array.elements.iter().map(|item| node(text, item)).collect::<Result<_, _>>()?),
        Value::Object(object) => {
            let mut members: Vec<Member> = Vec::new();
            for property in &object.properties {
                let name = property.name.as_str().to_owned();
                if members.iter().any(|member| member.name == name) {
                    let message = format!("the key `{name}` stands twice in one object: keep one of them");
                    return Err(problem(text, property.range.start, message));
                }
                members.push(Member {
                    name,
                    range: property.range.start..property.range.end,
                    value: node(text, &property.value)?,
                });
            }
            NodeKind::Object(members)
        }
        Value::NumberLit(_) | Value::BooleanLit(_) | Value::NullKeyword(_) => NodeKind::Scalar,
    };
    Ok(Node { range: range.start..range.end, kind })
}

fn problem(text: &str, at: usize, message: String) -> Problem {
    let before = &text[..at.min(text.len())];
    let line = before.matches('\n').count() + 1;
    let column = before.rsplit('\n').next().unwrap_or_default().chars().count() + 1;
    Problem { line, column, message }
}

/// A column in characters, from one in bytes.
fn text_column(line: &str, bytes: usize) -> usize {
    line.char_indices().take_while(|(at, _)| *at < bytes).count().max(1)
}

#[cfg(test)]
mod tests {
    use super::{JsonText, Step};
    use serde_json::json;

    fn edited(text: &str, edit: impl FnOnce(&mut JsonText)) -> String {
        let mut json = JsonText::parse(text.as_bytes()).unwrap();
        edit(&mut json);
        String::from_utf8(json.into_bytes()).unwrap()
    }

    #[test]
    fn what_is_added_looks_like_its_neighbours_and_goes_without_a_trace() {
        let value = json!({ "b": [1, "x\ny"] });
        for (before, after) in [
            ("{\"a\":1}", "{\"a\":1,\"n\":{\"b\":[1,\"x\\ny\"]}}"),
            ("{ \"a\": 1 }", "{ \"a\": 1, \"n\": {\"b\": [1, \"x\\ny\"]} }"),
            ("{\n\t\"a\": 1\n}", "{\n\t\"a\": 1,\n\t\"n\": {\n\t\t\"b\": [\n\t\t\t1,\n\t\t\t\"x\\ny\"\n\t\t]\n\t}\n}"),
            (
                "{\r\n    \"a\" : 1\r\n}\r\n",
                "{\r\n    \"a\" : 1,\r\n    \"n\": {\r\n        \"b\": [\r\n            1,\r\n            \"x\\ny\"\r\n        ]\r\n    }\r\n}\r\n",
            ),
            ("\u{feff}{}", "\u{feff}{\n  \"n\": {\n    \"b\": [\n      1,\n      \"x\\ny\"\n    ]\n  }\n}"),
        ] {
            let added = edited(before, |json| json.insert(&[], "n", &value));
            assert_eq!(added, after);
            assert_eq!(edited(&added, |json| json.remove(&[Step::Key("n")])), before);
        }
    }

    #[test]
    fn the_first_the_middle_and_the_last_member_go() {
        let text = "{\n  \"a\": 1,\n  \"b\": [1, 2, 3],\n\n  \"c\": 3\n}\n";
        let without = |path: &[Step<'_>]| edited(text, |json| json.remove(path));
        assert_eq!(without(&[Step::Key("a")]), "{\n  \"b\": [1, 2, 3],\n\n  \"c\": 3\n}\n");
        assert_eq!(without(&[Step::Key("b")]), "{\n  \"a\": 1,\n\n  \"c\": 3\n}\n");
        assert_eq!(without(&[Step::Key("c")]), "{\n  \"a\": 1,\n  \"b\": [1, 2, 3]\n}\n");
        assert_eq!(without(&[Step::Key("b"), Step::Index(0)]), text.replace("1, 2, 3", "2, 3"));
        assert_eq!(without(&[Step::Key("b"), Step::Index(2)]), text.replace("1, 2, 3", "1, 2"));
        assert_eq!(
            edited(text, |json| json.push(&[Step::Key("b")], &json!({ "x": 4 }))),
            text.replace("2, 3", "2, 3, {\"x\": 4}")
        );
        assert_eq!(
            edited(text, |json| json.replace(&[Step::Key("c")], &json!(["x"]))),
            text.replace(": 3\n", ": [\n    \"x\"\n  ]\n")
        );
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, line, column) in [
            ("{ // team\n \"a\": 1}", 1, 3),
            ("{\n  \"ä\": 1, /* x */ \"b\": 2}", 2, 11),
            ("{\"a\": 1,}", 1, 9),
            ("{\"a\": [1,\n]}", 2, 1),
            ("{\"a\": ", 1, 6),
            ("[]", 1, 1),
            (" null", 1, 2),
            ("42", 1, 1),
            ("\"\"", 1, 1),
            ("{\"a\": 1, \"a\": 2}", 1, 10),
            ("{'a': 1}", 1, 2),
            ("{\"a\": 0x1}", 1, 8),
        ] {
            let problem = JsonText::parse(text.as_bytes()).expect_err(text);
            assert_eq!((problem.line, problem.column), (line, column), "{text}: {problem}");
        }
        let problem = JsonText::parse(b"{\n \"a\": \"\xff\"}").expect_err("not UTF-8");
        assert_eq!((problem.line, problem.column), (2, 8));
    }
}
