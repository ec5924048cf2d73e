//! Scores against what the system before this one answered for the same packs and paths. Where ours is meant to differ,
//! the data names the case with our answer and the reason; a difference that is not named is a mistake, and so is a
//! named one that is gone.

use std::collections::BTreeMap;

use marvel::model::guidance::GuidanceType;
use marvel::model::pack::{PackMeta, PackName};
use marvel::model::repo_path::RepoPath;
use marvel::model::timestamp::Timestamp;
use marvel::score::select::select;
use marvel::score::signals::{Keywords, Moment, Spoken};
use serde::Deserialize;

#[derive(Deserialize)]
struct Data {
    packs: BTreeMap<String, Facts>,
    cases: Vec<Case>,
    differences: Vec<Difference>,
}

#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
#[derive(Default)]
struct Facts {
    categories: Vec<String>,
    extensions: Vec<String>,
    code_paths: Vec<String>,
    sensitive_paths: Vec<String>,
    excludes_paths: Vec<String>,
    depends_on: Vec<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    pack: String,
    path: String,
    /// Kind and category of prompts just now.
    #[serde(default)]
    said: Vec<String>,
    /// None: more than nothing.
    score: Option<u32>,
    selected: Option<bool>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Difference {
    ids: Vec<String>,
    score: u32,
    selected: bool,
    because: String,
}

fn answer(facts: &Facts, case: &Case) -> (u32, bool) {
    let mut meta = PackMeta::minimal(PackName::new("pack").unwrap(), "team");
    meta.categories.clone_from(&facts.categories);
    meta.applies_to.extensions.clone_from(&facts.extensions);
    meta.references.code_paths.clone_from(&facts.code_paths);
    meta.sensitive_paths.clone_from(&facts.sensitive_paths);
    meta.excludes_paths.clone_from(&facts.excludes_paths);
    meta.depends_on.clone_from(&facts.depends_on);
    let now = Timestamp::from_unix(1_800_000_000).unwrap();
    let spoken: Vec<Spoken> = case
        .said
        .iter()
        .map(|said| {
            let (kind, category) = said.split_once(' ').unwrap();
            let kind = GuidanceType::ALL.into_iter().find(|known| known.as_str() == kind).unwrap();
            Spoken { kind, category: (category != "None").then(|| category.to_owned()), at: now }
        })
        .collect();
    let path = RepoPath::new(&case.path).unwrap();
    let scored = select(&[&meta], &path, &Moment { now, spoken: &spoken }, &Keywords::default());
    (scored[0].score, scored[0].selected)
}

#[test]
fn scores_are_the_predecessors_but_for_named_differences() {
    let data: Data = serde_json::from_str(include_str!("data/relevance.json")).unwrap();
    let mut wrong = Vec::new();
    for case in &data.cases {
        let (score, selected) = answer(&data.packs[&case.pack], case);
        let named = data.differences.iter().find(|difference| difference.ids.contains(&case.id));
        let same =
            case.score.map_or(score > 0, |theirs| theirs == score) && case.selected.is_none_or(|theirs| theirs == selected);
        match named {
            None if !same => wrong.push(format!("{}: {score} {selected}, theirs {:?} {:?}", case.id, case.score, case.selected)),
            Some(_) if same => wrong.push(format!("{}: no difference any more", case.id)),
            Some(named) if (named.score, named.selected) != (score, selected) => {
                wrong.push(format!("{}: {score} {selected}, not as named: {}", case.id, named.because));
            }
            _ => {}
        }
    }
    assert!(data.differences.iter().all(|difference| !difference.because.is_empty()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
