//! What is wrong with packs in ways that nobody sees in a session: paths that match nothing, rules about what is gone,
//! guardrails that leave no room.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::super::evidence::Gathered;
use crate::error::Result;
use crate::evolve::premise::{Named, Standing, in_text};
use crate::inject::units;
use crate::model::guardrails::Guardrails;
use crate::model::pack::PackName;
use crate::model::timestamp::Timestamp;
use crate::model::visible::abbreviated;
use crate::score::glob::Pattern;
use crate::store::premise::{Wanted, files_of};

pub(super) struct Alert {
    pub(super) pack: Option<PackName>,
    /// Stable, in kebab-case.
    pub(super) code: &'static str,
    pub(super) text: String,
    pub(super) commit: Option<String>,
}

impl Alert {
    pub(super) fn of(pack: &PackName, code: &'static str, text: String) -> Self {
        Self { pack: Some(pack.clone()), code, text, commit: None }
    }

    pub(super) fn json(&self) -> Value {
        json!({ "pack": self.pack, "code": self.code, "text": self.text, "commit": self.commit })
    }
}

pub(super) fn of_packs(gathered: &Gathered, now: Timestamp) -> Result<Vec<Alert>> {
    let mut alerts = Vec::new();
    let half = gathered.config.inject.max_chars / 2;
    for pack in &gathered.packs {
        let (name, meta) = (pack.name(), &pack.meta);
        let size = units(&pack.guardrails);
        if size > half {
            let text = format!(
                "its guardrails have {size} characters, more than the half of an injection that is kept for them ({half})"
            );
            alerts.push(Alert::of(name, "guardrails-large", text));
        }
        let fields = [("references.code_paths", &meta.references.code_paths), ("sensitive_paths", &meta.sensitive_paths)];
        for (field, patterns) in fields {
            // what speaks before git commands is in no tree
            for text in patterns.iter().filter(|text| !text.starts_with(".git/")) {
                let pattern = Pattern::lazy(text);
                if !gathered.files.is_empty() && !gathered.files.iter().any(|file| pattern.matches(file)) {
                    alerts.push(Alert::of(name, "path-unmatched", format!("{field}: {text} matches no file of HEAD")));
                }
            }
        }
    }
    alerts.extend(gone_rules(gathered, now)?);
    Ok(alerts)
}

/// Rules that name only what was there once and is not any more.
fn gone_rules(gathered: &Gathered, now: Timestamp) -> Result<Vec<Alert>> {
    let mut rules: Vec<(&PackName, String, BTreeSet<Wanted>)> = Vec::new();
    for pack in &gathered.packs {
        let files = files_of(&pack.meta);
        for (_, rule) in Guardrails::parse(&pack.guardrails).rules() {
            let mut named: BTreeSet<Named> = BTreeSet::new();
            in_text(rule.raw, &mut named);
            let wanted: BTreeSet<Wanted> = named.into_iter().map(|named| Wanted { named, files: files.clone() }).collect();
            if !wanted.is_empty() {
                rules.push((pack.name(), rule.words(), wanted));
            }
        }
    }
    let all = rules.iter().flat_map(|(_, _, wanted)| wanted.iter().cloned()).collect();
    let standings = gathered.repo.standings(&all, now)?;
    let mut alerts = Vec::new();
    for (pack, rule, wanted) in rules {
        let known: Vec<(&Wanted, &Standing)> = wanted
            .iter()
            .filter_map(|one| Some((one, standings.get(one)?)))
            .filter(|(_, standing)| **standing != Standing::Never)
            .collect();
        let gone = known.iter().all(|(_, standing)| matches!(standing, Standing::Gone { .. }));
        if let (true, Some((what, Standing::Gone { commit, .. }))) = (gone, known.first()) {
            let text = format!("a rule is about {}, which is gone since {}: {rule}", what.named.text(), abbreviated(commit));
            alerts.push(Alert { commit: Some(commit.clone()), ..Alert::of(pack, "rule-premise-gone", text) });
        }
    }
    Ok(alerts)
}
