//! Keeps for the hooks what history knows of each lesson beyond its line: when its text last changed, and which file the
//! correction was about that it came from. How lessons are ranked by that is `score`'s.

use std::collections::{BTreeMap, HashMap};
use std::io;

use crate::evolve::key::Key;
use crate::evolve::life::{Chronicle, Lives};
use crate::model::pack::PackName;
use crate::session::cache::{self, PackFacts};
use crate::session::guidance;
use crate::session::root::Root;

/// Writes what changed since it was written last.
pub fn refresh(root: &Root, chronicle: &Chronicle) -> io::Result<()> {
    let lives = chronicle.lives();
    let files = files(root, chronicle);
    let mut packs: BTreeMap<&PackName, Vec<&Key>> = BTreeMap::new();
    for key in lives.keys() {
        packs.entry(&key.pack).or_default().push(key);
    }
    for (pack, keys) in packs {
        cache::update(root, pack, |facts| keys.into_iter().for_each(|key| learn(facts, key, &lives, &files)))?;
    }
    Ok(())
}

fn learn(facts: &mut PackFacts, key: &Key, lives: &Lives<'_>, files: &HashMap<String, String>) {
    let changed = lives.changed(key).filter(|_| lives.stands(key));
    if changed.is_none() && !facts.contains_key(key.id.as_str()) {
        return;
    }
    let known = facts.entry(key.id.to_string()).or_default();
    known.changed = changed;
    // the newest correction says best where it matters; a run is deleted one day, what is known from it stays
    let newest = lives.guidance(key).into_iter().filter(|id| files.contains_key(*id)).max();
    known.origin = newest.and_then(|id| files.get(id).cloned()).or(known.origin.take()).filter(|_| changed.is_some());
}

/// The files that statements of this clone were about, by the statements' ids.
fn files(root: &Root, chronicle: &Chronicle) -> HashMap<String, String> {
    if chronicle.events.iter().all(|event| event.guidance.is_empty()) {
        return HashMap::new();
    }
    let said = guidance::read_all(root).into_iter();
    said.filter_map(|guidance| Some((guidance.id, guidance.file?))).collect()
}
