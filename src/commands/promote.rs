//! `marvel promote`: candidates become lessons, each one commit on the packs branch. What is proposed comes from
//! `capture`, how it is committed is `store`'s.

use super::reflect::Heard;
use super::{Context, sync};
use crate::capture::candidates::{Candidate, Known};
use crate::check;
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::model::lesson::{Lesson, LessonId};
use crate::model::pack::{PackName, is_slug};
use crate::model::plural::count;
use crate::score::glob::Pattern;
use crate::store::Repo;
use crate::store::branch::{self, Change};
use crate::store::message::Action;
use crate::store::proposal::Proposal;
use crate::store::publish::publish;
use crate::ui::commits::Commits;
use crate::ui::{Report, prompt};

/// Make lessons of candidates: each one commit on the packs branch
///
/// A person's raw words are never published by default: on a terminal the wording is asked for, elsewhere it comes from the flags, or `--as-is`
/// takes what `marvel reflect` proposes.
#[derive(clap::Args)]
pub struct Args {
    /// Candidates, as `marvel reflect` names them
    #[arg(required = true, value_name = "CANDIDATE")]
    candidates: Vec<String>,
    #[command(flatten)]
    wording: Wording,
    /// Take the wording that `marvel reflect` proposes, as it is
    #[arg(long)]
    as_is: bool,
    #[command(flatten)]
    how: How,
}

/// The fields of a lesson, as flags.
#[derive(clap::Args, Clone, Default)]
pub(super) struct Wording {
    /// The pack that it belongs to
    #[arg(long, value_name = "PACK")]
    pub(super) pack: Option<String>,
    /// Short, imperative
    #[arg(long)]
    pub(super) title: Option<String>,
    /// What it teaches, and why
    #[arg(long)]
    pub(super) description: Option<String>,
    /// The concrete instruction
    #[arg(long)]
    pub(super) actionable: Option<String>,
    /// One of the pack's categories
    #[arg(long)]
    pub(super) category: Option<String>,
    /// Globs: where it applies (may be given several times)
    #[arg(long, value_name = "GLOB")]
    pub(super) paths: Vec<String>,
}

#[derive(clap::Args, Clone, Copy)]
pub(super) struct How {
    /// Commit even though a lesson or guardrail says the same, or the opposite
    #[arg(long)]
    pub(super) force: bool,
    /// Show the commits with their diff, and write nothing
    #[arg(long)]
    pub(super) dry_run: bool,
    /// Then push the packs branch, and name the page on which its pull request is opened
    #[arg(long, conflicts_with = "dry_run")]
    pub(super) push: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let heard = Heard::read(cx)?;
    let worded = args.wording.title.is_some() || args.wording.description.is_some() || args.wording.actionable.is_some();
    if worded && args.candidates.len() > 1 {
        return Err(Error::usage("the wording flags say how to word one candidate, and several were named"));
    }
    let mut proposals = Vec::new();
    for id in &args.candidates {
        let candidate = heard.find(id)?;
        let asks = cx.ui.is_interactive() && !args.as_is && args.wording.actionable.is_none();
        let fields =
            if asks { ask(candidate, &heard, &args.wording, cx)? } else { fields(candidate, &heard, &args.wording, args.as_is)? };
        proposals.push(propose(cx, &heard, candidate, fields, args.how)?);
    }
    commit(cx, &heard, &proposals, args.how)
}

/// A lesson's fields, complete.
pub(super) struct Fields {
    pub(super) pack: PackName,
    pub(super) title: String,
    pub(super) description: String,
    pub(super) actionable: String,
    pub(super) category: String,
    pub(super) paths: Vec<String>,
}

/// The fields from flags, and where `as_is` allows it from what was proposed.
fn fields(candidate: &Candidate, heard: &Heard, wording: &Wording, as_is: bool) -> Result<Fields> {
    let take = |flag: &Option<String>, name: &str, proposed: &str| match flag {
        Some(text) => Ok(text.clone()),
        None if as_is => Ok(proposed.to_owned()),
        None => Err(Error::user(format!("candidate {} has no wording: --{name} is missing", candidate.id))
            .hint("give --title, --description and --actionable: what a person typed to an agent is not published word for word")
            .hint(format!("or type `marvel promote {} --as-is` to take the proposal that `marvel reflect` shows", candidate.id))),
    };
    let title = take(&wording.title, "title", &candidate.wording.title)?;
    let description = take(&wording.description, "description", &candidate.wording.description)?;
    let actionable = take(&wording.actionable, "actionable", &candidate.wording.actionable)?;
    let pack = wording.pack.as_deref().or(candidate.pack.as_deref());
    let category = match (&wording.category, pack) {
        (None, Some(pack)) => Some(heard.category_in(pack, candidate.category.as_deref())),
        (category, _) => category.clone(),
    };
    complete(pack, category.as_deref(), &title, &description, &actionable, &wording.paths)
        .map_err(|error| error.hint("`marvel pack list` shows the packs"))
}

/// Checks and completes fields, wherever they come from.
pub(super) fn complete(
    pack: Option<&str>,
    category: Option<&str>,
    title: &str,
    description: &str,
    actionable: &str,
    paths: &[String],
) -> Result<Fields> {
    let pack = pack.ok_or_else(|| Error::user("no pack fits by its words: name one with --pack"))?;
    let pack = PackName::new(pack).ok_or_else(|| Error::usage(format!("`{pack}` is no name of a pack")))?;
    let category = category.unwrap_or(pack.as_str()).to_owned();
    if !is_slug(&category) {
        return Err(Error::usage(format!("`{category}` is no category: lower-case letters, digits and `-`")));
    }
    for (name, text) in [("title", title), ("description", description), ("actionable", actionable)] {
        if text.trim().is_empty() {
            return Err(Error::usage(format!("the {name} is empty")));
        }
        if let Some(wrong) = check::text(name, text).into_iter().next() {
            let error = Error::user(format!("this cannot become a lesson: {}", wrong.message));
            return Err(wrong.hint.into_iter().fold(error, Error::hint));
        }
    }
    for path in paths {
        if let Err(error) = Pattern::new(path) {
            return Err(Error::usage(format!("`{path}` is no glob")).caused_by(error.to_string()));
        }
    }
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    Ok(Fields {
        pack,
        title: one_line(title),
        description: description.trim().to_owned(),
        actionable: actionable.trim().to_owned(),
        category,
        paths: paths.to_vec(),
    })
}

/// Asks for each field that no flag gives, the proposal to accept or to change. What cannot become a lesson is asked
/// again, with what was typed.
pub(super) fn ask(candidate: &Candidate, heard: &Heard, wording: &Wording, cx: &Context) -> Result<Fields> {
    let given = |flag: &Option<String>, question: &str, proposed: &str| match flag {
        Some(text) => Ok(text.clone()),
        None => prompt::line(question, proposed),
    };
    let pack = match &wording.pack {
        Some(pack) => pack.clone(),
        None => choose_pack(heard, candidate.pack.as_deref())?,
    };
    let mut category = heard.category_in(&pack, candidate.category.as_deref());
    let proposed = &candidate.wording;
    let mut texts = [proposed.title.clone(), proposed.description.clone(), proposed.actionable.clone()];
    let mut flags = [&wording.title, &wording.description, &wording.actionable];
    let mut flagged_category = &wording.category;
    // what only a flag says cannot be asked for
    let can_ask_again = wording.paths.is_empty() && PackName::new(&pack).is_some();
    loop {
        category = given(flagged_category, "Category", &category)?;
        for ((text, flag), question) in texts.iter_mut().zip(flags).zip(["Title", "Why", "Do"]) {
            *text = given(flag, question, text)?;
        }
        let [title, description, actionable] = &texts;
        match complete(Some(&pack), Some(&category), title, description, actionable, &wording.paths) {
            Err(error) if can_ask_again => cx.ui.error(&error),
            done => return done,
        }
        (flags, flagged_category) = ([&None; 3], &None);
    }
}

pub(super) fn choose_pack(heard: &Heard, proposed: Option<&str>) -> Result<String> {
    let mut names: Vec<String> = heard.packs.iter().map(|pack| pack.name().to_string()).collect();
    names.sort_by_key(|name| (Some(name.as_str()) != proposed, name.clone()));
    if names.is_empty() {
        return Err(
            Error::user("there is no pack yet").hint("`marvel init` adds the starter packs, `marvel pack new NAME` makes one")
        );
    }
    match prompt::choose("Pack", &names)? {
        Some(at) => Ok(names.swap_remove(at)),
        None => Err(Error::user("no pack was chosen; nothing was committed")),
    }
}

/// The proposal for a candidate, unless the packs say so already.
pub(super) fn propose(cx: &Context, heard: &Heard, candidate: &Candidate, fields: Fields, how: How) -> Result<Proposal> {
    let known = heard.known(&format!("{} {}", fields.title, fields.actionable)).or_else(|| heard.known(&fields.actionable));
    refuse_known(known.as_ref().or(candidate.duplicate_of.as_ref()), how)?;
    let file = candidate.file.as_deref().map(|file| format!(", last on {file}")).unwrap_or_default();
    let said = count(candidate.count, candidate.kind.as_str());
    let why_now = format!("{said} in {}{file}", count(candidate.runs.len(), "run"));
    Ok(Proposal {
        action: Action::Promote,
        pack: fields.pack.clone(),
        lesson: lesson(cx, fields, candidate.runs.last().cloned()),
        why_now: Some(why_now),
        guidance: candidate.guidance.clone(),
    })
}

/// A lesson learned now.
pub(super) fn lesson(cx: &Context, fields: Fields, run_id: Option<String>) -> Lesson {
    let timestamp = cx.now.to_string();
    Lesson {
        id: LessonId::derive(&timestamp, &fields.category, &fields.title),
        pinned: true,
        timestamp,
        category: fields.category,
        title: fields.title,
        description: fields.description,
        actionable: fields.actionable,
        run_id,
        utility_score: None,
        injection_count: None,
        paths: fields.paths,
    }
}

/// Stops where the packs say the same already.
pub(super) fn refuse_known(known: Option<&Known>, how: How) -> Result<()> {
    match known {
        Some(known) if !how.force => {
            let what = known.id.as_ref().map_or_else(|| "a guardrail".to_owned(), |id| format!("lesson {id}"));
            Err(Error::user(format!("{what} of pack {} says so already: {}", known.pack, known.text))
                .hint("`marvel lessons` shows it; --force adds this one beside it"))
        }
        _ => Ok(()),
    }
}

/// Commits the proposals, or shows what would be committed.
pub(super) fn commit(cx: &Context, heard: &Heard, proposals: &[Proposal], how: How) -> Result<Box<dyn Report>> {
    let changes: Vec<_> = proposals.iter().map(Proposal::change).collect();
    let (repo, config) = (&heard.repo, &heard.config);
    if !how.push {
        return finish(cx, repo, config, &changes, how.dry_run);
    }
    sync::remote_to_push_to(repo, config)?;
    let mut done = published(cx, repo, config, &changes)?;
    match sync::push(repo, config) {
        Ok(said) => done.notes.extend(said),
        // what was committed is told whatever becomes of the push
        Err(error) => {
            cx.ui.print(&done)?;
            return Err(error);
        }
    }
    Ok(Box::new(done))
}

/// Commits changes of packs, or shows what would be committed.
pub(super) fn finish(
    cx: &Context,
    repo: &Repo,
    config: &Config,
    changes: &[Change<'_>],
    dry_run: bool,
) -> Result<Box<dyn Report>> {
    Ok(Box::new(finished(cx, repo, config, changes, dry_run)?))
}

/// The same, for who has more to say.
pub(super) fn finished(cx: &Context, repo: &Repo, config: &Config, changes: &[Change<'_>], dry_run: bool) -> Result<Commits> {
    if dry_run {
        let outcome = branch::dry_run(repo, config, changes)?;
        return Ok(Commits { outcome, dry_run: true, notes: Vec::new() });
    }
    published(cx, repo, config, changes)
}

fn published(cx: &Context, repo: &Repo, config: &Config, changes: &[Change<'_>]) -> Result<Commits> {
    let outcome = publish(repo, config, cx.now, changes)?;
    let mut notes = Vec::new();
    if !outcome.commits.is_empty() {
        notes.push(format!("In force here at once; for everybody when the pull request from `{}` is merged.", outcome.branch));
    }
    Ok(Commits { outcome, dry_run: false, notes })
}
