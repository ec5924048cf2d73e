//! The scene of an event: where, whose run, which agent, when. Every event starts from it; what is done in it is theirs.

use std::path::{Path, PathBuf};
use std::time::Instant;

use super::place::Place;
use super::wire::Input;
use crate::model::timestamp::Timestamp;
use crate::score::signals::Spoken;
use crate::session::activity::{Activity, Event, Tail};
use crate::session::root::Root;
use crate::session::{clock, run};

#[derive(Debug)]
pub struct Scene<'a> {
    pub input: &'a Input<'a>,
    pub place: Place,
    pub session: String,
    /// The run's folder at home: what was said and done.
    pub run_dir: PathBuf,
    /// The sub-agent; none for the main one.
    pub agent: Option<&'a str>,
    pub now: Timestamp,
    pub began: Instant,
}

impl<'a> Scene<'a> {
    /// `None` where there is nothing to do: no repository of ours, or no session to keep it under.
    pub fn of(input: &'a Input<'a>, began: Instant) -> Option<Self> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let project_dir = variable("CLAUDE_PROJECT_DIR").map(PathBuf::from);
        let place = Place::of(input, project_dir.as_deref())?;
        let session = match input.session_id.get() {
            Some(id) => id.to_owned(),
            None => variable("CLAUDE_CODE_SESSION_ID")?.into_string().ok()?,
        };
        let run_dir = run::dir(&place.home, &session);
        Some(Self { input, place, session, run_dir, agent: input.agent_id.get(), now: clock::now(), began })
    }

    /// The run's folder in the repository that a file belongs to: what was shown of its packs.
    pub fn run_dir_in(&self, root: &Root) -> PathBuf {
        if self.place.home.same_repository(root) { self.run_dir.clone() } else { run::dir(root, &self.session) }
    }

    pub fn activity(&self, event: Event) -> Activity {
        Activity::new(self.now, event, self.agent)
    }
}

/// The prompts of a run, as scoring takes them.
pub fn spoken(tail: &Tail) -> Vec<Spoken> {
    let prompts = tail.prompts().filter_map(|prompt| Some((prompt.kind?, prompt.category, prompt.at)));
    prompts.map(|(kind, category, at)| Spoken { kind, category, at }).collect()
}

/// What happened in a run; nothing where that does not read.
pub fn tail(run_dir: &Path) -> Tail {
    Tail::read(run_dir).unwrap_or_default()
}
