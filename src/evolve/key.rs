//! Who a lesson is across packs: its pack and its id, written `pack/id` in trailers and ledgers.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::model::lesson::LessonId;
use crate::model::pack::PackName;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub pack: PackName,
    pub id: LessonId,
}

impl Key {
    pub fn new(pack: &PackName, id: &LessonId) -> Self {
        Self { pack: pack.clone(), id: id.clone() }
    }

    /// Reads `pack/id`.
    pub fn parse(text: &str) -> Option<Self> {
        let (pack, id) = text.split_once('/')?;
        Some(Self { pack: PackName::new(pack)?, id: LessonId::parse(id)? })
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.pack, self.id)
    }
}

impl Serialize for Key {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Key {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        Self::parse(&text).ok_or_else(|| serde::de::Error::custom(format!("not `pack/id`: {text:?}")))
    }
}

#[cfg(test)]
mod tests {
    use super::Key;

    #[test]
    fn a_key_is_read_as_it_is_written() {
        let key = Key::parse("git-workflow/7F3A9c12d0").expect("valid");
        assert_eq!(key.to_string(), "git-workflow/7f3a9c12d0");
        for text in ["", "a", "/7f3a9c12d0", "A/7f3a9c12d0", "a/7f3a", "a/b/7f3a9c12d0"] {
            assert_eq!(Key::parse(text), None, "{text}");
        }
    }
}
