//! The one matcher of paths: what packs, lessons and commands write where they mean files. A pattern is a plain path
//! or a glob; the path it is held against is never read as a pattern. Which list it stands in is the caller's to know.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::fmt;

use globset::{GlobBuilder, GlobMatcher};

use super::spelling::{Look, literals_occur, tidy, translate, unescape};
use super::wild::{self, End};
use crate::model::repo_path::RepoPath;

/// Longer ones are refused: nobody writes them, and compiling them takes as long as they are.
pub const MAX_LENGTH: usize = 4096;

/// Why a text is no pattern.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatternError {
    /// It names nothing: empty, `.`, `/`.
    Empty,
    /// It leaves the repository with `..` and can never match.
    Outside,
    TooLong,
    /// A bracket or brace that is not closed, a range the wrong way round and the like.
    Syntax(String),
}

impl fmt::Display for PatternError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("it names nothing"),
            Self::Outside => f.write_str("`..` leaves the repository: it can never match"),
            Self::TooLong => write!(f, "longer than {MAX_LENGTH} bytes"),
            Self::Syntax(reason) => f.write_str(reason),
        }
    }
}

impl std::error::Error for PatternError {}

/// A plain path or a glob. Cheap to make: a glob is compiled when it is first held against a path that has its
/// literal parts, and kept.
///
/// - A plain path matches itself and all beneath it, as a run of whole components at any depth: `src/api` matches
///   `apps/x/src/api/a.ts`, not `src/api2/a.ts`. With a slash in front only from the root.
/// - A glob matches the whole path from the root; without a slash at any depth. `*` and `?` do not cross `/`, `**` does.
///   Dots are ordinary characters. A glob that ends with a plain name may mean a folder: all beneath it matches too.
/// - A slash at the end means the folder's contents alone.
/// - `[slug]` and `{id}` also match themselves as they are spelled: folders have such names.
/// - `\` before a special character takes its meaning away; before a letter it is a Windows separator, and then they
///   all are.
#[derive(Debug)]
pub struct Pattern<'a> {
    /// Without slashes at its ends.
    body: Cow<'a, str>,
    kind: Kind,
    /// From the root only.
    anchored: bool,
    /// Whether it has a slash between components.
    slash: bool,
    end: End,
    compiled: OnceCell<Option<Box<GlobMatcher>>>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// Matches nothing: not a pattern.
    Nothing,
    Plain,
    /// Only `*`, `?` and `**`: matched as it stands, which is faster than compiling it.
    Wild,
    /// Classes, braces or escapes. `spelled`: it could also be a plain path with such names in it.
    Glob {
        spelled: bool,
    },
}

impl<'a> Pattern<'a> {
    /// Reads a pattern and says what is wrong with it.
    pub fn new(text: &'a str) -> Result<Self, PatternError> {
        let pattern = Self::lazy(text);
        if text.len() > MAX_LENGTH {
            return Err(PatternError::TooLong);
        }
        if pattern.kind == Kind::Nothing {
            let outside = pattern.body.split('/').any(|part| part == "..");
            return Err(if outside { PatternError::Outside } else { PatternError::Empty });
        }
        if let Kind::Glob { .. } = pattern.kind {
            pattern.build().map_err(|error| PatternError::Syntax(error.kind().to_string()))?;
        }
        Ok(pattern)
    }

    /// As [`Pattern::new`], without looking for mistakes: a text that is no pattern matches nothing. For the hot path.
    pub fn lazy(text: &'a str) -> Self {
        let look = Look::at(text);
        if look.windows || look.untidy {
            let text = tidy(text, look.windows);
            let look = Look { windows: false, ..Look::at(&text) };
            Self::tidied(Cow::Owned(text), look)
        } else {
            Self::tidied(Cow::Borrowed(text), look)
        }
    }

    fn tidied(text: Cow<'a, str>, look: Look) -> Self {
        let rooted = text.starts_with('/');
        let folder = text.ends_with('/');
        let mut body = match text {
            text if !rooted && !folder => text,
            Cow::Borrowed(text) => Cow::Borrowed(text.trim_matches('/')),
            Cow::Owned(text) => Cow::Owned(text.trim_matches('/').to_owned()),
        };
        let kind = match (look.special, look.wild) {
            _ if look.outside || body.is_empty() => Kind::Nothing,
            (true, wild) => Kind::Glob { spelled: !wild },
            (false, true) if look.escaped => Kind::Glob { spelled: false },
            (false, true) => Kind::Wild,
            (false, false) => Kind::Plain,
        };
        if kind == Kind::Plain && look.escaped {
            body = Cow::Owned(unescape(&body));
        }
        let slash = look.slash && body.contains('/');
        let end = match (folder, kind) {
            (true, _) => End::Beneath,
            (false, Kind::Plain | Kind::Nothing) => End::Within,
            (false, Kind::Wild | Kind::Glob { .. }) => {
                let last = body.bytes().rev().take_while(|&byte| byte != b'/');
                let open = last.into_iter().any(|byte| matches!(byte, b'*' | b'?' | b'[' | b']'));
                if open { End::Exact } else { End::Within }
            }
        };
        let anchored = rooted || (kind != Kind::Plain && slash);
        Self { body, kind, anchored, slash, end, compiled: OnceCell::new() }
    }

    /// Whether this is a glob, and not a plain path.
    pub fn is_glob(&self) -> bool {
        matches!(self.kind, Kind::Wild | Kind::Glob { .. })
    }

    pub fn matches(&self, path: &RepoPath) -> bool {
        self.hits(path.as_str(), self.anchored)
    }

    /// As an entry of `excludes_paths`: a plain path with a slash is a prefix, from the root only.
    pub fn excludes(&self, path: &RepoPath) -> bool {
        self.hits(path.as_str(), self.anchored || self.slash)
    }

    fn hits(&self, path: &str, anchored: bool) -> bool {
        if path.is_empty() {
            return false;
        }
        match self.kind {
            Kind::Nothing => false,
            Kind::Plain => self.is_run_of(path, anchored),
            Kind::Wild => wild::matches(&self.body, path, !anchored, self.end),
            Kind::Glob { spelled } => (spelled && self.is_run_of(path, anchored)) || self.glob_hits(path),
        }
    }

    /// Whether the body stands in the path as whole components.
    fn is_run_of(&self, path: &str, anchored: bool) -> bool {
        let body = &*self.body;
        let ends_well = |rest: &str| match self.end {
            End::Beneath => rest.starts_with('/'),
            End::Exact | End::Within => rest.is_empty() || rest.starts_with('/'),
        };
        if path.strip_prefix(body).is_some_and(ends_well) {
            return true;
        }
        !anchored
            && path.len() > body.len()
            && path.match_indices('/').any(|(at, _)| path[at + 1..].strip_prefix(body).is_some_and(ends_well))
    }

    fn glob_hits(&self, path: &str) -> bool {
        if self.body.len() > MAX_LENGTH || !literals_occur(&self.body, path) {
            return false;
        }
        let compiled = self.compiled.get_or_init(|| self.build().ok().map(|glob| Box::new(glob.compile_matcher())));
        let Some(matcher) = compiled else { return false };
        (self.end != End::Beneath && matcher.is_match(path))
            || (self.end != End::Exact && path.match_indices('/').any(|(at, _)| matcher.is_match(&path[..at])))
    }

    fn build(&self) -> Result<globset::Glob, globset::Error> {
        let text = translate(&self.body);
        let text = if self.anchored { text } else { format!("**/{text}") };
        GlobBuilder::new(&text).literal_separator(true).backslash_escape(true).empty_alternates(true).build()
    }
}

/// Whether a text looks like several patterns in one string: a comma outside braces and brackets, as other tools' lists
/// have them.
pub fn looks_like_list(text: &str) -> bool {
    let (mut depth, mut class, mut escaped) = (0_usize, false, false);
    text.bytes().any(|byte| {
        match byte {
            _ if escaped => {
                escaped = false;
                return false;
            }
            b'\\' => escaped = true,
            b'[' => class = true,
            b']' => class = false,
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        byte == b',' && depth == 0 && !class
    })
}

#[cfg(test)]
mod tests {
    use super::{Pattern, PatternError, looks_like_list};
    use crate::model::repo_path::RepoPath;

    /// A pattern, the paths that it matches, the paths that it does not.
    type Row = (&'static str, &'static [&'static str], &'static [&'static str]);

    fn check(rows: &[Row]) {
        for (text, hits, misses) in rows {
            let pattern = Pattern::new(text).unwrap_or_else(|error| panic!("{text}: {error}"));
            let lazy = Pattern::lazy(text);
            for (paths, expected) in [(hits, true), (misses, false)] {
                for path in *paths {
                    let path = RepoPath::from_path(path.as_ref()).unwrap();
                    assert_eq!(pattern.matches(&path), expected, "{text} against {path}");
                    assert_eq!(lazy.matches(&path), expected, "{text} against {path}");
                }
            }
        }
    }

    #[test]
    fn a_plain_path_is_a_run_of_whole_components() {
        check(&[
            ("src/api", &["src/api", "src/api/a.ts", "apps/x/src/api/a.ts"], &["src/api2/a.ts", "mysrc/api/a.ts", "src/x/api"]),
            ("src/api/", &["src/api/a.ts", "apps/x/src/api/a.ts"], &["src/api", "src/apis/a.ts"]),
            ("/src/api", &["src/api/a.ts"], &["apps/x/src/api/a.ts"]),
            ("./src/api", &["src/api/a.ts"], &["apps/x/src/api/a.ts"]),
            ("src//api/.", &["src/api/a.ts"], &["src/a.ts"]),
            ("CLAUDE.md", &["CLAUDE.md", "a/CLAUDE.md"], &["NOTCLAUDE.md", "CLAUDE.md.txt", "claude.md"]),
            ("a/a/b", &["a/a/a/b"], &["a/b"]),
        ]);
    }

    #[test]
    fn an_exclude_is_a_prefix_of_whole_components_or_a_glob() {
        for (text, path, expected) in [
            ("vendor", "vendor/a.js", true),
            ("vendor", "vendored/a.js", false),
            ("vendor", "packages/x/vendor/a.js", true),
            ("node_modules/", "node_modules/react/index.js", true),
            ("node_modules/", "apps/web/node_modules/react/index.js", true),
            ("node_modules/", "node_modules", false),
            ("src/gen", "src/gen/a.ts", true),
            ("src/gen", "apps/x/src/gen/a.ts", false),
            ("src/gen", "src/generated/a.ts", false),
            ("*.min.js", "lib/a.min.js", true),
            ("**/dist/**", "packages/x/dist/a.js", true),
            ("", "a.ts", false),
            ("dist\\", "dist/a.ts", true),
            ("Dist/", "dist/a.ts", false),
        ] {
            let path = RepoPath::new(path).unwrap();
            assert_eq!(Pattern::lazy(text).excludes(&path), expected, "{text} against {path}");
        }
    }

    #[test]
    fn a_glob_that_ends_with_a_name_may_mean_a_folder() {
        check(&[
            (
                "packages/*/src",
                &["packages/web/src", "packages/web/src/a/b.ts"],
                &["packages/web/srcs/a.ts", "packages/src/a.ts"],
            ),
            ("apps/{web,api}", &["apps/web/a.ts", "apps/api"], &["apps/webs/a.ts", "x/apps/web/a.ts"]),
            ("src/*", &["src/a.ts"], &["src/a/b.ts"]),
            ("src/*/", &["src/a/b.ts", "src/a/b/c.ts"], &["src/a.ts"]),
            ("**/.env*", &[".env", "a/.envrc"], &[".env/x"]),
        ]);
    }

    #[test]
    fn what_is_no_pattern_is_refused_with_the_reason() {
        for text in ["", ".", "/", "./", "//"] {
            assert_eq!(Pattern::new(text).map(|_| ()), Err(PatternError::Empty), "{text}");
        }
        for text in ["../x", "a/../../b", "x/.."] {
            assert_eq!(Pattern::new(text).map(|_| ()), Err(PatternError::Outside), "{text}");
        }
        for text in ["src/[a", "{a,b", "a}", "{a", "a{b,{c}"] {
            assert!(matches!(Pattern::new(text), Err(PatternError::Syntax(_))), "{text}");
            assert!(!Pattern::lazy(text).matches(&RepoPath::new("src/a").unwrap()), "{text}");
        }
        assert_eq!(Pattern::new(&"a".repeat(5000)).map(|_| ()), Err(PatternError::TooLong));
    }

    #[test]
    fn windows_separators_in_a_pattern_are_separators() {
        check(&[
            ("src\\auth\\**", &["src/auth/a.ts"], &["src/b.ts"]),
            ("src\\auth", &["x/src/auth/a.ts"], &["src/authn/a.ts"]),
            ("\\src\\auth", &["src/auth/a.ts"], &["x/src/auth/a.ts"]),
        ]);
    }

    #[test]
    fn gl01_a_star_does_not_cross_a_slash() {
        check(&[("lib/*/spec.rb", &["lib/a/spec.rb"], &["lib/a/b/spec.rb", "lib/spec.rb"])]);
    }

    #[test]
    fn gl02_without_a_slash_a_glob_matches_the_name_at_any_depth() {
        check(&[
            ("c*.py", &["core/cache.py", "sub/core.py", "c.py"], &["core/x.py"]),
            ("foo*bar", &["foobar"], &["foo/baz/bar"]),
        ]);
    }

    #[test]
    fn gl03_a_leading_double_star_means_the_root_too() {
        check(&[
            ("**/node_modules", &["node_modules", "node_modules/a.js", "x/node_modules/y/a.js"], &["node_modules2/a.js"]),
            ("**/*.log", &["a.log", "x/a.log"], &["a.log.txt"]),
            ("*.log", &["a.log", "x/a.log"], &["a.logs"]),
        ]);
    }

    #[test]
    fn gl04_double_stars_may_stand_for_no_folder_at_all() {
        check(&[
            ("**/**/foo", &["foo", "a/foo", "a/b/foo"], &["afoo"]),
            ("a/**/b", &["a/b", "a/x/b", "a/x/y/b"], &["ab", "x/a/b"]),
            ("a/**", &["a/x", "a/x/y"], &["a", "ab/x", "x/a/y"]),
            ("**/", &["a/b"], &["a"]),
            ("**", &["a", "a/b"], &[]),
            ("**/*", &["a", "a/b"], &[]),
            ("a/**/**/b", &["a/b", "a/x/b"], &["a"]),
            ("**/a/**/b/**", &["a/b/c", "x/a/y/a/b/z/b/q"], &["a/b", "b/a/c"]),
        ]);
    }

    #[test]
    fn gl05_dots_are_ordinary_characters() {
        check(&[
            (".env*", &[".env", ".env.local", "a/.env", ".environment.ts"], &["a.env"]),
            ("**/*.env", &[".env", "a/.env", "a/b.env"], &[".envrc"]),
            (".github/**", &[".github/w.yml"], &["github/w.yml", ".github"]),
            ("*", &[".a", "a/.b"], &[]),
        ]);
    }

    #[test]
    fn gl06_folders_with_brackets_are_matched_as_they_are_spelled() {
        const PAGE: &str = "app/(shop)/[slug]/page.tsx";
        check(&[
            ("app/(shop)/[slug]/page.tsx", &[PAGE, "app/(shop)/s/page.tsx"], &["app/(shop)/slug/page.tsx"]),
            ("app/**/page.tsx", &[PAGE], &[]),
            ("app/(shop)/\\[slug\\]/page.tsx", &[PAGE], &["app/(shop)/s/page.tsx"]),
            ("app/(shop)/[[]slug]/page.tsx", &[PAGE], &[]),
            ("app/(shop)/[[]slug[]]/*.tsx", &[PAGE], &["app/(shop)/s/page.tsx"]),
            ("app/*/[slug]/**", &[PAGE, "app/x/[slug]/a/b"], &["app/x/slug/a"]),
            ("app/(shop)/[slug]/", &[PAGE], &["app/(shop)/[slug]"]),
            ("(shop)", &[PAGE], &["app/shop/a"]),
            ("[...all]/*.ts", &["[...all]/a.ts", "l/a.ts"], &["all/a.ts"]),
            ("app/[[...slug]]/*.tsx", &["app/[[...slug]]/page.tsx"], &["app/slug/page.tsx"]),
            ("app/[user-id]/**", &["app/[user-id]/page.tsx", "app/u/page.tsx"], &["app/p/page.tsx"]),
            ("routes/{id}.ts", &["routes/{id}.ts", "routes/id.ts"], &["routes/i.ts"]),
            ("routes/{id}/**", &["routes/{id}/a.ts", "routes/id/a.ts"], &["routes/x/a.ts"]),
            ("app\\[slug]\\page.tsx", &["app/[slug]/page.tsx"], &[]),
        ]);
    }

    #[test]
    fn gl08_braces_hold_lists_and_a_bare_comma_is_noticed() {
        check(&[
            ("**/*.{ts,tsx}", &["a.ts", "x/a.tsx"], &["a.t"]),
            ("foo{,.txt}", &["foo", "foo.txt"], &["foo.tx"]),
            ("{src,lib}/**/*.{c,h}", &["src/a.c", "lib/x/y.h"], &["test/a.c"]),
        ]);
        assert!(looks_like_list("**/*.{ts,tsx}, docs/**"));
        assert!(!looks_like_list("**/*.{ts,tsx}"));
    }

    #[test]
    fn gl12_windows_paths_are_the_same_paths() {
        let path = RepoPath::new("Sub\\a.py").unwrap();
        assert!(Pattern::lazy("Sub/**").matches(&path));
    }

    #[test]
    fn gl11_a_glob_with_a_slash_stands_at_the_root() {
        check(&[
            ("migrations/**", &["migrations/1.sql"], &["db/migrations/1.sql"]),
            ("**/migrations/**", &["migrations/1.sql", "db/migrations/1.sql"], &[]),
        ]);
    }

    #[test]
    fn gl19_classes_are_gits() {
        check(&[
            ("x[y*]z.md", &["x*z.md", "xyz.md"], &["xaz.md"]),
            ("[ab/cd].txt", &["a.txt", "d.txt"], &["e.txt"]),
            ("[!a].rs", &["b.rs", "x/b.rs"], &["a.rs"]),
            ("[^a].rs", &["b.rs"], &["a.rs"]),
            ("x[!a]y", &["xby"], &["x/y"]),
            ("[a-]", &["a", "-"], &["b"]),
            ("[]a]b", &["]b", "ab"], &["cb"]),
            ("x[\\]]y", &["x]y"], &["x\\y"]),
            ("x[\\]-a]y", &["x]y", "xay"], &["xby"]),
            ("x[a\\-c]y", &["x-y", "xay", "xcy"], &["xby"]),
            ("x[\\^a]y", &["x^y", "xay"], &["xby"]),
            ("x[\\^]y", &["x^y"], &["xay"]),
            ("x[\\!\\-]y", &["x!y", "x-y"], &["xay"]),
            ("x[[:digit:]a]y", &["x1y", "xay"], &["xby"]),
            ("x[z-a]y", &[], &["xzy", "xay", "x-y", "xy"]),
            ("x[!z-a]y", &["xay"], &["x/y", "xy"]),
            ("x[%--]y", &["x-y", "x&y"], &["x.y"]),
            ("x[\\^\\!]y", &["x^y", "x!y"], &["xay"]),
            ("x[!\\^]y", &["xay"], &["x^y"]),
            ("x\\*y?", &["x*yz"], &["xayz"]),
        ]);
    }

    #[test]
    fn gl20_names_are_matched_by_their_bytes() {
        check(&[
            ("my dir/*.ts", &["my dir/a \"b\".ts"], &[]),
            ("tab\tname.ts", &["tab\tname.ts"], &[]),
            ("日本/**", &["日本/a.ts"], &["日/a.ts"]),
            ("**/*.{ts,md}", &["new\nline.ts", "é/ü.md"], &[]),
            ("日[本人]/*", &["日[本人]/a"], &["日/a"]),
        ]);
    }

    #[test]
    fn the_root_itself_matches_nothing() {
        let root = RepoPath::new("").unwrap();
        for text in ["**", "*", "a", "**/", "{a,}"] {
            assert!(!Pattern::lazy(text).matches(&root), "{text}");
        }
    }
}
