//! The headline that an agent starts with: which packs there are, and which of them the work at hand calls for.

use std::collections::BTreeMap;

use super::relevant::Scores;
use crate::inject::headline::session_start;
use crate::model::pack::{PackMeta, PackName};
use crate::model::repo_path::RepoPath;
use crate::session::packs::Packs;

/// Changed files that are looked at.
const MAX_CHANGED: usize = 50;

/// Empty where there are no packs. The same state of the repository gives the same text: a session that is resumed
/// would otherwise carry two of them.
pub fn compose(packs: &Packs, scores: &Scores, changed: &[RepoPath]) -> String {
    let mut called: BTreeMap<&PackName, (u32, Vec<&RepoPath>)> = BTreeMap::new();
    for file in changed.iter().take(MAX_CHANGED) {
        for scored in scores.of(packs, file).iter().filter(|scored| scored.selected) {
            let (best, files) = called.entry(&packs.metas()[scored.index].name).or_default();
            *best = (*best).max(scored.score);
            files.push(file);
        }
    }
    let mut called: Vec<_> = called.into_iter().collect();
    called.sort_by(|(a, (best_a, files_a)), (b, (best_b, files_b))| (best_b, files_b.len(), a).cmp(&(best_a, files_a.len(), b)));
    let called: Vec<_> = called.into_iter().map(|(name, (_, files))| (name, files)).collect();
    session_start(&packs.metas().iter().collect::<Vec<&PackMeta>>(), &called)
}
