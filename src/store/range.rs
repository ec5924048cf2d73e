//! Which files a commit that is about to be made, or commits that are about to be pushed, change. Names alone: what is in
//! the files is `checked`'s.

use super::id::Id;
use super::process::Failure;
use super::repo::Repo;
use super::tree::text_fields;
use crate::error::{Context as _, Error, Result};

impl Repo {
    /// The files below `paths` that a commit of the index would change. Inside a git hook it is that command's own index.
    pub fn staged_below(&self, paths: &[&str]) -> Result<Vec<String>> {
        let specs = paths.iter().map(|path| format!(":(top,literal){path}"));
        let git =
            self.with_index(self.git()).args(["diff", "--cached", "--name-only", "-z", "--no-renames", "--no-ext-diff", "--"]);
        let list = git.args(specs).run().context("what is staged cannot be listed")?;
        Ok(text_fields(&list).collect())
    }

    /// The files that `tip` has otherwise than the commit where it forked from `since`; all of them where it did not.
    pub fn changed_since(&self, since: Option<Id>, tip: Id) -> Result<Vec<String>> {
        let fork = since.map(|since| self.fork(since, tip)).transpose()?.flatten();
        let tip = tip.to_string();
        let git = match fork {
            Some(fork) => self.git().args(["diff-tree", "-r", "-z", "--name-only", "--no-renames", &fork.to_string(), &tip]),
            None => self.git().args(["ls-tree", "-r", "-z", "--name-only", "--full-tree", &tip]),
        };
        let list = git.run().context(format!("what {tip} changes cannot be listed"))?;
        Ok(text_fields(&list).collect())
    }

    /// Whether this clone has that commit.
    pub fn has_commit(&self, id: Id) -> bool {
        self.git().args(["cat-file", "-e", &format!("{id}^{{commit}}")]).output().is_ok_and(|output| output.code == 0)
    }

    fn fork(&self, since: Id, tip: Id) -> Result<Option<Id>> {
        match self.git().args(["merge-base", &since.to_string(), &tip.to_string()]).text() {
            Ok(id) => Ok(Id::parse(&id)),
            Err(Failure::Exit { code: 1, .. }) => Ok(None),
            Err(failure) => Err(Error::user("git cannot tell where two branches forked").caused_by(failure)),
        }
    }
}
