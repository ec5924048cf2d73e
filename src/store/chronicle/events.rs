//! What a commit did to lessons. A commit of ours says so in its trailers, and where its files agree that is believed,
//! since reading every version of every file would cost many times what the walk does. Every other commit (written by
//! hand, squashed, reverted, merged) is compared with its parents, line by line.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::rc::Rc;

use gix::ObjectId;
use gix::objs::tree::EntryRef;
use gix::objs::{CommitRefIter, Kind, TreeRefIter};

use super::walk::Touched;
use crate::error::{Error, Result};
use crate::evolve::evidence::Totals;
use crate::evolve::key::Key;
use crate::evolve::life::{Commit, Deed, Event, Recorded, Texts, digest};
use crate::merge::changes::{self, Changes, LessonChange, LessonKind, Told};
use crate::model::jsonl::LessonFile;
use crate::model::lesson::{Lesson, LessonId};
use crate::model::likeness::{Likeness, compare};
use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE, META_FILE, PackName};
use crate::model::pack_files::PackFiles;
use crate::store::id::Id;
use crate::store::message::{Action, Trailers};
use crate::store::object;
use crate::store::packed::Objects;

/// What one commit came to.
pub(super) struct Found {
    pub(super) commit: Commit,
    pub(super) events: Vec<Event>,
    pub(super) records: Vec<Recorded>,
}

pub(super) struct Reader<'o, 'r> {
    objects: &'o mut Objects<'r>,
}

impl<'o, 'r> Reader<'o, 'r> {
    pub(super) fn new(objects: &'o mut Objects<'r>) -> Self {
        Self { objects }
    }

    /// `deep` names packs for which no trailer is believed.
    pub(super) fn read(&mut self, touched: &Touched, deep: &BTreeSet<PackName>) -> Result<Found> {
        let data = self.objects.get(touched.id, Kind::Commit)?;
        let commit = object::Commit::parse(Id(touched.id), &data)?;
        let blocks = Trailers::parse_all(&commit.message);
        let differing = self.differing(touched)?;
        let mut found = Found { commit: header(&commit, touched.boundary), events: Vec::new(), records: records(&blocks) };
        if let [block] = &blocks[..]
            && touched.before.len() == 1
            && differing.is_disjoint(deep)
            && let Some(events) = believed(&commit.message, block, &differing)
        {
            found.events = events;
            return Ok(found);
        }
        let before = if touched.before.is_empty() { vec![None] } else { touched.before.clone() };
        let mut sides = Vec::new();
        for state in before {
            sides.push(self.changes(state, touched.packs, &differing, &blocks)?);
        }
        found.events = compared(&sides, &blocks, commit.subject());
        Ok(found)
    }

    /// The packs that are not as they are in any parent.
    fn differing(&mut self, touched: &Touched) -> Result<BTreeSet<PackName>> {
        let kind = touched.id.kind();
        let after = self.tree(touched.packs)?;
        let before = if touched.before.is_empty() { &[None][..] } else { &touched.before };
        let mut names: Option<BTreeSet<PackName>> = None;
        for side in before {
            let side = self.tree(*side)?;
            let differing = differing_names(&side, &after, kind).into_iter();
            let differing = differing.filter_map(|name| PackName::new(std::str::from_utf8(name).ok()?));
            names = Some(match names {
                None => differing.collect(),
                Some(known) => differing.filter(|name| known.contains(name)).collect(),
            });
        }
        Ok(names.unwrap_or_default())
    }

    /// A tree's bytes; none where there is no tree.
    fn tree(&mut self, tree: Option<ObjectId>) -> Result<Rc<[u8]>> {
        tree.map_or_else(|| Ok(Rc::default()), |tree| self.objects.get(tree, Kind::Tree))
    }

    /// The tree of a pack in one state of the packs.
    fn pack(&mut self, packs: Option<ObjectId>, name: &PackName) -> Result<Option<ObjectId>> {
        let data = self.tree(packs)?;
        let Some(kind) = packs.map(|packs| packs.kind()) else { return Ok(None) };
        let mut entries = TreeRefIter::from_bytes(&data, kind).filter_map(std::result::Result::ok);
        Ok(entries.find(|entry| entry.mode.is_tree() && entry.filename == name.as_str()).map(|entry| entry.oid.to_owned()))
    }

    /// What is different between two states, in these packs.
    fn changes(
        &mut self,
        before: Option<ObjectId>,
        after: Option<ObjectId>,
        packs: &BTreeSet<PackName>,
        blocks: &[Trailers],
    ) -> Result<Changes> {
        let (mut old, mut new) = (PackFiles::default(), PackFiles::default());
        let mut whole: HashMap<&PackName, [Rc<[u8]>; 2]> = HashMap::new();
        for pack in packs {
            let (theirs, ours) = (self.pack(before, pack)?, self.pack(after, pack)?);
            let (theirs, ours) = (self.files(theirs)?, self.files(ours)?);
            for file in [META_FILE, GUARDRAILS_FILE, LESSONS_FILE] {
                let (a, b) = (theirs.get(file).copied(), ours.get(file).copied());
                if a == b {
                    // that the pack is there is part of the answer
                    if a.is_some() {
                        old.set_file(pack, file, Vec::new());
                        new.set_file(pack, file, Vec::new());
                    }
                    continue;
                }
                let read = |reader: &mut Self, id: Option<ObjectId>| id.map(|id| reader.objects.get(id, Kind::Blob)).transpose();
                let (a, b) = (read(self, a)?, read(self, b)?);
                if file == LESSONS_FILE
                    && let (Some(a), Some(b)) = (&a, &b)
                {
                    let (gone, come) = differing_lines(a, b);
                    old.set_file(pack, file, gone);
                    new.set_file(pack, file, come);
                    whole.insert(pack, [Rc::clone(a), Rc::clone(b)]);
                    continue;
                }
                if let Some(data) = a {
                    old.set_file(pack, file, &*data);
                }
                if let Some(data) = b {
                    new.set_file(pack, file, &*data);
                }
            }
        }
        let graduated = blocks.iter().filter(|block| block.action == Some(Action::Graduate));
        let graduated = graduated.filter_map(|block| Some((block.pack.clone()?, block.lesson.clone()?))).collect();
        let mut changes = changes::between(&old, &new, &Told { graduated });
        changes.lessons.retain(|change| match (whole.get(&change.pack), &change.before, &change.after) {
            (Some([_, new]), Some(lesson), None) => !stands_twice(lesson, new),
            (Some([old, _]), None, Some(lesson)) => !stands_twice(lesson, old),
            _ => true,
        });
        Ok(changes)
    }

    /// The blobs of a pack's tree.
    fn files(&mut self, tree: Option<ObjectId>) -> Result<HashMap<String, ObjectId>> {
        let Some(tree) = tree else { return Ok(HashMap::new()) };
        let data = self.objects.get(tree, Kind::Tree)?;
        let mut files = HashMap::new();
        for entry in TreeRefIter::from_bytes(&data, tree.kind()) {
            let entry = entry.map_err(|error| Error::user(format!("tree {tree} cannot be read")).caused_by(error))?;
            if entry.mode.is_blob() {
                files.insert(entry.filename.to_string(), entry.oid.to_owned());
            }
        }
        Ok(files)
    }

    /// The lessons of a pack in one state of the packs.
    pub(super) fn lessons(&mut self, packs: Option<ObjectId>, pack: &PackName) -> Result<LessonFile> {
        let tree = self.pack(packs, pack)?;
        let files = self.files(tree)?;
        match files.get(LESSONS_FILE) {
            Some(&blob) => Ok(LessonFile::parse(&self.objects.get(blob, Kind::Blob)?)),
            None => Ok(LessonFile::default()),
        }
    }
}

/// Looks a text up in the commit that an event is from.
impl Texts for Reader<'_, '_> {
    fn text(&mut self, commit: &Commit, key: &Key) -> Option<u64> {
        let id = Id::parse(&commit.id)?;
        let tree = CommitRefIter::from_bytes(&self.objects.get(id.0, Kind::Commit).ok()?, id.0.kind()).tree_id().ok()?;
        let packs = self.objects.repo.packs_tree(Id(tree)).ok()?;
        let file = self.lessons(packs.map(|packs| packs.0), &key.pack).ok()?;
        file.find(&key.id).map(digest)
    }
}

fn header(commit: &object::Commit, boundary: bool) -> Commit {
    Commit {
        id: commit.id.to_string(),
        author: commit.author.name.clone(),
        email: commit.author.email.clone(),
        authored: commit.authored.unix(),
        committed: commit.committed.unix(),
        boundary,
    }
}

fn deed(action: Action) -> Deed {
    Deed::parse(action.as_str()).expect("every action of a trailer is a deed")
}

/// The counts that a message carries, one record a block.
fn records(blocks: &[Trailers]) -> Vec<Recorded> {
    let counted = blocks.iter().filter(|block| !block.segments.is_empty());
    counted
        .map(|block| Recorded {
            commit: 0,
            segments: block.segments.clone(),
            counts: block.counts.iter().map(|count| (Key::new(&count.pack, &count.lesson), totals(count))).collect(),
        })
        .collect()
}

fn totals(count: &crate::store::message::Count) -> Totals {
    Totals {
        injected: count.injected,
        good: count.good,
        runs: count.runs,
        recurred: count.recurred,
        contradicted: count.contradicted,
    }
}

fn event(deed: Deed, pack: &PackName, lesson: Option<LessonId>, title: String) -> Event {
    Event {
        commit: 0,
        written: deed,
        deed,
        pack: pack.clone(),
        lesson,
        title,
        run: None,
        guidance: Vec::new(),
        was: None,
        text: None,
        copy: false,
    }
}

/// What the trailers of a commit say, where it changed the pack that they name and no other.
fn believed(message: &str, block: &Trailers, differing: &BTreeSet<PackName>) -> Option<Vec<Event>> {
    let action = block.action?;
    match (action, &block.pack, &block.lesson) {
        (Action::Record, ..) if !block.counts.is_empty() => {
            let counted = block.counts.iter().filter(|count| differing.contains(&count.pack));
            Some(counted.map(|count| event(Deed::Record, &count.pack, Some(count.lesson.clone()), String::new())).collect())
        }
        (
            Action::Promote | Action::Teach | Action::Edit | Action::Graduate | Action::Prune | Action::Restore,
            Some(pack),
            Some(lesson),
        ) if differing.len() == 1 && differing.contains(pack) => {
            let mut event = event(deed(action), pack, Some(lesson.clone()), title(message)?);
            event.run.clone_from(&block.run);
            event.guidance.clone_from(&block.guidance);
            Some(vec![event])
        }
        _ => None,
    }
}

/// The lesson's title in a message of ours: the subject without its prefix; where it had to be cut, the paragraph below
/// that has it in full.
fn title(message: &str) -> Option<String> {
    let (_, short) = message.lines().next()?.split_once(": ")?;
    let Some(head) = short.strip_suffix('…') else { return Some(short.to_owned()) };
    let full = message.split("\n\n").nth(1)?.split_whitespace().collect::<Vec<_>>().join(" ");
    full.starts_with(head).then_some(full)
}

/// What the files show: a lesson's change counts where no parent has the lesson as it is now.
fn compared(sides: &[Changes], blocks: &[Trailers], subject: &str) -> Vec<Event> {
    let Some((first, others)) = sides.split_first() else { return Vec::new() };
    let merge = !others.is_empty();
    let mut events = Vec::new();
    for change in &first.packs {
        if others.iter().all(|side| side.packs.contains(change)) {
            let deed = if change.kind == changes::ChangeKind::Removed { Deed::Remove } else { Deed::Pack };
            events.push(event(deed, &change.pack, None, subject.to_owned()));
        }
    }
    let everywhere = |change: &&LessonChange| {
        others.iter().all(|side| side.lessons.iter().any(|other| other.pack == change.pack && other.id == change.id))
    };
    let lessons: Vec<&LessonChange> = first.lessons.iter().filter(everywhere).collect();
    let renames = renames(&lessons);
    let renamed: BTreeSet<Key> = renames.values().cloned().collect();
    for change in &lessons {
        let key = Key::new(&change.pack, &change.id);
        // counters that changed without a word are looked through
        let counted = |block: &Trailers| block.counts.iter().any(|count| count.pack == key.pack && count.lesson == key.id);
        if renamed.contains(&key) || (change.kind == LessonKind::Recorded && !blocks.iter().any(counted)) {
            continue;
        }
        let was = renames.get(&key).cloned();
        let block = blocks.iter().find(|block| block.lesson.as_ref() == Some(&change.id) && fits(block, change));
        let mut event =
            event(what(change, was.is_some(), block, merge), &change.pack, Some(change.id.clone()), change.title().to_owned());
        event.text = change.after.as_ref().map(digest);
        event.was = was;
        event.run = block.and_then(|block| block.run.clone()).or_else(|| run_of(change));
        event.guidance = block.map(|block| block.guidance.clone()).unwrap_or_default();
        events.push(event);
    }
    if !merge {
        events.extend(about_packs(first, subject));
    }
    events
}

/// A lesson that is written by hand, or squashed, may still say which run it is from.
fn run_of(change: &LessonChange) -> Option<String> {
    let new = change.kind == LessonKind::Added;
    change.after.as_ref().filter(|_| new).and_then(|lesson| lesson.run_id.clone())
}

fn what(change: &LessonChange, renamed: bool, block: Option<&Trailers>, merge: bool) -> Deed {
    if let Some(action) = block.and_then(|block| block.action) {
        return deed(action);
    }
    match change.kind {
        _ if renamed => Deed::Edit,
        LessonKind::Edited if merge => Deed::Sync,
        LessonKind::Added => Deed::Add,
        LessonKind::Edited => Deed::Edit,
        LessonKind::Removed => Deed::Remove,
        LessonKind::Graduated => Deed::Graduate,
        LessonKind::Recorded => Deed::Record,
    }
}

/// Whether a block of trailers can be about a change: a squashed message may tell a lesson's whole life.
fn fits(block: &Trailers, change: &LessonChange) -> bool {
    let Some(action) = block.action else { return false };
    block.pack.as_ref().is_none_or(|pack| *pack == change.pack)
        && match change.kind {
            LessonKind::Added => deed(action).brings(),
            LessonKind::Edited => action == Action::Edit,
            LessonKind::Removed | LessonKind::Graduated => deed(action).ends(),
            LessonKind::Recorded => action == Action::Record,
        }
}

/// Lessons that go under another name since this commit, by that name: the same time or the same title, and words that
/// are close; or the same lesson in another pack.
fn renames(changes: &[&LessonChange]) -> BTreeMap<Key, Key> {
    let mut gone: Vec<(&LessonChange, &Lesson)> = changes
        .iter()
        .filter(|change| change.after.is_none())
        .filter_map(|change| Some((*change, change.before.as_ref()?)))
        .collect();
    let mut renames = BTreeMap::new();
    if gone.is_empty() {
        return renames;
    }
    for change in changes.iter().filter(|change| change.before.is_none()) {
        let Some(new) = &change.after else { continue };
        let whole = |lesson: &Lesson| format!("{}\n{}\n{}", lesson.title, lesson.description, lesson.actionable);
        let same = |(earlier, old): &(&LessonChange, &Lesson)| {
            if earlier.pack != change.pack {
                return earlier.id == change.id;
            }
            // an id that is written out stays, whatever becomes of the line
            !old.pinned
                && !new.pinned
                && (old.timestamp == new.timestamp || old.title == new.title)
                && matches!(compare(&whole(old), &whole(new)), Likeness::Same | Likeness::Close(_))
        };
        if let Some(at) = gone.iter().position(same) {
            let (earlier, _) = gone.remove(at);
            renames.insert(Key::new(&change.pack, &change.id), Key::new(&earlier.pack, &earlier.id));
        }
    }
    renames
}

/// What a commit by hand did to a pack besides its lessons.
fn about_packs(changes: &Changes, subject: &str) -> Vec<Event> {
    let graduated = |rule: &changes::RuleChange| {
        changes.lessons.iter().any(|lesson| lesson.rule.is_some() && lesson.rule == rule.after && lesson.pack == rule.pack)
    };
    let ruled: BTreeSet<&PackName> =
        changes.rules.iter().filter(|rule| !graduated(rule)).map(|rule| &rule.pack).chain(&changes.prose).collect();
    let meta: BTreeSet<&PackName> = changes.meta.iter().map(|change| &change.pack).collect();
    let whole = |pack: &PackName| changes.packs.iter().any(|change| change.pack == *pack);
    let graduations: BTreeSet<&PackName> =
        changes.lessons.iter().filter(|lesson| lesson.kind == LessonKind::Graduated).map(|lesson| &lesson.pack).collect();
    let rules = ruled.into_iter().filter(|pack| !graduations.contains(pack)).map(|pack| (Deed::Guardrails, pack));
    let meta = meta.into_iter().map(|pack| (Deed::Edit, pack));
    rules.chain(meta).filter(|(_, pack)| !whole(pack)).map(|(deed, pack)| event(deed, pack, None, subject.to_owned())).collect()
}

/// The names of the entries of two trees that differ.
fn differing_names<'a>(a: &'a [u8], b: &'a [u8], kind: gix::hash::Kind) -> Vec<&'a [u8]> {
    let entries = |tree: &'a [u8]| TreeRefIter::from_bytes(tree, kind).map_while(std::result::Result::ok);
    // a folder is ordered as if its name ended with a slash
    let key = |entry: &EntryRef<'a>| entry.filename.iter().copied().chain(entry.mode.is_tree().then_some(b'/'));
    let (mut a, mut b) = (entries(a).peekable(), entries(b).peekable());
    let mut names: Vec<&[u8]> = Vec::new();
    loop {
        let order = match (a.peek(), b.peek()) {
            (None, None) => return names,
            (Some(_), None) => Ordering::Less,
            (None, Some(_)) => Ordering::Greater,
            (Some(x), Some(y)) => key(x).cmp(key(y)),
        };
        let old = if order.is_le() { a.next() } else { None };
        let new = if order.is_ge() { b.next() } else { None };
        let same = old.as_ref().zip(new.as_ref()).is_some_and(|(old, new)| old.oid == new.oid);
        if let Some(entry) = old.or(new).filter(|_| !same) {
            names.push(entry.filename);
        }
    }
}

/// Whether a lesson that came or went with a line stands in another line of the other state too.
fn stands_twice(lesson: &Lesson, other: &[u8]) -> bool {
    let title = serde_json::to_string(&lesson.title).expect("a string serialises");
    let inside = title.trim_matches('"').as_bytes();
    // most often the title alone tells that it does not
    (inside.is_empty() || other.windows(inside.len()).any(|window| window == inside))
        && LessonFile::parse(other).find(&lesson.id).is_some()
}

/// The lines that only one of two files has: what needs to be understood.
fn differing_lines(old: &[u8], new: &[u8]) -> (Vec<u8>, Vec<u8>) {
    // most of a long file is the same at its beginning
    let common = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let start = old[..common].iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1);
    let lines = |file: &'_ [u8]| file[start..].split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect::<Vec<_>>();
    let (old, new) = (lines(old), lines(new));
    let mut both: HashMap<&[u8], usize> = HashMap::new();
    for line in &new {
        *both.entry(line).or_default() += 1;
    }
    let mut kept: HashMap<&[u8], usize> = HashMap::new();
    let take = |counts: &mut HashMap<&[u8], usize>, line: &[u8]| match counts.get_mut(line) {
        Some(count) if *count > 0 => {
            *count -= 1;
            true
        }
        _ => false,
    };
    let mut gone = Vec::new();
    for line in &old {
        if take(&mut both, line) {
            *kept.entry(line).or_default() += 1;
        } else {
            gone.extend_from_slice(line);
        }
    }
    let come = new.iter().filter(|line| !take(&mut kept, line)).flatten().copied().collect();
    (gone, come)
}

#[cfg(test)]
mod tests {
    use super::{differing_lines, title};

    #[test]
    fn only_lines_that_differ_are_left() {
        assert_eq!(differing_lines(b"a\nb\nc\nc\nd", b"a\nx\nc\nd\nb\n"), (b"c\nd".to_vec(), b"x\nd\n".to_vec()));
    }

    #[test]
    fn a_title_is_read_in_full() {
        assert_eq!(title("promote(a): Do: this\n\nmore\n").as_deref(), Some("Do: this"));
        let cut = "promote(a): Never build SQL…\n\nNever build SQL by hand, what-\never it is\n\nbody";
        assert_eq!(title(cut).as_deref(), Some("Never build SQL by hand, what- ever it is"));
        assert_eq!(title("promote(a): Never build SQL…\n\nbody"), None);
        assert_eq!(title("no prefix"), None);
    }
}
