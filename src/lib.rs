//! MARVEL teaches a coding agent what its team has already learned, and keeps that knowledge in git.
//!
//! The layers, in reading order. Each may use those above it, never those below; a test reads the sources and holds
//! the arrows. Layers behind the feature `cli` are not linked into what a hook needs.

pub mod error;
/// What things are: plain data.
pub mod model;
