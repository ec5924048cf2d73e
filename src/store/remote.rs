//! The packs branch at a remote: fetched and pushed by the person's own git, with its credentials, its hooks, its
//! configuration. What is made of what was fetched is `sync`'s.

use super::id::Id;
use super::process::Failure;
use super::refs::shown_remote;
use super::repo::Repo;
use crate::capture::redact::redact;
use crate::error::{Context as _, Error, Result};
use crate::model::visible::escape;

impl Repo {
    /// Fetches from the remote, and gives what it has at `branch` (a full name) now; `None` where it has no such branch.
    pub fn fetch(&self, remote: &str, branch: &str) -> Result<Option<Id>> {
        let failed = |failure: Failure| {
            let name = shown_remote(remote);
            Error::user(format!("nothing could be fetched from {name}, and nothing was changed"))
                .caused_by(redact(&failure.to_string()).into_owned())
                .hint(format!("`git fetch {name}` shows the same"))
                .hint("`marvel sync --dry-run` looks at what was fetched before")
        };
        self.git().args(["fetch", "--quiet", remote]).run().map_err(failed)?;
        let list = self.git().args(["ls-remote", "--refs", remote, branch]).text().map_err(failed)?;
        let tip = list.lines().filter_map(|line| line.split_once('\t')).find(|(_, name)| *name == branch);
        let tip = tip.and_then(|(id, _)| Id::parse(id));
        if let Some(tip) = tip
            && !self.has_commit(tip)
        {
            // the remote's refspecs leave this branch out
            self.git().args(["fetch", "--quiet", remote, branch]).run().map_err(failed)?;
        }
        Ok(tip)
    }

    /// Pushes a branch (a full name) to the branch of the same name; never by force. Where it is refused everything stays
    /// as it was, and the error says what to do.
    pub fn push(&self, remote: &str, branch: &str) -> Result<()> {
        let shown = shown_remote(remote);
        let short = escape(super::refs::short(branch)).into_owned();
        let output = self
            .git()
            .args(["push", "--porcelain", remote, &format!("{branch}:{branch}")])
            .output()
            .context(format!("{short} could not be pushed"))?;
        if output.code == 0 {
            return Ok(());
        }
        let said = redact(&output.stderr).into_owned();
        let answer = String::from_utf8_lossy(&output.stdout).into_owned();
        let refusal = answer.lines().find_map(|line| line.strip_prefix("!\t")?.rsplit('\t').next());
        let error = match refusal {
            Some(reason) if reason.starts_with("[rejected]") => {
                Error::user(format!("{shown} has commits on {short} that are not here yet, so nothing was pushed"))
                    .caused_by(said)
                    .hint("`marvel sync --push` brings both together and pushes again")
            }
            Some(reason) => Error::user(format!("{shown} refused {short}: {}", escape(reason.trim())))
                .caused_by(said)
                .hint("where the branch is protected, `marvel sync --only ID --as BRANCH --push` makes a branch of its own for a lesson"),
            None => Error::user(format!("{short} could not be pushed to {shown}"))
                .caused_by(said)
                .hint(format!("`git push {shown} {short}` shows the same")),
        };
        Err(error.hint(format!("what was committed stays on the branch {short} here")))
    }

    /// The remote's address for pushes, in the forms that git has of it: as it is written, and as it is used.
    pub fn push_urls(&self, remote: &str) -> Vec<String> {
        let written = ["pushurl", "url"].iter().flat_map(|key| self.config_all(&format!("remote.{remote}.{key}")));
        written.chain(self.git().args(["remote", "get-url", "--push", remote]).text()).collect()
    }
}
