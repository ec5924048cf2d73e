//! A lesson's life as history tells it: who taught it, when, from which run, how it changed, how it ended. Events come
//! from commits, oldest first; here the same event told twice (a squashed, rebased or picked commit) is told once, a
//! lesson that was renamed stays one lesson, and recorded counts are summed, each segment once. How commits are read is
//! `store`'s.

use std::collections::{HashMap, HashSet};

use super::evidence::Totals;
use super::key::Key;
use crate::model::lesson::{Lesson, LessonId};
use crate::model::pack::PackName;

/// What a commit did. The first nine are those that MARVEL itself writes into trailers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Deed {
    Promote,
    Teach,
    Edit,
    Graduate,
    Prune,
    Restore,
    Record,
    Pack,
    Sync,
    /// A line written, or taken out, by hand.
    Add,
    Remove,
    /// Rules of the guardrails changed by hand.
    Guardrails,
}

impl Deed {
    pub const ALL: [Self; 12] = [
        Self::Promote,
        Self::Teach,
        Self::Edit,
        Self::Graduate,
        Self::Prune,
        Self::Restore,
        Self::Record,
        Self::Pack,
        Self::Sync,
        Self::Add,
        Self::Remove,
        Self::Guardrails,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Teach => "teach",
            Self::Edit => "edit",
            Self::Graduate => "graduate",
            Self::Prune => "prune",
            Self::Restore => "restore",
            Self::Record => "record",
            Self::Pack => "pack",
            Self::Sync => "sync",
            Self::Add => "add",
            Self::Remove => "remove",
            Self::Guardrails => "guardrails",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|deed| deed.as_str() == text)
    }

    /// The lesson is there after it.
    pub fn brings(self) -> bool {
        matches!(self, Self::Promote | Self::Teach | Self::Restore | Self::Add)
    }

    /// It gave the lesson the text that it has after it.
    pub fn words(self) -> bool {
        self.brings() || matches!(self, Self::Edit | Self::Sync)
    }

    /// The lesson is gone after it.
    pub fn ends(self) -> bool {
        matches!(self, Self::Graduate | Self::Prune | Self::Remove)
    }
}

/// A commit that changed packs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Commit {
    /// In hexadecimal.
    pub id: String,
    pub author: String,
    pub email: String,
    /// When it was written, in seconds since 1970.
    pub authored: i64,
    pub committed: i64,
    /// The oldest commit of a shallow clone: what it holds came from before it.
    pub boundary: bool,
}

/// One thing that one commit did.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// Where its commit stands in the list.
    pub commit: u32,
    /// What the commit says, or what its files show.
    pub written: Deed,
    /// What it came to: a line that was there already, and is brought again in other words, was edited.
    pub deed: Deed,
    pub pack: PackName,
    /// `None` where it is about the pack as a whole.
    pub lesson: Option<LessonId>,
    pub title: String,
    pub run: Option<String>,
    /// Guidance that led to it.
    pub guidance: Vec<String>,
    /// Who the lesson was before: its id changed with its title, or its pack.
    pub was: Option<Key>,
    /// A digest of the text after it, where that was looked at.
    pub text: Option<u64>,
    /// Told before by another commit.
    pub copy: bool,
}

impl Event {
    pub fn key(&self) -> Option<Key> {
        self.lesson.as_ref().map(|id| Key::new(&self.pack, id))
    }
}

/// What a commit recorded: the counts of these segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recorded {
    pub commit: u32,
    /// `<session>#<segment>`.
    pub segments: Vec<String>,
    pub counts: Vec<(Key, Totals)>,
}

/// All that history says about the packs' lessons.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chronicle {
    pub commits: Vec<Commit>,
    /// Oldest first.
    pub events: Vec<Event>,
    pub records: Vec<Recorded>,
}

/// Finds out what nobody looked at yet: the digest of the lesson's text after an event's commit.
pub trait Texts {
    fn text(&mut self, commit: &Commit, key: &Key) -> Option<u64>;
}

impl Chronicle {
    pub fn commit(&self, event: &Event) -> &Commit {
        &self.commits[event.commit as usize]
    }

    /// What happened, oldest first, each thing once.
    pub fn told(&self) -> impl DoubleEndedIterator<Item = &Event> {
        self.events.iter().filter(|event| !event.copy)
    }

    /// Marks the events that another commit told before.
    pub fn link(&mut self, texts: &mut dyn Texts) {
        let mut threads = Threads::default();
        let mut states: Vec<State> = Vec::new();
        for at in 0..self.events.len() {
            let Some(thread) = threads.of(&self.events[at]) else { continue };
            if states.len() <= thread {
                states.resize_with(thread + 1, State::default);
            }
            let copy = self.is_copy(at, &states[thread], texts);
            let state = &mut states[thread];
            let written = self.events[at].written;
            let commit = self.commit(&self.events[at]);
            state.done.push((written, commit.authored, commit.committed));
            let tells_more = copy && matches!(written, Deed::Promote | Deed::Teach);
            let first = state.bringer.filter(|&first| tells_more && self.events[first].written == Deed::Add);
            if let Some(first) = first {
                // a branch that comes into this history after its squash: its own commits say who taught what
                self.events[first].copy = true;
            }
            let event = &mut self.events[at];
            event.copy = copy && first.is_none();
            event.deed = if written.brings() && state.present && first.is_none() { Deed::Edit } else { written };
            if event.copy {
                continue;
            }
            state.present = !event.deed.ends();
            if event.deed.words() {
                state.sources.push(at);
            }
            if event.deed.brings() {
                state.bringer = Some(at);
            }
        }
    }

    fn is_copy(&self, at: usize, state: &State, texts: &mut dyn Texts) -> bool {
        let event = &self.events[at];
        let commit = self.commit(event);
        // a commit that is rebased or picked keeps its time, and gets a new one for that
        let again = |done: &(Deed, i64, i64)| done.0 == event.written && done.1 == commit.authored && done.2 != commit.committed;
        if state.done.iter().any(again) {
            return true;
        }
        if event.written.ends() {
            return !state.sources.is_empty() && !state.present;
        }
        if !event.written.words() || !state.present {
            return false;
        }
        // on one line of history a lesson does not come twice: this is a copy, or an edit in disguise
        let Some(new) = event.text else { return event.written.brings() };
        // an edit may well go back to an earlier text
        let old = if event.written.brings() { 0 } else { state.sources.len().saturating_sub(1) };
        let known: Vec<u64> = state.sources[old..].iter().filter_map(|&source| self.text_of(source, texts)).collect();
        if known.is_empty() { event.written.brings() } else { known.contains(&new) }
    }

    fn text_of(&self, at: usize, texts: &mut dyn Texts) -> Option<u64> {
        let event = &self.events[at];
        event.text.or_else(|| texts.text(self.commit(event), &event.key()?))
    }

    /// The events of every lesson, by the key that it has now and by those that it had, oldest first.
    pub fn lives(&self) -> Lives<'_> {
        let mut threads = Threads::default();
        let mut events: Vec<Vec<usize>> = Vec::new();
        for (at, event) in self.events.iter().enumerate().filter(|(_, event)| !event.copy) {
            let Some(thread) = threads.of(event) else { continue };
            if events.len() <= thread {
                events.resize_with(thread + 1, Vec::new);
            }
            events[thread].push(at);
        }
        Lives { chronicle: self, threads, events }
    }

    /// The segments whose counts stand in history.
    pub fn segments(&self) -> HashSet<&str> {
        self.records.iter().flat_map(|record| record.segments.iter().map(String::as_str)).collect()
    }
}

/// What is known of one lesson while its events are linked.
#[derive(Default)]
struct State {
    present: bool,
    /// The event that brought it last.
    bringer: Option<usize>,
    /// The events that its texts come from.
    sources: Vec<usize>,
    /// What was done, when it was written and when committed.
    done: Vec<(Deed, i64, i64)>,
}

/// Lessons by number, under all the names that they have or had.
#[derive(Default)]
struct Threads {
    packs: HashMap<PackName, u32>,
    numbers: HashMap<(u32, u64), usize>,
    /// The newest name.
    names: Vec<Key>,
}

impl Threads {
    fn of(&mut self, event: &Event) -> Option<usize> {
        let name = self.name(&event.pack, event.lesson.as_ref()?);
        let renamed = match &event.was {
            Some(was) => {
                let was = self.name(&was.pack, &was.id);
                self.numbers.get(&was).copied()
            }
            None => None,
        };
        let known = renamed.or_else(|| self.numbers.get(&name).copied());
        let thread = known.unwrap_or(self.names.len());
        if known.is_none() {
            self.names.push(event.key()?);
        }
        if known.is_none() || renamed.is_some() {
            self.numbers.insert(name, thread);
            self.names[thread] = event.key()?;
        }
        Some(thread)
    }

    fn get(&self, key: &Key) -> Option<usize> {
        let pack = self.packs.get(&key.pack)?;
        self.numbers.get(&(*pack, number(&key.id))).copied()
    }

    /// Small and quick to compare.
    fn name(&mut self, pack: &PackName, id: &LessonId) -> (u32, u64) {
        let next = u32::try_from(self.packs.len()).unwrap_or(u32::MAX);
        let pack = match self.packs.get(pack) {
            Some(&pack) => pack,
            None => {
                self.packs.insert(pack.clone(), next);
                next
            }
        };
        (pack, number(id))
    }
}

/// Ten hexadecimal digits are forty bits.
fn number(id: &LessonId) -> u64 {
    u64::from_str_radix(id.as_str(), 16).unwrap_or(u64::MAX)
}

/// The lessons' lives, looked up by key.
pub struct Lives<'a> {
    chronicle: &'a Chronicle,
    threads: Threads,
    events: Vec<Vec<usize>>,
}

impl<'a> Lives<'a> {
    pub fn chronicle(&self) -> &'a Chronicle {
        self.chronicle
    }

    /// A lesson's events, oldest first.
    pub fn of(&self, key: &Key) -> impl DoubleEndedIterator<Item = &'a Event> + use<'a, '_> {
        let events = self.threads.get(key).map_or(&[][..], |thread| &self.events[thread]);
        events.iter().map(|&at| &self.chronicle.events[at])
    }

    /// Every lesson that there is or was, by its newest key, in no order.
    pub fn keys(&self) -> &[Key] {
        &self.threads.names
    }

    /// The lessons that a person's abbreviation means, by the ids that they have or had, in order.
    pub fn find(&self, prefix: &str) -> Vec<&Key> {
        let Some(lowest) = (prefix.len() >= 4).then(|| u64::from_str_radix(&format!("{prefix:0<10}"), 16).ok()).flatten() else {
            return Vec::new();
        };
        let digits = u32::try_from(LessonId::LENGTH.saturating_sub(prefix.len())).unwrap_or(0);
        let beyond = lowest + 16_u64.pow(digits);
        let matching = self.threads.numbers.iter().filter(|((_, id), _)| (lowest..beyond).contains(id));
        let mut keys: Vec<&Key> = matching.map(|(_, &thread)| &self.threads.names[thread]).collect();
        keys.sort_unstable();
        keys.dedup();
        keys
    }

    /// The newest title that history knows.
    pub fn title(&self, key: &Key) -> &'a str {
        self.of(key).rev().map(|event| event.title.as_str()).find(|title| !title.is_empty()).unwrap_or_default()
    }

    /// The newest titles of all lessons, under every key.
    pub fn titles(&self) -> HashMap<Key, String> {
        let mut titles = HashMap::new();
        for event in &self.chronicle.events {
            if let Some(key) = event.key()
                && !titles.contains_key(&key)
            {
                let title = self.title(&key).to_owned();
                titles.insert(key, title);
            }
        }
        titles
    }

    /// Where a lesson's events stand in the chronicle, oldest first.
    pub fn events(&self, key: &Key) -> Vec<usize> {
        self.threads.get(key).map_or_else(Vec::new, |thread| self.events[thread].clone())
    }

    /// Whether it is there in the end.
    pub fn stands(&self, key: &Key) -> bool {
        self.of(key).next_back().is_some_and(|event| !event.deed.ends())
    }

    /// The event that brought it: the first one, however often it was removed and restored since.
    pub fn taught(&self, key: &Key) -> Option<&'a Event> {
        self.of(key).find(|event| event.deed.words())
    }

    /// The last change of its text since then.
    pub fn edited(&self, key: &Key) -> Option<&'a Event> {
        self.of(key).rev().find(|event| matches!(event.deed, Deed::Edit | Deed::Sync))
    }

    /// When its text last changed, in seconds since 1970.
    pub fn changed(&self, key: &Key) -> Option<i64> {
        let words = || self.of(key).rev().filter(|event| event.deed.words());
        // what is restored has the text that it had
        let last = words().find(|event| event.deed != Deed::Restore).or_else(|| words().next());
        last.map(|event| self.chronicle.commit(event).authored)
    }

    /// Everyone who taught it or worded it anew, in order of appearance.
    pub fn teachers(&self, key: &Key) -> Vec<&'a str> {
        let mut names: Vec<&str> = Vec::new();
        let mut emails = HashSet::new();
        for event in self.of(key).filter(|event| event.deed.words()) {
            let commit = self.chronicle.commit(event);
            if !commit.boundary && emails.insert(commit.email.to_lowercase()) {
                names.push(&commit.author);
            }
        }
        names
    }

    /// Guidance that led to it.
    pub fn guidance(&self, key: &Key) -> HashSet<&'a str> {
        self.of(key).flat_map(|event| event.guidance.iter().map(String::as_str)).collect()
    }

    /// The sums of all recorded counts, by the lessons' newest keys. A segment that two commits name counts once.
    pub fn totals(&self) -> HashMap<Key, Totals> {
        let mut seen: HashSet<&str> = HashSet::new();
        let mut totals: HashMap<Key, Totals> = HashMap::new();
        for record in &self.chronicle.records {
            let again = record.segments.iter().any(|segment| seen.contains(segment.as_str()));
            seen.extend(record.segments.iter().map(String::as_str));
            if again {
                continue;
            }
            for (key, counts) in &record.counts {
                let newest = self.threads.get(key).map_or(key, |thread| &self.threads.names[thread]);
                totals.entry(newest.clone()).or_default().add(*counts);
            }
        }
        totals
    }
}

/// A digest of what a lesson says: all but its counters.
pub fn digest(lesson: &Lesson) -> u64 {
    let fields = [
        lesson.timestamp.as_str(),
        &lesson.category,
        &lesson.title,
        &lesson.description,
        &lesson.actionable,
        lesson.run_id.as_deref().unwrap_or_default(),
    ];
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for field in fields.into_iter().chain(lesson.paths.iter().map(String::as_str)) {
        for byte in field.bytes().chain([0]) {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::{Chronicle, Commit, Deed, Event, Recorded, Texts};
    use crate::evolve::evidence::Totals;
    use crate::evolve::key::Key;

    /// Texts by commit, as history would give them.
    struct Known(HashMap<String, u64>);

    impl Texts for Known {
        fn text(&mut self, commit: &Commit, _: &Key) -> Option<u64> {
            self.0.get(&commit.id).copied()
        }
    }

    fn key(text: &str) -> Key {
        Key::parse(text).expect("valid")
    }

    const A: &str = "a/aaaaaaaaaa";
    const B: &str = "a/bbbbbbbbbb";

    /// Each step: what, which lesson, who it was, authored, committed, text.
    type Step = (Deed, &'static str, Option<&'static str>, i64, i64, Option<u64>);

    fn chronicle(steps: &[Step]) -> Chronicle {
        let mut chronicle = Chronicle::default();
        for (at, &(deed, lesson, was, authored, committed, text)) in steps.iter().enumerate() {
            let author = if at % 2 == 0 { "Ada" } else { "Bob" }.to_owned();
            let email = format!("{author}@x");
            chronicle.commits.push(Commit { id: format!("c{at}"), author, email, authored, committed, boundary: false });
            chronicle.events.push(Event {
                commit: u32::try_from(at).expect("few"),
                written: deed,
                deed,
                pack: key(lesson).pack,
                lesson: Some(key(lesson).id),
                title: String::new(),
                run: None,
                guidance: Vec::new(),
                was: was.map(key),
                text,
                copy: false,
            });
        }
        chronicle
    }

    fn told(steps: &[Step], texts: &[(&str, u64)]) -> Vec<String> {
        let mut chronicle = chronicle(steps);
        chronicle.link(&mut Known(texts.iter().map(|&(id, text)| (id.to_owned(), text)).collect()));
        chronicle.told().map(|event| format!("{} {}", chronicle.commit(event).id, event.deed.as_str())).collect()
    }

    use Deed::{Add, Edit, Promote, Prune, Remove, Restore};

    #[test]
    fn a_life_is_told_in_order() {
        let steps = [
            (Promote, A, None, 1, 1, None),
            (Edit, A, None, 2, 2, None),
            (Prune, A, None, 3, 3, None),
            (Restore, A, None, 4, 4, None),
            (Prune, A, None, 5, 5, None),
        ];
        assert_eq!(told(&steps, &[]), ["c0 promote", "c1 edit", "c2 prune", "c3 restore", "c4 prune"]);
    }

    #[test]
    fn one_second_is_long_enough_for_a_life() {
        let steps = [Prune, Restore, Edit, Prune, Restore, Edit].map(|deed| (deed, A, None, 1, 1, None));
        let steps = [&[(Promote, A, None, 1, 1, None)], &steps[..]].concat();
        let texts = [("c0", 1), ("c3", 2), ("c6", 3)];
        assert_eq!(told(&steps, &texts).len(), 7);
    }

    #[test]
    fn a_squashed_branch_is_told_by_its_own_commits() {
        let steps = [(Promote, A, None, 1, 1, None), (Edit, A, None, 2, 2, None), (Add, A, None, 9, 9, Some(2))];
        assert_eq!(told(&steps, &[("c0", 1), ("c1", 2)]), ["c0 promote", "c1 edit"]);
        // somebody changed the wording while squashing
        assert_eq!(told(&steps, &[("c0", 1), ("c1", 7)]), ["c0 promote", "c1 edit", "c2 edit"]);
    }

    #[test]
    fn a_rebased_or_picked_branch_is_told_once() {
        let once = [(Promote, A, None, 1, 1, None), (Edit, A, None, 2, 2, None), (Prune, A, None, 3, 3, None)];
        let again = once.map(|(deed, lesson, was, at, _, text)| (deed, lesson, was, at, 50, text));
        assert_eq!(told(&[once, again].concat(), &[]), ["c0 promote", "c1 edit", "c2 prune"]);
    }

    #[test]
    fn a_revert_and_its_revert_are_told() {
        let steps = [(Promote, A, None, 1, 1, None), (Remove, A, None, 2, 2, None), (Add, A, None, 3, 3, Some(1))];
        assert_eq!(told(&steps, &[("c0", 1)]), ["c0 promote", "c1 remove", "c2 add"]);
    }

    #[test]
    fn a_branch_that_comes_in_after_its_squash_tells_who_taught() {
        let steps = [(Add, A, None, 9, 9, Some(1)), (Promote, A, None, 1, 10, None)];
        assert_eq!(told(&steps, &[("c1", 1)]), ["c1 promote"]);
    }

    #[test]
    fn an_edit_that_goes_back_is_told() {
        let edit = |at, text| (Edit, A, None, at, at, Some(text));
        let steps = [(Add, A, None, 1, 1, Some(1)), edit(2, 2), edit(3, 1), edit(4, 1), edit(5, 2)];
        assert_eq!(told(&steps, &[]), ["c0 add", "c1 edit", "c2 edit", "c4 edit"]);
    }

    #[test]
    fn a_renamed_lesson_is_one() {
        let mut chronicle = chronicle(&[(Add, A, None, 1, 1, Some(1)), (Edit, B, Some(A), 2, 2, Some(2))]);
        let count = |injected| Totals { injected, good: 1, runs: 1, ..Totals::default() };
        let record = |segments: &[&str], counts| Recorded {
            commit: 0,
            segments: segments.iter().map(|&segment| segment.to_owned()).collect(),
            counts,
        };
        chronicle.records = vec![
            record(&["s#1", "s#2"], vec![(key(A), count(3))]),
            record(&["s#3"], vec![(key(B), count(4))]),
            // squashed: told before
            record(&["s#1", "s#2"], vec![(key(A), count(3))]),
        ];
        chronicle.link(&mut Known(HashMap::new()));
        let lives = chronicle.lives();
        assert_eq!((lives.of(&key(A)).count(), lives.of(&key(B)).count()), (2, 2));
        assert_eq!(lives.taught(&key(B)).map(|event| event.commit), Some(0));
        assert_eq!(lives.teachers(&key(B)), ["Ada", "Bob"]);
        assert_eq!(lives.changed(&key(A)), Some(2));
        assert_eq!(lives.totals(), HashMap::from([(key(B), Totals { injected: 7, good: 2, runs: 2, ..Totals::default() })]));
    }
}
