//! `marvel pack`: list, show, new.

use serde_json::json;

use crate::support::{TestRepo, write_pack};

fn repo() -> TestRepo {
    let repo = TestRepo::new();
    let meta = json!({
        "description": "Endpoints and\u{1b}[2J clients",
        "categories": ["general"],
        "applies_to": { "extensions": [".ts"] },
        "references": { "code_paths": ["src/api"], "doc_links": ["https://example.com/api"] },
    });
    write_pack(&repo, "api", &meta, &["Use pnpm"]);
    write_pack(&repo, "web", &json!({ "depends_on": ["api"] }), &[]);
    repo
}

#[test]
fn packs_are_listed_with_what_they_hold_and_broken_ones_are_named() {
    let repo = repo();
    repo.write("marvel/packs/torn/pack.json", "{");
    insta::assert_snapshot!(repo.marvel(["pack", "list"]), @r"
    exit 0
    ----- stdout
    pack  version  rules  lessons  owner  about
    api   1.0.0    1      1        team   Endpoints and\u001b[2J clients
    web   1.0.0    1      0        team   
    broken: torn: EOF while parsing an object at line 1 column 1
    hint: `marvel validate` says what is wrong, and where
    ");
    let list = repo.marvel(["pack", "list", "--json"]).json();
    assert_eq!(list["packs"][0]["name"], "api");
    assert_eq!((&list["packs"][0]["lessons"], &list["packs"][0]["rules"]), (&json!(1), &json!(1)));
    assert_eq!(list["broken"][0]["folder"], "torn");
    let torn = repo.marvel(["pack", "show", "torn"]);
    assert_eq!(torn.code, 1);
    assert!(torn.stderr.contains("marvel validate torn"), "{torn}");
}

#[test]
fn a_pack_is_shown_with_its_rules_and_lessons() {
    let repo = repo();
    insta::assert_snapshot!(repo.marvel(["pack", "show", "api"]), @r"
    exit 0
    ----- stdout
    api 1.0.0
      about      Endpoints and\u001b[2J clients
      owner      team
      categories general
      extensions .ts
      code       src/api
      read on    https://example.com/api

    guardrails.md

    # api

    ## Rules

    - Rule of api.

    lessons.jsonl

    id          category  shown  utility  lesson
    3007093d2f  general   -      -        Use pnpm
    ");
    let shown = repo.marvel(["pack", "show", "web", "--json"]).json();
    assert_eq!((&shown["pack"]["depends_on"], &shown["lessons"]), (&json!(["api"]), &json!([])));
    insta::assert_snapshot!(repo.marvel(["pack", "show", "nothing"]), @r"
    exit 1
    ----- stderr
    error: there is no pack `nothing`
    hint: `marvel pack list` shows the packs that there are
    ");
    insta::assert_snapshot!(repo.marvel(["pack", "show", "../x"]), @r"
    exit 1
    ----- stderr
    error: there is no pack `../x`
    hint: `marvel pack list` shows the packs that there are
    ");
}

#[test]
fn a_new_pack_stands_in_the_working_tree_and_is_valid() {
    let repo = TestRepo::new();
    let args = [
        "pack",
        "new",
        "api-design",
        "--owner",
        "team",
        "--description",
        "Endpoints",
        "--categories",
        "api,http",
        "--extensions",
        ".ts",
        "--sensitive-path",
        "src/**/*.{ts,tsx}",
        "--code-path",
        "src/api",
    ];
    let dry = [&args[..], &["--dry-run"]].concat();
    let dry: [&str; 16] = dry.try_into().unwrap();
    assert!(repo.marvel(dry).ok().contains("+# Api design"));
    assert!(!repo.exists("marvel"));
    insta::assert_snapshot!(repo.marvel(args), @r"
    exit 0
    ----- stdout
    created  marvel/packs/api-design/pack.json
    created  marvel/packs/api-design/guardrails.md
    created  marvel/packs/api-design/lessons.jsonl
    created  marvel/packs/.gitattributes
    created  marvel/packs/_pack.schema.json
    created  marvel/packs/_lesson.schema.json
    next: write rules into marvel/packs/api-design/guardrails.md, one list item a rule, under `##` headings
    next: `marvel validate api-design`, then commit the pack with your own work
    ");
    insta::assert_snapshot!(repo.read("marvel/packs/api-design/pack.json"), @r#"
    {
      "name": "api-design",
      "version": "0.1.0",
      "owner": "team",
      "description": "Endpoints",
      "categories": [
        "api",
        "http"
      ],
      "applies_to": {
        "extensions": [
          ".ts"
        ]
      },
      "depends_on": [],
      "sensitive_paths": [
        "src/**/*.{ts,tsx}"
      ],
      "excludes_paths": [],
      "references": {
        "code_paths": [
          "src/api"
        ],
        "doc_links": []
      }
    }
    "#);
    assert_eq!(repo.read("marvel/packs/api-design/lessons.jsonl"), "");
    insta::assert_snapshot!(repo.marvel(["validate", "--strict"]), @r"
    exit 0
    ----- stdout
    no findings in 1 pack
    ");
    let again = repo.marvel(["pack", "new", "api-design", "--owner", "team"]);
    assert_eq!(again.code, 1);
    assert_eq!(repo.git(["status", "--porcelain"]), "?? marvel/");
    let attributes = "marvel/packs/.gitattributes";
    repo.write(attributes, "# ours\n");
    repo.marvel(["pack", "new", "web", "--owner", "team", "--depends-on", "api-design"]).ok();
    assert_eq!(repo.read(attributes), "# ours\n", "what stands beside the packs is left alone");
}

#[test]
fn in09_a_pack_that_would_be_wrong_is_not_begun() {
    let repo = TestRepo::new();
    for (name, code) in [("../../x", 2), ("a/b", 2), ("CON", 2), (".git", 2), ("", 2), ("Api", 2)] {
        assert_eq!(repo.marvel(["pack", "new", name, "--owner", "team"]).code, code, "{name}");
    }
    let no_owner = repo.marvel(["pack", "new", "api"]);
    assert!(no_owner.stderr.contains("--owner"), "{no_owner}");
    insta::assert_snapshot!(repo.marvel(["pack", "new", "api", "--owner", "team", "--sensitive-path", "src/{a/**"]), @r"
    exit 1
    ----- stderr
    error: this pack would be wrong: `src/{a/**` is no valid glob: unclosed alternate group; missing '}' (maybe escape '{' with '[{]'?)
    hint: put a `\` before a `[`, `{`, `*` or `?` that stands for itself
    ");
    assert_eq!(repo.marvel(["pack", "new", "api", "--owner", "team", "--depends-on", "web"]).code, 1);
    assert!(!repo.exists("marvel"));
    repo.git(["config", "user.name", "Ada"]);
    repo.marvel(["pack", "new", "api"]).ok();
    assert!(repo.read("marvel/packs/api/pack.json").contains("\"owner\": \"Ada\""));
}

#[test]
fn a_pack_is_tailored_again_and_what_stands_there_stays() {
    let repo = TestRepo::new();
    repo.write("src/a.ts", "");
    repo.commit("code");
    repo.marvel(["init", "--no-claude", "--no-git-hooks", "--no-tailor"]).ok();
    let path = "marvel/packs/code-quality/pack.json";
    let text = repo.read(path).replace("\"code_paths\": []", "\"code_paths\": [\"tools\"]");
    repo.write(path, &text);
    let shown = repo.marvel(["pack", "tailor", "code-quality", "--dry-run"]).ok();
    assert!(shown.contains("+      \"src/**/*.ts\"") && shown.contains("code-quality matches 1 of 2 tracked files"), "{shown}");
    assert_eq!(repo.read(path), text);
    repo.marvel(["pack", "tailor", "code-quality"]).ok();
    let after = repo.read(path);
    assert!(after.contains("\"tools\",\n      \"src/**/*.ts\""), "{after}");
    assert!(repo.marvel(["pack", "tailor", "code-quality"]).ok().starts_with("Nothing to add."));
    assert_eq!(repo.read(path), after);
    assert_eq!(repo.marvel(["pack", "tailor", "nowhere"]).code, 1);
}
