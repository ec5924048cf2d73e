//! The chronicle as a file: what was read from history once, by the tips that it was read from. A file that does not read
//! to its end, or that another version wrote, is no file at all.

use std::collections::HashMap;

use gix::ObjectId;

use super::walk::Known;
use crate::evolve::evidence::Totals;
use crate::evolve::key::Key;
use crate::evolve::life::{Chronicle, Commit, Deed, Event, Recorded};
use crate::model::lesson::LessonId;
use crate::model::pack::PackName;

/// To be changed with the format.
const MAGIC: &[u8] = concat!("marvel history 1 ", env!("CARGO_PKG_VERSION"), "\n").as_bytes();

#[derive(Clone, Debug, Default)]
pub(super) struct Stored {
    pub(super) known: Known,
    pub(super) chronicle: Chronicle,
}

pub(super) fn encode(stored: &Stored) -> Vec<u8> {
    let mut out = Writer { bytes: MAGIC.to_vec(), strings: HashMap::new() };
    out.list(&stored.known.tips, |out, tip| out.raw(tip.as_slice()));
    let mut states: Vec<_> = stored.known.states.iter().collect();
    states.sort_unstable();
    out.list(&states, |out, (state, time)| {
        out.raw(state.as_slice());
        out.signed(**time);
    });
    out.list(&stored.chronicle.commits, |out, commit| {
        out.raw(&hex_bytes(&commit.id));
        out.interned(&commit.author);
        out.interned(&commit.email);
        out.signed(commit.authored);
        out.signed(commit.committed);
        out.number(u64::from(commit.boundary));
    });
    out.list(&stored.chronicle.events, |out, event| {
        out.number(u64::from(event.commit));
        out.number(index(event.written));
        out.number(index(event.deed));
        out.interned(event.pack.as_str());
        out.option(event.lesson.as_ref(), Writer::id);
        out.text(&event.title);
        out.option(event.run.as_ref(), |out, run| out.interned(run));
        out.list(&event.guidance, |out, id| out.text(id));
        out.option(event.was.as_ref(), Writer::key);
        out.option(event.text.as_ref(), |out, text| out.number(*text));
        out.number(u64::from(event.copy));
    });
    out.list(&stored.chronicle.records, |out, record| {
        out.number(u64::from(record.commit));
        out.list(&record.segments, |out, segment| out.text(segment));
        out.list(&record.counts, |out, (key, totals)| {
            out.key(key);
            for number in [totals.injected, totals.good, totals.runs, totals.recurred, totals.contradicted] {
                out.number(number);
            }
        });
    });
    let sum = checksum(&out.bytes);
    out.bytes.extend_from_slice(&sum.to_le_bytes());
    out.bytes
}

pub(super) fn decode(bytes: &[u8]) -> Option<Stored> {
    let (body, sum) = bytes.split_at_checked(bytes.len().checked_sub(8)?)?;
    if checksum(body).to_le_bytes() != sum {
        return None;
    }
    let mut from = Reader { rest: body.strip_prefix(MAGIC)?, strings: Vec::new() };
    let tips = from.list(Reader::object)?;
    let states = from.list(|from| Some((from.object()?, from.signed()?)))?;
    let known = Known { tips, states: states.into_iter().collect() };
    let commits = from.list(|from| {
        Some(Commit {
            id: hex(from.bytes()?),
            author: from.interned()?.to_owned(),
            email: from.interned()?.to_owned(),
            authored: from.signed()?,
            committed: from.signed()?,
            boundary: from.number()? == 1,
        })
    })?;
    let events = from.list(|from| {
        Some(Event {
            commit: u32::try_from(from.number()?).ok().filter(|&at| (at as usize) < commits.len())?,
            written: from.deed()?,
            deed: from.deed()?,
            pack: PackName::new(from.interned()?)?,
            lesson: from.option(Reader::id)?,
            title: from.text()?.to_owned(),
            run: from.option(|from| from.interned().map(str::to_owned))?,
            guidance: from.list(|from| from.text().map(str::to_owned))?,
            was: from.option(Reader::key)?,
            text: from.option(Reader::number)?,
            copy: from.number()? == 1,
        })
    })?;
    let records = from.list(|from| {
        Some(Recorded {
            commit: u32::try_from(from.number()?).ok().filter(|&at| (at as usize) < commits.len())?,
            segments: from.list(|from| from.text().map(str::to_owned))?,
            counts: from.list(|from| {
                let key = from.key()?;
                let [injected, good, runs, recurred, contradicted] =
                    [from.number()?, from.number()?, from.number()?, from.number()?, from.number()?];
                Some((key, Totals { injected, good, runs, recurred, contradicted }))
            })?,
        })
    })?;
    from.rest.is_empty().then_some(Stored { known, chronicle: Chronicle { commits, events, records } })
}

fn index(deed: Deed) -> u64 {
    Deed::ALL.iter().position(|known| *known == deed).expect("all are listed") as u64
}

fn checksum(bytes: &[u8]) -> u64 {
    let mix = |hash: u64, word: u64| (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
    let (words, rest) = bytes.as_chunks::<8>();
    let hash = words.iter().fold(bytes.len() as u64, |hash, word| mix(hash, u64::from_le_bytes(*word)));
    rest.iter().fold(hash, |hash, byte| mix(hash, u64::from(*byte)))
}

fn hex(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 16] = b"0123456789abcdef";
    let digits = bytes.iter().flat_map(|byte| [DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
    digits.map(char::from).collect()
}

fn hex_bytes(text: &str) -> Vec<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok()).unwrap_or(0);
    text.as_bytes().chunks(2).map(|pair| digit(pair[0]) << 4 | pair.get(1).map_or(0, |&low| digit(low))).collect()
}

struct Writer {
    bytes: Vec<u8>,
    /// Texts that come up again and again, by number.
    strings: HashMap<String, u64>,
}

impl Writer {
    /// Seven bits a byte, the lowest first.
    fn number(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.bytes.push((value & 0x7f) as u8 | 0x80);
            value >>= 7;
        }
        self.bytes.push(value as u8);
    }

    fn signed(&mut self, value: i64) {
        self.number((value << 1 ^ value >> 63).cast_unsigned());
    }

    fn raw(&mut self, bytes: &[u8]) {
        self.number(bytes.len() as u64);
        self.bytes.extend_from_slice(bytes);
    }

    fn text(&mut self, text: &str) {
        self.raw(text.as_bytes());
    }

    fn interned(&mut self, text: &str) {
        match self.strings.get(text) {
            Some(&at) => self.number(at + 1),
            None => {
                self.strings.insert(text.to_owned(), self.strings.len() as u64);
                self.number(0);
                self.text(text);
            }
        }
    }

    /// Ten digits are five bytes.
    fn id(&mut self, id: &LessonId) {
        self.bytes.extend_from_slice(&hex_bytes(id.as_str()));
    }

    fn key(&mut self, key: &Key) {
        self.interned(key.pack.as_str());
        self.id(&key.id);
    }

    fn option<T>(&mut self, value: Option<&T>, write: impl FnOnce(&mut Self, &T)) {
        self.number(u64::from(value.is_some()));
        if let Some(value) = value {
            write(self, value);
        }
    }

    fn list<T>(&mut self, values: &[T], mut write: impl FnMut(&mut Self, &T)) {
        self.number(values.len() as u64);
        for value in values {
            write(self, value);
        }
    }
}

struct Reader<'a> {
    rest: &'a [u8],
    strings: Vec<&'a str>,
}

impl<'a> Reader<'a> {
    fn number(&mut self) -> Option<u64> {
        let (mut value, mut shift) = (0_u64, 0);
        loop {
            let (&byte, rest) = self.rest.split_first()?;
            self.rest = rest;
            value |= u64::from(byte & 0x7f).checked_shl(shift)?;
            shift += 7;
            if byte & 0x80 == 0 {
                return Some(value);
            }
        }
    }

    fn signed(&mut self) -> Option<i64> {
        let value = self.number()?;
        Some((value >> 1).cast_signed() ^ -((value & 1).cast_signed()))
    }

    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.rest.split_at_checked(length)?;
        self.rest = rest;
        Some(taken)
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let length = usize::try_from(self.number()?).ok()?;
        self.take(length)
    }

    fn text(&mut self) -> Option<&'a str> {
        std::str::from_utf8(self.bytes()?).ok()
    }

    fn interned(&mut self) -> Option<&'a str> {
        match self.number()? {
            0 => {
                let text = self.text()?;
                self.strings.push(text);
                Some(text)
            }
            at => self.strings.get(usize::try_from(at).ok()? - 1).copied(),
        }
    }

    fn object(&mut self) -> Option<ObjectId> {
        ObjectId::try_from(self.bytes()?).ok()
    }

    fn id(&mut self) -> Option<LessonId> {
        LessonId::parse(&hex(self.take(LessonId::LENGTH / 2)?))
    }

    fn key(&mut self) -> Option<Key> {
        Some(Key { pack: PackName::new(self.interned()?)?, id: self.id()? })
    }

    fn deed(&mut self) -> Option<Deed> {
        Deed::ALL.get(usize::try_from(self.number()?).ok()?).copied()
    }

    fn option<T>(&mut self, read: impl FnOnce(&mut Self) -> Option<T>) -> Option<Option<T>> {
        match self.number()? {
            0 => Some(None),
            1 => read(self).map(Some),
            _ => None,
        }
    }

    fn list<T>(&mut self, mut read: impl FnMut(&mut Self) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        // a broken count must not make us ask for all memory at once
        let mut values = Vec::with_capacity(usize::try_from(count).ok()?.min(self.rest.len()));
        for _ in 0..count {
            values.push(read(self)?);
        }
        Some(values)
    }
}

#[cfg(test)]
mod tests {
    use super::{MAGIC, Stored, decode, encode};
    use crate::evolve::evidence::Totals;
    use crate::evolve::key::Key;
    use crate::evolve::life::{Chronicle, Commit, Deed, Event, Recorded};
    use crate::model::lesson::LessonId;
    use crate::model::pack::PackName;
    use crate::store::chronicle::walk::Known;

    fn stored() -> Stored {
        let id = |byte: u8| gix::ObjectId::from_bytes_or_panic(&[byte; 20]);
        let key = Key::parse("a/0123456789").expect("valid");
        let event = |written, deed, lesson: Option<&str>| Event {
            commit: 0,
            written,
            deed,
            pack: PackName::new("a-b").expect("valid"),
            lesson: lesson.and_then(LessonId::parse),
            title: "Über\n".to_owned(),
            run: Some("run_1".to_owned()),
            guidance: vec!["g_1".to_owned()],
            was: Some(key.clone()),
            text: Some(u64::MAX),
            copy: true,
        };
        Stored {
            known: Known { tips: vec![id(1), id(2)], states: [(id(3), -5), (id(4), 1 << 40)].into_iter().collect() },
            chronicle: Chronicle {
                commits: vec![Commit {
                    id: id(9).to_string(),
                    author: "Ada".to_owned(),
                    email: "a@x".to_owned(),
                    authored: -1,
                    committed: i64::MAX,
                    boundary: true,
                }],
                events: vec![event(Deed::Promote, Deed::Edit, Some("fedcba9876")), event(Deed::Pack, Deed::Pack, None)],
                records: vec![Recorded {
                    commit: 0,
                    segments: vec!["s#1".to_owned()],
                    counts: vec![(key.clone(), Totals { injected: 300, good: 2, runs: 3, recurred: 4, contradicted: 5 })],
                }],
            },
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let before = stored();
        let after = decode(&encode(&before)).expect("it reads");
        assert_eq!(after.chronicle, before.chronicle);
        assert_eq!((after.known.tips, after.known.states), (before.known.tips, before.known.states));
    }

    #[test]
    fn no_broken_file_is_read() {
        let bytes = encode(&stored());
        for length in 0..bytes.len() {
            assert!(decode(&bytes[..length]).is_none(), "{length} bytes of {}", bytes.len());
        }
        for at in 0..bytes.len() {
            let mut broken = bytes.clone();
            broken[at] ^= 0x41;
            assert!(decode(&broken).is_none(), "byte {at}");
        }
        assert!(decode(MAGIC).is_none());
    }
}
