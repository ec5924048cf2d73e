//! How results, talk and errors reach a person or a program. Results go to standard output, talk to standard error.
//! What is said is the commands' business; here is only how it looks.

pub mod changes;
pub mod commits;
pub mod diff;
mod error;
pub mod findings;
pub mod markdown;
pub mod origin;
pub mod progress;
pub mod prompt;
pub mod style;
pub mod table;
pub mod words;

use std::fmt::{Display, Write as _};
use std::io::{self, IsTerminal as _, Write as _};

use anstream::{AutoStream, ColorChoice};
use serde::Serialize;

use crate::error::Error;

/// What a command found or did: returned by it, printed here, once.
pub trait Report {
    /// The JSON document's fields; `"version": 1` is added.
    fn json(&self) -> serde_json::Value;

    /// The text for a person, with ANSI colours: they are taken out where the stream does not take them. Text from packs and
    /// prompts must have gone through `visible::escape`.
    fn text(&self, out: &mut String) -> std::fmt::Result;

    /// Whether the command itself was asked for JSON (`--format json`), as `--json` does it for all.
    fn wants_json(&self) -> bool {
        false
    }

    /// 0, or the code that says what the result means.
    fn exit_code(&self) -> u8 {
        0
    }
}

/// How the person wants to be talked to.
#[derive(Clone, Copy, Debug)]
pub struct Ui {
    pub json: bool,
    pub quiet: bool,
    pub color: ColorChoice,
}

impl Ui {
    /// Prints a result; a reader that went away is no error.
    pub fn print(&self, report: &dyn Report) -> Result<u8, Error> {
        let text = if self.json || report.wants_json() {
            document(report.json())
        } else {
            let mut text = String::new();
            report.text(&mut text).map_err(|error| Error::bug("a result could not be formatted").caused_by(error))?;
            text
        };
        self.write(&text)?;
        Ok(report.exit_code())
    }

    /// Writes finished text to standard output.
    pub fn write(&self, text: &str) -> Result<(), Error> {
        let mut out = AutoStream::new(io::stdout(), self.color).lock();
        match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
            Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
                Err(Error::user("cannot write to standard output").caused_by(error))
            }
            _ => Ok(()),
        }
    }

    /// Says something on the way, on standard error; not with `--quiet`.
    pub fn note(&self, message: impl Display) {
        if !self.quiet {
            self.talk(&format!("{message}\n"));
        }
    }

    /// Warns on standard error, quiet or not.
    pub fn warn(&self, message: impl Display) {
        let warning = style::WARNING;
        self.talk(&format!("{warning}warning:{warning:#} {message}\n"));
    }

    pub fn error(&self, error: &Error) {
        let mut text = String::new();
        let _ = error::render(error, &mut text);
        self.talk(&text);
    }

    /// Whether a person sits at both ends, so that questions make sense.
    pub fn is_interactive(&self) -> bool {
        !self.json && !self.quiet && io::stdin().is_terminal() && io::stdout().is_terminal() && io::stderr().is_terminal()
    }

    fn talk(&self, text: &str) {
        let mut err = AutoStream::new(io::stderr(), self.color).lock();
        let _ = err.write_all(text.as_bytes());
    }
}

/// A JSON document as printed: two spaces, `version` first.
fn document(body: serde_json::Value) -> String {
    #[derive(Serialize)]
    struct Document {
        version: u32,
        #[serde(flatten)]
        body: serde_json::Value,
    }
    let mut text = serde_json::to_string_pretty(&Document { version: 1, body }).expect("plain data always serialises");
    let _ = writeln!(text);
    text
}
