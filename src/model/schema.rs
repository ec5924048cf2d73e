//! The JSON Schemas that ship with the binary and stand in a repository beside the packs. Checking is `check`'s.

/// `marvel/packs/_pack.schema.json`
pub const PACK: &str = include_str!("../../marvel/packs/_pack.schema.json");
/// `marvel/packs/_lesson.schema.json`
pub const LESSON: &str = include_str!("../../marvel/packs/_lesson.schema.json");
/// `marvel/_config.schema.json`
pub const CONFIG: &str = include_str!("../../marvel/_config.schema.json");
