//! Which lessons live, pure: what became of every injection, how useful a lesson is, and whether it graduates, needs
//! strengthening, or is pruned. Plain data in, reasons out; where the data comes from is `session`'s and `store`'s.

pub mod evidence;
pub mod graduate;
pub mod key;
pub mod life;
pub mod outcomes;
pub mod premise;
pub mod prune;
pub mod report;
pub mod rule;
pub mod strengthen;
pub mod utility;
