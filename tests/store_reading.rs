//! Reading a repository: where it is, where its refs stand, which packs it holds. git judges.

use marvel::model::config::Config;
use marvel::store::Repo;
use marvel::store::refs::Use;

use crate::support::{TestRepo, write_pack};

fn open(repo: &TestRepo) -> Repo {
    Repo::open(&repo.dir).expect("opens")
}

fn packs(branch: &str) -> Config {
    Config { branch: branch.to_owned(), ..Config::default() }
}

#[test]
fn head_is_a_branch_a_commit_or_unborn() {
    let repo = TestRepo::unborn();
    let head = open(&repo).head().expect("head");
    assert_eq!((head.branch.as_deref(), head.tip), (Some("refs/heads/main"), None));
    let id = repo.commit("first");
    assert_eq!(open(&repo).head().expect("head").tip.map(|id| id.to_string()), Some(id.clone()));
    repo.git(["checkout", "-q", "--detach"]);
    let head = open(&repo).head().expect("head");
    assert_eq!((head.branch, head.tip.map(|id| id.to_string())), (None, Some(id)));
}

#[test]
fn outside_a_repository_the_error_says_what_to_do() {
    let repo = TestRepo::outside();
    let error = Repo::open(&repo.dir).err().expect("no repository");
    assert!(error.message.ends_with("is not in a git repository"), "{error}");
    assert_eq!(error.hints.len(), 1);
}

#[test]
fn a_folder_inside_dot_git_is_its_repository() {
    let repo = TestRepo::new();
    let inside = Repo::open(&repo.dir.join(".git/objects")).expect("opens");
    assert_eq!(inside.git_dir(), repo.dir.join(".git"));
}

#[test]
fn sb18_a_broken_ref_is_not_a_missing_one() {
    for content in ["garbage\n", ""] {
        let repo = TestRepo::new();
        repo.write(".git/refs/heads/packs", content);
        let error = open(&repo).packs_branch(&Config::default()).expect_err("broken");
        assert!(error.message.contains("refs/heads/packs"), "{error}");
    }
    let repo = TestRepo::new();
    assert_eq!(open(&repo).find_ref("refs/heads/packs").expect("readable"), None);
    repo.git(["branch", "packs/wip"]);
    assert_eq!(open(&repo).find_ref("refs/heads/packs").expect("a folder is no ref"), None);
    assert_eq!(open(&repo).refs_below("refs/heads/packs/").expect("listed"), ["refs/heads/packs/wip"]);
    assert_eq!(open(&repo).find_ref("refs/heads/main/x").expect("a file is no folder"), None);
}

#[test]
fn packed_and_reftable_refs_are_read_alike() {
    let packed = TestRepo::new();
    packed.git(["branch", "packs"]);
    packed.git(["pack-refs", "--all"]);
    let reftable = TestRepo::outside();
    reftable.git(["init", "-q", "-b", "main", "--ref-format=reftable", "."]);
    assert_eq!(open(&reftable).head().expect("unborn").tip, None);
    reftable.write("README.md", "# A project\n");
    reftable.commit("first");
    reftable.git(["branch", "packs"]);
    reftable.git(["branch", "wip/x"]);
    for repo in [&packed, &reftable] {
        let store = open(repo);
        let tip = repo.git(["rev-parse", "packs"]);
        assert_eq!(store.find_ref("refs/heads/packs").expect("read").map(|id| id.to_string()), Some(tip.clone()));
        assert_eq!(store.find_ref("refs/heads/pack").expect("read"), None);
        assert_eq!(store.find_ref("refs/heads/wip").expect("read"), None);
        assert_eq!(store.head().expect("head").branch.as_deref(), Some("refs/heads/main"));
        assert_eq!(store.base(&Config::default()).expect("base").short(), "main");
    }
    reftable.git(["checkout", "-q", "--detach"]);
    assert_eq!(open(&reftable).head().expect("head").branch, None);
}

#[test]
fn the_base_is_remote_tracking_before_local() {
    let repo = TestRepo::new();
    assert_eq!(open(&repo).base(&Config::default()).expect("base").name, "refs/heads/main");
    let origin = repo.sibling("origin.git");
    repo.git(["clone", "-q", "--bare", ".", origin.to_str().expect("UTF-8")]);
    repo.git(["remote", "add", "origin", origin.to_str().expect("UTF-8")]);
    repo.git(["fetch", "-q"]);
    let published = repo.git(["rev-parse", "HEAD"]);
    repo.commit("not pushed");
    let base = open(&repo).base(&Config::default()).expect("base");
    assert_eq!((base.name.as_str(), base.tip.map(|id| id.to_string())), ("refs/remotes/origin/main", Some(published)));
    repo.git(["branch", "develop"]);
    repo.git(["push", "-q", "origin", "develop"]);
    repo.git(["remote", "set-head", "origin", "develop"]);
    assert_eq!(open(&repo).base(&Config::default()).expect("base").short(), "origin/develop");
    for (setting, short) in [("main", "origin/main"), ("origin/develop", "origin/develop"), ("refs/heads/main", "main")] {
        let config = Config { base: Some(setting.to_owned()), ..Config::default() };
        assert_eq!(open(&repo).base(&config).expect("base").short(), short);
    }
    let config = Config { base: Some("nowhere".to_owned()), ..Config::default() };
    assert!(open(&repo).base(&config).expect_err("no such branch").hints[0].contains("`base`"));
}

#[test]
fn without_main_or_master_the_base_is_head() {
    let repo = TestRepo::unborn();
    assert_eq!(open(&repo).base(&Config::default()).expect("base").tip, None);
    repo.git(["checkout", "-q", "--orphan", "trunk"]);
    let tip = repo.commit("first");
    let base = open(&repo).base(&Config::default()).expect("base");
    assert_eq!((base.short(), base.tip.map(|id| id.to_string())), ("trunk", Some(tip)));
}

#[test]
fn the_remote_is_the_configured_the_only_or_origin() {
    let repo = TestRepo::new();
    let remote = |repo: &TestRepo| open(repo).remote(&Config::default()).expect("readable");
    assert_eq!(remote(&repo), None);
    repo.git(["remote", "add", "upstream", "../x"]);
    assert_eq!(remote(&repo).as_deref(), Some("upstream"));
    repo.git(["remote", "add", "fork", "../y"]);
    assert_eq!(remote(&repo), None);
    repo.git(["remote", "add", "origin", "../z"]);
    assert_eq!(remote(&repo).as_deref(), Some("origin"));
    repo.git(["config", "remote.pushDefault", "fork"]);
    assert_eq!(remote(&repo).as_deref(), Some("fork"));
    repo.git(["config", "branch.packs.remote", "upstream"]);
    assert_eq!(remote(&repo).as_deref(), Some("upstream"));
    repo.git(["config", "remote.upstream.fetch", "+refs/heads/*:refs/remotes/up/team-*"]);
    assert_eq!(open(&repo).tracking_ref("upstream", "refs/heads/a/b").as_deref(), Some("refs/remotes/up/team-a/b"));
}

#[test]
fn sb03_a_branch_in_use_is_found_in_every_worktree() {
    let repo = TestRepo::new();
    repo.git(["branch", "packs"]);
    let in_use = |repo: &TestRepo| open(repo).in_use("refs/heads/packs").expect("readable");
    assert_eq!(in_use(&repo), None);
    repo.git(["switch", "-q", "packs"]);
    assert_eq!(in_use(&repo).map(|used| (used.worktree, used.how)), Some((repo.dir.clone(), Use::CheckedOut)));
    repo.git(["switch", "-q", "main"]);
    let linked = repo.sibling("linked tree ä");
    repo.git(["worktree", "add", "-q", linked.to_str().expect("UTF-8"), "packs"]);
    let used = in_use(&repo).expect("checked out");
    assert_eq!((used.worktree.canonicalize().expect("there"), used.how), (linked.clone(), Use::CheckedOut));
    // from within the linked worktree the main one counts as well
    repo.beside(&linked).git(["switch", "-q", "-c", "other"]);
    repo.git(["switch", "-q", "packs"]);
    let used = Repo::open(&linked).expect("opens").in_use("refs/heads/packs").expect("readable").expect("checked out");
    assert_eq!(used.worktree, repo.dir);
}

#[test]
fn a_branch_in_the_middle_of_a_rebase_or_bisect_is_in_use() {
    let repo = TestRepo::new();
    repo.write("f", "1");
    repo.commit("second");
    repo.git(["switch", "-q", "-c", "packs", "HEAD~1"]);
    repo.write("f", "2");
    repo.commit("conflicts");
    assert_ne!(repo.try_git(["rebase", "main"]).code, 0);
    let used = open(&repo).in_use("refs/heads/packs").expect("readable");
    assert_eq!(used.map(|used| used.how), Some(Use::Rebase));
    repo.git(["rebase", "--abort"]);
    repo.git(["bisect", "start"]);
    repo.git(["checkout", "-q", "--detach"]);
    let used = open(&repo).in_use("refs/heads/packs").expect("readable");
    assert_eq!(used.map(|used| used.how), Some(Use::Bisect));
}

#[test]
fn head_of_a_bare_repository_is_no_checkout() {
    let repo = TestRepo::new();
    repo.git(["branch", "packs"]);
    let bare = repo.sibling("bare.git");
    repo.git(["clone", "-q", "--bare", ".", bare.to_str().expect("UTF-8")]);
    let beside = repo.beside(&bare);
    beside.git(["symbolic-ref", "HEAD", "refs/heads/packs"]);
    let used = |branch: &str| Repo::open(&bare).expect("opens").in_use(&format!("refs/heads/{branch}")).expect("readable");
    assert_eq!(used("packs"), None);
    let linked = repo.sibling("tree");
    beside.git(["worktree", "add", "-q", linked.to_str().expect("UTF-8"), "main"]);
    assert_eq!(used("packs"), None);
    assert_eq!(used("main").expect("checked out").worktree.canonicalize().expect("there"), linked);
    let in_linked = Repo::open(&linked).expect("opens");
    assert_eq!((in_linked.work_tree(), in_linked.common_dir()), (Some(linked.as_path()), bare.as_path()));
}

#[test]
fn packs_are_read_at_a_commit_in_the_index_and_in_the_working_tree() {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &serde_json::json!({}), &["one"]);
    repo.write("marvel/packs/päcks 日本/x.md", "text");
    let id = repo.commit("packs");
    repo.write("marvel/packs/security/lessons.jsonl", "staged\n");
    repo.git(["add", "-A"]);
    repo.write("marvel/packs/security/lessons.jsonl", "edited\n");
    let store = open(&repo);
    let id = store.resolve(&id).expect("there");
    let path = "marvel/packs/security/lessons.jsonl";
    let text =
        |files: marvel::model::pack_files::PackFiles| String::from_utf8(files.get(path).expect("there").to_vec()).expect("UTF-8");
    assert!(text(store.packs_at(id).expect("read")).contains("\"one\""));
    assert_eq!(text(store.packs_in_index().expect("read")), "staged\n");
    assert_eq!(text(store.packs_here().expect("read")), "edited\n");
    for files in [store.packs_at(id), store.packs_in_index(), store.packs_here()] {
        assert_eq!(files.expect("read").get("marvel/packs/päcks 日本/x.md"), Some(b"text".as_slice()));
    }
    let tracked: Vec<_> = store.tracked_files().expect("listed").iter().map(ToString::to_string).collect();
    let expected = repo.git(["-c", "core.quotePath=false", "ls-files"]);
    assert_eq!(tracked, expected.lines().collect::<Vec<_>>());
    assert!(store.resolve("nowhere").is_err() && store.resolve("--all").is_err());
}

#[test]
fn a_bare_repository_and_a_sparse_checkout_show_the_packs_of_head() {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &serde_json::json!({}), &["one"]);
    repo.write("src/a.rs", "");
    repo.commit("packs");
    let here = |dir: &std::path::Path| Repo::open(dir).expect("opens").packs_here().expect("read").len();
    let bare = repo.sibling("bare.git");
    repo.git(["clone", "-q", "--bare", ".", bare.to_str().expect("UTF-8")]);
    assert_eq!(here(&bare), 3);
    assert_eq!(Repo::open(&bare).expect("opens").tracked_files().expect("listed").len(), 5);
    repo.git(["sparse-checkout", "set", "--cone", "--sparse-index", "src"]);
    assert!(!repo.exists("marvel"));
    assert_eq!(here(&repo.dir), 3);
    assert_eq!(open(&repo).packs_in_index().expect("read").len(), 3);
    repo.git(["sparse-checkout", "disable"]);
    std::fs::remove_dir_all(repo.dir.join("marvel")).expect("removed");
    assert_eq!(here(&repo.dir), 0);
}

#[test]
fn a_sha256_repository_is_read() {
    let repo = TestRepo::outside();
    repo.git(["init", "-q", "-b", "main", "--object-format=sha256", "."]);
    write_pack(&repo, "security", &serde_json::json!({}), &[]);
    let id = repo.commit("packs");
    let store = open(&repo);
    let tip = store.head().expect("head").tip.expect("a commit");
    assert_eq!(tip.to_string(), id);
    assert_eq!(store.packs_at(tip).expect("read").len(), 3);
    assert_eq!(store.packs_in_index().expect("read").len(), 3);
}

#[test]
fn what_a_partial_clone_lacks_is_fetched_by_git_but_not_for_a_hook() {
    let repo = TestRepo::new();
    write_pack(&repo, "security", &serde_json::json!({}), &["one"]);
    repo.commit("packs");
    repo.git(["config", "uploadpack.allowFilter", "true"]);
    let url = format!("file://{}", repo.dir.display());
    let partial = repo.sibling("partial");
    repo.git(["clone", "-q", "--no-checkout", "--filter=blob:none", &url, partial.to_str().expect("UTF-8")]);
    let store = || Repo::open(&partial).expect("opens");
    let tip = store().head().expect("head").tip.expect("a commit");
    let error = store().without_fetching().packs_at(tip).expect_err("not here");
    assert!(error.message.contains("is not in this repository"), "{error}");
    assert_eq!(store().packs_at(tip).expect("fetched").len(), 3);
    assert_eq!(store().without_fetching().packs_at(tip).expect("here now").len(), 3);
}

#[test]
fn the_setting_names_the_packs_branch() {
    let repo = TestRepo::new();
    repo.git(["branch", "knowledge"]);
    let store = open(&repo);
    assert!(store.packs_branch(&packs("knowledge")).expect("read").local.is_some());
    assert_eq!(store.packs_branch(&packs("packs")).expect("read").tip(), None);
}
