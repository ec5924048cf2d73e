//! When a lesson has to go: people contradict it, what it speaks of is gone, the guardrails say it already, or its pack
//! has nothing to do any more. That it was outranked by better ones is no reason.

use super::evidence::{Evidence, Reason, days};
use super::premise::{Named, Premise, Standing, Verdict, verdict};
use crate::model::config;
use crate::model::lesson::Lesson;
use crate::model::likeness::{Likeness, compare};
use crate::model::plural::count;
use crate::model::timestamp::Timestamp;
use crate::model::visible::abbreviated;

/// Empty where nothing speaks against it.
pub fn judge(evidence: &Evidence, settings: &config::Evolve, now: Timestamp) -> Vec<Reason> {
    let mut reasons = Vec::new();
    if let Verdict::Gone(lost) = verdict(&evidence.premises) {
        reasons.extend(lost.into_iter().map(|premise| gone("premise-gone", premise)));
    }
    let contradicted = evidence.totals.contradicted;
    if contradicted >= settings.prune_contradictions {
        let text = format!("people asked for the opposite in {}", count(contradicted, "run"));
        reasons.push(Reason::new("contradicted", text));
    }
    if let Some(rule) = &evidence.rule {
        reasons.push(Reason::new("in-guardrails", format!("the guardrails say it already: {rule}")));
    }
    let silent = evidence.pack_silent_since.map(|since| days(now, since));
    if let Some(silent) = silent.filter(|&silent| silent >= u64::from(settings.prune_unmatched_days)) {
        reasons.push(Reason::new("pack-unmatched", format!("its pack matched no file in {}", count(silent, "day"))));
    }
    reasons
}

/// The rule, of all of a pack's rules, that says what the lesson says.
pub fn standing_rule<'a>(lesson: &Lesson, rules: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let both = format!("{}: {}", lesson.title, lesson.actionable);
    rules
        .into_iter()
        .find(|rule| [&lesson.title, &lesson.actionable, &both].into_iter().any(|text| compare(text, rule) == Likeness::Same))
}

/// That something is gone, and which commit removed it.
pub(super) fn gone(code: &'static str, premise: &Premise) -> Reason {
    let what = match (&premise.named, premise.scope) {
        (_, true) => format!("its `paths` entry `{}` matches no file any more", premise.named.text()),
        (Named::Path(text) | Named::File(text), _) => format!("names `{text}`, which is gone"),
        (Named::Glob(text), _) => format!("names `{text}`, which matches no file any more"),
        (Named::Identifier(text), _) => format!("names `{text}`, which no file has any more"),
    };
    match &premise.standing {
        Standing::Gone { commit, at } => {
            let text = format!("{what} (removed in {}, {})", abbreviated(commit), at.format("%Y-%m-%d"));
            Reason::new(code, text).at(commit)
        }
        Standing::Present | Standing::Moved { .. } | Standing::Never => Reason::new(code, what),
    }
}
