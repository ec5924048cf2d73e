//! `marvel sync` between clones and the remote that they share: what becomes of the branch, of the pull request, and of
//! everybody's lessons.

use serde_json::{Value, json};

use super::support::client::Client;
use super::support::{Beside, TestRepo, lesson_line};
use crate::store_branch::{hosted, hosted_with_auth, land, move_on};

const LESSONS: &str = "marvel/packs/security/lessons.jsonl";

#[track_caller]
fn teach(place: &Beside<'_>, title: &str) -> String {
    let fields = ["--description", "Why it is so.", "--actionable", "Do it.", "--category", "security"];
    let [a, b, c, d, e, f] = fields;
    let output = place.marvel(["--json", "teach", "--pack", "security", "--force", "--title", title, a, b, c, d, e, f]);
    assert_eq!(output.code, 0, "{output}");
    let done: Value = serde_json::from_str(&output.stdout).unwrap();
    done["commits"].as_array().unwrap().last().unwrap()["lesson"].as_str().unwrap().to_owned()
}

#[track_caller]
fn sync<const N: usize>(place: &Beside<'_>, args: [&str; N]) -> Value {
    let output = place.marvel_args(&[&["--json", "sync"], &args[..]].concat());
    assert_eq!(output.code, 0, "{output}");
    serde_json::from_str(&output.stdout).unwrap()
}

#[track_caller]
fn outcome(place: &Beside<'_>) -> String {
    sync(place, [])["outcome"].as_str().unwrap().to_owned()
}

fn titles(place: &Beside<'_>, revision: &str) -> Vec<String> {
    let text = place.git(["show", &format!("{revision}:{LESSONS}")]);
    let mut titles: Vec<String> =
        text.lines().map(|line| serde_json::from_str::<Value>(line).unwrap()["title"].as_str().unwrap().to_owned()).collect();
    titles.sort();
    titles
}

fn clone<'a>(repo: &'a TestRepo, name: &str) -> Beside<'a> {
    let dir = repo.sibling(name);
    repo.git(["clone", "-q", repo.sibling("origin.git").to_str().unwrap(), dir.to_str().unwrap()]);
    repo.beside(dir)
}

/// What a pull request from `packs` into `main` shows on the server, where no driver runs: titles, with their sign.
#[track_caller]
fn pull_request(place: &Beside<'_>) -> Vec<String> {
    place.git(["fetch", "-q", "origin"]);
    let merge = place.try_git(["merge-tree", "--write-tree", "origin/main", "origin/packs"]);
    assert_eq!(merge.code, 0, "the pull request has a conflict: {merge}");
    assert_eq!(place.git(["diff", "--name-only", "origin/main...origin/packs", "--", ":!marvel/packs"]), "");
    let diff = place.git(["diff", "-U0", "origin/main...origin/packs"]);
    let changed = diff.lines().filter(|line| (line.starts_with('+') || line.starts_with('-')) && line.contains("\"title\""));
    changed
        .map(|line| {
            let lesson: Value = serde_json::from_str(&line[1..]).unwrap();
            format!("{}{}", &line[..1], lesson["title"].as_str().unwrap())
        })
        .collect()
}

#[test]
fn merged_squashed_and_rebased_pull_requests_end_up_to_date_and_the_next_one_shows_its_lesson_alone() {
    for how in ["--no-ff", "--squash", "rebase"] {
        let repo = hosted();
        let here = repo.beside("");
        teach(&here, "First");
        assert_eq!(sync(&here, ["--push"])["pushed"], true, "{how}");
        assert_eq!(pull_request(&here), ["+First"], "{how}");
        land(&repo, how);
        let done = sync(&here, ["--push"]);
        assert_eq!((done["outcome"].as_str(), done["pushed"].as_bool()), (Some("up to date"), Some(false)), "{how}");
        assert_eq!(done["waiting"].as_array().unwrap().len(), 0, "{how}");
        move_on(&repo, "other.txt");
        teach(&here, "Second");
        assert_eq!(sync(&here, ["--push"])["pushed"], true, "{how}");
        assert_eq!(pull_request(&here), ["+Second"], "{how}");
        assert_eq!(titles(&here, "packs"), ["First", "Second"], "{how}");
        assert_eq!(repo.try_git(["fsck", "--strict", "--no-dangling"]).code, 0);
        assert_eq!(repo.git(["status", "--porcelain"]), "");
    }
}

#[test]
fn a_branch_that_the_host_deleted_after_the_merge_is_said_to_be_and_is_not_pushed_again() {
    let repo = hosted();
    let here = repo.beside("");
    teach(&here, "First");
    sync(&here, ["--push"]);
    land(&repo, "--squash");
    repo.git(["push", "-q", "origin", ":packs"]);
    let done = sync(&here, ["--push"]);
    assert_eq!(done["outcome"], "merged upstream and deleted there");
    assert_eq!(done["pushed"], false);
    assert_eq!(repo.git(["ls-remote", "origin", "refs/heads/packs"]), "");
    // nothing comes back, and the next lesson makes the branch anew
    teach(&here, "Second");
    assert_eq!(sync(&here, ["--push"])["pushed"], true);
    assert_eq!(pull_request(&here), ["+Second"]);
}

#[test]
fn two_clones_that_promote_at_once_end_with_both_lessons() {
    let repo = hosted();
    let (ada, bob) = (repo.beside(""), clone(&repo, "bob"));
    assert_eq!(outcome(&bob), "nothing");
    teach(&ada, "Of Ada");
    assert_eq!(sync(&ada, ["--push"])["outcome"], "ahead");
    assert_eq!(outcome(&ada), "up to date");
    assert_eq!(outcome(&bob), "new");
    teach(&bob, "Of Bob");
    assert_eq!(outcome(&bob), "ahead");
    teach(&ada, "Of Ada again");
    sync(&ada, ["--push"]);
    // a plain push is refused, and everything stays
    let tip = bob.git(["rev-parse", "packs"]);
    let refused = bob.marvel([
        "teach",
        "--push",
        "--pack",
        "security",
        "--title",
        "T",
        "--description",
        "D",
        "--actionable",
        "A",
        "--category",
        "security",
    ]);
    assert_eq!(refused.code, 1, "{refused}");
    assert!(refused.stderr.contains("marvel sync --push") && refused.stdout.contains("teach(security): T"), "{refused}");
    assert_eq!(bob.git(["rev-parse", "packs^"]), tip);
    let done = sync(&bob, ["--push"]);
    assert_eq!((done["outcome"].as_str(), done["pushed"].as_bool()), (Some("merged"), Some(true)));
    assert_eq!(outcome(&ada), "fast-forward");
    assert_eq!(titles(&ada, "packs"), ["Of Ada", "Of Ada again", "Of Bob", "T"]);
    assert_eq!(ada.git(["rev-parse", "packs"]), bob.git(["rev-parse", "packs"]));
    assert_eq!(pull_request(&ada).len(), 4);
    // again: nothing moves
    assert_eq!(outcome(&ada), "up to date");
    assert_eq!(repo.try_git(["fsck", "--strict", "--no-dangling"]).code, 0);
}

#[test]
fn what_the_base_learned_of_the_packs_is_merged_so_that_the_pull_request_has_no_conflict() {
    let repo = hosted();
    let here = repo.beside("");
    teach(&here, "Pending");
    sync(&here, ["--push"]);
    let other = clone(&repo, "reviewer");
    std::fs::write(other.dir.join(LESSONS), lesson_line("By hand") + "\n").unwrap();
    other.git(["commit", "-q", "-am", "a lesson by hand"]);
    other.git(["push", "-q", "origin", "main"]);
    let done = sync(&here, ["--push"]);
    assert_eq!((done["outcome"].as_str(), done["pushed"].as_bool()), (Some("merged"), Some(true)));
    assert_eq!(titles(&here, "packs"), ["By hand", "Pending"]);
    assert_eq!(pull_request(&here), ["+Pending"]);
}

#[test]
fn a_reviewers_edit_of_a_title_is_newer_than_what_stood_there() {
    let repo = hosted();
    let here = repo.beside("");
    teach(&here, "Frist");
    sync(&here, ["--push"]);
    let reviewer = clone(&repo, "reviewer");
    reviewer.git(["checkout", "-q", "packs"]);
    let text = std::fs::read_to_string(reviewer.dir.join(LESSONS)).unwrap();
    std::fs::write(reviewer.dir.join(LESSONS), text.replace("Frist", "First")).unwrap();
    reviewer.git(["commit", "-q", "-am", "a typo"]);
    reviewer.git(["push", "-q", "origin", "packs"]);
    teach(&here, "Second");
    assert_eq!(outcome(&here), "merged");
    assert_eq!(titles(&here, "packs"), ["First", "Second"]);
    sync(&here, ["--push"]);
    assert_eq!(pull_request(&here), ["+First", "+Second"]);
}

#[test]
fn what_two_people_made_of_one_field_is_left_to_a_person() {
    let repo = hosted();
    let here = repo.beside("");
    teach(&here, "Title");
    sync(&here, ["--push"]);
    let bob = clone(&repo, "bob");
    let edit = |place: &Beside<'_>, title: &str| {
        place.git(["checkout", "-q", "packs"]);
        let text = std::fs::read_to_string(place.dir.join(LESSONS)).unwrap();
        std::fs::write(place.dir.join(LESSONS), text.replace("Title", title)).unwrap();
        place.git(["commit", "-q", "-am", "reword"]);
        place.git(["checkout", "-q", "main"]);
    };
    edit(&bob, "Bob's");
    bob.git(["push", "-q", "origin", "packs"]);
    edit(&here, "Ada's");
    let before = here.git(["rev-parse", "packs"]);
    let output = here.marvel(["sync", "--push"]);
    assert_eq!(output.code, 3, "{output}");
    assert!(output.stderr.contains("title") && output.stderr.contains("git merge origin/packs"), "{output}");
    assert_eq!(here.git(["rev-parse", "packs"]), before);
}

#[test]
fn commits_to_other_files_are_never_merged_by_lesson() {
    let repo = hosted();
    let here = repo.beside("");
    teach(&here, "First");
    sync(&here, ["--push"]);
    let reviewer = clone(&repo, "reviewer");
    reviewer.git(["checkout", "-q", "packs"]);
    std::fs::write(reviewer.dir.join("README.md"), "# Changed\n").unwrap();
    reviewer.git(["commit", "-q", "-am", "the readme"]);
    reviewer.git(["push", "-q", "origin", "packs"]);
    let before = here.git(["rev-parse", "packs"]);
    let output = here.marvel(["sync", "--push"]);
    assert_eq!(output.code, 3, "{output}");
    assert!(output.stderr.contains("README.md"), "{output}");
    assert_eq!(here.git(["rev-parse", "packs"]), before);
}

#[test]
fn a_branch_for_one_lesson_has_that_lesson_alone_and_leaves_packs_as_it_is() {
    let repo = hosted();
    let here = repo.beside("");
    let first = teach(&here, "First");
    let second = teach(&here, "Second");
    let before = here.git(["rev-parse", "packs"]);
    let preview = here.marvel(["sync", "--only", &second, "--as", "lessons/second", "--dry-run"]);
    assert!(preview.code == 0 && preview.stdout.contains("+{") && !preview.stdout.contains("First"), "{preview}");
    assert_ne!(here.try_git(["rev-parse", "--verify", "-q", "lessons/second"]).code, 0);
    let done = here.marvel(["sync", "--only", &second[..6], "--as", "lessons/second", "--push"]);
    assert_eq!(done.code, 0, "{done}");
    assert_eq!(titles(&here, "origin/lessons/second"), ["Second"]);
    assert_eq!(here.git(["rev-parse", "packs"]), before);
    let message = |revision: &str| here.git(["log", "-1", "--format=%B", revision]);
    assert_eq!(message("lessons/second"), message("packs"));
    assert_eq!(here.git(["rev-list", "--count", "origin/main..lessons/second"]), "1");
    let again = here.marvel(["sync", "--only", &first, "--as", "lessons/second"]);
    assert!(again.code == 1 && again.stderr.contains("already"), "{again}");
    assert_eq!(here.marvel(["sync", "--only", &first]).code, 2);
    assert_eq!(here.marvel(["sync", "--only", "ffffffff", "--as", "x"]).code, 1);
    // merged by itself, it is no news for the rest
    let host = clone(&repo, "server");
    host.git(["merge", "-q", "--squash", "origin/lessons/second"]);
    host.git(["commit", "-q", "-m", "second (#2)"]);
    host.git(["push", "-q", "origin", "main"]);
    sync(&here, ["--push"]);
    assert_eq!(pull_request(&here), ["+First"]);
}

#[test]
fn a_remote_that_refuses_leaves_everything_as_it_was() {
    let repo = hosted();
    let here = repo.beside("");
    let hook = repo.sibling("origin.git").join("hooks/update");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/bin/sh\necho 'packs is protected' >&2\nexit 1\n").unwrap();
    #[cfg(unix)]
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    teach(&here, "First");
    let before = here.git(["rev-parse", "packs"]);
    let output = here.marvel(["sync", "--push"]);
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stderr.contains("refused") && output.stderr.contains("--only"), "{output}");
    assert_eq!(here.git(["rev-parse", "packs"]), before);
    assert_eq!(repo.git(["ls-remote", "origin", "refs/heads/packs"]), "");
}

#[test]
fn without_a_remote_or_without_a_network_nothing_is_lost() {
    let repo = super::store_branch::project();
    let here = repo.beside("");
    teach(&here, "First");
    assert_eq!(outcome(&here), "up to date");
    let output = here.marvel(["sync", "--push"]);
    assert!(output.code == 1 && output.stderr.contains("git remote add"), "{output}");
    repo.git(["remote", "add", "origin", repo.sibling("gone.git").to_str().unwrap()]);
    let before = here.git(["rev-parse", "packs"]);
    let output = here.marvel(["sync"]);
    assert!(output.code == 1 && output.stderr.contains("nothing could be fetched from origin"), "{output}");
    assert_eq!(here.git(["rev-parse", "packs"]), before);
}

#[test]
fn no_password_in_a_remotes_address_is_shown() {
    let repo = super::store_branch::project();
    let here = repo.beside("");
    teach(&here, "First");
    repo.git(["config", "branch.packs.remote", "http://ada:hunter2secret@127.0.0.1:1/app.git"]);
    for args in [&["sync"][..], &["sync", "--push"], &["--json", "sync", "--dry-run"], &["sync", "--dry-run"]] {
        let output = here.marvel_args(args);
        assert!(!output.to_string().contains("hunter2secret"), "{args:?}: {output}");
    }
    let output = here.marvel(["teach", "--push", "--pack", "security", "Write times in UTC, always"]);
    assert!(output.code == 1 && !output.to_string().contains("hunter2secret"), "{output}");
}

#[test]
fn a_ref_whose_name_only_ends_like_the_branch_is_not_the_branch() {
    let repo = hosted();
    repo.git(["push", "-q", "origin", "main:refs/foo/refs/heads/packs"]);
    assert_eq!(outcome(&repo.beside("")), "nothing");
}

#[test]
fn of_several_remotes_the_one_is_taken_that_git_would_push_to() {
    let repo = hosted();
    let here = repo.beside("");
    let mine = repo.sibling("mine.git");
    repo.git(["init", "-q", "--bare", "-b", "main", mine.to_str().unwrap()]);
    repo.git(["remote", "add", "mine", mine.to_str().unwrap()]);
    repo.git(["push", "-q", "mine", "main"]);
    repo.git(["config", "remote.pushDefault", "mine"]);
    teach(&here, "First");
    assert_eq!(sync(&here, ["--push"])["remote"], "mine");
    assert_eq!(repo.git(["ls-remote", "origin", "refs/heads/packs"]), "");
}

#[test]
fn a_clone_too_shallow_to_see_where_branches_met_is_told_to_deepen() {
    let repo = hosted();
    let here = repo.beside("");
    teach(&here, "First");
    teach(&here, "Second");
    sync(&here, ["--push"]);
    let dir = repo.sibling("shallow");
    let url = format!("file://{}", repo.sibling("origin.git").display());
    repo.git(["clone", "-q", "--depth=1", "--no-single-branch", &url, dir.to_str().unwrap()]);
    let shallow = repo.beside(dir);
    let output = shallow.marvel(["sync"]);
    assert!(output.code == 1 && output.stderr.contains("git fetch --unshallow"), "{output}");
    assert_ne!(shallow.try_git(["rev-parse", "-q", "--verify", "packs"]).code, 0);
    // deep enough to see where the branches met
    shallow.git(["fetch", "-q", "--unshallow"]);
    assert_eq!(outcome(&shallow), "new");
    teach(&shallow, "Third");
    teach(&here, "Fourth");
    sync(&here, ["--push"]);
    assert_eq!(sync(&shallow, ["--push"])["outcome"], "merged");
    assert_eq!(titles(&shallow, "packs"), ["First", "Fourth", "Second", "Third"]);
}

#[test]
fn a_packs_branch_that_was_rewritten_at_the_remote_loses_nobody_a_lesson() {
    let repo = hosted();
    let here = repo.beside("");
    teach(&here, "First");
    sync(&here, ["--push"]);
    let other = clone(&repo, "rewriter");
    other.git(["checkout", "-q", "packs"]);
    other.git(["commit", "-q", "--amend", "-m", "reworded by hand"]);
    other.git(["push", "-q", "--force", "origin", "packs"]);
    teach(&here, "Second");
    assert_eq!(sync(&here, ["--push"])["outcome"], "merged");
    assert_eq!(titles(&here, "packs"), ["First", "Second"]);
    assert_eq!(pull_request(&here), ["+First", "+Second"]);
}

#[test]
fn a_pull_request_that_crosses_a_sync_brings_nothing_back() {
    let repo = hosted();
    let (ada, bob) = (repo.beside(""), clone(&repo, "bob"));
    teach(&ada, "One");
    sync(&ada, ["--push"]);
    outcome(&bob);
    teach(&bob, "Two");
    // the pull request is merged while Bob has a lesson more, and Ada another
    land(&repo, "--no-ff");
    teach(&ada, "Three");
    sync(&ada, ["--push"]);
    sync(&bob, ["--push"]);
    sync(&ada, ["--push"]);
    assert_eq!(titles(&ada, "packs"), ["One", "Three", "Two"]);
    let mut shown = pull_request(&ada);
    shown.sort();
    assert_eq!(shown, ["+Three", "+Two"]);
}

/// Everything so far, merged by the host and known here.
fn merged(repo: &TestRepo) {
    sync(&repo.beside(""), ["--push"]);
    land(repo, "--no-ff");
    repo.git(["pull", "-q", "--ff-only", "origin", "main"]);
    sync(&repo.beside(""), []);
}

/// A session in that clone in which the packs' lessons were shown, and its counts on the branch.
fn record(repo: &TestRepo, place: &Beside<'_>) {
    let client = Client::new(repo, "one").at(&place.dir);
    client.start("startup");
    client.tool("Read", &json!({ "file_path": place.dir.join("src/auth/login.ts") }));
    client.event("SessionEnd", &json!({ "reason": "exit" }));
    place.marvel(["health", "--record"]).ok();
    assert!(place.git(["show", &format!("packs:{LESSONS}")]).contains("injection_count"));
}

#[test]
fn a_lesson_that_one_prunes_while_another_records_its_counts_is_pruned() {
    for record_lands_first in [true, false] {
        let repo = hosted_with_auth();
        let here = repo.beside("");
        let (goes, stays) = (teach(&here, "Goes"), teach(&here, "Stays"));
        merged(&repo);
        let there = clone(&repo, "there");
        sync(&there, []);
        record(&repo, &there);
        here.marvel(["evolve", "--prune", &goes, "--reason", "said by a linter"]).ok();
        let (first, second) = if record_lands_first { (&there, &here) } else { (&here, &there) };
        sync(first, ["--push"]);
        assert_eq!(sync(second, ["--push"])["outcome"], "merged");
        sync(first, []);
        for place in [&here, &there] {
            assert_eq!(titles(place, "packs"), ["Stays"]);
            let kept = place.git(["show", &format!("packs:{LESSONS}")]);
            assert!(kept.contains(&stays) && kept.contains("\"injection_count\":1"), "{kept}");
        }
        assert_eq!(pull_request(&here), ["-Goes", "-Stays", "+Stays"]);
    }
}

#[test]
fn a_lesson_whose_commit_is_reverted_after_its_counts_were_recorded_does_not_come_back() {
    let repo = hosted_with_auth();
    let here = repo.beside("");
    here.marvel(["init"]).ok();
    repo.commit("Install");
    repo.git(["push", "-q", "origin", "main"]);
    teach(&here, "Stays");
    teach(&here, "Goes");
    let taught = here.git(["rev-parse", "packs"]);
    merged(&repo);
    let there = clone(&repo, "there");
    sync(&there, []);
    record(&repo, &there);
    sync(&there, ["--push"]);
    sync(&here, []);
    // a person takes it back with git alone
    here.git(["worktree", "add", "-q", "../packs-tree", "packs"]);
    let tree = repo.beside("../packs-tree");
    tree.git(["revert", "--no-edit", &taught]);
    here.git(["worktree", "remove", "../packs-tree"]);
    sync(&here, ["--push"]);
    teach(&there, "Another");
    assert_eq!(sync(&there, ["--push"])["outcome"], "merged");
    assert_eq!(titles(&there, "packs"), ["Another", "Stays"]);
    assert_eq!(pull_request(&there), ["-Stays", "-Goes", "+Stays", "+Another"]);
}

#[test]
fn what_is_taught_or_promoted_can_be_pushed_at_once() {
    let repo = hosted();
    let here = repo.beside("");
    let text = ["--description", "Why it is so.", "--actionable", "Do it.", "--category", "security"];
    let [a, b, c, d, e, f] = text;
    let output = here.marvel(["teach", "--pack", "security", "--title", "Pushed", a, b, c, d, e, f, "--push"]);
    assert!(output.code == 0 && output.stdout.contains("pushed packs to origin"), "{output}");
    assert_eq!(pull_request(&here), ["+Pushed"]);
    let client = Client::new(&repo, "one");
    client.start("startup");
    client.prompt("No, that is wrong. We never log a token, always log its id instead.");
    let found = here.marvel(["--json", "reflect"]).json();
    let id = found["candidates"][0]["id"].as_str().unwrap();
    let output = here.marvel(["promote", id, "--pack", "security", "--as-is", "--category", "security", "--push"]);
    assert!(output.code == 0 && output.stdout.contains("pushed packs to origin"), "{output}");
    assert_eq!(pull_request(&here).len(), 2);
    // a remote that refuses takes nothing away from what was committed
    let hook = repo.sibling("origin.git").join("hooks/pre-receive");
    std::fs::write(&hook, "#!/bin/sh\necho no lessons today >&2\nexit 1\n").unwrap();
    std::fs::set_permissions(&hook, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let output = here.marvel(["teach", "--pack", "security", "--title", "Kept", a, b, c, d, e, f, "--force", "--push"]);
    assert!(output.code != 0 && output.stderr.contains("no lessons today"), "{output}");
    assert!(titles(&here, "packs").contains(&"Kept".to_owned()));
}

#[test]
fn a_dry_run_says_what_would_be_and_moves_nothing() {
    let repo = hosted();
    let (ada, bob) = (repo.beside(""), clone(&repo, "bob"));
    teach(&bob, "Of Bob");
    sync(&bob, ["--push"]);
    teach(&ada, "Of Ada");
    ada.git(["fetch", "-q"]);
    let refs = |place: &Beside<'_>| place.git(["for-each-ref"]);
    let (before, objects) = (refs(&ada), ada.git(["count-objects"]));
    let done = sync(&ada, ["--dry-run"]);
    assert_eq!((done["outcome"].as_str(), done["dry_run"].as_bool()), (Some("merged"), Some(true)));
    assert_eq!(done["incoming"][0]["title"], "Of Bob");
    assert_eq!((refs(&ada), ada.git(["count-objects"])), (before, objects));
}

#[test]
fn a_branch_in_use_is_not_moved() {
    let repo = hosted();
    let here = repo.beside("");
    teach(&here, "First");
    repo.git(["checkout", "-q", "packs"]);
    let output = here.marvel(["sync"]);
    assert!(output.code == 1 && output.stderr.contains("checked out"), "{output}");
}

#[test]
fn what_a_person_sees() {
    let repo = hosted();
    let here = repo.beside("");
    // the remote is one of a host that has pages, as far as its address goes
    let url = "https://ada:token@github.com/team/app.git";
    repo.git(["config", &format!("url.{}.insteadOf", repo.sibling("origin.git").display()), url]);
    repo.git(["remote", "set-url", "origin", url]);
    let id = teach(&here, "Check the signature first");
    let seen = here.marvel(["sync", "--push"]).stdout.replace(&id, "[id]");
    insta::assert_snapshot!(seen, @"
    packs: ahead of origin
      not in origin/main yet:
        added [id] [security] Check the signature first
    pushed to origin
    open the pull request: https://github.com/team/app/compare/main...packs?expand=1
    ");
    land(&repo, "--squash");
    insta::assert_snapshot!(here.marvel(["sync"]).stdout, @"packs: up to date");
}
