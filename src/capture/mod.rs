//! What the person meant, pure: text in, judgement out. Reading prompts is `hook`'s, keeping guidance is `session`'s.
//!
//! The way of a prompt: [`strip`] takes out what nobody typed, [`classify`] judges each sentence that is left,
//! [`category`] finds the pack that it speaks to, [`redact`] takes out secrets before anything is written,
//! [`candidates`] groups what was said into what a lesson could be.

pub mod candidates;
pub mod category;
pub mod classify;
pub mod lang;
pub mod pattern;
pub mod redact;
pub mod rewrites;
pub mod rows;
pub mod standing;
pub mod strip;
pub mod token;
pub mod transcript;
pub mod wording;
