//! The codes of findings: stable names with what each means and how bad it is. `marvel/README.md` lists the same ones, and
//! a test compares the two.

use crate::model::finding::Severity::{self, Error, Warning};

/// A kind of finding.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Code {
    pub name: &'static str,
    pub severity: Severity,
    pub meaning: &'static str,
}

macro_rules! codes {
    ($($constant:ident = $name:literal, $severity:ident, $meaning:literal;)*) => {
        $(pub const $constant: Code = Code { name: $name, severity: $severity, meaning: $meaning };)*
        /// Every code, grouped by what it is about.
        pub const ALL: &[Code] = &[$($constant),*];
    };
}

codes! {
    INVALID_UTF8 = "invalid-utf8", Error, "bytes that are not UTF-8";
    NUL_BYTE = "nul-byte", Error, "NUL bytes, mostly what an interrupted write left behind";
    BYTE_ORDER_MARK = "byte-order-mark", Warning, "a byte order mark; it is passed over";
    CRLF = "crlf", Warning, "lines that end with CR LF instead of LF";
    NO_FINAL_NEWLINE = "no-final-newline", Warning, "the last line has no end: the next one would be glued to it";
    CONFLICT_MARKER = "conflict-marker", Error, "a merge was not finished";

    INVALID_JSON = "invalid-json", Error, "not JSON";
    NOT_AN_OBJECT = "not-an-object", Error, "JSON, but no object";
    DUPLICATE_KEY = "duplicate-key", Error, "a key that stands twice in one object: only the last one counts";
    MISSING_FIELD = "missing-field", Error, "a required field is missing";
    EMPTY_FIELD = "empty-field", Error, "a required text is empty";
    WRONG_TYPE = "wrong-type", Error, "a field holds another type of value";
    INVALID_VALUE = "invalid-value", Error, "a value that its field does not allow";
    UNKNOWN_KEY = "unknown-key", Warning, "a field that the schema does not know; an error with --strict";
    INVALID_SCHEMA = "invalid-schema", Error, "a schema file of this repository cannot be used; the one in the binary was";

    INVALID_PACK_NAME = "invalid-pack-name", Error, "a folder or `name` that is not of the form a-z, 0-9, -";
    NAME_MISMATCH = "name-mismatch", Error, "`name` is not the folder's name";
    RESERVED_NAME = "reserved-name", Warning, "a name that some file systems cannot hold";
    CASE_COLLISION = "case-collision", Error, "two paths that differ in case only: one folder on many machines";
    MISSING_PACK_JSON = "missing-pack-json", Error, "a pack folder without `pack.json`";
    STRAY_FILE = "stray-file", Warning, "a file that no pack has";
    SYMLINK = "symlink", Error, "a symbolic link; links in packs are not followed";
    INVALID_VERSION = "invalid-version", Error, "`version` is no semantic version";
    UNKNOWN_DEPENDENCY = "unknown-dependency", Error, "`depends_on` names a pack that does not exist";
    DEPENDENCY_CYCLE = "dependency-cycle", Error, "packs that depend on each other in a circle";
    UNKNOWN_PACK = "unknown-pack", Warning, "the settings name a pack that does not exist";

    INVALID_GLOB = "invalid-glob", Error, "a glob that cannot be read";
    GLOB_NEVER_MATCHES = "glob-never-matches", Warning, "a glob or path that no file can match";
    GLOB_COMMA_LIST = "glob-comma-list", Warning, "several globs in one string";

    INVALID_TIMESTAMP = "invalid-timestamp", Error, "no ISO 8601 time";
    LOOSE_TIMESTAMP = "loose-timestamp", Warning, "ISO 8601, but not RFC 3339";
    NO_TIME_ZONE = "no-time-zone", Warning, "a time without a zone; read as UTC";
    FUTURE_TIMESTAMP = "future-timestamp", Warning, "a time more than 5 minutes from now";
    UNKNOWN_CATEGORY = "unknown-category", Warning, "a category that the pack does not list";
    DUPLICATE_ID = "duplicate-id", Error, "two lessons of one pack with the same id; the later one counts";
    NEAR_DUPLICATE = "near-duplicate", Warning, "a lesson or rule that probably says what another one says";
    CONTRADICTION = "contradiction", Warning, "a lesson or rule that probably says the opposite of another one";

    VAGUE = "vague", Warning, "a rule that nobody can check";
    TITLE_TOO_LONG = "title-too-long", Warning, "a title over 120 characters, or of several lines";
    LESSON_TOO_LONG = "lesson-too-long", Warning, "a line over 8,192 bytes, or a lesson that no injection can hold";
    GUARDRAILS_TOO_LONG = "guardrails-too-long", Warning, "guardrails that do not fit into their half of an injection";

    HIDDEN_CHARACTER = "hidden-character", Error, "an invisible, bidirectional, tag or control character";
    SOFT_HYPHEN = "soft-hyphen", Warning, "a soft hyphen, mostly copied along";
    SECRET = "secret", Error, "a key, token or password";
    POSSIBLE_SECRET = "possible-secret", Warning, "a long random word; reported in reviews only";
    HARNESS_TEXT = "harness-text", Error, "text that addresses the agent's harness or overrides its instructions";
    SHELL_COMMAND = "shell-command", Error, "an order to run what comes from the network, or to destroy or leak files";
    OWN_TAG = "own-tag", Warning, "our own tags; they are neutralised when they are injected";
    OUTSIDE_LINK = "outside-link", Warning, "a link out of the repository; reported in reviews only";
}

#[cfg(test)]
mod tests {
    use super::ALL;

    #[test]
    fn codes_are_kebab_case_and_differ() {
        let mut names: Vec<_> = ALL.iter().map(|code| code.name).collect();
        assert!(names.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-' || byte == b'8')));
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), ALL.len());
    }

    #[test]
    fn the_pack_format_lists_every_code() {
        let prose = include_str!("../../marvel/README.md");
        for code in ALL {
            let severity = format!("{:?}", code.severity).to_lowercase();
            let row = format!("| `{}` | {severity} | {} |", code.name, code.meaning);
            assert!(prose.contains(&row), "marvel/README.md lacks the row\n{row}");
        }
    }
}
