//! JSON with positions: where a value stands, which keys stand twice. What the values should be is the schema's.

use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};

/// A JSON text, every part of which knows where it stands.
pub(super) struct Tree<'a> {
    pub(super) text: &'a str,
    root: Value<'a>,
}

/// Why a text is not JSON, and at which byte.
pub(super) struct NotJson {
    pub(super) at: usize,
    pub(super) reason: String,
}

impl<'a> Tree<'a> {
    /// Reads strict JSON.
    pub(super) fn parse(text: &'a str) -> Result<Self, NotJson> {
        if let Err(error) = serde_json::from_str::<serde::de::IgnoredAny>(text) {
            let line = text.split_inclusive('\n').take(error.line().saturating_sub(1)).map(str::len).sum::<usize>();
            let at = floor(text, line + error.column().saturating_sub(1));
            let reason = error.to_string();
            let reason = reason.split(" at line ").next().unwrap_or(&reason).to_owned();
            return Err(NotJson { at, reason });
        }
        let options = ParseOptions {
            allow_comments: false,
            allow_loose_object_property_names: false,
            allow_trailing_commas: false,
            allow_missing_commas: false,
            allow_single_quoted_strings: false,
            allow_hexadecimal_numbers: false,
            allow_unary_plus_numbers: false,
            allow_bare_decimal_point_numbers: false,
            allow_non_finite_numbers: false,
            allow_extended_string_escapes: false,
        };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options);
        match parsed.map(|parsed| parsed.value) {
            Ok(Some(root)) => Ok(Self { text, root }),
            Ok(None) => Err(NotJson { at: 0, reason: "nothing there".to_owned() }),
            Err(error) => Err(NotJson { at: floor(text, error.range().start), reason: error.kind().to_string() }),
        }
    }

    pub(super) fn object(&self) -> Option<&Object<'a>> {
        self.root.as_object()
    }

    /// The byte that the value at a JSON pointer begins on; as near to it as there is something.
    pub(super) fn at(&self, pointer: &str) -> usize {
        let mut value = &self.root;
        for token in tokens(pointer) {
            let Some(next) = below(value, &token) else { break };
            value = next;
        }
        value.start()
    }

    /// The byte that a key begins on, given the JSON pointer of its object.
    pub(super) fn key(&self, pointer: &str, key: &str) -> usize {
        let value = tokens(pointer).try_fold(&self.root, |value, token| below(value, &token));
        let property = value.and_then(Value::as_object).and_then(|object| last(object, key));
        property.map_or_else(|| self.at(pointer), ObjectProp::start)
    }

    /// Every key that stands again in its object: the name, and the byte of the later one.
    pub(super) fn repeated_keys(&self) -> Vec<(String, usize)> {
        let mut found = Vec::new();
        repeated(&self.root, &mut found);
        found
    }

    /// Every string that is a value: its JSON pointer, its range as written, what it means.
    pub(super) fn strings(&self) -> Vec<Text<'_>> {
        let mut found = Vec::new();
        strings(&self.root, &mut String::new(), self.text, &mut found);
        found
    }
}

/// A string of a JSON text.
pub(super) struct Text<'a> {
    /// `/references/doc_links/0`
    pub(super) pointer: String,
    /// The byte that it begins on.
    pub(super) start: usize,
    /// With its quotes, as written.
    pub(super) raw: &'a str,
    pub(super) meant: &'a str,
}

fn tokens(pointer: &str) -> impl Iterator<Item = String> {
    pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~"))
}

fn below<'t, 'a>(value: &'t Value<'a>, token: &str) -> Option<&'t Value<'a>> {
    match value {
        Value::Object(object) => last(object, token).map(|property| &property.value),
        Value::Array(array) => array.elements.get(token.parse::<usize>().ok()?),
        _ => None,
    }
}

/// The property that counts: the last of that name.
pub(super) fn last<'t, 'a>(object: &'t Object<'a>, name: &str) -> Option<&'t ObjectProp<'a>> {
    object.properties.iter().rev().find(|property| property.name.as_str() == name)
}

fn repeated(value: &Value<'_>, found: &mut Vec<(String, usize)>) {
    match value {
        Value::Object(object) => {
            let mut seen = std::collections::HashSet::new();
            for property in &object.properties {
                if !seen.insert(property.name.as_str()) {
                    found.push((property.name.as_str().to_owned(), property.start()));
                }
                repeated(&property.value, found);
            }
        }
        Value::Array(array) => array.elements.iter().for_each(|element| repeated(element, found)),
        _ => {}
    }
}

fn strings<'t>(value: &'t Value<'_>, pointer: &mut String, text: &'t str, found: &mut Vec<Text<'t>>) {
    let length = pointer.len();
    let mut below = |token: &str, value: &'t Value<'_>, found: &mut Vec<Text<'t>>| {
        pointer.push('/');
        pointer.push_str(&token.replace('~', "~0").replace('/', "~1"));
        strings(value, pointer, text, found);
        pointer.truncate(length);
    };
    match value {
        Value::Object(object) => {
            object.properties.iter().for_each(|property| below(property.name.as_str(), &property.value, found));
        }
        Value::Array(array) => {
            array.elements.iter().enumerate().for_each(|(i, element)| below(&i.to_string(), element, found));
        }
        Value::StringLit(string) => {
            let raw = &text[string.range.start..string.range.end];
            found.push(Text { pointer: pointer.clone(), start: string.range.start, raw, meant: &string.value });
        }
        _ => {}
    }
}

/// The nearest beginning of a character at or before a byte.
fn floor(text: &str, byte: usize) -> usize {
    (0..=byte.min(text.len())).rev().find(|&at| text.is_char_boundary(at)).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::Tree;

    #[test]
    fn values_are_found_by_pointer() {
        let text = r#"{"a": {"b/c": [1, "x"]}, "a": 2, "l": [{"k": 1, "k": 2}]}"#;
        let tree = Tree::parse(text).ok().expect("JSON");
        for (pointer, expected) in [("", "{"), ("/a", "2,"), ("/l/0", "{\"k\""), ("/l/0/k", "2}"), ("/l/0/z/y", "{\"k\"")] {
            assert!(text[tree.at(pointer)..].starts_with(expected), "{pointer}");
        }
        assert!(text[tree.key("/l/0", "k")..].starts_with("\"k\": 2"));
        let repeated: Vec<_> = tree.repeated_keys().into_iter().map(|(key, at)| (key, &text[at..at + 4])).collect();
        assert_eq!(repeated, [("a".to_owned(), "\"a\":"), ("k".to_owned(), "\"k\":")]);
        let strings: Vec<_> = tree.strings().iter().map(|string| (string.pointer.clone(), string.raw)).collect();
        assert_eq!(strings, [("/a/b~1c/1".to_owned(), "\"x\"")]);
    }

    #[test]
    fn what_is_not_json_is_placed() {
        for (text, at) in [("{\"a\":1,}", 7), ("{\n \"é\": x}", 9), ("", 0), ("{\"a\":1} x", 8), ("// c\n{}", 0)] {
            assert_eq!(Tree::parse(text).err().map(|error| error.at), Some(at), "{text}");
        }
    }
}
