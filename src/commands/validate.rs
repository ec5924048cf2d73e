//! `marvel validate`: what is wrong with the packs of a state. The rules are `check`'s.

use std::fmt::Write as _;

use serde_json::json;

use super::Context;
use crate::check::{self, Options};
use crate::error::{Error, Result};
use crate::model::config::{CONFIG_PATH, CONFIG_SCHEMA_PATH};
use crate::model::finding::Finding;
use crate::model::pack::{PACKS_DIR, PackName};
use crate::model::plural::count;
use crate::model::visible::escape;
use crate::store::Repo;
use crate::store::checked::Checked;
use crate::ui::{Report, findings};

/// Check packs and settings, and say what is wrong where
///
/// Ends with 1 where there are errors; warnings alone are fine.
#[derive(clap::Args)]
pub struct Args {
    /// Report only on these files, folders or packs
    #[arg(value_name = "PATH")]
    paths: Vec<String>,
    /// Check what is staged instead of the working tree
    #[arg(long)]
    staged: bool,
    /// Check a commit instead of the working tree
    #[arg(long, value_name = "REV", conflicts_with = "staged")]
    rev: Option<String>,
    /// Unknown fields are errors
    #[arg(long)]
    strict: bool,
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", conflicts_with = "json")]
    format: Format,
}

/// How the findings are printed.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Format {
    Text,
    Json,
    /// Annotations of a GitHub workflow
    Github,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let checked = match &args.rev {
        Some(revision) => repo.checked_at(repo.resolve(revision)?)?,
        None if args.staged => repo.checked_in_index()?,
        None => repo.checked_here()?,
    };
    let options = Options { strict: args.strict, ..checked.options(cx.now) };
    let mut all = check::check(&checked.packs, &options);
    let wanted = args.paths.iter().map(|path| place(path, &repo, &checked, cx)).collect::<Result<Vec<_>>>()?;
    if !wanted.is_empty() {
        all.retain(|finding| wanted.iter().any(|place| is_in(&finding.file, place)));
    }
    let packs = checked.packs.packs().len();
    Ok(Box::new(Found { findings: all, packs, format: args.format }))
}

/// What a person named: a path as seen from where they are, or a pack. From the repository's root.
fn place(path: &str, repo: &Repo, checked: &Checked, cx: &Context) -> Result<String> {
    let known = |place: &str| {
        let also = [CONFIG_PATH, CONFIG_SCHEMA_PATH].into_iter().filter(|path| *path != CONFIG_PATH || checked.config.is_some());
        let files = checked.packs.iter().map(|(path, _)| path).chain(checked.links.iter().map(String::as_str)).chain(also);
        files.into_iter().any(|file| is_in(file, place))
    };
    let here = cx.root(repo).relative(&cx.dir.join(path)).map(|path| path.as_str().to_owned());
    let pack = PackName::new(path).map(|name| format!("{PACKS_DIR}/{name}"));
    here.into_iter().chain(pack).find(|place| known(place)).ok_or_else(|| {
        Error::user(format!("`{}` is no pack, and no file of the packs", escape(path)))
            .hint("name a pack, or a path below marvel/packs; without one all packs are checked")
    })
}

fn is_in(file: &str, place: &str) -> bool {
    place.is_empty() || file.strip_prefix(place).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

struct Found {
    findings: Vec<Finding>,
    packs: usize,
    format: Format,
}

impl Report for Found {
    fn json(&self) -> serde_json::Value {
        let (errors, warnings) = findings::count(&self.findings);
        json!({ "errors": errors, "warnings": warnings, "findings": self.findings })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        if self.format == Format::Github {
            return findings::github(&self.findings, out);
        }
        findings::text(&self.findings, out)?;
        writeln!(out, "{} in {}", findings::summary(&self.findings), count(self.packs, "pack"))
    }

    fn wants_json(&self) -> bool {
        self.format == Format::Json
    }

    fn exit_code(&self) -> u8 {
        u8::from(findings::count(&self.findings).0 > 0)
    }
}
