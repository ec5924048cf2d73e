//! `marvel pack`: the packs in force, to browse, and a new one to begin. What a good pack is `check` knows.

mod tailor;

use std::fmt::Write as _;

use serde_json::json;

use super::Context;
use super::lessons::{self, Shown};
use crate::check::{self, Options};
use crate::error::{Context as _, Error, Result};
use crate::install::change::Change;
use crate::install::starter;
use crate::model::finding::Severity;
use crate::model::guardrails::Guardrails;
use crate::model::pack::{AppliesTo, GUARDRAILS_FILE, LESSONS_FILE, META_FILE, PACKS_DIR, PackMeta, PackName, References};
use crate::model::visible::escape;
use crate::ui::{Report, diff, style, table};

/// List the packs in force, show one, begin a new one
#[derive(clap::Args)]
pub struct Args {
    #[command(subcommand)]
    command: Command,
}

#[derive(clap::Subcommand)]
enum Command {
    /// List the packs in force
    List,
    /// Show what a pack is about, its guardrails and its lessons
    Show {
        #[arg(value_name = "NAME")]
        name: String,
    },
    New(New),
    Tailor(tailor::Args),
}

/// Begin a new pack in the working tree
#[derive(clap::Args)]
struct New {
    /// Lower-case letters, digits and `-`
    #[arg(value_name = "NAME")]
    name: String,
    /// Who answers for it [default: git's user.name]
    #[arg(long, value_name = "WHO")]
    owner: Option<String>,
    /// What it is about, in a sentence
    #[arg(long, value_name = "TEXT")]
    description: Option<String>,
    /// What its lessons are about
    #[arg(long, value_delimiter = ',', value_name = "NAMES")]
    categories: Vec<String>,
    /// Ends of file names, as in `.ts,.test.ts`
    #[arg(long, value_delimiter = ',', value_name = "EXTENSIONS")]
    extensions: Vec<String>,
    /// A path or glob of the code that it is about; may be given several times
    #[arg(long, value_name = "PATH")]
    code_path: Vec<String>,
    /// A glob of files where a mistake is expensive; may be given several times
    #[arg(long, value_name = "GLOB")]
    sensitive_path: Vec<String>,
    /// A path or glob where it has nothing to say; may be given several times
    #[arg(long, value_name = "PATH")]
    exclude: Vec<String>,
    /// A pack that is worth reading with it
    #[arg(long, value_delimiter = ',', value_name = "PACKS")]
    depends_on: Vec<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    match &args.command {
        Command::List => list(cx),
        Command::Show { name } => show(name, cx),
        Command::New(new) => begin(new, cx),
        Command::Tailor(args) => tailor::run(args, cx),
    }
}

fn list(cx: &Context) -> Result<Box<dyn Report>> {
    let packs = cx.packs()?;
    let row = |meta: &PackMeta| {
        let lessons = packs.lessons(&meta.name);
        Row {
            rules: Guardrails::parse(&packs.guardrails(&meta.name)).rules().count(),
            pending: lessons.iter().filter(|one| one.pending).count(),
            lessons: lessons.len(),
            meta: meta.clone(),
        }
    };
    Ok(Box::new(List { rows: packs.metas().iter().map(row).collect(), broken: packs.broken.clone() }))
}

struct Row {
    meta: PackMeta,
    rules: usize,
    lessons: usize,
    pending: usize,
}

struct List {
    rows: Vec<Row>,
    /// Folders that are no packs, and why.
    broken: Vec<(String, String)>,
}

impl Report for List {
    fn json(&self) -> serde_json::Value {
        let pack = |row: &Row| {
            json!({
                "name": row.meta.name,
                "version": row.meta.version,
                "owner": row.meta.owner,
                "description": row.meta.description,
                "categories": row.meta.categories,
                "rules": row.rules,
                "lessons": row.lessons,
                "pending": row.pending,
            })
        };
        json!({
            "packs": self.rows.iter().map(pack).collect::<Vec<_>>(),
            "broken": self.broken.iter().map(|(folder, reason)| json!({ "folder": folder, "reason": reason })).collect::<Vec<_>>(),
        })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        let row = |row: &Row| {
            let name = style::NAME;
            let pending = if row.pending > 0 { format!(" ({} pending)", row.pending) } else { String::new() };
            vec![
                format!("{name}{}{name:#}", row.meta.name),
                escape(&row.meta.version).into_owned(),
                row.rules.to_string(),
                format!("{}{pending}", row.lessons),
                escape(&row.meta.owner).into_owned(),
                escape(row.meta.description.as_deref().unwrap_or_default()).into_owned(),
            ]
        };
        if self.rows.is_empty() {
            writeln!(out, "No packs yet: `marvel init` adds some, `marvel pack new NAME` begins one.")?;
        } else {
            let rows: Vec<_> = self.rows.iter().map(row).collect();
            out.push_str(&table::table(&["pack", "version", "rules", "lessons", "owner", "about"], &rows));
        }
        for (folder, reason) in &self.broken {
            let warning = style::WARNING;
            writeln!(out, "{warning}broken:{warning:#} {}: {}", escape(folder), escape(reason))?;
        }
        if !self.broken.is_empty() {
            let hint = style::HINT;
            writeln!(out, "{hint}hint:{hint:#} `marvel validate` says what is wrong, and where")?;
        }
        Ok(())
    }
}

fn show(name: &str, cx: &Context) -> Result<Box<dyn Report>> {
    let packs = cx.packs()?;
    let meta = PackName::new(name).and_then(|name| packs.meta(&name).cloned()).ok_or_else(|| {
        let error = Error::user(format!("there is no pack `{}`", escape(name)));
        match packs.broken.iter().find(|(folder, _)| folder == name) {
            Some((_, reason)) => {
                error.caused_by(reason.clone()).hint(format!("`marvel validate {name}` says what is wrong, and where"))
            }
            None => error.hint("`marvel pack list` shows the packs that there are"),
        }
    })?;
    let lessons =
        packs.lessons(&meta.name).into_iter().map(|one| Shown { pack: meta.name.clone(), one, provenance: None }).collect();
    Ok(Box::new(Pack { guardrails: packs.guardrails(&meta.name), lessons, meta }))
}

struct Pack {
    meta: PackMeta,
    guardrails: String,
    lessons: Vec<Shown>,
}

impl Report for Pack {
    fn json(&self) -> serde_json::Value {
        json!({
            "pack": self.meta,
            "guardrails": self.guardrails,
            "lessons": self.lessons.iter().map(Shown::json).collect::<Vec<_>>(),
        })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        let meta = &self.meta;
        let (name, bold) = (style::NAME, style::TITLE);
        writeln!(out, "{name}{}{name:#} {}", meta.name, escape(&meta.version))?;
        let fields = [
            ("about", meta.description.clone().unwrap_or_default()),
            ("owner", meta.owner.clone()),
            ("categories", meta.categories.join(", ")),
            ("extensions", meta.applies_to.extensions.join(" ")),
            ("depends on", meta.depends_on.join(", ")),
            ("code", meta.references.code_paths.join("  ")),
            ("sensitive", meta.sensitive_paths.join("  ")),
            ("excluded", meta.excludes_paths.join("  ")),
            ("read on", meta.references.doc_links.join("  ")),
        ];
        for (title, text) in fields.iter().filter(|(_, text)| !text.is_empty()) {
            writeln!(out, "  {title:10} {}", escape(text).replace('\n', " "))?;
        }
        writeln!(out, "\n{bold}{GUARDRAILS_FILE}{bold:#}\n")?;
        let text = self.guardrails.trim_end();
        writeln!(out, "{}\n", if text.is_empty() { "no rules yet".into() } else { escape(text) })?;
        writeln!(out, "{bold}{LESSONS_FILE}{bold:#}\n")?;
        if self.lessons.is_empty() {
            return writeln!(out, "no lessons yet");
        }
        out.push_str(&lessons::rows(&self.lessons, false));
        Ok(())
    }
}

fn begin(new: &New, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let work_tree = repo.work_tree().ok_or_else(|| {
        Error::user("a bare repository has no working tree to begin a pack in").hint("run this in a clone or a worktree")
    })?;
    let name = PackName::new(&new.name).ok_or_else(|| {
        Error::usage(format!("`{}` cannot be the name of a pack", escape(&new.name)))
            .hint("lower-case letters, digits and `-`, beginning with a letter")
    })?;
    if work_tree.join(PACKS_DIR).join(name.as_str()).exists() || cx.packs()?.meta(&name).is_some() {
        return Err(Error::user(format!("there is a pack `{name}` already")).hint(format!("`marvel pack show {name}` shows it")));
    }
    let Some(owner) = new.owner.clone().or(repo.config("user.name")?) else {
        return Err(Error::user("a pack needs an owner").hint("name who answers for it: `--owner WHO`"));
    };
    let meta = PackMeta {
        description: new.description.clone(),
        categories: new.categories.clone(),
        applies_to: AppliesTo { extensions: new.extensions.clone() },
        depends_on: new.depends_on.clone(),
        sensitive_paths: new.sensitive_path.clone(),
        excludes_paths: new.exclude.clone(),
        references: References { code_paths: new.code_path.clone(), doc_links: Vec::new() },
        ..PackMeta::minimal(name.clone(), &owner)
    };
    let mut files = vec![
        (name.path(META_FILE), meta.to_json()),
        (name.path(GUARDRAILS_FILE), format!("# {}\n", heading(&name))),
        (name.path(LESSONS_FILE), String::new()),
    ];
    refuse_bad(&repo, &files, cx)?;
    let beside = starter::BESIDE.iter().filter(|(path, _)| path.starts_with(PACKS_DIR) && !work_tree.join(path).exists());
    files.extend(beside.map(|(path, text)| ((*path).to_owned(), (*text).to_owned())));
    let changes: Vec<(String, Change)> = files
        .into_iter()
        .map(|(path, text)| {
            let file = work_tree.join(&path);
            (path, Change { path: file, before: None, after: Some(text.into_bytes()), executable: false })
        })
        .collect();
    if !new.dry_run {
        for (path, change) in &changes {
            change.apply().context(format!("{path} cannot be written"))?;
        }
    }
    Ok(Box::new(Begun { name, changes, dry_run: new.dry_run }))
}

/// `api-design` as a title: `Api design`.
fn heading(name: &PackName) -> String {
    let text = name.as_str().replace('-', " ");
    let mut chars = text.chars();
    chars.next().map(|first| first.to_ascii_uppercase()).into_iter().chain(chars).collect()
}

/// A pack that `validate` would refuse is not begun.
fn refuse_bad(repo: &crate::store::Repo, files: &[(String, String)], cx: &Context) -> Result<()> {
    let mut all = repo.packs_here()?;
    for (path, text) in files {
        all.set(path.clone(), text.as_bytes());
    }
    let ours = |file: &str| files.iter().any(|(path, _)| path == file);
    let found = check::check(&all, &Options::new(cx.now));
    let mut bad = found.into_iter().filter(|finding| ours(&finding.file) && finding.severity == Severity::Error);
    match bad.next() {
        None => Ok(()),
        Some(finding) => {
            let error = Error::user(format!("this pack would be wrong: {}", finding.message));
            Err(finding.hint.into_iter().fold(error, Error::hint))
        }
    }
}

struct Begun {
    name: PackName,
    changes: Vec<(String, Change)>,
    dry_run: bool,
}

impl Report for Begun {
    fn json(&self) -> serde_json::Value {
        let files: Vec<_> = self.changes.iter().map(|(path, _)| path).collect();
        json!({ "pack": self.name, "files": files, "dry_run": self.dry_run })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        if self.dry_run {
            return self
                .changes
                .iter()
                .try_for_each(|(path, change)| diff::unified(path, change.before.as_deref(), change.after.as_deref(), out));
        }
        for (path, _) in &self.changes {
            writeln!(out, "created  {path}")?;
        }
        let hint = style::HINT;
        writeln!(
            out,
            "{hint}next:{hint:#} write rules into {}, one list item a rule, under `##` headings",
            self.name.path(GUARDRAILS_FILE)
        )?;
        writeln!(out, "{hint}next:{hint:#} `marvel validate {}`, then commit the pack with your own work", self.name)
    }
}
