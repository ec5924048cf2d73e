//! `SessionEnd`: closes the run. The client may never call it, or end it early: nothing depends on it.

use std::io;

use super::reply::Reply;
use super::scene::Scene;
use crate::model::guidance::GuidanceType;
use crate::session::activity::{self, Event};
use crate::session::guidance;
use crate::session::run::{Counts, Run};
use crate::session::shown::{self, What};

pub fn reply(scene: &Scene<'_>) -> io::Result<Reply> {
    let counts = count(scene)?;
    Run::update(&scene.run_dir, &scene.session, scene.now, |run| {
        run.ended = Some(scene.now);
        run.counts = counts;
    })?;
    Ok(Reply { activity: Some(scene.activity(Event::SessionEnd)), ..Reply::default() })
}

/// What the run's files hold by now.
pub fn count(scene: &Scene<'_>) -> io::Result<Counts> {
    let activity = activity::read(&scene.run_dir)?;
    let guidance = guidance::read(&scene.run_dir)?;
    let injections = shown::read(&scene.run_dir)?;
    let of = |kind: GuidanceType| guidance.iter().filter(|one| one.kind == kind).count();
    let shown = || injections.iter().filter(|entry| entry.what == What::Shown && !entry.items.is_empty());
    Ok(Counts {
        prompts: activity.iter().filter(|one| one.event == Event::Prompt).count(),
        tools: activity.iter().filter(|one| one.event == Event::Tool).count(),
        corrections: of(GuidanceType::Correction),
        directions: of(GuidanceType::Direction),
        injections: shown().count(),
        lessons: shown().map(|entry| entry.lessons.len()).sum(),
    })
}
