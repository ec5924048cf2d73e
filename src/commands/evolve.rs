//! `marvel evolve`: which lessons graduate into guardrails, need strengthening, are pruned or kept, with the reasons; and
//! the commits that make it so. The judgement is the layer's of the same name.

use std::fmt::{self, Write as _};

use serde_json::Value;

use super::Context;
use super::evidence::Gathered;
use super::promote::finish;
use crate::error::{Error, Result};
use crate::evolve::evidence::Reason;
use crate::evolve::report::{Entry, Report as Judged, report};
use crate::model::pack_files::PackFiles;
use crate::model::visible::{abbreviated, escape};
use crate::store::branch::{self, Change};
use crate::store::lines::{self, Found};
use crate::ui::{Report, prompt, style};

/// Show which lessons have proved themselves, which need rewording, which are stale; commit what you decide
///
/// Graduation makes a rule of `guardrails.md` of a lesson; pruning takes it out, and `marvel restore` brings it back. Each is one commit on the packs branch, with
/// its reasons.
#[derive(clap::Args)]
pub struct Args {
    /// Make guardrails of these lessons (first digits of their ids), recommended or not
    #[arg(long, value_name = "ID", num_args = 1..)]
    graduate: Vec<String>,
    /// Take these lessons out, recommended or not; also withdraws one that waits for review
    #[arg(long, value_name = "ID", num_args = 1..)]
    prune: Vec<String>,
    /// Why they are taken out
    #[arg(long, requires = "prune")]
    reason: Option<String>,
    /// Do all that is recommended under graduate and prune
    #[arg(long)]
    apply: bool,
    /// Show the commits with their diff, and write nothing
    #[arg(long)]
    dry_run: bool,
    /// Print the report, also on a terminal
    #[arg(long)]
    list: bool,
}

/// A lesson that leaves `lessons.jsonl`.
struct Step {
    lesson: Found,
    graduates: bool,
    why: String,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let gathered = Gathered::read(cx)?;
    let judged = report(&gathered.evidence(cx.now)?, &gathered.config.evolve, cx.now);
    let mut steps = named(args, &gathered, &judged)?;
    if args.apply {
        let branch = branch::packs(&gathered.repo, &gathered.config)?;
        for (entries, graduates) in [(&judged.graduate, true), (&judged.prune, false)] {
            for entry in
                entries.iter().filter(|entry| steps.iter().all(|step| step.lesson.key() != entry.key)).collect::<Vec<_>>()
            {
                steps.extend(step(&branch, entry, graduates));
            }
        }
    } else if steps.is_empty() {
        let open = judged.graduate.len() + judged.prune.len();
        if !cx.ui.is_interactive() || args.list || args.dry_run || open == 0 {
            return Ok(Box::new(Listed(judged)));
        }
        steps = one_by_one(cx, &gathered, &judged)?;
    }
    let changes: Vec<Change<'_>> = steps.iter().map(Step::change).collect();
    finish(cx, &gathered.repo, &gathered.config, &changes, args.dry_run)
}

/// The steps that a person asked for by id.
fn named(args: &Args, gathered: &Gathered, judged: &Judged) -> Result<Vec<Step>> {
    let mut steps: Vec<Step> = Vec::new();
    let asked = args.graduate.iter().map(|which| (which, true)).chain(args.prune.iter().map(|which| (which, false)));
    for (which, graduates) in asked {
        let lesson = lines::find_on_branch(&gathered.repo, &gathered.config, which)?;
        if steps.iter().any(|step| step.lesson.key() == lesson.key()) {
            return Err(Error::usage(format!("lesson {} is named twice", lesson.lesson.id)));
        }
        let fits = if graduates { &judged.graduate } else { &judged.prune };
        let recommended = fits.iter().find(|entry| entry.key == lesson.key());
        let why = match (&args.reason, recommended) {
            (Some(reason), _) if !graduates => reason.clone(),
            (_, Some(entry)) => told(&entry.reasons),
            (_, None) if graduates => "a person decided so".to_owned(),
            (_, None) => {
                let (id, title) = (&lesson.lesson.id, escape(&lesson.lesson.title));
                return Err(Error::usage(format!("nothing speaks against lesson {id} ({title}): say why it goes"))
                    .hint("--reason \"…\"; the reason stands in the commit"));
            }
        };
        steps.push(Step { lesson, graduates, why });
    }
    Ok(steps)
}

/// What was recommended, as far as the branch has the lesson.
fn step(branch: &PackFiles, entry: &Entry, graduates: bool) -> Option<Step> {
    let lesson = branch.lessons(&entry.key.pack).find(&entry.key.id)?.clone();
    let lesson = Found { pack: entry.key.pack.clone(), lesson };
    Some(Step { lesson, graduates, why: told(&entry.reasons) })
}

fn told(reasons: &[Reason]) -> String {
    reasons.iter().map(with_commit).collect::<Vec<_>>().join("; ")
}

/// A reason with the commit that shows it, where the text does not name it already.
fn with_commit(reason: &Reason) -> String {
    match &reason.commit {
        Some(commit) if !reason.text.contains(abbreviated(commit)) => format!("{} ({})", reason.text, abbreviated(commit)),
        _ => reason.text.clone(),
    }
}

fn one_by_one(cx: &Context, gathered: &Gathered, judged: &Judged) -> Result<Vec<Step>> {
    let branch = branch::packs(&gathered.repo, &gathered.config)?;
    let mut steps = Vec::new();
    for (entries, graduates, verb) in [(&judged.graduate, true, "Graduate it"), (&judged.prune, false, "Prune it")] {
        for entry in entries {
            let mut text = String::from("\n");
            write_entry(&mut text, entry).map_err(|error| Error::bug("formatting failed").caused_by(error))?;
            cx.ui.write(&text)?;
            match prompt::choose("What becomes of it?", &[verb, "Leave it", "Quit"].map(str::to_owned))? {
                Some(0) => steps.extend(step(&branch, entry, graduates)),
                Some(1) => {}
                _ => return Ok(steps),
            }
        }
    }
    Ok(steps)
}

impl Step {
    fn change(&self) -> Change<'static> {
        let because = format!("Because: {}", self.why);
        if self.graduates { lines::graduate(&self.lesson, &because) } else { lines::prune(&self.lesson, &because) }
    }
}

struct Listed(Judged);

impl Report for Listed {
    fn json(&self) -> Value {
        serde_json::to_value(&self.0).unwrap_or_default()
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        let Judged { graduate, strengthen, prune, keep } = &self.0;
        let sections = [
            ("Graduate", "they have proved themselves: rules from now on", graduate),
            ("Strengthen", "they were shown, and the same came up again: reword them, or give them `paths`", strengthen),
            ("Prune", "they are wrong, or what they are about is gone", prune),
        ];
        for (name, what, entries) in sections {
            if !entries.is_empty() {
                let title = style::TITLE;
                writeln!(out, "{title}{name}{title:#} ({what})")?;
                entries.iter().try_for_each(|entry| write_entry(out, entry))?;
                writeln!(out)?;
            }
        }
        let kept = match keep.len() {
            1 => "1 lesson stays as it is".to_owned(),
            many => format!("{many} lessons stay as they are"),
        };
        writeln!(out, "{kept}.")?;
        if graduate.len() + prune.len() > 0 {
            writeln!(out, "marvel evolve --graduate ID   --prune ID   --apply for all of it; --dry-run shows the commits")?;
        }
        Ok(())
    }
}

fn write_entry(out: &mut String, entry: &Entry) -> fmt::Result {
    let (id, name, faint) = (style::ID, style::NAME, style::FAINT);
    writeln!(out, "  {id}{}{id:#} [{name}{}{name:#}] {}", entry.id, entry.pack, escape(&entry.title))?;
    entry.reasons.iter().try_for_each(|reason| writeln!(out, "      {faint}{}{faint:#}", escape(&with_commit(reason))))
}
