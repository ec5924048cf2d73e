//! Keeps for the hooks what history knows of each lesson beyond its line: when its text last changed, and which file the
//! correction was about that it came from. How lessons are ranked by that is `score`'s.

use std::collections::{BTreeMap, HashMap};
use std::io;

use crate::evolve::key::Key;
use crate::evolve::life::{Chronicle, Lives};
use crate::model::pack::PackName;
use crate::session::cache::{self, PackFacts};
use crate::session::root::Root;
use crate::session::{file, guidance};

/// Writes what changed since it was written last: nothing where the same history was read before.
pub fn refresh(root: &Root, chronicle: &Chronicle) -> io::Result<()> {
    let (stamp, read) = (root.cache_dir().join("lessons").join(STAMP), fingerprint(chronicle));
    if file::read(&stamp)?.is_some_and(|kept| kept == read) {
        return Ok(());
    }
    let lives = chronicle.lives();
    let files = files(root, chronicle);
    let mut packs: BTreeMap<&PackName, Vec<&Key>> = BTreeMap::new();
    for key in lives.keys() {
        packs.entry(&key.pack).or_default().push(key);
    }
    for (pack, keys) in packs {
        cache::update(root, pack, |facts| keys.into_iter().for_each(|key| learn(facts, key, &lives, &files)))?;
    }
    file::write_cache(&stamp, &read)
}

/// Says of which history the files beside it tell. No pack has such a name.
const STAMP: &str = ".history";

/// Another set of commits, or another form of the files, is another one.
fn fingerprint(chronicle: &Chronicle) -> Vec<u8> {
    const FORM: u64 = 1;
    let mut hash = 0xcbf2_9ce4_8422_2325_u64 ^ FORM;
    for byte in chronicle.commits.iter().flat_map(|commit| commit.id.bytes()) {
        hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x} {} {}\n", chronicle.commits.len(), chronicle.events.len()).into_bytes()
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
