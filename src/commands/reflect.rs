//! `marvel reflect`: what was heard in the sessions and could become a lesson, best first; on a terminal one by one. What
//! was said is `session`'s, how it is grouped and worded is `capture`'s.

mod from_history;
mod transcripts;

use std::fmt::{self, Write as _};
use std::path::PathBuf;

use serde_json::{Value, json};

use super::Context;
use super::promote::{self, How, Wording};
use crate::capture::candidates::{self, Candidate, Known};
use crate::error::{Context as _, Error, Result};
use crate::model::config::Config;
use crate::model::guidance::Guidance;
use crate::model::pack::Pack;
use crate::model::visible::escape;
use crate::session::dismissed::{self, Dismissed};
use crate::session::guidance;
use crate::session::root::Root;
use crate::store::Repo;
use crate::store::done::Done;
use crate::ui::{Report, Ui, prompt, style};

/// Show what was heard and could become a lesson, the most repeated first; on a terminal one by one
#[derive(clap::Args)]
pub struct Args {
    /// List the candidates, also on a terminal
    #[arg(long)]
    list: bool,
    /// Turn candidates down, so that they do not come back
    #[arg(long, value_name = "CANDIDATE", num_args = 1..)]
    dismiss: Vec<String>,
    /// Show each statement of a candidate, and why it was heard as one
    #[arg(long)]
    explain: bool,
    /// First look through the transcripts that the client keeps of this project's sessions, or those in a folder
    #[arg(long, value_name = "DIR", num_args = 0..=1, conflicts_with = "from_history")]
    transcripts: Option<Option<PathBuf>>,
    /// Show instead what people changed again and again of what an agent had committed
    #[arg(long, conflicts_with_all = ["list", "dismiss", "explain"])]
    from_history: bool,
    /// Look at the commits that HEAD has and this revision has not (else: those of a year)
    #[arg(long, value_name = "REV", requires = "from_history")]
    since: Option<String>,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    if args.from_history {
        return from_history::run(args.since.as_deref(), cx);
    }
    let mut heard = Heard::read(cx)?;
    if let Some(folder) = &args.transcripts {
        transcripts::read(folder.as_deref(), cx, &heard)?;
        heard = Heard::read(cx)?;
    }
    if !args.dismiss.is_empty() {
        let chosen = args.dismiss.iter().map(|id| heard.find(id)).collect::<Result<Vec<_>>>()?;
        for candidate in &chosen {
            heard.dismiss(candidate, cx)?;
        }
        let ids = chosen.iter().map(|candidate| candidate.id.clone()).collect();
        return Ok(Box::new(Turned { ids }));
    }
    if cx.ui.is_interactive() && !args.list && !args.explain && !heard.candidates.is_empty() {
        return one_by_one(cx, &heard);
    }
    let Heard { candidates, said, .. } = heard;
    let explain = args.explain.then_some(said);
    Ok(Box::new(Listed { candidates, explain }))
}

/// What was said and is neither done nor dismissed, with the packs that it may belong to.
pub(super) struct Heard {
    pub(super) repo: Repo,
    pub(super) config: Config,
    root: Root,
    pub(super) packs: Vec<Pack>,
    said: Vec<Guidance>,
    pub(super) candidates: Vec<Candidate>,
}

impl Heard {
    pub(super) fn read(cx: &Context) -> Result<Self> {
        let repo = cx.repo()?;
        let config = cx.config(&repo)?;
        let root = repo.root();
        let packs = cx.packs_in_force(&repo, &config)?;
        let said = open_guidance(&Done::read(&root, &cx.chronicle(&repo, &config)?)?, &root)?;
        let candidates = candidates::group(&said, &packs, cx.now, config.capture.expire_days);
        Ok(Self { repo, config, root, packs, said, candidates })
    }

    /// The candidate that a person means: its id, or the beginning of it.
    pub(super) fn find(&self, id: &str) -> Result<&Candidate> {
        let found: Vec<_> = self.candidates.iter().filter(|candidate| id.len() >= 4 && candidate.id.starts_with(id)).collect();
        match found[..] {
            [candidate] => Ok(candidate),
            [] => Err(Error::user(format!("there is no candidate `{id}`")).hint("`marvel reflect` lists them")),
            _ => Err(Error::user(format!("`{id}` may mean {} candidates: type more of it", found.len()))),
        }
    }

    /// The lesson or guardrail in force that says the same.
    pub(super) fn known(&self, text: &str) -> Option<Known> {
        candidates::said_already(text, &self.packs).duplicate_of
    }

    /// The category that a lesson gets in a pack: the one proposed, if the pack has it, else the pack's first.
    pub(super) fn category_in(&self, pack: &str, proposed: Option<&str>) -> String {
        let own = self
            .packs
            .iter()
            .find(|one| one.name().as_str() == pack)
            .map(|one| one.meta.categories.as_slice())
            .unwrap_or_default();
        let fits = proposed.filter(|proposed| own.is_empty() || own.iter().any(|one| one == proposed));
        fits.or(own.first().map(String::as_str)).unwrap_or(pack).to_owned()
    }

    fn dismiss(&self, candidate: &Candidate, cx: &Context) -> Result<()> {
        let record = Dismissed {
            timestamp: cx.now,
            candidate: candidate.id.clone(),
            guidance: candidate.guidance.clone(),
            text: candidate.text.clone(),
        };
        dismissed::append(&self.root, &record).context("the candidate cannot be turned down")
    }
}

/// Guidance that is neither in a lesson nor turned down.
fn open_guidance(done: &Done, root: &Root) -> Result<Vec<Guidance>> {
    let mut done = done.guidance.clone();
    let dismissed = dismissed::read(root).context("dismissed.jsonl cannot be read")?;
    done.extend(dismissed.iter().flat_map(|dismissed| dismissed.guidance.iter().cloned()));
    let turned_down =
        |guidance: &Guidance| dismissed.iter().any(|dismissed| candidates::is_same(&dismissed.text, &guidance.content));
    let mut said = guidance::read_all(root);
    said.retain(|guidance| guidance.kind.is_stored() && !done.contains(&guidance.id) && !turned_down(guidance));
    Ok(said)
}

fn one_by_one(cx: &Context, heard: &Heard) -> Result<Box<dyn Report>> {
    let (mut promoted, mut dismissed) = (0, 0);
    let total = heard.candidates.len();
    for (i, candidate) in heard.candidates.iter().enumerate() {
        let mut text = format!("\n{}/{total}  ", i + 1);
        entry(&mut text, candidate).map_err(|error| Error::bug("formatting failed").caused_by(error))?;
        cx.ui.write(&text)?;
        let choices = ["Promote: word it, then commit", "Skip: ask again another time", "Dismiss: it is no lesson", "Quit"];
        match prompt::choose("What is it?", &choices.map(str::to_owned))? {
            Some(0) => promoted += usize::from(promote_one(cx, heard, candidate)?),
            Some(1) => {}
            Some(2) => {
                heard.dismiss(candidate, cx)?;
                dismissed += 1;
            }
            _ => break,
        }
    }
    Ok(Box::new(Walked { promoted, dismissed }))
}

/// Words, shows and commits one candidate; `false` where the person thought better of it.
fn promote_one(cx: &Context, heard: &Heard, candidate: &Candidate) -> Result<bool> {
    let fields = promote::ask(candidate, heard, &Wording::default(), cx)?;
    let how = How { force: false, dry_run: false, push: false };
    let proposal = match promote::propose(cx, heard, candidate, fields, how) {
        Ok(proposal) => proposal,
        Err(error) => {
            // a duplicate is worth a look, and no reason to stop
            cx.ui.error(&error);
            return Ok(false);
        }
    };
    let preview = promote::commit(cx, heard, std::slice::from_ref(&proposal), How { dry_run: true, ..how })?;
    show(&cx.ui, &*preview)?;
    if !prompt::confirm("Commit it?")? {
        return Ok(false);
    }
    show(&cx.ui, &*promote::commit(cx, heard, &[proposal], how)?)?;
    Ok(true)
}

fn show(ui: &Ui, report: &dyn Report) -> Result<()> {
    ui.print(report).map(drop)
}

struct Listed {
    candidates: Vec<Candidate>,
    /// The statements, where they are asked for.
    explain: Option<Vec<Guidance>>,
}

impl Report for Listed {
    fn json(&self) -> Value {
        let candidates = self.candidates.iter().map(|candidate| {
            let mut value = json!({
                "id": candidate.id,
                "type": candidate.kind,
                "category": candidate.category,
                "pack": candidate.pack,
                "count": candidate.count,
                "runs": candidate.runs,
                "first_seen": candidate.first_seen,
                "last_seen": candidate.last_seen,
                "file": candidate.file,
                "text": candidate.text,
                "title": candidate.wording.title,
                "description": candidate.wording.description,
                "actionable": candidate.wording.actionable,
                "guidance": candidate.guidance,
                "standing": candidate.standing,
                "duplicate_of": candidate.duplicate_of.as_ref().map(known_json),
                "contradicts": candidate.contradicts.as_ref().map(known_json),
            });
            if let Some(said) = &self.explain {
                value["statements"] = statements(candidate, said)
                    .map(|said| {
                        json!({ "id": said.id, "timestamp": said.timestamp, "type": said.kind, "lang": said.lang,
                        "confidence": said.confidence, "reason": said.reason, "content": said.content })
                    })
                    .collect();
            }
            value
        });
        json!({ "candidates": candidates.collect::<Vec<_>>() })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        for (i, candidate) in self.candidates.iter().enumerate() {
            if i > 0 {
                writeln!(out)?;
            }
            entry(out, candidate)?;
            for said in self.explain.iter().flat_map(|said| statements(candidate, said)) {
                let faint = style::FAINT;
                let reason = said.reason.as_deref().unwrap_or("no row is on record");
                writeln!(
                    out,
                    "    {faint}{} {} {:.2} ({}): {}{faint:#}",
                    said.timestamp.format("%F %R"),
                    said.kind,
                    said.confidence,
                    escape(&said.lang),
                    escape(reason)
                )?;
            }
        }
        match self.candidates.len() {
            0 => writeln!(out, "Nothing waits: no correction or direction was heard that is not done or turned down."),
            _ => writeln!(out, "\nmarvel promote ID   makes a lesson of one\nmarvel reflect --dismiss ID   turns one down"),
        }
    }
}

fn statements<'a>(candidate: &'a Candidate, said: &'a [Guidance]) -> impl Iterator<Item = &'a Guidance> {
    said.iter().filter(|said| candidate.guidance.contains(&said.id))
}

fn known_json(known: &Known) -> Value {
    json!({ "pack": known.pack, "id": known.id, "text": known.text })
}

/// One candidate, for a person.
fn entry(out: &mut String, candidate: &Candidate) -> fmt::Result {
    let (id, name, bold, warning) = (style::ID, style::NAME, style::TITLE, style::WARNING);
    let times = match (candidate.count, candidate.runs.len()) {
        (1, _) => "once".to_owned(),
        (count, 1) => format!("{count} times"),
        (count, runs) => format!("{count} times in {runs} runs"),
    };
    let pack = candidate.pack.as_deref().unwrap_or("no pack");
    let file = candidate.file.as_deref().map(|file| format!(", on {}", escape(file))).unwrap_or_default();
    let (kind, last) = (candidate.kind, candidate.last_seen.format("%F"));
    writeln!(out, "{id}{}{id:#}  {name}{}{name:#}  {kind}, {times}, last {last}{file}", candidate.id, escape(pack))?;
    for line in candidate.text.lines().filter(|line| !line.trim().is_empty()).take(6) {
        writeln!(out, "    \u{201c}{}\u{201d}", escape(line.trim()))?;
    }
    writeln!(out, "    {bold}{}{bold:#}", escape(&candidate.wording.title))?;
    writeln!(out, "    {}", escape(&candidate.wording.actionable))?;
    for (what, known) in [("says so already", &candidate.duplicate_of), ("says the opposite", &candidate.contradicts)] {
        if let Some(known) = known {
            let who = known.id.as_deref().map_or_else(|| "a guardrail".to_owned(), |id| format!("lesson {id}"));
            writeln!(out, "    {warning}{who} of {} {what}:{warning:#} {}", known.pack, escape(&known.text))?;
        }
    }
    Ok(())
}

struct Turned {
    ids: Vec<String>,
}

impl Report for Turned {
    fn json(&self) -> Value {
        json!({ "dismissed": self.ids })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        self.ids.iter().try_for_each(|id| writeln!(out, "turned down: {id}"))
    }
}

struct Walked {
    promoted: usize,
    dismissed: usize,
}

impl Report for Walked {
    fn json(&self) -> Value {
        json!({ "promoted": self.promoted, "dismissed": self.dismissed })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "\n{} promoted, {} turned down", self.promoted, self.dismissed)
    }
}
