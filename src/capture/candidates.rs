//! Guidance, grouped and cleaned: what could become a lesson. Repeats over runs are one candidate; opposites, and what
//! differs in an identifier, are not. Wording is [`super::wording`]'s.

use sha2::{Digest as _, Sha256};

use super::wording::{Wording, word};
use crate::model::guidance::{Guidance, GuidanceType};
use crate::model::lesson::Lesson;
use crate::model::likeness::{Likeness, compare};
use crate::model::pack::{Pack, PackName};
use crate::model::timestamp::Timestamp;

#[derive(Clone, Debug, PartialEq)]
pub struct Candidate {
    /// Eight hex digits, from the oldest statement of the group.
    pub id: String,
    pub kind: GuidanceType,
    pub category: Option<String>,
    pub pack: Option<String>,
    /// Statements in the group.
    pub count: usize,
    /// Runs that they came from.
    pub runs: Vec<String>,
    pub first_seen: Timestamp,
    pub last_seen: Timestamp,
    /// The file that the latest of them was about.
    pub file: Option<String>,
    /// The person's words, the latest of the group.
    pub text: String,
    pub wording: Wording,
    /// The ids of the statements, oldest first.
    pub guidance: Vec<String>,
    /// How likely it holds beyond the moment, 0 to 1: what `reflect` ranks by.
    pub standing: f64,
    /// The lesson or guardrail that says the same.
    pub duplicate_of: Option<Known>,
    /// The lesson or guardrail that says the opposite.
    pub contradicts: Option<Known>,
}

/// Something that the packs say already.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    pub pack: PackName,
    /// The lesson's id; none for a guardrail.
    pub id: Option<String>,
    pub text: String,
}

/// Groups what was said; best candidates first. `open` is guidance that is neither done nor dismissed, `now` and
/// `expire_days` decide which one-off redirects have had their time.
pub fn group(open: &[Guidance], packs: &[Pack], now: Timestamp, expire_days: u32) -> Vec<Candidate> {
    let mut sorted: Vec<&Guidance> = open.iter().filter(|guidance| guidance.kind.is_stored()).collect();
    sorted.sort_by(|a, b| (a.timestamp, &a.id).cmp(&(b.timestamp, &b.id)));
    let mut groups: Vec<Vec<&Guidance>> = Vec::new();
    for guidance in sorted {
        match groups.iter_mut().find(|group| group.iter().any(|member| is_same(&member.content, &guidance.content))) {
            Some(group) => group.push(guidance),
            None => groups.push(vec![guidance]),
        }
    }
    let known = known(packs);
    let mut candidates: Vec<Candidate> = groups.iter().map(|group| candidate(group, &known)).collect();
    candidates.retain(|candidate| {
        let age = now.since(candidate.last_seen).num_days();
        candidate.standing >= KEPT || age <= i64::from(expire_days)
    });
    candidates.sort_by(|a, b| {
        b.standing.total_cmp(&a.standing).then(b.count.cmp(&a.count)).then(b.last_seen.cmp(&a.last_seen)).then(a.id.cmp(&b.id))
    });
    candidates
}

/// From this standing on a candidate does not expire.
const KEPT: f64 = 0.5;

/// Whether two statements are one candidate.
pub fn is_same(a: &str, b: &str) -> bool {
    matches!(compare(a, b), Likeness::Same) || matches!(compare(a, b), Likeness::Close(close) if close >= 0.75)
}

fn candidate(group: &[&Guidance], known: &[Known]) -> Candidate {
    let (first, last) = (group[0], group[group.len() - 1]);
    let mut runs: Vec<String> = group.iter().map(|guidance| guidance.run_id.clone()).collect();
    runs.sort();
    runs.dedup();
    let corrections = group.iter().filter(|guidance| guidance.kind == GuidanceType::Correction).count();
    let wording = word(&last.content);
    let said = compare_with(&wording.actionable, known);
    let latest = |pick: fn(&Guidance) -> Option<String>| group.iter().rev().find_map(|guidance| pick(guidance));
    Candidate {
        id: id(&first.id),
        kind: if corrections * 2 >= group.len() { GuidanceType::Correction } else { GuidanceType::Direction },
        category: latest(|guidance| guidance.category.clone()),
        pack: latest(|guidance| guidance.pack.clone()),
        count: group.len(),
        standing: super::standing::of_group(group.iter().map(|guidance| (guidance.content.as_str(), guidance.kind)), runs.len()),
        runs,
        first_seen: first.timestamp,
        last_seen: last.timestamp,
        file: latest(|guidance| guidance.file.clone()),
        text: last.content.clone(),
        wording,
        guidance: group.iter().map(|guidance| guidance.id.clone()).collect(),
        duplicate_of: said.duplicate_of,
        contradicts: said.contradicts,
    }
}

/// What the packs say already about a statement.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SaidAlready {
    /// The lesson or guardrail that says the same.
    pub duplicate_of: Option<Known>,
    /// The lesson or guardrail that says the opposite.
    pub contradicts: Option<Known>,
}

/// Compares a statement with all that the packs say.
pub fn said_already(statement: &str, packs: &[Pack]) -> SaidAlready {
    compare_with(statement, &known(packs))
}

fn compare_with(statement: &str, known: &[Known]) -> SaidAlready {
    let mut said = SaidAlready::default();
    for known in known {
        let place = match compare(statement, &known.text) {
            Likeness::Same => &mut said.duplicate_of,
            Likeness::Close(close) if close >= 0.7 => &mut said.duplicate_of,
            Likeness::Opposite => &mut said.contradicts,
            _ => continue,
        };
        place.get_or_insert_with(|| known.clone());
    }
    said
}

fn id(oldest: &str) -> String {
    Sha256::digest(oldest.as_bytes()).iter().take(4).map(|byte| format!("{byte:02x}")).collect()
}

/// All that the packs say, as texts to compare with.
fn known(packs: &[Pack]) -> Vec<Known> {
    let mut out = Vec::new();
    for pack in packs {
        let says = |lesson: &Lesson, text: &str| Known {
            pack: pack.name().clone(),
            id: Some(lesson.id.as_str().to_owned()),
            text: text.to_owned(),
        };
        for lesson in pack.lessons.lessons() {
            out.push(says(lesson, &lesson.title));
            out.push(says(lesson, &lesson.actionable));
        }
        for (_, rule) in crate::model::guardrails::Guardrails::parse(&pack.guardrails).rules() {
            out.push(Known { pack: pack.name().clone(), id: None, text: rule.words() });
        }
    }
    out
}
