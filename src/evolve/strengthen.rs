//! When a lesson is right but does not work as it stands: it was shown and not followed, or part of what it names is
//! gone. What to do about it is a person's choice.

use super::evidence::{Evidence, Reason};
use super::premise::{Standing, Verdict, verdict};
use super::prune::gone;
use crate::model::config;
use crate::model::plural::count;

/// Empty where nothing has to be done.
pub fn judge(evidence: &Evidence, settings: &config::Evolve) -> Vec<Reason> {
    let mut reasons = Vec::new();
    let recurred = evidence.totals.recurred;
    if recurred >= settings.strengthen_runs {
        let remedy = if evidence.lesson.paths.is_empty() {
            "reword it, give it `paths`, graduate it, or hold the first edit"
        } else {
            "reword it, graduate it, or hold the first edit"
        };
        let text = format!("corrected again in {} although it had been shown: {remedy}", count(recurred, "run"));
        reasons.push(Reason::new("recurred", text));
    }
    if let Verdict::PartlyGone(lost) = verdict(&evidence.premises) {
        reasons.extend(lost.into_iter().map(|premise| gone("premise-partly-gone", premise)));
    }
    for premise in &evidence.premises {
        if let Standing::Moved { to, commit, at } = &premise.standing {
            let text = format!("`{}` is `{to}` since {}: say so", premise.named.text(), at.format("%Y-%m-%d"));
            reasons.push(Reason::new("premise-moved", text).at(commit));
        }
    }
    reasons
}
