//! `PreToolUse`: what the team knows of the file that a tool is about to touch. The hot path: it reads what it needs and
//! nothing else.

use std::io;
use std::mem::ManuallyDrop;

use super::files::{self, Files};
use super::relevant::{Relevant, Scores};
use super::reply::Reply;
use super::scene::{self, Scene};
use super::showing::Showing;
use crate::inject::Occasion;
use crate::model::tool::is_edit;
use crate::session::activity::{Activity, Event};
use crate::session::packs::{self, Packs};

const EVENT: &str = "PreToolUse";

pub fn reply(scene: &Scene<'_>) -> io::Result<Reply> {
    let Some(tool) = scene.input.tool_name.get() else { return Ok(Reply::default()) };
    let files = files::of_tool(&scene.place, scene.input);
    let mut reply = Reply::default();
    if let Some(files) = &files {
        reply = show(scene, files, if is_edit(tool) { Occasion::Edit } else { Occasion::Before })?;
    }
    reply.activity = Some(activity(scene, tool, files.as_ref()));
    Ok(reply)
}

fn show(scene: &Scene<'_>, files: &Files, occasion: Occasion) -> io::Result<Reply> {
    // The process ends in a moment: taking hundreds of packs apart string by string would only make it later.
    let packs = ManuallyDrop::new(Packs::load(&files.root));
    if packs.metas().is_empty() {
        return Ok(Reply::default());
    }
    let (config, _) = packs::config(&files.root);
    let scores = Scores::new(scene.now, &scene::tail(&scene.run_dir), &config);
    let Some(relevant) = Relevant::find(&files.root, &packs, &scores, &files.paths) else { return Ok(Reply::default()) };
    let relevant = ManuallyDrop::new(relevant);
    let mut showing = Showing::open(scene, &files.root)?;
    let id = scene.input.tool_use_id.get();
    if showing.is_answered(EVENT, id) {
        return Ok(Reply::default());
    }
    let answer = showing.show(&relevant, occasion, &config, EVENT, id);
    Ok(Reply { answer, ledger: showing.finish(), ..Reply::default() })
}

fn activity(scene: &Scene<'_>, tool: &str, files: Option<&Files>) -> Activity {
    let mut activity = scene.activity(Event::Tool);
    activity.tool = Some(tool.to_owned());
    activity.id = scene.input.tool_use_id.get().map(str::to_owned);
    let here = files.filter(|files| files.root.same_repository(&scene.place.home));
    // A command of git's is no file.
    let file = here.and_then(|files| files.paths.iter().find(|path| !path.as_str().starts_with(".git/")));
    activity.file = file.map(|file| file.as_str().to_owned());
    activity
}
