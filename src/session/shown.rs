//! `injections.jsonl`: what was really put before which agent of one run, and for which file. Hooks run in parallel: the
//! ledger is locked from the moment it is read until what was printed stands in it, so nothing is shown twice. What is
//! worth showing is `inject`'s to say; an item is a name and a digest of its text to us.

use std::collections::{HashMap, HashSet};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file::{self, Lock};
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
    /// Lessons, as `pack/id`.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub lessons: Vec<String>,
    /// All items, lessons included, as `name@digest`; of what is re-armed the name alone.
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
    /// A correction: these count as not shown, once.
    Rearmed,
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
}

/// What one agent has before it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Names with the digest of the text that was shown.
    items: HashMap<String, String>,
    /// Names that were re-armed already.
    rearmed: HashSet<String>,
    /// UTF-16 units.
    pub chars: usize,
    /// Whether anything was ever shown to it in this run.
    pub any: bool,
}

impl Shown {
    /// Whether that very text was shown.
    pub fn has(&self, name: &str, digest: &str) -> bool {
        self.items.get(name).is_some_and(|known| known == digest)
    }

    /// The names of all that was shown, in whatever state it was.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.items.keys().map(String::as_str)
    }

    pub fn was_rearmed(&self, name: &str) -> bool {
        self.rearmed.contains(name)
    }

    fn add(&mut self, entry: &Entry) {
        match entry.what {
            What::Shown => {
                self.any = true;
                self.chars += entry.chars;
                let parts = entry.items.iter().filter_map(|item| item.rsplit_once('@'));
                self.items.extend(parts.map(|(name, digest)| (name.to_owned(), digest.to_owned())));
            }
            What::Forgotten => {
                self.items.clear();
                self.chars = 0;
            }
            What::Rearmed => {
                for name in &entry.items {
                    self.items.remove(name);
                    self.rearmed.insert(name.clone());
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

    pub fn shown(&self, agent: Option<&str>) -> Shown {
        let mut shown = Shown::default();
        for entry in self.entries.iter().filter(|entry| entry.agent.as_deref() == agent) {
            shown.add(entry);
        }
        shown
    }

    /// Whether anything was shown to any agent of this run.
    pub fn is_first(&self) -> bool {
        !self.entries.iter().any(|entry| entry.what == What::Shown && !entry.items.is_empty())
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
    use crate::model::timestamp::Timestamp;
    use std::path::Path;

    fn entry(agent: Option<&str>, what: What, items: &[&str]) -> Entry {
        let mut entry = Entry::new(Timestamp::from_unix(1).unwrap(), 1, agent, what);
        entry.items = items.iter().map(|&item| item.to_owned()).collect();
        entry.chars = 10;
        entry
    }

    fn note(dir: &Path, entry: Entry) {
        Ledger::open(dir).unwrap().note(entry).unwrap();
    }

    #[test]
    fn each_agent_has_its_own_memory_until_it_is_forgotten_or_re_armed() {
        let dir = tempfile::tempdir().unwrap();
        assert!(Ledger::open(dir.path()).unwrap().is_first());
        note(dir.path(), entry(None, What::Shown, &["a/1@x", "a#One @ Two@y"]));
        note(dir.path(), entry(Some("sub"), What::Shown, &["a/1@x"]));
        let shown = |agent| Ledger::open(dir.path()).unwrap().shown(agent);
        assert!(shown(None).has("a/1", "x") && !shown(None).has("a/1", "changed") && shown(None).has("a#One @ Two", "y"));
        assert_eq!((shown(Some("sub")).names().count(), shown(Some("other")).any), (1, false));

        note(dir.path(), entry(None, What::Rearmed, &["a/1"]));
        assert!(!shown(None).has("a/1", "x") && shown(None).was_rearmed("a/1") && shown(Some("sub")).has("a/1", "x"));
        note(dir.path(), entry(None, What::Shown, &["a/1@x"]));
        assert!(shown(None).has("a/1", "x"));
        assert_eq!(shown(None).chars, 20);

        note(dir.path(), entry(None, What::Forgotten, &[]));
        let after = shown(None);
        assert_eq!((after.names().count(), after.chars, after.any, after.was_rearmed("a/1")), (0, 0, true, true));
        assert!(!Ledger::open(dir.path()).unwrap().is_first());
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
        note(dir.path(), entry(None, What::Shown, &["a/1@x"]));
        note(dir.path(), entry(None, What::Shown, &["a/2@x"]));
        assert_eq!(read(dir.path()).unwrap().len(), 2);
    }

    #[test]
    fn an_item_is_claimed_by_one_of_many() {
        let dir = tempfile::tempdir().unwrap();
        let claimed = std::thread::scope(|scope| {
            let claim = || {
                let mut ledger = Ledger::open(dir.path()).unwrap();
                let free = !ledger.shown(None).has("a/1", "x");
                if free {
                    ledger.note(entry(None, What::Shown, &["a/1@x"])).unwrap();
                }
                free
            };
            let threads: Vec<_> = (0..16).map(|_| scope.spawn(claim)).collect();
            threads.into_iter().filter_map(|thread| thread.join().unwrap().then_some(())).count()
        });
        assert_eq!(claimed, 1);
    }
}
