//! A path inside the repository: relative to its root, `/` between components, no `.`, `..` or empty ones.
//! Where the root is, and what a link points to, is `session::root`'s.

use std::fmt;
use std::path::Path;

#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RepoPath(String);

impl RepoPath {
    /// Normalises a relative path: Windows separators, `a//b`, `./a`, `a/../b`, a trailing slash.
    /// `None` if it is absolute or leaves the repository.
    pub fn new(text: &str) -> Option<Self> {
        let mut parts: Vec<&str> = Vec::new();
        let drive = text.as_bytes().get(1) == Some(&b':') && text.as_bytes()[0].is_ascii_alphabetic();
        if text.starts_with(['/', '\\']) || drive {
            return None;
        }
        for part in text.split(['/', '\\']) {
            match part {
                "" | "." => {}
                ".." => {
                    parts.pop()?;
                }
                part => parts.push(part),
            }
        }
        Some(Self(parts.join("/")))
    }

    /// As [`RepoPath::new`], for a path of this system; bytes that are not UTF-8 are replaced.
    /// Where `\` is an ordinary character (not on Windows) it stays one.
    pub fn from_path(path: &Path) -> Option<Self> {
        use std::path::Component;
        let mut parts: Vec<String> = Vec::new();
        for component in path.components() {
            match component {
                Component::CurDir => {}
                Component::ParentDir => {
                    parts.pop()?;
                }
                Component::Normal(part) => parts.push(part.to_string_lossy().into_owned()),
                Component::RootDir | Component::Prefix(_) => return None,
            }
        }
        Some(Self(parts.join("/")))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The last component; empty for the root itself.
    pub fn file_name(&self) -> &str {
        self.0.rsplit_once('/').map_or(&self.0, |(_, name)| name)
    }

    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    pub fn components(&self) -> impl Iterator<Item = &str> {
        self.0.split('/').filter(|part| !part.is_empty())
    }
}

impl fmt::Display for RepoPath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::RepoPath;

    #[test]
    fn a_path_is_normalised_or_refused() {
        for (text, expected) in [
            ("src/a.ts", Some("src/a.ts")),
            ("./src//a.ts", Some("src/a.ts")),
            ("src\\api\\a.ts", Some("src/api/a.ts")),
            ("src/../lib/a.ts", Some("lib/a.ts")),
            ("src/", Some("src")),
            (".", Some("")),
            ("../x", None),
            ("a/../../x", None),
            ("/etc/passwd", None),
            ("C:\\a", None),
        ] {
            assert_eq!(RepoPath::new(text).as_ref().map(RepoPath::as_str), expected, "{text}");
        }
    }
}
