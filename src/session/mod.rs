//! One run as files, and what a hook reads: the standard library alone. No git, no terminal.

pub mod clock;
