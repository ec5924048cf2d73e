//! The name of a git object. Owned, plain, comparable: what leaves this layer instead of git's own types.

use std::fmt;

use serde::{Serialize, Serializer};

/// SHA-1 or SHA-256, as the repository says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Id(pub(super) gix::ObjectId);

impl Id {
    /// Takes a full hexadecimal name.
    pub fn parse(hex: &str) -> Option<Self> {
        gix::ObjectId::from_hex(hex.as_bytes()).ok().map(Self)
    }

    /// The first ten digits, for people.
    pub fn short(self) -> String {
        self.0.to_hex_with_len(10).to_string()
    }
}

impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl Serialize for Id {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
