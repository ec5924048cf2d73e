//! Reads thousands of objects of one repository, as git does it: its packs opened directly, and every base of a delta
//! chain kept, so that neighbours in history cost one small step each. Whatever is not found here, or does not read, is
//! asked of the object database in the usual way. Single objects are `object`'s.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};
use std::rc::Rc;

use gix::objs::Kind;
use gix::odb::pack::Bundle;
use gix::odb::pack::data::entry::Header;

use super::id::Id;
use super::repo::Repo;
use crate::error::Result;

/// Bytes of objects that are kept.
const KEPT: usize = 96 << 20;

/// Longer chains than git makes are not followed.
const MAX_CHAIN: usize = 5_000;

pub(super) struct Objects<'r> {
    pub(super) repo: &'r Repo,
    packs: Vec<Bundle>,
    /// The pack that had the last object: the next one is likely there too.
    last: usize,
    /// Objects by pack and offset.
    kept: HashMap<u64, (Kind, Rc<[u8]>), BuildHasherDefault<Mix>>,
    size: usize,
    inflate: gix::zlib::Inflate,
    delta: Vec<u8>,
}

impl<'r> Objects<'r> {
    pub(super) fn new(repo: &'r Repo) -> Self {
        Self {
            repo,
            packs: open_packs(repo),
            last: 0,
            kept: HashMap::default(),
            size: 0,
            inflate: gix::zlib::Inflate::default(),
            delta: Vec::new(),
        }
    }

    pub(super) fn get(&mut self, id: gix::ObjectId, kind: Kind) -> Result<Rc<[u8]>> {
        match self.packed(&id) {
            Some((found, data)) if found == kind => Ok(data),
            _ => Ok(self.repo.object(Id(id), kind)?.into()),
        }
    }

    fn packed(&mut self, id: &gix::oid) -> Option<(Kind, Rc<[u8]>)> {
        let count = self.packs.len();
        for pack in (0..count).map(|i| (self.last + i) % count) {
            if let Some(index) = self.packs[pack].index.lookup(id) {
                self.last = pack;
                let offset = self.packs[pack].index.pack_offset_at_index(index);
                return self.at(pack, offset);
            }
        }
        None
    }

    /// The object at a place in a pack, with all that it is made from.
    fn at(&mut self, pack: usize, mut offset: u64) -> Option<(Kind, Rc<[u8]>)> {
        let mut chain = Vec::new();
        let (kind, mut data) = loop {
            if let Some((kind, data)) = self.kept.get(&place(pack, offset)) {
                break (*kind, Rc::clone(data));
            }
            let bundle = &self.packs[pack];
            let entry = bundle.pack.entry(offset).ok()?;
            let base = match entry.header {
                Header::OfsDelta { base_distance } => entry.checked_base_pack_offset(base_distance)?,
                Header::RefDelta { base_id } => bundle.index.pack_offset_at_index(bundle.index.lookup(base_id)?),
                header => {
                    let mut data = vec![0; usize::try_from(entry.decompressed_size).ok()?];
                    bundle.pack.decompress_entry(&entry, &mut self.inflate, &mut data).ok()?;
                    let kind = header.as_kind()?;
                    break (kind, self.keep(pack, offset, kind, data));
                }
            };
            chain.push((offset, entry));
            if chain.len() > MAX_CHAIN {
                return None;
            }
            offset = base;
        };
        while let Some((offset, entry)) = chain.pop() {
            self.delta.resize(usize::try_from(entry.decompressed_size).ok()?, 0);
            self.packs[pack].pack.decompress_entry(&entry, &mut self.inflate, &mut self.delta).ok()?;
            let applied = apply(&data, &self.delta)?;
            data = self.keep(pack, offset, kind, applied);
        }
        Some((kind, data))
    }

    fn keep(&mut self, pack: usize, offset: u64, kind: Kind, data: Vec<u8>) -> Rc<[u8]> {
        if self.size + data.len() > KEPT {
            self.kept.clear();
            self.size = 0;
        }
        self.size += data.len();
        let data = Rc::<[u8]>::from(data);
        self.kept.insert(place(pack, offset), (kind, Rc::clone(&data)));
        data
    }
}

/// None where objects may be replaced by others (`git replace`): that is the database's to look up.
fn open_packs(repo: &Repo) -> Vec<Bundle> {
    if !repo.refs_below("refs/replace/").is_ok_and(|refs| refs.is_empty()) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(repo.git.objects.store_ref().path().join("pack")) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "idx"));
    paths.sort_unstable();
    paths.iter().filter_map(|path| Bundle::at(path, repo.git.object_hash()).ok()).collect()
}

fn place(pack: usize, offset: u64) -> u64 {
    (pack as u64) << 48 ^ offset
}

/// Makes an object from its base and a delta; `None` where the delta is broken.
fn apply(base: &[u8], delta: &[u8]) -> Option<Vec<u8>> {
    let mut rest = delta;
    if size(&mut rest)? != base.len() {
        return None;
    }
    let length = size(&mut rest)?;
    // a broken length must not make us ask for all memory at once
    let mut out = Vec::with_capacity(length.min(base.len().saturating_add(delta.len()).saturating_mul(4)));
    while let Some((&command, after)) = rest.split_first() {
        rest = after;
        if command & 0x80 == 0 {
            // 0 is reserved
            let (new, after) = rest.split_at_checked(usize::from(command)).filter(|(new, _)| !new.is_empty())?;
            out.extend_from_slice(new);
            rest = after;
        } else {
            let start = number(&mut rest, command, 0, 4)?;
            let count = match number(&mut rest, command, 4, 3)? {
                0 => 0x1_0000,
                count => count,
            };
            out.extend_from_slice(base.get(start..start.checked_add(count)?)?);
        }
        if out.len() > length {
            return None;
        }
    }
    (out.len() == length).then_some(out)
}

/// Seven bits a byte, the lowest first.
fn size(rest: &mut &[u8]) -> Option<usize> {
    let (mut value, mut shift) = (0_usize, 0);
    loop {
        let (&byte, after) = rest.split_first()?;
        *rest = after;
        value |= usize::from(byte & 0x7f).checked_shl(shift)?;
        shift += 7;
        if byte & 0x80 == 0 {
            return Some(value);
        }
    }
}

/// A number of which only those bytes are written whose bits are set in the command.
fn number(rest: &mut &[u8], command: u8, first: u32, bytes: u32) -> Option<usize> {
    let mut value = 0;
    for at in 0..bytes {
        if command & (1 << (first + at)) != 0 {
            let (&byte, after) = rest.split_first()?;
            *rest = after;
            value |= usize::from(byte) << (8 * at);
        }
    }
    Some(value)
}

/// Offsets are spread well enough by one multiplication.
#[derive(Default)]
pub(super) struct Mix(u64);

impl Hasher for Mix {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        for byte in bytes {
            self.write_u64(u64::from(*byte));
        }
    }

    fn write_u64(&mut self, value: u64) {
        let mixed = (self.0 ^ value).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        self.0 = mixed ^ (mixed >> 32);
    }
}

#[cfg(test)]
mod tests {
    use super::apply;

    #[test]
    fn a_delta_copies_and_inserts() {
        // base 5, result 7; copy 2 from 1; insert "xy"; copy 3 from 0
        let delta = [5, 7, 0b1001_0001, 1, 2, 2, b'x', b'y', 0b1001_0000, 3];
        assert_eq!(apply(b"abcde", &delta), Some(b"bcxyabc".to_vec()));
    }

    #[test]
    fn a_broken_delta_is_refused() {
        for delta in [
            &[][..],
            &[5],
            &[4, 1, 1, b'x'],
            &[5, 1, 0],
            &[5, 2, 1, b'x'],
            &[5, 1, 2, b'x', b'y'],
            &[5, 1, 2, b'x'],
            &[5, 9, 0b1001_0001, 3, 9],
            &[5, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f],
        ] {
            assert_eq!(apply(b"abcde", delta), None, "{delta:?}");
        }
    }
}
