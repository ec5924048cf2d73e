//! `marvel edit`: changes what a lesson says, or where it stands, in one commit on the packs branch. By flags; on a
//! terminal without any in the person's editor.

use serde::{Deserialize, Serialize};

use super::Context;
use super::promote::{Wording, complete, finish};
use crate::error::{Context as _, Error, Result};
use crate::model::lesson::Lesson;
use crate::model::pack::PackName;
use crate::model::pack_files::PackFiles;
use crate::store::Repo;
use crate::store::branch;
use crate::store::lines::{self, Found, Rewording};
use crate::ui::{Report, prompt};

/// Change a lesson: reword it, say where it applies, or move it to another pack
///
/// What no flag names stays as it is, counters included; `--paths ""` lets the lesson apply everywhere again. Without flags, on a terminal, the
/// lesson opens in your editor.
#[derive(clap::Args)]
pub struct Args {
    /// The lesson: the first digits of its id
    #[arg(value_name = "ID")]
    lesson: String,
    #[command(flatten)]
    wording: Wording,
    /// Show the commit with its diff, and write nothing
    #[arg(long)]
    dry_run: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let config = cx.config(&repo)?;
    let found = lines::find_on_branch(&repo, &config, &args.lesson)?;
    let before = Form::of(&found);
    let given = before.with(&args.wording);
    let asks = given == before && !is_worded(&args.wording);
    if asks && !cx.ui.is_interactive() {
        return Err(Error::usage("nothing says what to change")
            .hint("give --title, --description, --actionable, --category, --paths or --pack"));
    }
    let mut form = if asks { in_editor(cx, &before)? } else { given };
    if form.pack != before.pack && form.category == before.category {
        form.category = category_in(&repo, &branch::packs(&repo, &config)?, &form)?;
    }
    let changes = [lines::edit(&found, &form.rewording(&before, &found.lesson)?)];
    if asks && !args.dry_run {
        cx.ui.print(&*finish(cx, &repo, &config, &changes, true)?)?;
        if form == before || !prompt::confirm("Commit it?")? {
            return finish(cx, &repo, &config, &[], true);
        }
    }
    finish(cx, &repo, &config, &changes, args.dry_run)
}

fn is_worded(wording: &Wording) -> bool {
    let texts = [&wording.pack, &wording.title, &wording.description, &wording.actionable, &wording.category];
    texts.iter().any(|text| text.is_some()) || !wording.paths.is_empty()
}

/// What a person may change.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Form {
    pack: String,
    category: String,
    title: String,
    description: String,
    actionable: String,
    #[serde(default)]
    paths: Vec<String>,
}

impl Form {
    fn of(found: &Found) -> Self {
        let Lesson { category, title, description, actionable, paths, .. } = found.lesson.clone();
        Self { pack: found.pack.to_string(), category, title, description, actionable, paths }
    }

    fn with(&self, wording: &Wording) -> Self {
        let take = |flag: &Option<String>, field: &String| flag.clone().unwrap_or_else(|| field.clone());
        let paths = match &wording.paths[..] {
            [] => self.paths.clone(),
            paths => paths.iter().filter(|path| !path.trim().is_empty()).cloned().collect(),
        };
        Self {
            pack: take(&wording.pack, &self.pack),
            category: take(&wording.category, &self.category),
            title: take(&wording.title, &self.title),
            description: take(&wording.description, &self.description),
            actionable: take(&wording.actionable, &self.actionable),
            paths,
        }
    }

    /// What differs, as it is to be written; an error where it is no lesson.
    fn rewording(&self, before: &Self, lesson: &Lesson) -> Result<Rewording> {
        let Self { pack, category, title, description, actionable, paths } = self;
        let fields = complete(Some(pack), Some(category), title, description, actionable, paths)?;
        let changed = |new: &String, old: &String, written: String| (new != old).then_some(written);
        Ok(Rewording {
            pack: (self.pack != before.pack).then_some(fields.pack),
            category: changed(category, &lesson.category, fields.category),
            title: changed(title, &lesson.title, fields.title),
            description: changed(description, &lesson.description, fields.description),
            actionable: changed(actionable, &lesson.actionable, fields.actionable),
            paths: (*paths != lesson.paths).then_some(fields.paths),
        })
    }
}

/// Until it reads, or the person gives up.
fn in_editor(cx: &Context, before: &Form) -> Result<Form> {
    let mut text = serde_json::to_string_pretty(before).context("the lesson cannot be shown")?;
    text.push('\n');
    loop {
        let Some(edited) = prompt::edit(&text)? else { return Ok(before.clone()) };
        match serde_json::from_str(&edited) {
            Ok(form) => return Ok(form),
            Err(error) => cx.ui.warn(format!("line {}, column {}: {error}", error.line(), error.column())),
        }
        if !prompt::confirm("Open the editor again?")? {
            return Err(Error::user("what the editor gave is no lesson; nothing was committed"));
        }
        text = edited;
    }
}

/// The category that a lesson keeps or gets in another pack.
fn category_in(repo: &Repo, packs: &PackFiles, form: &Form) -> Result<String> {
    let name = PackName::new(&form.pack);
    let read = |packs: &PackFiles| packs.meta(name.as_ref()?)?.ok();
    let meta = match read(packs) {
        Some(meta) => Some(meta),
        None => read(&repo.packs_here()?),
    };
    let own = meta.map(|meta| meta.categories).unwrap_or_default();
    let fits = own.is_empty() || own.contains(&form.category);
    Ok(own.into_iter().next().filter(|_| !fits).unwrap_or_else(|| form.category.clone()))
}
