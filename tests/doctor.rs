//! `marvel doctor`: each thing that can be wrong is found, with what to type, and the exit code says whether any is.

use serde_json::Value;

use crate::support::{Output, TestRepo};

fn set_up() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/auth/a.ts", "");
    repo.write("a.test.ts", "");
    repo.commit("code");
    repo.marvel(["init"]).ok();
    repo
}

fn facts<'a>(report: &'a Value, about: &str, level: &str) -> Vec<&'a Value> {
    report["facts"].as_array().unwrap().iter().filter(|fact| fact["about"] == about && fact["level"] == level).collect()
}

/// Runs it and expects something wrong of that kind, with a fix.
#[track_caller]
fn wrong(output: Output, about: &str, said: &str) {
    assert_eq!(output.code, 1, "{output}");
    let report = output.json();
    let found = facts(&report, about, "wrong");
    assert!(found.iter().any(|fact| fact["message"].as_str().unwrap().contains(said) && fact["fix"].is_string()), "{report:#}");
}

#[test]
fn nothing_is_wrong_after_init() {
    let repo = set_up();
    let output = repo.marvel(["doctor"]);
    assert!(output.stdout.ends_with("Nothing is wrong.\n") && output.code == 0, "{output}");
    let report = repo.marvel(["doctor", "--json"]).json();
    for about in ["binary", "hooks", "skills", "git-hooks", "merge-driver", "packs", "branch"] {
        assert_eq!(facts(&report, about, "ok").len(), 1, "{about}: {report:#}");
    }
}

#[test]
fn a_branch_that_nothing_can_be_committed_to_is_found() {
    let repo = set_up();
    repo.git(["checkout", "-q", "-b", "packs"]);
    wrong(repo.marvel(["doctor", "--json"]), "branch", "checked out");
    repo.git(["checkout", "-q", "main"]);
    repo.git(["branch", "-q", "-D", "packs"]);
    repo.git(["branch", "-q", "packs/old"]);
    wrong(repo.marvel(["doctor", "--json"]), "branch", "packs/old");
}

#[test]
fn before_init_it_says_what_to_type() {
    let repo = TestRepo::new();
    let output = repo.marvel(["doctor"]);
    assert_eq!(output.code, 1);
    assert!(output.stdout.contains("> marvel init\n"), "{output}");
}

#[test]
fn hooks_that_do_not_run_or_run_twice_are_found() {
    let repo = set_up();
    repo.marvel(["init", "--scope", "local"]).ok();
    wrong(repo.marvel(["doctor", "--json"]), "installed-twice", ".claude/settings.json, .claude/settings.local.json");
    repo.write(".claude/settings.local.json", "{\"enabledPlugins\":{\"marvel@team\":true}}");
    wrong(repo.marvel(["doctor", "--json"]), "installed-twice", "the plugin");
    repo.write(".claude/settings.local.json", "{\"disableAllHooks\":true}");
    wrong(repo.marvel(["doctor", "--json"]), "hooks", "switches all hooks off");
    repo.write(".claude/settings.local.json", "{,}");
    wrong(repo.marvel(["doctor", "--json"]), "hooks", ".claude/settings.local.json:1:2");
}

#[test]
fn st09_entries_of_another_version_are_not_counted_as_whole() {
    let repo = set_up();
    let text = repo.read(".claude/settings.json").replace("' marvel stop\"", "' marvel stop-it\"");
    repo.write(".claude/settings.json", text);
    wrong(repo.marvel(["doctor", "--json"]), "hooks", "6 of 6 hooks, not as this version writes them");
    repo.marvel(["init"]).ok();
    repo.marvel(["doctor"]).ok();
}

#[test]
fn gh06_a_folder_of_hooks_that_is_not_there_is_found_in_that_worktree() {
    let repo = set_up();
    repo.git(["worktree", "add", "-q", "../other"]);
    repo.git(["config", "extensions.worktreeConfig", "true"]);
    let other = repo.beside("../other");
    other.git(["config", "--worktree", "core.hooksPath", "/nowhere/hooks"]);
    wrong(other.marvel(["doctor", "--json"]), "git-hooks", "/nowhere/hooks");
    repo.marvel(["doctor"]).ok();
}

#[test]
fn a_clone_without_the_driver_or_with_broken_packs_is_found() {
    let repo = set_up();
    repo.git(["config", "--remove-section", "merge.marvel"]);
    wrong(repo.marvel(["doctor", "--json"]), "merge-driver", "not registered");
    repo.write("marvel/packs/.gitattributes", "");
    wrong(repo.marvel(["doctor", "--json"]), "merge-driver", ".gitattributes");
    repo.write("marvel/packs/security/pack.json", "{");
    wrong(repo.marvel(["doctor", "--json"]), "packs", "error");
    repo.write("marvel/config.json", "{");
    wrong(repo.marvel(["doctor", "--json"]), "config", "marvel/config.json");
}

#[test]
fn ge16_what_git_ignores_and_silent_packs_are_noted() {
    let repo = TestRepo::new();
    repo.write(".gitignore", ".claude/\n*.jsonl\n");
    repo.commit("ignore");
    repo.marvel(["init"]).ok();
    let report = repo.marvel(["doctor", "--json"]).json();
    assert_eq!(facts(&report, "ignored", "note").len(), 2, "{report:#}");
    assert!(facts(&report, "packs", "note").iter().any(|fact| fact["fix"] == "marvel pack tailor code-quality"), "{report:#}");
}

#[test]
fn ge03_a_missing_identity_is_found() {
    let mut repo = set_up();
    for name in ["GIT_AUTHOR_NAME", "GIT_AUTHOR_EMAIL", "EMAIL"] {
        repo.set_env(name, "");
    }
    repo.git(["config", "user.useConfigOnly", "true"]);
    wrong(repo.marvel(["doctor", "--json"]), "identity", "does not know who you are");
}

#[cfg(unix)]
#[test]
fn an_old_client_is_found() {
    use std::os::unix::fs::PermissionsExt as _;
    let mut repo = set_up();
    let client = repo.sibling("bin/claude");
    std::fs::create_dir(client.parent().unwrap()).unwrap();
    let path = format!("{}:{}", client.parent().unwrap().display(), std::env::var("PATH").unwrap());
    let marvel = std::path::Path::new(env!("CARGO_BIN_EXE_marvel")).parent().unwrap();
    repo.set_env("PATH", format!("{}:{path}", marvel.display()));
    let says = |version: &str| {
        std::fs::write(&client, format!("#!/bin/sh\necho '{version} (Claude Code)'\n")).unwrap();
        std::fs::set_permissions(&client, std::fs::Permissions::from_mode(0o755)).unwrap();
    };
    says("2.1.9");
    wrong(repo.marvel(["doctor", "--json"]), "client", "2.1.110");
    says("2.1.332");
    repo.marvel(["doctor"]).ok();
}
