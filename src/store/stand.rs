//! Where the next commit of the packs branch stands, so that a pull request always shows the new lessons and nothing
//! else, and merges without a conflict on a server where no merge driver runs. The branch itself is not touched here.

use super::combine::{Combined, Conflict, combine};
use super::history::{Divergence, History};
use super::id::Id;
use super::message::{Action, Message};
use super::refs::{Base, InUse, Use};
use super::repo::Repo;
use crate::error::{Error, Result};
use crate::merge::changes::{Told, between};
use crate::model::config::Config;
use crate::model::pack_files::PackFiles;
use crate::model::visible::escape;

/// What the next commit stands on.
pub(super) struct Ground {
    /// What the branch points to now; `None` where it is yet to be born.
    pub(super) old: Option<Id>,
    /// The first parent; `None` for the first commit of a repository.
    pub(super) parent: Option<Id>,
    /// The packs there.
    pub(super) before: PackFiles,
    /// The merge of `parent` and the base's tip that has to come first.
    pub(super) merge: Option<Merge>,
}

pub(super) struct Merge {
    /// The base, as people call it, and its tip.
    base: String,
    pub(super) tip: Id,
    pub(super) theirs: PackFiles,
    pub(super) merged: PackFiles,
    /// Whether the branch has nothing that the base has not.
    pub(super) settled: bool,
}

impl Ground {
    /// The packs that the next change starts from.
    pub(super) fn packs(&self) -> &PackFiles {
        self.merge.as_ref().map_or(&self.before, |merge| &merge.merged)
    }
}

impl Merge {
    pub(super) fn message(&self) -> Message {
        Message::new(Action::Sync, None, format!("Merge {}", self.base))
    }
}

/// Looks where the branch and its base stand. Every error says why nothing can be committed.
pub(super) fn ground(repo: &Repo, config: &Config) -> Result<Ground> {
    ensure_name(config)?;
    let branch = repo.packs_branch(config)?;
    let base = repo.base(config)?;
    ensure_free(repo, config, &base)?;
    let on = |parent: Option<Id>| -> Result<Ground> {
        let packs = parent.map_or_else(|| Ok(PackFiles::default()), |parent| repo.packs_at(parent))?;
        Ok(Ground { old: branch.local, parent, before: packs, merge: None })
    };
    let (tip, base_tip) = match (branch.tip(), base.tip) {
        (None, base) => return on(base),
        (tip, None) => return on(tip),
        (Some(tip), Some(base)) => (tip, base),
    };
    let mut history = History::new(repo)?;
    let apart = history.compare(tip, base_tip)?;
    if apart.left.is_empty() {
        return on(Some(base_tip));
    }
    ensure_ours(repo, config, &mut history, &base, tip, &apart)?;
    let merge = meet(repo, config, &mut history, base.short(), (tip, base_tip), &apart)?;
    Ok(Ground { old: branch.local, parent: Some(tip), before: repo.packs_at(tip)?, merge })
}

/// The merge that has to come first where the base changed the packs since the two met; an error where a person has to
/// choose.
pub(super) fn meet(
    repo: &Repo,
    config: &Config,
    history: &mut History<'_>,
    base: &str,
    (tip, base_tip): (Id, Id),
    apart: &Divergence,
) -> Result<Option<Merge>> {
    if !apart.bases.is_empty() {
        let packs = history.packs_at(base_tip)?;
        let mut unchanged = true;
        for base in &apart.bases {
            unchanged &= history.packs_at(*base)? == packs;
        }
        if unchanged {
            return Ok(None);
        }
    }
    let theirs = repo.packs_at(base_tip)?;
    let Combined { files, conflicts, .. } = combine(history, repo, tip, base_tip, apart)?;
    if !conflicts.is_empty() {
        return Err(disagree(&config.branch, base, &conflicts));
    }
    // all that the branch has stands in the base by content: then the base's own bytes are the right ones
    let settled = between(&theirs, &files, &Told::default()).is_empty();
    let merged = if settled { theirs.clone() } else { files };
    Ok(Some(Merge { base: base.to_owned(), tip: base_tip, theirs, merged, settled }))
}

pub(super) fn disagree(branch: &str, other: &str, conflicts: &[Conflict]) -> Error {
    let list = conflicts.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n");
    Error::conflict(format!("{branch} and {other} disagree, and a person has to choose"))
        .caused_by(list)
        .hint(format!("git switch {branch} && git merge {other}"))
}

pub(super) fn ensure_name(config: &Config) -> Result<()> {
    if gix::refs::FullName::try_from(config.branch_ref()).is_err() {
        let shown = escape(&config.branch);
        return Err(Error::user(format!("the setting `branch` in marvel/config.json is no name for a branch: {shown:?}")));
    }
    Ok(())
}

/// Nobody has the branch checked out, and nothing stands where its ref has to be.
pub(super) fn ensure_free(repo: &Repo, config: &Config, base: &Base) -> Result<()> {
    let (name, shown) = (config.branch_ref(), escape(&config.branch).into_owned());
    let setting = "or set `branch` in marvel/config.json to another name";
    if let Some(target) = repo.symbolic_target(&name)? {
        return Err(Error::user(format!("the branch {shown} is only another name for {}", escape(&target)))
            .hint("set `branch` in marvel/config.json to the branch itself"));
    }
    let below = repo.refs_below(&format!("{name}/"))?;
    let above = config.branch.match_indices('/').map(|(at, _)| format!("refs/heads/{}", &config.branch[..at]));
    let mut in_the_way = below;
    for folder in above {
        if repo.find_ref(&folder)?.is_some() {
            in_the_way.push(folder);
        }
    }
    if repo.config_bool("core.ignorecase")? == Some(true) {
        // a loose ref is a file: where names differ in case alone, one hides the other
        let ours = name.to_lowercase();
        let meet = |other: &str| {
            let (short, long) = if other.len() < ours.len() { (other, ours.as_str()) } else { (ours.as_str(), other) };
            long.strip_prefix(short).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        };
        let others = repo.refs_below("refs/heads/")?;
        in_the_way.extend(others.into_iter().filter(|other| *other != name && meet(&other.to_lowercase())));
        in_the_way.sort();
        in_the_way.dedup();
    }
    if !in_the_way.is_empty() {
        let list: Vec<_> = in_the_way.iter().map(|name| escape(super::refs::short(name)).into_owned()).collect();
        return Err(Error::user(format!("git cannot have a branch {shown} beside {}", list.join(", ")))
            .hint(format!("rename what is in the way: git branch -m {} NEW-NAME", list[0]))
            .hint(setting));
    }
    match repo.in_use(&name)? {
        None => Ok(()),
        Some(used) => Err(in_use(&shown, &used, base)),
    }
}

fn in_use(branch: &str, InUse { worktree, how }: &InUse, base: &Base) -> Error {
    let place = escape(&worktree.display().to_string()).into_owned();
    let error = |what: &str| Error::user(format!("the branch {branch} is {what} in {place}, so nothing was committed to it"));
    let error = match how {
        Use::CheckedOut => {
            let other = if base.name.starts_with("refs/heads/") && base.short() != branch { base.short() } else { "--detach" };
            error("checked out").hint(format!("git -C '{place}' switch {other}"))
        }
        Use::Rebase => error("being rebased").hint(format!("finish it first: git -C '{place}' rebase --continue")),
        Use::Bisect => error("being bisected").hint(format!("finish it first: git -C '{place}' bisect log shows where it is")),
    };
    if worktree.exists() {
        error
    } else {
        error.hint(format!("{place} does not exist: `git worktree repair` if it moved, `git worktree prune` if it is gone"))
    }
}

/// A branch of that name that holds other work is not ours to build on.
pub(super) fn ensure_ours(
    repo: &Repo,
    config: &Config,
    history: &mut History<'_>,
    base: &Base,
    tip: Id,
    apart: &Divergence,
) -> Result<()> {
    let tree = history.root_tree(tip)?;
    let mut differs = None;
    for base in &apart.bases {
        let base = history.root_tree(*base)?;
        match repo.differs_outside_packs(Some(base), Some(tree))? {
            None => return Ok(()),
            path => differs = path,
        }
    }
    if apart.bases.is_empty() {
        if repo.is_shallow() {
            return Err(Error::user(format!("this shallow clone does not show where {} left {}", config.branch, base.short()))
                .hint("git fetch --unshallow"));
        }
        // born before the base's first commit: it has packs and nothing else
        match repo.differs_outside_packs(None, Some(tree))? {
            None => return Ok(()),
            path => differs = path,
        }
    }
    // a person's own commits that are not pushed yet may lie under it: they are nobody else's work
    if let Some(head) = repo.head()?.tip
        && base.tip != Some(head)
    {
        for base in history.compare(tip, head)?.bases {
            let base = history.root_tree(base)?;
            if repo.differs_outside_packs(Some(base), Some(tree))?.is_none() {
                return Ok(());
            }
        }
    }
    let path = differs.unwrap_or_default();
    Err(Error::user(format!(
        "the branch {} is not one of packs: against {} it changes {}",
        escape(&config.branch),
        escape(base.short()),
        escape(&path)
    ))
    .hint("set `branch` in marvel/config.json to a name that no other work uses"))
}
