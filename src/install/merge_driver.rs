//! The merge driver, as git's configuration names it: `marvel merge-driver` where the binary is found, git's own merge of
//! lines where it is not, so that a missing binary leaves ordinary markers. What merging means is `merge`'s.

use crate::error::{Error, Result};
use crate::store::Repo;
use crate::store::process::Failure;

const SECTION: &str = "merge.marvel";
const NAME: (&str, &str) = ("merge.marvel.name", "lessons and packs, merged by what they mean");
const DRIVER: &str = "merge.marvel.driver";

/// Git gives the command to a shell, with the places of three files put in. It takes any code from 1 to 128 as "a conflict, and
/// this is the result": a binary that is broken, or too old to know the command, must not end with one of those.
fn command(program: &str) -> String {
    let recorded = super::git_hooks::quoted(program);
    format!(
        "for m in {recorded} marvel; do command -v \"$m\" >/dev/null 2>&1 && {{ \"$m\" merge-driver %O %A %B %P %L; r=$?; \
         [ $r -gt 1 ] && [ $r -lt 129 ] || exit $r; break; }}; done; exec git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B"
    )
}

/// What is to be set, as key and value; nothing where all is set.
pub fn missing(repo: &Repo, program: &str) -> Result<Vec<(&'static str, String)>> {
    let wanted = [(NAME.0, NAME.1.to_owned()), (DRIVER, command(program))];
    let mut missing = Vec::new();
    for (key, value) in wanted {
        if local(repo, key)?.as_deref() != Some(&value) {
            missing.push((key, value));
        }
    }
    Ok(missing)
}

pub fn is_registered(repo: &Repo) -> Result<bool> {
    Ok(local(repo, DRIVER)?.is_some_and(|command| command.contains("merge-driver %O %A %B")))
}

/// Sets a key in the configuration that all worktrees share.
pub fn set(repo: &Repo, key: &str, value: &str) -> Result<()> {
    repo.git().args(["config", "--local", "--replace-all", key, value]).run().map_err(denied)?;
    Ok(())
}

/// Whether there is a section of ours.
pub fn has_section(repo: &Repo) -> Result<bool> {
    Ok(local(repo, NAME.0)?.is_some() || local(repo, DRIVER)?.is_some())
}

/// Takes the section out.
pub fn remove(repo: &Repo) -> Result<()> {
    repo.git().args(["config", "--local", "--remove-section", SECTION]).run().map_err(denied)?;
    Ok(())
}

fn local(repo: &Repo, key: &str) -> Result<Option<String>> {
    match repo.git().args(["config", "--local", "--get", key]).text() {
        Ok(value) => Ok(Some(value)),
        Err(Failure::Exit { code: 1, .. }) => Ok(None),
        Err(failure) => Err(Error::user("git's configuration cannot be read").caused_by(failure)),
    }
}

fn denied(failure: Failure) -> Error {
    Error::user("the repository's configuration cannot be written")
        .caused_by(failure)
        .hint("an agent's sandbox may forbid it: run `marvel init` in a terminal of your own")
}
