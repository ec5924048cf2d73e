//! What the packs have to say of the files at hand: those that are selected for them, with their text. How much of it
//! the agent gets is `inject`'s.

use std::collections::HashMap;

use super::scene;
use crate::inject::{Known, PackText, Touched};
use crate::model::config::Config;
use crate::model::pack::{PackMeta, PackName};
use crate::model::repo_path::RepoPath;
use crate::model::timestamp::Timestamp;
use crate::score::lessons::{Candidate, Outcomes};
use crate::score::select::{Scored, select};
use crate::score::signals::{Keywords, Moment, Signal, Spoken};
use crate::session::activity::Tail;
use crate::session::cache::{self, PackFacts};
use crate::session::overlay::InForce;
use crate::session::packs::Packs;
use crate::session::root::Root;

/// The selected packs of some files, as read.
#[derive(Debug)]
pub struct Relevant<'a> {
    /// For each file, in the order given: where its packs stand in `texts`, best first.
    files: Vec<(&'a RepoPath, Vec<usize>)>,
    texts: Vec<Text<'a>>,
    /// Packs of which one of the files is a sensitive path.
    pub sensitive: Vec<&'a PackName>,
}

/// A pack's text as it is in force.
#[derive(Debug)]
pub struct Text<'a> {
    meta: &'a PackMeta,
    guardrails: String,
    lessons: Vec<InForce>,
    facts: PackFacts,
}

impl<'a> Text<'a> {
    pub fn read(root: &Root, packs: &Packs, meta: &'a PackMeta) -> Self {
        let lessons = packs.lessons(&meta.name);
        let facts = if lessons.is_empty() { PackFacts::new() } else { cache::read(root, &meta.name) };
        Self { meta, guardrails: packs.guardrails(&meta.name), lessons, facts }
    }

    pub fn pack_text(&self) -> PackText<'_> {
        let lessons = self.lessons.iter().map(|one| Known { candidate: self.candidate(one), pending: one.pending }).collect();
        PackText { meta: self.meta, guardrails: &self.guardrails, lessons }
    }

    fn candidate<'t>(&'t self, one: &'t InForce) -> Candidate<'t> {
        let Some(facts) = self.facts.get(one.lesson.id.as_str()) else { return Candidate::new(&one.lesson) };
        Candidate {
            lesson: &one.lesson,
            unrecorded: Outcomes { good: facts.good, count: facts.injected },
            changed: facts.changed.and_then(Timestamp::from_unix),
            origin: facts.origin.as_deref(),
        }
    }
}

impl<'a> Relevant<'a> {
    /// `None` where no pack is selected for any of the files.
    pub fn find(root: &Root, packs: &'a Packs, scores: &Scores, files: &'a [RepoPath]) -> Option<Self> {
        let mut relevant = Self { files: Vec::new(), texts: Vec::new(), sensitive: Vec::new() };
        let mut known: HashMap<&PackName, usize> = HashMap::new();
        for file in files {
            let mut selected = Vec::new();
            for scored in scores.of(packs, file).iter().filter(|scored| scored.selected) {
                let meta = &packs.metas()[scored.index];
                let at = *known.entry(&meta.name).or_insert_with(|| {
                    relevant.texts.push(Text::read(root, packs, meta));
                    relevant.texts.len() - 1
                });
                selected.push(at);
                if scored.signals.iter().any(|fired| fired.signal == Signal::SensitivePath) {
                    relevant.sensitive.push(&meta.name);
                }
            }
            if !selected.is_empty() {
                relevant.files.push((file, selected));
            }
        }
        (!relevant.files.is_empty()).then_some(relevant)
    }

    pub fn touched(&self) -> Vec<Touched<'_>> {
        let packs = |selected: &[usize]| selected.iter().map(|&at| self.texts[at].pack_text()).collect();
        self.files.iter().map(|(file, selected)| Touched { file, packs: packs(selected) }).collect()
    }

    pub fn files(&self) -> impl Iterator<Item = &RepoPath> {
        self.files.iter().map(|(file, _)| *file)
    }
}

/// What scoring goes by besides the packs and the path.
#[derive(Debug)]
pub struct Scores {
    now: Timestamp,
    spoken: Vec<Spoken>,
    keywords: Keywords,
}

impl Scores {
    pub fn new(now: Timestamp, tail: &Tail, config: &Config) -> Self {
        Self { now, spoken: scene::spoken(tail), keywords: Keywords::new(&config.keywords) }
    }

    /// A prompt that is not written down yet.
    pub fn hear(&mut self, spoken: Spoken) {
        self.spoken.push(spoken);
    }

    /// Every pack, best first.
    pub fn of(&self, packs: &Packs, file: &RepoPath) -> Vec<Scored> {
        let metas: Vec<&PackMeta> = packs.metas().iter().collect();
        select(&metas, file, &Moment { now: self.now, spoken: &self.spoken }, &self.keywords)
    }
}
