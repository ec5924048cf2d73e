//! `UserPromptSubmit`: what the person said is judged and, where it teaches something, kept; the files that the prompt
//! names bring their rules. It is the one channel that reaches the agent before it edits.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::io;

use super::files::{self, Files};
use super::relevant::{Relevant, Scores, Text};
use super::reply::Reply;
use super::scene::{self, Scene};
use super::showing::Showing;
use crate::capture::category::{Placement, categorise};
use crate::capture::classify::{Judgement, Turn, classify};
use crate::capture::redact::redact;
use crate::capture::strip::strip;
use crate::inject::Occasion;
use crate::inject::rearm::rearm;
use crate::model::config::Config;
use crate::model::guidance::{Guidance, GuidanceType, guidance_id};
use crate::model::likeness::{Likeness, compare};
use crate::model::pack::PackName;
use crate::model::repo_path::RepoPath;
use crate::model::tool::is_action;
use crate::model::words::words;
use crate::score::signals::Spoken;
use crate::session::activity::{Activity, Event, Tail};
use crate::session::packs::{self, Packs};
use crate::session::run::Run;
use crate::session::{file, guidance, shown};

const EVENT: &str = "UserPromptSubmit";

/// Who the client says wrote it, where no person did. A name that we do not know may be a person's.
const AUTOMATIC: [&str; 4] = ["system", "loop_wakeup", "schedule_wakeup", "poll_event"];

/// Packs whose whole text is read to place a statement; of the others only what `pack.json` says.
const MAX_READ: usize = 20;

pub fn reply(scene: &Scene<'_>) -> io::Result<Reply> {
    let automatic = scene.input.source.get().is_some_and(|source| AUTOMATIC.contains(&source));
    let Some(prompt) = scene.input.prompt.get().filter(|_| !automatic && scene.agent.is_none()) else {
        return Ok(Reply::default());
    };
    let stripped = strip(&ends(prompt));
    if stripped.is_empty() {
        return Ok(Reply::default());
    }
    let lock = file::lock(&scene.run_dir.join("prompt.lock"), file::LOCK_WAIT)?;
    let run = Run::open(&scene.run_dir, &scene.session, scene.now)?;
    let tail = scene::tail(&scene.run_dir);
    let id = prompt_id(scene, prompt);
    if id.is_some() && tail.prompts().any(|known| known.id == id) {
        return Ok(Reply::default());
    }

    let packs = Packs::load(&scene.place.home);
    let (config, _) = packs::config(&scene.place.home);
    let mut scores = Scores::new(scene.now, &tail, &config);
    let hand = Hand::of(scene, &tail);
    let text = stripped.text();
    let turn = Turn {
        acted: tail.since_prompt().iter().any(|one| one.tool.as_deref().is_some_and(is_action)),
        injected_for_file: !hand.injected.is_empty(),
        said_before: said_before(scene, &text),
    };
    let judgement = classify(&stripped, &turn);
    let placement = place(&judgement, &hand, &packs, &scores, &config);
    let spoken = Spoken { kind: judgement.kind, category: placement.category.clone(), at: scene.now };
    if judgement.kind.is_stored() {
        guidance::append(&scene.run_dir, &kept(scene, &run, &judgement, &placement, &hand))?;
    }
    let mut activity = scene.activity(Event::Prompt);
    activity.id = id;
    activity.kind = Some(judgement.kind);
    activity.category = placement.category.clone();
    activity.lang = Some(if judgement.understood { judgement.lang } else { "und" }.to_owned());

    scores.hear(spoken);
    let mut reply = show(scene, prompt, &judgement, &placement, &packs, &config, &scores)?;
    reply.activity = Some(activity);
    reply.lock = Some(lock);
    Ok(reply)
}

/// What of a long prompt is read: a person types before what they paste, or behind it.
fn ends(prompt: &str) -> Cow<'_, str> {
    const END: usize = 64 * 1024;
    if prompt.len() <= 2 * END {
        return Cow::Borrowed(prompt);
    }
    let start = (0..=END).rev().find(|&at| prompt.is_char_boundary(at)).unwrap_or(0);
    let end = (prompt.len() - END..=prompt.len()).find(|&at| prompt.is_char_boundary(at)).unwrap_or(prompt.len());
    Cow::Owned(format!("{}\n{}", &prompt[..start], &prompt[end..]))
}

/// The same text under the same id is the same prompt: hooks may be installed twice. A digest, no text.
fn prompt_id(scene: &Scene<'_>, prompt: &str) -> Option<String> {
    let id = scene.input.prompt_id.get()?;
    let digest =
        prompt.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    Some(format!("{id}:{digest:016x}"))
}

/// What the agent was at when the person spoke.
struct Hand {
    file: Option<RepoPath>,
    tool: Option<String>,
    /// Lessons that had been put before it for that file.
    injected: Vec<String>,
}

impl Hand {
    fn of(scene: &Scene<'_>, tail: &Tail) -> Self {
        let tools: Vec<Activity> = tail.tools(None).collect();
        let file = tools.iter().rev().find_map(|tool| RepoPath::new(tool.file.as_deref()?));
        let shown = file.as_ref().and_then(|_| shown::read(&scene.run_dir).ok()).unwrap_or_default();
        let of_file = |entry: &&shown::Entry| {
            entry.agent.is_none() && file.as_ref().is_some_and(|file| entry.files.iter().any(|one| one == file.as_str()))
        };
        let injected: BTreeSet<String> = shown.iter().filter(of_file).flat_map(|entry| entry.lessons.iter().cloned()).collect();
        Self { file, tool: tools.last().and_then(|tool| tool.tool.clone()), injected: injected.into_iter().collect() }
    }
}

fn said_before(scene: &Scene<'_>, text: &str) -> bool {
    let before = guidance::recent(&scene.place.home, &scene.run_dir);
    before.iter().any(|one| matches!(compare(&one.content, text), Likeness::Same))
}

/// Which pack and category the statement speaks to.
fn place(judgement: &Judgement, hand: &Hand, packs: &Packs, scores: &Scores, config: &Config) -> Placement {
    let selected: Vec<PackName> = hand
        .file
        .as_ref()
        .map(|file| scores.of(packs, file).into_iter().filter(|scored| scored.selected).map(|scored| scored.pack).collect())
        .unwrap_or_default();
    let said = words(&judgement.content);
    let speaks = |categories: &[String]| categories.iter().any(|category| words(category).iter().any(|word| said.contains(word)));
    let mut order: Vec<_> = packs.metas().iter().collect();
    order.sort_by_key(|meta| (!selected.contains(&meta.name), !speaks(&meta.categories)));
    let read = order.iter().enumerate().map(|(at, meta)| packs.pack(meta, at < MAX_READ)).collect::<Vec<_>>();
    categorise(&judgement.content, hand.file.as_ref(), &read, &selected, &config.keywords)
}

fn kept(scene: &Scene<'_>, run: &Run, judgement: &Judgement, placement: &Placement, hand: &Hand) -> Guidance {
    let content = redact(&judgement.content).into_owned();
    let seed: [&[u8]; 3] =
        [scene.session.as_bytes(), scene.input.prompt_id.get().unwrap_or_default().as_bytes(), content.as_bytes()];
    Guidance {
        id: guidance_id(scene.now, &seed),
        timestamp: scene.now,
        run_id: run.run_id.clone(),
        session_id: scene.session.clone(),
        agent_id: None,
        kind: judgement.kind,
        content,
        category: placement.category.clone(),
        pack: placement.pack.as_ref().map(ToString::to_string),
        confidence: judgement.confidence,
        file: hand.file.as_ref().map(ToString::to_string),
        tool: hand.tool.clone(),
        injected: hand.injected.clone(),
        lang: judgement.lang.to_owned(),
        reason: Some(judgement.reason.clone()),
    }
}

/// What a correction brings back, and what the files that the prompt names call for.
fn show(
    scene: &Scene<'_>,
    prompt: &str,
    judgement: &Judgement,
    placement: &Placement,
    packs: &Packs,
    config: &Config,
    scores: &Scores,
) -> io::Result<Reply> {
    let home = &scene.place.home;
    let correction = placement.category.as_deref().filter(|_| judgement.kind == GuidanceType::Correction);
    let files = files::of_prompt(&scene.place, prompt);
    let other = files.as_ref().filter(|files| files.root != *home).map(|files| Packs::load(&files.root));
    let of_files = other.as_ref().unwrap_or(packs);
    let relevant = files.as_ref().and_then(|Files { root, paths }| Relevant::find(root, of_files, scores, paths));
    let root = files.as_ref().filter(|_| relevant.is_some()).map_or(home, |files| &files.root);
    if correction.is_none() && relevant.is_none() {
        return Ok(Reply::default());
    }
    let mut showing = Showing::open(scene, root)?;
    if let Some(category) = correction.filter(|_| root.same_repository(home)) {
        let speaks = packs.metas().iter().filter(|meta| meta.categories.iter().any(|own| own == category));
        let texts: Vec<Text<'_>> = speaks.map(|meta| Text::read(home, packs, meta)).collect();
        showing.arm(rearm(&judgement.content, category, &texts.iter().map(Text::pack_text).collect::<Vec<_>>()));
    }
    let id = scene.input.prompt_id.get();
    let answer = relevant.map(|relevant| showing.show(&relevant, Occasion::Before, config, EVENT, id)).unwrap_or_default();
    Ok(Reply { answer, ledger: showing.finish(), ..Reply::default() })
}
