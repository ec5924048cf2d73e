//! `marvel man`: the manual page, generated from the command line's definition.

use crate::error::{Error, Result};
use crate::ui::Report;

/// Print the manual page (view it with `marvel man | man -l -`)
#[derive(clap::Args)]
pub struct Args {}

pub fn run(_args: &Args) -> Result<Box<dyn Report>> {
    let mut page = Vec::new();
    clap_mangen::Man::new(super::definition())
        .render(&mut page)
        .map_err(|error| Error::bug("the manual page could not be made").caused_by(error))?;
    Ok(Box::new(Generated { text: String::from_utf8_lossy(&page).into_owned() }))
}

/// A text made from the command line's definition.
pub(super) struct Generated {
    pub(super) text: String,
}

impl Report for Generated {
    fn json(&self) -> serde_json::Value {
        serde_json::json!({ "text": self.text })
    }

    fn text(&self, out: &mut String) -> std::fmt::Result {
        out.push_str(&self.text);
        Ok(())
    }
}
