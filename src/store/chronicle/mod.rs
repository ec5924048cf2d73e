//! The lessons' history, read from git: from the packs branch, here and at the remote, and from the base branch; from HEAD
//! too, whose own commits are read anew every time. What was read once is kept in `cache/`, by the tips, and only new
//! commits are walked.

mod cache;
mod events;
mod walk;

use std::collections::{BTreeSet, HashSet};

use gix::ObjectId;

use super::packed::Objects;
use super::repo::Repo;
use crate::error::Result;
use crate::evolve::life::{Chronicle, Event, Recorded};
use crate::model::config::Config;
use crate::model::jsonl::LessonFile;
use crate::model::pack::PackName;
use crate::model::visible::strip;
use cache::Stored;
use events::{Found, Reader};
use walk::{Known, Touched, Walked, Walker};

impl Repo {
    /// All that history says about the packs' lessons. `progress` is told how many commits were looked at.
    pub fn chronicle(&self, config: &Config, progress: &mut dyn FnMut(usize)) -> Result<Chronicle> {
        let branch = self.packs_branch(config)?;
        let remote = branch.remote.map(|(_, tip)| tip);
        let mut tips: Vec<ObjectId> =
            [branch.local, remote, self.base(config)?.tip].into_iter().flatten().map(|tip| tip.0).collect();
        tips.sort_unstable();
        tips.dedup();
        let file = self.common_dir().join("marvel").join("cache").join("history");
        let kept = crate::session::file::read(&file).ok().flatten().and_then(|bytes| cache::decode(&bytes));
        let unread = kept.is_none();
        let mut stored = kept.unwrap_or_default();
        let mut reading = Reading { objects: Objects::new(self), progress };
        if unread || stored.known.tips != tips {
            reading.bring_up_to(&mut stored, &tips)?;
            // one that cannot be written is computed again next time
            let _ = crate::session::file::write_cache(&file, &cache::encode(&stored));
        }
        let head = self.head()?.tip.map(|tip| tip.0).filter(|tip| !tips.contains(tip));
        if let Some(head) = head {
            tips.push(head);
            reading.bring_up_to(&mut stored, &tips)?;
        }
        Ok(stored.chronicle)
    }
}

struct Reading<'p, 'r> {
    objects: Objects<'r>,
    progress: &'p mut dyn FnMut(usize),
}

impl Reading<'_, '_> {
    fn bring_up_to(&mut self, stored: &mut Stored, tips: &[ObjectId]) -> Result<()> {
        // after a gc a tip of old may not even exist
        let exist = stored.known.tips.iter().all(|tip| self.objects.repo.git.has_object(tip));
        if !exist {
            *stored = Stored::default();
        }
        let mut walked = self.walk(tips, &stored.known)?;
        if let Walked::Rewritten = walked {
            *stored = Stored::default();
            walked = self.walk(tips, &stored.known)?;
        }
        stored.known.tips = tips.to_vec();
        let Walked::New { mut touched, at_tips } = walked else { return Ok(()) };
        if !stored.chronicle.commits.is_empty() {
            // clocks differ: a commit that is known already may come again
            let known: HashSet<&str> = stored.chronicle.commits.iter().map(|commit| commit.id.as_str()).collect();
            touched.retain(|entry| !known.contains(entry.id.to_string().as_str()));
        }
        for entry in &touched {
            if let Some(state) = entry.packs {
                stored.known.states.entry(state).and_modify(|time| *time = entry.time.min(*time)).or_insert(entry.time);
            }
        }
        if touched.is_empty() { Ok(()) } else { self.read(&mut stored.chronicle, &touched, &at_tips) }
    }

    fn walk(&mut self, tips: &[ObjectId], known: &Known) -> Result<Walked> {
        Walker::new(&mut self.objects, self.progress)?.walk(tips, known)
    }

    /// Reads what the commits did. Where the packs at the tips do not bear out what the trailers say, the commits of those
    /// packs are read again, line by line.
    fn read(&mut self, chronicle: &mut Chronicle, touched: &[Touched], at_tips: &[Option<ObjectId>]) -> Result<()> {
        let mut reader = Reader::new(&mut self.objects);
        let mut deep = BTreeSet::new();
        loop {
            let mut found = Vec::with_capacity(touched.len());
            for (i, entry) in touched.iter().enumerate() {
                found.push(reader.read(entry, &deep)?);
                if i % 1_000 == 999 {
                    (self.progress)(i + 1);
                }
            }
            let packs: BTreeSet<PackName> =
                found.iter().flat_map(|found| &found.events).map(|event| event.pack.clone()).collect();
            *chronicle = joined(std::mem::take(chronicle), found);
            let mut doubtful = BTreeSet::new();
            let told = Told::of(chronicle);
            for pack in packs.difference(&deep) {
                for state in at_tips {
                    if !told.all(pack, &reader.lessons(*state, pack)?) {
                        doubtful.insert(pack.clone());
                    }
                }
            }
            if doubtful.is_empty() {
                chronicle.link(&mut reader);
                return Ok(());
            }
            deep.extend(doubtful);
            *chronicle = without(std::mem::take(chronicle), touched);
        }
    }
}

/// The lessons, with the titles that they had, that events tell of.
struct Told<'a>(HashSet<(&'a PackName, &'a str, &'a str)>);

impl<'a> Told<'a> {
    fn of(chronicle: &'a Chronicle) -> Self {
        let words = chronicle.events.iter().filter(|event| event.written.words());
        Self(words.filter_map(|event| Some((&event.pack, event.lesson.as_ref()?.as_str(), event.title.as_str()))).collect())
    }

    /// Whether there is an event for every lesson of a file.
    fn all(&self, pack: &PackName, file: &LessonFile) -> bool {
        file.lessons().iter().all(|lesson| {
            let knows = |title: &str| self.0.contains(&(pack, lesson.id.as_str(), title));
            // a subject is one line, and shows nothing hidden
            knows(&lesson.title) || knows(&strip(&lesson.title).split_whitespace().collect::<Vec<_>>().join(" "))
        })
    }
}

/// What other commits told.
fn without(chronicle: Chronicle, touched: &[Touched]) -> Chronicle {
    let gone: HashSet<String> = touched.iter().map(|entry| entry.id.to_string()).collect();
    joined(Chronicle::default(), grouped(chronicle).into_iter().filter(|found| !gone.contains(&found.commit.id)).collect())
}

fn grouped(chronicle: Chronicle) -> Vec<Found> {
    let empty = |commit| Found { commit, events: Vec::new(), records: Vec::new() };
    let mut grouped: Vec<Found> = chronicle.commits.into_iter().map(empty).collect();
    for event in chronicle.events {
        grouped[event.commit as usize].events.push(event);
    }
    for record in chronicle.records {
        grouped[record.commit as usize].records.push(record);
    }
    grouped
}

/// Both lists in order of time, each in its own order.
fn joined(known: Chronicle, found: Vec<Found>) -> Chronicle {
    let mut chronicle = Chronicle::default();
    let (mut known, mut new) = (grouped(known).into_iter().peekable(), found.into_iter().peekable());
    loop {
        let old_first = match (known.peek(), new.peek()) {
            (Some(old), Some(new)) => old.commit.committed <= new.commit.committed,
            (old, _) => old.is_some(),
        };
        let Some(next) = (if old_first { known.next() } else { new.next() }) else { return chronicle };
        let at = u32::try_from(chronicle.commits.len()).expect("fewer commits than the walk can count");
        chronicle.commits.push(next.commit);
        chronicle.events.extend(next.events.into_iter().map(|event| Event { commit: at, ..event }));
        chronicle.records.extend(next.records.into_iter().map(|record| Recorded { commit: at, ..record }));
    }
}
