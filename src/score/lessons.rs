//! Which lessons of a pack come first for a file, and which are kept back there. How many are shown is `inject`'s.

use std::cmp::Reverse;
use std::collections::BTreeSet;

use super::glob::Pattern;
use crate::model::lesson::{Lesson, LessonId};
use crate::model::repo_path::RepoPath;
use crate::model::timestamp::Timestamp;
use crate::model::words::{count_shared, words};

/// How often a lesson was put before an agent, and how often nothing said that it failed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Outcomes {
    pub good: u64,
    pub count: u64,
}

/// 0 to 1 in steps of 0.05, so that ties are common and the finer rules decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Utility(u8);

impl Utility {
    /// What a lesson has that was never tried: its trial is still to come.
    pub const UNTRIED: Self = Self(20);

    /// The nearest step.
    pub fn nearest(score: f64) -> Self {
        // a NaN becomes 0
        Self((score.clamp(0.0, 1.0) * 20.0).round() as u8)
    }

    /// What the outcomes say: half at first, and the more outcomes the less that matters.
    pub fn of(outcomes: Outcomes) -> Self {
        Self::nearest((1.0 + outcomes.good as f64) / (2.0 + outcomes.count as f64))
    }

    /// What is written in a lesson's line together with outcomes that are not written there yet.
    pub fn combined(lesson: &Lesson, unrecorded: Outcomes) -> Self {
        match (lesson.utility_score, unrecorded.count) {
            (None, 0) => Self::UNTRIED,
            (Some(score), 0) => Self::nearest(score),
            (None, _) => Self::of(unrecorded),
            (Some(score), more) => {
                let weight = 2.0 + lesson.injection_count.unwrap_or(0) as f64;
                Self::nearest((score * weight + unrecorded.good as f64) / (weight + more as f64))
            }
        }
    }

    pub fn value(self) -> f64 {
        f64::from(self.0) / 20.0
    }
}

/// A lesson and what is known of its life beside its line.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    pub lesson: &'a Lesson,
    /// This clone's runs that are not recorded in the line yet.
    pub unrecorded: Outcomes,
    /// The last commit that changed its text; `None` where no commit has it yet.
    pub changed: Option<Timestamp>,
    /// The file that the correction it came from was about.
    pub origin: Option<&'a str>,
}

impl<'a> Candidate<'a> {
    /// A lesson of whose life nothing is known.
    pub fn new(lesson: &'a Lesson) -> Self {
        Self { lesson, unrecorded: Outcomes::default(), changed: None, origin: None }
    }
}

/// A lesson's standing for one file: the smaller, the sooner it is shown. Comparable across packs.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Standing {
    kept_back: bool,
    utility: Reverse<Utility>,
    named: Reverse<bool>,
    shared: Reverse<usize>,
    changed: Reverse<Option<Timestamp>>,
    learned: Reverse<Option<Timestamp>>,
    id: LessonId,
}

impl Standing {
    /// It has `paths`, and none of them matches.
    pub fn is_kept_back(&self) -> bool {
        self.kept_back
    }

    /// Its `paths` match, or it shares words with the file's path.
    pub fn is_close(&self) -> bool {
        self.named.0 || self.shared.0 > 0
    }

    pub fn utility(&self) -> Utility {
        self.utility.0
    }
}

/// A place in the list that was ranked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ranked {
    pub index: usize,
    pub standing: Standing,
}

/// All lessons, best first, those that are kept back here last. The same lessons in another order rank the same.
pub fn rank(lessons: &[Candidate<'_>], path: &RepoPath) -> Vec<Ranked> {
    let wanted = words(path.as_str());
    let mut ranked: Vec<Ranked> =
        lessons.iter().enumerate().map(|(index, one)| Ranked { index, standing: standing(one, path, &wanted) }).collect();
    ranked.sort_by(|a, b| a.standing.cmp(&b.standing));
    ranked
}

fn standing(one: &Candidate<'_>, path: &RepoPath, wanted: &BTreeSet<String>) -> Standing {
    let lesson = one.lesson;
    let named = lesson.paths.iter().any(|text| Pattern::lazy(text).matches(path));
    let texts = [&lesson.title, &lesson.actionable, &lesson.description].map(String::as_str);
    let learned = lesson.instant();
    Standing {
        kept_back: !named && !lesson.paths.is_empty(),
        utility: Reverse(Utility::combined(lesson, one.unrecorded)),
        named: Reverse(named),
        shared: Reverse(count_shared(&texts, wanted) + one.origin.map_or(0, |origin| count_shared(&[origin], wanted))),
        changed: Reverse(one.changed.or(learned)),
        learned: Reverse(learned),
        id: lesson.id.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lesson(id: u32, change: impl FnOnce(&mut Lesson)) -> Lesson {
        let line = format!(
            r#"{{"timestamp":"2026-11-29T10:15:00Z","category":"c","title":"T","description":"","actionable":"","id":"{id:010x}"}}"#
        );
        let mut lesson = Lesson::parse(&line).unwrap();
        change(&mut lesson);
        lesson
    }

    fn order(candidates: &[Candidate<'_>]) -> Vec<u32> {
        let path = RepoPath::new("src/auth/login.ts").unwrap();
        let ranked = rank(candidates, &path);
        let mut reversed: Vec<_> = candidates.to_vec();
        reversed.reverse();
        let ids = |list: &[Candidate<'_>], ranked: &[Ranked]| -> Vec<u32> {
            ranked.iter().map(|one| u32::from_str_radix(list[one.index].lesson.id.as_str(), 16).unwrap()).collect()
        };
        assert_eq!(ids(candidates, &ranked), ids(&reversed, &rank(&reversed, &path)), "the order given must not matter");
        ids(candidates, &ranked)
    }

    #[test]
    fn each_rule_decides_where_those_before_it_tie() {
        let at = |day: u32| Timestamp::parse(&format!("2026-12-{day:02}")).map(|(at, _)| at);
        let lessons = [
            lesson(1, |l| l.utility_score = Some(0.91)),
            lesson(2, |l| l.utility_score = Some(0.94)),
            lesson(3, |l| l.timestamp = "2026-11-30".to_owned()),
            lesson(4, |_| {}),
            lesson(5, |_| {}),
            lesson(6, |_| {}),
            lesson(7, |l| l.title = "Hash every login".to_owned()),
            lesson(8, |l| l.title = "Auth: log the logins".to_owned()),
            lesson(9, |l| l.paths = vec!["**/auth/**".to_owned()]),
            lesson(10, |l| {
                l.paths = vec!["docs/**".to_owned()];
                l.utility_score = Some(1.0);
            }),
            lesson(11, |l| l.utility_score = Some(0.5)),
        ];
        let mut candidates: Vec<_> = lessons.iter().map(Candidate::new).collect();
        candidates[5].changed = at(2);
        candidates[4].changed = at(1);
        // untried (1.0): named, shares two words, shares one, changed last, changed before, learned last, by id
        assert_eq!(order(&candidates), [9, 8, 7, 6, 5, 3, 4, 2, 1, 11, 10]);
    }

    #[test]
    fn words_of_the_corrections_file_count_too() {
        let lessons = [lesson(1, |l| l.title = "About login".to_owned()), lesson(2, |_| {})];
        let mut candidates: Vec<_> = lessons.iter().map(Candidate::new).collect();
        candidates[1].origin = Some("src/auth/token.ts");
        assert_eq!(order(&candidates), [2, 1]);
        candidates[1].origin = Some("docs/x.md");
        assert_eq!(order(&candidates), [1, 2]);
    }

    #[test]
    fn what_is_recorded_and_what_is_not_yet_count_together() {
        let combined = |score: Option<f64>, injected: Option<u64>, good, count| {
            let lesson = lesson(1, |l| {
                l.utility_score = score;
                l.injection_count = injected;
            });
            Utility::combined(&lesson, Outcomes { good, count }).value()
        };
        assert_eq!(combined(None, None, 0, 0), 1.0);
        assert_eq!(combined(Some(0.72), Some(9), 0, 0), 0.7);
        assert_eq!(combined(None, None, 1, 1), 0.65);
        assert_eq!(combined(None, None, 0, 1), 0.35);
        // 18 of 20 good so far (0.85), then 4 bad ones: 19 / 26
        assert_eq!(combined(Some(0.85), Some(20), 0, 4), 0.7);
        // a score that a person wrote, with no count, weighs as the first doubt does
        assert_eq!(combined(Some(1.0), None, 0, 2), 0.5);
        assert_eq!(Utility::of(Outcomes { good: 24, count: 24 }).value(), 0.95);
        assert_eq!(Utility::nearest(f64::NAN).value(), 0.0);
    }
}
