//! When a lesson has proved itself and becomes a guardrail: it was needed often, did well, stood long, and somebody
//! showed that it matters. Silence alone is no proof.

use super::evidence::{Evidence, Reason, days};
use crate::model::config;
use crate::model::plural::count;
use crate::model::timestamp::Timestamp;

/// `Ok` with what speaks for it, or `Err` with what is missing.
pub fn judge(evidence: &Evidence, settings: &config::Evolve, now: Timestamp) -> Result<Vec<Reason>, Vec<Reason>> {
    let (mut good, mut missing) = (Vec::new(), Vec::new());
    let mut weigh = |holds: bool, reason: Reason| if holds { good.push(reason) } else { missing.push(reason) };
    let totals = &evidence.totals;
    weigh(
        totals.injected >= settings.graduate_injections && totals.runs >= settings.graduate_runs,
        Reason::new(
            "injections",
            format!(
                "{} in {} (needs {} in {})",
                count(totals.injected, "injection"),
                count(totals.runs, "run"),
                settings.graduate_injections,
                settings.graduate_runs
            ),
        ),
    );
    let utility = totals.utility();
    weigh(
        utility >= settings.graduate_utility,
        Reason::new("utility", format!("utility {utility:.2} (needs {:.2})", settings.graduate_utility)),
    );
    let least = u64::from(settings.graduate_days);
    if let Some(since) = evidence.since() {
        let age = days(now, since);
        let reason = Reason::new("age", format!("learned {} ago (needs {least})", count(age, "day")));
        weigh(age >= least, with_commit(reason, evidence.learned.as_ref().map(|change| &change.commit)));
    } else {
        weigh(false, Reason::new("age", "nothing says when it was learned"));
    }
    if let Some(edit) = &evidence.edited {
        let age = days(now, edit.at);
        let text = format!("reworded {} ago (needs {least})", count(age, "day"));
        weigh(age >= least, Reason::new("stable", text).at(&edit.commit));
    }
    weigh_weight(evidence, settings, &mut weigh);
    if missing.is_empty() { Ok(good) } else { Err(missing) }
}

/// Why it matters at all.
fn weigh_weight(evidence: &Evidence, settings: &config::Evolve, weigh: &mut impl FnMut(bool, Reason)) {
    let people = evidence.teachers.len() as u64;
    let corrected = evidence.corrections >= settings.graduate_corrections;
    let taught = people >= settings.graduate_people;
    if corrected {
        weigh(true, Reason::new("corrections", format!("came from {}", count(evidence.corrections, "correction"))));
    }
    if taught {
        let names: Vec<_> = evidence.teachers.iter().map(String::as_str).collect();
        weigh(true, Reason::new("people", format!("taught by {}", names.join(" and "))));
    }
    if !corrected && !taught {
        let text = format!(
            "nobody said that it matters: {} (needs {}), taught by {} (needs {}); `--graduate` says so",
            count(evidence.corrections, "correction"),
            settings.graduate_corrections,
            if people == 1 { "1 person".to_owned() } else { format!("{people} people") },
            settings.graduate_people
        );
        weigh(false, Reason::new("no-weight", text));
    }
}

fn with_commit(reason: Reason, commit: Option<&String>) -> Reason {
    match commit {
        Some(commit) => reason.at(commit),
        None => reason,
    }
}

#[cfg(test)]
mod tests {
    use super::judge;
    use crate::evolve::evidence::Change;
    use crate::evolve::report::tests::{at_day, evidence, totals};
    use crate::model::config::Evolve;

    #[test]
    fn every_condition_is_needed() {
        let settings = Evolve::default();
        let codes = |change: &dyn Fn(&mut crate::evolve::evidence::Evidence)| {
            let mut evidence = evidence();
            evidence.totals = totals(20, 20, 5);
            evidence.corrections = 2;
            change(&mut evidence);
            match judge(&evidence, &settings, at_day(100)) {
                Ok(_) => Vec::new(),
                Err(missing) => missing.iter().map(|reason| reason.code).collect(),
            }
        };
        assert_eq!(codes(&|_| {}), Vec::<&str>::new());
        assert_eq!(codes(&|evidence| evidence.totals = totals(19, 19, 5)), ["injections"]);
        assert_eq!(codes(&|evidence| evidence.totals = totals(20, 20, 4)), ["injections"]);
        assert_eq!(codes(&|evidence| evidence.totals = totals(40, 32, 5)), ["utility"]);
        assert_eq!(codes(&|evidence| evidence.learned = Some(Change { commit: "c".to_owned(), at: at_day(87) })), ["age"]);
        assert_eq!(codes(&|evidence| evidence.edited = Some(Change { commit: "e".to_owned(), at: at_day(87) })), ["stable"]);
        assert_eq!(codes(&|evidence| evidence.corrections = 1), ["no-weight"]);
        let two = |evidence: &mut crate::evolve::evidence::Evidence| {
            evidence.corrections = 0;
            evidence.teachers = ["Ada".to_owned(), "Bob".to_owned()].into();
        };
        assert_eq!(codes(&two), Vec::<&str>::new());
    }
}
