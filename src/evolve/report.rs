//! The recommendation for every lesson, with its reasons: graduate, strengthen, prune or keep. A gone premise wins over
//! graduation; a lesson that recurs and has proved itself graduates.

use serde::Serialize;

use super::evidence::{Evidence, Reason};
use super::key::Key;
use super::{graduate, prune, strengthen};
use crate::model::config;
use crate::model::timestamp::Timestamp;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    Graduate,
    Strengthen,
    Prune,
    Keep,
}

#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Entry {
    #[serde(skip)]
    pub key: Key,
    pub id: String,
    pub pack: String,
    pub title: String,
    pub reasons: Vec<Reason>,
}

/// By pack, then by title.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Report {
    pub graduate: Vec<Entry>,
    pub strengthen: Vec<Entry>,
    pub prune: Vec<Entry>,
    pub keep: Vec<Entry>,
}

pub fn report(all: &[Evidence], settings: &config::Evolve, now: Timestamp) -> Report {
    let mut report = Report::default();
    let mut sorted: Vec<_> = all.iter().collect();
    sorted.sort_by(|a, b| (&a.key.pack, &a.lesson.title, &a.key.id).cmp(&(&b.key.pack, &b.lesson.title, &b.key.id)));
    for evidence in sorted {
        let (fate, reasons) = judge(evidence, settings, now);
        let list = match fate {
            Fate::Graduate => &mut report.graduate,
            Fate::Strengthen => &mut report.strengthen,
            Fate::Prune => &mut report.prune,
            Fate::Keep => &mut report.keep,
        };
        list.push(Entry {
            key: evidence.key.clone(),
            id: evidence.key.id.to_string(),
            pack: evidence.key.pack.to_string(),
            title: evidence.lesson.title.clone(),
            reasons,
        });
    }
    report
}

pub fn judge(evidence: &Evidence, settings: &config::Evolve, now: Timestamp) -> (Fate, Vec<Reason>) {
    if evidence.learned.is_none() {
        return (Fate::Keep, vec![Reason::new("uncommitted", "stands in no commit yet")]);
    }
    let against = prune::judge(evidence, settings, now);
    if !against.is_empty() {
        return (Fate::Prune, against);
    }
    let weak = strengthen::judge(evidence, settings);
    match graduate::judge(evidence, settings, now) {
        Ok(mut reasons) => {
            reasons.extend(weak);
            (Fate::Graduate, reasons)
        }
        Err(_) if !weak.is_empty() => (Fate::Strengthen, weak),
        Err(missing) => (Fate::Keep, missing),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::{Fate, judge, report};
    use crate::evolve::evidence::{Change, Evidence, Totals};
    use crate::evolve::key::Key;
    use crate::evolve::premise::{Named, Premise, Standing};
    use crate::evolve::prune::standing_rule;
    use crate::model::config::Evolve;
    use crate::model::lesson::Lesson;
    use crate::model::timestamp::Timestamp;

    pub(in crate::evolve) fn at_day(day: i64) -> Timestamp {
        Timestamp::from_unix(1_700_000_000 + day * 86_400).expect("in range")
    }

    pub(in crate::evolve) fn totals(injected: u64, good: u64, runs: u64) -> Totals {
        Totals { injected, good, runs, ..Totals::default() }
    }

    /// A lesson that was learned on day 0 and never heard of again.
    pub(in crate::evolve) fn evidence() -> Evidence {
        let lesson = Lesson::parse(
            r#"{"timestamp":"2023-11-14T00:00:00Z","category":"c","title":"Use pnpm, not npm","description":"D","actionable":"Run pnpm install","id":"0123456789"}"#,
        )
        .expect("valid");
        Evidence {
            key: Key::parse("a/0123456789").expect("valid"),
            lesson,
            learned: Some(Change { commit: "c0".to_owned(), at: at_day(0) }),
            edited: None,
            teachers: ["Ada".to_owned()].into(),
            corrections: 0,
            totals: Totals::default(),
            premises: Vec::new(),
            rule: None,
            pack_silent_since: None,
        }
    }

    fn fate(evidence: &Evidence) -> (Fate, Vec<&'static str>) {
        let (fate, reasons) = judge(evidence, &Evolve::default(), at_day(100));
        (fate, reasons.iter().map(|reason| reason.code).collect())
    }

    #[test]
    fn the_worst_news_decides() {
        let mut lesson = evidence();
        assert_eq!(fate(&lesson), (Fate::Keep, vec!["injections", "utility", "no-weight"]));
        lesson.totals = Totals { recurred: 3, ..totals(40, 36, 9) };
        lesson.corrections = 2;
        assert_eq!(fate(&lesson).0, Fate::Graduate);
        lesson.totals.good = 20;
        assert_eq!(fate(&lesson), (Fate::Strengthen, vec!["recurred"]));
        lesson.totals = totals(40, 40, 9);
        let gone = Standing::Gone { commit: "dead".to_owned(), at: at_day(50) };
        lesson.premises = vec![Premise { named: Named::Path("src/a.ts".to_owned()), scope: false, standing: gone }];
        assert_eq!(fate(&lesson), (Fate::Prune, vec!["premise-gone"]));
        lesson.learned = None;
        assert_eq!(fate(&lesson), (Fate::Keep, vec!["uncommitted"]));
    }

    #[test]
    fn each_ground_for_pruning_is_one() {
        let mut lesson = evidence();
        lesson.totals.contradicted = 1;
        lesson.pack_silent_since = Some(at_day(11));
        assert_eq!(fate(&lesson).0, Fate::Keep);
        lesson.totals.contradicted = 2;
        lesson.pack_silent_since = Some(at_day(10));
        lesson.rule = Some("Use pnpm.".to_owned());
        assert_eq!(fate(&lesson), (Fate::Prune, vec!["contradicted", "in-guardrails", "pack-unmatched"]));
    }

    #[test]
    fn a_rule_that_says_the_same_is_found() {
        let lesson = evidence().lesson;
        assert_eq!(
            standing_rule(&lesson, ["Write tests.", "Use npm, not pnpm.", "Run `pnpm install`."]),
            Some("Run `pnpm install`.")
        );
        assert_eq!(standing_rule(&lesson, ["Never run pnpm install"]), None);
    }

    #[test]
    fn a_report_is_in_order() {
        let (mut a, mut b) = (evidence(), evidence());
        b.lesson.title = "Aardvarks first".to_owned();
        a.key.pack = crate::model::pack::PackName::new("a").expect("valid");
        let all = report(&[a, b], &Evolve::default(), at_day(1));
        assert_eq!(
            all.keep.iter().map(|entry| entry.title.as_str()).collect::<Vec<_>>(),
            ["Aardvarks first", "Use pnpm, not npm"]
        );
    }
}
