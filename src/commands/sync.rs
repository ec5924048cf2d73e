//! `marvel sync`: the packs branch here, at the remote and in the base brought together, and pushed where that is asked.

use std::fmt::{self, Write as _};

use serde_json::{Value, json};

use super::Context;
use crate::error::{Error, Result};
use crate::merge::changes::{Changes, LessonKind};
use crate::model::config::Config;
use crate::model::forge::pull_request_url;
use crate::model::visible::escape;
use crate::store::identity::Identity;
use crate::store::refs::{short, shown_remote};
use crate::store::sync::{AtRemote, Outcome, Synced};
use crate::store::{Id, Repo, overlay, sync, topic};
use crate::ui::commits::Commits;
use crate::ui::{Report, style};

/// Bring lessons together: fetch, merge the remote's packs and the base branch lesson by lesson, and push
///
/// Nothing is ever forced: what cannot be merged by itself or is refused by the remote stays as it is, here and there.
#[derive(clap::Args)]
pub struct Args {
    /// Push the packs branch, and name the page on which its pull request is opened
    #[arg(long)]
    push: bool,
    /// Make a branch from the base with just these lessons (first digits of their ids; may be given several times)
    #[arg(long, value_name = "ID", num_args = 1.., requires = "branch")]
    only: Vec<String>,
    /// The name of that branch
    #[arg(long = "as", value_name = "BRANCH", requires = "only", id = "branch")]
    branch: Option<String>,
    /// Look at what was fetched before, say what would be done, and do nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let config = cx.config(&repo)?;
    if let Some(branch) = &args.branch {
        return only(args, branch, cx, &repo, &config);
    }
    let branch = config.branch_ref();
    let remote = if args.push { Some(remote_to_push_to(&repo, &config)?) } else { repo.remote(&config)? };
    if args.dry_run {
        let known = repo.packs_branch(&config)?.remote.map(|(_, tip)| tip);
        let at_remote = remote.map(|remote| AtRemote { remote, tip: known });
        let synced = sync::dry_run(&repo, &config, at_remote.as_ref())?;
        return Ok(Box::new(Done { branch: config.branch, at_remote, synced, dry_run: true, pushed: None, page: None }));
    }
    let at_remote = match remote {
        None => None,
        Some(remote) => {
            let tip = repo.fetch(&remote, &branch)?;
            Some(AtRemote { remote, tip })
        }
    };
    let synced = sync::sync(&repo, &config, &Identity::read(&repo, cx.now)?, at_remote.as_ref())?;
    if let Err(error) = overlay::refresh(&repo, &config) {
        cx.ui.warn(format!("what is in force here is computed anew by the next command: {error}"));
    }
    let (mut pushed, mut page) = (None, None);
    if let (true, Some(at)) = (args.push, &at_remote) {
        let new = synced.after.is_some() && synced.after != at.tip && !synced.settled;
        pushed = Some(new);
        if new {
            repo.push(&at.remote, &branch)?;
        }
        if !synced.settled {
            page = pull_request(&repo, &at.remote, &synced.base, &config.branch);
        }
    }
    Ok(Box::new(Done { branch: config.branch, at_remote, synced, dry_run: false, pushed, page }))
}

fn only(args: &Args, branch: &str, cx: &Context, repo: &Repo, config: &Config) -> Result<Box<dyn Report>> {
    let remote = if args.push { Some(remote_to_push_to(repo, config)?) } else { None };
    if args.dry_run {
        let outcome = topic::dry_run(repo, config, &args.only, branch)?;
        return Ok(Box::new(Commits { outcome, dry_run: true, notes: Vec::new() }));
    }
    let outcome = topic::make(repo, config, &Identity::read(repo, cx.now)?, &args.only, branch)?;
    let mut notes = Vec::new();
    if let Some(remote) = &remote {
        repo.push(remote, &format!("refs/heads/{branch}"))?;
        notes.push(format!("pushed {branch} to {}", shown_remote(remote)));
        let base = repo.base(config)?;
        notes.extend(pull_request(repo, remote, base.short(), branch).map(|page| format!("open the pull request: {page}")));
    }
    Ok(Box::new(Commits { outcome, dry_run: false, notes }))
}

/// Pushes the packs branch after a command that committed to it; gives what to tell the person.
pub(super) fn push(repo: &Repo, config: &Config) -> Result<Vec<String>> {
    let remote = remote_to_push_to(repo, config)?;
    repo.push(&remote, &config.branch_ref())?;
    let base = repo.base(config)?;
    let mut notes = vec![format!("pushed {} to {}", config.branch, shown_remote(&remote))];
    let page = pull_request(repo, &remote, base.short(), &config.branch);
    notes.extend(page.map(|page| format!("open the pull request: {page}")));
    Ok(notes)
}

pub(super) fn remote_to_push_to(repo: &Repo, config: &Config) -> Result<String> {
    let remote = repo.remote(config)?;
    remote.ok_or_else(|| Error::user("there is no remote to push to, so nothing was done").hint("git remote add origin URL"))
}

/// The page on which the pull request is opened, where the host is known.
fn pull_request(repo: &Repo, remote: &str, base: &str, branch: &str) -> Option<String> {
    let base = base.strip_prefix(&format!("{remote}/")).unwrap_or(base);
    repo.push_urls(remote).iter().find_map(|url| pull_request_url(url, base, branch))
}

struct Done {
    branch: String,
    at_remote: Option<AtRemote>,
    synced: Synced,
    dry_run: bool,
    /// Whether there was something to push, where that was asked.
    pushed: Option<bool>,
    page: Option<String>,
}

impl Report for Done {
    fn json(&self) -> Value {
        let id = |id: Option<Id>| id.map(|id| id.to_string());
        json!({
            "branch": self.branch,
            "base": self.synced.base,
            "remote": self.at_remote.as_ref().map(|at| shown_remote(&at.remote)),
            "outcome": self.synced.outcome.as_str(),
            "before": id(self.synced.before),
            "after": id(self.synced.after),
            "incoming": lessons(&self.synced.incoming),
            "waiting": lessons(&self.synced.waiting),
            "pushed": self.pushed,
            "pull_request": self.page,
            "dry_run": self.dry_run,
        })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        let Synced { outcome, base, incoming, waiting, .. } = &self.synced;
        let (name, branch) = (style::NAME, escape(&self.branch));
        let remote = self.at_remote.as_ref().map(|at| shown_remote(&at.remote)).unwrap_or_default();
        let would = if self.dry_run { "would be: " } else { "" };
        let what = match outcome {
            Outcome::Nothing => "there is no such branch yet, here or at the remote; `marvel promote` makes it".to_owned(),
            Outcome::New => format!("{would}new, from {remote}"),
            Outcome::UpToDate if self.at_remote.is_none() => "up to date; there is no remote".to_owned(),
            Outcome::UpToDate | Outcome::FastForward | Outcome::MergedUpstream => format!("{would}{}", outcome.as_str()),
            Outcome::Ahead => format!("{would}ahead of {remote}"),
            Outcome::Merged => format!("{would}merged"),
        };
        writeln!(out, "{name}{branch}{name:#}: {what}")?;
        if *outcome != Outcome::UpToDate {
            list(out, "came in", incoming)?;
        }
        if !waiting.is_empty() {
            list(out, &format!("not in {} yet", escape(short(base))), waiting)?;
        }
        match self.pushed {
            Some(true) => writeln!(out, "pushed to {remote}")?,
            Some(false) if self.synced.settled => writeln!(out, "nothing to push: {} has it all", escape(base))?,
            Some(false) => writeln!(out, "nothing to push: {remote} has it")?,
            None if *outcome == Outcome::Ahead || (*outcome == Outcome::Merged && !remote.is_empty()) => {
                writeln!(out, "type `marvel sync --push` to push it")?;
            }
            None => {}
        }
        match &self.page {
            Some(page) => writeln!(out, "open the pull request: {}", escape(page)),
            None => Ok(()),
        }
    }
}

/// By kind, the lessons' ids and titles; what else changed is counted.
fn list(out: &mut String, heading: &str, changes: &Changes) -> fmt::Result {
    let (told, counted): (Vec<_>, Vec<_>) = changes.lessons.iter().partition(|change| change.kind != LessonKind::Recorded);
    let others = changes.rules.len() + changes.meta.len() + changes.prose.len() + changes.files.len();
    if told.is_empty() && counted.is_empty() && others + changes.packs.len() == 0 {
        return Ok(());
    }
    writeln!(out, "  {heading}:")?;
    for change in &told {
        let id = style::ID;
        let (pack, title) = (&change.pack, escape(change.title()));
        writeln!(out, "    {} {id}{}{id:#} [{pack}] {title}", change.kind.as_str(), change.id)?;
    }
    for (count, what) in [(counted.len(), "counted lesson"), (changes.packs.len(), "pack"), (others, "other change")] {
        match count {
            0 => {}
            1 => writeln!(out, "    1 {what}")?,
            many => writeln!(out, "    {many} {what}s")?,
        }
    }
    Ok(())
}

fn lessons(changes: &Changes) -> Vec<Value> {
    let one = |change: &crate::merge::changes::LessonChange| json!({ "kind": change.kind.as_str(), "pack": change.pack, "id": change.id, "title": change.title() });
    changes.lessons.iter().map(one).collect()
}
