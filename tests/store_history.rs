//! Walking history: what two tips do not share, and which commits touched the packs. git judges, on random histories.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use marvel::store::history::{Follow, History};
use marvel::store::{Id, Repo};

use crate::support::TestRepo;

/// Numbers that look random and are the same every time.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % sides
    }
}

struct Graph {
    repo: TestRepo,
    ids: Vec<Id>,
    parents: Vec<Vec<usize>>,
}

/// A history of `size` commits with merges; some touch the packs, some another folder. `clock` gives the commits' times.
fn graph(seed: u64, size: usize, clock: impl Fn(&mut Dice, usize) -> i64) -> Graph {
    let repo = TestRepo::unborn();
    let mut dice = Dice(seed);
    let (mut stream, mut parents) = (String::new(), Vec::new());
    for at in 0..size {
        let mut mine = BTreeSet::new();
        if at > 0 && dice.roll(20) > 0 {
            for _ in 0..=dice.roll(6) / 4 {
                let back = 1 + dice.roll(6.min(at as u64)) as usize;
                mine.insert(at - back);
            }
        }
        let mine: Vec<usize> = mine.into_iter().rev().collect();
        let time = clock(&mut dice, at);
        let _ = write!(stream, "commit refs/heads/c{at}\nmark :{}\ncommitter A <a@x> {time} +0000\ndata 4\n{at:04}\n", at + 1);
        for (i, parent) in mine.iter().enumerate() {
            let _ = writeln!(stream, "{} :{}", if i == 0 { "from" } else { "merge" }, parent + 1);
        }
        let (path, content) = match dice.roll(4) {
            0 => ("marvel/packs/p/lessons.jsonl", dice.roll(3)),
            1 => ("marvel/packs/q/pack.json", dice.roll(3)),
            _ => ("src/a.rs", dice.roll(100)),
        };
        let content = content.to_string();
        let _ = writeln!(stream, "M 100644 inline {path}\ndata {}\n{content}", content.len());
        parents.push(mine);
    }
    let marks = repo.sibling("marks");
    let export = format!("--export-marks={}", marks.display());
    let import = repo.run(repo.command("git", &["fast-import", "--quiet", &export], &repo.dir), stream.as_bytes());
    assert_eq!(import.code, 0, "{import}");
    let marks = std::fs::read_to_string(marks).unwrap();
    let by_mark: HashMap<&str, Id> =
        marks.lines().map(|line| line.split_once(' ').unwrap()).map(|(mark, id)| (mark, Id::parse(id).unwrap())).collect();
    let ids = (1..=size).map(|mark| by_mark[format!(":{mark}").as_str()]).collect();
    Graph { repo, ids, parents }
}

impl Graph {
    fn reachable(&self, tip: usize) -> HashSet<usize> {
        let (mut seen, mut stack) = (HashSet::new(), vec![tip]);
        while let Some(at) = stack.pop() {
            if seen.insert(at) {
                stack.extend(&self.parents[at]);
            }
        }
        seen
    }

    /// What two tips have for themselves, and the best common ancestors, told from nothing but the parents.
    fn expected(&self, left: usize, right: usize) -> [HashSet<Id>; 3] {
        let (a, b) = (self.reachable(left), self.reachable(right));
        let common: Vec<usize> = a.intersection(&b).copied().collect();
        let best =
            common.iter().filter(|&&one| !common.iter().any(|&other| other != one && self.reachable(other).contains(&one)));
        let ids = |numbers: &mut dyn Iterator<Item = usize>| numbers.map(|at| self.ids[at]).collect();
        [ids(&mut a.difference(&b).copied()), ids(&mut b.difference(&a).copied()), ids(&mut best.copied())]
    }

    fn check(&self, history: &mut History<'_>, left: usize, right: usize) {
        let apart = history.compare(self.ids[left], self.ids[right]).unwrap();
        let found = [&apart.left, &apart.right, &apart.bases].map(|ids| ids.iter().copied().collect::<HashSet<_>>());
        assert_eq!(found, self.expected(left, right), "{left} {right}");
        assert_eq!([apart.left.len(), apart.right.len(), apart.bases.len()], found.map(|ids| ids.len()), "nothing twice");
    }
}

fn lines(text: &str) -> Vec<Id> {
    text.lines().map(|line| Id::parse(line).unwrap()).collect()
}

#[test]
fn what_two_tips_do_not_share_is_exact_whatever_the_clocks_say() {
    let clocks: [fn(&mut Dice, usize) -> i64; 4] = [
        |_, at| 1_000_000 + 60 * at as i64,
        |_, _| 1_000_000,
        |dice, at| 1_000_000 + 60 * at as i64 - dice.roll(200) as i64,
        |_, at| 1_000_000 - 60 * at as i64,
    ];
    for (seed, clock) in clocks.into_iter().enumerate() {
        let graph = graph(seed as u64, 60, clock);
        let store = Repo::open(&graph.repo.dir).unwrap();
        let mut history = History::new(&store).unwrap();
        let mut dice = Dice(99);
        for _ in 0..150 {
            let (left, right) = (dice.roll(60) as usize, dice.roll(60) as usize);
            graph.check(&mut history, left, right);
        }
    }
}

#[test]
fn merge_bases_are_those_that_git_finds_with_and_without_a_commit_graph() {
    let graph = graph(7, 80, |_, at| 1_000_000 + 60 * at as i64);
    let ask = |history: &mut History<'_>| {
        for (left, right) in [(79, 78), (79, 60), (55, 70), (40, 79), (77, 76), (79, 0), (30, 30)] {
            let (a, b) = (graph.ids[left], graph.ids[right]);
            let git = graph.repo.try_git(["merge-base", "--all", &a.to_string(), &b.to_string()]);
            let found: HashSet<Id> = history.compare(a, b).unwrap().bases.into_iter().collect();
            assert_eq!(found, lines(&git.stdout).into_iter().collect(), "{left} {right}");
        }
    };
    let store = Repo::open(&graph.repo.dir).unwrap();
    ask(&mut History::new(&store).unwrap());
    graph.repo.git(["commit-graph", "write", "--reachable"]);
    let store = Repo::open(&graph.repo.dir).unwrap();
    ask(&mut History::new(&store).unwrap());
}

#[test]
fn the_commits_that_touched_the_packs_are_those_of_git_log() {
    for seed in 20..24 {
        let graph = graph(seed, 120, |_, at| 1_000_000 + 60 * at as i64);
        let tip = graph.ids[119];
        for with_graph in [false, true] {
            if with_graph {
                graph.repo.git(["commit-graph", "write", "--reachable"]);
            }
            let store = Repo::open(&graph.repo.dir).unwrap();
            let mut history = History::new(&store).unwrap();
            let mut ask =
                |follow| history.touching(&[tip], None, follow).unwrap().iter().map(|touch| touch.commit).collect::<Vec<_>>();
            let log =
                |options: &str| lines(&graph.repo.git(["log", "--format=%H", options, &tip.to_string(), "--", "marvel/packs"]));
            assert_eq!(ask(Follow::Simplified), log("--date-order"));
            // every commit that differs from all of its parents: git's full history shows merges that differ from one as well
            let full: HashSet<Id> = ask(Follow::All).into_iter().collect();
            let git: HashSet<Id> = log("--full-history").into_iter().collect();
            assert_eq!(full, git.intersection(&full).copied().collect());
            let no_merges: HashSet<Id> = lines(&graph.repo.git([
                "log",
                "--format=%H",
                "--full-history",
                "--no-merges",
                &tip.to_string(),
                "--",
                "marvel/packs",
            ]))
            .into_iter()
            .collect();
            assert!(no_merges.is_subset(&full));
        }
    }
}

#[test]
fn a_shallow_clone_ends_where_it_ends() {
    let graph = graph(3, 60, |_, at| 1_000_000 + 60 * at as i64);
    graph.repo.git(["branch", "-f", "tip", &graph.ids[59].to_string()]);
    let url = format!("file://{}", graph.repo.dir.display());
    let shallow = graph.repo.sibling("shallow");
    graph.repo.git(["clone", "-q", "--depth=5", "--branch=tip", &url, shallow.to_str().unwrap()]);
    let store = Repo::open(&shallow).unwrap();
    assert!(store.is_shallow());
    let mut history = History::new(&store).unwrap();
    let touched: Vec<Id> =
        history.touching(&[graph.ids[59]], None, Follow::Simplified).unwrap().iter().map(|touch| touch.commit).collect();
    assert_eq!(touched, lines(&graph.repo.beside(&shallow).git(["log", "--format=%H", "--", "marvel/packs"])));
}
