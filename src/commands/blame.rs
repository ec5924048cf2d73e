//! `marvel blame`: who taught each lesson, when, and from which run. Counters, and a line that merely moved or was
//! merged, are looked through.

use serde_json::json;

use super::Context;
use super::log::unknown;
use crate::error::Result;
use crate::evolve::key::Key;
use crate::model::pack::PackName;
use crate::model::visible::escape;
use crate::ui::origin::Origin;
use crate::ui::{Report, style, table};

/// Show who taught each lesson of a pack, when, and from which run
#[derive(clap::Args)]
pub struct Args {
    /// The pack (`marvel pack list` shows them)
    #[arg(value_name = "PACK")]
    pack: String,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let repo = cx.repo()?;
    let chronicle = cx.chronicle(&repo, &cx.config(&repo)?)?;
    let packs = cx.packs()?;
    let pack = PackName::new(&args.pack).filter(|pack| packs.meta(pack).is_some()).ok_or_else(|| unknown(&args.pack))?;
    let lives = chronicle.lives();
    let lessons = packs.lessons(&pack).into_iter().map(|one| {
        let key = Key::new(&pack, &one.lesson.id);
        Line {
            title: one.lesson.title,
            taught: lives.taught(&key).map(|event| Origin::new(&chronicle, event)),
            edited: lives.edited(&key).map(|event| Origin::new(&chronicle, event)),
            key,
        }
    });
    Ok(Box::new(Blame { lessons: lessons.collect() }))
}

struct Line {
    key: Key,
    title: String,
    /// `None` where it stands in no commit yet.
    taught: Option<Origin>,
    edited: Option<Origin>,
}

struct Blame {
    lessons: Vec<Line>,
}

impl Report for Blame {
    fn json(&self) -> serde_json::Value {
        let lesson = |line: &Line| {
            let mut lesson = json!({ "id": line.key.id, "pack": line.key.pack, "title": line.title });
            let taught =
                line.taught.as_ref().map_or_else(|| json!({ "commit": null, "time": null, "author": null }), Origin::json);
            for (name, value) in taught.as_object().into_iter().flatten() {
                lesson[name] = value.clone();
            }
            if let Some(edited) = &line.edited {
                lesson["edited"] = edited.json();
            }
            lesson
        };
        json!({ "lessons": self.lessons.iter().map(lesson).collect::<Vec<_>>() })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        let faint = style::FAINT;
        let row = |line: &Line| {
            let (commit, date, who) = match &line.taught {
                None => ("not committed".to_owned(), String::new(), String::new()),
                Some(taught) => (taught.short(), taught.date(), taught.author()),
            };
            let run = line.taught.as_ref().and_then(|taught| taught.run.as_deref()).map(|run| escape(run).into_owned());
            let edited = line
                .edited
                .as_ref()
                .map(|edited| format!(" {faint}(reworded by {}, {}){faint:#}", edited.author(), edited.date()));
            let title = line.title.split_whitespace().collect::<Vec<_>>().join(" ");
            vec![
                commit,
                date,
                who,
                run.unwrap_or_default(),
                line.key.id.to_string(),
                format!("{}{}", escape(&title), edited.unwrap_or_default()),
            ]
        };
        out.push_str(&table::table(&[], &self.lessons.iter().map(row).collect::<Vec<_>>()));
        Ok(())
    }
}
