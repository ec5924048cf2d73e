//! A pack: its name, what `pack.json` says, and its three files together.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize};

use super::jsonl::{BOM, LessonFile};

/// The folder of all packs, from the repository's root.
pub const PACKS_DIR: &str = "marvel/packs";
pub const META_FILE: &str = "pack.json";
pub const GUARDRAILS_FILE: &str = "guardrails.md";
pub const LESSONS_FILE: &str = "lessons.jsonl";

/// `^[a-z][a-z0-9-]*$`: safe as a folder, in a commit message and on a terminal.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct PackName(String);

impl PackName {
    pub fn new(text: &str) -> Option<Self> {
        is_slug(text).then(|| Self(text.to_owned()))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A file of this pack, from the repository's root.
    pub fn path(&self, file: &str) -> String {
        format!("{PACKS_DIR}/{}/{file}", self.0)
    }
}

/// `^[a-z][a-z0-9-]*$`, the form of pack names and categories.
pub fn is_slug(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_lowercase())
        && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
}

impl fmt::Display for PackName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl<'de> Deserialize<'de> for PackName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::new(&text).ok_or_else(|| serde::de::Error::custom(format!("not a pack name: {text:?}")))
    }
}

/// What `pack.json` says. Unknown properties are passed over here; `validate` reports them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PackMeta {
    pub name: PackName,
    pub version: String,
    pub owner: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    #[serde(default)]
    pub categories: Vec<String>,
    #[serde(default)]
    pub applies_to: AppliesTo,
    #[serde(default)]
    pub depends_on: Vec<String>,
    #[serde(default)]
    pub sensitive_paths: Vec<String>,
    #[serde(default)]
    pub excludes_paths: Vec<String>,
    #[serde(default)]
    pub references: References,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliesTo {
    #[serde(default)]
    pub extensions: Vec<String>,
}

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct References {
    #[serde(default)]
    pub code_paths: Vec<String>,
    #[serde(default)]
    pub doc_links: Vec<String>,
}

impl PackMeta {
    /// Reads `pack.json`; a BOM is passed over.
    pub fn parse(bytes: &[u8]) -> serde_json::Result<Self> {
        serde_json::from_slice(bytes.strip_prefix(BOM).unwrap_or(bytes))
    }

    /// The smallest valid pack of that name.
    pub fn minimal(name: PackName, owner: &str) -> Self {
        Self {
            name,
            version: "0.1.0".to_owned(),
            owner: owner.to_owned(),
            description: None,
            categories: Vec::new(),
            applies_to: AppliesTo::default(),
            depends_on: Vec::new(),
            sensitive_paths: Vec::new(),
            excludes_paths: Vec::new(),
            references: References::default(),
        }
    }

    /// `pack.json` as MARVEL writes it: two spaces, a newline at the end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string_pretty(self).expect("plain data always serialises");
        text.push('\n');
        text
    }
}

/// A pack with all that it knows.
#[derive(Clone, Debug, PartialEq)]
pub struct Pack {
    pub meta: PackMeta,
    /// `guardrails.md`, as it is; empty where the pack has none.
    pub guardrails: String,
    pub lessons: LessonFile,
}

impl Pack {
    pub fn name(&self) -> &PackName {
        &self.meta.name
    }
}

#[cfg(test)]
mod tests {
    use super::{PackMeta, PackName};

    #[test]
    fn names_are_slugs() {
        for (text, valid) in [
            ("security", true),
            ("a-1", true),
            ("", false),
            ("Security", false),
            ("1a", false),
            ("a/b", false),
            ("..", false),
            ("ä", false),
        ] {
            assert_eq!(PackName::new(text).is_some(), valid, "{text}");
        }
    }

    #[test]
    fn an_unknown_property_blocks_nothing() {
        let meta = PackMeta::parse("\u{feff}{\"name\":\"a\",\"version\":\"1.0.0\",\"owner\":\"o\",\"later\":{}}".as_bytes());
        assert_eq!(meta.expect("valid").name.as_str(), "a");
    }
}
