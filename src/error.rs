//! The one error type that reaches a person, and the exit code that each kind of error means.
//!
//! Specific errors (a ref that moved, a line that does not parse) are enums beside the operation that raises
//! them; they become an [`Error`] where a command knows what the person should do about it. Printing is `ui`'s.

use std::error::Error as StdError;
use std::fmt;

/// Whose mistake it is: decides the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The user's data or request is wrong.
    User,
    /// The command line is wrong.
    Usage,
    /// Two versions disagree and a person has to choose.
    Conflict,
    /// A bug of ours.
    Bug,
}

impl Kind {
    pub fn exit_code(self) -> u8 {
        match self {
            Self::User => 1,
            Self::Usage => 2,
            Self::Conflict => 3,
            Self::Bug => 70,
        }
    }
}

/// What went wrong, where, why, and what to type next.
#[derive(Debug)]
pub struct Error {
    pub kind: Kind,
    pub message: String,
    pub source: Option<Box<dyn StdError + Send + Sync>>,
    pub hints: Vec<String>,
}

pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub fn new(kind: Kind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), source: None, hints: Vec::new() }
    }

    pub fn user(message: impl Into<String>) -> Self {
        Self::new(Kind::User, message)
    }

    pub fn usage(message: impl Into<String>) -> Self {
        Self::new(Kind::Usage, message)
    }

    pub fn conflict(message: impl Into<String>) -> Self {
        Self::new(Kind::Conflict, message)
    }

    pub fn bug(message: impl Into<String>) -> Self {
        Self::new(Kind::Bug, message)
    }

    pub fn caused_by(mut self, source: impl Into<Box<dyn StdError + Send + Sync>>) -> Self {
        self.source = Some(source.into());
        self
    }

    /// Adds what to type or look at next. Never name a command that destroys something.
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hints.push(hint.into());
        self
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl StdError for Error {
    fn source(&self) -> Option<&(dyn StdError + 'static)> {
        self.source.as_deref().map(|source| source as _)
    }
}

/// Turns a lower error into an [`Error`] with the sentence that says what was being done.
pub trait Context<T> {
    fn context(self, message: impl Into<String>) -> Result<T>;
}

impl<T, E: Into<Box<dyn StdError + Send + Sync>>> Context<T> for std::result::Result<T, E> {
    fn context(self, message: impl Into<String>) -> Result<T> {
        self.map_err(|source| Error::user(message).caused_by(source))
    }
}
