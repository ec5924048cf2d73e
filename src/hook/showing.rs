//! What is put before an agent, against the ledger of what it has: the ledger stays locked until the answer was printed.

use std::io;

use super::relevant::Relevant;
use super::scene::Scene;
use super::wire::Answer;
use crate::inject::compose::{Injection, compose};
use crate::inject::item::{Key, Kind};
use crate::inject::{Budget, Occasion, units};
use crate::model::config::{Announce, Config};
use crate::session::log;
use crate::session::root::Root;
use crate::session::run::Run;
use crate::session::shown::{Entry, Ledger, Memory, What};

/// What one event shows.
#[derive(Debug)]
pub struct Showing<'a> {
    scene: &'a Scene<'a>,
    ledger: Ledger,
    memory: Memory,
    segment: u32,
    entries: Vec<Entry>,
}

impl<'a> Showing<'a> {
    /// Waits for the other hooks of this run.
    pub fn open(scene: &'a Scene<'a>, root: &Root) -> io::Result<Self> {
        let run_dir = scene.run_dir_in(root);
        // Where no hook told of the start, a prompt or a stop opens the run: this is the hot path.
        let segment = Run::read(&run_dir).map_or(1, |run| run.segment);
        let ledger = Ledger::open(&run_dir)?;
        let memory = ledger.memory(scene.agent);
        Ok(Self { scene, ledger, memory, segment, entries: Vec::new() })
    }

    /// Whether this very event was answered already.
    pub fn is_answered(&self, event: &str, id: Option<&str>) -> bool {
        id.is_some_and(|id| self.ledger.is_answered(event, self.scene.agent, id))
    }

    fn entry(&self, what: What) -> Entry {
        Entry::new(self.scene.now, self.segment, self.scene.agent, what)
    }

    /// The agent's context is empty again.
    pub fn forget(&mut self) {
        self.memory = Memory { armed: std::mem::take(&mut self.memory.armed), ..Memory::default() };
        self.entries.push(self.entry(What::Forgotten));
    }

    /// A correction brings these back, each once.
    pub fn arm(&mut self, keys: Vec<Key>) {
        let keys: Vec<Key> = keys.into_iter().filter(|key| !self.memory.armed.contains(key)).collect();
        if keys.is_empty() {
            return;
        }
        self.entries.push(self.entry(What::Armed).with_keys(&keys));
        for key in keys {
            self.memory.shown.arm(key.clone());
            self.memory.armed.insert(key);
        }
    }

    /// Puts what the files call for into the answer.
    pub fn show(
        &mut self,
        relevant: &Relevant<'_>,
        occasion: Occasion,
        config: &Config,
        event: &str,
        id: Option<&str>,
    ) -> Answer {
        let touched = relevant.touched();
        let budget = Budget::new(&config.inject, self.memory.chars);
        let may_hold = occasion == Occasion::Edit && self.is_held(relevant, config);
        let mut injection = compose(&touched, if may_hold { Occasion::Held } else { occasion }, &self.memory.shown, budget);
        let held = may_hold && brings_rules(&injection, relevant, config);
        if may_hold && !held {
            injection = compose(&touched, occasion, &self.memory.shown, budget);
        }
        if injection.text.is_empty() {
            return Answer::default();
        }
        let first = !self.ledger.has_shown(self.scene.agent);
        let mut entry = self.entry(What::Shown).with_items(&injection.items);
        entry.event = event.to_owned();
        entry.id = id.map(str::to_owned);
        entry.files = relevant.files().map(|file| file.as_str().to_owned()).collect();
        entry.chars = units(&injection.text);
        self.entries.push(entry);
        let message = match config.inject.announce {
            Announce::Always => injection.announcement,
            Announce::First if first => injection.announcement,
            _ => None,
        };
        if held {
            let file = relevant.files().next().map_or("", |file| file.as_str());
            log::note(&self.scene.place.home, "hook", &format!("refused the first edit of {file}: its rules come first"));
            Answer { deny: Some(injection.text), message, context: None }
        } else {
            Answer { context: Some(injection.text), message, deny: None }
        }
    }

    /// Whether a pack that holds the first edit speaks for a sensitive path, and its rules were not shown.
    fn is_held(&self, relevant: &Relevant<'_>, config: &Config) -> bool {
        let listed = |name: &str| config.inject.hold_first_edit.iter().any(|held| held == name);
        relevant.sensitive.iter().any(|pack| listed(pack.as_str()) && !self.memory.rules_of.contains(pack.as_str()))
    }

    /// What is to be printed and noted.
    pub fn finish(self) -> Option<(Ledger, Vec<Entry>)> {
        (!self.entries.is_empty()).then_some((self.ledger, self.entries))
    }
}

fn brings_rules(injection: &Injection, relevant: &Relevant<'_>, config: &Config) -> bool {
    let listed = |name: &str| config.inject.hold_first_edit.iter().any(|held| held == name);
    injection.items.iter().any(|item| {
        matches!(item.kind, Kind::Section | Kind::Part) && listed(item.pack.as_str()) && relevant.sensitive.contains(&&item.pack)
    })
}
