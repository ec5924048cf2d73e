//! What is in force for a worktree: its own files, what the reviewed base learned since, and what this clone promoted
//! itself. Real branches, real merges.

use marvel::model::config::{Config, Pending};
use marvel::session::packs::Packs;
use marvel::store::Repo;
use marvel::store::branch::{Change, commit};
use marvel::store::overlay::{compute, refresh, settle};

use crate::store_branch::{ada, add, at, pack, project, prune, reword};
use crate::support::NOW;

/// As a command does it: commits, notes it as its own, brings it into force.
fn promote(dir: &std::path::Path, changes: &[Change<'_>]) {
    let (repo, config) = (Repo::open(dir).unwrap(), Config::default());
    let outcome = commit(&repo, &config, &ada(), changes).unwrap();
    settle(&repo, &config, &outcome, at(NOW)).unwrap();
}

/// The titles in force in a worktree, pending ones with a `?`.
fn in_force(dir: &std::path::Path) -> Vec<String> {
    in_force_with(dir, &Config::default())
}

fn in_force_with(dir: &std::path::Path, config: &Config) -> Vec<String> {
    let repo = Repo::open(dir).unwrap();
    let overlay = refresh(&repo, config).unwrap();
    assert_eq!(compute(&repo, config).unwrap(), overlay);
    let packs = Packs::load(&repo.root());
    let lessons = packs.lessons(&pack()).into_iter();
    let mut all: Vec<_> = lessons
        .map(|one| {
            let reworded = if one.lesson.description.starts_with("Why") { "" } else { "*" };
            format!("{}{reworded}{}", one.lesson.title, if one.pending { "?" } else { "" })
        })
        .collect();
    all.sort();
    all
}

#[test]
fn a_promotion_is_in_force_at_once_for_who_made_it_and_in_every_worktree() {
    let repo = project();
    let linked = repo.sibling("linked");
    repo.git(["worktree", "add", "-q", "-b", "feature", linked.to_str().unwrap()]);
    let status = repo.git(["status", "--porcelain"]);
    promote(&repo.dir, &[add("One"), add("Two")]);
    assert_eq!(in_force(&repo.dir), ["One?", "Two?"]);
    assert_eq!(in_force(&linked), ["One?", "Two?"]);
    promote(&linked, &[reword("One", "Better"), prune("Two")]);
    assert_eq!(in_force(&repo.dir), ["One*?"]);
    assert_eq!(repo.git(["status", "--porcelain"]), status);
    for (pending, shown) in [(Pending::Off, vec![]), (Pending::Branch, vec!["One*?"])] {
        assert_eq!(in_force_with(&repo.dir, &Config { pending, ..Config::default() }), shown);
    }
}
