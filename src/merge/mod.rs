//! How two versions become one, and what is different between them: pure, from bytes to bytes.
//!
//! Where the versions come from is `store`'s; what a person is told about the result is `ui`'s and the commands'.

pub mod account;
pub mod changes;
pub mod counters;
#[cfg(feature = "cli")]
pub mod driver;
pub mod lessons;
#[cfg(feature = "cli")]
pub mod meta;
pub mod text;
mod three;

use std::fmt;

use account::Loss;

use crate::model::jsonl::is_conflict_marker;
use crate::model::visible;

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

/// Why nothing was merged. The files stay as they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// A side has a conflict marker at this line (from 1): an earlier merge was not finished.
    ConflictMarker { side: Side, line: usize },
    /// A side's `pack.json` is no JSON object.
    Unreadable { side: Side, reason: String },
    /// A bug of ours, found before it did any harm: the result would have lost something.
    Unaccounted(Vec<Loss>),
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::ConflictMarker { side, line } => {
                write!(f, "{} has a conflict marker in line {line}: an earlier merge was not finished", side.as_str())
            }
            Self::Unreadable { side, reason } => write!(f, "{} is no JSON object: {reason}", side.as_str()),
            Self::Unaccounted(losses) => {
                f.write_str("the merge would have lost something:")?;
                losses.iter().try_for_each(|loss| write!(f, " {loss};"))
            }
        }
    }
}

impl std::error::Error for Refused {}

/// The side that is as the base is, or as the other one.
fn unchanged_side(base: Option<&[u8]>, ours: &[u8], theirs: &[u8]) -> Option<Side> {
    if ours == theirs || base == Some(theirs) { Some(Side::Theirs) } else { (base == Some(ours)).then_some(Side::Ours) }
}

/// The line (from 1) of the first conflict marker.
fn first_marker(bytes: &[u8]) -> Option<usize> {
    bytes.split(|&byte| byte == b'\n').position(|line| is_conflict_marker(line.trim_ascii())).map(|at| at + 1)
}

/// A text of somebody's beside a conflict marker: one line, not long, nothing hidden in it.
fn label(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    visible::escape(&line).chars().take(60).collect()
}
