//! The git hooks, run by git itself: wrong packs stop it, and nothing else does or changes.

use crate::support::{Output, TestRepo, lesson_line, write_pack};

const LESSONS: &str = "marvel/packs/a/lessons.jsonl";

/// A repository with the hooks, and one valid pack in a commit.
fn hooked() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "a", &serde_json::json!({ "categories": ["general"] }), &["First"]);
    repo.commit("a pack");
    repo.marvel(["init", "--no-claude", "--packs", "none"]).ok();
    repo.commit("set up");
    repo
}

fn valid(titles: &[&str]) -> String {
    titles.iter().map(|title| format!("{}\n", lesson_line(title))).collect()
}

#[track_caller]
fn refused(output: &Output, because: &str) {
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stderr.contains(because), "{output}");
}

#[test]
fn a_wrong_pack_stops_a_commit_and_a_right_one_does_not() {
    let repo = hooked();
    let before = repo.git(["rev-parse", "HEAD"]);
    repo.write(LESSONS, valid(&["First"]) + "{\"broken\n");
    repo.git(["add", "-A"]);
    refused(&repo.try_git(["commit", "-qm", "wrong"]), "marvel/packs/a/lessons.jsonl:2");
    assert_eq!(repo.git(["rev-parse", "HEAD"]), before);
    repo.write(LESSONS, valid(&["First", "Second"]));
    repo.git(["add", "-A"]);
    let output = repo.try_git(["commit", "-qm", "right"]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{output}");
}

#[test]
fn gh14_a_commit_without_packs_is_silent_whatever_stands_in_them() {
    let repo = hooked();
    repo.write("marvel/packs/b/pack.json", "{");
    repo.git(["add", "-A"]);
    repo.git(["commit", "-q", "--no-verify", "-m", "broken"]);
    repo.write("a.txt", "a");
    repo.git(["add", "a.txt"]);
    let output = repo.try_git(["commit", "-qm", "other"]);
    assert_eq!((output.code, output.stderr.as_str()), (0, ""), "{output}");
    repo.write(LESSONS, valid(&["Second"]));
    repo.git(["commit", "-qam", "another pack is not answered for"]);
}

#[test]
fn gh16_gh17_the_staged_text_counts_and_nothing_is_added_or_touched() {
    let repo = hooked();
    repo.write("a.txt", "1\n");
    repo.write("b.txt", "1\n");
    repo.commit("files");
    let staged = valid(&["First", "Second"]);
    repo.write(LESSONS, &staged);
    repo.write("a.txt", "2\n");
    repo.git(["add", "a.txt", LESSONS]);
    let worktree = format!("{staged}{{\"not staged\n");
    repo.write(LESSONS, &worktree);
    repo.write("b.txt", "2\n");
    repo.write("untracked", "x");
    repo.git(["commit", "-qm", "staged is right"]);
    assert_eq!(repo.git(["show", "--name-only", "--format=", "HEAD"]), format!("a.txt\n{LESSONS}"));
    assert_eq!((repo.read(LESSONS), repo.read("b.txt")), (worktree.clone(), "2\n".to_owned()));
    repo.git(["add", LESSONS]);
    refused(&repo.try_git(["commit", "-qm", "staged is wrong"]), "lessons.jsonl:3");
    assert_eq!(repo.read(LESSONS), worktree);
    assert_eq!(repo.git(["status", "--porcelain"]), format!(" M b.txt\nM  {LESSONS}\n?? untracked"));
    assert_eq!(repo.git(["stash", "list"]), "");
}

#[test]
fn gh19_every_way_to_commit_is_checked_by_its_own_index() {
    let repo = hooked();
    let wrong = valid(&["First"]) + "nonsense\n";
    repo.write(LESSONS, &wrong);
    refused(&repo.try_git(["commit", "-qam", "all"]), "lessons.jsonl:2");
    refused(&repo.try_git(["commit", "-qm", "one path", LESSONS]), "lessons.jsonl:2");
    repo.write(LESSONS, valid(&["First", "Second"]));
    repo.git(["commit", "-qam", "all"]);
    repo.write(LESSONS, valid(&["First", "Second", "Third"]));
    repo.git(["commit", "-qm", "one path", LESSONS]);
    repo.write(LESSONS, &wrong);
    refused(&repo.try_git(["commit", "-q", "-a", "--amend", "-m", "amended"]), "lessons.jsonl:2");
    assert!(!repo.exists(".git/index.lock"));
}

#[test]
fn gh25_conflict_markers_are_refused_without_a_merge_too() {
    let repo = hooked();
    let line = lesson_line("First");
    repo.write(LESSONS, format!("<<<<<<< HEAD\n{line}\n=======\n{line}\n>>>>>>> other\n"));
    repo.git(["add", "-A"]);
    refused(&repo.try_git(["commit", "-qm", "markers"]), "lessons.jsonl:1");
}

#[test]
fn gh24_a_clean_merge_that_brings_something_wrong_is_stopped() {
    let repo = hooked();
    repo.git(["checkout", "-q", "-b", "side"]);
    repo.write("marvel/packs/b/pack.json", "{");
    repo.git(["add", "-A"]);
    repo.git(["commit", "-q", "--no-verify", "-m", "wrong"]);
    repo.git(["checkout", "-q", "main"]);
    repo.write("a.txt", "a");
    repo.commit("go on");
    let output = repo.try_git(["merge", "-q", "--no-edit", "side"]);
    assert!(output.code != 0 && output.stderr.contains("marvel/packs/b/pack.json"), "{output}");
}

#[test]
fn gh13_a_rebase_goes_on_without_any_data_of_ours() {
    let repo = hooked();
    repo.git(["checkout", "-q", "-b", "side"]);
    repo.write("README.md", "# Side\n");
    repo.commit("side");
    repo.git(["checkout", "-q", "main"]);
    repo.write("README.md", "# Main\n");
    repo.commit("main");
    repo.git(["checkout", "-q", "side"]);
    std::fs::remove_dir_all(repo.dir.join(".git/marvel")).unwrap();
    std::fs::remove_dir_all(repo.dir.join("marvel")).unwrap();
    repo.commit("no packs any more");
    assert_ne!(repo.try_git(["rebase", "-q", "main"]).code, 0);
    repo.write("README.md", "# Both\n");
    repo.git(["add", "README.md"]);
    repo.git(["-c", "core.editor=true", "rebase", "--continue"]);
    assert_eq!(repo.git(["log", "--format=%s", "-2"]), "no packs any more\nside");
}

#[test]
fn what_goes_wrong_on_our_side_is_told_and_stops_nothing() {
    let mut repo = hooked();
    repo.write("marvel/config.json", "{\"branch\": 1}");
    repo.commit("broken settings");
    let remote = repo.sibling("remote.git");
    repo.git(["init", "-q", "--bare", remote.to_str().unwrap()]);
    let output = repo.try_git(["push", "-q", remote.to_str().unwrap(), "main"]);
    assert!(output.code == 0 && output.stderr.contains("marvel did not check the packs"), "{output}");
    repo.marvel(["git-hook", "of-a-later-version", "--what", "ever"]).ok();
    repo.set_env("MARVEL", "0");
    repo.write(LESSONS, "nonsense\n");
    repo.git(["commit", "-qam", "switched off"]);
}

#[test]
fn gh26_without_the_binary_a_commit_of_packs_is_warned_of_and_passes() {
    let mut repo = hooked();
    for hook in ["pre-commit", "pre-push"] {
        let path = format!(".git/hooks/{hook}");
        let text = repo.read(&path);
        let recorded = text.split('\'').nth(1).unwrap().to_owned();
        std::fs::write(repo.dir.join(&path), text.replace(&recorded, "/nowhere/marvel")).unwrap();
    }
    repo.set_env("PATH", "/usr/bin:/bin");
    repo.write("a.txt", "a");
    repo.git(["add", "a.txt"]);
    assert_eq!(repo.try_git(["commit", "-qm", "other"]).stderr, "");
    repo.write(LESSONS, "nonsense\n");
    let output = repo.try_git(["commit", "-qam", "packs"]);
    assert!(output.code == 0 && output.stderr.contains("marvel: not found, so marvel/packs was not checked"), "{output}");
}

#[test]
fn the_packs_branch_carries_packs_alone() {
    let repo = hooked();
    let remote = repo.sibling("remote.git");
    repo.git(["init", "-q", "--bare", remote.to_str().unwrap()]);
    repo.git(["remote", "add", "origin", remote.to_str().unwrap()]);
    repo.git(["push", "-q", "-u", "origin", "main"]);
    repo.git(["checkout", "-q", "-b", "packs"]);
    repo.write(LESSONS, valid(&["First", "Second"]));
    repo.commit("a lesson");
    repo.git(["push", "-q", "origin", "packs"]);
    repo.write("src/a.ts", "");
    repo.commit("other work");
    let output = repo.try_git(["push", "-q", "origin", "packs"]);
    refused(&output, "packs changes files outside of marvel/packs: src/a.ts");
    repo.git(["push", "-q", "origin", "packs:topic"]);
    repo.git(["push", "-q", "origin", "--delete", "topic"]);
}

#[test]
fn gh24_what_came_in_by_other_roads_is_stopped_before_it_is_pushed() {
    let repo = hooked();
    let remote = repo.sibling("remote.git");
    repo.git(["init", "-q", "--bare", remote.to_str().unwrap()]);
    repo.git(["remote", "add", "origin", remote.to_str().unwrap()]);
    repo.git(["push", "-q", "-u", "origin", "main"]);
    repo.git(["checkout", "-q", "-b", "side"]);
    repo.write(LESSONS, valid(&["First"]) + "nonsense\n");
    repo.git(["commit", "-q", "--no-verify", "-am", "wrong"]);
    repo.git(["checkout", "-q", "main"]);
    repo.git(["cherry-pick", "side"]);
    refused(&repo.try_git(["push", "-q", "origin", "main"]), "lessons.jsonl:2");
    repo.git(["tag", "v1"]);
    repo.git(["push", "-q", "origin", "v1"]);
}

#[test]
fn gh21_a_linked_worktree_is_checked_by_itself() {
    let repo = hooked();
    repo.git(["worktree", "add", "-q", "../other"]);
    let other = repo.beside("../other");
    std::fs::write(other.dir.join(LESSONS), "nonsense\n").unwrap();
    refused(&other.try_git(["commit", "-qam", "wrong"]), "lessons.jsonl:1");
    repo.write("a.txt", "a");
    repo.git(["add", "a.txt"]);
    repo.git(["commit", "-qm", "here all is right"]);
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn a_commit_on_packs_says_what_it_does_to_which_lesson() {
    let repo = hooked();
    let trailers = |revision: &str| repo.git(["log", "-1", "--format=%(trailers:only,unfold)", revision]).trim_end().to_owned();
    repo.write("a.txt", "a");
    repo.write(LESSONS, valid(&["Zeroth", "First"]));
    repo.git(["add", "-A"]);
    repo.git(["commit", "-qm", "on main nothing is added"]);
    assert_eq!(trailers("HEAD"), "");
    repo.git(["checkout", "-q", "-b", "packs"]);
    repo.write(LESSONS, valid(&["Zeroth", "First", "Second"]));
    repo.git(["commit", "-qam", "By hand\n\nSigned-off-by: Ada <ada@example.com>"]);
    let said = trailers("HEAD");
    assert!(
        said.starts_with("Signed-off-by: Ada <ada@example.com>\nMarvel-Action: teach\nMarvel-Pack: a\nMarvel-Lesson: "),
        "{said}"
    );
    repo.git(["commit", "-q", "--amend", "-m", "Worded anew\n\nMarvel-Action: edit"]);
    assert_eq!(trailers("HEAD"), "Marvel-Action: edit");
    repo.write(LESSONS, valid(&["Zeroth", "First"]));
    refused(&repo.try_git(["commit", "-qam", "Gone\n\nMarvel-Action: delete"]), "`Marvel-Action: delete`");
    repo.git(["commit", "-qam", "Gone"]);
    assert!(trailers("HEAD").starts_with("Marvel-Action: prune"));
    repo.write(LESSONS, "");
    let output = repo.try_git(["commit", "-qam", "Two at once"]);
    assert!(output.code == 0 && output.stderr.contains("changes 2 lessons"), "{output}");
}

#[test]
fn what_is_in_force_follows_head() {
    let repo = hooked();
    repo.git(["checkout", "-q", "-b", "old"]);
    repo.git(["checkout", "-q", "main"]);
    repo.write(LESSONS, valid(&["First", "Second"]));
    repo.commit("a lesson on main");
    let overlay = |dir: &str| std::fs::read_to_string(repo.dir.join(dir).join("marvel/overlay.json")).unwrap_or_default();
    repo.git(["checkout", "-q", "old"]);
    assert!(overlay(".git").contains("Second"), "{}", overlay(".git"));
    repo.git(["merge", "-q", "main"]);
    assert!(!overlay(".git").contains("Second"));
    repo.git(["worktree", "add", "-q", "--detach", "../other", "main~1"]);
    assert!(overlay(".git/worktrees/other").contains("Second"));
    repo.write("README.md", "# Again\n");
    let before = overlay(".git");
    let output = repo.try_git(["checkout", "-q", "--", "README.md"]);
    assert_eq!((output.code, output.stderr.as_str(), overlay(".git")), (0, "", before));
}

#[test]
fn a_long_rebase_starts_no_more_hooks_than_a_short_one() {
    let started = |picks: usize| {
        let mut repo = hooked();
        repo.git(["checkout", "-q", "-b", "side"]);
        for pick in 0..picks {
            repo.write(&format!("{pick}.txt"), "x");
            repo.commit("pick");
        }
        repo.git(["checkout", "-q", "main"]);
        repo.write("main.txt", "x");
        repo.commit("go on");
        repo.git(["checkout", "-q", "side"]);
        let trace = repo.sibling("trace");
        repo.set_env("GIT_TRACE2_EVENT", trace.to_str().unwrap());
        repo.git(["rebase", "-q", "main"]);
        std::fs::read_to_string(trace).unwrap().matches("\"child_class\":\"hook\"").count()
    };
    assert_eq!(started(12), started(2));
}

#[test]
fn a_refusal_is_remembered() {
    let repo = hooked();
    repo.write(LESSONS, "nonsense\n");
    refused(&repo.try_git(["commit", "-qam", "wrong"]), "lessons.jsonl:1");
    let report = repo.marvel(["doctor", "--json"]).json();
    let facts = report["facts"].as_array().unwrap();
    let last = facts.iter().find(|fact| fact["about"] == "last-refusal").unwrap();
    assert!(last["message"].as_str().unwrap().contains("pre-commit refused: 1 error"), "{last}");
}
