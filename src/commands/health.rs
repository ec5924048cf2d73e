//! `marvel health`: the effect of packs and lessons, as far as sessions show it. Committing the counts is `record`'s, what
//! should become of a lesson is `evolve`'s.

mod alerts;
mod record;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::{self, Write as _};

use serde_json::{Value, json};

use super::Context;
use super::evidence::{Gathered, sums};
use crate::error::Result;
use crate::evolve::evidence::Totals;
use crate::evolve::key::Key;
use crate::inject::units;
use crate::model::guidance::GuidanceType;
use crate::model::lesson::Lesson;
use crate::model::pack::{Pack, PackName};
use crate::model::timestamp::Timestamp;
use crate::model::visible::escape;
use crate::session::activity::Event;
use crate::ui::table::table;
use crate::ui::{Report, style};
use alerts::Alert;

/// Show whether lessons work: how often they were shown, and how often the same correction came up again
#[derive(clap::Args)]
pub struct Args {
    /// Commit the counts of this clone's sessions on the packs branch, each session once
    #[arg(long)]
    record: bool,
    /// With --record: show the commit with its diff, and write nothing
    #[arg(long, requires = "record")]
    dry_run: bool,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    if args.record {
        return record::run(args.dry_run, cx);
    }
    let gathered = Gathered::read(cx)?;
    Ok(Box::new(Health::of(&gathered, cx.now)?))
}

/// So many sessions have to be known before "always" says something.
const ENOUGH_RUNS: usize = 5;

struct Health {
    packs: Vec<OfPack>,
    lessons: Vec<OfLesson>,
    alerts: Vec<Alert>,
    /// Sessions of this clone, and those of them that are not recorded yet.
    runs: usize,
    unrecorded: usize,
}

struct OfPack {
    name: PackName,
    lessons: usize,
    /// Lessons that never reached an agent.
    unseen: usize,
    /// Of its lessons, by history and by this clone.
    totals: Totals,
    /// Statements of this clone that were given in its field.
    corrections: usize,
    /// Sessions of this clone in which something of it was shown.
    runs: usize,
    /// What all of it would cost, in UTF-16 units.
    chars: usize,
    last_change: Option<Timestamp>,
}

struct OfLesson {
    key: Key,
    title: String,
    totals: Totals,
    /// Statements of this clone that came although it had been shown, the newest last.
    recurred: Vec<String>,
}

impl Health {
    fn of(gathered: &Gathered, now: Timestamp) -> Result<Self> {
        let totals = gathered.totals();
        let tallies = gathered.tally(|_| true);
        let lives = gathered.chronicle.lives();
        let said: BTreeMap<&str, &str> = gathered
            .segments
            .iter()
            .flat_map(|segment| segment.session.said.iter().map(|said| (said.guidance.as_str(), said.text.as_str())))
            .collect();
        let runs: BTreeSet<&str> = gathered.segments.iter().map(|segment| segment.session.run.as_str()).collect();
        let mut lessons = Vec::new();
        for (key, lesson) in gathered.lessons() {
            let recurred =
                tallies.get(&key).into_iter().flat_map(|tally| tally.recurred.values().chain(tally.contradicted.values()));
            lessons.push(OfLesson {
                title: lesson.title.clone(),
                totals: totals.get(&key).copied().unwrap_or_default(),
                recurred: recurred.filter_map(|id| said.get(id.as_str()).map(|text| (*text).to_owned())).collect(),
                key,
            });
        }
        let packs = gathered.packs.iter().map(|pack| {
            let own: Vec<&OfLesson> = lessons.iter().filter(|lesson| lesson.key.pack == *pack.name()).collect();
            let mut sum = Totals::default();
            own.iter().for_each(|lesson| sum.add(lesson.totals));
            let shown = gathered.segments.iter().filter(|segment| segment.packs.contains(pack.name()));
            let changed = own.iter().filter_map(|lesson| lives.changed(&lesson.key)).max();
            OfPack {
                name: pack.name().clone(),
                lessons: own.len(),
                unseen: own.iter().filter(|lesson| lesson.totals.injected == 0).count(),
                totals: sum,
                corrections: gathered.activity.iter().filter(|one| speaks_to(one.kind, one.category.as_deref(), pack)).count(),
                runs: shown.map(|segment| segment.session.run.as_str()).collect::<BTreeSet<_>>().len(),
                chars: units(&pack.guardrails) + pack.lessons.lessons().into_iter().map(cost).sum::<usize>(),
                last_change: changed.and_then(Timestamp::from_unix),
            }
        });
        let packs: Vec<OfPack> = packs.collect();
        let mut alerts = alerts::of_packs(gathered, now)?;
        for pack in packs.iter().filter(|pack| pack.lessons > 0 && runs.len() >= ENOUGH_RUNS) {
            let name = &pack.name;
            if pack.runs == 0 {
                alerts.push(Alert::of(name, "never-injected", format!("nothing of it was shown in {} sessions", runs.len())));
            } else if pack.runs == runs.len() {
                alerts.push(Alert::of(
                    name,
                    "always-injected",
                    format!("something of it was shown in each of {} sessions", runs.len()),
                ));
            }
            if pack.runs > 0 && pack.unseen > 0 {
                alerts.push(Alert::of(
                    name,
                    "outranked",
                    format!("{} of {} lessons never reach the agent: others come first", pack.unseen, pack.lessons),
                ));
            }
        }
        alerts.extend(languages(gathered));
        let unrecorded =
            gathered.segments.iter().filter(|one| one.over && !gathered.is_recorded(one) && !one.session.shown.is_empty());
        Ok(Self { unrecorded: unrecorded.count(), runs: runs.len(), packs, lessons, alerts })
    }
}

/// As it is put before an agent, about.
fn cost(lesson: &Lesson) -> usize {
    units(&lesson.title) + units(&lesson.actionable) + 20
}

fn speaks_to(kind: Option<GuidanceType>, category: Option<&str>, pack: &Pack) -> bool {
    let of_pack = |category: &str| pack.meta.categories.iter().any(|own| own == category);
    kind.is_some_and(GuidanceType::is_stored) && category.is_some_and(of_pack)
}

fn languages(gathered: &Gathered) -> Option<Alert> {
    let prompts = gathered.activity.iter().filter(|one| one.event == Event::Prompt && one.lang.is_some());
    let (unknown, all): (Vec<_>, Vec<_>) = prompts.partition(|one| one.lang.as_deref() == Some("und"));
    let total = unknown.len() + all.len();
    (!unknown.is_empty()).then(|| {
        let text = format!(
            "{} of {total} prompts were in a language that is not understood: nothing is captured from them",
            unknown.len()
        );
        Alert { pack: None, code: "language", text, commit: None }
    })
}

impl Report for Health {
    fn json(&self) -> Value {
        let score = |totals: &Totals| (totals.injected > 0).then(|| totals.utility());
        let packs = self.packs.iter().map(|pack| {
            json!({
                "pack": pack.name, "lessons": pack.lessons, "unseen": pack.unseen, "injections": pack.totals.injected,
                "corrections": pack.corrections, "utility": score(&pack.totals), "runs": pack.runs, "chars": pack.chars,
                "last_change": pack.last_change,
            })
        });
        let lessons = self.lessons.iter().map(|lesson| {
            let Totals { injected, good, runs, recurred, contradicted } = lesson.totals;
            json!({
                "id": lesson.key.id, "pack": lesson.key.pack, "title": lesson.title, "injections": injected, "good": good,
                "runs": runs, "recurred": recurred, "contradicted": contradicted, "utility": score(&lesson.totals),
                "although_shown": lesson.recurred,
            })
        });
        json!({
            "runs": self.runs,
            "unrecorded": self.unrecorded,
            "packs": packs.collect::<Vec<_>>(),
            "lessons": lessons.collect::<Vec<_>>(),
            "alerts": self.alerts.iter().map(Alert::json).collect::<Vec<_>>(),
        })
    }

    fn text(&self, out: &mut String) -> fmt::Result {
        if self.packs.is_empty() {
            return writeln!(out, "Packs: none. `marvel init` adds the starter packs.");
        }
        let (name, id, faint, warning) = (style::NAME, style::ID, style::FAINT, style::WARNING);
        let utility = |totals: &Totals| if totals.injected == 0 { "-".to_owned() } else { format!("{:.2}", totals.utility()) };
        let rows: Vec<Vec<String>> = self
            .packs
            .iter()
            .map(|pack| {
                let changed = pack.last_change.map_or_else(|| "-".to_owned(), |at| at.format("%F"));
                vec![
                    format!("{name}{}{name:#}", pack.name),
                    pack.lessons.to_string(),
                    pack.totals.injected.to_string(),
                    pack.corrections.to_string(),
                    utility(&pack.totals),
                    pack.chars.to_string(),
                    changed,
                ]
            })
            .collect();
        out.push_str(&table(&["pack", "lessons", "shown", "corrections", "utility", "characters", "last change"], &rows));
        let mut weak: Vec<&OfLesson> =
            self.lessons.iter().filter(|lesson| lesson.totals.recurred + lesson.totals.contradicted > 0).collect();
        weak.sort_by_key(|lesson| std::cmp::Reverse(lesson.totals.recurred + lesson.totals.contradicted));
        if !weak.is_empty() {
            writeln!(out, "\nCorrected although it had been shown:")?;
        }
        for lesson in weak {
            let Totals { injected, recurred, contradicted, .. } = lesson.totals;
            writeln!(
                out,
                "  {id}{}{id:#} [{name}{}{name:#}] {}: shown {injected} times, again in {} sessions",
                lesson.key.id,
                lesson.key.pack,
                escape(&lesson.title),
                recurred + contradicted
            )?;
            if let Some(text) = lesson.recurred.last() {
                writeln!(out, "      {faint}\u{201c}{}\u{201d}{faint:#}", escape(text.lines().next().unwrap_or_default()))?;
            }
        }
        if !self.alerts.is_empty() {
            writeln!(out)?;
        }
        for alert in &self.alerts {
            let pack = alert.pack.as_ref().map(|pack| format!("{pack}: ")).unwrap_or_default();
            writeln!(out, "{warning}alert:{warning:#} {pack}{}", escape(&alert.text))?;
        }
        match self.unrecorded {
            0 => Ok(()),
            1 => writeln!(out, "\n1 session is not recorded for the team yet: `marvel health --record`"),
            many => writeln!(out, "\n{many} sessions are not recorded for the team yet: `marvel health --record`"),
        }
    }
}

/// The counts of a number of segments, as a commit carries them.
fn counts(gathered: &Gathered, segments: &BTreeSet<String>) -> BTreeMap<Key, Totals> {
    let tally = gathered.tally(|segment| segments.contains(&segment.id));
    tally.into_iter().map(|(key, tally)| (key, sums(&tally))).collect()
}
