//! `marvel init`: what it writes, what it leaves alone, and that it takes out what it put in.

use crate::support::TestRepo;

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
fn uninstall_takes_out_what_was_put_in_and_leaves_the_packs() {
    let repo = typescript();
    let settings = "{\n\t\"model\": \"opus\",\n\t\"hooks\": {\n\t\t\"Stop\": []\n\t}\n}";
    repo.write(".claude/settings.json", settings);
    repo.marvel(["init"]).ok();
    assert_ne!(repo.read(".claude/settings.json"), settings);
    repo.marvel(["init", "--uninstall"]).ok();
    assert!(repo.exists("marvel/packs/security/pack.json") && !repo.exists(".git/marvel/enabled"));
    assert!(repo.marvel(["init", "--uninstall"]).ok().contains("Nothing to do"));
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
