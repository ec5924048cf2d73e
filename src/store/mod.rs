//! Packs in git: the only folder that names gix and the only one that starts git. Nothing with a type of gix leaves it.
//!
//! Objects, trees, commits and history go through gix; refs move through `git update-ref` alone; whatever gix has no
//! answer for (reftable, a missing object of a partial clone, signing) is git's to do.

pub mod checked;
pub mod id;
pub mod object;
pub mod process;
mod range;
pub mod refs;
mod repo;
pub mod tree;

pub use id::Id;
pub use repo::Repo;
