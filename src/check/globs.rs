//! Globs and paths of packs and lessons: what cannot be read, what can never match, several in one string. What they
//! match is `score::glob`'s.

use crate::score::glob::{Pattern, PatternError, looks_like_list};

use super::code::{self, Code};

/// What is wrong with one pattern, if anything: code, message, hint.
pub(super) fn problem(pattern: &str) -> Option<(Code, String, &'static str)> {
    let shown = super::shown(pattern);
    let never = |reason: &str| (code::GLOB_NEVER_MATCHES, format!("`{shown}` can never match: {reason}"));
    // a file's name may hold a comma; a list has a glob, a slash or a space beside it
    if looks_like_list(pattern) && pattern.contains(['*', '?', '{', '/', ' ']) {
        let message = format!("`{shown}` is one pattern with a comma in it, not several");
        return Some((code::GLOB_COMMA_LIST, message, "make each pattern an item of the list, or use braces: `**/*.{ts,tsx}`"));
    }
    if let Some((reason, hint)) = never_matches(pattern) {
        let (code, message) = never(reason);
        return Some((code, message, hint));
    }
    match Pattern::new(pattern) {
        Ok(_) => None,
        Err(PatternError::Outside) => {
            let (code, message) = never("`..` leaves the repository");
            Some((code, message, "write the path from the repository's root"))
        }
        Err(PatternError::Empty) => Some((code::EMPTY_FIELD, format!("`{shown}` names nothing"), "take it out")),
        Err(error) => {
            let hint = "put a `\\` before a `[`, `{`, `*` or `?` that stands for itself";
            Some((code::INVALID_GLOB, format!("`{shown}` is no valid glob: {error}"), hint))
        }
    }
}

/// Why no path of a repository can match, for a pattern that is well formed.
fn never_matches(pattern: &str) -> Option<(&'static str, &'static str)> {
    let drive = pattern.as_bytes().get(1) == Some(&b':') && pattern.as_bytes()[0].is_ascii_alphabetic();
    if pattern.trim() != pattern && !pattern.trim().is_empty() {
        Some(("there is white space around it", "take it out"))
    } else if pattern.contains("://") {
        Some(("a URL is no path", "links go into `references.doc_links`"))
    } else if drive || pattern.starts_with("~/") {
        Some(("paths are relative to the repository's root", "leave out what stands before it"))
    } else if pattern.starts_with('!') {
        Some(("a leading `!` does not negate", "list what to leave out in `excludes_paths`"))
    } else if slash_in_class(pattern) {
        Some(("`[…]` matches one character and never a `/`", "use braces: `{a,b/c}`"))
    } else {
        None
    }
}

fn slash_in_class(pattern: &str) -> bool {
    let mut rest = pattern;
    while let Some(open) = rest.find('[') {
        if rest[..open].ends_with('\\') {
            rest = &rest[open + 1..];
            continue;
        }
        let body = &rest[open + 1..];
        // `]` at the very beginning stands for itself
        let skip = body.len() - body.trim_start_matches(['!', '^']).len();
        let first = skip + usize::from(body[skip..].starts_with(']'));
        match body[first..].find(']') {
            Some(close) if body[..first + close].contains('/') => return true,
            Some(close) => rest = &body[first + close + 1..],
            None => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::problem;

    #[test]
    fn gl03_gl08_gl19_patterns_that_do_not_do_what_was_meant() {
        for (pattern, expected) in [
            ("**/node_modules", None),
            ("**/*.{ts,tsx}", None),
            ("src/api", None),
            ("src/api/", None),
            (".env*", None),
            ("app/\\[slug\\]/page.tsx", None),
            ("x[y*]z.md", None),
            ("[!a].rs", None),
            ("a,b.txt", None),
            ("[a,b]/*.ts", None),
            ("..", Some("glob-never-matches")),
            ("/", Some("empty-field")),
            ("**/*.{ts,tsx}, docs/**", Some("glob-comma-list")),
            ("src/**,docs/**", Some("glob-comma-list")),
            ("src, docs", Some("glob-comma-list")),
            ("/src/**", None),
            ("C:\\repo\\src", Some("glob-never-matches")),
            ("src\\api\\**", None),
            ("./src/**", None),
            ("../other/**", Some("glob-never-matches")),
            ("!src/**", Some("glob-never-matches")),
            (" src/**", Some("glob-never-matches")),
            ("src//api/**", None),
            ("[ab/cd].txt", Some("glob-never-matches")),
            ("https://example.com/**", Some("glob-never-matches")),
            ("src/{a,b/**", Some("invalid-glob")),
            ("src/[a.ts", Some("invalid-glob")),
        ] {
            assert_eq!(problem(pattern).map(|(code, ..)| code.name), expected, "{pattern}");
        }
    }
}
