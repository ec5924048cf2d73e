//! `marvel reflect --from-history`: what people made of the commits of an agent, on a real history.

use serde_json::Value;

use super::support::TestRepo;

/// Commits as somebody, at a day of November.
fn commit_as(repo: &TestRepo, name: &str, day: u32, message: &str) -> String {
    let date = format!("2026-11-{day:02}T10:00:00Z");
    let mut command = repo.command("git", &["commit", "-q", "-a", "--no-verify", "-m", message], &repo.dir);
    command.env("GIT_AUTHOR_NAME", name).env("GIT_AUTHOR_DATE", &date).env("GIT_COMMITTER_DATE", &date);
    repo.git(["add", "-A"]);
    let output = repo.run(command, b"");
    assert_eq!(output.code, 0, "{output}");
    repo.git(["rev-parse", "HEAD"])
}

fn project() -> (TestRepo, Vec<String>) {
    let repo = TestRepo::new();
    let mut commits = Vec::new();
    let trailer = "\n\nCo-Authored-By: Claude <noreply@anthropic.com>";
    for (i, value) in ["error", "reason"].iter().enumerate() {
        let day = u32::try_from(i).unwrap() * 3 + 1;
        let file = format!("src/größe {value}.ts");
        repo.write(&file, format!("export function f({value}) {{\n  console.log({value})\n}}\n"));
        commits.push(commit_as(&repo, "Ada", day, &format!("Add {value}{trailer}")));
        repo.write(&file, format!("export function f({value}) {{\n  logger.error({value})\n}}\n"));
        commits.push(commit_as(&repo, ["Ada", "Bob"][i], day + 1, "Log as we do"));
    }
    (repo, commits)
}

#[test]
fn what_recurs_is_shown_with_its_commits() {
    let (repo, commits) = project();
    let output = repo.marvel(["--json", "reflect", "--from-history"]);
    assert_eq!(output.code, 0, "{output}");
    let done: Value = serde_json::from_str(&output.stdout).unwrap();
    assert_eq!((done["agent_commits"].as_u64(), done["rewrites"].as_u64()), (Some(2), Some(2)));
    let habit = &done["from_history"][0];
    assert_eq!(habit["title"], "Use `logger.error` instead of `console.log`");
    assert_eq!(habit["people"], serde_json::json!(["Ada", "Bob"]));
    let pair = |at: usize| (habit["rewrites"][at]["agent"].as_str().unwrap(), habit["rewrites"][at]["commit"].as_str().unwrap());
    assert_eq!([pair(0), pair(1)], [(&*commits[0], &*commits[1]), (&*commits[2], &*commits[3])]);
    assert_eq!(habit["rewrites"][1]["file"], "src/größe reason.ts");
    assert_eq!(habit["rewrites"][1]["before"], "  console.log(reason)");
    // what people said is kept apart
    assert_eq!(repo.marvel(["reflect"]).stdout.lines().count(), 1);
    let text = repo.marvel(["reflect", "--from-history"]).stdout;
    let text = text.replace(&commits[1][..10], "[fix 1]").replace(&commits[3][..10], "[fix 2]");
    insta::assert_snapshot!(text.replace(&commits[0][..10], "[agent 1]").replace(&commits[2][..10], "[agent 2]"), @r#"
    h_0b5c5e68  changed 2 times, by Ada, Bob, last 2026-11-05
        Use `logger.error` instead of `console.log`
        - console.log(reason)
        + logger.error(reason)
        [fix 2] after [agent 2], src/größe reason.ts
        [fix 1] after [agent 1], src/größe error.ts

    From 2 rewrites of lines that 2 commits of an agent had brought. `marvel teach "…"` makes a lesson of one.
    "#);
}

#[test]
fn a_single_rewrite_is_no_rule_and_a_history_without_agents_says_so() {
    let (repo, commits) = project();
    let since = repo.marvel(["reflect", "--from-history", "--since", &commits[1]]);
    assert!(since.stdout.contains("1 rewrite of lines from 1 commit of an agent, and none recurred"), "{since}");
    let none = TestRepo::new().marvel(["reflect", "--from-history"]);
    assert!(none.code == 0 && none.stdout.contains("No commit of an agent"), "{none}");
    let unknown = repo.marvel(["reflect", "--from-history", "--since", "no-such"]);
    assert!(unknown.code == 1 && unknown.stderr.contains("no revision no-such"), "{unknown}");
}

#[test]
fn a_persons_configuration_of_git_changes_nothing() {
    let (repo, _) = project();
    let plain = repo.marvel(["--json", "reflect", "--from-history"]).stdout;
    for (key, value) in [
        ("diff.noprefix", "true"),
        ("diff.mnemonicPrefix", "true"),
        ("diff.external", "false"),
        ("color.ui", "always"),
        ("diff.context", "9"),
        ("core.quotePath", "true"),
        ("log.showSignature", "true"),
        ("diff.renames", "false"),
    ] {
        repo.git(["config", key, value]);
    }
    assert_eq!(repo.marvel(["--json", "reflect", "--from-history"]).stdout, plain);
}
