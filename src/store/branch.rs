//! Commits to the packs branch: one commit for each change, made of objects alone, then one move of the ref from the
//! value that was read. Who loses a race builds anew on what won. HEAD, index, working tree and stash stay as they are,
//! and no hook for commits runs.

use super::id::Id;
use super::identity::Identity;
use super::message::{Action, Message};
use super::repo::Repo;
use super::stand::{Ground, ground};
use super::swap::{Target, swing};
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::model::lesson::LessonId;
use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE, META_FILE, PACKS_DIR, PackName};
use crate::model::pack_files::PackFiles;

/// `marvel/packs/.gitattributes`, which goes with the first pack.
const GITATTRIBUTES: &str = include_str!("../../marvel/packs/.gitattributes");

/// What is to be committed.
pub struct Change<'a> {
    pub message: Message,
    /// Makes the packs as they are to be from the packs at the parent, whatever that turns out to be: it may be called
    /// again on another tip. An error stops everything.
    #[allow(clippy::type_complexity, reason = "a function from packs to packs")]
    pub edit: Box<dyn Fn(&PackFiles) -> Result<Edited> + 'a>,
}

impl<'a> Change<'a> {
    pub fn new(message: Message, edit: impl Fn(&PackFiles) -> Result<Edited> + 'a) -> Self {
        Self { message, edit: Box::new(edit) }
    }
}

/// What an edit comes to.
#[derive(Clone, Debug)]
pub enum Edited {
    Packs(PackFiles),
    /// There is nothing to do, for this reason.
    Nothing(String),
}

#[derive(Clone, Debug)]
pub struct Outcome {
    /// The branch, without `refs/heads/`.
    pub branch: String,
    /// In order; commits that had to come first (a merge, a pack) are among them.
    pub commits: Vec<Committed>,
    pub skipped: Vec<Skipped>,
    /// The packs at the parent of the first commit, and after the last one.
    pub before: PackFiles,
    pub after: PackFiles,
}

#[derive(Clone, Debug)]
pub struct Committed {
    /// `None` where nothing was written, since it was only asked what would be.
    pub id: Option<Id>,
    pub message: Message,
    pub before: PackFiles,
    pub after: PackFiles,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    pub lesson: Option<LessonId>,
    pub title: String,
    pub reason: String,
}

/// Commits the changes, each by itself; all of them or none. Nothing to do is no error.
pub fn commit(repo: &Repo, config: &Config, identity: &Identity, changes: &[Change<'_>]) -> Result<Outcome> {
    let sign = repo.signs(config.sign)?;
    swing(repo, &config.branch_ref(), identity, || {
        let plan = Plan::make(repo, config, changes)?;
        let old = plan.ground.old;
        let outcome = plan.write(repo, config, identity, sign)?;
        let target = outcome.commits.last().and_then(|last| last.id).map(|new| Target { old, new, log: log_line(&outcome) });
        Ok((outcome, target))
    })
}

/// What [`commit`] would do now; nothing is written.
pub fn dry_run(repo: &Repo, config: &Config, changes: &[Change<'_>]) -> Result<Outcome> {
    let plan = Plan::make(repo, config, changes)?;
    Ok(plan.outcome(config, |_| None))
}

/// The packs that the next commit starts from.
pub fn packs(repo: &Repo, config: &Config) -> Result<PackFiles> {
    Ok(ground(repo, config)?.packs().clone())
}

/// The commits to come, from the packs alone: no object is written yet.
struct Plan {
    ground: Ground,
    steps: Vec<Step>,
    skipped: Vec<Skipped>,
}

struct Step {
    message: Message,
    before: PackFiles,
    after: PackFiles,
}

impl Plan {
    fn make(repo: &Repo, config: &Config, changes: &[Change<'_>]) -> Result<Self> {
        let mut plan = Self { ground: ground(repo, config)?, steps: Vec::new(), skipped: Vec::new() };
        for change in changes {
            let trailers = &change.message.trailers;
            let brings_its_pack = matches!(trailers.action, Some(Action::Pack | Action::Sync));
            let missing = trailers.pack.as_ref().filter(|pack| !brings_its_pack && !plan.packs().has_pack(pack));
            let first = missing.map(|pack| new_pack(repo, plan.packs(), pack)).transpose()?;
            let before = first.as_ref().map_or_else(|| plan.packs(), |step| &step.after).clone();
            match (change.edit)(&before)? {
                Edited::Packs(after) if after != before => {
                    plan.steps.extend(first);
                    plan.steps.push(Step { message: change.message.clone(), before, after });
                }
                Edited::Packs(_) => plan.skip(&change.message, "nothing would change".to_owned()),
                Edited::Nothing(reason) => plan.skip(&change.message, reason),
            }
        }
        Ok(plan)
    }

    fn skip(&mut self, message: &Message, reason: String) {
        let lesson = message.trailers.lesson.clone();
        self.skipped.push(Skipped { lesson, title: message.title.clone(), reason });
    }

    /// The packs after all steps so far.
    fn packs(&self) -> &PackFiles {
        self.steps.last().map_or_else(|| self.ground.packs(), |step| &step.after)
    }

    /// Writes the objects of all steps; without a step nothing is written, not even the merge.
    fn write(self, repo: &Repo, config: &Config, identity: &Identity, sign: bool) -> Result<Outcome> {
        let mut ids = Vec::new();
        let mut parent = self.ground.parent;
        let mut root = parent.map(|parent| repo.commit(parent)).transpose()?.map(|commit| commit.tree);
        if let Some(merge) = self.ground.merge.as_ref().filter(|_| !self.steps.is_empty()) {
            let id = merge.write(repo, parent.expect("a merge has the branch's tip before it"), identity, sign)?;
            let tree = repo.commit(id)?.tree;
            ids.push(id);
            (parent, root) = (Some(id), Some(tree));
        }
        for step in &self.steps {
            let tree = repo.write_packs(root, &step.before, &step.after)?;
            let id = repo.write_commit(tree, parent.as_slice(), &step.message.to_text(), identity, sign)?;
            ids.push(id);
            (parent, root) = (Some(id), Some(tree));
        }
        Ok(self.outcome(config, |at| ids.get(at).copied()))
    }

    fn outcome(self, config: &Config, id: impl Fn(usize) -> Option<Id>) -> Outcome {
        let mut outcome = Outcome {
            branch: config.branch.clone(),
            commits: Vec::new(),
            skipped: self.skipped,
            before: self.ground.before,
            after: PackFiles::default(),
        };
        let merge = self.ground.merge.filter(|_| !self.steps.is_empty()).map(|merge| {
            let before = outcome.before.clone();
            Step { message: merge.message(), before, after: merge.merged }
        });
        for (at, Step { message, before, after }) in merge.into_iter().chain(self.steps).enumerate() {
            outcome.commits.push(Committed { id: id(at), message, before, after });
        }
        outcome.after = outcome.commits.last().map_or_else(|| outcome.before.clone(), |last| last.after.clone());
        outcome
    }
}

/// The commit that brings a pack from the working tree to a branch that does not have it yet.
fn new_pack(repo: &Repo, before: &PackFiles, pack: &PackName) -> Result<Step> {
    let here = repo.packs_here()?;
    if here.file(pack, META_FILE).is_none() {
        return Err(Error::user(format!("there is no pack {pack}"))
            .hint("`marvel pack list` shows the packs that there are, `marvel pack new` makes one"));
    }
    let folder = pack.path("");
    let own = [META_FILE, GUARDRAILS_FILE, LESSONS_FILE].map(|file| pack.path(file));
    // what an editor left lying about is not published: git has to know any other file already
    let tracked = repo.tracked_files()?;
    let belongs = |path: &str| {
        path.starts_with(&folder) && (own.iter().any(|own| own == path) || tracked.iter().any(|tracked| tracked.as_str() == path))
    };
    let mut after = before.clone();
    for (path, bytes) in here.iter().filter(|(path, _)| belongs(path)) {
        after.set(path, with_line_feeds(bytes));
    }
    let attributes = format!("{PACKS_DIR}/.gitattributes");
    if before.get(&attributes).is_none() {
        let bytes = here.get(&attributes).map_or_else(|| GITATTRIBUTES.as_bytes().to_vec(), with_line_feeds);
        after.set(attributes, bytes);
    }
    let message = Message::new(Action::Pack, Some(pack.clone()), format!("Add the pack {pack}"));
    Ok(Step { message, before: before.clone(), after })
}

/// A checkout may have CRLF; a blob has not.
fn with_line_feeds(bytes: &[u8]) -> Vec<u8> {
    let mut all = Vec::with_capacity(bytes.len());
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        match line.strip_suffix(b"\r\n") {
            Some(text) => all.extend_from_slice(&[text, b"\n"].concat()),
            None => all.extend_from_slice(line),
        }
    }
    all
}

/// What the reflog says.
fn log_line(outcome: &Outcome) -> String {
    let subject = outcome.commits.last().map(|last| last.message.to_text().lines().next().unwrap_or_default().to_owned());
    format!("marvel: {}", subject.unwrap_or_default())
}
