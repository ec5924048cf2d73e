//! Brings the packs branch, the remote's and the base together, lesson by lesson. Everything is made of objects first, and
//! the branch moves once or not at all. Fetching and pushing are `remote`'s.

use super::combine::combine;
use super::history::{Divergence, History};
use super::id::Id;
use super::identity::Identity;
use super::message::{Action, Message};
use super::refs::{Base, shown_remote};
use super::repo::Repo;
use super::stand::{Merge, disagree, ensure_free, ensure_name, ensure_ours, meet};
use super::swap::{Target, swing};
use crate::error::{Error, Kind, Result};
use crate::merge::changes::{Changes, Told, between};
use crate::model::config::Config;
use crate::model::pack_files::PackFiles;
use crate::model::visible::escape;

/// What became of the branch here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// There is no packs branch, neither here nor at the remote.
    Nothing,
    /// It was made from the remote's.
    New,
    UpToDate,
    /// It has what the remote has not.
    Ahead,
    FastForward,
    /// The remote's, or the base's changes to the packs, were merged into it.
    Merged,
    /// All that it has stands in the base, and the remote has no such branch any more.
    MergedUpstream,
}

impl Outcome {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Nothing => "nothing",
            Self::New => "new",
            Self::UpToDate => "up to date",
            Self::Ahead => "ahead",
            Self::FastForward => "fast-forward",
            Self::Merged => "merged",
            Self::MergedUpstream => "merged upstream and deleted there",
        }
    }
}

/// What the remote has of the branch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AtRemote {
    pub remote: String,
    pub tip: Option<Id>,
}

#[derive(Clone, Debug)]
pub struct Synced {
    pub outcome: Outcome,
    /// As people call it.
    pub base: String,
    pub before: Option<Id>,
    /// `None` also where it is only said what would be, and a merge would have to be written for it.
    pub after: Option<Id>,
    /// What came into the branch.
    pub incoming: Changes,
    /// What it has and the base has not.
    pub waiting: Changes,
    /// Whether all that it has stands in the base.
    pub settled: bool,
}

/// Merges, and moves the branch. Losing a race means to begin anew.
pub fn sync(repo: &Repo, config: &Config, identity: &Identity, at_remote: Option<&AtRemote>) -> Result<Synced> {
    let sign = repo.signs(config.sign)?;
    swing(repo, &config.branch_ref(), identity, || {
        let synced = join(repo, config, at_remote, Some((identity, sign)))?;
        let log = format!("marvel: sync: {}", synced.outcome.as_str());
        let moved = synced.after.filter(|after| Some(*after) != synced.before);
        let target = moved.map(|new| Target { old: synced.before, new, log });
        Ok((synced, target))
    })
}

/// What [`sync`] would do; nothing is written.
pub fn dry_run(repo: &Repo, config: &Config, at_remote: Option<&AtRemote>) -> Result<Synced> {
    join(repo, config, at_remote, None)
}

/// Where the branch is to stand: a commit, or (where nothing is written) only what it would hold.
struct Tip {
    id: Option<Id>,
    packs: PackFiles,
}

fn join(repo: &Repo, config: &Config, at_remote: Option<&AtRemote>, write: Option<(&Identity, bool)>) -> Result<Synced> {
    ensure_name(config)?;
    let base = repo.base(config)?;
    ensure_free(repo, config, &base)?;
    let local = repo.find_ref(&config.branch_ref())?;
    let remote = at_remote.and_then(|at| at.tip);
    let mut sync = Sync { repo, config, history: History::new(repo)?, base: &base, write };
    for tip in [local, remote].into_iter().flatten() {
        sync.ensure_ours(tip)?;
    }
    let remote_name = at_remote.map_or_else(String::new, |at| format!("{}/{}", shown_remote(&at.remote), config.branch));
    let (tip, mut outcome) = match (local, remote) {
        (None, None) => {
            let (settled, incoming, waiting) = (true, Changes::default(), Changes::default());
            let base = base.short().to_owned();
            return Ok(Synced { outcome: Outcome::Nothing, base, before: None, after: None, incoming, waiting, settled });
        }
        (None, Some(remote)) => (sync.at(remote)?, Outcome::New),
        (Some(local), None) => (sync.at(local)?, Outcome::Ahead),
        (Some(local), Some(remote)) => {
            let apart = sync.history.compare(local, remote)?;
            match (apart.left.is_empty(), apart.right.is_empty()) {
                (true, true) => (sync.at(local)?, Outcome::UpToDate),
                (false, true) => (sync.at(local)?, Outcome::Ahead),
                (true, false) => (sync.at(remote)?, Outcome::FastForward),
                (false, false) => (sync.merge(local, remote, &remote_name, &apart)?, Outcome::Merged),
            }
        }
    };
    let before = local.map_or_else(|| Ok(PackFiles::default()), |local| repo.packs_at(local))?;
    let base_packs = base.tip.map_or_else(|| Ok(PackFiles::default()), |tip| repo.packs_at(tip))?;
    let (tip, settled) = match (base.tip, tip.id) {
        (Some(base_tip), Some(id)) => match sync.meet_base(id, base_tip)? {
            Met::Settled => (tip, true),
            Met::Apart => (tip, false),
            Met::Merged(merged) => {
                outcome = if outcome == Outcome::New { outcome } else { Outcome::Merged };
                (merged, false)
            }
        },
        _ => (tip, false),
    };
    if settled && matches!(outcome, Outcome::Ahead | Outcome::UpToDate) {
        let deleted = at_remote.is_some() && remote.is_none();
        outcome = if deleted { Outcome::MergedUpstream } else { Outcome::UpToDate };
    }
    if outcome == Outcome::Ahead && at_remote.is_none() {
        // there is nobody to be ahead of
        outcome = Outcome::UpToDate;
    }
    Ok(Synced {
        outcome,
        base: base.short().to_owned(),
        before: local,
        after: tip.id,
        incoming: between(&before, &tip.packs, &Told::default()),
        waiting: if settled { Changes::default() } else { between(&base_packs, &tip.packs, &Told::default()) },
        settled,
    })
}

enum Met {
    /// The base has all of it.
    Settled,
    /// The branch has something of its own, and the base changed nothing that it does not know.
    Apart,
    Merged(Tip),
}

struct Sync<'a> {
    repo: &'a Repo,
    config: &'a Config,
    history: History<'a>,
    base: &'a Base,
    write: Option<(&'a Identity, bool)>,
}

impl Sync<'_> {
    fn at(&self, id: Id) -> Result<Tip> {
        Ok(Tip { id: Some(id), packs: self.repo.packs_at(id)? })
    }

    /// A branch that changes other files than packs is nobody's to merge by lesson.
    fn ensure_ours(&mut self, tip: Id) -> Result<()> {
        let Some(base_tip) = self.base.tip else { return Ok(()) };
        let apart = self.history.compare(tip, base_tip)?;
        if apart.left.is_empty() {
            return Ok(());
        }
        let told = !(apart.bases.is_empty() && self.repo.is_shallow());
        ensure_ours(self.repo, self.config, &mut self.history, self.base, tip, &apart)
            .map_err(|error| Error { kind: if told { Kind::Conflict } else { error.kind }, ..error })
    }

    /// Both sides' packs made one, on the tree of the side that knows more of the base.
    fn merge(&mut self, ours: Id, theirs: Id, their_name: &str, apart: &Divergence) -> Result<Tip> {
        if apart.bases.is_empty() && self.repo.is_shallow() {
            let branch = escape(&self.config.branch).into_owned();
            return Err(Error::user(format!(
                "this shallow clone does not show where {branch} and {} parted",
                escape(their_name)
            ))
            .hint("git fetch --unshallow"));
        }
        let combined = combine(&mut self.history, self.repo, ours, theirs, apart)?;
        if !combined.conflicts.is_empty() {
            return Err(disagree(&self.config.branch, their_name, &combined.conflicts));
        }
        let Some((identity, sign)) = self.write else { return Ok(Tip { id: None, packs: combined.files }) };
        let side = self.newer_base(ours, theirs)?;
        let tree = self.repo.commit(side)?.tree;
        let tree = self.repo.write_packs(Some(tree), &self.repo.packs_at(side)?, &combined.files)?;
        let message = Message::new(Action::Sync, None, format!("Merge {their_name}"));
        let id = self.repo.write_commit(tree, &[ours, theirs], &message.to_text(), identity, sign)?;
        // what a pull request from it would show beside packs: nothing
        self.ensure_ours(id)?;
        Ok(Tip { id: Some(id), packs: combined.files })
    }

    /// The one of two tips whose files outside the packs are the later ones: it has all of the base's commits that the
    /// other has.
    fn newer_base(&mut self, ours: Id, theirs: Id) -> Result<Id> {
        let (our_tree, their_tree) = (self.history.root_tree(ours)?, self.history.root_tree(theirs)?);
        let Some(path) = self.repo.differs_outside_packs(Some(our_tree), Some(their_tree))? else { return Ok(ours) };
        if let Some(base) = self.base.tip {
            let [our_bases, their_bases] = [ours, theirs].map(|tip| self.history.compare(tip, base).map(|apart| apart.bases));
            let (our_bases, their_bases) = (our_bases?, their_bases?);
            if self.all_within(&their_bases, &our_bases)? {
                return Ok(ours);
            }
            if self.all_within(&our_bases, &their_bases)? {
                return Ok(theirs);
            }
        }
        Err(Error::conflict(format!("the two sides of {} differ outside the packs: {}", self.config.branch, escape(&path)))
            .hint(format!("git diff {ours} {theirs} -- ':!marvel/packs'")))
    }

    fn all_within(&mut self, bases: &[Id], others: &[Id]) -> Result<bool> {
        for base in bases {
            let mut within = false;
            for other in others {
                within = within || self.history.is_ancestor(*base, *other)?;
            }
            if !within {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn meet_base(&mut self, tip: Id, base_tip: Id) -> Result<Met> {
        let apart = self.history.compare(tip, base_tip)?;
        if apart.left.is_empty() {
            return Ok(Met::Settled);
        }
        match meet(self.repo, self.config, &mut self.history, self.base.short(), (tip, base_tip), &apart)? {
            None if self.history.packs_at(tip)? == self.history.packs_at(base_tip)? => Ok(Met::Settled),
            None => Ok(Met::Apart),
            Some(merge) if merge.settled => Ok(Met::Settled),
            Some(merge) => {
                let id = self.write.map(|(identity, sign)| merge.write(self.repo, tip, identity, sign)).transpose()?;
                Ok(Met::Merged(Tip { id, packs: merge.merged }))
            }
        }
    }
}

impl Merge {
    /// The merge commit on `tip`; no ref points to it yet.
    pub(super) fn write(&self, repo: &Repo, tip: Id, identity: &Identity, sign: bool) -> Result<Id> {
        let theirs = repo.commit(self.tip)?.tree;
        let tree = repo.write_packs(Some(theirs), &self.theirs, &self.merged)?;
        repo.write_commit(tree, &[tip, self.tip], &self.message().to_text(), identity, sign)
    }
}
