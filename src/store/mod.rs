//! Packs in git: the only folder that names gix and the only one that starts git. Nothing with a type of gix leaves it.
//!
//! Objects, trees, commits and history go through gix; refs move through `git update-ref` alone; whatever gix has no
//! answer for (reftable, a missing object of a partial clone, signing) is git's to do.

pub mod branch;
pub mod changed;
pub mod checked;
mod chronicle;
pub mod combine;
pub mod done;
mod fork;
pub mod history;
pub mod id;
pub mod identity;
mod in_force;
pub mod lines;
pub mod message;
pub mod object;
pub mod overlay;
mod packed;
pub mod patches;
pub mod premise;
pub mod process;
pub mod proposal;
pub mod publish;
mod range;
pub mod recency;
pub mod refs;
pub mod remote;
mod repo;
mod stand;
mod swap;
pub mod sync;
pub mod told;
pub mod topic;
pub mod tree;
mod versions;
mod write;

pub use id::Id;
pub use repo::Repo;
