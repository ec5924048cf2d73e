//! What every `pack.json` of a worktree says, in one file, so that a hook with hundreds of packs reads one instead of
//! hundreds. An entry counts while its file looks untouched: time of change, size and number. Safe to delete at any time.

use std::fs::{self, File, Metadata};
use std::io::Read as _;
use std::path::{Path, PathBuf};

use super::file;
use super::root::Root;
use crate::model::pack::{AppliesTo, PackMeta, PackName, References};

/// Changes with the layout.
const MAGIC: &[u8] = b"marvel pack metas 1\n";

/// A file that was changed so shortly before the cache was written may have been changed again without looking it.
const RACY_NANOS: i128 = 100_000_000;
/// The same, where the file system tells whole seconds only.
const RACY_NANOS_COARSE: i128 = 2_000_000_000;

/// How a file looks from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stamp {
    /// Nanoseconds since 1970: the later of when its bytes and when its record changed.
    changed: i128,
    modified: i128,
    size: u64,
    number: u64,
}

impl Stamp {
    #[cfg(unix)]
    pub fn of(metadata: &Metadata) -> Self {
        use std::os::unix::fs::MetadataExt as _;
        let nanos = |seconds: i64, nanos: i64| i128::from(seconds) * 1_000_000_000 + i128::from(nanos);
        let modified = nanos(metadata.mtime(), metadata.mtime_nsec());
        let changed = nanos(metadata.ctime(), metadata.ctime_nsec()).max(modified);
        Self { changed, modified, size: metadata.size(), number: metadata.ino() }
    }

    #[cfg(not(unix))]
    pub fn of(metadata: &Metadata) -> Self {
        let since = |time: std::io::Result<std::time::SystemTime>| {
            let duration = time.ok().and_then(|time| time.duration_since(std::time::SystemTime::UNIX_EPOCH).ok());
            duration.and_then(|duration| i128::try_from(duration.as_nanos()).ok()).unwrap_or(0)
        };
        let modified = since(metadata.modified());
        Self { changed: modified.max(since(metadata.created())), modified, size: metadata.len(), number: 0 }
    }

    fn is_racy(self, written: i128) -> bool {
        let margin = if self.changed % 1_000_000_000 == 0 { RACY_NANOS_COARSE } else { RACY_NANOS };
        self.changed + margin >= written
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    pub stamp: Stamp,
    pub meta: PackMeta,
}

fn path(root: &Root) -> PathBuf {
    root.git_dir.join("marvel/packs.cache")
}

/// The entries that can be trusted, by name; none where the file does not read.
pub fn read(root: &Root) -> Vec<Entry> {
    let read = || {
        let mut file = File::open(path(root)).ok()?;
        let metadata = file.metadata().ok()?;
        let mut bytes = Vec::with_capacity(usize::try_from(metadata.len()).ok()? + 1);
        file.read_to_end(&mut bytes).ok()?;
        let written = Stamp::of(&metadata).modified;
        let mut entries = decode(&bytes)?;
        entries.retain(|entry| !entry.stamp.is_racy(written));
        Some(entries)
    };
    read().unwrap_or_default()
}

/// Writes them for the next hook; that it fails costs nothing but time.
pub fn write(root: &Root, entries: &[Entry]) {
    let _ = file::write_cache(&path(root), &encode(entries));
}

/// How a plain file looks; `None` for anything else.
pub fn stamp(path: &Path) -> Option<Stamp> {
    fs::symlink_metadata(path).ok().filter(Metadata::is_file).map(|metadata| Stamp::of(&metadata))
}

fn encode(entries: &[Entry]) -> Vec<u8> {
    let mut out = MAGIC.to_vec();
    put_count(&mut out, entries.len());
    for Entry { stamp, meta } in entries {
        out.extend_from_slice(&stamp.changed.to_le_bytes());
        out.extend_from_slice(&stamp.modified.to_le_bytes());
        out.extend_from_slice(&stamp.size.to_le_bytes());
        out.extend_from_slice(&stamp.number.to_le_bytes());
        let PackMeta {
            name,
            version,
            owner,
            description,
            categories,
            applies_to,
            depends_on,
            sensitive_paths,
            excludes_paths,
            references,
        } = meta;
        let AppliesTo { extensions } = applies_to;
        let References { code_paths, doc_links } = references;
        put_text(&mut out, name.as_str());
        put_text(&mut out, version);
        put_text(&mut out, owner);
        put_list(&mut out, description.as_slice());
        for list in [categories, extensions, depends_on, sensitive_paths, excludes_paths, code_paths, doc_links] {
            put_list(&mut out, list);
        }
    }
    out
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn put_text(out: &mut Vec<u8>, text: &str) {
    put_count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn put_list(out: &mut Vec<u8>, list: &[String]) {
    put_count(out, list.len());
    list.iter().for_each(|text| put_text(out, text));
}

/// `None` for anything but what [`encode`] wrote.
fn decode(bytes: &[u8]) -> Option<Vec<Entry>> {
    let mut reader = Reader { rest: bytes.strip_prefix(MAGIC)? };
    let count = reader.count()?;
    let mut entries = Vec::with_capacity(count.min(bytes.len() / 64));
    for _ in 0..count {
        entries.push(reader.entry()?);
    }
    reader.rest.is_empty().then_some(entries)
}

struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (taken, rest) = self.rest.split_first_chunk()?;
        self.rest = rest;
        Some(*taken)
    }

    fn count(&mut self) -> Option<usize> {
        usize::try_from(u32::from_le_bytes(self.take()?)).ok()
    }

    fn text(&mut self) -> Option<&'a str> {
        let length = self.count()?;
        let (text, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        std::str::from_utf8(text).ok()
    }

    fn owned(&mut self) -> Option<String> {
        self.text().map(str::to_owned)
    }

    fn list(&mut self) -> Option<Vec<String>> {
        let count = self.count()?;
        if count > self.rest.len() {
            return None;
        }
        let mut list = Vec::with_capacity(count);
        for _ in 0..count {
            list.push(self.owned()?);
        }
        Some(list)
    }

    fn entry(&mut self) -> Option<Entry> {
        let stamp = Stamp {
            changed: i128::from_le_bytes(self.take()?),
            modified: i128::from_le_bytes(self.take()?),
            size: u64::from_le_bytes(self.take()?),
            number: u64::from_le_bytes(self.take()?),
        };
        let meta = PackMeta {
            name: PackName::new(self.text()?)?,
            version: self.owned()?,
            owner: self.owned()?,
            description: self.list()?.pop(),
            categories: self.list()?,
            applies_to: AppliesTo { extensions: self.list()? },
            depends_on: self.list()?,
            sensitive_paths: self.list()?,
            excludes_paths: self.list()?,
            references: References { code_paths: self.list()?, doc_links: self.list()? },
        };
        Some(Entry { stamp, meta })
    }
}

#[cfg(test)]
mod tests {
    use super::{Entry, RACY_NANOS, Stamp, decode, encode};
    use crate::model::pack::{PackMeta, PackName};

    fn entry(name: &str) -> Entry {
        let mut meta = PackMeta::minimal(PackName::new(name).unwrap(), "team ü");
        meta.description = (name == "b").then(|| "What\nit is.".to_owned());
        meta.categories = vec!["x".to_owned(), String::new()];
        meta.references.code_paths = vec!["src/**".to_owned()];
        meta.references.doc_links = vec!["https://example.com".to_owned()];
        meta.sensitive_paths = vec!["**/auth/**".to_owned()];
        Entry { stamp: Stamp { changed: 5, modified: -1, size: 3, number: u64::MAX }, meta }
    }

    #[test]
    fn what_is_written_is_read_and_nothing_else_is() {
        let entries = [entry("a"), entry("b")];
        let bytes = encode(&entries);
        assert_eq!(decode(&bytes).unwrap(), entries);
        assert_eq!(decode(&encode(&[])).unwrap(), []);
        for end in 0..bytes.len() {
            assert!(decode(&bytes[..end]).is_none(), "cut at {end}");
        }
        assert!(decode(&[&bytes[..], b"x"].concat()).is_none());
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= 0xff;
            let _ = decode(&damaged);
        }
    }

    #[test]
    fn what_changed_just_before_is_not_trusted() {
        let stamp = |changed| Stamp { changed, ..entry("a").stamp };
        let at = 1_790_000_000_123_456_789;
        assert!(stamp(at).is_racy(at + RACY_NANOS) && !stamp(at).is_racy(at + RACY_NANOS + 1));
        let coarse = 1_790_000_000_000_000_000;
        assert!(stamp(coarse).is_racy(coarse + 1_900_000_000) && !stamp(coarse).is_racy(coarse + 2_100_000_000));
    }
}
