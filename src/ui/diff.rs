//! Unified diffs of text files, as git shows them. Lesson-level changes are `merge::changes`'.

use std::fmt::{self, Write as _};

use similar::{ChangeTag, TextDiff};

use super::style;
use crate::model::visible;

/// Appends the diff of one file, with three lines of context; nothing where both are equal. `None` is a file that is not there.
pub fn unified(path: &str, before: Option<&[u8]>, after: Option<&[u8]>, out: &mut String) -> fmt::Result {
    if before == after {
        return Ok(());
    }
    let (old, new) = (String::from_utf8_lossy(before.unwrap_or_default()), String::from_utf8_lossy(after.unwrap_or_default()));
    let side = |prefix: char, present: bool| if present { format!("{prefix}/{path}") } else { "/dev/null".to_owned() };
    let title = style::TITLE;
    writeln!(out, "{title}--- {}{title:#}", visible::escape(&side('a', before.is_some())))?;
    writeln!(out, "{title}+++ {}{title:#}", visible::escape(&side('b', after.is_some())))?;
    for hunk in TextDiff::from_lines(&*old, &*new).unified_diff().context_radius(3).iter_hunks() {
        let faint = style::HUNK;
        writeln!(out, "{faint}{}{faint:#}", hunk.header())?;
        for change in hunk.iter_changes() {
            let (mark, color) = match change.tag() {
                ChangeTag::Equal => (' ', anstyle::Style::new()),
                ChangeTag::Delete => ('-', style::REMOVED),
                ChangeTag::Insert => ('+', style::ADDED),
            };
            let line = change.value().trim_end_matches('\n');
            writeln!(out, "{color}{mark}{}{color:#}", visible::escape(line))?;
            if change.missing_newline() {
                writeln!(out, "\\ No newline at end of file")?;
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::unified;

    #[test]
    fn a_diff_looks_as_git_shows_it() {
        let mut text = String::new();
        unified("p/a", Some(b"one\ntwo\n"), Some(b"one\n2\n"), &mut text).expect("a string takes all");
        unified("p/new", None, Some(b"x"), &mut text).expect("a string takes all");
        unified("p/same", Some(b"x"), Some(b"x"), &mut text).expect("a string takes all");
        let plain = anstream::adapter::strip_str(&text).to_string();
        assert_eq!(
            plain,
            "--- a/p/a\n+++ b/p/a\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n--- /dev/null\n+++ b/p/new\n@@ -0,0 +1 @@\n+x\n\\ No newline at end of file\n"
        );
    }
}
