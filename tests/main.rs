//! One test binary: a file per command or property, all in the sealed world that `support` makes.

#![allow(clippy::unwrap_used, clippy::disallowed_methods, clippy::print_stderr, reason = "tests")]

mod blame;
mod doctor;
mod edit;
mod evolve;
mod from_history;
mod git_hook;
mod globs;
mod health;
mod hook_bad_input;
mod hook_injection;
mod hook_prompts;
mod hook_session;
mod init;
mod layering;
mod lessons;
mod log;
mod merge_driver;
mod merge_laws;
mod pack;
mod promote;
mod real_client;
mod relevance;
mod review;
mod store_branch;
mod store_history;
mod store_overlay;
mod store_reading;
mod store_world;
mod support;
mod sync;
mod transcripts;
mod validate;
