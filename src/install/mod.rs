//! Everything that `init` puts into a repository and `doctor` looks at: hook entries in the client's settings, skills, git
//! hooks, the merge driver, starter packs. Each part works out what a file shall be; `plan` collects, shows and carries out.

pub mod change;
pub mod ci;
pub mod client;
pub mod diagnosis;
pub mod entries;
pub mod git_hooks;
pub mod json_text;
pub mod merge_driver;
pub mod place;
pub mod plan;
pub mod reach;
mod record;
pub mod seal;
pub mod settings;
pub mod skills;
pub mod starter;
pub mod state;
pub mod tailor;

pub use reach::{Reach, reach};
pub use state::Installed;
