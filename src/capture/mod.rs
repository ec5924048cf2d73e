//! What the person meant, pure: text in, judgement out. Reading prompts is `hook`'s, keeping guidance is `session`'s.
//!
//! The way of a prompt: [`strip`] takes out what nobody typed, [`classify`] judges each sentence that is left,
//! [`category`] finds the pack that it speaks to, [`redact`] takes out secrets before anything is written,
//! [`candidates`] groups what was said into what a lesson could be. Commands alone look back: into what a client kept
//! (`transcript`) and into what people changed of an agent's lines (`rewrites`).

pub mod candidates;
pub mod category;
pub mod classify;
pub mod lang;
pub mod pattern;
pub mod redact;
#[cfg(feature = "cli")]
pub mod rewrites;
pub mod rows;
pub mod standing;
pub mod strip;
pub mod token;
#[cfg(feature = "cli")]
pub mod transcript;
pub mod wording;
