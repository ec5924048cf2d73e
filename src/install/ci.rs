//! Workflow files for a host's continuous integration, ready to copy: they validate the packs of a pull request and post its
//! review.

pub const GITHUB: &str = include_str!("ci/github.yml");
pub const GITLAB: &str = include_str!("ci/gitlab.yml");
