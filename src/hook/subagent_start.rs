//! `SubagentStart`: a sub-agent starts with nothing before it. Those that only look around are left alone.

use std::io;

use super::headline;
use super::relevant::Scores;
use super::reply::Reply;
use super::scene::Scene;
use super::wire::Answer;
use crate::session::activity::{Event, Tail};
use crate::session::packs::{self, Packs};

/// The client's own agents that read and change nothing.
const EXPLORERS: [&str; 4] = ["explore", "plan", "claude-code-guide", "statusline-setup"];

pub fn reply(scene: &Scene<'_>) -> io::Result<Reply> {
    let kind = scene.input.agent_type.get().unwrap_or_default().to_ascii_lowercase();
    let activity = Some(scene.activity(Event::SubagentStart));
    if EXPLORERS.contains(&kind.as_str()) {
        return Ok(Reply { activity, ..Reply::default() });
    }
    let packs = Packs::load(&scene.place.home);
    let (config, _) = packs::config(&scene.place.home);
    let text = headline::compose(&packs, &Scores::new(scene.now, &Tail::default(), &config), &[]);
    let context = (!text.is_empty()).then_some(text);
    Ok(Reply { answer: Answer { context, ..Answer::default() }, activity, ..Reply::default() })
}
