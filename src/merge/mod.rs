//! How two versions become one, and what is different between them: pure, from bytes to bytes.
//!
//! Where the versions come from is `store`'s; what a person is told about the result is `ui`'s and the commands'.

pub mod account;
pub mod changes;
pub mod counters;
pub mod lessons;
pub mod text;

/// One of the two versions that are merged. In a rebase git calls the upstream's "ours": nothing but the order of the
/// parts of a conflict may depend on which is which.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Side {
    Ours,
    Theirs,
}

impl Side {
    pub fn other(self) -> Self {
        match self {
            Self::Ours => Self::Theirs,
            Self::Theirs => Self::Ours,
        }
    }

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ours => "ours",
            Self::Theirs => "theirs",
        }
    }
}
