//! Walks commits with an eye to `marvel/packs` alone: which commits two tips do not share, which of a tip's commits
//! touched the packs. Parents, times and root trees come from git's commit-graph where there is one; no other folder is
//! looked into. What the packs said at a commit is `versions`'.

use std::collections::{BinaryHeap, HashMap, HashSet};

use gix::ObjectId;
use gix::objs::{CommitRefIter, Kind};

use super::id::Id;
use super::repo::Repo;
use crate::error::{Context as _, Error, Result};
use crate::model::pack::PACKS_DIR;

/// What two tips have that the other does not, and where they meet.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Divergence {
    /// Commits that only the first has, newest first.
    pub left: Vec<Id>,
    /// Commits that only the second has, newest first.
    pub right: Vec<Id>,
    /// The best common ancestors: usually one, none for unrelated histories, several after a criss-cross.
    pub bases: Vec<Id>,
}

/// A commit that changed the packs against all of its parents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Touch {
    pub commit: Id,
    /// The tree at `marvel/packs`, after it; `None` where there is none.
    pub packs: Option<Id>,
    /// The same at its first parent.
    pub before: Option<Id>,
}

/// How side branches are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Follow {
    /// As `git log -- marvel/packs` does: where a parent has the very same packs, only that parent is followed.
    Simplified,
    /// As `git log --full-history` does: every parent.
    All,
}

/// One reading of a repository's history; what was read once is kept.
pub struct History<'r> {
    repo: &'r Repo,
    graph: Option<gix::commitgraph::Graph>,
    /// Commits whose parents a shallow clone does not have.
    shallow: HashSet<ObjectId>,
    commits: HashMap<ObjectId, Node>,
    /// The packs' tree by root tree, and by the tree at `marvel`.
    packs: HashMap<ObjectId, Option<Id>>,
}

#[derive(Clone)]
struct Node {
    tree: ObjectId,
    parents: Vec<ObjectId>,
    time: i64,
}

const LEFT: u8 = 1;
const RIGHT: u8 = 2;
const BOTH: u8 = LEFT | RIGHT;
/// Behind a commit that both have: no common ancestor worth naming.
const STALE: u8 = 4;

impl<'r> History<'r> {
    pub fn new(repo: &'r Repo) -> Result<Self> {
        let shallow = repo.git.shallow_commits().context("the limits of this shallow clone cannot be read")?;
        let shallow: HashSet<ObjectId> = shallow.iter().flat_map(|ids| ids.iter().copied()).collect();
        // git, too, uses no commit-graph in a shallow clone; a broken graph is git's to complain about
        let graph = if shallow.is_empty() { repo.git.commit_graph_if_enabled().ok().flatten() } else { None };
        Ok(Self { repo, graph, shallow, commits: HashMap::new(), packs: HashMap::new() })
    }

    /// What two tips do not share, and where they meet.
    pub fn compare(&mut self, left: Id, right: Id) -> Result<Divergence> {
        if left == right {
            return Ok(Divergence { bases: vec![left], ..Divergence::default() });
        }
        let mut flags: HashMap<ObjectId, u8> = HashMap::from([(left.0, LEFT), (right.0, RIGHT)]);
        let mut queue = Queue::default();
        let mut waiting = HashSet::new();
        for tip in [left.0, right.0] {
            queue.push(self.node(tip)?.time, tip);
            waiting.insert(tip);
        }
        // how many of those in the queue may still tell something new
        let mut fresh = waiting.len();
        // the oldest commit that only one side has: clocks differ, so commits of that age may still be shared after all
        let mut oldest = i64::MAX;
        let mut candidates = Vec::new();
        let mut order = Vec::new();
        while let Some((time, id)) = queue.pop() {
            waiting.remove(&id);
            let mine = flags[&id];
            if mine & STALE == 0 {
                fresh -= 1;
            } else if fresh == 0 && time < oldest {
                break;
            }
            let mut passed = mine;
            if mine & BOTH == BOTH {
                if mine & STALE == 0 {
                    candidates.push(id);
                }
                passed |= STALE;
            } else {
                oldest = oldest.min(time);
                order.push(id);
            }
            for parent in self.node(id)?.parents {
                let known = flags.entry(parent).or_default();
                let old = std::mem::replace(known, *known | passed);
                let stale = *known & STALE != 0;
                if *known == old {
                    continue;
                }
                if waiting.insert(parent) {
                    fresh += usize::from(!stale);
                    queue.push(self.node(parent)?.time, parent);
                } else if stale && old & STALE == 0 {
                    fresh -= 1;
                }
            }
        }
        let mut seen = HashSet::new();
        order.retain(|id| seen.insert(*id));
        let only = |flag: u8| order.iter().filter(|id| flags[*id] & BOTH == flag).map(|&id| Id(id)).collect();
        candidates.dedup();
        let bases = candidates.iter().filter(|id| flags[*id] & STALE == 0).map(|&id| Id(id)).collect();
        Ok(Divergence { left: only(LEFT), right: only(RIGHT), bases: self.independent(bases)? })
    }

    /// Takes out common ancestors that others of them reach, which only clocks that run backwards can have left in.
    fn independent(&self, bases: Vec<Id>) -> Result<Vec<Id>> {
        if bases.len() < 2 {
            return Ok(bases);
        }
        let ids = bases.iter().map(ToString::to_string);
        let text = self.repo.git().args(["merge-base", "--independent"]).args(ids).text().context("git finds no merge base")?;
        let kept: HashSet<&str> = text.lines().collect();
        Ok(bases.into_iter().filter(|id| kept.contains(id.to_string().as_str())).collect())
    }

    /// Whether the first is an ancestor of the second, or is it itself.
    pub fn is_ancestor(&mut self, ancestor: Id, of: Id) -> Result<bool> {
        Ok(self.compare(ancestor, of)?.left.is_empty())
    }

    /// The commits that changed the packs, newest first: those of `tips` and what is behind them, as far as `within` says
    /// (everything, where it is `None`).
    pub fn touching(&mut self, tips: &[Id], within: Option<&HashSet<Id>>, follow: Follow) -> Result<Vec<Touch>> {
        let inside = |id: ObjectId| within.is_none_or(|within| within.contains(&Id(id)));
        let mut queue = Queue::default();
        let mut seen = HashSet::new();
        for tip in tips.iter().filter(|tip| inside(tip.0)) {
            if seen.insert(tip.0) {
                queue.push(self.node(tip.0)?.time, tip.0);
            }
        }
        let mut touches = Vec::new();
        while let Some((_, id)) = queue.pop() {
            let node = self.node(id)?;
            let packs = self.packs_of_tree(node.tree)?;
            let mut next = Vec::with_capacity(node.parents.len());
            let mut before = None;
            let mut same = false;
            for (at, &parent) in node.parents.iter().enumerate() {
                let theirs = self.packs_at(Id(parent))?;
                if at == 0 {
                    before = theirs;
                }
                if theirs == packs {
                    same = true;
                    if follow == Follow::Simplified {
                        next = vec![parent];
                        break;
                    }
                }
                next.push(parent);
            }
            if !same && (packs.is_some() || !node.parents.is_empty()) {
                touches.push(Touch { commit: Id(id), packs, before });
            }
            for parent in next {
                if inside(parent) && seen.insert(parent) {
                    queue.push(self.node(parent)?.time, parent);
                }
            }
        }
        Ok(touches)
    }

    /// The tree at `marvel/packs` of a commit.
    pub fn packs_at(&mut self, commit: Id) -> Result<Option<Id>> {
        let tree = self.node(commit.0)?.tree;
        self.packs_of_tree(tree)
    }

    pub(super) fn root_tree(&mut self, commit: Id) -> Result<Id> {
        Ok(Id(self.node(commit.0)?.tree))
    }

    fn packs_of_tree(&mut self, root: ObjectId) -> Result<Option<Id>> {
        if let Some(&packs) = self.packs.get(&root) {
            return Ok(packs);
        }
        let mut tree = Some(root);
        let mut path = Vec::new();
        for name in PACKS_DIR.split('/') {
            let Some(at) = tree else { break };
            if let Some(&packs) = self.packs.get(&at) {
                tree = packs.map(|packs| packs.0);
                break;
            }
            path.push(at);
            tree = self.repo.tree_entry(Id(at), name)?.filter(|entry| entry.mode.is_tree()).map(|entry| entry.id.0);
        }
        let packs = tree.map(Id);
        self.packs.extend(path.into_iter().map(|at| (at, packs)));
        Ok(packs)
    }

    fn node(&mut self, id: ObjectId) -> Result<Node> {
        if let Some(node) = self.commits.get(&id) {
            return Ok(node.clone());
        }
        let node = match self.graph.as_ref().and_then(|graph| graph_node(graph, id)) {
            Some(node) => node,
            None => self.read(id)?,
        };
        self.commits.insert(id, node.clone());
        Ok(node)
    }

    fn read(&self, id: ObjectId) -> Result<Node> {
        let data = self.repo.object(Id(id), Kind::Commit)?;
        let broken = || Error::user(format!("commit {id} cannot be read"));
        let commit = || CommitRefIter::from_bytes(&data, id.kind());
        let tree = commit().tree_id().map_err(|error| broken().caused_by(error))?;
        let time = commit().committer().map_err(|error| broken().caused_by(error))?.seconds();
        let parents = if self.shallow.contains(&id) { Vec::new() } else { commit().parent_ids().collect() };
        Ok(Node { tree, parents, time })
    }
}

fn graph_node(graph: &gix::commitgraph::Graph, id: ObjectId) -> Option<Node> {
    let commit = graph.commit_by_id(id)?;
    let parents: std::result::Result<_, _> =
        commit.iter_parents().map(|position| position.map(|position| graph.id_at(position).to_owned())).collect();
    Some(Node {
        tree: commit.root_tree_id().to_owned(),
        parents: parents.ok()?,
        time: i64::try_from(commit.committer_timestamp()).ok()?,
    })
}

/// Commits to look at, newest first, those pushed first before others of the same second.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<(i64, std::cmp::Reverse<u64>, ObjectId)>,
    pushed: u64,
}

impl Queue {
    fn push(&mut self, time: i64, id: ObjectId) {
        self.pushed += 1;
        self.heap.push((time, std::cmp::Reverse(self.pushed), id));
    }

    fn pop(&mut self) -> Option<(i64, ObjectId)> {
        self.heap.pop().map(|(time, _, id)| (time, id))
    }
}
