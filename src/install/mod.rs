//! Everything that `init` puts into a repository and `doctor` looks at: hook entries in the client's settings, skills, git
//! hooks, the merge driver, starter packs. Each part works out what a file shall be; `plan` collects, shows and carries out.

pub mod change;
pub mod entries;
pub mod json_text;
pub mod place;
pub mod plan;
pub mod settings;
pub mod starter;
pub mod tailor;
