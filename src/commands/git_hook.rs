//! `marvel git-hook NAME`: what git's hooks come to. Only packs that are wrong stop git; whatever else goes wrong here is told in
//! a line, or in the log, and git goes on. Nothing is added to a commit, and no index or file is written.

mod message;
mod push;

use std::ffi::OsString;
use std::fmt::Write as _;

use serde_json::json;

use super::Context;
use crate::check;
use crate::error::{Context as _, Result};
use crate::model::config::CONFIG_PATH;
use crate::model::finding::{Finding, Severity};
use crate::model::pack::PACKS_DIR;
use crate::session::overlay::Overlay;
use crate::session::root::Root;
use crate::session::{log, own, packs};
use crate::store::checked::Checked;
use crate::store::overlay;
use crate::ui::{Report, findings};

/// Called by git's hooks
#[derive(clap::Args)]
#[command(hide = true)]
pub struct Args {
    /// The hook's name
    #[arg(value_name = "NAME")]
    hook: String,
    /// What git gives to the hook
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGS")]
    args: Vec<OsString>,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    if std::env::var_os("MARVEL").is_some_and(|value| value == "0") {
        return Ok(Box::new(Verdict::default()));
    }
    let verdict = match args.hook.as_str() {
        "pre-commit" | "pre-merge-commit" => staged(cx),
        "pre-push" => push::pushed(cx),
        "commit-msg" => args.args.first().map_or_else(|| Ok(Verdict::default()), |path| message::check(path.as_ref(), cx)),
        "post-merge" | "post-checkout" | "post-rewrite" => {
            refresh(args, cx);
            Ok(Verdict::default())
        }
        // A shim of another version may ask for more.
        _ => Ok(Verdict::default()),
    };
    let verdict = verdict.unwrap_or_else(|error| {
        cx.ui.warn(format!("marvel did not check the packs: {}", crate::model::visible::escape(&error.message)));
        Verdict::default()
    });
    if verdict.exit_code() > 0
        && let Ok(repo) = cx.repo()
    {
        log::note(&cx.root(&repo), "git-hook", &format!("{} refused: {}", args.hook, findings::summary(&verdict.findings)));
        if !cx.ui.json {
            // Standard output belongs to the git command.
            let mut text = String::new();
            verdict.said(&mut text).context("the findings could not be formatted")?;
            cx.ui.note(text.trim_end());
        }
    }
    Ok(Box::new(verdict))
}

/// What is about to be committed: the packs that the commit changes have to be right.
fn staged(cx: &Context) -> Result<Verdict> {
    let repo = cx.repo()?.without_fetching();
    let changed = repo.staged_below(&[PACKS_DIR, CONFIG_PATH])?;
    if changed.is_empty() {
        return Ok(Verdict::default());
    }
    let findings = wrong(&repo.checked_in_index()?, &changed, cx);
    let advice = "nothing was committed: correct the files and stage them again (`marvel validate --staged`)";
    Ok(Verdict { findings, refused: Vec::new(), advice })
}

/// HEAD moved: what is in force beyond the working tree is computed anew. Nobody waits for an answer.
fn refresh(args: &Args, cx: &Context) {
    let files_alone = args.hook == "post-checkout" && args.args.get(2).is_some_and(|flag| flag == "0");
    let Some(root) = Root::find(&cx.dir).filter(|_| !files_alone) else { return };
    let here = root.work_tree.as_ref().is_some_and(|work_tree| work_tree.join(PACKS_DIR).exists());
    if !here && !own::path(&root).exists() && !Overlay::path(&root).exists() {
        return;
    }
    let (config, _) = packs::config(&root);
    let refreshed = cx.repo().and_then(|repo| overlay::refresh(&repo.without_fetching(), &config));
    if let Err(error) = refreshed {
        log::note(&root, "git-hook", &format!("{}: {error}", args.hook));
    }
}

/// The errors in those packs, and those other files, that were changed.
fn wrong(checked: &Checked, changed: &[String], cx: &Context) -> Vec<Finding> {
    let mut all = check::check(&checked.packs, &checked.options(cx.now));
    all.retain(|finding| {
        finding.severity == Severity::Error && changed.iter().any(|path| pack_folder(path) == pack_folder(&finding.file))
    });
    all
}

/// `marvel/packs/<name>`; a file that is in no pack stands for itself.
fn pack_folder(path: &str) -> &str {
    let below = path.strip_prefix(PACKS_DIR).and_then(|rest| rest.strip_prefix('/'));
    match below.and_then(|rest| rest.find('/')) {
        Some(slash) => &path[..PACKS_DIR.len() + 1 + slash],
        None => path,
    }
}

/// Whether git may go on, and why not.
#[derive(Default)]
struct Verdict {
    findings: Vec<Finding>,
    /// Other reasons, a sentence each.
    refused: Vec<String>,
    advice: &'static str,
}

impl Report for Verdict {
    fn json(&self) -> serde_json::Value {
        json!({ "findings": self.findings, "refused": self.refused })
    }

    fn text(&self, _out: &mut String) -> std::fmt::Result {
        Ok(())
    }

    fn exit_code(&self) -> u8 {
        u8::from(!self.findings.is_empty() || !self.refused.is_empty())
    }
}

impl Verdict {
    fn said(&self, out: &mut String) -> std::fmt::Result {
        findings::text(&self.findings, out)?;
        let (error, hint) = (crate::ui::style::ERROR, crate::ui::style::HINT);
        for reason in &self.refused {
            writeln!(out, "{error}error:{error:#} {reason}")?;
        }
        writeln!(out, "{hint}marvel:{hint:#} {}", self.advice)?;
        writeln!(out, "{hint}marvel:{hint:#} MARVEL=0 switches this check off")
    }
}

#[cfg(test)]
mod tests {
    use super::pack_folder;

    #[test]
    fn a_file_stands_for_its_pack() {
        for (path, folder) in [
            ("marvel/packs/a/lessons.jsonl", "marvel/packs/a"),
            ("marvel/packs/a/x/y", "marvel/packs/a"),
            ("marvel/packs/_pack.schema.json", "marvel/packs/_pack.schema.json"),
            ("marvel/config.json", "marvel/config.json"),
        ] {
            assert_eq!(pack_folder(path), folder);
        }
    }
}
