//! What is done: guidance that became a lesson, runs that were counted. A commit's trailer says so, or this clone's own
//! ledger; either is enough, so that neither a crash between the two nor a branch that a host deleted brings anything back.

use std::collections::HashSet;

use crate::error::{Context as _, Result};
use crate::evolve::life::Chronicle;
use crate::session::own;
use crate::session::root::Root;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Done {
    /// Ids of guidance.
    pub guidance: HashSet<String>,
    /// `<session>#<segment>`.
    pub segments: HashSet<String>,
}

impl Done {
    /// By every commit that history has, and by the ledger.
    pub fn read(root: &Root, chronicle: &Chronicle) -> Result<Self> {
        let mut done = Self::default();
        for entry in own::read(root).context(format!("{} cannot be read", own::path(root).display()))? {
            done.guidance.extend(entry.guidance);
            done.segments.extend(entry.segments);
        }
        done.guidance.extend(chronicle.events.iter().flat_map(|event| event.guidance.iter().cloned()));
        done.segments.extend(chronicle.segments().into_iter().map(str::to_owned));
        Ok(done)
    }
}
