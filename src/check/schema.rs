//! JSON files against JSON Schemas: compiled once, answers as findings with positions. A repository's own schema file
//! counts where there is one, so that a newer one can make fields known to an older binary.

use std::collections::BTreeSet;
use std::sync::{Arc, OnceLock};

use jsonschema::error::{TypeKind, ValidationErrorKind};
use jsonschema::{PatternOptions, ValidationError, Validator};
use serde_json::Value;

use super::code::{self, Code};
use super::json::Tree;
use super::place::Place;
use super::sink::{At, Sink};
use crate::model::config::CONFIG_SCHEMA_PATH;
use crate::model::schema;

pub(super) struct Schema {
    document: Value,
    validator: Validator,
}

/// The schemas that come with the binary, each compiled when it is first wanted.
pub(super) static PACK: Shipped =
    Shipped { file: "marvel/packs/_pack.schema.json", text: schema::PACK, compiled: OnceLock::new() };
pub(super) static LESSON: Shipped =
    Shipped { file: "marvel/packs/_lesson.schema.json", text: schema::LESSON, compiled: OnceLock::new() };
pub(super) static CONFIG: Shipped = Shipped { file: CONFIG_SCHEMA_PATH, text: schema::CONFIG, compiled: OnceLock::new() };

pub(super) struct Shipped {
    pub(super) file: &'static str,
    text: &'static str,
    compiled: OnceLock<Arc<Schema>>,
}

impl Shipped {
    /// The repository's own schema where it has another one that works, else this one.
    pub(super) fn or_own(&self, own: Option<&[u8]>, sink: &mut Sink<'_>) -> Arc<Schema> {
        match own.filter(|own| *own != self.text.as_bytes()).map(Schema::compile) {
            Some(Ok(schema)) => return Arc::new(schema),
            Some(Err(reason)) => {
                let hint = "`marvel init` writes the shipped schema again where the file is missing";
                let message = format!("this schema cannot be used: {}", super::shown(&reason));
                sink.report(code::INVALID_SCHEMA, At::file(self.file), message, hint);
            }
            None => {}
        }
        let compile =
            || Arc::new(Schema::compile(self.text.as_bytes()).expect("the shipped schema is valid: a test compiles it"));
        Arc::clone(self.compiled.get_or_init(compile))
    }
}

impl Schema {
    fn compile(bytes: &[u8]) -> Result<Self, String> {
        let document: Value = serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        if !document.is_object() {
            return Err("not a JSON object".to_owned());
        }
        // A linear engine: a schema comes with the repository and must not be able to hang us. Nothing is fetched.
        let validator = jsonschema::options()
            .offline()
            .with_pattern_options(PatternOptions::regex())
            .build(&document)
            .map_err(|error| error.to_string())?;
        Ok(Self { document, validator })
    }

    /// The properties that the schema lists at its root.
    pub(super) fn known(&self) -> BTreeSet<String> {
        properties(&self.document).map(|known| known.keys().cloned().collect()).unwrap_or_default()
    }

    /// Reports what is wrong with a JSON file. Gives the pointers that something is wrong with.
    pub(super) fn check(&self, file: &str, tree: &Tree<'_>, place: &Place<'_>, sink: &mut Sink<'_>) -> BTreeSet<String> {
        let Ok(value) = serde_json::from_str::<Value>(tree.text) else { return BTreeSet::new() };
        let mut wrong = BTreeSet::new();
        for error in self.validator.iter_errors(&value) {
            let pointer = error.instance_path().to_string();
            let (code, message, hint) = explain(&pointer, &error);
            sink.report(code, At::new(file, place.of(tree.at(&pointer))), message, hint);
            wrong.insert(pointer);
        }
        self.unknown(&self.document, &value, "", &mut |pointer: &str, key: &str, known: &[&str]| {
            report_unknown(At::new(file, place.of(tree.key(pointer, key))), key, known, sink);
        });
        wrong
    }

    fn unknown(&self, schema: &Value, value: &Value, pointer: &str, report: &mut dyn FnMut(&str, &str, &[&str])) {
        let (Some(known), Some(object)) = (properties(schema), value.as_object()) else { return };
        let open = schema.get("additionalProperties").is_some() || schema.get("patternProperties").is_some();
        for (key, value) in object {
            match known.get(key) {
                Some(below) => {
                    let pointer = format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"));
                    self.unknown(below, value, &pointer, report);
                }
                None if open => {}
                None => report(pointer, key, &known.keys().map(String::as_str).collect::<Vec<_>>()),
            }
        }
    }
}

pub(super) fn report_unknown(at: At<'_>, key: &str, known: &[&str], sink: &mut Sink<'_>) {
    let near = known.iter().find(|name| is_typo(name, key));
    let hint = match near {
        Some(name) => format!("did you mean `{name}`?"),
        None => "it is kept, and means nothing to this version of marvel".to_owned(),
    };
    sink.report(code::UNKNOWN_KEY, at, format!("unknown field `{}`", super::shown(key)), &hint);
}

/// Whether two names differ by a slip: case, `-` for `_`, one letter more, less or other, two swapped.
fn is_typo(name: &str, written: &str) -> bool {
    let fold = |text: &str| text.to_lowercase().replace(['-', ' '], "_").chars().collect::<Vec<_>>();
    let (a, b) = (fold(name), fold(written));
    let before = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let after = a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count();
    let longest = a.len().max(b.len());
    let middle = longest.saturating_sub(before + after);
    a == b
        || (a.len().abs_diff(b.len()) <= 1 && middle <= 1 && longest > 2)
        || (a.len() == b.len() && middle == 2 && a[before] == b[before + 1] && a[before + 1] == b[before])
}

fn properties(schema: &Value) -> Option<&serde_json::Map<String, Value>> {
    schema.get("properties")?.as_object()
}

/// What a schema's complaint means to a pack author.
fn explain(pointer: &str, error: &ValidationError<'_>) -> (Code, String, &'static str) {
    let field = pointer.trim_start_matches('/').replace('/', ".");
    let shown = error.instance().as_str().map(super::shown);
    match error.kind() {
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let prefix = if field.is_empty() { String::new() } else { format!("{field}.") };
            (code::MISSING_FIELD, format!("the required field `{prefix}{name}` is missing"), "")
        }
        ValidationErrorKind::Type { kind } if pointer.is_empty() => {
            (code::NOT_AN_OBJECT, format!("the file must hold {}", types(kind)), "")
        }
        ValidationErrorKind::Type { kind } => (code::WRONG_TYPE, format!("`{field}` must be {}", types(kind)), ""),
        ValidationErrorKind::Pattern { .. } => pattern(pointer, &field, &shown.unwrap_or_default()),
        ValidationErrorKind::Enum { options } => {
            let options: Vec<_> = options.as_array().into_iter().flatten().filter_map(Value::as_str).collect();
            (code::INVALID_VALUE, format!("`{field}` must be one of {}", options.join(", ")), "")
        }
        ValidationErrorKind::Minimum { limit } => (code::INVALID_VALUE, format!("`{field}` must be {limit} or more"), ""),
        ValidationErrorKind::Maximum { limit } => (code::INVALID_VALUE, format!("`{field}` must be {limit} or less"), ""),
        ValidationErrorKind::MinLength { limit: 1 } => (code::EMPTY_FIELD, format!("`{field}` is empty"), ""),
        _ => {
            let message = error.masked_with(format!("`{field}`")).to_string();
            (code::INVALID_VALUE, super::shown(&message), "the repository's own schema says so")
        }
    }
}

fn pattern(pointer: &str, field: &str, shown: &str) -> (Code, String, &'static str) {
    let part = pointer.split('/').nth(1).unwrap_or_default();
    match part {
        "name" => (
            code::INVALID_PACK_NAME,
            format!("`name` must be of the form `^[a-z][a-z0-9-]*$`, not {shown:?}"),
            "lower-case letters, digits and `-`, beginning with a letter",
        ),
        "version" => (code::INVALID_VERSION, format!("{shown:?} is no semantic version"), "write it as `1.0.0`"),
        "owner" => (code::EMPTY_FIELD, "`owner` is empty".to_owned(), "name the team or person who answers for the pack"),
        "categories" => (
            code::INVALID_VALUE,
            format!("a category must be of the form `^[a-z][a-z0-9-]*$`, not {shown:?}"),
            "lower-case letters, digits and `-`, beginning with a letter",
        ),
        "depends_on" => (code::INVALID_VALUE, format!("{shown:?} cannot be the name of a pack"), "one pack an item"),
        "applies_to" => (
            code::INVALID_VALUE,
            format!("{shown:?} is no extension"),
            "begin it with a dot, without a wildcard: `.ts`, `.test.ts`; one an item",
        ),
        "references" => (code::INVALID_VALUE, format!("`{field}` must be a URL, not {shown:?}"), "as in `https://…`"),
        _ => (code::INVALID_VALUE, format!("`{field}` does not allow {shown:?}"), ""),
    }
}

fn types(kind: &TypeKind) -> String {
    let one = |name: &str| match name {
        "integer" => "a whole number".to_owned(),
        "object" | "array" => {
            if name == "array" {
                "a list".to_owned()
            } else {
                "an object".to_owned()
            }
        }
        "boolean" => "true or false".to_owned(),
        name => format!("a {name}"),
    };
    match kind {
        TypeKind::Single(kind) => one(kind.as_str()),
        TypeKind::Multiple(kinds) => {
            let names: Vec<_> = kinds.iter().map(|kind| one(kind.as_str())).filter(|name| name != "a null").collect();
            names.join(" or ")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Schema, is_typo};
    use crate::model::config::Config;
    use crate::model::schema;

    #[test]
    fn the_shipped_schemas_compile() {
        for shipped in [schema::PACK, schema::LESSON, schema::CONFIG] {
            Schema::compile(shipped.as_bytes()).expect("valid");
        }
    }

    #[test]
    fn the_settings_schema_lists_every_key_with_its_default() {
        fn compare(path: &str, schema: &serde_json::Value, value: &serde_json::Value) {
            let known = schema["properties"].as_object().expect("properties");
            for (key, value) in value.as_object().expect("an object") {
                let below = known.get(key).unwrap_or_else(|| panic!("{path}{key} is not in the schema"));
                match below.get("properties") {
                    Some(_) => compare(&format!("{path}{key}."), below, value),
                    None => assert_eq!(below["default"], *value, "{path}{key}"),
                }
            }
            assert!(known.keys().all(|key| key == "$schema" || value.get(key).is_some()), "{path} lists too much");
        }
        let schema: serde_json::Value = serde_json::from_str(schema::CONFIG).expect("JSON");
        compare("", &schema, &serde_json::to_value(Config::default()).expect("plain data"));
    }

    #[test]
    fn a_schema_cannot_make_us_fetch_or_hang() {
        for schema in [
            r#"{"$ref":"https://example.com/schema.json"}"#,
            r#"{"$ref":"file:///etc/hostname"}"#,
            r#"{"properties":{"name":{"pattern":"(a+)+\\1$"}}}"#,
            "[]",
            "{",
        ] {
            assert!(Schema::compile(schema.as_bytes()).is_err(), "{schema}");
        }
    }

    #[test]
    fn slips_are_told_from_other_names() {
        for (name, written, expected) in [
            ("sensitive_paths", "sensitive-paths", true),
            ("owner", "ower", true),
            ("owner", "onwer", true),
            ("categories", "Categories", true),
            ("name", "version", false),
            ("id", "ad", false),
            ("paths", "maintainer", false),
        ] {
            assert_eq!(is_typo(name, written), expected, "{written}");
        }
    }
}
