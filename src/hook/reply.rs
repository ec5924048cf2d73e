//! What an event comes to: the answer, and what is written down when it was given. The ledger holds only what was printed.

use std::io::{self, Write};

use super::scene::Scene;
use super::wire::Answer;
use crate::session::activity::{self, Activity};
use crate::session::file::Lock;
use crate::session::shown::{Entry, Ledger};

#[derive(Debug, Default)]
pub struct Reply {
    pub answer: Answer,
    /// The ledger, still locked, and what the answer adds to it.
    pub ledger: Option<(Ledger, Vec<Entry>)>,
    pub activity: Option<Activity>,
    /// Held until all is written down.
    pub lock: Option<Lock>,
}

impl Reply {
    /// Prints the answer, then writes down what it was.
    pub fn give(self, scene: &Scene<'_>, event: &str, output: impl Write) -> io::Result<()> {
        self.answer.write(event, output)?;
        if let Some((mut ledger, entries)) = self.ledger {
            for entry in entries {
                ledger.note(entry)?;
            }
        }
        if let Some(mut activity) = self.activity {
            activity.micros = Some(u64::try_from(scene.began.elapsed().as_micros()).unwrap_or(u64::MAX));
            activity::append(&scene.run_dir, &activity)?;
        }
        drop(self.lock);
        Ok(())
    }
}
