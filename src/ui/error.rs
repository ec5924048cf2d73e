//! The one printer of errors: what went wrong, why, what to do.

use std::error::Error as _;
use std::fmt::{self, Write};

use super::style;
use crate::error::{Error, Kind};
use crate::model::visible;

pub(super) fn render(error: &Error, out: &mut String) -> fmt::Result {
    let (red, cyan) = (style::ERROR, style::HINT);
    let what = if error.kind == Kind::Bug { "internal error" } else { "error" };
    writeln!(out, "{red}{what}:{red:#} {}", visible::escape(&error.message))?;
    let mut source = error.source();
    while let Some(cause) = source {
        let text = cause.to_string();
        for (i, line) in text.trim_end().lines().enumerate() {
            let label = if i == 0 { "caused by:" } else { "          " };
            writeln!(out, "{label} {}", visible::escape(line))?;
        }
        source = cause.source();
    }
    for hint in &error.hints {
        writeln!(out, "{cyan}hint:{cyan:#} {}", visible::escape(hint))?;
    }
    if error.kind == Kind::Bug {
        writeln!(out, "{cyan}hint:{cyan:#} this is a bug of marvel; please report it with the command that you typed")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::render;
    use crate::error::Error;

    #[test]
    fn an_error_says_what_why_and_what_to_do() {
        let error = Error::user("cannot read \u{1b}[2J`a`").caused_by("no such file\nat all").hint("type `b`");
        let mut text = String::new();
        render(&error, &mut text).expect("a string takes all");
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(plain, "error: cannot read \\u001b[2J`a`\ncaused by: no such file\n           at all\nhint: type `b`\n");
    }
}
