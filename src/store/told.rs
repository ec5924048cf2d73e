//! What the commits of a stretch say of lessons: who taught them, when, in which run, on what evidence. The whole history,
//! indexed, is `chronicle`'s.

use super::history::{Follow, History};
use super::id::Id;
use super::message::{Action, Trailers, why_now};
use super::object::Person;
use super::repo::Repo;
use crate::error::Result;
use crate::evolve::key::Key;
use crate::model::timestamp::Timestamp;

/// One commit about one lesson.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    pub key: Key,
    pub action: Action,
    pub commit: Id,
    pub author: Person,
    pub authored: Timestamp,
    pub run: Option<String>,
    /// How many statements led to it.
    pub guidance: usize,
    pub why_now: Option<String>,
}

impl Repo {
    /// What the commits say that `tip` has and `base` has not, newest first.
    pub fn told(&self, base: Option<Id>, tip: Id) -> Result<Vec<Told>> {
        let mut history = History::new(self)?;
        let within = base.map(|base| history.compare(tip, base)).transpose()?;
        let within = within.map(|apart| apart.left.into_iter().collect());
        let mut all = Vec::new();
        for touch in history.touching(&[tip], within.as_ref(), Follow::All)? {
            let commit = self.commit(touch.commit)?;
            for trailers in Trailers::parse_all(&commit.message) {
                let (Some(pack), Some(lesson), Some(action)) = (&trailers.pack, &trailers.lesson, trailers.action) else {
                    continue;
                };
                all.push(Told {
                    key: Key::new(pack, lesson),
                    action,
                    commit: commit.id,
                    author: commit.author.clone(),
                    authored: commit.authored,
                    run: trailers.run.clone(),
                    guidance: trailers.guidance.len(),
                    why_now: why_now(&commit.message),
                });
            }
        }
        Ok(all)
    }
}
