//! `marvel merge-driver`, called by git itself: merge, rebase, cherry-pick, revert and stash keep every lesson, and
//! nothing ends with a code that git would take for a merged file when it is none.

use marvel::merge::lessons::{Options, merge};

use crate::support::{TestRepo, write_pack};

const LESSONS: &str = "marvel/packs/a/lessons.jsonl";

/// A line of lessons as MARVEL writes it; its id ends in `id`.
fn lesson(id: u8, title: &str, description: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-11-{id:02}T10:15:00.000Z","category":"general","title":"{title}","description":"{description}","actionable":"a","id":"00000000{id:02}"}}"#
    ) + "\n"
}

fn plain(id: u8) -> String {
    lesson(id, "t", "d")
}

/// A repository with the driver and a pack of lessons 1 and 2, all committed.
fn set_up() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "a", &serde_json::json!({ "categories": ["general"] }), &[]);
    repo.write(LESSONS, plain(1) + &plain(2));
    repo.marvel(["init", "--no-claude", "--no-git-hooks", "--packs", "none"]).ok();
    repo.commit("set up");
    repo
}

fn commit(repo: &TestRepo, lessons: &[String], message: &str) -> String {
    repo.write(LESSONS, lessons.concat());
    repo.commit(message)
}

/// A branch `side` with one commit beside one commit on `main`, which is checked out.
fn forked(ours: &[String], theirs: &[String]) -> TestRepo {
    let repo = set_up();
    repo.git(["switch", "-qc", "side"]);
    commit(&repo, theirs, "theirs");
    repo.git(["switch", "-q", "main"]);
    commit(&repo, ours, "ours");
    repo
}

#[test]
fn mg05_merge_and_rebase_keep_what_both_sides_added() {
    let ours = [plain(1), plain(2), plain(4)];
    let theirs = [plain(1), lesson(2, "T", "d"), plain(3)];
    let all = [plain(1), lesson(2, "T", "d"), plain(3), plain(4)].concat();
    let repo = forked(&ours, &theirs);
    repo.git(["merge", "-q", "--no-edit", "side"]);
    assert_eq!(repo.read(LESSONS), all);
    assert_eq!(repo.git(["status", "--porcelain"]), "");

    let repo = forked(&ours, &theirs);
    repo.git(["switch", "-q", "side"]);
    commit(&repo, &[theirs.concat(), plain(5)], "more");
    repo.git(["rebase", "-q", "main"]);
    assert_eq!(repo.read(LESSONS), all + &plain(5));
    assert_eq!(repo.git(["log", "--format=%s", "-3"]), "more\ntheirs\nours");
}

#[test]
fn mg04_both_directions_give_the_same_tree() {
    let (ours, theirs) = ([plain(1), plain(5), plain(3)], [plain(1), lesson(2, "T", "d"), plain(4)]);
    let tree = |repo: &TestRepo, onto: &str, other: &str| {
        repo.git(["switch", "-q", onto]);
        repo.git(["merge", "-q", "--no-edit", other]);
        repo.git(["rev-parse", "HEAD:marvel/packs"])
    };
    assert_eq!(tree(&forked(&ours, &theirs), "main", "side"), tree(&forked(&ours, &theirs), "side", "main"));
}

#[test]
fn cherry_pick_and_revert_touch_their_lesson_alone() {
    let repo = set_up();
    repo.git(["switch", "-qc", "packs"]);
    commit(&repo, &[plain(1), plain(2), plain(3)], "three");
    let fourth = commit(&repo, &[plain(1), plain(2), plain(3), plain(4)], "four");
    let edit = commit(&repo, &[plain(1), lesson(2, "T", "d"), plain(3), plain(4)], "edit");
    commit(&repo, &[plain(1), lesson(2, "T", "D"), plain(3), plain(4), plain(5)], "edit more");
    repo.git(["revert", "--no-edit", &edit]);
    assert_eq!(repo.read(LESSONS), [plain(1), lesson(2, "t", "D"), plain(3), plain(4), plain(5)].concat());
    repo.git(["revert", "--no-edit", &fourth]);
    assert_eq!(repo.read(LESSONS), [plain(1), lesson(2, "t", "D"), plain(3), plain(5)].concat());
    repo.git(["switch", "-q", "main"]);
    repo.git(["cherry-pick", &fourth]);
    assert_eq!(repo.read(LESSONS), [plain(1), plain(2), plain(4)].concat());
}

#[test]
fn stash_pop_brings_the_edit_back_onto_what_came_in() {
    let repo = set_up();
    repo.write(LESSONS, lesson(1, "mine", "d") + &plain(2) + &plain(4));
    repo.git(["stash", "-q"]);
    commit(&repo, &[lesson(1, "t", "theirs"), plain(2), plain(3)], "came in");
    repo.git(["stash", "pop", "-q"]);
    assert_eq!(repo.read(LESSONS), [lesson(1, "mine", "theirs"), plain(2), plain(3), plain(4)].concat());
}

#[test]
fn a_conflict_stands_in_the_file_with_its_lesson_named_and_any_choice_ends_it() {
    let repo = forked(&[lesson(1, "ours", "d"), plain(2)], &[lesson(1, "theirs", "D"), plain(2), plain(3)]);
    let output = repo.try_git(["merge", "--no-edit", "side"]);
    assert_eq!(output.code, 1, "{output}");
    assert!(output.stderr.contains("conflict in marvel/packs/a/lessons.jsonl: lesson 0000000001 (ours): title"), "{output}");
    let expected = [
        "<<<<<<< ours: 0000000001 ours (title)\n".to_owned(),
        lesson(1, "ours", "D"),
        "||||||| base\n".to_owned(),
        lesson(1, "t", "D"),
        "=======\n".to_owned(),
        lesson(1, "theirs", "D"),
        ">>>>>>> theirs: 0000000001 theirs (title)\n".to_owned(),
        plain(2),
        plain(3),
    ];
    assert_eq!(repo.read(LESSONS), expected.concat());
    assert_eq!(repo.git(["diff", "--name-only", "--diff-filter=U"]), LESSONS);
    repo.write(LESSONS, [lesson(1, "theirs", "D"), plain(2), plain(3)].concat());
    repo.commit("merged");
    repo.marvel(["validate"]).ok();
}

#[test]
fn mg10_a_lesson_that_one_side_removed_stays_away_unless_the_other_edited_it() {
    let counted = plain(1).replace(r#""id""#, r#""utility_score":0.5,"injection_count":3,"id""#);
    let repo = forked(&[plain(4)], &[counted, lesson(2, "edited", "d")]);
    let output = repo.try_git(["merge", "--no-edit", "side"]);
    assert_eq!(output.code, 0, "{output}");
    assert!(output.stderr.contains("lesson 0000000002 (t) was removed on one side and edited on the other"), "{output}");
    assert_eq!(repo.read(LESSONS), lesson(2, "edited", "d") + &plain(4));
}

#[test]
fn a_criss_cross_with_a_conflict_in_its_base_is_read() {
    // Both sides merge each other's first commit and settle the conflict in the same way.
    let repo = forked(&[lesson(1, "ours", "d"), plain(2)], &[lesson(1, "theirs", "d"), plain(2)]);
    let (main, side) = (repo.git(["rev-parse", "main"]), repo.git(["rev-parse", "side"]));
    repo.try_git(["merge", "--no-edit", &side]);
    commit(&repo, &[lesson(1, "settled", "d"), plain(2), plain(3)], "merged here");
    repo.git(["switch", "-q", "side"]);
    repo.try_git(["merge", "--no-edit", &main]);
    commit(&repo, &[lesson(1, "settled", "d"), plain(2), plain(4)], "merged there");
    assert_eq!(repo.git(["merge-base", "--all", "main", "side"]).lines().count(), 2);
    repo.git(["merge", "-q", "--no-edit", "main"]);
    assert_eq!(repo.read(LESSONS), [lesson(1, "settled", "d"), plain(2), plain(3), plain(4)].concat());
}

#[test]
fn pack_json_is_merged_by_property() {
    let repo = set_up();
    let path = "marvel/packs/a/pack.json";
    let base = repo.read(path);
    repo.git(["switch", "-qc", "side"]);
    repo.write(path, base.replace("1.0.0", "1.2.0").replace("\"general\"", "\"general\",\n    \"auth\""));
    repo.commit("theirs");
    repo.git(["switch", "-q", "main"]);
    repo.write(path, base.replace("1.0.0", "1.10.0").replace("\"general\"", "\"general\",\n    \"tests\""));
    repo.commit("ours");
    repo.git(["merge", "-q", "--no-edit", "side"]);
    let expected = base.replace("1.0.0", "1.10.0").replace("\"general\"", "\"general\",\n    \"auth\",\n    \"tests\"");
    assert_eq!(repo.read(path), expected);
}

#[test]
fn an_unfinished_merge_is_refused_and_git_takes_no_result_from_it() {
    let torn = format!("<<<<<<< HEAD\n{}=======\n", plain(1));
    let repo = forked(&[torn.clone(), plain(2)], &[plain(1), plain(2), plain(3)]);
    let output = repo.try_git(["merge", "--no-edit", "side"]);
    assert_ne!(output.code, 0, "{output}");
    assert!(output.stderr.contains("ours has a conflict marker in line 1"), "{output}");
    assert_eq!(repo.read(LESSONS), torn + &plain(2));
}

#[test]
fn the_exit_code_is_0_or_1_only_with_a_result_in_the_file() {
    let repo = TestRepo::outside();
    repo.write("base", "");
    repo.write("theirs", plain(1));
    let drive = |ours: &str, more: &[&str]| {
        repo.write("ours", ours);
        let args = [&["merge-driver", "base", "ours", "theirs"], more].concat();
        let output = repo.run(repo.command(env!("CARGO_BIN_EXE_marvel"), &args, &repo.dir), b"");
        assert_eq!(output.stdout, "", "{output}");
        (output.code, repo.read("ours"))
    };
    assert_eq!(drive(&plain(2), &[]), (0, plain(1) + &plain(2)));
    let (code, text) = drive(&lesson(1, "x", "d"), &[LESSONS, "9"]);
    assert!(code == 1 && text.starts_with("<<<<<<<<< ours: 0000000001"), "{code} {text}");
    let marked = "=======\n".to_owned() + &plain(2);
    assert_eq!(drive(&marked, &[LESSONS, "7"]), (129, marked.clone()));
    for usage in [&[LESSONS, "seven"][..], &[LESSONS, "7", "more"], &["--bogus"]] {
        assert_eq!(drive(&plain(2), usage), (129, plain(2)), "{usage:?}");
    }
    // Files that git merges as text are merged as git does it, torn JSON too.
    assert_eq!(drive("text\n", &["marvel/packs/a/guardrails.md", "7"]).0, 1);
    repo.write("base", "a\n\n\nb\n");
    repo.write("theirs", "A\n\n\nb\n");
    assert_eq!(drive("a\n\n\nB\n", &["marvel/packs/a/pack.json", "7"]), (0, "A\n\n\nB\n".to_owned()));
    std::fs::remove_file(repo.dir.join("theirs")).unwrap();
    assert_eq!(drive(&plain(2), &[]), (129, plain(2)));
    assert_eq!(repo.marvel(["merge-driver"]).code, 129);
    assert_eq!(repo.marvel(["merge-driver", "--help"]).code, 0);
}

#[test]
fn mg12_without_a_base_the_driver_makes_the_union() {
    let repo = TestRepo::outside();
    repo.write("ours", plain(2));
    repo.write("theirs", plain(1));
    repo.marvel(["merge-driver", "/dev/null", "ours", "theirs"]).ok();
    assert_eq!(repo.read("ours"), plain(1) + &plain(2));
    // Two repositories that share nothing.
    let repo = set_up();
    repo.git(["switch", "-q", "--orphan", "other"]);
    write_pack(&repo, "a", &serde_json::json!({ "categories": ["general"] }), &[]);
    commit(&repo, &[plain(2), plain(3)], "unrelated");
    repo.git(["switch", "-q", "main"]);
    repo.git(["merge", "-q", "--no-edit", "--allow-unrelated-histories", "other"]);
    assert_eq!(repo.read(LESSONS), [1, 2, 3].map(plain).concat());
}

#[test]
fn mg02_without_the_driver_or_the_binary_git_leaves_ordinary_markers() {
    let (ours, theirs) = ([plain(1), plain(2), plain(3)], [plain(1), plain(2), plain(4)]);
    for broken in ["unregistered", "no binary"] {
        let mut repo = forked(&ours, &theirs);
        if broken == "unregistered" {
            repo.git(["config", "--remove-section", "merge.marvel"]);
        } else {
            // The place that was recorded is gone, and none is found on PATH.
            let driver = repo.git(["config", "merge.marvel.driver"]).replace(env!("CARGO_BIN_EXE_marvel"), "/nowhere/marvel");
            repo.git(["config", "merge.marvel.driver", &driver]);
            let git = std::env::split_paths(&std::env::var_os("PATH").unwrap()).find(|dir| dir.join("git").exists()).unwrap();
            repo.set_env("PATH", format!("{}:/usr/bin:/bin", git.display()));
        }
        let output = repo.try_git(["merge", "--no-edit", "side"]);
        assert_eq!(output.code, 1, "{broken}: {output}");
        let text = repo.read(LESSONS);
        assert!(text.contains("<<<<<<< ") && text.contains(&plain(3)) && text.contains(&plain(4)), "{broken}: {text}");
        assert_ne!(repo.marvel(["validate"]).code, 0, "{broken}");
    }
}

#[test]
fn the_driver_and_the_function_give_the_same_bytes() {
    let repo = TestRepo::outside();
    let (base, ours, theirs) = (
        plain(1) + &plain(2),
        format!("# note\n{}\r\n{}", plain(1).trim_end(), plain(3)),
        plain(2) + "\n" + &lesson(1, "T", "d"),
    );
    for (name, text) in [("base", &base), ("ours", &ours), ("theirs", &theirs)] {
        repo.write(name, text);
    }
    let merged = merge(Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), &Options::default()).unwrap();
    repo.marvel(["merge-driver", "base", "ours", "theirs", LESSONS, "7"]).ok();
    assert_eq!(repo.read("ours").as_bytes(), merged.bytes);
}
