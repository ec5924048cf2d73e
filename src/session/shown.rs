//! `injections.jsonl`: what was really put before which agent of one run, and for which file. Hooks run in parallel: the
//! ledger is locked from the moment it is read until what was printed stands in it, so nothing is shown twice. What is
//! worth showing is `inject`'s to say.

use std::collections::HashSet;
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::{self, Lock};
use crate::inject::item::{Item, Key, Kind, Shown};
use crate::model::timestamp::Timestamp;

/// One line: something was shown, forgotten, or may be shown once more.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Entry {
    pub at: Timestamp,
    /// The segment of the run, as it is recorded.
    pub segment: u32,
    /// The sub-agent; none for the main one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    pub what: What,
    /// The client's name of the event.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub event: String,
    /// What identifies the event: a tool call, a prompt.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub id: Option<String>,
    /// For which files, from the repository's root.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<String>,
    /// Lessons among the items, as `pack/id`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<String>,
    /// What was shown, as `inject` writes an item; what was armed, as it writes a key.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub items: Vec<String>,
    /// UTF-16 units.
    #[serde(default)]
    pub chars: usize,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum What {
    Shown,
    /// The agent's context was compacted or cleared: nothing counts as shown.
    Forgotten,
    /// A correction: what it armed may be shown once more.
    Armed,
    /// Of a newer version.
    #[serde(other)]
    Other,
}

impl Entry {
    pub fn new(at: Timestamp, segment: u32, agent: Option<&str>, what: What) -> Self {
        Self {
            at,
            segment,
            agent: agent.map(str::to_owned),
            what,
            event: String::new(),
            id: None,
            files: Vec::new(),
            lessons: Vec::new(),
            items: Vec::new(),
            chars: 0,
        }
    }

    pub fn with_items(mut self, items: &[Item]) -> Self {
        let lessons = items.iter().filter(|item| item.kind == Kind::Lesson);
        self.lessons = lessons.map(|item| format!("{}/{}", item.pack, item.name)).collect();
        self.items = items.iter().map(ToString::to_string).collect();
        self
    }

    pub fn with_keys(mut self, keys: &[Key]) -> Self {
        self.items = keys.iter().map(ToString::to_string).collect();
        self
    }
}

/// What one agent has before it.
#[derive(Debug, Default)]
pub struct Memory {
    pub shown: Shown,
    /// What corrections armed already: they do it once.
    pub armed: HashSet<Key>,
    /// Packs of which it was shown rules.
    pub rules_of: HashSet<String>,
    /// UTF-16 units since its context was last compacted or cleared.
    pub chars: usize,
}

impl Memory {
    fn add(&mut self, entry: &Entry) {
        match entry.what {
            What::Shown => {
                self.chars += entry.chars;
                for item in entry.items.iter().filter_map(|item| Item::parse(item)) {
                    if matches!(item.kind, Kind::Section | Kind::Part) && !self.rules_of.contains(item.pack.as_str()) {
                        self.rules_of.insert(item.pack.as_str().to_owned());
                    }
                    self.shown.add(&item);
                }
            }
            What::Forgotten => {
                self.shown = Shown::default();
                self.rules_of.clear();
                self.chars = 0;
            }
            What::Armed => {
                for key in entry.items.iter().filter_map(|key| Key::parse(key)) {
                    self.shown.arm(key.clone());
                    self.armed.insert(key);
                }
            }
            What::Other => {}
        }
    }
}

pub fn path(run_dir: &Path) -> PathBuf {
    run_dir.join("injections.jsonl")
}

/// All of it, oldest first.
pub fn read(run_dir: &Path) -> io::Result<Vec<Entry>> {
    file::read_jsonl(&path(run_dir))
}

/// The ledger, locked until it is dropped.
#[derive(Debug)]
pub struct Ledger {
    lock: Lock,
    entries: Vec<Entry>,
    torn: bool,
}

impl Ledger {
    /// Waits for the other hooks of this run; without the lock nothing may be shown.
    pub fn open(run_dir: &Path) -> io::Result<Self> {
        let mut lock = file::lock(&path(run_dir), file::LOCK_WAIT)?;
        let mut bytes = Vec::new();
        lock.file.read_to_end(&mut bytes)?;
        let entries = file::lines(&bytes).filter_map(|line| serde_json::from_slice(line).ok()).collect();
        let torn = bytes.last().is_some_and(|&last| last != b'\n');
        Ok(Self { lock, entries, torn })
    }

    /// Whether this very event of this agent was answered already: hooks may be installed twice.
    pub fn is_answered(&self, event: &str, agent: Option<&str>, id: &str) -> bool {
        self.entries.iter().any(|one| one.event == event && one.agent.as_deref() == agent && one.id.as_deref() == Some(id))
    }

    pub fn memory(&self, agent: Option<&str>) -> Memory {
        let mut memory = Memory::default();
        for entry in self.entries.iter().filter(|entry| entry.agent.as_deref() == agent) {
            memory.add(entry);
        }
        memory
    }

    /// Whether this agent was shown anything in this run, forgotten or not.
    pub fn has_shown(&self, agent: Option<&str>) -> bool {
        let shown = |entry: &Entry| entry.what == What::Shown && !entry.items.is_empty();
        self.entries.iter().any(|entry| entry.agent.as_deref() == agent && shown(entry))
    }

    /// Notes what was printed a moment ago.
    pub fn note(&mut self, entry: Entry) -> io::Result<()> {
        let mut line = serde_json::to_vec(&entry)?;
        line.push(b'\n');
        if self.torn {
            line.insert(0, b'\n');
            self.torn = false;
        }
        self.lock.file.write_all(&line)?;
        self.entries.push(entry);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, Ledger, What, path, read};
    use crate::inject::item::{Item, Kind};
    use crate::model::pack::PackName;
    use crate::model::timestamp::Timestamp;
    use std::path::Path;

    fn item(name: &str, hash: &str) -> Item {
        Item { kind: Kind::Lesson, pack: PackName::new("p").unwrap(), name: name.to_owned(), hash: hash.to_owned() }
    }

    fn entry(agent: Option<&str>, what: What, items: &[Item]) -> Entry {
        let entry = Entry::new(Timestamp::from_unix(1).unwrap(), 1, agent, what);
        let mut entry = match what {
            What::Armed => entry.with_keys(&items.iter().map(Item::key).collect::<Vec<_>>()),
            _ => entry.with_items(items),
        };
        entry.chars = 10;
        entry
    }

    fn note(dir: &Path, entry: Entry) {
        Ledger::open(dir).unwrap().note(entry).unwrap();
    }

    #[test]
    fn each_agent_has_its_own_memory_until_it_is_forgotten_or_armed() {
        let dir = tempfile::tempdir().unwrap();
        let (one, two) = (item("1", "x"), item("2", "y"));
        note(dir.path(), entry(None, What::Shown, &[one.clone(), two.clone()]));
        note(dir.path(), entry(Some("sub"), What::Shown, std::slice::from_ref(&one)));
        let memory = |agent| Ledger::open(dir.path()).unwrap().memory(agent);
        assert!(memory(None).shown.has(&one) && !memory(None).shown.has(&item("1", "changed")));
        assert!(!memory(Some("sub")).shown.has(&two) && !memory(Some("other")).shown.has(&one));

        note(dir.path(), entry(None, What::Armed, std::slice::from_ref(&one)));
        assert!(!memory(None).shown.has(&one) && memory(None).armed.contains(&one.key()) && memory(Some("sub")).shown.has(&one));
        note(dir.path(), entry(None, What::Shown, std::slice::from_ref(&one)));
        assert!(memory(None).shown.has(&one));
        assert_eq!(memory(None).chars, 20);

        note(dir.path(), entry(None, What::Forgotten, &[]));
        let after = memory(None);
        assert!(!after.shown.has(&one) && !after.shown.has(&two) && after.armed.contains(&one.key()));
        assert_eq!(after.chars, 0);
        assert_eq!(read(dir.path()).unwrap()[0].lessons, ["p/1", "p/2"]);
        let ledger = Ledger::open(dir.path()).unwrap();
        assert!(ledger.has_shown(None) && ledger.has_shown(Some("sub")) && !ledger.has_shown(Some("other")));
    }

    #[test]
    fn the_same_event_of_the_same_agent_is_answered_once() {
        let dir = tempfile::tempdir().unwrap();
        let mut answered = entry(Some("sub"), What::Shown, &[]);
        (answered.event, answered.id) = ("PreToolUse".to_owned(), Some("toolu_1".to_owned()));
        note(dir.path(), answered);
        let ledger = Ledger::open(dir.path()).unwrap();
        assert!(ledger.is_answered("PreToolUse", Some("sub"), "toolu_1"));
        assert!(!ledger.is_answered("PreToolUse", None, "toolu_1") && !ledger.is_answered("Stop", Some("sub"), "toolu_1"));
    }

    #[test]
    fn a_torn_line_is_passed_over_and_the_next_one_is_whole() {
        let dir = tempfile::tempdir().unwrap();
        crate::session::file::write_cache(&path(dir.path()), b"{\"at\":\"20").unwrap();
        note(dir.path(), entry(None, What::Shown, &[item("1", "x")]));
        note(dir.path(), entry(None, What::Shown, &[item("2", "x")]));
        assert_eq!(read(dir.path()).unwrap().len(), 2);
    }

    #[test]
    fn an_item_is_claimed_by_one_of_many() {
        let dir = tempfile::tempdir().unwrap();
        let claimed = std::thread::scope(|scope| {
            let claim = || {
                let mut ledger = Ledger::open(dir.path()).unwrap();
                let free = !ledger.memory(None).shown.has(&item("1", "x"));
                if free {
                    ledger.note(entry(None, What::Shown, &[item("1", "x")])).unwrap();
                }
                free
            };
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(claim)).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap().then_some(())).count()
        });
        assert_eq!(claimed, 1);
    }
}
