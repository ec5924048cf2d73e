//! What two revisions had in common where they parted. What either has otherwise since is `merge::changes`' to say.

use std::collections::BTreeSet;

use super::checked::Checked;
use super::combine::combine;
use super::history::History;
use super::id::Id;
use super::repo::Repo;
use crate::error::Result;

impl Repo {
    /// The state where two revisions parted; an empty one where they share nothing. Of several merge bases it is what they
    /// come to when they are merged, as git does it; of more than two, of the two newest.
    pub fn fork_of(&self, one: Id, other: Id) -> Result<Checked> {
        let mut history = History::new(self)?;
        let bases = history.compare(one, other)?.bases;
        let Some((&first, others)) = bases.split_first() else { return Ok(Checked::default()) };
        let mut common = self.checked_at(first)?;
        if let Some(&second) = others.first() {
            let apart = history.compare(first, second)?;
            let both = combine(&mut history, self, first, second, &apart)?;
            // where the bases disagree themselves there is no common state but either one
            if both.conflicts.is_empty() {
                common.packs = both.files;
            }
            let links: BTreeSet<String> = common.links.into_iter().chain(self.checked_at(second)?.links).collect();
            common.links = links.into_iter().collect();
        }
        Ok(common)
    }
}
