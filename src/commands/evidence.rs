//! What `evolve` and `health` judge by, brought together from the packs in force, from git history and from this clone's
//! runs. What follows from it is `evolve`'s (the layer's) to say.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::Context;
use crate::error::{Context as _, Result};
use crate::evolve::evidence::{Change, Evidence, Totals};
use crate::evolve::key::Key;
use crate::evolve::life::{Chronicle, Event};
use crate::evolve::outcomes::{Said, Session, Shown, Tally, tally};
use crate::evolve::premise::{Premise, names};
use crate::evolve::prune::standing_rule;
use crate::install::reach::reach;
use crate::model::config::Config;
use crate::model::guardrails::Guardrails;
use crate::model::lesson::Lesson;
use crate::model::pack::{Pack, PackName};
use crate::model::repo_path::RepoPath;
use crate::model::timestamp::Timestamp;
use crate::session::activity::{self, Activity};
use crate::session::packs::Packs;
use crate::session::root::Root;
use crate::session::{cache, guidance, run, shown};
use crate::store::Repo;
use crate::store::done::Done;
use crate::store::premise::{Wanted, files_of};

/// A session in which nothing happened for so long is over, whether a hook told of its end or not, in hours.
const OVER_AFTER: i64 = 24;

/// One segment of one session of this clone.
pub(super) struct Segment {
    /// `<session>#<segment>`, as it is recorded.
    pub(super) id: String,
    /// Whether it is over: only then is it counted.
    pub(super) over: bool,
    pub(super) session: Session,
    /// Packs of which something was shown.
    pub(super) packs: BTreeSet<PackName>,
}

pub(super) struct Gathered {
    pub(super) repo: Repo,
    pub(super) config: Config,
    pub(super) packs: Vec<Pack>,
    pub(super) chronicle: Chronicle,
    pub(super) segments: Vec<Segment>,
    /// Segments whose counts stand in history or were committed by this clone.
    pub(super) recorded: HashSet<String>,
    /// All that hooks noted of all runs.
    pub(super) activity: Vec<Activity>,
    /// The files of HEAD.
    pub(super) files: Vec<RepoPath>,
    root: Root,
}

impl Gathered {
    pub(super) fn read(cx: &Context) -> Result<Self> {
        let repo = cx.repo()?;
        let config = cx.config(&repo)?;
        let root = repo.root();
        let packs = cx.packs_in_force(&repo, &config)?;
        let chronicle = cx.chronicle(&repo, &config)?;
        let recorded = Done::read(&root, &chronicle)?.segments;
        // what cannot be written is worked out again next time
        let _ = keep_outcomes(&root, &chronicle, cx.now);
        let (segments, activity) = runs(&root, cx.now)?;
        let files = repo.files_at_head()?;
        Ok(Self { repo, config, packs, chronicle, segments, recorded, activity, files, root })
    }

    /// The lessons in force.
    pub(super) fn lessons(&self) -> BTreeMap<Key, &Lesson> {
        lessons(&self.packs)
    }

    /// What this clone's segments say of each lesson: all of them, or those that are not recorded yet.
    pub(super) fn tally(&self, counts: impl Fn(&Segment) -> bool) -> BTreeMap<Key, Tally> {
        let sessions: Vec<Session> =
            self.segments.iter().filter(|segment| counts(segment)).map(|segment| segment.session.clone()).collect();
        tally(&sessions, &self.lessons())
    }

    pub(super) fn is_recorded(&self, segment: &Segment) -> bool {
        self.recorded.contains(&segment.id)
    }

    /// History's counts, or what the lines say where that is more, and on top of them those of this clone that are not
    /// recorded yet.
    pub(super) fn totals(&self) -> BTreeMap<Key, Totals> {
        let mut totals: BTreeMap<Key, Totals> = self.chronicle.lives().totals().into_iter().collect();
        for (key, lesson) in self.lessons() {
            totals.entry(key).or_default().at_least(lesson);
        }
        for (key, tally) in self.tally(|segment| !self.is_recorded(segment)) {
            totals.entry(key).or_default().add(sums(&tally));
        }
        totals
    }

    /// All that is known of every lesson in force.
    pub(super) fn evidence(&self, now: Timestamp) -> Result<Vec<Evidence>> {
        let lives = self.chronicle.lives();
        let totals = self.totals();
        let change = |event: &Event| {
            let commit = self.chronicle.commit(event);
            Timestamp::from_unix(commit.committed).map(|at| Change { commit: commit.id.clone(), at })
        };
        let standings = self.standings(now)?;
        let mut all = Vec::new();
        for pack in &self.packs {
            let rules = Guardrails::parse(&pack.guardrails);
            let files = files_of(&pack.meta);
            let silent = self.silent_since(pack);
            for lesson in pack.lessons.lessons() {
                let key = Key::new(pack.name(), &lesson.id);
                let premises = names(lesson).into_iter().filter_map(|(named, scope)| {
                    let standing = standings.get(&Wanted { named: named.clone(), files: files.clone() })?.clone();
                    Some(Premise { named, scope, standing })
                });
                all.push(Evidence {
                    learned: lives.taught(&key).and_then(&change),
                    edited: lives.edited(&key).and_then(&change),
                    teachers: lives.teachers(&key).into_iter().map(str::to_owned).collect(),
                    corrections: lives.guidance(&key).len() as u64,
                    totals: totals.get(&key).copied().unwrap_or_default(),
                    premises: premises.collect(),
                    rule: standing_rule(lesson, rules.rules().map(|(_, rule)| rule.raw)).map(str::to_owned),
                    pack_silent_since: silent,
                    lesson: lesson.clone(),
                    key,
                });
            }
        }
        Ok(all)
    }

    fn standings(&self, now: Timestamp) -> Result<HashMap<Wanted, crate::evolve::premise::Standing>> {
        let mut wanted = BTreeSet::new();
        for pack in &self.packs {
            let files = files_of(&pack.meta);
            for lesson in pack.lessons.lessons() {
                wanted.extend(names(lesson).into_iter().map(|(named, _)| Wanted { named, files: files.clone() }));
            }
        }
        self.repo.standings(&wanted, now)
    }

    /// Since when nothing called for a pack: where no file of HEAD does, and in no session of this clone anything did.
    fn silent_since(&self, pack: &Pack) -> Option<Timestamp> {
        if !reach(&pack.meta, &self.files).is_silent() {
            return None;
        }
        let watched = run::list(&self.root).into_iter().map(|(_, run)| run.started).min()?;
        let shown = self.segments.iter().filter(|segment| segment.packs.contains(pack.name()));
        let last = shown.flat_map(|segment| segment.session.shown.iter().map(|shown| shown.at)).max();
        Some(last.map_or(watched, |last| last.max(watched)))
    }
}

/// Keeps for the hooks what this clone's sessions say of lessons beyond what history has recorded.
pub(super) fn keep_outcomes(root: &Root, chronicle: &Chronicle, now: Timestamp) -> Result<()> {
    let packs = Packs::load(root).whole();
    let recorded = Done::read(root, chronicle)?.segments;
    let (segments, _) = runs(root, now)?;
    let open = segments.into_iter().filter(|segment| !recorded.contains(&segment.id));
    let sessions: Vec<Session> = open.map(|segment| segment.session).collect();
    let tallies = tally(&sessions, &lessons(&packs));
    for pack in &packs {
        cache::update(root, pack.name(), |facts| {
            for known in facts.values_mut() {
                (known.injected, known.good) = (0, 0);
            }
            for (key, tally) in tallies.iter().filter(|(key, _)| key.pack == *pack.name()) {
                let known = facts.entry(key.id.to_string()).or_default();
                (known.injected, known.good) = (tally.injected, tally.good);
            }
        })
        .context("what sessions say of lessons cannot be kept")?;
    }
    Ok(())
}

fn lessons(packs: &[Pack]) -> BTreeMap<Key, &Lesson> {
    let of = |pack: &'_ Pack| pack.name().clone();
    let all = packs.iter().flat_map(|pack| pack.lessons.lessons().into_iter().map(move |lesson| (of(pack), lesson)));
    all.map(|(pack, lesson)| (Key::new(&pack, &lesson.id), lesson)).collect()
}

/// The numbers of a tally.
pub(super) fn sums(tally: &Tally) -> Totals {
    Totals {
        injected: tally.injected,
        good: tally.good,
        runs: tally.runs.len() as u64,
        recurred: tally.recurred.len() as u64,
        contradicted: tally.contradicted.len() as u64,
    }
}

/// The segments of all runs, and what hooks noted in them.
fn runs(root: &Root, now: Timestamp) -> Result<(Vec<Segment>, Vec<Activity>)> {
    let (mut segments, mut all) = (Vec::new(), Vec::new());
    for (dir, run) in run::list(root) {
        let unreadable = || format!("{} cannot be read", dir.display());
        let entries = shown::read(&dir).context(unreadable())?;
        let noted = activity::read(&dir).context(unreadable())?;
        let said: Vec<Said> = guidance::read(&dir)
            .context(unreadable())?
            .into_iter()
            .filter(|one| one.kind.is_stored())
            .map(|one| Said { guidance: one.id, at: one.timestamp, text: one.content })
            .collect();
        let last = noted.iter().map(|one| one.at).chain([run.segment_started]).chain(run.ended).max();
        let idle = last.is_none_or(|last| now.since(last).num_hours() >= OVER_AFTER);
        for number in 1..=run.segment {
            let of_segment = entries.iter().filter(|entry| entry.segment == number && entry.what == shown::What::Shown);
            let mut segment = Segment {
                id: format!("{}#{number}", run.session_id),
                over: number < run.segment || run.ended.is_some() || idle,
                // a run's own id has seconds only, and two sessions may begin in one
                session: Session { run: run.session_id.clone(), shown: Vec::new(), said: said.clone() },
                packs: BTreeSet::new(),
            };
            for entry in of_segment {
                segment.packs.extend(entry.items.iter().filter_map(|item| {
                    let (_, rest) = item.split_once(':')?;
                    PackName::new(rest.split('/').next()?)
                }));
                let lessons = entry.lessons.iter().filter_map(|key| Key::parse(key));
                segment.session.shown.extend(lessons.map(|lesson| Shown { lesson, at: entry.at }));
            }
            segments.push(segment);
        }
        all.extend(noted);
    }
    Ok((segments, all))
}
