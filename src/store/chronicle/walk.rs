//! Which commits changed `marvel/packs`, oldest first: only root trees, `marvel` and `packs` are looked at, parents and
//! times come from git's commit-graph where there is one. What those commits did is `events`'.
//!
//! As `git log -- marvel/packs` does, where a parent has the very same packs only that parent is followed. The other side
//! of such a merge is looked at in the end, if its packs are not simply an older state of this side's: the commits of a
//! branch that was squashed, or merged the other way round, say who taught what.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use gix::ObjectId;
use gix::hashtable::{HashMap, HashSet};
use gix::objs::{CommitRefIter, Kind, TreeRefIter};

use crate::error::{Error, Result};
use crate::model::pack::PACKS_DIR;
use crate::store::packed::Objects;

/// A commit whose packs differ from those of all of its parents.
#[derive(Clone, Debug)]
pub(super) struct Touched {
    pub(super) id: ObjectId,
    /// The packs' tree after it.
    pub(super) packs: Option<ObjectId>,
    /// The packs' trees of its parents, the first one first.
    pub(super) before: Vec<Option<ObjectId>>,
    /// A shallow clone's oldest commit: what it brought is not known.
    pub(super) boundary: bool,
    /// When it was committed.
    pub(super) time: i64,
}

/// What is known already: these tips with all that is behind them.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    pub(super) tips: Vec<ObjectId>,
    /// The states of the packs that were met there, each with the time of the commit that brought it.
    pub(super) states: HashMap<ObjectId, i64>,
}

pub(super) enum Walked {
    /// Commits that are not behind the known tips, oldest first, and the packs' trees at the tips.
    New { touched: Vec<Touched>, at_tips: Vec<Option<ObjectId>> },
    /// A known tip is not behind the new ones: history was rewritten, and what is known is worth nothing.
    Rewritten,
}

const NEW: u8 = 1;
const OLD: u8 = 2;
const QUEUED: u8 = 4;

pub(super) struct Walker<'o, 'r> {
    objects: &'o mut Objects<'r>,
    graph: Option<gix::commitgraph::Graph>,
    shallow: HashSet<ObjectId>,
    nodes: Vec<Node>,
    index: HashMap<ObjectId, u32>,
    /// The tree at `packs` by the tree at `marvel`.
    marvel: HashMap<ObjectId, Option<ObjectId>>,
    /// Called with the number of commits, every thousand.
    progress: &'o mut dyn FnMut(usize),
}

struct Node {
    id: ObjectId,
    tree: ObjectId,
    parents: Parents,
    time: i64,
    packs: Option<Option<ObjectId>>,
    flags: u8,
    seen: bool,
}

/// Most commits have one parent.
#[derive(Clone)]
enum Parents {
    Unread,
    None,
    One(u32),
    Many(Vec<u32>),
}

impl Parents {
    fn of(ids: Vec<u32>) -> Self {
        match ids[..] {
            [] => Self::None,
            [one] => Self::One(one),
            _ => Self::Many(ids),
        }
    }

    fn get(&self, at: usize) -> Option<u32> {
        match self {
            Self::One(one) if at == 0 => Some(*one),
            Self::Many(ids) => ids.get(at).copied(),
            _ => None,
        }
    }
}

impl<'o, 'r> Walker<'o, 'r> {
    pub(super) fn new(objects: &'o mut Objects<'r>, progress: &'o mut dyn FnMut(usize)) -> Result<Self> {
        let git = &objects.repo.git;
        let limits = git
            .shallow_commits()
            .map_err(|error| Error::user("the limits of this shallow clone cannot be read").caused_by(error))?;
        let shallow: HashSet<ObjectId> = limits.iter().flat_map(|ids| ids.iter().copied()).collect();
        // git, too, uses no commit-graph in a shallow clone; a broken graph is git's to complain about
        let graph = if shallow.is_empty() { git.commit_graph_if_enabled().ok().flatten() } else { None };
        let empty = HashMap::default();
        Ok(Self { objects, graph, shallow, nodes: Vec::new(), index: HashMap::default(), marvel: empty, progress })
    }

    pub(super) fn walk(&mut self, tips: &[ObjectId], known: &Known) -> Result<Walked> {
        if !known.tips.is_empty() && !self.paint(tips, &known.tips)? {
            return Ok(Walked::Rewritten);
        }
        let mut order = Vec::new();
        let mut states = known.states.clone();
        let mut waiting = Vec::new();
        for tip in tips {
            waiting.push(self.node(*tip)?);
        }
        let mut first = true;
        while !waiting.is_empty() {
            let mut queue = Queue::default();
            for at in std::mem::take(&mut waiting) {
                if (first || self.is_news(at, &states)?) && self.enter(at) {
                    queue.push(self.nodes[at as usize].time, at);
                }
            }
            first = false;
            while let Some(at) = queue.pop() {
                if order.len() % 1_000 == 999 {
                    (self.progress)(order.len() + 1);
                }
                order.push(at);
                self.step(at, &mut queue, &mut waiting, &mut states)?;
            }
        }
        let mut at_tips = Vec::new();
        for tip in tips {
            let at = self.node(*tip)?;
            at_tips.push(self.packs(at)?);
        }
        Ok(Walked::New { touched: self.touched(&order)?, at_tips })
    }

    /// Looks at one commit: which of its parents come next, and which may wait.
    fn step(&mut self, at: u32, queue: &mut Queue, waiting: &mut Vec<u32>, states: &mut HashMap<ObjectId, i64>) -> Result<()> {
        let packs = self.packs(at)?;
        let mut same = None;
        let mut parent = 0;
        while let Some(next) = self.parent(at, parent)? {
            if self.packs(next)? == packs {
                same = Some(next);
                break;
            }
            parent += 1;
        }
        if same.is_none()
            && let Some(state) = packs
        {
            let time = self.nodes[at as usize].time;
            states.entry(state).and_modify(|known| *known = time.min(*known)).or_insert(time);
        }
        parent = 0;
        while let Some(next) = self.parent(at, parent)? {
            parent += 1;
            if same.is_some_and(|same| same != next) {
                waiting.push(next);
            } else if self.enter(next) {
                queue.push(self.nodes[next as usize].time, next);
            }
        }
        Ok(())
    }

    /// Whether a side that was passed over has packs that this side never had, or had only later: then it wrote them.
    fn is_news(&mut self, at: u32, states: &HashMap<ObjectId, i64>) -> Result<bool> {
        let time = self.nodes[at as usize].time;
        Ok(self.packs(at)?.is_some_and(|state| states.get(&state).is_none_or(|&since| since > time)))
    }

    /// Takes a commit in, once, unless it is known from before.
    fn enter(&mut self, at: u32) -> bool {
        let node = &mut self.nodes[at as usize];
        node.flags & OLD == 0 && !std::mem::replace(&mut node.seen, true)
    }

    /// The commits that changed something, parents before children.
    fn touched(&mut self, order: &[u32]) -> Result<Vec<Touched>> {
        let corrected = self.corrected(order)?;
        let mut touched = Vec::new();
        for (i, &at) in order.iter().enumerate().rev() {
            let packs = self.packs(at)?;
            let mut before = Vec::new();
            while let Some(next) = self.parent(at, before.len())? {
                before.push(self.packs(next)?);
            }
            if before.contains(&packs) || (before.is_empty() && packs.is_none()) {
                continue;
            }
            let node = &self.nodes[at as usize];
            let boundary = self.shallow.contains(&node.id);
            let entry = Touched { id: node.id, packs, before, boundary, time: node.time };
            touched.push(((corrected[at as usize], Reverse(i)), entry));
        }
        touched.sort_by_key(|(key, _)| *key);
        Ok(touched.into_iter().map(|(_, entry)| entry).collect())
    }

    /// The times of commits, in seconds and places within one: clocks differ, so a commit counts as later than its parents.
    fn corrected(&mut self, order: &[u32]) -> Result<Vec<(i64, u32)>> {
        let mut corrected: Vec<Option<(i64, u32)>> = vec![None; self.nodes.len()];
        let mut walked = vec![false; self.nodes.len()];
        for &at in order {
            walked[at as usize] = true;
        }
        let mut open: Vec<u32> = Vec::new();
        for &start in order.iter().rev() {
            open.push(start);
            while let Some(&at) = open.last() {
                if corrected[at as usize].is_some() {
                    open.pop();
                    continue;
                }
                let (mut which, mut latest, before) = (0, None, open.len());
                // every parent of a commit that was walked has a number by now
                while let Some(parent) = self.parent(at, which)? {
                    which += 1;
                    match corrected[parent as usize] {
                        Some(time) => latest = latest.max(Some(time)),
                        None if walked[parent as usize] => open.push(parent),
                        None => {}
                    }
                }
                if open.len() == before {
                    let own = (self.nodes[at as usize].time, 0);
                    corrected[at as usize] = Some(latest.map_or(own, |(time, place)| own.max((time, place + 1))));
                    open.pop();
                }
            }
        }
        Ok(corrected.into_iter().map(Option::unwrap_or_default).collect())
    }

    /// Marks what is behind the known tips; whether all of those are behind the new ones.
    fn paint(&mut self, tips: &[ObjectId], known: &[ObjectId]) -> Result<bool> {
        let mut queue = Queue::default();
        // how many in the queue are behind new tips alone, as far as we know
        let mut open = 0;
        let mut old = Vec::new();
        for (ids, mark) in [(tips, NEW), (known, OLD)] {
            for id in ids {
                let at = self.node(*id)?;
                self.mark(at, mark, &mut queue, &mut open);
                if mark == OLD {
                    old.push(at);
                }
            }
        }
        let lost = |walker: &Self| old.iter().any(|&at| walker.nodes[at as usize].flags & NEW == 0);
        while open > 0 || lost(self) {
            let Some(at) = queue.pop() else { break };
            let node = &mut self.nodes[at as usize];
            node.flags &= !QUEUED;
            let marks = node.flags;
            open -= usize::from(marks == NEW);
            let mut parent = 0;
            while let Some(next) = self.parent(at, parent)? {
                parent += 1;
                if self.nodes[next as usize].flags & marks != marks {
                    self.mark(next, marks, &mut queue, &mut open);
                }
            }
        }
        Ok(!lost(self))
    }

    /// Adds marks to a commit that lacks some, and puts it into the queue unless it waits there.
    fn mark(&mut self, at: u32, marks: u8, queue: &mut Queue, open: &mut usize) {
        let node = &mut self.nodes[at as usize];
        *open -= usize::from(node.flags == NEW | QUEUED);
        if node.flags & QUEUED == 0 {
            queue.push(node.time, at);
        }
        node.flags |= marks | QUEUED;
        *open += usize::from(node.flags == NEW | QUEUED);
    }

    fn parent(&mut self, at: u32, which: usize) -> Result<Option<u32>> {
        if let Parents::Unread = self.nodes[at as usize].parents {
            let ids = self.parent_ids(at)?;
            let mut parents = Vec::with_capacity(ids.len());
            for id in ids {
                parents.push(self.node(id)?);
            }
            self.nodes[at as usize].parents = Parents::of(parents);
        }
        Ok(self.nodes[at as usize].parents.get(which))
    }

    fn parent_ids(&mut self, at: u32) -> Result<Vec<ObjectId>> {
        let id = self.nodes[at as usize].id;
        if self.shallow.contains(&id) {
            return Ok(Vec::new());
        }
        if let Some(graph) = &self.graph
            && let Some(commit) = graph.commit_by_id(id)
        {
            let parents: std::result::Result<Vec<_>, _> =
                commit.iter_parents().map(|at| at.map(|at| graph.id_at(at).to_owned())).collect();
            if let Ok(parents) = parents {
                return Ok(parents);
            }
        }
        let data = self.objects.get(id, Kind::Commit)?;
        Ok(CommitRefIter::from_bytes(&data, id.kind()).parent_ids().collect())
    }

    fn node(&mut self, id: ObjectId) -> Result<u32> {
        if let Some(&at) = self.index.get(&id) {
            return Ok(at);
        }
        let (tree, time) = match self.graph.as_ref().and_then(|graph| graph.commit_by_id(id)) {
            Some(commit) => (commit.root_tree_id().to_owned(), i64::try_from(commit.committer_timestamp()).unwrap_or(0)),
            None => {
                let data = self.objects.get(id, Kind::Commit)?;
                let broken = |error| Error::user(format!("commit {id} cannot be read")).caused_by(error);
                let commit = || CommitRefIter::from_bytes(&data, id.kind());
                (commit().tree_id().map_err(broken)?, commit().committer().map_err(broken)?.seconds())
            }
        };
        let at = u32::try_from(self.nodes.len()).map_err(|_| Error::user("this history has too many commits"))?;
        self.nodes.push(Node { id, tree, parents: Parents::Unread, time, packs: None, flags: 0, seen: false });
        self.index.insert(id, at);
        Ok(at)
    }

    fn packs(&mut self, at: u32) -> Result<Option<ObjectId>> {
        if let Some(packs) = self.nodes[at as usize].packs {
            return Ok(packs);
        }
        let (top, below) = PACKS_DIR.split_once('/').expect("two folders");
        let tree = self.nodes[at as usize].tree;
        let packs = match self.folder(tree, top)? {
            None => None,
            Some(marvel) => match self.marvel.get(&marvel) {
                Some(packs) => *packs,
                None => {
                    let packs = self.folder(marvel, below)?;
                    self.marvel.insert(marvel, packs);
                    packs
                }
            },
        };
        self.nodes[at as usize].packs = Some(packs);
        Ok(packs)
    }

    fn folder(&mut self, tree: ObjectId, name: &str) -> Result<Option<ObjectId>> {
        let data = self.objects.get(tree, Kind::Tree)?;
        for entry in TreeRefIter::from_bytes(&data, tree.kind()) {
            let entry = entry.map_err(|error| Error::user(format!("tree {tree} cannot be read")).caused_by(error))?;
            if entry.filename == name {
                return Ok(entry.mode.is_tree().then(|| entry.oid.to_owned()));
            }
        }
        Ok(None)
    }
}

/// Commits to look at, the newest first, of one second those that came first.
#[derive(Default)]
struct Queue {
    heap: BinaryHeap<(i64, Reverse<u32>, u32)>,
    pushed: u32,
}

impl Queue {
    fn push(&mut self, time: i64, at: u32) {
        self.pushed += 1;
        self.heap.push((time, Reverse(self.pushed), at));
    }

    fn pop(&mut self) -> Option<u32> {
        self.heap.pop().map(|(_, _, at)| at)
    }
}
