//! MARVEL teaches a coding agent what its team has already learned, and keeps that knowledge in git.
//!
//! The layers, in reading order. Each may use those above it, never those below; a test reads the sources and holds
//! the arrows. Layers behind the feature `cli` are not linked into what a hook needs.

pub mod error;

/// What things are: plain data.
pub mod model;

/// How relevant a pack or a lesson is to a file, pure.
pub mod score;

/// What the person meant, pure.
pub mod capture;

/// How two versions become one, and what is different between them, pure.
pub mod merge;

/// What is wrong with the packs, pure.
#[cfg(feature = "cli")]
pub mod check;

/// Which lessons live, pure.
pub mod evolve;

/// What is put before the agent, pure.
pub mod inject;

/// One run as files, and the packs in force.
pub mod session;

/// Packs in git: the only layer that names gix and starts git.
#[cfg(feature = "cli")]
pub mod store;

/// Door 1: what the client calls at every event.
pub mod hook;

/// How results, talk and errors look on a terminal, in a pipe, as JSON.
#[cfg(feature = "cli")]
pub mod ui;

/// Settings, skills, git hooks: what `init` puts into a repository.
#[cfg(feature = "cli")]
pub mod install;

/// Door 2: one file per command.
#[cfg(feature = "cli")]
pub mod commands;
