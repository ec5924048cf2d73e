//! How a whole file that MARVEL wrote is known again, whatever version wrote it: a digest of the text stands in the text. One
//! whose digest holds is ours to replace or to take out; one that a person changed is theirs.

use sha2::{Digest as _, Sha256};

const MARK: &str = "marvel-seal: ";
const BLANK: &str = "0000000000000000";

/// What is to stand, once, in a text that gets sealed.
pub const PLACEHOLDER: &str = "marvel-seal: 0000000000000000";

/// Whose a file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Owner {
    /// As MARVEL wrote it.
    Us,
    /// MARVEL's once, changed since.
    Changed,
    Other,
}

/// The text with its digest in the place of the [`PLACEHOLDER`].
pub fn sign(text: &str) -> String {
    debug_assert_eq!(text.matches(PLACEHOLDER).count(), 1, "one place for the seal");
    text.replacen(BLANK, &digest(text), 1)
}

/// Git may have given the file other line ends.
pub fn owner(bytes: &[u8]) -> Owner {
    let Ok(text) = std::str::from_utf8(bytes) else { return Owner::Other };
    let text = text.replace("\r\n", "\n");
    let Some(at) = text.find(MARK).map(|at| at + MARK.len()) else { return Owner::Other };
    let Some(seal) = text.get(at..at + BLANK.len()) else { return Owner::Changed };
    let blank = format!("{}{BLANK}{}", &text[..at], &text[at + BLANK.len()..]);
    if digest(&blank) == seal { Owner::Us } else { Owner::Changed }
}

fn digest(text: &str) -> String {
    use std::fmt::Write as _;
    let mut hex = String::new();
    for byte in &Sha256::digest(text.as_bytes())[..BLANK.len() / 2] {
        let _ = write!(hex, "{byte:02x}");
    }
    hex
}

#[cfg(test)]
mod tests {
    use super::{Owner, PLACEHOLDER, owner, sign};

    #[test]
    fn a_changed_file_is_not_ours_any_more() {
        let text = sign(&format!("#!/bin/sh\n# {PLACEHOLDER}\nä\n"));
        assert_eq!(owner(text.as_bytes()), Owner::Us);
        assert_eq!(owner(text.replace('\n', "\r\n").as_bytes()), Owner::Us);
        assert_eq!(owner(format!("{text}x\n").as_bytes()), Owner::Changed);
        assert_eq!(owner(b"# marvel-seal: 12"), Owner::Changed);
        assert_eq!((owner(b"other"), owner(b"\xff")), (Owner::Other, Owner::Other));
    }
}
