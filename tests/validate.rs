//! `marvel validate`: the wiring. The rules themselves are tested where they are.

use serde_json::json;

use crate::support::{TestRepo, lesson_line, write_pack};

fn codes(report: &serde_json::Value) -> Vec<String> {
    let findings = report["findings"].as_array().unwrap();
    let text = |value: &serde_json::Value| value.as_str().unwrap_or_default().to_owned();
    findings.iter().map(|finding| format!("{}:{} {}", text(&finding["file"]), finding["line"], text(&finding["code"]))).collect()
}

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    write_pack(&repo, "api", &json!({ "categories": ["general"] }), &["Use pnpm", "Sort imports"]);
    repo
}

#[test]
fn good_packs_have_no_findings() {
    let repo = repo();
    insta::assert_snapshot!(repo.marvel(["validate"]), @r"
    exit 0
    ----- stdout
    no findings in 1 pack
    ");
    assert_eq!(repo.marvel(["validate", "--json"]).json(), json!({ "version": 1, "errors": 0, "warnings": 0, "findings": [] }));
    assert_eq!(repo.marvel(["validate", "--format", "github"]).ok(), "");
}

#[test]
fn findings_have_a_place_a_code_and_a_hint_and_errors_end_with_1() {
    let repo = repo();
    let text = format!("{}\n{{\"title\":\n{}\n", lesson_line("Use pnpm"), lesson_line("\u{1b}[2Jok"));
    repo.write("marvel/packs/api/lessons.jsonl", text);
    repo.write("marvel/packs/api/guardrails.md", "# api\n\n- Write good code\n");
    insta::assert_snapshot!(repo.marvel(["validate"]), @r#"
    exit 1
    ----- stdout
    warning[vague]: a rule that nobody can check: "Write good code"
      --> marvel/packs/api/guardrails.md:3:3
      hint: say what to do and where, so that a reviewer can see whether it was done; or take it out

    error[invalid-json]: not valid JSON: EOF while parsing a value
      --> marvel/packs/api/lessons.jsonl:2:9
      hint: a lesson is one JSON object on one line; this one is passed over

    error[hidden-character]: control character U+001B in `title`
      --> marvel/packs/api/lessons.jsonl:3:71
      hint: take it out: nobody sees it, and an agent reads it

    error[hidden-character]: control character U+001B in `description`
      --> marvel/packs/api/lessons.jsonl:3:104
      hint: take it out: nobody sees it, and an agent reads it

    error[hidden-character]: control character U+001B in `actionable`
      --> marvel/packs/api/lessons.jsonl:3:135
      hint: take it out: nobody sees it, and an agent reads it

    4 errors, 1 warning in 1 pack
    "#);
    insta::assert_snapshot!(repo.marvel(["validate", "--format", "github", "marvel/packs/api/guardrails.md"]), @r#"
    exit 0
    ----- stdout
    ::warning file=marvel/packs/api/guardrails.md,line=3,col=3,title=vague::a rule that nobody can check: "Write good code"%0Ahint: say what to do and where, so that a reviewer can see whether it was done; or take it out
    "#);
    let report = repo.marvel(["validate", "--format", "json"]);
    assert_eq!(report.code, 1);
    assert_eq!(report.json()["warnings"], 1);
    repo.write("marvel/packs/api/lessons.jsonl", "");
    assert_eq!(repo.marvel(["validate"]).code, 0, "warnings alone are fine");
}

#[test]
fn the_index_a_commit_and_the_working_tree_are_three_states() {
    let repo = repo();
    repo.write("marvel/config.json", "{\"pending\": \"mine\"}\n");
    let first = repo.commit("bad settings");
    repo.write("marvel/config.json", "{}\n");
    repo.write("marvel/packs/api/guardrails.md", "- Be careful\n");
    repo.git(["add", "-A"]);
    repo.write("marvel/packs/api/guardrails.md", "- Run `make lint`\n");
    repo.write("marvel/packs/api/lessons.jsonl", "{\n");
    assert_eq!(codes(&repo.marvel(["validate", "--json"]).json()), ["marvel/packs/api/lessons.jsonl:1 invalid-json"]);
    assert_eq!(codes(&repo.marvel(["validate", "--staged", "--json"]).json()), ["marvel/packs/api/guardrails.md:1 vague"]);
    assert_eq!(codes(&repo.marvel(["validate", "--rev", &first, "--json"]).json()), ["marvel/config.json:1 invalid-value"]);
    let unknown = repo.marvel(["validate", "--rev", "nowhere"]);
    assert_eq!((unknown.code, unknown.stdout.as_str()), (1, ""));
}

#[test]
fn paths_are_seen_from_where_one_stands() {
    let repo = repo();
    write_pack(&repo, "web", &json!({ "later": 1 }), &[]);
    repo.write("marvel/packs/api/guardrails.md", "- Be careful\n");
    let api = ["marvel/packs/api/guardrails.md:1 vague"];
    assert_eq!(codes(&repo.marvel(["validate", "--json", "api"]).json()), api);
    assert_eq!(codes(&repo.marvel(["validate", "--json", "marvel/packs/api"]).json()), api);
    assert_eq!(codes(&repo.beside("marvel/packs/api").marvel(["validate", "--json", "guardrails.md"]).json()), api);
    assert_eq!(codes(&repo.marvel(["validate", "--json", "."]).json()).len(), 2);
    let web = repo.marvel(["validate", "--strict", "--json", "web"]);
    assert_eq!((web.code, codes(&web.json())), (1, vec!["marvel/packs/web/pack.json:2 unknown-key".to_owned()]));
    insta::assert_snapshot!(repo.marvel(["validate", "README.md"]), @r"
    exit 1
    ----- stderr
    error: `README.md` is no pack, and no file of the packs
    hint: name a pack, or a path below marvel/packs; without one all packs are checked
    ");
}

#[cfg(unix)]
#[test]
fn in09_links_are_reported_and_not_followed() {
    let repo = repo();
    repo.write("secret", "- Be careful\n");
    std::fs::create_dir(repo.dir.join("elsewhere")).unwrap();
    std::fs::write(repo.dir.join("elsewhere/pack.json"), "{\n").unwrap();
    std::fs::remove_file(repo.dir.join("marvel/packs/api/guardrails.md")).unwrap();
    std::os::unix::fs::symlink("../../../secret", repo.dir.join("marvel/packs/api/guardrails.md")).unwrap();
    std::os::unix::fs::symlink("../../elsewhere", repo.dir.join("marvel/packs/other")).unwrap();
    let expected = ["marvel/packs/api/guardrails.md:0 symlink", "marvel/packs/other:0 symlink"];
    assert_eq!(codes(&repo.marvel(["validate", "--json"]).json()), expected);
    let commit = repo.commit("links");
    assert_eq!(codes(&repo.marvel(["validate", "--staged", "--json"]).json()), expected);
    assert_eq!(codes(&repo.marvel(["validate", "--rev", &commit, "--json"]).json()), expected);
}

#[test]
fn without_packs_there_is_nothing_to_find() {
    let repo = TestRepo::unborn();
    assert_eq!(repo.marvel(["validate"]).ok(), "no findings in 0 packs\n");
    assert_eq!(repo.marvel(["validate", "--staged"]).ok(), "no findings in 0 packs\n");
    assert_eq!(TestRepo::outside().marvel(["validate"]).code, 1);
}

#[test]
fn a_merge_that_was_not_finished_is_found_and_the_settings_are_checked_too() {
    let repo = repo();
    let line = lesson_line("Use pnpm");
    repo.write("marvel/packs/api/lessons.jsonl", format!("<<<<<<< ours\n{line}\n=======\n{line}\n>>>>>>> theirs\n"));
    repo.write("marvel/config.json", "\u{feff}{\"inject\": {\"max_chars\": 1e9}}\r\n");
    assert_eq!(
        codes(&repo.marvel(["validate", "--json"]).json()),
        [
            "marvel/config.json:1 crlf",
            "marvel/config.json:1 byte-order-mark",
            "marvel/config.json:1 invalid-value",
            "marvel/packs/api/lessons.jsonl:1 conflict-marker",
            "marvel/packs/api/lessons.jsonl:3 conflict-marker",
            "marvel/packs/api/lessons.jsonl:4 duplicate-id",
            "marvel/packs/api/lessons.jsonl:4 near-duplicate",
            "marvel/packs/api/lessons.jsonl:5 conflict-marker",
        ]
    );
}
