//! Door 1: what the client calls at every event. Whatever happens, it ends in time, without a word on standard error, with
//! nothing or one JSON object on standard output. One file an event; what they share is the scene and the reply.

mod command_words;
mod files;
mod headline;
mod notices;
mod place;
mod pre_tool_use;
pub mod relevant;
mod reply;
mod scene;
mod session_end;
mod session_start;
mod showing;
mod stop;
mod subagent_start;
mod user_prompt_submit;
mod wire;

use std::ffi::OsString;
use std::io::{Read, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process;
use std::sync::mpsc;
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crate::model::config::Config;
use crate::model::repo_path::RepoPath;
use crate::model::timestamp::Timestamp;
use crate::session::log;
use crate::session::root::Root;
use scene::Scene;
use wire::Input;

/// After this the process ends, whatever it is at: the client waits for every hook.
const DEADLINE: Duration = Duration::from_millis(1_800);

/// What `SessionStart` brings up to date, given by the door since git is below this layer: the overlay and the caches.
/// Whatever it starts must not hold our standard output or error. It runs beside the hook and may be cut off at any time.
pub type Refresh = fn(&Root, &Config) -> Refreshed;

/// What refreshing found out on the way.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Refreshed {
    /// Files of the working tree that differ from HEAD.
    pub changed: Vec<RepoPath>,
    pub unpushed: Option<Unpushed>,
}

/// Lessons that this clone committed and never pushed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unpushed {
    pub lessons: usize,
    pub oldest: Timestamp,
}

/// The events that mean something to us, and what the client calls them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Event {
    SessionStart,
    UserPromptSubmit,
    PreToolUse,
    SubagentStart,
    Stop,
    SessionEnd,
}

impl Event {
    const ALL: [Self; 6] =
        [Self::SessionStart, Self::UserPromptSubmit, Self::PreToolUse, Self::SubagentStart, Self::Stop, Self::SessionEnd];

    fn name(self) -> &'static str {
        match self {
            Self::SessionStart => "SessionStart",
            Self::UserPromptSubmit => "UserPromptSubmit",
            Self::PreToolUse => "PreToolUse",
            Self::SubagentStart => "SubagentStart",
            Self::Stop => "Stop",
            Self::SessionEnd => "SessionEnd",
        }
    }

    /// `PreToolUse`, `pre-tool-use`: case and dashes aside.
    fn parse(text: &str) -> Option<Self> {
        let plain = |text: &str| text.replace('-', "").to_ascii_lowercase();
        let text = plain(text);
        Self::ALL.into_iter().find(|event| plain(event.name()) == text)
    }
}

/// Answers one event: `args` are those behind `hook`, of which the first names the event where the input does not. Never
/// fails, and never takes longer than [`DEADLINE`].
pub fn run(args: &[OsString], input: impl Read, output: impl Write, refresh: Refresh) {
    if std::env::var_os("MARVEL").is_some_and(|value| value == "0") {
        return;
    }
    watch();
    panic::set_hook(Box::new(|panic| {
        // Where, not what: a message may hold what the person wrote.
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        note(&format!("a bug of ours: it panicked at {place}"));
    }));
    let named = args.first().and_then(|arg| arg.to_str()).and_then(Event::parse);
    let _ = panic::catch_unwind(AssertUnwindSafe(|| answer(named, input, output, refresh)));
}

fn answer(named: Option<Event>, input: impl Read, output: impl Write, refresh: Refresh) {
    let began = Instant::now();
    let Ok(text) = wire::read_line(input) else { return };
    let mended;
    let input = match Input::parse(&text) {
        Ok(input) => input,
        Err(_) => {
            mended = wire::mend(&text).unwrap_or_default();
            let Ok(input) = Input::parse(&mended) else { return };
            input
        }
    };
    let event = match input.hook_event_name.get() {
        Some(name) => Event::parse(name),
        None => named,
    };
    let Some((event, scene)) = event.and_then(|event| Some((event, Scene::of(&input, began)?))) else { return };
    *HOME.lock().unwrap_or_else(PoisonError::into_inner) = Some(scene.place.home.clone());
    let reply = match event {
        Event::PreToolUse => pre_tool_use::reply(&scene),
        Event::SessionEnd => session_end::reply(&scene),
        Event::SessionStart => session_start::reply(&scene, refresh),
        Event::UserPromptSubmit => user_prompt_submit::reply(&scene),
        Event::SubagentStart => subagent_start::reply(&scene),
        Event::Stop => stop::reply(&scene),
    };
    if let Err(error) = reply.and_then(|reply| reply.give(&scene, event.name(), output)) {
        note(&format!("{}: {error}", event.name()));
    }
}

/// Whose log it is, as soon as it is known.
static HOME: Mutex<Option<Root>> = Mutex::new(None);

fn note(message: &str) {
    let home = HOME.lock().unwrap_or_else(PoisonError::into_inner).clone();
    if let Some(root) = home {
        log::note(&root, "hook", message);
    }
}

/// Ends the process at the deadline: input that never comes, a disk that does not answer.
fn watch() {
    let watchdog = thread::Builder::new().stack_size(64 * 1024);
    let _ = watchdog.spawn(|| {
        thread::sleep(DEADLINE);
        let (done, wait) = mpsc::channel();
        // The disk that the log is on may be the one that hangs.
        let _ = thread::Builder::new().spawn(move || {
            note("the deadline passed");
            let _ = done.send(());
        });
        let _ = wait.recv_timeout(Duration::from_millis(100));
        process::exit(0);
    });
}

#[cfg(test)]
mod tests {
    use super::Event;

    #[test]
    fn events_are_known_by_either_name() {
        for event in Event::ALL {
            assert_eq!(Event::parse(event.name()), Some(event));
        }
        assert_eq!(Event::parse("pre-tool-use"), Some(Event::PreToolUse));
        assert_eq!(Event::parse("session-start"), Some(Event::SessionStart));
        assert_eq!(Event::parse("worktree-create"), None);
    }
}
