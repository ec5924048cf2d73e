//! One run as files: where the repository is, what is in force in it, what was said, done and shown. Standard library
//! and JSON only, so that a hook pays for nothing else. Git objects and refs are `store`'s.

pub mod activity;
pub mod cache;
pub mod clock;
pub mod dismissed;
pub mod file;
pub mod guidance;
pub mod log;
mod meta_cache;
pub mod overlay;
pub mod own;
pub mod packs;
pub mod root;
pub mod run;
pub mod shown;
pub mod transcripts;
