//! Reads refs: where HEAD stands, which branch is the base, which remote counts, where the packs branch is, and whether
//! somebody has a branch checked out. Only "there is no such ref" counts as missing. Moving a ref is `branch`'s.

use std::path::{Path, PathBuf};

use super::id::Id;
use super::repo::Repo;
use crate::capture::redact::redact;
use crate::error::{Context as _, Error, Result};
use crate::model::config::Config;
use crate::model::visible::escape;

/// Where HEAD stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Head {
    /// `refs/heads/…`; `None` where HEAD is detached.
    pub branch: Option<String>,
    /// `None` where the branch has no commit yet.
    pub tip: Option<Id>,
}

/// The branch that a pull request from the packs branch goes into.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Base {
    /// The full name of the ref: remote-tracking, local, or `HEAD`.
    pub name: String,
    /// `None` where nothing is committed yet.
    pub tip: Option<Id>,
}

/// The packs branch, here and as last seen at the remote.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PacksBranch {
    pub local: Option<Id>,
    /// The full name of the remote-tracking ref, and its tip.
    pub remote: Option<(String, Id)>,
}

/// Who uses a branch, so that it must not move behind their back.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InUse {
    pub worktree: PathBuf,
    pub how: Use,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Use {
    CheckedOut,
    Rebase,
    Bisect,
}

impl Base {
    /// As a person calls it: `origin/main`, `main`, `HEAD`.
    pub fn short(&self) -> &str {
        short(&self.name)
    }
}

impl PacksBranch {
    /// Where the next promotion starts from.
    pub fn tip(&self) -> Option<Id> {
        self.local.or(self.remote.as_ref().map(|(_, tip)| *tip))
    }
}

/// A ref's name without `refs/heads/` or `refs/remotes/`.
pub fn short(name: &str) -> &str {
    ["refs/heads/", "refs/remotes/", "refs/"].iter().find_map(|prefix| name.strip_prefix(prefix)).unwrap_or(name)
}

/// A remote as it may be shown: git takes an address for a name, and that may hold a password.
pub fn shown_remote(remote: &str) -> String {
    escape(&redact(remote)).into_owned()
}

enum Target {
    Object(Id),
    Symbolic(String),
}

impl Repo {
    pub fn head(&self) -> Result<Head> {
        match self.read_ref("HEAD")? {
            Some(Target::Symbolic(branch)) => Ok(Head { tip: self.find_ref(&branch)?, branch: Some(branch) }),
            Some(Target::Object(tip)) => Ok(Head { branch: None, tip: Some(tip) }),
            None => Err(Error::user("the repository has no HEAD").hint("`git status` says what is wrong with it")),
        }
    }

    /// What a ref (by its full name) points to in the end; `None` only where it does not exist.
    pub fn find_ref(&self, name: &str) -> Result<Option<Id>> {
        let mut name = name.to_owned();
        // git itself follows no more than five
        for _ in 0..5 {
            match self.read_ref(&name)? {
                None => return Ok(None),
                Some(Target::Object(id)) => return Ok(Some(id)),
                Some(Target::Symbolic(target)) => name = target,
            }
        }
        Err(Error::user(format!("the ref {} leads round in a circle", escape(&name))))
    }

    /// The ref that a symbolic one names.
    pub fn symbolic_target(&self, name: &str) -> Result<Option<String>> {
        Ok(match self.read_ref(name)? {
            Some(Target::Symbolic(target)) => Some(target),
            _ => None,
        })
    }

    fn read_ref(&self, name: &str) -> Result<Option<Target>> {
        if self.is_reftable() {
            return self.read_ref_by_git(name);
        }
        let unreadable = || format!("the ref {} cannot be read", escape(name));
        let full = gix::refs::FullName::try_from(name).context(format!("{} is not a name for a ref", escape(name)))?;
        let found = self.git.refs.try_find(full.as_ref().as_partial_name()).context(unreadable())?;
        Ok(found.filter(|found| found.name == full).map(|found| match found.target {
            gix::refs::Target::Object(id) => Target::Object(Id(id)),
            gix::refs::Target::Symbolic(target) => Target::Symbolic(target.as_bstr().to_string()),
        }))
    }

    fn read_ref_by_git(&self, name: &str) -> Result<Option<Target>> {
        let unreadable = || format!("the ref {} cannot be read", escape(name));
        let symbolic = self.git().args(["symbolic-ref", "-q", name]).output().context(unreadable())?;
        if symbolic.code == 0 {
            return Ok(Some(Target::Symbolic(String::from_utf8_lossy(&symbolic.stdout).trim_end().to_owned())));
        }
        if name == "HEAD" {
            let id = self.git().args(["rev-parse", "-q", "--verify", "HEAD"]).text().context(unreadable())?;
            return Ok(Id::parse(&id).map(Target::Object));
        }
        let lines = self.git().args(["for-each-ref", "--format=%(refname) %(objectname)", name]).text().context(unreadable())?;
        let id = lines.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
        Ok(id.and_then(Id::parse).map(Target::Object))
    }

    /// The full names of the refs below `prefix`, which ends with a slash.
    pub fn refs_below(&self, prefix: &str) -> Result<Vec<String>> {
        let unreadable = || format!("the refs below {} cannot be listed", escape(prefix));
        if self.is_reftable() {
            let lines = self.git().args(["for-each-ref", "--format=%(refname)", prefix]).text().context(unreadable())?;
            return Ok(lines.lines().map(str::to_owned).collect());
        }
        let platform = self.git.references().context(unreadable())?;
        let refs = platform.prefixed(prefix.as_bytes()).context(unreadable())?;
        // a broken ref is in the way as much as a sound one, but has no name here
        Ok(refs.filter_map(std::result::Result::ok).map(|found| found.name().as_bstr().to_string()).collect())
    }

    /// The commit that a revision means, as git understands revisions.
    pub fn resolve(&self, revision: &str) -> Result<Id> {
        let spec = format!("{revision}^{{commit}}");
        let id = self
            .git()
            .args(["rev-parse", "--verify", "--quiet", "--end-of-options", &spec])
            .text()
            .map_err(|failure| Error::user(format!("there is no revision {}", escape(revision))).caused_by(failure))?;
        Id::parse(&id).ok_or_else(|| Error::user(format!("there is no revision {}", escape(revision))))
    }

    /// `branch.<packs>.remote`, else `remote.pushDefault`, else the only one, else `origin`.
    pub fn remote(&self, config: &Config) -> Result<Option<String>> {
        let names: Vec<String> = self.git.remote_names().iter().map(ToString::to_string).collect();
        let configured = match self.config(&format!("branch.{}.remote", config.branch))? {
            Some(name) => Some(name),
            None => self.config("remote.pushDefault")?,
        };
        Ok(match configured {
            // `.` stands for this very repository
            Some(name) if name != "." => Some(name),
            _ if names.len() == 1 => names.into_iter().next(),
            _ => names.into_iter().find(|name| name == "origin"),
        })
    }

    /// The ref that follows a branch of a remote, by the remote's fetch refspecs.
    pub fn tracking_ref(&self, remote: &str, branch: &str) -> Option<String> {
        self.config_all(&format!("remote.{remote}.fetch")).iter().find_map(|spec| {
            let (source, destination) = spec.trim_start_matches('+').split_once(':')?;
            match (source.split_once('*'), destination.split_once('*')) {
                (Some((before, after)), Some((to_before, to_after))) => {
                    let middle = branch.strip_prefix(before)?.strip_suffix(after)?;
                    Some(format!("{to_before}{middle}{to_after}"))
                }
                (None, None) => (source == branch && !destination.is_empty()).then(|| destination.to_owned()),
                _ => None,
            }
        })
    }

    /// The base branch: the setting, else the remote's default branch, else its `main` or `master`, else the local
    /// ones, else HEAD. Remote-tracking before local, so that nobody's unpushed work is published.
    pub fn base(&self, config: &Config) -> Result<Base> {
        let remote = self.remote(config)?;
        let tracking = |branch: &str| {
            remote.as_ref().and_then(|remote| self.tracking_ref(remote, branch)).filter(|name| *name != config.branch_ref())
        };
        let mut names = Vec::new();
        if let Some(base) = &config.base {
            let branch = format!("refs/heads/{base}");
            names.extend(if base.starts_with("refs/") {
                vec![base.clone()]
            } else {
                tracking(&branch).into_iter().chain([branch, format!("refs/remotes/{base}")]).collect()
            });
            for name in names {
                if let Some(tip) = self.find_ref(&name)? {
                    return Ok(Base { name, tip: Some(tip) });
                }
            }
            let head = self.head()?;
            let unborn = head.tip.is_none() && head.branch.as_deref() == Some(&format!("refs/heads/{base}"));
            return if unborn {
                Ok(Base { name: format!("refs/heads/{base}"), tip: None })
            } else {
                Err(Error::user(format!("there is no branch {}, which the setting `base` names", escape(base)))
                    .hint("set `base` in marvel/config.json to a branch that exists, or `git fetch` it"))
            };
        }
        if let Some(remote) = &remote
            && let Some(target) = self.symbolic_target(&format!("refs/remotes/{remote}/HEAD")).unwrap_or(None)
        {
            names.push(target);
        }
        names.extend(["refs/heads/main", "refs/heads/master"].iter().filter_map(|branch| tracking(branch)));
        names.extend(["refs/heads/main", "refs/heads/master"].map(str::to_owned));
        for name in names {
            if let Some(tip) = self.find_ref(&name)? {
                return Ok(Base { name, tip: Some(tip) });
            }
        }
        let head = self.head()?;
        Ok(Base { name: head.branch.unwrap_or_else(|| "HEAD".to_owned()), tip: head.tip })
    }

    /// The packs branch here, and as the remote had it when it was last fetched.
    pub fn packs_branch(&self, config: &Config) -> Result<PacksBranch> {
        let name = config.branch_ref();
        let remote = match self.remote(config)?.and_then(|remote| self.tracking_ref(&remote, &name)) {
            Some(tracking) if tracking != name => self.find_ref(&tracking)?.map(|tip| (tracking, tip)),
            _ => None,
        };
        Ok(PacksBranch { local: self.find_ref(&name)?, remote })
    }

    /// Who has a branch (by its full name) checked out, or is in the middle of rebasing or bisecting it: in any worktree.
    pub fn in_use(&self, branch: &str) -> Result<Option<InUse>> {
        if !self.git.common_dir().join("worktrees").is_dir() {
            return self.used_by(branch, self.git_dir(), self.work_tree().map(Path::to_owned), "HEAD");
        }
        let main = self.git.main_repo().ok().and_then(|main| main.workdir().map(Path::to_owned));
        if let Some(found) = self.used_by(branch, self.common_dir(), main, "main-worktree/HEAD")? {
            return Ok(Some(found));
        }
        for worktree in self.git.worktrees().context("the linked worktrees cannot be listed")? {
            let git_dir = worktree.git_dir().to_owned();
            let Some(id) = git_dir.file_name().map(|id| id.to_string_lossy().into_owned()) else { continue };
            let place = worktree.base().unwrap_or_else(|_| git_dir.clone());
            if let Some(found) = self.used_by(branch, &git_dir, Some(place), &format!("worktrees/{id}/HEAD"))? {
                return Ok(Some(found));
            }
        }
        Ok(None)
    }

    /// The folders of all working trees of this repository, the linked ones included.
    pub fn work_trees(&self) -> Result<Vec<PathBuf>> {
        let main = self.git.main_repo().ok().and_then(|main| main.workdir().map(Path::to_owned));
        let linked = self.git.worktrees().context("the linked worktrees cannot be listed")?;
        let linked = linked.into_iter().filter_map(|worktree| worktree.base().ok());
        let all = self.work_tree().map(Path::to_owned).into_iter().chain(main).chain(linked);
        let mut found: Vec<PathBuf> = all.map(|path| path.canonicalize().unwrap_or(path)).collect();
        found.sort();
        found.dedup();
        Ok(found)
    }

    fn used_by(&self, branch: &str, git_dir: &Path, worktree: Option<PathBuf>, head: &str) -> Result<Option<InUse>> {
        // in a bare repository HEAD only names the default branch
        let Some(worktree) = worktree else { return Ok(None) };
        let found = |how| Ok(Some(InUse { worktree: worktree.clone(), how }));
        if self.symbolic_target(head)?.as_deref() == Some(branch) {
            return found(Use::CheckedOut);
        }
        let names = |file: &str| std::fs::read_to_string(git_dir.join(file)).is_ok_and(|text| names_branch(&text, branch));
        if names("rebase-merge/head-name") || names("rebase-apply/head-name") || names("rebase-merge/update-refs") {
            return found(Use::Rebase);
        }
        if names("BISECT_START") {
            return found(Use::Bisect);
        }
        Ok(None)
    }
}

/// Whether one of a state file's lines is the branch, by its full or its short name.
fn names_branch(text: &str, branch: &str) -> bool {
    text.lines().any(|line| line == branch || line == short(branch))
}

#[cfg(test)]
mod tests {
    use super::{names_branch, short};

    #[test]
    fn a_state_file_names_a_branch_by_a_whole_line() {
        assert!(names_branch("refs/heads/packs\n", "refs/heads/packs"));
        assert!(names_branch("packs\n", "refs/heads/packs"));
        assert!(!names_branch("packs-old\nrefs/heads/packs/x\n", "refs/heads/packs"));
    }

    #[test]
    fn short_names_are_what_people_type() {
        assert_eq!(["refs/heads/a/b", "refs/remotes/origin/main", "HEAD"].map(short), ["a/b", "origin/main", "HEAD"]);
    }
}
