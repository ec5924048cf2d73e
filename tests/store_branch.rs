//! Commits on the packs branch: what they hold, what they leave alone, and where they stand after pull requests were
//! merged, squashed or rebased. git judges.

use std::cell::Cell;
use std::path::Path;

use marvel::error::{Error, Kind};
use marvel::model::config::{Config, Sign};
use marvel::model::lesson::{Lesson, LessonId};
use marvel::model::pack::{LESSONS_FILE, PackName};
use marvel::model::pack_files::PackFiles;
use marvel::model::timestamp::Timestamp;
use marvel::store::Repo;
use marvel::store::branch::{Change, Edited, Outcome, commit, dry_run};
use marvel::store::identity::Identity;
use marvel::store::message::{Action, Message};

use crate::support::{NOW, TestRepo, write_pack};

pub fn pack() -> PackName {
    PackName::new("security").unwrap()
}

pub fn at(text: &str) -> Timestamp {
    Timestamp::parse(text).unwrap().0
}

pub fn ada() -> Identity {
    Identity::of("Ada", "ada@example.com", at(NOW))
}

pub fn lesson(title: &str) -> Lesson {
    Lesson {
        id: LessonId::derive(NOW, "general", title),
        pinned: true,
        timestamp: NOW.to_owned(),
        category: "general".to_owned(),
        title: title.to_owned(),
        description: format!("Why: {title}"),
        actionable: format!("Do: {title}"),
        run_id: None,
        utility_score: None,
        injection_count: None,
        paths: Vec::new(),
    }
}

fn edit_lessons(files: &PackFiles, edit: impl FnOnce(&mut marvel::model::jsonl::LessonFile)) -> Edited {
    let mut lessons = files.lessons(&pack());
    edit(&mut lessons);
    let mut files = files.clone();
    files.set_file(&pack(), LESSONS_FILE, lessons.to_bytes());
    Edited::Packs(files)
}

pub fn add(title: &str) -> Change<'static> {
    let lesson = lesson(title);
    Change::new(Message::about(Action::Promote, &pack(), &lesson, None), move |files| {
        if files.lessons(&pack()).find(&lesson.id).is_some() {
            return Ok(Edited::Nothing("it is there already".to_owned()));
        }
        Ok(edit_lessons(files, |lessons| lessons.append(&lesson.to_record()).unwrap()))
    })
}

pub fn reword(title: &str, description: &str) -> Change<'static> {
    let (lesson, description) = (lesson(title), description.to_owned());
    Change::new(Message::about(Action::Edit, &pack(), &lesson, None), move |files| {
        Ok(edit_lessons(files, |lessons| {
            let mut record = lessons.record(&lesson.id).unwrap();
            record.set("description", &description);
            lessons.replace(&lesson.id, &record).unwrap();
        }))
    })
}

pub fn prune(title: &str) -> Change<'static> {
    let lesson = lesson(title);
    Change::new(Message::about(Action::Prune, &pack(), &lesson, None), move |files| {
        Ok(edit_lessons(files, |lessons| lessons.remove(&lesson.id).unwrap()))
    })
}

/// Makes a lesson a rule under the first heading.
pub fn graduate(title: &str, rule: &str) -> Change<'static> {
    let (lesson, rule) = (lesson(title), rule.to_owned());
    Change::new(Message::about(Action::Graduate, &pack(), &lesson, None), move |files| {
        let text = format!("{}- {rule}\n", files.guardrails(&pack()));
        let Edited::Packs(mut files) = edit_lessons(files, |lessons| lessons.remove(&lesson.id).unwrap()) else { unreachable!() };
        files.set_file(&pack(), "guardrails.md", text.into_bytes());
        Ok(Edited::Packs(files))
    })
}

fn try_in(dir: &Path, config: &Config, changes: &[Change<'_>]) -> Result<Outcome, Error> {
    commit(&Repo::open(dir)?, config, &ada(), changes)
}

#[track_caller]
fn run(repo: &TestRepo, changes: &[Change<'_>]) -> Outcome {
    try_in(&repo.dir, &Config::default(), changes).unwrap_or_else(|error| panic!("{error}: {:?} {:?}", error.source, error.hints))
}

pub fn project() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &serde_json::json!({}), &[]);
    repo.write("src/a.rs", "fn a() {}\n");
    repo.commit("packs");
    repo
}

/// A project with a remote whose `main` is the base.
pub fn hosted() -> TestRepo {
    let repo = project();
    let origin = repo.sibling("origin.git");
    repo.git(["init", "-q", "--bare", "-b", "main", origin.to_str().unwrap()]);
    repo.git(["remote", "add", "origin", origin.to_str().unwrap()]);
    repo.git(["push", "-q", "origin", "main"]);
    repo
}

/// The same with a file that calls for the pack.
pub fn hosted_with_auth() -> TestRepo {
    let repo = hosted();
    repo.write("src/auth/login.ts", "x\n");
    let pack = repo.read("marvel/packs/security/pack.json");
    let pack = pack.replace("\"owner\"", "\"sensitive_paths\": [\"**/auth/**\"],\n  \"owner\"");
    repo.write("marvel/packs/security/pack.json", pack);
    repo.commit("auth");
    repo.git(["push", "-q", "origin", "main"]);
    repo
}

fn titles(repo: &TestRepo, revision: &str) -> Vec<String> {
    let spec = format!("{revision}:marvel/packs/security/lessons.jsonl");
    let text = repo.git(["show", &spec]);
    text.lines().map(|line| Lesson::parse(line).unwrap().title).collect()
}

/// What a pull request from `packs` into the base shows, as lines added and taken away.
#[track_caller]
fn pull_request(repo: &TestRepo) -> Vec<String> {
    let conflict_free = repo.try_git(["merge-tree", "--write-tree", "origin/main", "packs"]);
    assert_eq!(conflict_free.code, 0, "the pull request has a conflict: {conflict_free}");
    assert_eq!(repo.git(["diff", "--name-only", "origin/main...packs", "--", ":!marvel/packs"]), "");
    let diff = repo.git(["diff", "-U0", "origin/main...packs"]);
    let changed = diff.lines().filter(|line| (line.starts_with('+') || line.starts_with('-')) && line.contains("\"title\""));
    changed.map(|line| format!("{}{}", &line[..1], Lesson::parse(&line[1..]).unwrap().title)).collect()
}

#[track_caller]
fn sound(repo: &TestRepo) {
    assert_eq!(repo.try_git(["fsck", "--strict", "--no-dangling"]).code, 0);
    assert_eq!(repo.git(["stash", "list"]), "");
}

/// The server merges the pull request: `how` is `--no-ff`, `--squash`, `--squash-log` (with the message that git proposes),
/// or anything else for a rebase.
pub fn land(repo: &TestRepo, how: &str) {
    repo.git(["push", "-q", "origin", "packs"]);
    let host = repo.sibling("host");
    if !host.exists() {
        repo.git(["clone", "-q", repo.sibling("origin.git").to_str().unwrap(), host.to_str().unwrap()]);
    }
    let host = repo.beside(host);
    host.git(["fetch", "-q"]);
    host.git(["checkout", "-q", "-B", "main", "origin/main"]);
    match how {
        "--no-ff" => host.git(["merge", "-q", "--no-ff", "-m", "Merge pull request", "origin/packs"]),
        "--squash" => {
            host.git(["merge", "-q", "--squash", "origin/packs"]);
            host.git(["commit", "-q", "-m", "Packs (#1)"])
        }
        "--squash-log" => {
            host.git(["merge", "-q", "--squash", "origin/packs"]);
            host.git(["commit", "-q", "--no-edit"])
        }
        _ => {
            host.git(["checkout", "-q", "-B", "work", "origin/packs"]);
            host.git(["rebase", "-q", "origin/main"]);
            host.git(["checkout", "-q", "main"]);
            // as hosts do: the commits are made anew even where they could stay
            host.git(["rebase", "-q", "--force-rebase", "--onto", "main", "main", "work"]);
            host.git(["commit", "-q", "--amend", "--allow-empty", "--date=2026-11-30T00:00:00Z", "--no-edit"]);
            host.git(["checkout", "-q", "-B", "main", "work"])
        }
    };
    host.git(["push", "-q", "origin", "main"]);
    repo.git(["fetch", "-q"]);
}

/// Somebody else works on main, beside the packs.
pub fn move_on(repo: &TestRepo, file: &str) {
    let other = repo.sibling("other");
    if !other.exists() {
        repo.git(["clone", "-q", repo.sibling("origin.git").to_str().unwrap(), other.to_str().unwrap()]);
    }
    let beside = repo.beside(&other);
    beside.git(["pull", "-q", "--rebase", "origin", "main"]);
    std::fs::write(other.join(file), "more\n").unwrap();
    beside.git(["add", "-A"]);
    beside.git(["commit", "-q", "--allow-empty", "-m", "more"]);
    beside.git(["push", "-q", "origin", "main"]);
    repo.git(["fetch", "-q"]);
}

#[test]
fn the_first_promotion_gives_birth_to_the_branch_and_touches_nothing_else() {
    let repo = project();
    repo.write("src/a.rs", "edited");
    repo.write("src/staged.rs", "staged");
    repo.git(["add", "src/staged.rs"]);
    repo.write("untracked", "x");
    for hook in ["pre-commit", "commit-msg", "post-commit", "post-checkout", "prepare-commit-msg"] {
        repo.write(&format!(".git/hooks/{hook}"), "#!/bin/sh\nexit 1\n");
        repo.git(["config", "core.hooksPath", ".git/hooks"]);
    }
    repo.git(["stash", "list"]);
    let before =
        (repo.git(["status", "--porcelain=v2", "--branch"]), repo.git(["worktree", "list"]), repo.git(["rev-parse", "HEAD"]));
    let outcome = run(&repo, &[add("Validate inputs")]);
    let after =
        (repo.git(["status", "--porcelain=v2", "--branch"]), repo.git(["worktree", "list"]), repo.git(["rev-parse", "HEAD"]));
    assert_eq!(before, after);
    let id = outcome.commits[0].id.unwrap().to_string();
    assert_eq!((outcome.commits.len(), repo.git(["rev-parse", "packs"])), (1, id));
    assert_eq!(repo.git(["rev-parse", "packs^"]), repo.git(["rev-parse", "main"]));
    assert_eq!(titles(&repo, "packs"), ["Validate inputs"]);
    assert_eq!(repo.git(["diff", "--name-only", "main", "packs"]), "marvel/packs/security/lessons.jsonl");
    let trailers = repo.git(["log", "-1", "--format=%(trailers)", "packs"]);
    assert_eq!(
        trailers.trim(),
        format!("Marvel-Action: promote\nMarvel-Pack: security\nMarvel-Lesson: {}", lesson("Validate inputs").id)
    );
    assert_eq!(repo.git(["log", "-1", "--format=%an <%ae> %aI %cn", "packs"]), "Ada <ada@example.com> 2026-11-29T10:15:00Z Ada");
    assert_eq!(repo.git(["reflog", "--format=%gs", "packs"]), "marvel: promote(security): Validate inputs");
    sound(&repo);
    repo.git(["switch", "-q", "--discard-changes", "packs"]);
}

#[test]
fn sb23_the_same_promotion_twice_is_nothing_to_do() {
    let repo = project();
    run(&repo, &[add("One")]);
    let tip = repo.git(["rev-parse", "packs"]);
    let outcome = run(&repo, &[add("One")]);
    assert_eq!((outcome.commits.len(), outcome.skipped.len(), repo.git(["rev-parse", "packs"])), (0, 1, tip));
    assert_eq!(outcome.skipped[0].reason, "it is there already");
}

#[test]
fn one_lesson_is_one_commit_that_git_can_revert_and_cherry_pick() {
    let repo = project();
    let outcome = run(&repo, &[add("One"), add("Two"), add("One")]);
    assert_eq!((outcome.commits.len(), outcome.skipped.len()), (2, 1));
    assert_eq!(titles(&repo, "packs"), ["One", "Two"]);
    repo.git(["switch", "-q", "packs"]);
    repo.git(["revert", "--no-edit", "HEAD"]);
    assert_eq!(titles(&repo, "packs"), ["One"]);
    repo.git(["switch", "-q", "main"]);
    repo.git(["cherry-pick", "packs~2"]);
    assert_eq!(titles(&repo, "main"), ["One"]);
}

#[test]
fn a_dry_run_writes_nothing_and_tells_all() {
    let repo = project();
    let count = || repo.git(["count-objects"]);
    let before = count();
    let store = Repo::open(&repo.dir).unwrap();
    let outcome = dry_run(&store, &Config::default(), &[add("One")]).unwrap();
    assert_eq!((count(), repo.try_git(["rev-parse", "-q", "--verify", "packs"]).code), (before, 1));
    assert_eq!((outcome.commits.len(), outcome.commits[0].id), (1, None));
    assert_eq!((outcome.before.lessons(&pack()).lines.len(), outcome.after.lessons(&pack()).lines.len()), (0, 1));
}

#[test]
fn a_pack_that_the_branch_lacks_goes_first() {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &serde_json::json!({}), &[]);
    repo.write("marvel/packs/security/pack.json", repo.read("marvel/packs/security/pack.json").replace('\n', "\r\n"));
    repo.write("marvel/packs/security/.notes.swp", "left over");
    repo.write("marvel/packs/other/pack.json", "{}");
    let outcome = run(&repo, &[add("One"), add("Two")]);
    let actions: Vec<_> = outcome.commits.iter().map(|one| one.message.trailers.action.unwrap()).collect();
    assert_eq!(actions, [Action::Pack, Action::Promote, Action::Promote]);
    assert_eq!(
        repo.git(["diff", "--name-only", "main", "packs~2"]),
        "marvel/packs/.gitattributes\nmarvel/packs/security/guardrails.md\nmarvel/packs/security/lessons.jsonl\nmarvel/packs/security/pack.json"
    );
    assert!(!repo.git(["show", "packs:marvel/packs/security/pack.json"]).contains('\r'));
    let error = try_in(
        &repo.dir,
        &Config::default(),
        &[Change { message: Message::new(Action::Teach, PackName::new("nowhere"), "x"), ..add("x") }],
    );
    assert!(error.unwrap_err().message.contains("no pack nowhere"));
    sound(&repo);
}

#[test]
fn ge01_it_works_before_the_first_commit_and_joins_the_base_later() {
    let repo = TestRepo::unborn();
    write_pack(&repo, "security", &serde_json::json!({}), &[]);
    run(&repo, &[add("One")]);
    run(&repo, &[add("Two")]);
    assert_eq!(titles(&repo, "packs"), ["One", "Two"]);
    assert_eq!(repo.git(["rev-list", "--count", "packs"]), "3");
    assert_ne!(repo.try_git(["rev-parse", "-q", "--verify", "HEAD"]).code, 0);
    repo.write("src/a.rs", "");
    repo.commit("first");
    run(&repo, &[add("Three")]);
    assert_eq!(titles(&repo, "packs"), ["One", "Two", "Three"]);
    assert_eq!(repo.git(["diff", "--name-only", "main...packs", "--", ":!marvel/packs"]), "");
    assert!(repo.git(["ls-tree", "--name-only", "packs"]).contains("src"));
    sound(&repo);
}

#[test]
fn sb08_the_branch_starts_where_the_remote_has_it() {
    let repo = hosted();
    run(&repo, &[add("One")]);
    repo.git(["push", "-q", "origin", "packs"]);
    let clone = repo.sibling("clone");
    repo.git(["clone", "-q", repo.sibling("origin.git").to_str().unwrap(), clone.to_str().unwrap()]);
    try_in(&clone, &Config::default(), &[add("Two")]).unwrap();
    let beside = repo.beside(&clone);
    assert_eq!(beside.git(["rev-parse", "packs^"]), repo.git(["rev-parse", "packs"]));
    // sb19: nothing is remembered of a branch that is gone everywhere
    beside.git(["branch", "-q", "-D", "packs"]);
    beside.git(["push", "-q", "origin", ":packs"]);
    try_in(&clone, &Config::default(), &[add("Three")]).unwrap();
    assert_eq!(beside.git(["rev-parse", "packs^"]), beside.git(["rev-parse", "origin/main"]));
}

#[test]
fn unpushed_work_is_not_published() {
    let repo = hosted();
    repo.write("src/secret.rs", "");
    repo.commit("not pushed");
    run(&repo, &[add("One")]);
    assert_eq!(repo.git(["rev-parse", "packs^"]), repo.git(["rev-parse", "origin/main"]));
    assert_eq!(pull_request(&repo), ["+One"]);
}

#[test]
fn case_d_on_its_own_tip_while_main_moves_elsewhere() {
    let repo = hosted();
    run(&repo, &[add("One")]);
    move_on(&repo, "b.rs");
    let tip = repo.git(["rev-parse", "packs"]);
    run(&repo, &[add("Two")]);
    assert_eq!(repo.git(["rev-parse", "packs^"]), tip);
    assert_eq!(pull_request(&repo), ["+One", "+Two"]);
}

#[test]
fn case_a_after_a_merged_pull_request_on_the_bases_tip() {
    let repo = hosted();
    run(&repo, &[add("One")]);
    land(&repo, "--no-ff");
    move_on(&repo, "b.rs");
    run(&repo, &[add("Two")]);
    assert_eq!(repo.git(["rev-parse", "packs^"]), repo.git(["rev-parse", "origin/main"]));
    assert_eq!(pull_request(&repo), ["+Two"]);
    sound(&repo);
}

#[test]
fn case_b_after_a_squashed_or_rebased_pull_request() {
    for how in ["--squash", "rebase"] {
        let repo = hosted();
        run(&repo, &[add("One"), add("Two")]);
        let old = repo.git(["rev-parse", "packs"]);
        move_on(&repo, "b.rs");
        land(&repo, how);
        move_on(&repo, "c.rs");
        let outcome = run(&repo, &[add("Three")]);
        assert_eq!(outcome.commits[0].message.trailers.action, Some(Action::Sync), "{how}");
        let merge = repo.git(["rev-parse", "packs^"]);
        let parents = repo.git(["log", "-1", "--format=%P", &merge]);
        assert_eq!(parents, format!("{old} {}", repo.git(["rev-parse", "origin/main"])), "{how}");
        assert_eq!(repo.git(["rev-parse", "packs^^{tree}"]), repo.git(["rev-parse", "origin/main^{tree}"]), "{how}");
        assert_eq!(pull_request(&repo), ["+Three"], "{how}");
        // and once more, round the whole loop (a host cannot rebase what was merged, only squash it)
        land(&repo, "--squash");
        run(&repo, &[add("Four")]);
        assert_eq!(pull_request(&repo), ["+Four"], "{how}");
        sound(&repo);
    }
}

#[test]
fn case_c_the_base_changed_packs_meanwhile() {
    let repo = hosted();
    run(&repo, &[add("One")]);
    let host = repo.sibling("host");
    repo.git(["clone", "-q", repo.sibling("origin.git").to_str().unwrap(), host.to_str().unwrap()]);
    std::fs::write(host.join("marvel/packs/security/lessons.jsonl"), format!("{}\n", lesson("Theirs").to_record().to_line()))
        .unwrap();
    repo.beside(&host).git(["commit", "-q", "-am", "by hand"]);
    repo.beside(&host).git(["push", "-q"]);
    repo.git(["fetch", "-q"]);
    run(&repo, &[add("Two")]);
    let mut all = titles(&repo, "packs");
    all.sort();
    assert_eq!(all, ["One", "Theirs", "Two"]);
    let mut shown = pull_request(&repo);
    shown.sort();
    assert_eq!(shown, ["+One", "+Two"]);
    assert_eq!(repo.git(["log", "-1", "--format=%s", "packs^"]), "sync: Merge origin/main");
    sound(&repo);
}

#[test]
fn case_c_merges_what_a_pack_says_of_itself_by_property() {
    let repo = hosted();
    let with = |change: fn(&str) -> String| {
        Change::new(Message::new(Action::Pack, Some(pack()), "Change the pack"), move |files| {
            let mut files = files.clone();
            let text = String::from_utf8(files.file(&pack(), "pack.json").unwrap().to_vec()).unwrap();
            files.set_file(&pack(), "pack.json", change(&text).into_bytes());
            Ok(Edited::Packs(files))
        })
    };
    run(&repo, &[with(|text| text.replace("1.0.0", "1.1.0"))]);
    move_on(&repo, "b.rs");
    let other = repo.sibling("other");
    let file = other.join("marvel/packs/security/pack.json");
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap().replace("\"team\"", "\"platform\"")).unwrap();
    repo.beside(&other).git(["commit", "-q", "-am", "by hand"]);
    repo.beside(&other).git(["push", "-q"]);
    repo.git(["fetch", "-q"]);
    run(&repo, &[add("One")]);
    let meta = repo.git(["show", "packs:marvel/packs/security/pack.json"]);
    assert!(meta.contains("\"1.1.0\"") && meta.contains("\"platform\""), "{meta}");
    assert_eq!(pull_request(&repo), ["+One"]);
}

#[test]
fn what_was_pruned_or_corrected_after_a_squash_does_not_come_back() {
    let repo = hosted();
    run(&repo, &[add("One"), add("Two"), add("Three")]);
    land(&repo, "--squash");
    // the reviewed base goes on: one lesson is pruned there, one reworded
    let host = repo.sibling("host");
    let file = host.join("marvel/packs/security/lessons.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let kept: String = text.lines().filter(|line| !line.contains("Why: One")).map(|line| format!("{line}\n")).collect();
    std::fs::write(&file, kept.replace("Why: Two", "Better: Two")).unwrap();
    repo.beside(&host).git(["commit", "-q", "-am", "by hand"]);
    repo.beside(&host).git(["push", "-q"]);
    repo.git(["fetch", "-q"]);
    run(&repo, &[add("Four")]);
    assert_eq!(titles(&repo, "packs"), ["Two", "Three", "Four"]);
    assert!(repo.git(["show", "packs:marvel/packs/security/lessons.jsonl"]).contains("Better: Two"));
    assert_eq!(pull_request(&repo), ["+Four"]);
    sound(&repo);
}

#[test]
fn what_the_branch_reworded_or_pruned_after_a_squash_stays_so() {
    let repo = hosted();
    run(&repo, &[add("One"), add("Two")]);
    land(&repo, "--squash");
    // this goes on the old branch: nobody has fetched yet, as it were
    repo.git(["update-ref", "refs/remotes/origin/main", "main"]);
    run(&repo, &[reword("One", "Better"), prune("Two")]);
    repo.git(["fetch", "-q"]);
    run(&repo, &[add("Three")]);
    assert_eq!(titles(&repo, "packs"), ["One", "Three"]);
    assert!(repo.git(["show", "packs:marvel/packs/security/lessons.jsonl"]).contains("Better"));
    assert_eq!(repo.try_git(["merge-tree", "--write-tree", "origin/main", "packs"]).code, 0);
    sound(&repo);
}

#[test]
fn two_versions_that_disagree_need_a_person() {
    let repo = hosted();
    run(&repo, &[add("One")]);
    land(&repo, "--no-ff");
    run(&repo, &[reword("One", "Mine")]);
    let host = repo.sibling("host");
    let file = host.join("marvel/packs/security/lessons.jsonl");
    std::fs::write(&file, std::fs::read_to_string(&file).unwrap().replace("Why: One", "Theirs")).unwrap();
    repo.beside(&host).git(["commit", "-q", "-am", "by hand"]);
    repo.beside(&host).git(["push", "-q"]);
    repo.git(["fetch", "-q"]);
    let tip = repo.git(["rev-parse", "packs"]);
    let error = try_in(&repo.dir, &Config::default(), &[add("Two")]).unwrap_err();
    assert_eq!((error.kind, repo.git(["rev-parse", "packs"])), (Kind::Conflict, tip));
    assert!(error.source.unwrap().to_string().contains("\"One\" was changed on both sides: description"));
    assert_eq!(error.hints, ["git switch packs && git merge origin/main"]);
}

/// Somebody else commits a lesson to the branch, with git alone.
fn by_git(repo: &TestRepo, parent: &str, title: &str) {
    let script = format!(
        "set -e
        export GIT_INDEX_FILE=.git/their-index
        git read-tree {parent}
        path=marvel/packs/security/lessons.jsonl
        id=$({{ git show {parent}:$path; cat; }} | git hash-object -w --stdin)
        git update-index --cacheinfo 100644,$id,$path
        git update-ref refs/heads/packs $(git commit-tree -p {parent} -m by-hand $(git write-tree))"
    );
    let line = format!("{}\n", lesson(title).to_record().to_line());
    let output = repo.run(repo.command("sh", &["-c", &script], &repo.dir), line.as_bytes());
    assert_eq!(output.code, 0, "{output}");
}

#[test]
fn sb11_who_loses_a_race_builds_on_the_winner() {
    let repo = project();
    run(&repo, &[add("One")]);
    let raced = Cell::new(false);
    let mine = add("Mine");
    let change = Change::new(mine.message.clone(), |files: &PackFiles| {
        if !raced.replace(true) {
            by_git(&repo, "packs", "Theirs");
        }
        (mine.edit)(files)
    });
    run(&repo, &[change]);
    assert_eq!(titles(&repo, "packs"), ["One", "Theirs", "Mine"]);
    assert_eq!(repo.git(["rev-list", "--count", "main..packs"]), "3");
}

#[test]
fn the_birth_of_the_branch_is_raced_too() {
    let repo = project();
    let raced = Cell::new(false);
    let mine = add("Mine");
    let change = Change::new(mine.message.clone(), |files: &PackFiles| {
        if !raced.replace(true) {
            by_git(&repo, "main", "Theirs");
        }
        (mine.edit)(files)
    });
    run(&repo, &[change]);
    assert_eq!(titles(&repo, "packs"), ["Theirs", "Mine"]);
}

#[test]
fn many_at_once_lose_nothing() {
    // MARVEL_TEST_WRITERS=16x50 for the full size
    let size = std::env::var("MARVEL_TEST_WRITERS").unwrap_or_else(|_| "4x10".to_owned());
    let (writers, each) = size.split_once('x').map(|(a, b)| (a.parse::<usize>().unwrap(), b.parse::<usize>().unwrap())).unwrap();
    let repo = project();
    let linked = repo.sibling("linked");
    repo.git(["worktree", "add", "-q", "-b", "other", linked.to_str().unwrap()]);
    std::thread::scope(|scope| {
        for writer in 0..writers {
            let dir = if writer % 2 == 0 { &repo.dir } else { &linked };
            scope.spawn(move || {
                for at in 0..each {
                    try_in(dir, &Config::default(), &[add(&format!("Lesson {writer}/{at}"))]).unwrap();
                }
            });
        }
        scope.spawn(|| {
            for _ in 0..each {
                repo.git(["pack-refs", "--all"]);
            }
        });
    });
    let mut all = titles(&repo, "packs");
    assert_eq!(all.len(), writers * each);
    all.sort();
    all.dedup();
    assert_eq!(all.len(), writers * each);
    assert_eq!(repo.git(["rev-list", "--count", "main..packs"]), (writers * each).to_string());
    sound(&repo);
}

#[test]
fn sb13_a_lock_that_goes_is_waited_for_and_one_that_stays_is_named() {
    let repo = project();
    run(&repo, &[add("One")]);
    let lock = repo.dir.join(".git/refs/heads/packs.lock");
    std::fs::write(&lock, "").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(400));
            std::fs::remove_file(&lock).unwrap();
        });
        run(&repo, &[add("Two")]);
    });
    assert_eq!(titles(&repo, "packs"), ["One", "Two"]);
    std::fs::write(&lock, "").unwrap();
    let error = try_in(&repo.dir, &Config::default(), &[add("Three")]).unwrap_err();
    assert!(error.message.contains("refs/heads/packs.lock is ") && error.message.ends_with(" old"), "{error}");
    assert!(lock.exists());
    assert_eq!(titles(&repo, "packs"), ["One", "Two"]);
}

#[test]
fn a_hook_of_the_ref_itself_may_refuse() {
    let repo = project();
    repo.write(".git/hooks/reference-transaction", "#!/bin/sh\necho 'not today' >&2\nexit 1\n");
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(repo.dir.join(".git/hooks/reference-transaction"), mode).unwrap();
    let error = try_in(&repo.dir, &Config::default(), &[add("One")]).unwrap_err();
    assert!(error.source.unwrap().to_string().contains("not today"));
}

#[test]
fn sb03_a_branch_that_is_checked_out_is_refused_with_the_path() {
    let repo = project();
    run(&repo, &[add("One")]);
    let linked = repo.sibling("linked tree");
    repo.git(["worktree", "add", "-q", linked.to_str().unwrap(), "packs"]);
    let tip = repo.git(["rev-parse", "packs"]);
    let error = try_in(&repo.dir, &Config::default(), &[add("Two")]).unwrap_err();
    let place = linked.display();
    assert_eq!(error.message, format!("the branch packs is checked out in {place}, so nothing was committed to it"));
    assert_eq!(error.hints, [format!("git -C '{place}' switch main")]);
    assert_eq!((repo.git(["rev-parse", "packs"]), repo.beside(&linked).git(["status", "--porcelain"])), (tip, String::new()));
    repo.beside(&linked).git(["switch", "-q", "--detach"]);
    run(&repo, &[add("Two")]);
}

#[test]
fn sb27_branches_below_the_name_are_in_the_way() {
    let repo = project();
    repo.git(["branch", "packs/wip"]);
    let error = try_in(&repo.dir, &Config::default(), &[add("One")]).unwrap_err();
    assert_eq!(error.message, "git cannot have a branch packs beside packs/wip");
    assert!(error.hints[1].contains("`branch`"));
    let config = Config { branch: "packs/wip/x".to_owned(), ..Config::default() };
    let error = try_in(&repo.dir, &config, &[add("One")]).unwrap_err();
    assert_eq!(error.message, "git cannot have a branch packs/wip/x beside packs/wip");
    for branch in ["a..b", "-x y", ""] {
        let config = Config { branch: branch.to_owned(), ..Config::default() };
        assert!(try_in(&repo.dir, &config, &[add("One")]).unwrap_err().message.contains("`branch`"), "{branch}");
    }
    let config = Config { branch: "knowledge".to_owned(), ..Config::default() };
    try_in(&repo.dir, &config, &[add("One")]).unwrap();
    assert_eq!(titles(&repo, "knowledge"), ["One"]);
}

#[test]
fn sb28_where_case_does_not_count_a_branch_of_the_same_letters_is_in_the_way() {
    let repo = project();
    repo.git(["branch", "Packs/team"]);
    repo.git(["config", "core.ignorecase", "true"]);
    let error = try_in(&repo.dir, &Config::default(), &[add("One")]).unwrap_err();
    assert_eq!(error.message, "git cannot have a branch packs beside Packs/team");
    repo.git(["config", "core.ignorecase", "false"]);
    try_in(&repo.dir, &Config::default(), &[add("One")]).unwrap();
}

#[test]
fn a_branch_with_other_work_is_refused() {
    let repo = project();
    repo.git(["switch", "-q", "-c", "packs"]);
    repo.write("src/b.rs", "");
    let tip = repo.commit("not packs");
    repo.git(["switch", "-q", "main"]);
    let error = try_in(&repo.dir, &Config::default(), &[add("One")]).unwrap_err();
    assert_eq!(error.message, "the branch packs is not one of packs: against main it changes src");
    assert!(error.hints[0].contains("`branch`"));
    repo.git(["symbolic-ref", "refs/heads/packs", "refs/heads/main"]);
    let error = try_in(&repo.dir, &Config::default(), &[add("One")]).unwrap_err();
    assert_eq!(error.message, "the branch packs is only another name for refs/heads/main");
    assert_eq!(repo.git(["cat-file", "-t", &tip]), "commit");
}

#[test]
fn own_commits_that_are_not_pushed_yet_may_lie_under_the_branch() {
    let repo = project();
    run(&repo, &[add("One")]);
    // the remote comes later, and knows less
    let origin = repo.sibling("origin.git");
    repo.git(["init", "-q", "--bare", "-b", "main", origin.to_str().unwrap()]);
    repo.git(["remote", "add", "origin", origin.to_str().unwrap()]);
    repo.git(["push", "-q", "origin", "main~1:refs/heads/main"]);
    run(&repo, &[add("Two")]);
    assert_eq!(titles(&repo, "packs"), ["One", "Two"]);
}

#[test]
fn every_kind_of_repository_takes_a_promotion() {
    let sha256 = TestRepo::outside();
    sha256.git(["init", "-q", "-b", "main", "--object-format=sha256", "."]);
    let reftable = TestRepo::outside();
    reftable.git(["init", "-q", "-b", "main", "--ref-format=reftable", "."]);
    for repo in [sha256, reftable] {
        write_pack(&repo, "security", &serde_json::json!({}), &[]);
        repo.commit("packs");
        run(&repo, &[add("One")]);
        run(&repo, &[add("Two")]);
        assert_eq!(titles(&repo, "packs"), ["One", "Two"]);
        let linked = repo.sibling("linked");
        repo.git(["worktree", "add", "-q", linked.to_str().unwrap(), "packs"]);
        let error = try_in(&repo.dir, &Config::default(), &[add("Three")]).unwrap_err();
        assert!(error.message.contains(&linked.display().to_string()), "{error}");
        sound(&repo);
    }
}

#[test]
fn sb07_linked_worktrees_a_detached_head_and_odd_paths_are_no_matter() {
    let repo = project();
    let linked = repo.sibling("w 2 ä 日本");
    repo.git(["worktree", "add", "-q", "--detach", linked.to_str().unwrap()]);
    try_in(&linked, &Config::default(), &[add("One")]).unwrap();
    std::fs::create_dir_all(linked.join("sub/folder")).unwrap();
    try_in(&linked.join("sub/folder"), &Config::default(), &[add("Two")]).unwrap();
    run(&repo, &[add("Three")]);
    assert_eq!(titles(&repo, "packs"), ["One", "Two", "Three"]);
    let bare = repo.sibling("bare.git");
    repo.git(["clone", "-q", "--bare", ".", bare.to_str().unwrap()]);
    try_in(&bare, &Config::default(), &[add("Four")]).unwrap();
    assert_eq!(repo.beside(&bare).git(["log", "-1", "--format=%s", "packs"]), "promote(security): Four");
}

#[test]
fn a_shallow_clone_builds_on_its_tip_but_merges_nothing_that_it_cannot_see() {
    let repo = hosted();
    run(&repo, &[add("One")]);
    repo.git(["push", "-q", "origin", "packs"]);
    let url = format!("file://{}", repo.sibling("origin.git").display());
    let shallow = repo.sibling("shallow");
    repo.git(["clone", "-q", "--depth=2", "--no-single-branch", &url, shallow.to_str().unwrap()]);
    try_in(&shallow, &Config::default(), &[add("Two")]).unwrap();
    let cut = repo.sibling("cut");
    repo.git(["clone", "-q", "--depth=1", "--no-single-branch", &url, cut.to_str().unwrap()]);
    let error = try_in(&cut, &Config::default(), &[add("Two")]).unwrap_err();
    assert!(error.message.starts_with("this shallow clone does not show"), "{error}");
    assert_eq!(error.hints, ["git fetch --unshallow"]);
}

#[test]
fn a_partial_clone_fetches_what_it_needs() {
    let repo = hosted();
    repo.git(["config", "-f", repo.sibling("origin.git").join("config").to_str().unwrap(), "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", repo.sibling("origin.git").display());
    for filter in ["blob:none", "tree:0"] {
        let partial = repo.sibling(&filter.replace(':', "-"));
        let filter = format!("--filter={filter}");
        repo.git(["clone", "-q", "--no-checkout", &filter, &url, partial.to_str().unwrap()]);
        try_in(&partial, &Config::default(), &[add("One")]).unwrap();
        assert_eq!(repo.beside(&partial).git(["diff", "--name-only", "main", "packs"]), "marvel/packs/security/lessons.jsonl");
    }
}

#[test]
fn sb14_commits_are_signed_as_git_would_sign_them() {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &serde_json::json!({}), &[]);
    let key = repo.sibling("key");
    let made =
        repo.run(repo.command("ssh-keygen", &["-q", "-t", "ed25519", "-N", "", "-f", key.to_str().unwrap()], &repo.dir), b"");
    assert_eq!(made.code, 0, "{made}");
    let public = std::fs::read_to_string(key.with_extension("pub")).unwrap();
    std::fs::write(repo.sibling("signers"), format!("ada@example.com {public}")).unwrap();
    for (name, value) in [
        ("commit.gpgsign", "true"),
        ("gpg.format", "ssh"),
        ("user.signingKey", key.to_str().unwrap()),
        ("gpg.ssh.allowedSignersFile", repo.sibling("signers").to_str().unwrap()),
    ] {
        repo.git(["config", name, value]);
    }
    run(&repo, &[add("One"), add("Two")]);
    assert_eq!(repo.git(["log", "--format=%G? %an %cI %s", "main..packs"]).lines().count(), 3);
    assert!(repo.git(["log", "--format=%G?", "main..packs"]).lines().all(|mark| mark == "G"));
    let never = Config { sign: Sign::Never, ..Config::default() };
    try_in(&repo.dir, &never, &[add("Three")]).unwrap();
    assert_eq!(repo.git(["log", "-1", "--format=%G?", "packs"]), "N");
    // sb15: a signer that fails stops everything, in its own words
    repo.git(["config", "gpg.ssh.program", "/bin/false"]);
    let tip = repo.git(["rev-parse", "packs"]);
    let error = try_in(&repo.dir, &Config::default(), &[add("Four")]).unwrap_err();
    assert!(error.message.contains("could not be signed") && error.source.is_some(), "{error}");
    assert_eq!(repo.git(["rev-parse", "packs"]), tip);
}

#[test]
fn what_else_stands_in_the_packs_folder_stays() {
    let repo = project();
    repo.write("marvel/packs/security/run.sh", "#!/bin/sh\n");
    repo.git(["add", "-A"]);
    repo.git(["update-index", "--chmod=+x", "marvel/packs/security/run.sh", "marvel/packs/security/lessons.jsonl"]);
    std::os::unix::fs::symlink("security", repo.dir.join("marvel/packs/link")).unwrap();
    repo.commit("odd things");
    repo.git(["update-index", "--chmod=+x", "marvel/packs/security/lessons.jsonl"]);
    repo.git(["commit", "-q", "-m", "executable", "--allow-empty"]);
    run(&repo, &[add("One")]);
    let raw = repo.git(["diff", "--raw", "--no-renames", "main", "packs"]);
    assert_eq!((raw.lines().count(), raw.ends_with("\tmarvel/packs/security/lessons.jsonl")), (1, true), "{raw}");
    assert_eq!(repo.git(["diff", "--summary", "main", "packs"]), "");
}

#[test]
fn a_commit_carries_the_identity_that_git_is_configured_with() {
    let repo = project();
    repo.git(["config", "user.name", "Zoë <李>"]);
    repo.git(["config", "author.email", "zoe@example.com"]);
    repo.git(["config", "committer.email", "bot@example.com"]);
    let store = Repo::open(&repo.dir).unwrap();
    let identity = Identity::read(&store, at(NOW)).unwrap();
    commit(&store, &Config::default(), &identity, &[add("One")]).unwrap();
    assert_eq!(repo.git(["log", "-1", "--format=%an %ae %ce %ct", "packs"]), "Zoë 李 zoe@example.com bot@example.com 1795947300");
    assert_eq!(identity.warning(), None);
    repo.git(["config", "user.name", "Jo\u{2028} Doe"]);
    let identity = Identity::read(&Repo::open(&repo.dir).unwrap(), at(NOW)).unwrap();
    assert!(identity.warning().unwrap().contains("Jo\\u2028 Doe"));
    repo.git(["config", "user.name", "<>,"]);
    let error = Identity::read(&Repo::open(&repo.dir).unwrap(), at(NOW)).unwrap_err();
    assert_eq!(error.hints.len(), 2);
}
