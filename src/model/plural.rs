//! Numbers of things, in English.

use std::fmt::Display;

/// `1 lesson`, `2 lessons`.
pub fn count(number: impl Display, noun: &str) -> String {
    let number = number.to_string();
    let s = if number == "1" { "" } else { "s" };
    format!("{number} {noun}{s}")
}
