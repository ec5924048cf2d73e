//! `marvel lessons`: the lessons in force, to browse; in full and as JSON with where each comes from.

use std::fmt::Write as _;

use serde_json::json;

use super::Context;
use crate::error::{Error, Result};
use crate::evolve::key::Key;
use crate::evolve::life::Lives;
use crate::model::lesson::Lesson;
use crate::model::pack::PackName;
use crate::model::visible::escape;
use crate::session::overlay::InForce;
use crate::session::packs::Packs;
use crate::ui::origin::Origin;
use crate::ui::{Report, style, table};

/// List the lessons in force: all, one pack's, or one lesson in full
#[derive(clap::Args)]
pub struct Args {
    /// A pack, or the first digits of a lesson's id
    #[arg(value_name = "PACK|ID")]
    which: Option<String>,
    /// Only lessons of this category
    #[arg(long, value_name = "NAME")]
    category: Option<String>,
    /// Only lessons that are not in the reviewed base branch yet
    #[arg(long)]
    pending: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let packs = cx.packs()?;
    let mut listed = Listed { packs: packs.metas().len(), one_pack: false, in_full: false, lessons: Vec::new() };
    for meta in packs.metas() {
        let all = packs.lessons(&meta.name);
        listed.lessons.extend(all.into_iter().map(|one| Shown { pack: meta.name.clone(), one, provenance: None }));
    }
    if let Some(which) = &args.which {
        listed.narrow(which, &packs)?;
    }
    let fits = |shown: &Shown| {
        args.category.as_ref().is_none_or(|category| shown.one.lesson.category == *category)
            && (shown.one.pending || !args.pending)
    };
    listed.lessons.retain(fits);
    if cx.ui.json || listed.in_full {
        listed.trace(cx);
    }
    Ok(Box::new(listed))
}

pub(super) struct Shown {
    pub(super) pack: PackName,
    pub(super) one: InForce,
    /// Where somebody asked for it, and history could be read.
    pub(super) provenance: Option<Provenance>,
}

/// Where a lesson comes from; nothing of what is in no commit yet.
pub(super) struct Provenance {
    taught: Option<Origin>,
    /// The last change of its text.
    edited: Option<Origin>,
    /// All who taught or reworded it.
    people: Vec<String>,
}

impl Provenance {
    fn of(key: &Key, lives: &Lives<'_>) -> Self {
        let origin = |event| Origin::new(lives.chronicle(), event);
        Self {
            taught: lives.taught(key).map(origin),
            edited: lives.edited(key).map(origin),
            people: lives.teachers(key).into_iter().map(str::to_owned).collect(),
        }
    }
}

impl Shown {
    pub(super) fn json(&self) -> serde_json::Value {
        let lesson = &self.one.lesson;
        let mut value = json!({
            "id": lesson.id,
            "pack": self.pack,
            "pending": self.one.pending,
            "timestamp": lesson.timestamp,
            "category": lesson.category,
            "title": lesson.title,
            "description": lesson.description,
            "actionable": lesson.actionable,
            "run_id": lesson.run_id,
            "utility_score": lesson.utility_score,
            "injection_count": lesson.injection_count,
            "paths": lesson.paths,
        });
        if let Some(Provenance { taught, edited, people }) = &self.provenance {
            value["taught"] = json!(taught.as_ref().map(Origin::json));
            value["edited"] = json!(edited.as_ref().map(Origin::json));
            value["people"] = json!(people);
        }
        value
    }
}

/// One row a lesson; the pack's name where several packs are listed.
pub(super) fn rows(lessons: &[Shown], with_pack: bool) -> String {
    let header: &[&str] = if with_pack {
        &["pack", "id", "category", "shown", "utility", "lesson"]
    } else {
        &["id", "category", "shown", "utility", "lesson"]
    };
    let row = |shown: &Shown| {
        let lesson = &shown.one.lesson;
        let (name, id) = (style::NAME, style::ID);
        let mut cells = vec![
            format!("{id}{}{id:#}", lesson.id),
            escape(&lesson.category).into_owned(),
            lesson.injection_count.map_or("-".to_owned(), |count| count.to_string()),
            lesson.utility_score.map_or("-".to_owned(), |score| format!("{score:.2}")),
            format!("{}{}", title(lesson), pending(&shown.one)),
        ];
        if with_pack {
            cells.insert(0, format!("{name}{}{name:#}", shown.pack));
        }
        cells
    };
    table::table(header, &lessons.iter().map(row).collect::<Vec<_>>())
}

fn title(lesson: &Lesson) -> String {
    escape(&lesson.title.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

fn pending(one: &InForce) -> &'static str {
    if one.pending { " (pending review)" } else { "" }
}

struct Listed {
    lessons: Vec<Shown>,
    packs: usize,
    /// A person asked for one pack's.
    one_pack: bool,
    /// A person asked for these very lessons, by id.
    in_full: bool,
}

impl Listed {
    /// Keeps what a person named.
    fn narrow(&mut self, which: &str, packs: &Packs) -> Result<()> {
        if let Some(name) = PackName::new(which).filter(|name| packs.meta(name).is_some()) {
            self.lessons.retain(|shown| shown.pack == name);
            self.one_pack = true;
            return Ok(());
        }
        self.lessons.retain(|shown| shown.one.lesson.id.starts_with(which));
        self.in_full = true;
        if self.lessons.is_empty() {
            return Err(Error::user(format!("there is no pack and no lesson `{}`", escape(which)))
                .hint("`marvel pack list` shows the packs, `marvel lessons` the lessons with their ids"));
        }
        Ok(())
    }

    /// Looks up where each comes from.
    fn trace(&mut self, cx: &Context) {
        let chronicle = match cx.repo().and_then(|repo| cx.chronicle(&repo, &cx.config(&repo)?)) {
            Ok(chronicle) => chronicle,
            Err(error) => return cx.ui.warn(format!("who taught what is left out: {error}")),
        };
        let lives = chronicle.lives();
        for shown in &mut self.lessons {
            shown.provenance = Some(Provenance::of(&Key::new(&shown.pack, &shown.one.lesson.id), &lives));
        }
    }
}

impl Report for Listed {
    fn json(&self) -> serde_json::Value {
        json!({ "lessons": self.lessons.iter().map(Shown::json).collect::<Vec<_>>() })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        if self.in_full {
            return self.lessons.iter().try_for_each(|shown| in_full(shown, out));
        }
        if self.lessons.is_empty() {
            return writeln!(
                out,
                "{}",
                if self.packs == 0 { "No packs yet: `marvel init` adds some." } else { "No lessons yet." }
            );
        }
        out.push_str(&rows(&self.lessons, !self.one_pack));
        Ok(())
    }
}

fn in_full(shown: &Shown, out: &mut String) -> std::fmt::Result {
    let lesson = &shown.one.lesson;
    let (bold, id) = (style::TITLE, style::ID);
    let by = |origin: &Origin| format!("{} by {}", origin.date(), origin.commit.author);
    let (taught, edited) = shown.provenance.as_ref().map_or((None, None), |from| (from.taught.as_ref(), from.edited.as_ref()));
    writeln!(out, "{id}{}{id:#} {bold}{}{bold:#}{}", lesson.id, title(lesson), pending(&shown.one))?;
    let fields = [
        ("pack", format!("{} ({})", shown.pack, lesson.category)),
        ("do", lesson.actionable.clone()),
        ("why", lesson.description.clone()),
        ("paths", lesson.paths.join(", ")),
        ("learned", lesson.timestamp.clone()),
        ("taught", taught.map(|taught| by(taught) + &evidence(taught)).unwrap_or_default()),
        ("reworded", edited.map(by).unwrap_or_default()),
        ("run", lesson.run_id.clone().or(taught.and_then(|taught| taught.run.clone())).unwrap_or_default()),
        ("shown", lesson.injection_count.map(|count| format!("{count} times")).unwrap_or_default()),
        ("utility", lesson.utility_score.map(|score| format!("{score:.2}")).unwrap_or_default()),
    ];
    for (name, text) in fields.iter().filter(|(_, text)| !text.trim().is_empty()) {
        writeln!(out, "  {name:8} {}", escape(text.trim()).replace('\n', "\n           "))?;
    }
    out.push('\n');
    Ok(())
}

fn evidence(taught: &Origin) -> String {
    match taught.guidance.len() {
        0 => String::new(),
        1 => ", after 1 statement".to_owned(),
        count => format!(", after {count} statements"),
    }
}
