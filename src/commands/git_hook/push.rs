//! `pre-push`: the packs branch carries packs and nothing else, and no branch carries packs that are wrong.

use std::io::Read as _;

use super::{Verdict, wrong};
use crate::commands::Context;
use crate::error::{Context as _, Result};
use crate::model::config::Config;
use crate::model::pack::PACKS_DIR;
use crate::model::visible::escape;
use crate::store::{Id, Repo};

/// How many files a refusal names.
const NAMED: usize = 5;

/// A branch that is about to be pushed.
#[derive(Debug, PartialEq, Eq)]
struct Pushed {
    /// The full name at the remote.
    branch: String,
    tip: Id,
    /// What the remote has; nothing of a new branch.
    there: Option<Id>,
}

pub(super) fn pushed(cx: &Context) -> Result<Verdict> {
    let mut lines = String::new();
    std::io::stdin().read_to_string(&mut lines).context("git did not say what is pushed")?;
    let branches: Vec<Pushed> = lines.lines().filter_map(parse).collect();
    if branches.is_empty() {
        return Ok(Verdict::default());
    }
    let repo = cx.repo()?.without_fetching();
    let config = cx.config(&repo)?;
    let mut verdict = Verdict { advice: "nothing was pushed", ..Verdict::default() };
    for pushed in &branches {
        judge(&repo, &config, pushed, cx, &mut verdict)?;
    }
    Ok(verdict)
}

fn judge(repo: &Repo, config: &Config, pushed: &Pushed, cx: &Context, verdict: &mut Verdict) -> Result<()> {
    let base = repo.base(config)?.tip;
    let is_packs = |path: &String| path.strip_prefix(PACKS_DIR).is_some_and(|rest| rest.starts_with('/'));
    if pushed.branch == config.branch_ref() {
        let outside: Vec<String> = repo.changed_since(base, pushed.tip)?.into_iter().filter(|path| !is_packs(path)).collect();
        if !outside.is_empty() {
            let more = if outside.len() > NAMED { format!(" and {} more", outside.len() - NAMED) } else { String::new() };
            let names: Vec<_> = outside.iter().take(NAMED).map(|path| escape(path).into_owned()).collect();
            verdict.refused.push(format!(
                "{} changes files outside of {PACKS_DIR}: {}{more}; other work belongs on a branch of its own",
                escape(crate::store::refs::short(&pushed.branch)),
                names.join(", ")
            ));
        }
    }
    let since = pushed.there.filter(|id| repo.has_commit(*id)).or(base);
    let mut changed = repo.changed_since(since, pushed.tip)?;
    changed.retain(is_packs);
    if !changed.is_empty() {
        verdict.findings.extend(wrong(&repo.checked_at(pushed.tip)?, &changed, cx));
    }
    Ok(())
}

/// `<local ref> <local id> <remote ref> <remote id>`; nothing for a tag, and for a branch that is deleted.
fn parse(line: &str) -> Option<Pushed> {
    let mut fields = line.split(' ');
    let (_, tip, branch, there) = (fields.next()?, fields.next()?, fields.next()?, fields.next()?);
    let id = |text: &str| Id::parse(text).filter(|_| text.bytes().any(|byte| byte != b'0'));
    branch.starts_with("refs/heads/").then_some(())?;
    Some(Pushed { branch: branch.to_owned(), tip: id(tip)?, there: id(there) })
}

#[cfg(test)]
mod tests {
    use super::{Pushed, parse};
    use crate::store::Id;

    #[test]
    fn what_git_says_is_read() {
        let (one, none) = ("1".repeat(40), "0".repeat(40));
        let id = Id::parse(&one).unwrap();
        assert_eq!(
            parse(&format!("HEAD {one} refs/heads/packs {none}")),
            Some(Pushed { branch: "refs/heads/packs".to_owned(), tip: id, there: None })
        );
        assert_eq!(parse(&format!("(delete) {none} refs/heads/packs {one}")), None);
        assert_eq!(parse(&format!("refs/tags/v1 {one} refs/tags/v1 {none}")), None);
        assert_eq!(parse(""), None);
    }
}
