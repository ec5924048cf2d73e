//! How two versions become one, and what is different between them: pure, from bytes to bytes.
//!
//! Where the versions come from is `store`'s; what a person is told about the result is `ui`'s and the commands'.

pub mod changes;
pub mod text;
