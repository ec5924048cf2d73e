//! `marvel health --record`: one commit that carries the counts of this clone's sessions that are over, each session once.
//! The fields in the lines are the sum over history, written down.

use std::collections::BTreeSet;
use std::time::Duration;

use super::super::Context;
use super::super::evidence::Gathered;
use super::super::promote::finish;
use super::counts;
use crate::error::{Error, Result};
use crate::evolve::evidence::Totals;
use crate::model::pack::LESSONS_FILE;
use crate::model::pack_files::PackFiles;
use crate::model::plural::count;
use crate::session::file;
use crate::store::branch::{Change, Edited};
use crate::store::message::{Action, Count, Message};
use crate::ui::Report;

/// How long to wait for another one that records in this clone.
const WAIT: Duration = Duration::from_secs(10);

pub(super) fn run(dry_run: bool, cx: &Context) -> Result<Box<dyn Report>> {
    // what is to be counted is read under the lock: two at once would count the same sessions
    let lock = cx.repo()?.common_dir().join("marvel/record.lock");
    let _turn = (!dry_run).then(|| file::lock(&lock, WAIT)).transpose().map_err(|error| {
        Error::user("another `marvel health --record` is at work in this clone").caused_by(error).hint("try again")
    })?;
    let gathered = Gathered::read(cx)?;
    let open = |segment: &&super::super::evidence::Segment| segment.over && !gathered.is_recorded(segment);
    let counted = gathered.segments.iter().filter(open).filter(|segment| !segment.session.shown.is_empty());
    let segments: BTreeSet<String> = counted.map(|segment| segment.id.clone()).collect();
    let new = counts(&gathered, &segments);
    if new.is_empty() {
        return finish(cx, &gathered.repo, &gathered.config, &[], dry_run);
    }
    let title = format!("Counts of {}", count(segments.len(), "session"));
    let mut message = Message::new(Action::Record, None, title);
    message.trailers.segments = segments.iter().cloned().collect();
    message.trailers.counts = new
        .iter()
        .map(|(key, Totals { injected, good, runs, recurred, contradicted })| Count {
            pack: key.pack.clone(),
            lesson: key.id.clone(),
            injected: *injected,
            good: *good,
            runs: *runs,
            recurred: *recurred,
            contradicted: *contradicted,
        })
        .collect();
    let history = gathered.chronicle.lives().totals();
    let edit = |packs: &PackFiles| {
        let mut after = packs.clone();
        for (key, counts) in &new {
            let mut lessons = after.lessons(&key.pack);
            let mut totals = history.get(key).copied().unwrap_or_default();
            lessons.find(&key.id).inspect(|lesson| totals.at_least(lesson));
            totals.add(*counts);
            // a lesson that left the branch meanwhile is counted in the trailers alone
            let Some(mut record) = lessons.record(&key.id) else { continue };
            record.set("utility_score", totals.utility());
            record.set("injection_count", totals.injected);
            record.set("id", &key.id);
            lessons.replace(&key.id, &record).map_err(|error| {
                Error::conflict(format!("{} on the packs branch cannot be changed", key.pack.path(LESSONS_FILE)))
                    .caused_by(error)
                    .hint("`marvel validate --rev packs` shows where")
            })?;
            after.set_file(&key.pack, LESSONS_FILE, lessons.to_bytes());
        }
        Ok(Edited::Packs(after))
    };
    let changes = [Change::new(message, edit)];
    finish(cx, &gathered.repo, &gathered.config, &changes, dry_run)
}
