//! `Stop`: closes the turn, and tells the person of a candidate, once. It never keeps the agent from stopping.

use std::io;

use super::reply::Reply;
use super::scene::{self, Scene};
use super::wire::Answer;
use super::{notices, session_end};
use crate::model::guidance::GuidanceType;
use crate::session::activity::{Activity, Event};
use crate::session::packs::{self, Packs};
use crate::session::run::Run;

pub fn reply(scene: &Scene<'_>) -> io::Result<Reply> {
    let counts = session_end::count(scene)?;
    Run::update(&scene.run_dir, &scene.session, scene.now, |run| run.counts = counts)?;
    // Only a turn that said something can have made a candidate.
    let spoken = scene::tail(&scene.run_dir)
        .prompts()
        .last()
        .is_some_and(|prompt: Activity| prompt.kind.is_some_and(GuidanceType::is_stored));
    let mut message = None;
    if spoken && scene.agent.is_none() {
        let home = &scene.place.home;
        message = notices::candidate(scene, &Packs::load(home), &packs::config(home).0);
    }
    let answer = Answer { message, ..Answer::default() };
    Ok(Reply { answer, activity: Some(scene.activity(Event::Stop)), ..Reply::default() })
}
