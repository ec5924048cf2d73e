//! The world around a commit to packs: variables that git exports into hooks, identities, dates, locales, processes that
//! die. Through the binary, since the environment is what is tested.

use std::process::Stdio;

use serde_json::json;

use crate::support::{Output, TestRepo, lesson_line, write_pack};

fn project() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &json!({ "categories": ["general"] }), &[]);
    repo.commit("packs");
    repo
}

const TEACH: [&str; 10] = [
    "teach",
    "--pack=security",
    "--category=general",
    "--title=Validate request bodies",
    "--description=A body is input from outside.",
    "--actionable=Parse the body before the handler runs",
    "--force",
    "--color=never",
    "--quiet",
    "--json",
];

fn teach_in(repo: &TestRepo, dir: &std::path::Path, env: &[(&str, Option<&str>)]) -> Output {
    let mut command = repo.command(env!("CARGO_BIN_EXE_marvel"), &TEACH, dir);
    for (name, value) in env {
        match value {
            Some(value) => command.env(name, value),
            None => command.env_remove(name),
        };
    }
    repo.run(command, b"")
}

fn hook(repo: &TestRepo, name: &str, script: &str) {
    let path = format!(".git/hooks/{name}");
    repo.write(&path, format!("#!/bin/sh\n{script}\n"));
    let mode = std::os::unix::fs::PermissionsExt::from_mode(0o755);
    std::fs::set_permissions(repo.dir.join(path), mode).unwrap();
}

#[test]
fn gh20_a_promotion_inside_a_commit_hook_leaves_that_commits_index_alone() {
    let repo = project();
    let teach = TEACH.map(|arg| format!("'{arg}'")).join(" ");
    hook(&repo, "pre-commit", &format!("marvel {teach} >&2"));
    repo.write("README.md", "edited\n");
    repo.write("other.md", "not this one\n");
    let committed = repo.try_git(["commit", "-q", "-am", "from within"]);
    assert_eq!(committed.code, 0, "{committed}");
    assert_eq!(repo.git(["show", "--name-only", "--format=", "HEAD"]), "README.md");
    assert_eq!(repo.git(["log", "-1", "--format=%s", "packs"]), "teach(security): Validate request bodies");
    assert_eq!(repo.git(["status", "--porcelain"]), "?? other.md");
    assert_eq!(repo.try_git(["fsck", "--strict"]).code, 0);
}

#[test]
fn gh21_a_hook_in_a_linked_worktree_means_the_repository_that_git_names() {
    let repo = project();
    let linked = repo.sibling("linked");
    repo.git(["worktree", "add", "-q", "-b", "feature", linked.to_str().unwrap()]);
    let teach = TEACH.map(|arg| format!("'{arg}'")).join(" ");
    hook(&repo, "pre-commit", &format!("test -n \"$GIT_DIR\" && cd / && marvel {teach} >&2"));
    std::fs::write(linked.join("README.md"), "edited\n").unwrap();
    let committed = repo.beside(&linked).try_git(["commit", "-q", "-am", "from within"]);
    assert_eq!(committed.code, 0, "{committed}");
    assert_eq!(repo.git(["log", "-1", "--format=%s", "packs"]), "teach(security): Validate request bodies");
    assert_eq!(repo.beside(&linked).git(["status", "--porcelain"]), "");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}

#[test]
fn git_dir_and_git_work_tree_are_honoured_from_anywhere() {
    let repo = project();
    let elsewhere = repo.sibling("else where");
    std::fs::create_dir(&elsewhere).unwrap();
    let (git_dir, work_tree) = (repo.dir.join(".git"), repo.dir.clone());
    let env = [("GIT_DIR", git_dir.to_str()), ("GIT_WORK_TREE", work_tree.to_str())];
    let taught = teach_in(&repo, &elsewhere, &env);
    assert_eq!(taught.code, 0, "{taught}");
    assert_eq!(repo.git(["rev-list", "--count", "main..packs"]), "1");
    // and what git left in the environment of another repository's hook is no index of this one
    let other = TestRepo::new();
    let env = [("GIT_DIR", None), ("GIT_INDEX_FILE", Some("/nonexistent/index"))];
    write_pack(&other, "security", &json!({ "categories": ["general"] }), &[]);
    let taught = teach_in(&other, &other.dir, &env);
    assert_eq!(taught.code, 0, "{taught}");
}

#[test]
fn ge03_somebody_nobody_knows_commits_nothing() {
    let repo = project();
    repo.git(["config", "user.useConfigOnly", "true"]);
    let nobody = ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "GIT_COMMITTER_NAME", "GIT_COMMITTER_EMAIL", "EMAIL"];
    let nobody = nobody.map(|name| (name, None));
    let objects = repo.git(["count-objects"]);
    let taught = teach_in(&repo, &repo.dir, &nobody);
    assert_eq!((taught.code, taught.stdout.as_str()), (1, ""), "{taught}");
    for part in ["git does not know who the author is", "git config --global user.name", "git config --global user.email"] {
        assert!(taught.stderr.contains(part), "{taught}");
    }
    assert_eq!((repo.git(["count-objects"]), repo.git(["branch", "--list", "packs"])), (objects, String::new()));
    // an address from the environment, a name from `git -c`
    let alias = format!("!marvel {}", TEACH.map(|arg| format!("'{arg}'")).join(" "));
    repo.git(["config", "alias.teach", &alias]);
    let mut command = repo.command("git", &["-c", "user.name=Grace", "teach"], &repo.dir);
    for (name, _) in nobody {
        command.env_remove(name);
    }
    command.env("EMAIL", "grace@example.com");
    let taught = repo.run(command, b"");
    assert_eq!(taught.code, 0, "{taught}");
    assert_eq!(repo.git(["log", "-1", "--format=%an <%ae> %cn", "packs"]), "Grace <grace@example.com> Grace");
}

#[test]
fn dates_in_every_form_are_those_that_git_would_write() {
    for (date, zone) in [
        ("@1795947300 +0530", "UTC"),
        ("1795947300 -0800", "UTC"),
        ("2026-11-29T10:15:00Z", "UTC"),
        ("2026-11-29T10:15:00.5+02:00", "UTC"),
        ("2026-11-29 10:15:00", "Europe/Berlin"),
        ("Sun, 29 Nov 2026 10:15:00 +0100", "UTC"),
        ("2026.11.29T10:15:00 -0300", "UTC"),
    ] {
        let repo = project();
        let env = [("GIT_AUTHOR_DATE", Some(date)), ("GIT_COMMITTER_DATE", Some(date)), ("TZ", Some(zone))];
        let taught = teach_in(&repo, &repo.dir, &env);
        assert_eq!(taught.code, 0, "{date}: {taught}");
        let mut command = repo.command("git", &["commit-tree", "-m", "x", "HEAD^{tree}"], &repo.dir);
        command.envs(env.iter().map(|(name, value)| (name, value.unwrap())));
        let by_git = repo.run(command, b"").ok();
        let date_of = |commit: &str| repo.git(["log", "-1", "--date=raw", "--format=%ad %cd", commit]);
        assert_eq!(date_of("packs"), date_of(by_git.trim()), "{date}");
    }
    let repo = project();
    let env = [("GIT_AUTHOR_DATE", None), ("GIT_COMMITTER_DATE", None), ("TZ", Some("Asia/Kolkata"))];
    assert_eq!(teach_in(&repo, &repo.dir, &env).code, 0);
    assert_eq!(repo.git(["log", "-1", "--date=raw", "--format=%ad", "packs"]), "1795947300 +0530");
    let env = [("GIT_AUTHOR_DATE", Some("not a date"))];
    let taught = teach_in(&project(), &repo.dir, &env);
    assert_eq!(taught.code, 1, "{taught}");
}

#[test]
fn ge14_names_in_any_bytes_and_sb31_any_locale() {
    let repo = project();
    let mut command = repo.command(env!("CARGO_BIN_EXE_marvel"), &TEACH, &repo.dir);
    let name: std::ffi::OsString = std::os::unix::ffi::OsStringExt::from_vec(b"J\xf6rg".to_vec());
    command.env("GIT_AUTHOR_NAME", name).env("LC_ALL", "de_DE.UTF-8").env("LANGUAGE", "de");
    let taught = repo.run(command, b"");
    assert_eq!(taught.code, 0, "{taught}");
    assert_eq!(repo.git(["log", "-1", "--format=%cn", "packs"]), "Ada");
    assert_eq!(repo.try_git(["fsck", "--strict"]).code, 0);
}

#[test]
fn a_broken_branch_stops_and_nothing_is_written() {
    let repo = project();
    repo.write(".git/refs/heads/packs", "garbage\n");
    let taught = teach_in(&repo, &repo.dir, &[]);
    assert_eq!((taught.code, repo.read(".git/refs/heads/packs").as_str()), (1, "garbage\n"), "{taught}");
    assert!(taught.stderr.contains("refs/heads/packs"), "{taught}");
}

#[test]
fn without_git_the_error_is_clear() {
    let repo = project();
    let taught = teach_in(&repo, &repo.dir, &[("PATH", Some("/nonexistent"))]);
    assert_eq!(taught.code, 1, "{taught}");
    assert!(taught.stderr.contains("git could not be started"), "{taught}");
    assert_eq!(repo.git(["branch", "--list", "packs"]), "");
}

#[test]
fn killed_at_any_moment_nothing_is_broken_and_the_next_one_works() {
    let repo = project();
    let lessons: String = (0..200).map(|at| format!("{}\n", lesson_line(&format!("Lesson {at}")))).collect();
    repo.write("marvel/packs/security/lessons.jsonl", lessons);
    repo.commit("many lessons");
    let mut told = 0;
    for at in 0..24u64 {
        let title = format!("--title=Killed {at}");
        let args = TEACH.map(|arg| if arg.starts_with("--title") { title.as_str() } else { arg });
        let mut command = repo.command(env!("CARGO_BIN_EXE_marvel"), &args, &repo.dir);
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(std::time::Duration::from_millis(2 * at));
        child.kill().unwrap();
        told += u32::from(child.wait().unwrap().success());
    }
    // git, which moves the ref, may still be at it
    std::thread::sleep(std::time::Duration::from_millis(200));
    assert_eq!(repo.try_git(["fsck", "--strict", "--no-dangling"]).code, 0);
    let taught = teach_in(&repo, &repo.dir, &[]);
    assert_eq!(taught.code, 0, "{taught}");
    let count: u32 = repo.git(["rev-list", "--count", "main..packs"]).parse().unwrap();
    assert!(count > told, "{count} commits, {told} of them reported");
    assert_eq!(repo.git(["status", "--porcelain"]), "");
}
