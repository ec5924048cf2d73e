//! Questions to a person on a terminal. Every one has a flag that answers it; callers ask `Ui::is_interactive` first.

use dialoguer::{Confirm, Editor, Input, Select, theme::ColorfulTheme};

use crate::error::{Error, Result};

/// A line of text, with a proposal to accept or change.
pub fn line(question: &str, proposal: &str) -> Result<String> {
    let theme = ColorfulTheme::default();
    let input = Input::<String>::with_theme(&theme).with_prompt(question).with_initial_text(proposal).allow_empty(true);
    answered(input.interact_text())
}

/// One of several; `None` where the person pressed escape.
pub fn choose(question: &str, choices: &[String]) -> Result<Option<usize>> {
    answered(Select::with_theme(&ColorfulTheme::default()).with_prompt(question).items(choices).default(0).interact_opt())
}

pub fn confirm(question: &str) -> Result<bool> {
    answered(Confirm::with_theme(&ColorfulTheme::default()).with_prompt(question).interact_opt())
        .map(|answer| answer.unwrap_or(false))
}

/// A longer text in the person's editor; `None` where it was left unsaved.
pub fn edit(text: &str) -> Result<Option<String>> {
    answered(Editor::new().extension(".json").edit(text))
}

fn answered<T>(answer: dialoguer::Result<T>) -> Result<T> {
    answer.map_err(|error| {
        Error::user("no answer came from the terminal").caused_by(error).hint("every question has a flag: see --help")
    })
}
