//! What stands around the items: the tag, whose conventions these are and for which file, what the agent has to know
//! about the moment.

use super::Occasion;
use super::clean::{TAG, clean_path, units};
use crate::model::pack::PACKS_DIR;
use crate::model::repo_path::RepoPath;

#[derive(Clone, Debug)]
pub(super) struct Frame {
    pub open: String,
    pub close: String,
}

impl Frame {
    pub(super) fn new(file: &RepoPath, occasion: Occasion) -> Self {
        let file = clean_path(file.as_str());
        let note = match occasion {
            Occasion::Before => "",
            Occasion::Edit => "\nThis arrived after the edit was submitted: the edit may not follow it yet.\n",
            Occasion::Held => {
                "\nThe edit was held up once so that this is read first: check the edit against it, then submit it again.\n"
            }
        };
        Self {
            open: format!("<{TAG} file=\"{file}\">\nConventions of this repository's team ({PACKS_DIR}) for {file}.\n"),
            close: format!("{note}</{TAG}>"),
        }
    }

    pub(super) fn units(&self) -> usize {
        units(&self.open) + units(&self.close)
    }
}
