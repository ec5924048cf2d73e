//! What is in force for a worktree: its own files, what the reviewed base learned since, and what this clone promoted
//! itself. Real branches, real merges.

use marvel::model::config::{Config, Pending};
use marvel::model::pack::PackName;
use marvel::session::packs::Packs;
use marvel::store::Repo;
use marvel::store::branch::{Change, Edited, commit};
use marvel::store::done::Done;
use marvel::store::message::{Action, Message};
use marvel::store::overlay::{compute, refresh, settle};

use crate::store_branch::{ada, add, at, graduate, hosted, land, lesson, move_on, pack, project, prune, reword};
use crate::support::{NOW, TestRepo, write_pack};

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

fn guardrails(dir: &std::path::Path) -> String {
    let repo = Repo::open(dir).unwrap();
    refresh(&repo, &Config::default()).unwrap();
    Packs::load(&repo.root()).guardrails(&pack())
}

/// A clone of the project's remote, as a teammate has it.
fn clone(repo: &TestRepo, name: &str) -> std::path::PathBuf {
    let dir = repo.sibling(name);
    repo.git(["clone", "-q", repo.sibling("origin.git").to_str().unwrap(), dir.to_str().unwrap()]);
    dir
}

/// Changes the lessons of the reviewed base by hand, as a pull request of anybody's would.
fn by_hand(repo: &TestRepo, edit: impl Fn(&str) -> String) {
    move_on(repo, "b.rs");
    let other = repo.sibling("other");
    let file = other.join("marvel/packs/security/lessons.jsonl");
    std::fs::write(&file, edit(&std::fs::read_to_string(&file).unwrap())).unwrap();
    repo.beside(&other).git(["commit", "-q", "-am", "by hand"]);
    repo.beside(&other).git(["push", "-q"]);
    repo.git(["fetch", "-q"]);
}

fn line(title: &str) -> String {
    format!("{}\n", lesson(title).to_record().to_line())
}

fn without(text: &str, title: &str) -> String {
    text.lines().filter(|line| !line.contains(&format!("\"{title}\""))).map(|line| format!("{line}\n")).collect()
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

#[test]
fn what_others_have_not_reviewed_does_not_count_and_what_is_reviewed_reaches_older_branches() {
    let repo = hosted();
    let teammate = clone(&repo, "teammate");
    promote(&repo.dir, &[add("One")]);
    repo.git(["push", "-q", "origin", "packs"]);
    let beside = repo.beside(&teammate);
    beside.git(["fetch", "-q"]);
    beside.git(["branch", "-q", "packs", "origin/packs"]);
    assert_eq!(in_force(&teammate), [""; 0]);
    assert_eq!(in_force_with(&teammate, &Config { pending: Pending::Branch, ..Config::default() }), ["One?"]);
    for how in ["--squash", "--no-ff"] {
        land(&repo, how);
        beside.git(["fetch", "-q"]);
        // both stand at the same old commit of main: for both it is reviewed now
        assert_eq!((in_force(&teammate), in_force(&repo.dir)), (vec!["One".to_owned()], vec!["One".to_owned()]), "{how}");
    }
}

#[test]
fn what_was_pruned_or_reworded_in_the_base_does_not_come_back() {
    let repo = hosted();
    promote(&repo.dir, &[add("One"), add("Two")]);
    land(&repo, "--squash");
    by_hand(&repo, |text| without(text, "One").replace("Why: Two", "Better"));
    assert_eq!(in_force(&repo.dir), ["Two*"]);
    // the same once HEAD stands there, and once the branch is gone
    repo.git(["merge", "-q", "origin/main"]);
    assert_eq!(in_force(&repo.dir), ["Two*"]);
    repo.git(["branch", "-q", "-D", "packs"]);
    repo.git(["update-ref", "-d", "refs/remotes/origin/packs"]);
    assert_eq!(in_force(&repo.dir), ["Two*"]);
}

#[test]
fn what_a_branch_pruned_or_reworded_itself_stays_so_there() {
    let repo = hosted();
    by_hand(&repo, |_| ["One", "Two", "Three"].map(line).concat());
    repo.git(["merge", "-q", "origin/main"]);
    let path = "marvel/packs/security/lessons.jsonl";
    repo.write(path, without(&repo.read(path), "One").replace("Why: Two", "Mine"));
    repo.commit("here it is otherwise");
    by_hand(&repo, |text| format!("{}{}", without(text, "Three"), line("Four")).replace("Why: Two", "Theirs"));
    assert_eq!(in_force(&repo.dir), ["Four", "Two*"]);
    let overlay = refresh(&Repo::open(&repo.dir).unwrap(), &Config::default()).unwrap();
    let changes: Vec<_> = overlay.packs[&pack()].lessons.iter().map(|one| (one.before.is_some(), one.after.is_some())).collect();
    assert_eq!(changes, [(false, true), (true, false)], "Four is new, Three is gone");
}

#[test]
fn what_a_branch_took_and_then_pruned_is_not_news() {
    let repo = hosted();
    by_hand(&repo, |_| line("One"));
    // picked, not merged: the base's commit is no ancestor
    repo.git(["cherry-pick", "origin/main"]);
    repo.write("marvel/packs/security/lessons.jsonl", "");
    repo.commit("not for us");
    assert_eq!(in_force(&repo.dir), [""; 0]);
}

#[test]
fn the_working_tree_wins() {
    let repo = hosted();
    by_hand(&repo, |_| ["One", "Two"].map(line).concat());
    repo.git(["merge", "-q", "origin/main"]);
    by_hand(&repo, |text| without(text, "Two").replace("Why: One", "Theirs"));
    let path = "marvel/packs/security/lessons.jsonl";
    assert_eq!(in_force(&repo.dir), ["One*"]);
    repo.write(path, repo.read(path).replace("Why: One", "Why: One, edited"));
    assert_eq!(in_force(&repo.dir), ["One"]);
}

#[test]
fn a_lesson_that_was_restored_is_in_force_again() {
    let repo = hosted();
    by_hand(&repo, |_| line("One"));
    by_hand(&repo, |text| without(text, "One"));
    repo.git(["merge", "-q", "origin/main"]);
    assert_eq!(in_force(&repo.dir), [""; 0]);
    promote(&repo.dir, &[add("One")]);
    assert_eq!(in_force(&repo.dir), ["One?"]);
}

#[test]
fn what_was_taken_back_on_the_branch_is_in_force_no_more() {
    let repo = hosted();
    promote(&repo.dir, &[add("One"), add("Two")]);
    let other = clone(&repo, "elsewhere");
    repo.git(["push", "-q", "origin", "packs"]);
    let beside = repo.beside(&other);
    beside.git(["fetch", "-q"]);
    beside.git(["switch", "-q", "packs"]);
    beside.git(["revert", "--no-edit", "HEAD"]);
    beside.git(["push", "-q"]);
    repo.git(["fetch", "-q", "origin", "packs:packs"]);
    assert_eq!(in_force(&repo.dir), ["One?"]);
}

#[test]
fn an_edit_of_what_only_the_branch_has_brings_the_whole_lesson() {
    let repo = hosted();
    promote(&repo.dir, &[add("One")]);
    repo.git(["push", "-q", "origin", "packs"]);
    let teammate = clone(&repo, "teammate");
    promote(&teammate, &[reword("One", "Better")]);
    assert_eq!(in_force(&teammate), ["One*?"]);
}

#[test]
fn a_graduated_lesson_is_a_rule_at_once() {
    let repo = hosted();
    by_hand(&repo, |_| line("One"));
    repo.git(["merge", "-q", "origin/main"]);
    promote(&repo.dir, &[graduate("One", "Always do One.")]);
    assert_eq!(in_force(&repo.dir), [""; 0]);
    assert!(guardrails(&repo.dir).contains("- Always do One. (pending review)\n"));
    land(&repo, "--squash");
    assert!(guardrails(&repo.dir).contains("- Always do One.\n"));
    assert_eq!(in_force(&repo.dir), [""; 0]);
    // the rule is reworded in the base: neither wording comes twice
    let other = repo.sibling("other");
    repo.beside(&other).git(["pull", "-q"]);
    let file = other.join("marvel/packs/security/guardrails.md");
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap().replace("Always do One.", "Do One, always.")).unwrap();
    repo.beside(&other).git(["commit", "-q", "-am", "reworded"]);
    repo.beside(&other).git(["push", "-q"]);
    repo.git(["fetch", "-q"]);
    let text = guardrails(&repo.dir);
    assert!(text.contains("- Do One, always.\n") && !text.contains("Always do One"), "{text}");
}

#[test]
fn a_new_pack_is_in_force_with_all_that_it_has() {
    let repo = hosted();
    let feature = repo.sibling("feature");
    repo.git(["worktree", "add", "-q", "-b", "feature", feature.to_str().unwrap()]);
    write_pack(&repo, "billing", &serde_json::json!({}), &["Round up"]);
    let billing = PackName::new("billing").unwrap();
    let message = Message::about(Action::Promote, &billing, &lesson("Round down"), None);
    let change = Change::new(message, move |files| {
        let mut lessons = files.lessons(&billing);
        lessons.append(&lesson("Round down").to_record()).unwrap();
        let mut files = files.clone();
        files.set_file(&billing, "lessons.jsonl", lessons.to_bytes());
        Ok(Edited::Packs(files))
    });
    promote(&repo.dir, &[change]);
    for reviewed in [false, true] {
        if reviewed {
            land(&repo, "--squash");
        }
        let store = Repo::open(&feature).unwrap();
        refresh(&store, &Config::default()).unwrap();
        let packs = Packs::load(&store.root());
        let billing = PackName::new("billing").unwrap();
        let lessons: Vec<_> = packs.lessons(&billing).into_iter().map(|one| (one.lesson.title, one.pending)).collect();
        assert_eq!(lessons, [("Round up".to_owned(), !reviewed), ("Round down".to_owned(), !reviewed)]);
        assert!(packs.guardrails(&billing).contains("- Rule of billing."));
        assert_eq!(packs.metas().len(), 2);
    }
}

#[test]
fn counters_that_the_base_recorded_reach_older_branches() {
    let repo = hosted();
    by_hand(&repo, |_| line("One"));
    repo.git(["merge", "-q", "origin/main"]);
    by_hand(&repo, |text| text.replace("\"id\"", "\"injection_count\":7,\"id\""));
    let store = Repo::open(&repo.dir).unwrap();
    refresh(&store, &Config::default()).unwrap();
    assert_eq!(Packs::load(&store.root()).lessons(&pack())[0].lesson.injection_count, Some(7));
}

#[test]
fn a_criss_cross_has_two_merge_bases_and_both_count() {
    let repo = hosted();
    by_hand(&repo, |_| ["One", "Two"].map(line).concat());
    repo.git(["merge", "-q", "origin/main"]);
    repo.git(["branch", "left"]);
    repo.git(["branch", "right"]);
    let path = "marvel/packs/security/lessons.jsonl";
    let change = |branch: &str, title: &str| {
        repo.git(["switch", "-q", branch]);
        repo.write(path, repo.read(path).replace(&format!("Why: {title}"), "Better"));
        repo.commit(title)
    };
    let (one, two) = (change("left", "One"), change("right", "Two"));
    for (branch, other) in [("left", &two), ("right", &one)] {
        repo.git(["switch", "-q", branch]);
        repo.git(["merge", "-q", "-X", "ours", other]);
        let both = ["One", "Two"].map(line).concat().replace("Why: ", "Better ");
        repo.write(path, both.replace("Better One", "Better").replace("Better Two", "Better"));
        repo.commit("both");
    }
    let bases = repo.git(["merge-base", "--all", "left", "right"]);
    assert_eq!(bases.lines().count(), 2);
    repo.git(["switch", "-q", "left"]);
    repo.write(path, repo.read(path).replace("\"Better\"", "\"Why, again\""));
    repo.commit("left goes on");
    let config = Config { base: Some("right".to_owned()), ..Config::default() };
    assert_eq!(in_force_with(&repo.dir, &config), ["One", "Two"], "nothing of right is newer than left");
    repo.git(["switch", "-q", "right"]);
    let config = Config { base: Some("left".to_owned()), ..Config::default() };
    assert_eq!(in_force_with(&repo.dir, &config), ["One", "Two"], "left is newer than right");
}

#[test]
fn a_sparse_checkout_has_the_packs_of_head_and_what_is_in_force_beyond() {
    let repo = hosted();
    by_hand(&repo, |_| line("One"));
    repo.git(["merge", "-q", "origin/main"]);
    repo.git(["sparse-checkout", "set", "--cone", "src"]);
    promote(&repo.dir, &[add("Two"), reword("One", "Better")]);
    assert!(!repo.exists("marvel"));
    assert_eq!(in_force(&repo.dir), ["One*?", "Two?"]);
    repo.git(["sparse-checkout", "disable"]);
    assert_eq!(in_force(&repo.dir), ["One*?", "Two?"]);
}

#[test]
fn it_works_before_the_first_commit_detached_and_in_a_bare_repository() {
    let repo = TestRepo::unborn();
    write_pack(&repo, "security", &serde_json::json!({}), &[]);
    promote(&repo.dir, &[add("One")]);
    assert_eq!(in_force(&repo.dir), ["One?"]);
    repo.commit("first");
    repo.git(["checkout", "-q", "--detach"]);
    assert_eq!(in_force(&repo.dir), ["One?"]);
    let bare = repo.sibling("bare.git");
    repo.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    refresh(&Repo::open(&bare).unwrap(), &Config::default()).unwrap();
}

#[test]
fn the_answer_is_kept_until_something_changes() {
    let repo = project();
    promote(&repo.dir, &[add("One")]);
    let file = repo.dir.join(".git/marvel/overlay.json");
    let changed = |repo: &TestRepo| {
        let before = std::fs::read_to_string(&file).unwrap();
        std::fs::write(&file, before.replace("Why: One", "Why: kept")).unwrap();
        in_force(&repo.dir);
        !std::fs::read_to_string(&file).unwrap().contains("Why: kept")
    };
    assert!(!changed(&repo));
    repo.commit("HEAD moved");
    assert!(changed(&repo));
    repo.git(["branch", "-f", "packs", "main"]);
    assert_eq!(in_force(&repo.dir), [""; 0]);
}

#[test]
fn guidance_is_done_by_a_reachable_trailer_or_by_the_ledger() {
    let repo = hosted();
    let with_guidance = |title: &str, id: &str| {
        let mut change = add(title);
        change.message.trailers.guidance = vec![id.to_owned()];
        change
    };
    let config = Config::default();
    let store = || Repo::open(&repo.dir).unwrap();
    let done = || {
        let mut done: Vec<_> = Done::read(&store().root(), &store().chronicle(&config, &mut |_| {}).unwrap())
            .unwrap()
            .guidance
            .into_iter()
            .collect();
        done.sort();
        done
    };
    // the process died after the commit: nothing is in the ledger
    commit(&store(), &config, &ada(), &[with_guidance("One", "g_1")]).unwrap();
    assert_eq!(done(), ["g_1"]);
    // squashed, and merged over by the next promotion: the commit is behind a merge that has the base's tree
    land(&repo, "--squash");
    promote(&repo.dir, &[with_guidance("Two", "g_2")]);
    assert_eq!(done(), ["g_1", "g_2"]);
    // the branch is gone everywhere: the ledger still knows
    repo.git(["branch", "-q", "-D", "packs"]);
    repo.git(["update-ref", "-d", "refs/remotes/origin/packs"]);
    assert_eq!(done(), ["g_2"]);
}
