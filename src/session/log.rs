//! The log: what a hook could not say aloud. Small, rotated, private; writing it never fails anybody.

use std::fs;
use std::path::PathBuf;

use super::root::Root;
use super::{clock, file};

/// Beyond this the log becomes `log.1`, and a new one begins.
const MAX_BYTES: u64 = 256 * 1024;

pub fn path(root: &Root) -> PathBuf {
    root.data_dir().join("log")
}

/// Notes one line: when, which part of MARVEL, what. Never a person's words.
pub fn note(root: &Root, part: &str, message: &str) {
    let path = path(root);
    if fs::metadata(&path).is_ok_and(|metadata| metadata.len() > MAX_BYTES) {
        let _ = fs::rename(&path, path.with_extension("1"));
    }
    let message: String = message.chars().map(|char| if char.is_control() { ' ' } else { char }).take(2_000).collect();
    let _ = file::append_line(&path, &format!("{} {part}: {message}", clock::now()));
}

#[cfg(test)]
mod tests {
    use super::{MAX_BYTES, note, path};
    use crate::session::root::Root;

    #[test]
    fn the_log_stays_small_and_a_line_a_note() {
        let dir = tempfile::tempdir().unwrap();
        let root = Root { work_tree: None, git_dir: dir.path().to_owned(), common_dir: dir.path().to_owned() };
        note(&root, "test", "one\ntwo");
        assert!(std::fs::read_to_string(path(&root)).unwrap().ends_with(" test: one two\n"));
        for _ in 0..MAX_BYTES / 1_000 {
            note(&root, "test", &"x".repeat(3_000));
        }
        let size = |name: &str| std::fs::metadata(dir.path().join("marvel").join(name)).unwrap().len();
        assert!(size("log") < MAX_BYTES + 4_000 && size("log.1") < MAX_BYTES + 4_000);
    }
}
