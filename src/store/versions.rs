//! Which versions of each file and lesson stood in a stretch of history: how a text that is old news is told from one
//! that is new. Which stretch it is, and what follows from it, is others' to say.

use std::collections::hash_map::DefaultHasher;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::hash::{Hash as _, Hasher as _};
use std::rc::Rc;

use super::history::{Follow, History, Touch};
use super::id::Id;
use super::repo::Repo;
use crate::error::Result;
use crate::model::jsonl::LessonFile;
use crate::model::lesson::{Lesson, LessonId};
use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE, PACKS_DIR, PackName};
use crate::model::pack_files::PackFiles;

/// A lesson's text, counters aside: equal means the same.
type Text = u64;

/// The files of one state of the packs, by path.
type State = BTreeMap<String, Id>;

/// Reads states of the packs; what two states share is read once.
pub(super) struct Reader<'r> {
    repo: &'r Repo,
    states: HashMap<Id, Rc<State>>,
    lessons: HashMap<Id, Rc<HashMap<LessonId, Text>>>,
    rules: HashMap<Id, Rc<HashSet<String>>>,
}

/// All versions that stood in a stretch of history. What was there and then taken away counts as a version too: the one
/// that is not there.
#[derive(Default)]
pub(super) struct Versions {
    files: HashMap<String, HashSet<Id>>,
    removed_files: HashSet<String>,
    lessons: HashMap<PackName, Vec<Rc<HashMap<LessonId, Text>>>>,
    removed_lessons: HashSet<(PackName, LessonId)>,
    rules: HashMap<PackName, Vec<Rc<HashSet<String>>>>,
    seen: HashSet<Id>,
}

pub(super) fn text_of(lesson: &Lesson) -> Text {
    let mut hasher = DefaultHasher::new();
    let Lesson { timestamp, category, title, description, actionable, run_id, paths, .. } = lesson;
    (timestamp, category, title, description, actionable, run_id, paths).hash(&mut hasher);
    hasher.finish()
}

impl<'r> Reader<'r> {
    pub(super) fn new(repo: &'r Repo) -> Self {
        Self { repo, states: HashMap::new(), lessons: HashMap::new(), rules: HashMap::new() }
    }

    /// The versions that stood at some commit of a stretch.
    pub(super) fn stretch(&mut self, history: &mut History<'_>, tip: Id, commits: &[Id]) -> Result<Versions> {
        let within: HashSet<Id> = commits.iter().copied().collect();
        let mut versions = Versions::default();
        for touch in history.touching(&[tip], Some(&within), Follow::All)? {
            self.add(&mut versions, touch)?;
        }
        Ok(versions)
    }

    fn add(&mut self, versions: &mut Versions, Touch { packs, before, .. }: Touch) -> Result<()> {
        let (old, new) = (self.state(before)?, self.state(packs)?);
        self.add_state(versions, packs)?;
        for (path, &blob) in old.iter().filter(|(path, blob)| new.get(*path) != Some(blob)) {
            let now = new.get(path).copied();
            if now.is_none() {
                versions.removed_files.insert(path.clone());
            }
            if let Some(pack) = pack_of(path, LESSONS_FILE) {
                let had = self.lessons(blob)?;
                let has = now.map(|blob| self.lessons(blob)).transpose()?.unwrap_or_default();
                let gone = had.keys().filter(|id| !has.contains_key(*id));
                versions.removed_lessons.extend(gone.map(|id| (pack.clone(), id.clone())));
            }
        }
        Ok(())
    }

    /// Adds what stood in one state.
    pub(super) fn add_state(&mut self, versions: &mut Versions, packs: Option<Id>) -> Result<()> {
        let Some(packs) = packs.filter(|packs| versions.seen.insert(*packs)) else { return Ok(()) };
        for (path, &blob) in &*self.state(Some(packs))? {
            if !versions.files.entry(path.clone()).or_default().insert(blob) {
                continue;
            }
            if let Some(pack) = pack_of(path, LESSONS_FILE) {
                versions.lessons.entry(pack).or_default().push(self.lessons(blob)?);
            } else if let Some(pack) = pack_of(path, GUARDRAILS_FILE) {
                versions.rules.entry(pack).or_default().push(self.rules(blob)?);
            }
        }
        Ok(())
    }

    /// The blobs of a state of the packs.
    pub(super) fn state(&mut self, packs: Option<Id>) -> Result<Rc<State>> {
        let Some(packs) = packs else { return Ok(Rc::default()) };
        if let Some(state) = self.states.get(&packs) {
            return Ok(Rc::clone(state));
        }
        let state: Rc<State> = Rc::new(self.repo.packs_blobs(packs)?.into_iter().collect());
        self.states.insert(packs, Rc::clone(&state));
        Ok(state)
    }

    fn lessons(&mut self, blob: Id) -> Result<Rc<HashMap<LessonId, Text>>> {
        if let Some(lessons) = self.lessons.get(&blob) {
            return Ok(Rc::clone(lessons));
        }
        let file = LessonFile::parse(&self.repo.blob(blob)?);
        let lessons = file.lessons().into_iter().map(|lesson| (lesson.id.clone(), text_of(lesson)));
        let lessons: Rc<HashMap<_, _>> = Rc::new(lessons.collect());
        self.lessons.insert(blob, Rc::clone(&lessons));
        Ok(lessons)
    }

    fn rules(&mut self, blob: Id) -> Result<Rc<HashSet<String>>> {
        if let Some(rules) = self.rules.get(&blob) {
            return Ok(Rc::clone(rules));
        }
        let text = String::from_utf8_lossy(&self.repo.blob(blob)?).into_owned();
        let rules: Rc<HashSet<String>> =
            Rc::new(crate::model::guardrails::Guardrails::parse(&text).rules().map(|(_, rule)| rule.words()).collect());
        self.rules.insert(blob, Rc::clone(&rules));
        Ok(rules)
    }

    /// Two states' files, with their content: those of packs in which anything differs.
    pub(super) fn differing(&mut self, before: Option<Id>, after: Option<Id>) -> Result<[PackFiles; 2]> {
        let states = [self.state(before)?, self.state(after)?];
        let [old, new] = &states;
        let changed = |a: &State, b: &State| -> HashSet<String> {
            let paths = a.iter().filter(|(path, blob)| b.get(*path) != Some(blob));
            paths.filter_map(|(path, _)| folder_of(path)).map(str::to_owned).collect()
        };
        let folders: HashSet<String> = changed(old, new).union(&changed(new, old)).cloned().collect();
        let read = |state: &State| -> Result<PackFiles> {
            let files = state.iter().filter(|(path, _)| folder_of(path).is_some_and(|folder| folders.contains(folder)));
            files.map(|(path, blob)| Ok((path.clone(), self.repo.blob(*blob)?))).collect()
        };
        Ok([read(old)?, read(new)?])
    }

    /// The files of a state, with their content.
    pub(super) fn files(&mut self, packs: Option<Id>) -> Result<PackFiles> {
        packs.map_or_else(|| Ok(PackFiles::default()), |packs| self.repo.packs_in(packs))
    }
}

impl Versions {
    /// Whether a file was that blob once; `None`: whether it was taken away once.
    pub(super) fn had_file(&self, path: &str, blob: Option<Id>) -> bool {
        match blob {
            Some(blob) => self.files.get(path).is_some_and(|blobs| blobs.contains(&blob)),
            None => self.removed_files.contains(path),
        }
    }

    /// Whether a lesson had that text once; `None`: whether it was taken away once.
    pub(super) fn had_lesson(&self, pack: &PackName, id: &LessonId, lesson: Option<&Lesson>) -> bool {
        match lesson.map(text_of) {
            Some(text) => self.lessons.get(pack).into_iter().flatten().any(|lessons| lessons.get(id) == Some(&text)),
            None => self.removed_lessons.contains(&(pack.clone(), id.clone())),
        }
    }

    /// Whether a lesson was there at all, whatever it said.
    pub(super) fn knows_lesson(&self, pack: &PackName, id: &LessonId) -> bool {
        self.lessons.get(pack).into_iter().flatten().any(|lessons| lessons.contains_key(id))
    }

    /// Whether a rule stood in a pack's guardrails once.
    pub(super) fn had_rule(&self, pack: &PackName, words: &str) -> bool {
        self.rules.get(pack).into_iter().flatten().any(|rules| rules.contains(words))
    }
}

/// The folder below `marvel/packs` that a path is in.
fn folder_of(path: &str) -> Option<&str> {
    path.strip_prefix(PACKS_DIR)?.strip_prefix('/')?.split_once('/').map(|(folder, _)| folder)
}

/// The pack whose file of that name a path is.
fn pack_of(path: &str, file: &str) -> Option<PackName> {
    let folder = path.strip_prefix(PACKS_DIR)?.strip_prefix('/')?.strip_suffix(file)?.strip_suffix('/')?;
    PackName::new(folder)
}
