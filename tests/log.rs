//! `marvel log`: the history of lessons, with git as the judge.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::year::Year;
use crate::support::{TestRepo, lesson_line, write_pack};

/// `commit action pack/lesson`, oldest first, of what `log` says.
fn told(repo: &TestRepo, which: &[&str]) -> Vec<String> {
    let args = [&["log", "--json"], which].concat();
    let output = repo.run(repo.command(env!("CARGO_BIN_EXE_marvel"), &args, &repo.dir), b"");
    let json: Value = serde_json::from_str(&output.clone().ok()).unwrap();
    let text = |event: &Value, key: &str| event[key].as_str().unwrap_or("-").to_owned();
    let mut events: Vec<String> = json["events"]
        .as_array()
        .unwrap()
        .iter()
        .map(|event| {
            format!("{} {} {}/{}", text(event, "commit"), text(event, "action"), text(event, "pack"), text(event, "lesson"))
        })
        .collect();
    events.reverse();
    events
}

/// Actions and titles, oldest first, of one lesson or all.
fn life(repo: &TestRepo, which: &[&str]) -> Vec<String> {
    let args = [&["log", "--json"], which].concat();
    let json: Value =
        serde_json::from_str(&repo.run(repo.command(env!("CARGO_BIN_EXE_marvel"), &args, &repo.dir), b"").ok()).unwrap();
    let events = json["events"].as_array().unwrap().iter().rev();
    events.map(|event| format!("{} {}", event["action"].as_str().unwrap(), event["title"].as_str().unwrap())).collect()
}

#[test]
fn a_year_is_told_as_it_happened_and_as_git_tells_it() {
    let repo = TestRepo::unborn();
    let year = Year::new(2_000);
    let marks = year.import(&repo.dir);
    repo.git(["update-ref", "--no-deref", "HEAD", "refs/heads/main"]);
    let mut expected: Vec<String> =
        year.facts.iter().map(|fact| format!("{} {} {}/{}", marks[&fact.mark], fact.action, fact.pack, fact.lesson)).collect();
    let mut found: Vec<String> = told(&repo, &[]).into_iter().filter(|event| !event.ends_with("/-")).collect();
    expected.sort();
    found.sort();
    let only =
        |these: &[String], those: &[String]| these.iter().filter(|one| !those.contains(one)).take(9).cloned().collect::<Vec<_>>();
    assert_eq!((only(&found, &expected), only(&expected, &found)), (vec![], vec![]));
    assert_eq!(found.len(), expected.len());

    // the commits that git finds for an id in the lessons' files, side branches and all
    for fact in year.facts.iter().filter(|fact| fact.action == "promote").step_by(331) {
        let pick = format!("-S\"id\":\"{}\"", fact.lesson);
        let path = format!("marvel/packs/{}/lessons.jsonl", fact.pack);
        let git = repo.git(["log", "--all", "--full-history", "--no-merges", "--reverse", "--format=%H", &pick, "--", &path]);
        let mine = told(&repo, &[&fact.lesson]);
        let taught = mine.first().unwrap().split(' ').next().unwrap();
        assert_eq!(git.lines().next(), Some(taught), "{fact:?}");
        let gone = |event: &&String| ["prune", "graduate", "remove"].contains(&event.split(' ').nth(1).unwrap());
        if let Some(end) = mine.iter().find(gone) {
            assert!(git.lines().any(|commit| end.starts_with(commit)), "{end} is not in {git}");
        }
    }

    // the commits that git finds for a line of the file
    for ((pack, id), title) in year.standing.iter().filter(|(_, title)| title.starts_with("Lesson")).step_by(601) {
        let path = format!("marvel/packs/{pack}/lessons.jsonl");
        let file = repo.git(["show", &format!("packs:{path}")]);
        let line = file.lines().position(|line| line.contains(id.as_str())).unwrap() + 1;
        let range = format!("-L{line},{line}:{path}");
        let git = repo.git(["log", "--format=%H", "-s", &range, "packs"]);
        let mine: BTreeMap<String, String> = told(&repo, &[id])
            .iter()
            .map(|event| {
                let (commit, rest) = event.split_once(' ').unwrap();
                (commit.to_owned(), rest.to_owned())
            })
            .collect();
        for commit in git.lines() {
            let subject = repo.git(["log", "-1", "--format=%s", commit]);
            let known = mine.contains_key(commit) || subject.starts_with("Merge") || subject.starts_with("Packs (#");
            // git follows the line through others that stood in its place
            assert!(known || !repo.git(["show", commit, "--", &path]).contains(id.as_str()), "{commit} {subject} {title}");
        }
    }
}

#[test]
fn what_people_do_by_hand_is_told() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &["Use pnpm", "Sort imports"]);
    repo.commit("Begin");
    let file = repo.read("marvel/packs/api/lessons.jsonl");
    repo.write("marvel/packs/api/lessons.jsonl", file.replace("Why: Use pnpm", "Since the lock file is pnpm's: use pnpm"));
    repo.commit("Say why");
    let file = repo.read("marvel/packs/api/lessons.jsonl");
    // the id follows from the title, which changes
    repo.write("marvel/packs/api/lessons.jsonl", file.replace(r#""title":"Use pnpm""#, r#""title":"Use pnpm everywhere""#));
    repo.commit("Say where");
    repo.git(["revert", "--no-edit", "HEAD"]);
    repo.write("marvel/packs/api/guardrails.md", "# api\n\n## Rules\n\n- Another rule.\n");
    repo.commit("Another rule");
    repo.write("marvel/packs/api/lessons.jsonl", lesson_line("Use pnpm") + "\n");
    repo.commit("Back to the first words, and out with the other");
    insta::assert_snapshot!(life(&repo, &[]).join("\n"), @r"
    pack Begin
    add Use pnpm
    add Sort imports
    edit Use pnpm
    edit Use pnpm everywhere
    edit Use pnpm
    guardrails Another rule
    edit Use pnpm
    remove Sort imports
    ");
    let all = repo.marvel(["lessons", "--json"]).json();
    let id = all["lessons"][0]["id"].as_str().unwrap();
    assert_eq!(life(&repo, &[id]).len(), 5, "it stays one lesson under another title");
    assert_eq!(life(&repo, &["api", "-n", "1"]), ["remove Sort imports"]);
}

#[test]
fn a_lesson_whose_words_became_a_rule_graduated() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &["Validate every request body with its schema"]);
    repo.commit("Begin");
    repo.write("marvel/packs/api/lessons.jsonl", "");
    repo.write(
        "marvel/packs/api/guardrails.md",
        "# api\n\n## Rules\n\n- Rule of api.\n- Validate every request body with its schema.\n",
    );
    repo.commit("Make it a rule");
    assert_eq!(life(&repo, &[]).last().unwrap(), "graduate Validate every request body with its schema");
}

#[test]
fn a_squash_a_rebase_and_a_pick_tell_nothing_twice() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &[]);
    repo.commit("Begin");
    repo.marvel(["teach", "Use pnpm, not npm", "--pack", "api", "--category", "general"]).ok();
    repo.marvel(["teach", "Sort imports by name", "--pack", "api", "--category", "general"]).ok();
    let teach = told(&repo, &[]);
    let taught: Vec<_> = teach.iter().filter(|event| event.contains(" teach ")).collect();
    assert_eq!(taught.len(), 2);

    repo.git(["merge", "-q", "--squash", "packs"]);
    repo.commit("Packs (#1)");
    assert_eq!(told(&repo, &[]), teach, "squashed");

    // rebased onto other work, by somebody who keeps the old branch
    repo.git(["branch", "old", "packs"]);
    repo.git(["checkout", "-q", "-b", "work", "main~1"]);
    repo.write("src/a.ts", "a");
    repo.commit("Work");
    repo.git(["rebase", "-q", "work", "packs"]);
    repo.git(["checkout", "-q", "work"]);
    let rebased: Vec<String> = told(&repo, &[]).iter().map(|event| event.split_once(' ').unwrap().1.to_owned()).collect();
    let plain: Vec<String> = teach.iter().map(|event| event.split_once(' ').unwrap().1.to_owned()).collect();
    assert_eq!(rebased, plain, "rebased");

    repo.git(["cherry-pick", "packs~1"]);
    let picked: Vec<String> = told(&repo, &[]).iter().map(|event| event.split_once(' ').unwrap().1.to_owned()).collect();
    assert_eq!(picked, plain, "picked");
}

#[test]
fn a_shallow_clone_says_where_its_history_ends() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &["Use pnpm"]);
    repo.commit("Begin");
    repo.write("marvel/packs/api/lessons.jsonl", format!("{}\n{}\n", lesson_line("Use pnpm"), lesson_line("Sort imports")));
    let last = repo.commit("One more");
    let origin = format!("file://{}", repo.dir.display());
    repo.git(["clone", "-q", "--depth", "1", &origin, "../shallow"]);
    let json = repo.beside("../shallow").marvel(["log", "--json"]).json();
    let events = json["events"].as_array().unwrap();
    assert!(events.iter().all(|event| event["commit"] == json!(last) && event["boundary"] == json!(true)), "{events:?}");
    let blame = repo.beside("../shallow").marvel(["blame", "api"]).ok();
    assert!(blame.lines().all(|line| line.starts_with('^')), "{blame}");
}

#[test]
fn only_new_commits_are_read_and_a_broken_cache_is_rebuilt() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &["Use pnpm"]);
    repo.commit("Begin");
    let first = told(&repo, &[]);
    let cache = repo.dir.join(".git/marvel/cache/history");
    let kept = std::fs::read(&cache).unwrap();
    for broken in [&kept[..kept.len() / 2], b"", b"marvel history\n", &[0xff; 100]] {
        std::fs::write(&cache, broken).unwrap();
        assert_eq!(told(&repo, &[]), first);
        assert_eq!(std::fs::read(&cache).unwrap(), kept);
    }
    repo.write("marvel/packs/api/lessons.jsonl", lesson_line("Use pnpm") + "\n" + &lesson_line("Sort imports") + "\n");
    repo.commit("One more");
    let more = told(&repo, &[]);
    assert_eq!((&more[..first.len()], more.len()), (&first[..], first.len() + 1));
    // history is rewritten: what was read from the old one is gone
    repo.git(["reset", "-q", "--hard", "HEAD~1"]);
    assert_eq!(told(&repo, &[]), first);
    repo.git(["checkout", "-q", "-b", "side"]);
    repo.write("marvel/packs/api/lessons.jsonl", lesson_line("Use pnpm") + "\n" + &lesson_line("On the side") + "\n");
    repo.commit("On a branch of my own");
    assert_eq!(life(&repo, &[]).last().unwrap(), "add On the side");
    repo.git(["checkout", "-q", "main"]);
    assert_eq!(told(&repo, &[]), first);
}

#[test]
fn trailers_are_not_believed_where_the_files_say_otherwise() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &[]);
    repo.commit("Begin");
    repo.write("marvel/packs/api/lessons.jsonl", lesson_line("Use pnpm") + "\n" + &lesson_line("Sneaked in") + "\n");
    let id = "3007093d2f";
    repo.commit(&format!("teach(api): Use pnpm\n\nMarvel-Action: teach\nMarvel-Pack: api\nMarvel-Lesson: {id}\n"));
    assert_eq!(life(&repo, &[]), ["pack Begin", "teach Use pnpm", "add Sneaked in"]);
}

#[test]
fn the_text_is_for_people() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &[]);
    assert_eq!(repo.marvel(["log"]).ok(), "No history yet: the first lesson begins it.\n");
    repo.commit("Begin");
    repo.marvel(["teach", "Use pnpm, not npm", "--pack", "api", "--category", "general"]).ok();
    let text = repo.marvel(["log"]).ok();
    let lines: Vec<_> = text.lines().map(|line| &line[10..]).collect();
    assert!(lines[0].starts_with("  2026-11-29  teach  api  Use pnpm, not npm ("), "{text}");
    assert_eq!(lines[1], "  2026-11-29  pack   api  Begin  Ada");
    assert_eq!(repo.marvel(["log", "nothing"]).code, 1);
    assert_eq!(repo.marvel(["log", "-n", "0"]).ok(), "");
}

#[test]
fn one_lessons_history_tells_what_was_edited_and_on_what_evidence() {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({}), &[]);
    repo.commit("Begin");
    let fields = ["--title", "Use pnpm", "--description", "One lock file.", "--actionable", "Run pnpm."];
    let [a, b, c, d, e, f] = fields;
    let taught = repo.marvel(["--json", "teach", "--pack", "api", "--category", "general", a, b, c, d, e, f]).json();
    let id = taught["commits"].as_array().unwrap().last().unwrap()["lesson"].as_str().unwrap().to_owned();
    repo.marvel(["edit", &id, "--title", "Use pnpm, never npm"]).ok();
    let told = repo.marvel(["--json", "log", &id]).json();
    let edit = &told["events"][0];
    assert_eq!((&edit["action"], edit["edited"].as_array().unwrap().len()), (&json!("edit"), 1), "{told}");
    assert_eq!(edit["edited"][0], json!({"field": "title", "before": "Use pnpm", "after": "Use pnpm, never npm"}));
    assert_eq!(told["events"][1]["edited"], json!([]));
    let text = repo.marvel(["log", &id]).ok();
    assert!(text.contains("\n            title: Use [-pnpm-]{+pnpm, never npm+}\n"), "{text}");
}
