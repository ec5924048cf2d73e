//! `marvel review`: what a reviewer of a pull request of lessons needs, on one page: what changes, who taught it on what
//! evidence, what is wrong with the changed lines, what it will cost.

use std::fmt::{self, Write as _};

use serde_json::{Value, json};

use super::Context;
use super::diff::{findings_on_changes, graduated};
use crate::error::{Error, Result};
use crate::inject::units;
use crate::merge::changes::{Changes, LessonKind, between};
use crate::model::finding::{Finding, Severity};
use crate::model::pack_files::PackFiles;
use crate::model::visible::escape;
use crate::store::checked::Checked;
use crate::store::refs::short;
use crate::store::told::Told;
use crate::ui::changes::Shown;
use crate::ui::{Report, findings, markdown, style};

/// Review the lessons of a branch on one page: changes, where they come from, findings on the changed lines
///
/// Ends with 1 where there are errors.
#[derive(clap::Args)]
pub struct Args {
    /// The branch that it goes into (else: the base branch)
    #[arg(long, value_name = "REV")]
    base: Option<String>,
    /// What is reviewed (else: the packs branch)
    #[arg(long, value_name = "REV")]
    head: Option<String>,
    #[arg(long, value_enum, default_value = "text", value_name = "FORMAT", conflicts_with = "json")]
    format: Format,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
enum Format {
    Text,
    /// A comment for the pull request
    Markdown,
    Json,
    /// Annotations of a GitHub workflow
    Github,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let config = cx.config(&repo)?;
    let (head, head_name) = match &args.head {
        Some(revision) => (repo.resolve(revision)?, revision.clone()),
        None => match repo.packs_branch(&config)?.tip() {
            Some(tip) => (tip, config.branch.clone()),
            None => {
                return Err(Error::user(format!("there is no branch {} to review", escape(&config.branch)))
                    .hint("--head REV names another one; `marvel promote` makes it"));
            }
        },
    };
    let (base, base_name) = match &args.base {
        Some(revision) => (Some(repo.resolve(revision)?), revision.clone()),
        None => {
            let base = repo.base(&config)?;
            (base.tip, short(&base.name).to_owned())
        }
    };
    let before = base.map_or_else(|| Ok(Checked::default()), |base| repo.fork_of(base, head))?;
    let after = repo.checked_at(head)?;
    let told = repo.told(base, head)?;
    let changes = between(&before.packs, &after.packs, &graduated(&told));
    let findings = findings_on_changes(&before, &after, cx.now);
    let cost = (size(&before.packs), size(&after.packs));
    Ok(Box::new(Review { base: base_name, head: head_name, changes, told, findings, cost, format: args.format }))
}

/// What all packs would cost if they were put before an agent whole, in UTF-16 units.
fn size(packs: &PackFiles) -> usize {
    let of = |pack| {
        let lessons = packs.lessons(pack);
        let lessons = lessons.lessons().into_iter().map(|lesson| units(&lesson.title) + units(&lesson.actionable));
        units(&packs.guardrails(pack)) + lessons.sum::<usize>()
    };
    packs.packs().iter().map(of).sum()
}

struct Review {
    base: String,
    head: String,
    changes: Changes,
    told: Vec<Told>,
    findings: Vec<Finding>,
    /// Before and after.
    cost: (usize, usize),
    format: Format,
}

impl Review {
    fn shown(&self) -> Shown<'_> {
        Shown { changes: &self.changes, told: &self.told }
    }

    /// `2 added, 1 edited`
    fn counts(&self) -> String {
        let kinds = [LessonKind::Added, LessonKind::Edited, LessonKind::Removed, LessonKind::Graduated, LessonKind::Recorded];
        let some = kinds.into_iter().filter_map(|kind| {
            let count = self.changes.lessons.iter().filter(|change| change.kind == kind).count();
            (count > 0).then(|| format!("{count} {}", kind.as_str()))
        });
        let told = some.collect::<Vec<_>>().join(", ");
        match (told.is_empty(), self.changes.is_empty()) {
            (true, true) => "nothing changes".to_owned(),
            (true, false) => "no lesson changes".to_owned(),
            _ => format!("lessons: {told}"),
        }
    }

    fn cost(&self) -> String {
        let (before, after) = self.cost;
        let sign = if after >= before { '+' } else { '-' };
        format!("{sign}{} characters of context at most ({after} in all packs)", after.abs_diff(before))
    }
}

impl Report for Review {
    fn json(&self) -> Value {
        let (errors, warnings) = findings::count(&self.findings);
        let mut document = self.shown().json();
        document["base"] = json!(self.base);
        document["head"] = json!(self.head);
        document["errors"] = json!(errors);
        document["warnings"] = json!(warnings);
        document["findings"] = json!(self.findings);
        document["chars"] = json!({ "before": self.cost.0, "after": self.cost.1 });
        document
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        match self.format {
            Format::Github => return findings::github(&self.findings, out),
            Format::Markdown => return self.markdown(out),
            Format::Text | Format::Json => {}
        }
        let title = style::TITLE;
        writeln!(out, "{title}{} into {}{title:#}, {}", escape(&self.head), escape(&self.base), self.counts())?;
        if self.changes.is_empty() && self.findings.is_empty() {
            return Ok(());
        }
        writeln!(out)?;
        self.shown().text(out)?;
        writeln!(out)?;
        findings::text(&self.findings, out)?;
        writeln!(out, "{}; {}", findings::summary(&self.findings), self.cost())
    }

    fn wants_json(&self) -> bool {
        self.format == Format::Json
    }

    fn exit_code(&self) -> u8 {
        u8::from(findings::count(&self.findings).0 > 0)
    }
}

impl Review {
    fn markdown(&self, out: &mut String) -> fmt::Result {
        writeln!(out, "## Lessons: {} into {}\n", markdown::escape(&self.head), markdown::escape(&self.base))?;
        writeln!(out, "{}; {}.\n", self.counts(), self.cost())?;
        self.shown().markdown(out, 3)?;
        if self.findings.is_empty() {
            return if self.changes.is_empty() { Ok(()) } else { writeln!(out, "No findings on the changed lines.") };
        }
        writeln!(out, "### Findings: {}\n", findings::summary(&self.findings))?;
        for finding in &self.findings {
            let word = if finding.severity == Severity::Error { "**error**" } else { "warning" };
            let place = markdown::escape(&findings::place(finding));
            write!(out, "- {word} {} ({}): {}", markdown::escape(&finding.message), finding.code, place)?;
            match &finding.hint {
                Some(hint) => writeln!(out, "\n  - {}", markdown::escape(hint))?,
                None => writeln!(out)?,
            }
        }
        Ok(())
    }
}
