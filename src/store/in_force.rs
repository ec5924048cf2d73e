//! Which changes are in force beyond a worktree's own files: what the reviewed base learned since HEAD left it, and what
//! this clone committed to packs and the base does not have yet. A version that ever stood in the other's history is
//! old news and changes nothing. Where the answer is kept is `overlay`'s.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::history::History;
use super::id::Id;
use super::repo::Repo;
use super::versions::{Reader, Versions, text_of};
use crate::error::Result;
use crate::merge::changes::{RuleText, Told, between};
use crate::model::jsonl::Content;
use crate::model::lesson::{Lesson, LessonId};
use crate::model::pack::{GUARDRAILS_FILE, META_FILE, PackName};
use crate::model::pack_files::PackFiles;
use crate::session::overlay::{LessonChange, PackChanges, RuleChange};

pub(super) type Changes = BTreeMap<PackName, PackChanges>;

/// Two tips: what each learned since they parted, and what stood where they did.
struct Apart {
    /// What the first has or had that the second never knew, and the other way round; both know the merge bases.
    left: Versions,
    right: Versions,
    /// What stood at the merge bases alone.
    at_bases: Versions,
}

impl Apart {
    fn new(reader: &mut Reader<'_>, history: &mut History<'_>, left: Id, right: Id) -> Result<Self> {
        let apart = history.compare(left, right)?;
        let mut both = [(left, &apart.left), (right, &apart.right)].map(|(tip, commits)| reader.stretch(history, tip, commits));
        let mut at_bases = Versions::default();
        for base in apart.bases {
            let packs = history.packs_at(base)?;
            for versions in both.iter_mut().flatten().chain([&mut at_bases]) {
                reader.add_state(versions, packs)?;
            }
        }
        let [left, right] = both;
        Ok(Self { left: left?, right: right?, at_bases })
    }
}

/// What the base branch's tip has otherwise than HEAD because it learned it since, not because HEAD left it behind.
pub(super) fn reviewed(repo: &Repo, history: &mut History<'_>, head: Id, base: Id) -> Result<Changes> {
    let mut changes = Changes::new();
    let (head_packs, base_packs) = (history.packs_at(head)?, history.packs_at(base)?);
    if head_packs == base_packs || history.is_ancestor(base, head)? {
        return Ok(changes);
    }
    let mut reader = Reader::new(repo);
    let apart = Apart::new(&mut reader, history, head, base)?;
    let [here, there] = reader.differing(head_packs, base_packs)?;
    for pack in all_packs(&here, &there) {
        let mut change = PackChanges::default();
        let removed_here = apart.left.had_file(&pack.path(META_FILE), None);
        if !here.has_pack(&pack) && !removed_here {
            change.meta = there.meta(&pack).and_then(std::result::Result::ok);
        }
        if here.file(&pack, GUARDRAILS_FILE).is_none() && there.file(&pack, GUARDRAILS_FILE).is_some() && !removed_here {
            change.guardrails = Some(there.guardrails(&pack));
        }
        let (mine, theirs) = (Lessons::of(&here, &pack), Lessons::of(&there, &pack));
        for id in theirs.with(&mine) {
            let (h, b) = (mine.get(id), theirs.get(id));
            let unchanged = match (h, b) {
                (Some(h), Some(b)) if h.same_text(b) => same_counters(h, b),
                _ => apart.left.had_lesson(&pack, id, b),
            };
            let newer = match h {
                Some(_) => apart.right.had_lesson(&pack, id, h),
                // what HEAD lacks is news only if it did not take it away itself
                None => !apart.at_bases.knows_lesson(&pack, id) && !apart.left.had_lesson(&pack, id, None),
            };
            if !unchanged && newer {
                change.lessons.push(lesson_change(id.clone(), mine.line(id), theirs.line(id), false));
            }
        }
        if change.guardrails.is_none() {
            for (before, after) in rules(&pack, &here, &there) {
                let old_news = after.as_ref().is_some_and(|rule| apart.left.had_rule(&pack, &rule.words));
                let own = before.as_ref().is_some_and(|rule| !apart.right.had_rule(&pack, &rule.words));
                if !old_news && !own {
                    change.rules.push(rule_change(before, after, false));
                }
            }
        }
        insert(&mut changes, pack, change);
    }
    Ok(changes)
}

/// What the commits of `counts` made of the packs, as far as neither the base nor HEAD ever had it, and the branch has not
/// taken it back.
pub(super) fn pending(
    repo: &Repo,
    history: &mut History<'_>,
    tip: Id,
    base: Option<Id>,
    head: Option<Id>,
    counts: impl Fn(Id) -> bool,
) -> Result<Changes> {
    let mut reader = Reader::new(repo);
    let mut known = Vec::new();
    let mut own: Option<Vec<Id>> = None;
    for other in [base, head].into_iter().flatten() {
        let apart = history.compare(tip, other)?;
        own = Some(match own {
            None => apart.left.clone(),
            Some(own) => {
                let also: HashSet<Id> = apart.left.iter().copied().collect();
                own.into_iter().filter(|id| also.contains(id)).collect()
            }
        });
        known.push(reader.stretch(history, other, &apart.right)?);
    }
    let own = match own {
        Some(own) => own,
        None => history.touching(&[tip], None, super::history::Follow::All)?.iter().map(|touch| touch.commit).collect(),
    };
    let mut net = Net::default();
    for Run { parent, last } in runs(repo, own.into_iter().rev().filter(|commit| counts(*commit)))? {
        let before = parent.map(|parent| history.packs_at(parent)).transpose()?.flatten();
        let after = history.packs_at(last)?;
        if before != after {
            let [before, after] = reader.differing(before, after)?;
            net.add(&before, &after);
        }
    }
    let now = history.packs_at(tip)?;
    let (tip, base) = (reader.files(now)?, base.map(|base| history.packs_at(base)).transpose()?.flatten());
    let base = reader.files(base)?;
    let head = head.map(|head| history.packs_at(head)).transpose()?.flatten();
    let head = reader.files(head)?;
    Ok(net.changes(&known, &tip, &base, &head))
}

/// Commits that stand directly on each other: what they come to is what differs between the ends.
struct Run {
    parent: Option<Id>,
    last: Id,
}

/// The commits in runs, which most often is one run for all of them. A merge says nothing of its own.
fn runs(repo: &Repo, commits: impl Iterator<Item = Id>) -> Result<Vec<Run>> {
    let mut runs: Vec<Run> = Vec::new();
    for commit in commits {
        let parents = repo.commit(commit)?.parents;
        if parents.len() > 1 {
            continue;
        }
        let parent = parents.first().copied();
        match runs.last_mut() {
            Some(run) if parent == Some(run.last) => run.last = commit,
            _ => runs.push(Run { parent, last: commit }),
        }
    }
    Ok(runs)
}

/// What a row of runs comes to.
#[derive(Default)]
struct Net {
    packs: BTreeMap<PackName, PackFiles>,
    /// In the order in which they were first touched: pack, lesson, its line before and after all of it.
    lessons: Vec<(PackName, LessonId, Option<String>, Option<String>)>,
    at: HashMap<(PackName, LessonId), usize>,
    rules: Vec<(PackName, Option<RuleText>, Option<RuleText>)>,
}

impl Net {
    fn add(&mut self, before: &PackFiles, after: &PackFiles) {
        for pack in all_packs(before, after) {
            if !before.has_pack(&pack) {
                self.packs.insert(pack.clone(), after.clone());
            } else {
                self.rules.extend(rules(&pack, before, after).map(|(before, after)| (pack.clone(), before, after)));
            }
            let (old, new) = (Lessons::of(before, &pack), Lessons::of(after, &pack));
            for id in new.with(&old) {
                let (was, is) = (old.line(id), new.line(id));
                if was == is {
                    continue;
                }
                let next = self.lessons.len();
                let at = *self.at.entry((pack.clone(), id.clone())).or_insert(next);
                match self.lessons.get_mut(at) {
                    Some((_, _, _, after)) => *after = is,
                    None => self.lessons.push((pack.clone(), id.clone(), was, is)),
                }
            }
        }
    }

    fn changes(self, known: &[Versions], tip: &PackFiles, base: &PackFiles, head: &PackFiles) -> Changes {
        let mut changes = Changes::new();
        for (pack, files) in self.packs {
            if !base.has_pack(&pack) && !head.has_pack(&pack) && tip.has_pack(&pack) {
                let change = changes.entry(pack.clone()).or_default();
                change.meta = files.meta(&pack).and_then(std::result::Result::ok);
                change.guardrails = Some(files.guardrails(&pack)).filter(|text| !text.is_empty());
            }
        }
        let packs: BTreeSet<PackName> = self.lessons.iter().map(|(pack, ..)| pack.clone()).collect();
        let read = |files: &PackFiles| -> HashMap<PackName, Lessons> {
            packs.iter().map(|pack| (pack.clone(), Lessons::of(files, pack))).collect()
        };
        let (in_tip, in_base, in_head) = (read(tip), read(base), read(head));
        for (pack, id, before, after) in self.lessons {
            let lesson = |line: &Option<String>| line.as_deref().and_then(|line| Lesson::parse(line).ok());
            let (was, is) = (lesson(&before), lesson(&after));
            let there = in_base[&pack].get(&id);
            let settled = same(there, is.as_ref());
            let old_news = is.is_some() && known.iter().any(|versions| versions.had_lesson(&pack, &id, is.as_ref()));
            let only_counters = is.is_some() && same_words(was.as_ref(), is.as_ref());
            let withdrawn = in_tip[&pack].get(&id).is_some() != is.is_some();
            if settled || (old_news && !only_counters) || withdrawn {
                continue;
            }
            // an edit of what nobody here has yet brings the whole lesson
            let seen = in_head[&pack].get(&id).is_some() || there.is_some();
            let before = before.filter(|_| seen);
            if before.is_some() || after.is_some() {
                changes.entry(pack).or_default().lessons.push(lesson_change(id, before, after, true));
            }
        }
        for (pack, before, after) in self.rules {
            let standing = |files: &PackFiles, rule: &RuleText| has_rule(files, &pack, rule);
            let keep = match (&before, &after) {
                (_, Some(rule)) => {
                    standing(tip, rule)
                        && !standing(base, rule)
                        && !known.iter().any(|versions| versions.had_rule(&pack, &rule.words))
                }
                (Some(rule), None) => !standing(tip, rule) && standing(base, rule),
                (None, None) => false,
            };
            if keep {
                changes.entry(pack.clone()).or_default().rules.push(rule_change(before, after, true));
            }
        }
        changes
    }
}

fn all_packs(a: &PackFiles, b: &PackFiles) -> BTreeSet<PackName> {
    a.packs().into_iter().chain(b.packs()).collect()
}

/// The lessons of a file that count, with their lines, by id and in order.
struct Lessons {
    order: Vec<LessonId>,
    by_id: HashMap<LessonId, (Lesson, String)>,
}

impl Lessons {
    fn of(files: &PackFiles, pack: &PackName) -> Self {
        let mut lessons = Self { order: Vec::new(), by_id: HashMap::new() };
        for line in files.lessons(pack).lines {
            let text = line.text().into_owned();
            let Content::Lesson(lesson) = line.content else { continue };
            // of two lines with one id the later one counts
            let id = lesson.id.clone();
            if lessons.by_id.insert(id.clone(), (lesson, text)).is_none() {
                lessons.order.push(id);
            }
        }
        lessons
    }

    fn get(&self, id: &LessonId) -> Option<&Lesson> {
        self.by_id.get(id).map(|(lesson, _)| lesson)
    }

    fn line(&self, id: &LessonId) -> Option<String> {
        self.by_id.get(id).map(|(_, line)| line.clone())
    }

    /// The ids of this file, and then those that only the other one has.
    fn with<'a>(&'a self, other: &'a Self) -> impl Iterator<Item = &'a LessonId> {
        self.order.iter().chain(other.order.iter().filter(|id| !self.by_id.contains_key(*id)))
    }
}

fn same_counters(a: &Lesson, b: &Lesson) -> bool {
    (a.utility_score, a.injection_count) == (b.utility_score, b.injection_count)
}

fn same_words(a: Option<&Lesson>, b: Option<&Lesson>) -> bool {
    a.map(text_of) == b.map(text_of)
}

fn same(a: Option<&Lesson>, b: Option<&Lesson>) -> bool {
    match (a, b) {
        (None, None) => true,
        (Some(a), Some(b)) => a.same_text(b) && same_counters(a, b),
        _ => false,
    }
}

fn rules(
    pack: &PackName,
    before: &PackFiles,
    after: &PackFiles,
) -> impl Iterator<Item = (Option<RuleText>, Option<RuleText>)> + use<> {
    // only what matters for rules is compared
    let only = |files: &PackFiles| -> PackFiles {
        let path = pack.path(GUARDRAILS_FILE);
        files.get(&path).map(<[u8]>::to_vec).map(|bytes| (path.clone(), bytes)).into_iter().collect()
    };
    let changes = between(&only(before), &only(after), &Told::default());
    changes.rules.into_iter().map(|change| (change.before, change.after))
}

fn has_rule(files: &PackFiles, pack: &PackName, rule: &RuleText) -> bool {
    let text = files.guardrails(pack);
    crate::model::guardrails::Guardrails::parse(&text).rules().any(|(_, other)| other.words() == rule.words)
}

fn lesson_change(id: LessonId, before: Option<String>, after: Option<String>, pending: bool) -> LessonChange {
    LessonChange { id, before, after, pending }
}

fn rule_change(before: Option<RuleText>, after: Option<RuleText>, pending: bool) -> RuleChange {
    let section = after.as_ref().or(before.as_ref()).and_then(|rule| rule.heading.clone());
    RuleChange { section, before: before.map(|rule| rule.raw), after: after.map(|rule| rule.raw), pending }
}

fn insert(changes: &mut Changes, pack: PackName, change: PackChanges) {
    if change != PackChanges::default() {
        changes.insert(pack, change);
    }
}
