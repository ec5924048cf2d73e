//! Which packs a file calls for: every pack with its score, the signals that fired, and why it is selected or not.
//! What of a selected pack reaches the agent is `lessons`' and `inject`'s.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::fmt;

use serde::{Serialize, Serializer};

use super::glob::Pattern;
use super::signals::{Keywords, MAX_CORRECTIONS, Moment, Signal};
use crate::model::pack::{PackMeta, PackName};
use crate::model::plural::count;
use crate::model::repo_path::RepoPath;

/// Packs an injection, at most.
pub const MAX_PACKS: usize = 4;

/// The points from which on a pack is selected.
pub fn threshold(strong: bool) -> u32 {
    if strong { 10 } else { 20 }
}

/// One signal that fired for a pack.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Fired {
    pub signal: Signal,
    pub points: u32,
    /// The pattern, extension, category, keyword or pack that made it fire.
    pub because: String,
}

/// Why a pack is selected, or why not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    Selected,
    /// The path matches this entry of the pack's `excludes_paths`.
    Excluded(String),
    NothingFired,
    BelowThreshold(u32),
    /// It passes its threshold, but enough other packs score higher.
    Outranked,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selected => f.write_str("selected"),
            Self::Excluded(by) => write!(f, "excluded by {by}"),
            Self::NothingFired => f.write_str("no signal"),
            Self::BelowThreshold(needed) => write!(f, "below its threshold of {needed}"),
            Self::Outranked => write!(f, "{MAX_PACKS} other packs come first"),
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// A pack's relevance to one path.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Scored {
    pub pack: PackName,
    pub score: u32,
    pub strong: bool,
    pub selected: bool,
    pub reason: Reason,
    /// In the order of [`Signal::ALL`].
    pub signals: Vec<Fired>,
    /// Where the pack stands in the list that was scored.
    #[serde(skip)]
    pub index: usize,
}

impl Scored {
    fn passes(&self) -> bool {
        !matches!(self.reason, Reason::Excluded(_)) && self.score >= threshold(self.strong)
    }

    fn fire(&mut self, signal: Signal, times: u32, because: String) {
        let points = times * signal.weight();
        self.score += points;
        self.strong |= signal.is_strong();
        self.signals.push(Fired { signal, points, because });
    }
}

/// Scores every pack against a path, best first: by score, then name; the excluded ones last.
pub fn select(packs: &[&PackMeta], path: &RepoPath, moment: &Moment<'_>, keywords: &Keywords) -> Vec<Scored> {
    let facts = Facts::of(path, moment, keywords);
    let mut scored: Vec<Scored> = packs.iter().enumerate().map(|(index, pack)| facts.score(index, pack)).collect();
    boost_dependencies(packs, &mut scored);
    for one in &mut scored {
        if !matches!(one.reason, Reason::Excluded(_)) {
            one.reason = match one.score {
                0 => Reason::NothingFired,
                _ if one.passes() => Reason::Selected,
                _ => Reason::BelowThreshold(threshold(one.strong)),
            };
        }
    }
    scored.sort_by(|a, b| {
        let key = |one: &Scored| (Reverse(one.score), matches!(one.reason, Reason::Excluded(_)));
        key(a).cmp(&key(b)).then_with(|| a.pack.cmp(&b.pack)).then_with(|| a.index.cmp(&b.index))
    });
    let mut chosen = 0;
    for one in &mut scored {
        if one.reason == Reason::Selected {
            one.selected = chosen < MAX_PACKS;
            chosen += 1;
            if !one.selected {
                one.reason = Reason::Outranked;
            }
        }
    }
    scored
}

/// What is the same for every pack, found out once.
struct Facts<'a> {
    path: &'a RepoPath,
    /// Categories of recent prompts, and whether each was a correction.
    recent: Vec<(&'a str, bool)>,
    keywords: Vec<(&'a str, &'a [String])>,
}

impl<'a> Facts<'a> {
    fn of(path: &'a RepoPath, moment: &Moment<'a>, keywords: &'a Keywords) -> Self {
        Self { path, recent: moment.recent(), keywords: keywords.in_path(path.as_str()) }
    }

    fn score(&self, index: usize, pack: &PackMeta) -> Scored {
        let mut scored = Scored {
            pack: pack.name.clone(),
            score: 0,
            strong: false,
            selected: false,
            reason: Reason::NothingFired,
            signals: Vec::new(),
            index,
        };
        if let Some(by) = pack.excludes_paths.iter().find(|text| Pattern::lazy(text).excludes(self.path)) {
            scored.reason = Reason::Excluded(by.clone());
            return scored;
        }
        if let Some(by) = self.first_match(&pack.references.code_paths) {
            scored.fire(Signal::FilePatternMatch, 1, by.to_owned());
        }
        if let Some(by) = pack.applies_to.extensions.iter().find(|extension| has_extension(self.path, extension)) {
            scored.fire(Signal::ExtensionMatch, 1, by.clone());
        }
        if let Some(by) = self.first_match(&pack.sensitive_paths) {
            scored.fire(Signal::SensitivePath, 1, by.to_owned());
        }
        let mut corrections = 0;
        let mut spoken = None;
        for &(category, correction) in
            self.recent.iter().filter(|(category, _)| pack.categories.iter().any(|own| own == category))
        {
            corrections += u32::from(correction);
            spoken = Some(category);
        }
        if corrections > 0 {
            scored.fire(Signal::RecentCorrection, corrections.min(MAX_CORRECTIONS), count(corrections, "recent correction"));
        }
        if let Some(category) = spoken {
            scored.fire(Signal::CategoryMatch, 1, category.to_owned());
        }
        let meets = |categories: &[String]| categories.iter().any(|category| pack.categories.contains(category));
        if let Some((word, _)) = self.keywords.iter().find(|(_, categories)| meets(categories)) {
            scored.fire(Signal::PathKeyword, 1, (*word).to_owned());
        }
        scored
    }

    fn first_match<'p>(&self, patterns: &'p [String]) -> Option<&'p str> {
        patterns.iter().find(|text| Pattern::lazy(text).matches(self.path)).map(String::as_str)
    }
}

/// Whether the file's name ends with an extension, which has to begin with a dot; upper and lower case are the same.
pub fn has_extension(path: &RepoPath, extension: &str) -> bool {
    let (name, extension) = (path.file_name().as_bytes(), extension.as_bytes());
    extension.len() > 1
        && extension[0] == b'.'
        && name.len() >= extension.len()
        && name[name.len() - extension.len()..].eq_ignore_ascii_case(extension)
}

/// What a pack that passes its threshold depends on gets a little more, once, until nothing changes: the outcome does
/// not depend on the order.
fn boost_dependencies(packs: &[&PackMeta], scored: &mut [Scored]) {
    let mut waiting: Vec<usize> =
        scored.iter().filter(|one| one.passes() && !packs[one.index].depends_on.is_empty()).map(|one| one.index).collect();
    if waiting.is_empty() {
        return;
    }
    let places: HashMap<&str, usize> = packs.iter().enumerate().map(|(index, pack)| (pack.name.as_str(), index)).collect();
    // the first to boost is named, so names decide who is first
    waiting.sort_by(|&a, &b| packs[b].name.cmp(&packs[a].name));
    let mut boosted = vec![false; packs.len()];
    while let Some(from) = waiting.pop() {
        for name in &packs[from].depends_on {
            let Some(&to) = places.get(name.as_str()) else { continue };
            if to == from || boosted[to] || matches!(scored[to].reason, Reason::Excluded(_)) {
                continue;
            }
            boosted[to] = true;
            let passed = scored[to].passes();
            scored[to].fire(Signal::DependencyBoost, 1, format!("{} depends on it", packs[from].name));
            if !passed && scored[to].passes() {
                waiting.push(to);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::timestamp::Timestamp;

    fn pack(name: &str, change: impl FnOnce(&mut PackMeta)) -> PackMeta {
        let mut meta = PackMeta::minimal(PackName::new(name).unwrap(), "team");
        change(&mut meta);
        meta
    }

    fn strings(list: &[&str]) -> Vec<String> {
        list.iter().map(|&text| text.to_owned()).collect()
    }

    fn run(packs: &[PackMeta], path: &str) -> Vec<Scored> {
        let moment = Moment { now: Timestamp::from_unix(1_800_000_000).unwrap(), spoken: &[] };
        let path = RepoPath::new(path).unwrap();
        select(&packs.iter().collect::<Vec<_>>(), &path, &moment, &Keywords::default())
    }

    fn summary(scored: &[Scored]) -> Vec<(&str, u32, &Reason)> {
        scored.iter().map(|one| (one.pack.as_str(), one.score, &one.reason)).collect()
    }

    #[test]
    fn at_most_four_packs_by_score_then_name() {
        let mut packs: Vec<_> = ["f", "e", "d", "c", "b"]
            .into_iter()
            .map(|name| pack(name, |meta| meta.references.code_paths = strings(&["src"])))
            .collect();
        packs.push(pack("z", |meta| meta.sensitive_paths = strings(&["src/**"])));
        let scored = run(&packs, "src/a.rs");
        assert_eq!(
            summary(&scored),
            [
                ("z", 20, &Reason::Selected),
                ("b", 15, &Reason::Selected),
                ("c", 15, &Reason::Selected),
                ("d", 15, &Reason::Selected),
                ("e", 15, &Reason::Outranked),
                ("f", 15, &Reason::Outranked),
            ]
        );
        assert_eq!(scored.iter().map(|one| one.index).collect::<Vec<_>>(), [5, 4, 3, 2, 1, 0]);
    }

    #[test]
    fn a_boost_goes_down_the_chain_once_and_never_to_what_is_excluded() {
        // 8 + 5 + 5: `mid` needs the boost of `top` to pass, and only then boosts `low`
        let packs = [
            pack("low", |meta| meta.categories = strings(&["schema"])),
            pack("mid", |meta| {
                meta.references.code_paths = strings(&["src"]);
                meta.depends_on = strings(&["low", "mid", "gone"]);
            }),
            pack("top", |meta| {
                meta.sensitive_paths = strings(&["src/**"]);
                meta.depends_on = strings(&["mid", "out", "low"]);
            }),
            pack("weak", |meta| {
                meta.applies_to.extensions = strings(&[".rs"]);
                meta.depends_on = strings(&["idle"]);
            }),
            pack("idle", |_| {}),
            pack("out", |meta| {
                meta.references.code_paths = strings(&["src"]);
                meta.excludes_paths = strings(&["src"]);
            }),
        ];
        let scored = run(&packs, "src/schema.rs");
        assert_eq!(
            summary(&scored),
            [
                ("top", 20, &Reason::Selected),
                ("mid", 18, &Reason::Selected),
                ("low", 11, &Reason::BelowThreshold(20)),
                ("weak", 5, &Reason::BelowThreshold(20)),
                ("idle", 0, &Reason::NothingFired),
                ("out", 0, &Reason::Excluded("src".to_owned())),
            ]
        );
        let low = &scored[2].signals;
        assert_eq!((low.len(), low[1].signal, low[1].because.as_str()), (2, Signal::DependencyBoost, "mid depends on it"));
    }

    #[test]
    fn a_boost_can_lift_a_pack_over_its_threshold_and_go_on_from_there() {
        // a ring: each passes only because of the one before, and it ends
        let weak = |name: &str, on: &str, sure: bool| {
            pack(name, |meta| {
                meta.categories = strings(&["testing"]);
                meta.applies_to.extensions = strings(&[".rs"]);
                meta.depends_on = strings(&[on]);
                if sure {
                    meta.references.code_paths = strings(&["tests"]);
                }
            })
        };
        let packs = [weak("a", "b", true), weak("b", "c", false), weak("c", "a", false)];
        let spoken = [crate::score::signals::Spoken {
            kind: crate::model::guidance::GuidanceType::Approval,
            category: Some("testing".into()),
            at: Timestamp::from_unix(0).unwrap(),
        }];
        let moment = Moment { now: Timestamp::from_unix(60).unwrap(), spoken: &spoken };
        let scored =
            select(&packs.iter().collect::<Vec<_>>(), &RepoPath::new("tests/a.rs").unwrap(), &moment, &Keywords::default());
        assert_eq!(summary(&scored), [("a", 39, &Reason::Selected), ("b", 24, &Reason::Selected), ("c", 24, &Reason::Selected)]);
    }

    #[test]
    fn extensions_have_several_parts_and_no_case() {
        for (path, extension, expected) in [
            ("a.ts", ".ts", true),
            ("a.TS", ".ts", true),
            ("a.ts", ".TS", true),
            ("src/a.test.ts", ".test.ts", true),
            ("a.d.ts", ".d.ts", true),
            ("latest.ts", ".test.ts", false),
            (".env.local", ".local", true),
            (".env", ".env", true),
            ("accounts", "ts", false),
            ("a.ts", "ts", false),
            ("Makefile", "", false),
            ("Makefile.", ".", false),
            ("a.ts/b", ".ts", false),
        ] {
            assert_eq!(has_extension(&RepoPath::new(path).unwrap(), extension), expected, "{path} {extension}");
        }
    }
}
