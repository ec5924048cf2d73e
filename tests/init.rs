//! `marvel init`: what it writes, what it leaves alone, and that it takes out what it put in.

use crate::support::{TestRepo, lesson_line, write_pack};

/// Everything in the working tree and in what MARVEL keeps, with its bytes.
fn snapshot(repo: &TestRepo) -> Vec<(String, Vec<u8>)> {
    fn walk(dir: &std::path::Path, top: &std::path::Path, found: &mut Vec<(String, Vec<u8>)>) {
        let mut entries: Vec<_> = std::fs::read_dir(dir).unwrap().map(|entry| entry.unwrap().path()).collect();
        entries.sort();
        for path in entries {
            if path.is_dir() {
                walk(&path, top, found);
            } else {
                found.push((path.strip_prefix(top).unwrap().to_string_lossy().into_owned(), std::fs::read(&path).unwrap()));
            }
        }
    }
    let mut found = Vec::new();
    walk(&repo.dir, &repo.dir, &mut found);
    found
}

fn typescript() -> TestRepo {
    let repo = TestRepo::new();
    repo.write("src/auth/login.ts", "export {};\n");
    repo.write("src/auth/login.test.ts", "export {};\n");
    repo.commit("code");
    repo
}

#[test]
fn a_fresh_repository_gets_packs_hooks_and_the_mark() {
    let repo = typescript();
    repo.marvel(["init"]).ok();
    for pack in ["code-quality", "git-workflow", "security", "testing"] {
        for file in ["pack.json", "guardrails.md", "lessons.jsonl"] {
            assert!(repo.exists(&format!("marvel/packs/{pack}/{file}")), "{pack}/{file}");
        }
    }
    assert!(repo.exists("marvel/packs/.gitattributes") && repo.exists(".git/marvel/enabled"));
    let settings: serde_json::Value = serde_json::from_str(&repo.read(".claude/settings.json")).unwrap();
    assert_eq!(settings["hooks"].as_object().unwrap().len(), 6);
    assert!(repo.read("marvel/packs/code-quality/pack.json").contains("\"src/**/*.ts\""));
    assert!(repo.read("marvel/packs/testing/pack.json").contains("\"*.test.ts\""));
}

#[test]
fn st12_twice_is_once_and_a_dry_run_is_nothing() {
    let repo = typescript();
    let before = snapshot(&repo);
    let shown = repo.marvel(["init", "--dry-run"]).ok();
    assert!(
        shown.contains("+++ b/.claude/settings.json") && shown.contains("+++ b/marvel/packs/security/guardrails.md"),
        "{shown}"
    );
    assert_eq!(snapshot(&repo), before);
    repo.marvel(["init"]).ok();
    let after = snapshot(&repo);
    assert!(repo.marvel(["init"]).ok().contains("Nothing to do"));
    assert_eq!(snapshot(&repo), after);
}

#[test]
fn uninstall_gives_back_what_was_there_byte_for_byte() {
    for settings in [None, Some("{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}"), Some(""), Some("{}")] {
        let repo = typescript();
        if let Some(settings) = settings {
            repo.write(".claude/settings.json", settings);
        }
        repo.git(["config", "user.signingkey", "x"]);
        let before = snapshot(&repo);
        repo.marvel(["init"]).ok();
        repo.marvel(["init"]).ok();
        let during = snapshot(&repo);
        repo.marvel(["init", "--uninstall", "--dry-run"]).ok();
        assert_eq!(snapshot(&repo), during);
        repo.marvel(["init", "--uninstall"]).ok();
        let after: Vec<_> = snapshot(&repo).into_iter().filter(|(path, _)| !path.starts_with("marvel/")).collect();
        assert_eq!(after, before);
        assert!(repo.exists("marvel/packs/security/pack.json"));
        assert!(repo.marvel(["init", "--uninstall"]).ok().contains("Nothing to do"));
    }
}

#[test]
fn what_a_person_changed_stays() {
    let repo = typescript();
    repo.marvel(["init"]).ok();
    let skill = ".claude/skills/marvel-why/SKILL.md";
    let (shim, text) = (repo.read(".git/hooks/pre-push") + "./mine\n", repo.read(skill) + "And be brief.\n");
    repo.write(skill, &text);
    repo.write(".git/hooks/pre-push", &shim);
    let said = repo.marvel(["init"]).ok();
    assert!(said.contains(&format!("{skill} was changed by hand")), "{said}");
    let said = repo.marvel(["init", "--uninstall"]).ok();
    assert!(said.contains(".git/hooks/pre-push was changed by hand and still calls marvel"), "{said}");
    assert_eq!((repo.read(skill), repo.read(".git/hooks/pre-push")), (text, shim));
    assert!(!repo.exists(".git/hooks/pre-commit") && !repo.exists(".claude/skills/marvel-status"));
}

#[test]
fn st14_one_entry_in_all_worktrees() {
    let repo = typescript();
    repo.marvel(["init"]).ok();
    repo.commit("set up");
    repo.git(["worktree", "add", "-q", "../wt-feature"]);
    let tree = repo.beside("../wt-feature");
    let said = tree.marvel(["init"]).ok();
    assert!(said.contains("Nothing to do"), "{said}");
    assert_eq!(tree.git(["status", "--porcelain"]), "");
}

#[test]
fn hooks_that_are_there_stay_and_the_line_to_add_is_told() {
    let repo = TestRepo::new();
    let own = "#!/bin/sh\nHOOK_DIR=$(dirname \"$0\")\n. \"$HOOK_DIR/helper\"\n";
    repo.write(".git/hooks/pre-commit", own);
    let said = repo.marvel(["init"]).ok();
    assert!(said.contains("if command -v marvel >/dev/null; then marvel git-hook pre-commit \"$@\" || exit 1; fi"), "{said}");
    assert_eq!(repo.read(".git/hooks/pre-commit"), own);
    assert!(repo.exists(".git/hooks/pre-push") && said.contains("6 of 7"), "{said}");
    let line = "if command -v marvel >/dev/null; then marvel git-hook pre-commit \"$@\" || exit 1; fi\n";
    repo.write(".git/hooks/pre-commit", format!("{own}{line}"));
    let said = repo.marvel(["init"]).ok();
    assert!(said.contains("7 of 7") && !said.contains("add this line"), "{said}");
}

#[test]
fn gh03_a_global_folder_of_hooks_is_not_written_into() {
    let repo = TestRepo::new();
    let folder = repo.sibling("my-hooks");
    std::fs::create_dir(&folder).unwrap();
    repo.git(["config", "--global", "core.hooksPath", folder.to_str().unwrap()]);
    let said = repo.marvel(["init"]).ok();
    assert!(said.contains("global git configuration") && said.contains("marvel git-hook NAME"), "{said}");
    assert!(std::fs::read_dir(&folder).unwrap().next().is_none() && !repo.exists(".git/hooks/pre-commit"));
}

#[test]
fn a_hook_managers_folder_is_left_to_it_and_a_teams_own_gets_hooks_without_paths_of_this_machine() {
    let repo = TestRepo::new();
    repo.write(".husky/_/pre-commit", "#!/bin/sh\n");
    repo.git(["config", "core.hooksPath", ".husky/_"]);
    let said = repo.marvel(["init"]).ok();
    assert!(said.contains("a hook manager writes this folder anew"), "{said}");
    assert!(!repo.exists(".husky/_/pre-push"));
    repo.write("tools/hooks/pre-commit", "#!/bin/sh\n");
    repo.git(["config", "core.hooksPath", "tools/hooks"]);
    repo.marvel(["init"]).ok();
    let shim = repo.read("tools/hooks/pre-push");
    assert!(shim.contains("for m in marvel ") && !shim.contains("target"), "{shim}");
    assert_eq!(repo.read("tools/hooks/pre-commit"), "#!/bin/sh\n");
    repo.git(["config", "core.hooksPath", "nowhere"]);
    let said = repo.marvel(["init"]).ok();
    assert!(said.contains("does not exist here"), "{said}");
    assert!(!repo.exists("nowhere"));
}

#[test]
fn ge07_ge08_a_submodule_gets_its_own_hooks_and_no_other_keys() {
    let inner = TestRepo::new();
    let mut repo = TestRepo::new();
    repo.set_env("GIT_ALLOW_PROTOCOL", "file");
    repo.git(["submodule", "add", "-q", inner.dir.to_str().unwrap(), "sub"]);
    repo.commit("a submodule");
    let sub = repo.beside("sub");
    let keys = |sub: &crate::support::Beside<'_>| sub.git(["config", "--local", "--name-only", "--list"]);
    let before = keys(&sub);
    sub.marvel(["init"]).ok();
    assert!(repo.exists(".git/modules/sub/hooks/pre-commit") && !repo.exists(".git/hooks/pre-commit"));
    assert!(repo.exists("sub/.claude/settings.json") && !repo.exists(".claude"));
    assert_eq!(keys(&sub), format!("{before}\nmerge.marvel.name\nmerge.marvel.driver"));
    sub.marvel(["init", "--uninstall"]).ok();
    assert_eq!(keys(&sub), before);
}

#[cfg(unix)]
#[test]
fn ge10_where_hooks_cannot_be_written_the_rest_is_there_and_the_message_says_what_to_do() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = TestRepo::new();
    let hooks = repo.dir.join(".git/hooks");
    std::fs::set_permissions(&hooks, std::fs::Permissions::from_mode(0o555)).unwrap();
    if std::fs::write(hooks.join("probe"), "").is_ok() {
        return; // root writes anywhere
    }
    let output = repo.marvel(["init"]);
    std::fs::set_permissions(&hooks, std::fs::Permissions::from_mode(0o755)).unwrap();
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("in a terminal of your own"), "{output}");
    assert!(repo.exists(".claude/settings.json"));
}

#[test]
fn packs_that_nothing_here_calls_for_are_named() {
    let repo = TestRepo::new();
    repo.write("src/main.rs", "fn main() {}\n");
    repo.commit("rust");
    let said = repo.marvel(["init"]).ok();
    for pack in ["code-quality", "testing", "security"] {
        assert!(
            said.lines()
                .any(|line| line.contains(pack) && line.contains("matches 0 of 2 tracked files: nothing here calls for it")),
            "{said}"
        );
    }
}

#[test]
fn sub_packages_and_ignored_settings_are_spoken_of() {
    let repo = TestRepo::new();
    repo.write("packages/a/package.json", "{}");
    repo.write(".gitignore", ".claude/\n");
    repo.commit("packages");
    let said = repo.marvel(["init", "--dry-run"]).ok();
    assert!(said.contains("sub-packages (packages/a)") && said.contains("--scope user"), "{said}");
    assert!(said.contains(".claude/settings.json is ignored by git"), "{said}");
}

#[test]
fn a_workflow_file_is_printed_anywhere() {
    let outside = TestRepo::outside();
    for host in ["github", "gitlab"] {
        let text = outside.marvel(["init", "--print-ci", host]).ok();
        assert!(text.contains("marvel validate --rev") && text.contains("marvel review"), "{text}");
    }
}

#[cfg(unix)]
#[test]
fn a_settings_file_that_is_a_link_stays_one_and_keeps_its_mode() {
    use std::os::unix::fs::PermissionsExt as _;
    let repo = TestRepo::new();
    let dotfile = repo.sibling("dotfiles.json");
    std::fs::write(&dotfile, "{}").unwrap();
    std::fs::set_permissions(&dotfile, std::fs::Permissions::from_mode(0o640)).unwrap();
    std::fs::create_dir(repo.dir.join(".claude")).unwrap();
    std::os::unix::fs::symlink(&dotfile, repo.dir.join(".claude/settings.json")).unwrap();
    repo.marvel(["init"]).ok();
    assert!(std::fs::symlink_metadata(repo.dir.join(".claude/settings.json")).unwrap().is_symlink());
    assert!(std::fs::read_to_string(&dotfile).unwrap().contains("pre-tool-use"));
    assert_eq!(std::fs::metadata(&dotfile).unwrap().permissions().mode() & 0o777, 0o640);
    repo.marvel(["init", "--uninstall"]).ok();
    assert_eq!(std::fs::read_to_string(&dotfile).unwrap(), "{}");
}

#[test]
fn st01_a_settings_file_that_does_not_parse_stops_everything() {
    let repo = typescript();
    repo.write(".claude/settings.json", "{ // team\n}");
    let before = snapshot(&repo);
    let output = repo.marvel(["init"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains(".claude/settings.json:1:3: a comment stands here"), "{output}");
    assert_eq!(snapshot(&repo), before);
}

#[test]
fn packs_that_are_there_stay_as_they_are() {
    let repo = TestRepo::new();
    repo.write("marvel/packs/security/pack.json", "{}");
    repo.marvel(["init"]).ok();
    assert!(!repo.exists("marvel/packs/testing"));
    repo.marvel(["init", "--packs", "security,testing"]).ok();
    assert_eq!(repo.read("marvel/packs/security/pack.json"), "{}");
    assert!(repo.exists("marvel/packs/testing/pack.json") && !repo.exists("marvel/packs/security/guardrails.md"));
    let output = repo.marvel(["init", "--packs", "nothing-such"]);
    assert_eq!(output.code, 1, "{output}");
}

#[test]
fn scopes_write_each_their_own_file() {
    let repo = TestRepo::new();
    repo.marvel(["init", "--packs", "none", "--scope", "local"]).ok();
    assert!(repo.read(".claude/settings.local.json").contains("\"command\": \"marvel\""));
    assert!(!repo.exists(".claude/settings.json") && !repo.exists("marvel"));
    repo.marvel(["init", "--scope", "user", "--packs", "none"]).ok();
    assert!(repo.sibling(".claude/settings.json").exists());
    let output = repo.marvel(["init", "--packs", "none"]);
    assert!(output.stdout.contains("settings.local.json has marvel's hooks too"), "{output}");
}

#[test]
fn sb27_branches_in_the_way_of_the_packs_branch_are_named() {
    let repo = TestRepo::new();
    repo.git(["branch", "packs/wip"]);
    let before = snapshot(&repo);
    let output = repo.marvel(["init"]);
    assert_eq!(output.code, 1);
    assert!(output.stderr.contains("packs/wip") && output.stderr.contains("--branch NAME"), "{output}");
    assert_eq!(snapshot(&repo), before);
    repo.marvel(["init", "--branch", "lessons"]).ok();
    assert_eq!(repo.read("marvel/config.json"), "{\n  \"branch\": \"lessons\"\n}\n");
    repo.marvel(["init"]).ok();
}

#[test]
fn it_works_from_a_sub_folder_before_the_first_commit_and_not_where_there_are_no_files() {
    let repo = TestRepo::unborn();
    repo.write("src/deep/a.ts", "");
    repo.marvel(["-C", "src/deep", "init"]).ok();
    assert!(repo.exists(".claude/settings.json"));
    assert!(repo.read("marvel/packs/code-quality/pack.json").contains("src/**/*.ts"));
    let outside = TestRepo::outside();
    assert_eq!(outside.marvel(["init"]).code, 1);
    outside.git(["init", "-q", "--bare", "."]);
    let output = outside.marvel(["init"]);
    assert!(output.code == 1 && output.stderr.contains("bare"), "{output}");
}

#[test]
fn a_persons_own_hooks_go_with_the_repository_that_put_them_there_or_when_asked_for() {
    let repo = TestRepo::new();
    let settings = repo.sibling(".claude/settings.json");
    repo.marvel(["init", "--scope", "user"]).ok();
    repo.git(["clone", "-q", ".", "../other"]);
    let other = repo.beside("../other");
    other.marvel(["init", "--scope", "user"]).ok();
    let said = other.marvel(["init", "--uninstall"]).ok();
    assert!(said.contains("marvel init --uninstall --scope user") && settings.exists(), "{said}");
    repo.marvel(["init", "--uninstall"]).ok();
    assert!(!settings.exists() && !repo.sibling(".claude/skills").exists());
    repo.marvel(["init", "--scope", "user"]).ok();
    other.marvel(["init", "--uninstall", "--scope", "user"]).ok();
    assert!(!settings.exists() && !repo.sibling(".claude/skills").exists());
}

#[test]
fn ge05_ge18_it_works_with_reftable_and_from_inside_the_git_folder() {
    let repo = TestRepo::outside();
    if repo.try_git(["init", "-q", "--ref-format=reftable", "."]).code == 0 {
        repo.write("a.ts", "");
        repo.marvel(["init"]).ok();
        repo.commit("set up");
        repo.marvel(["doctor"]).ok();
    }
    let repo = TestRepo::new();
    let output = repo.beside(".git").marvel(["init"]);
    assert!(repo.exists(".claude/settings.json") || output.code == 1, "{output}");
    assert!(!repo.exists(".git/.claude"), "{output}");
}

/// Two branches that each add a lesson at the end of the same file.
fn diverged() -> TestRepo {
    let repo = TestRepo::new();
    let lessons = |titles: &[&str]| titles.iter().map(|title| format!("{}\n", lesson_line(title))).collect::<String>();
    write_pack(&repo, "a", &serde_json::json!({ "categories": ["general"] }), &["First"]);
    repo.marvel(["init", "--no-claude", "--packs", "none"]).ok();
    repo.commit("a pack");
    repo.git(["checkout", "-q", "-b", "side"]);
    repo.write("marvel/packs/a/lessons.jsonl", lessons(&["First", "Side"]));
    repo.commit("side");
    repo.git(["checkout", "-q", "main"]);
    repo.write("marvel/packs/a/lessons.jsonl", lessons(&["First", "Main"]));
    repo.commit("main");
    repo
}

#[test]
fn git_merges_lessons_with_the_driver_that_init_registered() {
    let repo = diverged();
    repo.git(["merge", "-q", "--no-edit", "side"]);
    let merged = repo.read("marvel/packs/a/lessons.jsonl");
    assert!(["First", "Main", "Side"].iter().all(|title| merged.contains(title)) && merged.lines().count() == 3, "{merged}");
}

#[test]
fn without_the_binary_and_with_a_broken_one_a_merge_leaves_ordinary_markers() {
    for broken in [None, Some("#!/bin/sh\nexit 2\n")] {
        let mut repo = diverged();
        let recorded = repo.sibling("bin/marvel");
        let driver = repo.git(["config", "merge.marvel.driver"]);
        let program = driver.split('\'').nth(1).unwrap().to_owned();
        repo.git(["config", "merge.marvel.driver", &driver.replace(&program, recorded.to_str().unwrap())]);
        if let Some(script) = broken {
            std::fs::create_dir(recorded.parent().unwrap()).unwrap();
            std::fs::write(&recorded, script).unwrap();
            #[cfg(unix)]
            std::fs::set_permissions(&recorded, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
        }
        repo.set_env("PATH", "/usr/bin:/bin");
        assert_eq!(repo.try_git(["merge", "-q", "side"]).code, 1);
        let text = repo.read("marvel/packs/a/lessons.jsonl");
        assert!(
            text.contains("<<<<<<< ours") && text.contains("Main") && text.contains("Side") && text.contains(">>>>>>> theirs"),
            "{text}"
        );
        assert!(repo.git(["status", "--porcelain"]).contains("UU marvel/packs/a/lessons.jsonl"));
    }
}
