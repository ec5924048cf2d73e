//! The items that are shown or withheld, by name and content: what was shown is not shown again, what changed since is.

use std::collections::hash_map::DefaultHasher;
use std::collections::{HashMap, HashSet};
use std::fmt;
use std::hash::Hasher as _;

use serde::{Serialize, Serializer};

use crate::model::lesson::LessonId;
use crate::model::pack::PackName;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    Lesson,
    /// A whole section of the guardrails.
    Section,
    /// A part of a section that is too long to be shown whole.
    Part,
    /// The pack's links.
    Links,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Lesson, Self::Section, Self::Part, Self::Links];

    fn as_str(self) -> &'static str {
        match self {
            Self::Lesson => "lesson",
            Self::Section => "section",
            Self::Part => "part",
            Self::Links => "links",
        }
    }
}

/// One thing that is shown as a whole, once to an agent.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Item {
    pub kind: Kind,
    pub pack: PackName,
    /// A lesson's id; a section's heading; empty for links.
    pub name: String,
    /// Of its text.
    pub hash: String,
}

impl Item {
    /// What names it, whatever its text.
    pub fn key(&self) -> Key {
        Key { kind: self.kind, pack: self.pack.clone(), name: self.name.clone() }
    }

    pub(super) fn lesson(pack: &PackName, id: &LessonId, text: &[&str]) -> Self {
        Self { kind: Kind::Lesson, pack: pack.clone(), name: id.as_str().to_owned(), hash: digest(text) }
    }
}

/// Which item, whatever its text.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key {
    pub kind: Kind,
    pub pack: PackName,
    pub name: String,
}

/// `lesson:security/7f3a9c12d0`
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}/{}", self.kind.as_str(), self.pack, self.name)
    }
}

impl Key {
    /// Reads what was written by `Display`.
    pub fn parse(text: &str) -> Option<Self> {
        let (kind, rest) = text.split_once(':')?;
        let (pack, name) = rest.split_once('/')?;
        let kind = Kind::ALL.into_iter().find(|known| known.as_str() == kind)?;
        Some(Self { kind, pack: PackName::new(pack)?, name: name.to_owned() })
    }
}

/// `lesson:security/7f3a9c12d0@0a1b2c3d4e`
impl fmt::Display for Item {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}@{}", self.key(), self.hash)
    }
}

impl Item {
    /// Reads what was written by `Display`.
    pub fn parse(text: &str) -> Option<Self> {
        let (key, hash) = text.rsplit_once('@')?;
        let Key { kind, pack, name } = Key::parse(key)?;
        Some(Self { kind, pack, name, hash: hash.to_owned() })
    }
}

/// Ten hex digits. They are compared within one session alone: a MARVEL built with another hash shows things once more.
pub(super) fn digest(parts: &[&str]) -> String {
    let mut hash = DefaultHasher::new();
    for part in parts {
        hash.write(part.as_bytes());
        hash.write_u8(0);
    }
    format!("{:010x}", hash.finish() >> 24)
}

/// What one agent has in its context, and what a correction has armed again.
#[derive(Clone, Debug, Default)]
pub struct Shown {
    packs: HashMap<PackName, OfPack>,
}

/// By kind, to be looked up by name.
#[derive(Clone, Debug, Default)]
struct OfPack {
    hashes: [HashMap<String, String>; 4],
    armed: [HashSet<String>; 4],
}

impl Shown {
    /// The item was put into the context.
    pub fn add(&mut self, item: &Item) {
        let of_pack = self.packs.entry(item.pack.clone()).or_default();
        of_pack.armed[item.kind as usize].remove(&item.name);
        of_pack.hashes[item.kind as usize].insert(item.name.clone(), item.hash.clone());
    }

    /// The next file that calls for the item's pack brings it, although it may have been shown.
    pub fn arm(&mut self, key: Key) {
        self.packs.entry(key.pack).or_default().armed[key.kind as usize].insert(key.name);
    }

    /// Whether it need not be shown: it was, with this very text, and nothing armed it since.
    pub fn has(&self, item: &Item) -> bool {
        self.hash(item.kind, &item.pack, &item.name) == Some(&item.hash) && !self.is_armed(item.kind, &item.pack, &item.name)
    }

    /// Of the text that was shown.
    pub(super) fn hash(&self, kind: Kind, pack: &PackName, name: &str) -> Option<&String> {
        self.packs.get(pack)?.hashes[kind as usize].get(name)
    }

    pub(super) fn is_armed(&self, kind: Kind, pack: &PackName, name: &str) -> bool {
        self.packs.get(pack).is_some_and(|of_pack| of_pack.armed[kind as usize].contains(name))
    }

    /// How many items of that kind were shown.
    pub(super) fn count(&self, kind: Kind, pack: &PackName) -> usize {
        self.packs.get(pack).map_or(0, |of_pack| of_pack.hashes[kind as usize].len())
    }
}

/// Something of a selected pack that is not shown, and why.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Withheld {
    pub pack: PackName,
    /// The lesson; none for guardrails.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub id: Option<LessonId>,
    /// The section of the guardrails, by its heading; empty for what stands before the first one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub section: Option<String>,
    pub reason: Why,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    ShownBefore,
    /// It has `paths`, and none of them matches.
    OtherPaths,
    /// The first lessons of its pack were shown, and it shares nothing with this file.
    NotClose,
    /// Enough better ones are shown.
    Outranked,
    NoRoom,
    /// The agent's own budget ends before the injection's.
    AgentBudget,
}

impl fmt::Display for Why {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::ShownBefore => "shown before",
            Self::OtherPaths => "its paths are elsewhere",
            Self::NotClose => "not close to this file",
            Self::Outranked => "better ones come first",
            Self::NoRoom => "no room in this injection",
            Self::AgentBudget => "the agent's budget is used up",
        })
    }
}

impl Serialize for Why {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::{Item, Key, Kind, Shown};
    use crate::model::lesson::LessonId;
    use crate::model::pack::PackName;

    #[test]
    fn an_item_is_a_line_of_text_and_back() {
        let item =
            Item { kind: Kind::Section, pack: PackName::new("p").unwrap(), name: "A: b/c @d".to_owned(), hash: "01".to_owned() };
        assert_eq!(item.to_string(), "section:p/A: b/c @d@01");
        assert_eq!(Item::parse(&item.to_string()), Some(item.clone()));
        assert_eq!(Key::parse(&item.key().to_string()), Some(item.key()));
        for text in ["", "section:p/x", "other:p/x@1", "lesson:P/x@1", "lesson:p@1"] {
            assert_eq!(Item::parse(text), None, "{text}");
        }
    }

    #[test]
    fn what_was_shown_comes_again_when_it_changed_or_was_armed() {
        let pack = PackName::new("p").unwrap();
        let id = LessonId::parse("0123456789").unwrap();
        let (old, new) = (Item::lesson(&pack, &id, &["a", "b"]), Item::lesson(&pack, &id, &["ab", ""]));
        let mut shown = Shown::default();
        shown.add(&old);
        assert!(shown.has(&old) && !shown.has(&new));
        shown.arm(old.key());
        assert!(!shown.has(&old) && shown.is_armed(Kind::Lesson, &pack, &new.name));
        shown.add(&new);
        assert!(shown.has(&new) && !shown.has(&old) && !shown.is_armed(Kind::Lesson, &pack, &new.name));
        assert_eq!((shown.count(Kind::Lesson, &pack), shown.count(Kind::Part, &pack)), (1, 0));
    }
}
