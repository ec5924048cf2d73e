//! What things are: plain data, read from bytes and written to bytes. No files, no git, no clock.

pub mod config;
pub mod finding;
pub mod forge;
pub mod glance;
pub mod guardrails;
pub mod guidance;
pub mod jsonl;
pub mod lesson;
pub mod likeness;
pub mod pack;
pub mod pack_files;
pub mod plural;
pub mod record;
pub mod repo_path;
pub mod schema;
pub mod timestamp;
pub mod tool;
pub mod visible;
pub mod words;
