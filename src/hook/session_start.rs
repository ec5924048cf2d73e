//! `SessionStart`: opens the run, brings what a hook reads up to date, and says once what there is. After a compaction
//! the agent gets back what it had for the files that it last worked on.

use std::io;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use super::relevant::{Relevant, Scores};
use super::reply::Reply;
use super::scene::{self, Scene};
use super::showing::Showing;
use super::wire::Answer;
use super::{Refresh, Refreshed, headline, notices};
use crate::inject::Occasion;
use crate::model::config::Config;
use crate::model::repo_path::RepoPath;
use crate::session::activity::{Event, Tail};
use crate::session::log;
use crate::session::packs::{self, Packs};
use crate::session::run::{self, Run, Started};

const EVENT: &str = "SessionStart";

/// How long bringing things up to date may take; what it has not finished then, the next command or session does.
const REFRESH: Duration = Duration::from_millis(1_200);

/// Files whose items come back after a compaction.
const LAST_FILES: usize = 5;

pub fn reply(scene: &Scene<'_>, refresh: Refresh) -> io::Result<Reply> {
    let home = &scene.place.home;
    let source = scene.input.source.get().unwrap_or("startup");
    let started = Run::start(&scene.run_dir, &scene.session, source, scene.input.model.get(), scene.now)?;
    if let Started::Again(_) = started {
        return Ok(Reply::default());
    }
    let (config, fault) = packs::config(home);
    let refreshed = refreshed(scene, &config, refresh);
    run::delete_old(home, scene.now);
    let packs = Packs::load(home);
    let faults = packs.broken.iter().map(|(folder, reason)| format!("marvel/packs/{folder} is passed over: {reason}"));
    faults.chain(fault).for_each(|fault| log::note(home, "packs", &fault));

    let tail = scene::tail(&scene.run_dir);
    let mut reply = Reply { activity: Some(scene.activity(Event::SessionStart)), ..Reply::default() };
    match source {
        // Its context is the one that it had.
        "resume" | "fork" => {}
        "compact" => reply = again(scene, &packs, &config, &tail, reply)?,
        _ => {
            if source == "clear" {
                let mut showing = Showing::open(scene, home)?;
                showing.forget();
                reply.ledger = showing.finish();
            }
            reply.answer.context = text(&packs, scene, &config, &refreshed.changed);
        }
    }
    if source != "compact" {
        reply.answer.message = notices::daily(scene, &packs, &config, refreshed.unpushed);
    }
    Ok(reply)
}

fn text(packs: &Packs, scene: &Scene<'_>, config: &Config, changed: &[RepoPath]) -> Option<String> {
    let text = headline::compose(packs, &Scores::new(scene.now, &Tail::default(), config), changed);
    (!text.is_empty()).then_some(text)
}

/// Nothing counts as shown, and the last files' items are.
fn again(scene: &Scene<'_>, packs: &Packs, config: &Config, tail: &Tail, mut reply: Reply) -> io::Result<Reply> {
    let mut files: Vec<RepoPath> = Vec::new();
    for file in tail.tools(None).collect::<Vec<_>>().iter().rev().filter_map(|tool| RepoPath::new(tool.file.as_deref()?)) {
        if files.len() < LAST_FILES && !files.contains(&file) {
            files.push(file);
        }
    }
    let relevant = Relevant::find(&scene.place.home, packs, &Scores::new(scene.now, tail, config), &files);
    let mut showing = Showing::open(scene, &scene.place.home)?;
    showing.forget();
    if let Some(relevant) = &relevant {
        reply.answer = Answer { message: None, ..showing.show(relevant, Occasion::Before, config, EVENT, None) };
    }
    reply.ledger = showing.finish();
    Ok(reply)
}

/// Runs beside the hook, so that a slow repository costs the answer nothing.
fn refreshed(scene: &Scene<'_>, config: &Config, refresh: Refresh) -> Refreshed {
    let (send, receive) = mpsc::channel();
    let (root, config) = (scene.place.home.clone(), config.clone());
    let started = thread::Builder::new().spawn(move || {
        let _ = send.send(refresh(&root, &config));
    });
    match started {
        Ok(_) => receive.recv_timeout(REFRESH.saturating_sub(scene.began.elapsed())).unwrap_or_default(),
        Err(_) => Refreshed::default(),
    }
}
