//! A lesson as a change of the packs branch: the line that is added, with the message that says why. Committing it is
//! `branch`'s, what the clone remembers of it is `publish`'s.

use super::branch::{Change, Edited};
use super::lines::refused;
use super::message::{Action, Message};
use crate::error::Result;
use crate::model::lesson::Lesson;
use crate::model::pack::{LESSONS_FILE, PackName};
use crate::model::pack_files::PackFiles;

/// A lesson that somebody wants in a pack.
#[derive(Clone, Debug)]
pub struct Proposal {
    pub action: Action,
    pub pack: PackName,
    pub lesson: Lesson,
    /// One line: on what evidence.
    pub why_now: Option<String>,
    /// The guidance that is done with it.
    pub guidance: Vec<String>,
}

impl Proposal {
    /// Appends the lesson to its pack, on whatever tip the change is built.
    pub fn change(&self) -> Change<'_> {
        let mut message = Message::about(self.action, &self.pack, &self.lesson, self.why_now.as_deref());
        message.trailers.guidance.clone_from(&self.guidance);
        Change::new(message, |packs| self.append(packs))
    }

    fn append(&self, packs: &PackFiles) -> Result<Edited> {
        let mut lessons = packs.lessons(&self.pack);
        if let Some(there) = lessons.find(&self.lesson.id) {
            return Ok(Edited::Nothing(format!("the branch has it already, as {}", there.id)));
        }
        lessons.append(&self.lesson.to_record()).map_err(|error| refused(&self.pack, error))?;
        let mut after = packs.clone();
        after.set_file(&self.pack, LESSONS_FILE, lessons.to_bytes());
        Ok(Edited::Packs(after))
    }
}
