//! A merged `pack.json` as text, laid out as the versions that it comes from are.

use super::value::Value;
use crate::merge::label;

/// How a file is laid out, as far as it matters here.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Style {
    indent: String,
    colon: &'static str,
    end: &'static str,
    last_end: bool,
}

impl Style {
    pub(super) fn of(text: &str) -> Self {
        let second = text.lines().nth(1).unwrap_or("  \"");
        let indent = &second[..second.len() - second.trim_start_matches([' ', '\t']).len()];
        Self {
            indent: if indent.is_empty() { "  ".to_owned() } else { indent.to_owned() },
            colon: if text.contains("\": ") || !text.contains("\":") { ": " } else { ":" },
            end: if text.contains("\r\n") { "\r\n" } else { "\n" },
            last_end: text.ends_with('\n'),
        }
    }

    /// Of three layouts the changed one.
    pub(super) fn pick(base: Option<Self>, ours: Self, theirs: Self) -> Self {
        match base {
            Some(base) if base == ours => theirs,
            Some(base) if base == theirs => ours,
            _ => ours.min(theirs),
        }
    }
}

pub(super) struct Printer {
    pub(super) style: Style,
    pub(super) marker_size: usize,
}

impl Printer {
    pub(super) fn print(&self, value: &Value) -> String {
        let mut out = String::new();
        self.value(value, 0, &mut out);
        if self.style.last_end || has_conflict(value) {
            out.push_str(self.style.end);
        }
        out
    }

    fn value(&self, value: &Value, depth: usize, out: &mut String) {
        match value {
            Value::Raw(raw) => out.push_str(raw),
            Value::List { items, inline } if *inline || items.is_empty() => {
                out.push('[');
                out.push_str(&items.join(if self.style.colon == ":" { "," } else { ", " }));
                out.push(']');
            }
            Value::List { items, .. } => {
                out.push('[');
                for (i, item) in items.iter().enumerate() {
                    out.push_str(if i > 0 { "," } else { "" });
                    self.line(depth + 1, out);
                    out.push_str(item);
                }
                self.line(depth, out);
                out.push(']');
            }
            Value::Object { fields, .. } if fields.is_empty() => out.push_str("{}"),
            Value::Object { fields, inline } if *inline && !has_conflict(value) => {
                out.push('{');
                for (i, (key, value)) in fields.iter().enumerate() {
                    let comma = if self.style.colon == ":" { "," } else { ", " };
                    out.push_str(if i > 0 { comma } else { "" });
                    self.field(key, value, depth, out);
                }
                out.push('}');
            }
            Value::Object { fields, .. } => {
                out.push('{');
                for (i, (key, value)) in fields.iter().enumerate() {
                    let comma = if i + 1 < fields.len() { "," } else { "" };
                    if let Value::Conflict { path, base, ours, theirs } = value {
                        self.conflict(path, [Some(ours), base.as_ref(), Some(theirs)], key, comma, depth + 1, out);
                    } else {
                        self.line(depth + 1, out);
                        self.field(key, value, depth + 1, out);
                        out.push_str(comma);
                    }
                }
                self.line(depth, out);
                out.push('}');
            }
            Value::Conflict { .. } => unreachable!("a conflict is a property's, and the object prints it"),
        }
    }

    fn field(&self, key: &str, value: &Value, depth: usize, out: &mut String) {
        out.push_str(&serde_json::Value::from(key).to_string());
        out.push_str(self.style.colon);
        self.value(value, depth, out);
    }

    fn line(&self, depth: usize, out: &mut String) {
        out.push_str(self.style.end);
        out.push_str(&self.style.indent.repeat(depth));
    }

    /// Whole lines, so that the file is valid once one of the parts is chosen.
    fn conflict(&self, path: &str, parts: [Option<&String>; 3], key: &str, comma: &str, depth: usize, out: &mut String) {
        let mark = |char: &str| char.repeat(self.marker_size);
        let label = label(path);
        let markers = [format!("{} ours: {label}", mark("<")), format!("{} base", mark("|")), mark("=")];
        for (marker, part) in markers.into_iter().zip(parts) {
            out.push_str(self.style.end);
            out.push_str(&marker);
            if let Some(raw) = part {
                self.line(depth, out);
                self.field(key, &Value::Raw(raw.clone()), depth, out);
                out.push_str(comma);
            }
        }
        out.push_str(self.style.end);
        out.push_str(&format!("{} theirs: {label}", mark(">")));
    }
}

fn has_conflict(value: &Value) -> bool {
    match value {
        Value::Conflict { .. } => true,
        Value::Object { fields, .. } => fields.iter().any(|(_, value)| has_conflict(value)),
        Value::Raw(_) | Value::List { .. } => false,
    }
}
