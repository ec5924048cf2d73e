//! What became of every injection: it was good, or a later statement of the person shows that the lesson was not
//! followed (it recurred) or that it is wrong (it was contradicted). Other statements say nothing about it.

use std::collections::{BTreeMap, BTreeSet};

use super::key::Key;
use crate::model::lesson::Lesson;
use crate::model::likeness::{Likeness, compare};
use crate::model::timestamp::Timestamp;
use crate::model::words::{closeness, words};

/// A lesson that was put before an agent.
#[derive(Clone, Debug, PartialEq)]
pub struct Shown {
    pub lesson: Key,
    pub at: Timestamp,
}

/// A correction or a direction that the person gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Said {
    /// The guidance's id.
    pub guidance: String,
    pub at: Timestamp,
    pub text: String,
}

/// One session, or the stretches of it that are to be counted, with all that was said in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Session {
    /// Names the run in reports.
    pub run: String,
    pub shown: Vec<Shown>,
    pub said: Vec<Said>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Good,
    /// The lesson was needed and not followed; this guidance says so.
    Recurred(String),
    /// The person wants the opposite; this guidance says so.
    Contradicted(String),
}

/// What is known of one lesson from a number of sessions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    pub injected: u64,
    pub good: u64,
    /// The runs in which it was injected.
    pub runs: BTreeSet<String>,
    /// The runs in which it recurred, with the guidance that shows it.
    pub recurred: BTreeMap<String, String>,
    pub contradicted: BTreeMap<String, String>,
}

/// Counts for every lesson that was shown. Lessons that are not in `texts` any more are passed over: without the
/// text nobody can say what became of them.
pub fn tally(sessions: &[Session], texts: &BTreeMap<Key, &Lesson>) -> BTreeMap<Key, Tally> {
    let mut tallies: BTreeMap<Key, Tally> = BTreeMap::new();
    for session in sessions {
        for shown in &session.shown {
            let Some(lesson) = texts.get(&shown.lesson) else { continue };
            let tally = tallies.entry(shown.lesson.clone()).or_default();
            tally.injected += 1;
            tally.runs.insert(session.run.clone());
            match outcome(lesson, shown.at, &session.said) {
                Outcome::Good => tally.good += 1,
                Outcome::Recurred(guidance) => {
                    tally.recurred.entry(session.run.clone()).or_insert(guidance);
                }
                Outcome::Contradicted(guidance) => {
                    tally.contradicted.entry(session.run.clone()).or_insert(guidance);
                }
            }
        }
    }
    tallies
}

/// A contradiction weighs more than a recurrence: who says the opposite once has made up their mind.
pub fn outcome(lesson: &Lesson, shown: Timestamp, said: &[Said]) -> Outcome {
    let mut outcome = Outcome::Good;
    for said in said.iter().filter(|said| said.at > shown) {
        match judge(lesson, &said.text) {
            Likeness::Opposite => return Outcome::Contradicted(said.guidance.clone()),
            Likeness::Same | Likeness::Close(_) if outcome == Outcome::Good => {
                outcome = Outcome::Recurred(said.guidance.clone());
            }
            _ => {}
        }
    }
    outcome
}

/// How a statement stands to a lesson: judged by that of its texts which it is closest to.
pub fn judge(lesson: &Lesson, said: &str) -> Likeness {
    let both = format!("{}: {}", lesson.title, lesson.actionable);
    let bag = words(said);
    [&lesson.title, &lesson.actionable, &both, &lesson.description]
        .into_iter()
        .map(|text| (closeness(&words(text), &bag), text))
        // of equally close ones the first
        .reduce(|best, next| if next.0 > best.0 { next } else { best })
        .map_or(Likeness::Different, |(_, text)| compare(text, said))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::{Outcome, Said, Session, Shown, outcome, tally};
    use crate::evolve::key::Key;
    use crate::model::lesson::Lesson;
    use crate::model::timestamp::Timestamp;

    fn lesson() -> Lesson {
        Lesson::parse(
            r#"{"timestamp":"2026-01-01T00:00:00Z","category":"c","title":"Use pnpm, not npm","description":"The lock file is pnpm's.","actionable":"Run `pnpm install` for dependencies.","id":"0123456789"}"#,
        )
        .expect("valid")
    }

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_unix(seconds).expect("in range")
    }

    fn said(seconds: i64, text: &str) -> Said {
        Said { guidance: format!("g_{seconds}"), at: at(seconds), text: text.to_owned() }
    }

    #[test]
    fn only_what_is_said_later_and_close_counts() {
        for (text, expected) in [
            ("No, use pnpm, not npm!", Outcome::Recurred("g_5".to_owned())),
            ("Use npm, not pnpm", Outcome::Contradicted("g_5".to_owned())),
            ("Don't run pnpm install for dependencies", Outcome::Contradicted("g_5".to_owned())),
            ("Write the tests first", Outcome::Good),
            ("", Outcome::Good),
        ] {
            assert_eq!(outcome(&lesson(), at(1), &[said(5, text)]), expected, "{text}");
            assert_eq!(outcome(&lesson(), at(5), &[said(5, text)]), Outcome::Good, "{text}");
        }
    }

    #[test]
    fn a_contradiction_outweighs_what_was_said_before_it() {
        let both = [said(2, "use pnpm, not npm"), said(3, "use npm, not pnpm")];
        assert_eq!(outcome(&lesson(), at(1), &both), Outcome::Contradicted("g_3".to_owned()));
    }

    #[test]
    fn runs_are_counted_once_and_unknown_lessons_not_at_all() {
        let (lesson, key) = (lesson(), Key::parse("a/0123456789").expect("valid"));
        let shown = |seconds| Shown { lesson: key.clone(), at: at(seconds) };
        let unknown = Shown { lesson: Key::parse("a/9999999999").expect("valid"), at: at(1) };
        let sessions = [
            Session { run: "r1".to_owned(), shown: vec![shown(1), shown(9)], said: vec![said(5, "use pnpm, not npm")] },
            Session { run: "r1".to_owned(), shown: vec![shown(2), unknown], said: vec![said(5, "use pnpm not npm")] },
            Session { run: "r2".to_owned(), shown: vec![shown(1)], said: Vec::new() },
        ];
        let tallies = tally(&sessions, &BTreeMap::from([(key.clone(), &lesson)]));
        assert_eq!(tallies.len(), 1);
        let tally = &tallies[&key];
        assert_eq!((tally.injected, tally.good, tally.runs.len(), tally.recurred.len()), (4, 2, 2, 1));
    }
}
