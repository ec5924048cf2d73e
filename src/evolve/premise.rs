//! What a lesson takes for granted: the paths, globs and identifiers that it names, and whether they still stand. Looking
//! them up in a tree or a history is `store`'s; here they are found in the text, and the answer is judged.

use std::collections::BTreeSet;

use crate::model::lesson::Lesson;
use crate::model::timestamp::Timestamp;

/// What to look for.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Named {
    /// A path with a slash: of a file or of a folder.
    Path(String),
    Glob(String),
    /// A file's or a folder's name.
    File(String),
    /// In backticks, without a slash: a name in the code, or of a file or folder.
    Identifier(String),
}

impl Named {
    pub fn text(&self) -> &str {
        match self {
            Self::Path(text) | Self::Glob(text) | Self::File(text) | Self::Identifier(text) => text,
        }
    }
}

/// How it stands with what was named.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Standing {
    Present,
    /// It was there, and this commit removed it.
    Gone {
        commit: String,
        at: Timestamp,
    },
    /// It is there, under this path since that commit.
    Moved {
        to: String,
        commit: String,
        at: Timestamp,
    },
    /// It never was in this history: no reason for anything.
    Never,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Premise {
    pub named: Named,
    /// From the lesson's `paths`, not from its words.
    pub scope: bool,
    pub standing: Standing,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict<'a> {
    /// All that the lesson names, and that ever was there, still is.
    Holds,
    /// Some of it is gone: the wording needs a look.
    PartlyGone(Vec<&'a Premise>),
    /// Nothing of it is left.
    Gone(Vec<&'a Premise>),
}

/// Words and scope are judged apart: a lesson whose `paths` match nothing any more is kept back everywhere, and one
/// whose words name only what is gone teaches nothing, however many files its scope has.
pub fn verdict(premises: &[Premise]) -> Verdict<'_> {
    let (mut gone, mut whole) = (Vec::new(), false);
    for scope in [false, true] {
        let group: Vec<_> =
            premises.iter().filter(|premise| premise.scope == scope && premise.standing != Standing::Never).collect();
        let lost: Vec<_> = group.iter().copied().filter(|premise| matches!(premise.standing, Standing::Gone { .. })).collect();
        whole |= !lost.is_empty() && lost.len() == group.len();
        gone.extend(lost);
    }
    match (gone.is_empty(), whole) {
        (true, _) => Verdict::Holds,
        (false, true) => Verdict::Gone(gone),
        (false, false) => Verdict::PartlyGone(gone),
    }
}

/// What a lesson's words name, then its `paths`; each once.
pub fn names(lesson: &Lesson) -> Vec<(Named, bool)> {
    let mut found = BTreeSet::new();
    for text in [&lesson.title, &lesson.description, &lesson.actionable] {
        in_text(text, &mut found);
    }
    let scope = lesson.paths.iter().map(|glob| (if is_glob(glob) { Named::Glob(glob.clone()) } else { path(glob) }, true));
    found.into_iter().map(|named| (named, false)).chain(scope).collect()
}

/// What one text names.
pub fn in_text(text: &str, found: &mut BTreeSet<Named>) {
    let mut before = String::new();
    for (i, part) in text.split('`').enumerate() {
        if i % 2 == 0 {
            found.extend(part.split_whitespace().filter_map(plain));
            before.push_str(part);
        } else {
            match quoted(part.trim()) {
                // "not `moment`": that it is gone shows that the lesson works
                Some(Named::Identifier(_)) if is_avoided(&before) => {}
                named => found.extend(named),
            }
            before.push_str(" x ");
        }
    }
}

/// A span in backticks. Commands, routes, flags and addresses name nothing that a tree could tell.
fn quoted(span: &str) -> Option<Named> {
    let span = span.strip_suffix("()").unwrap_or(span);
    if span.contains(char::is_whitespace) || span.starts_with(['-', '/', '~', '<']) || span.contains("://") {
        return None;
    }
    if is_glob(span) {
        return (span.contains('/') || span.starts_with("*.")).then(|| Named::Glob(span.to_owned()));
    }
    if span.contains('/') && !span.starts_with('@') {
        return Some(path(span));
    }
    let first = span.chars().next()?;
    let named = first.is_alphabetic() || matches!(first, '_' | '$' | '@' | '.' | '#');
    let clean = span.chars().all(|c| c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-' | ':' | '@' | '/' | '#'));
    (named && clean && span.chars().count() >= 3).then(|| Named::Identifier(span.to_owned()))
}

/// A word outside backticks: only what can be nothing but a path or a file's name.
fn plain(word: &str) -> Option<Named> {
    let word = word.trim_start_matches(['(', '[', '"', '\'', '«', '“', '‘']);
    let word = word.trim_end_matches([')', ']', '"', '\'', '»', '”', '’', ',', ';', ':', '.', '!', '?']);
    let clean = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '*' | '{' | '}' | ',' | '[' | ']');
    if !word.chars().all(clean) || word.starts_with(['/', '-']) {
        return None;
    }
    if word.contains('/') {
        return Some(if is_glob(word) { Named::Glob(word.to_owned()) } else { path(word) });
    }
    let (stem, extension) = word.rsplit_once('.')?;
    let is_extension = (1..=5).contains(&extension.len()) && extension.bytes().all(|byte| byte.is_ascii_alphanumeric());
    (stem.chars().filter(|c| c.is_alphanumeric()).count() > 1 && is_extension).then(|| Named::File(word.to_owned()))
}

fn path(text: &str) -> Named {
    // `src/a.ts:12` and `src/a.ts#L12` are places in a file
    let text = text.split(['#', ':']).next().unwrap_or(text);
    Named::Path(text.trim_start_matches("./").trim_end_matches('/').to_owned())
}

fn is_glob(text: &str) -> bool {
    text.contains(['*', '?', '{'])
}

/// Whether what follows is what the lesson warns of: a negation stands before it in the same clause.
fn is_avoided(before: &str) -> bool {
    const NEGATIONS: [&str; 9] = ["not", "never", "no", "without", "avoid", "don't", "don’t", "stop", "nor"];
    let clause = before.rsplit(['.', ';', ':', ',', '(', '—', '–', '\n']).next().unwrap_or(before).to_lowercase();
    clause.contains("instead of ")
        || clause.contains("rather than ")
        || clause.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’')).any(|word| NEGATIONS.contains(&word))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::{Named, Premise, Standing, Verdict, in_text, verdict};
    use crate::model::timestamp::Timestamp;

    fn found(text: &str) -> Vec<String> {
        let mut set = BTreeSet::new();
        in_text(text, &mut set);
        set.iter()
            .map(|named| {
                let kind = match named {
                    Named::Path(_) => "path",
                    Named::Glob(_) => "glob",
                    Named::File(_) => "file",
                    Named::Identifier(_) => "name",
                };
                format!("{kind} {}", named.text())
            })
            .collect()
    }

    #[test]
    fn what_a_text_names_is_found() {
        for (text, expected) in [
            ("Wrap `fetchUser()` from src/api/user.ts.", &["path src/api/user.ts", "name fetchUser"][..]),
            ("Tests under `tests/**/*.spec.ts` and (package.json)", &["glob tests/**/*.spec.ts", "file package.json"]),
            ("See `./src/api/` and `src/a.ts:12`", &["path src/a.ts", "path src/api"]),
            ("Run `npm run build --all`, `--force`, `/api/users`, `https://x.org/a`", &[]),
            ("`a`, `42`, `x == y`, `@scope/pkg`, `.env`", &["name .env", "name @scope/pkg"]),
            ("Use `dayjs`, not `moment`; never call `Date.now` in src/old.ts", &["path src/old.ts", "name dayjs"]),
            ("Use `httpClient` instead of `axios`", &["name httpClient"]),
            ("An unclosed ` tick in src/a.rs", &[]),
            ("e.g. this, i.e. that, and Ünïcode/Pfad.ts", &["path Ünïcode/Pfad.ts"]),
        ] {
            assert_eq!(found(text), expected, "{text}");
        }
    }

    #[test]
    fn a_premise_is_gone_when_nothing_of_it_is_left() {
        let at = Timestamp::from_unix(1).expect("in range");
        let gone = || Standing::Gone { commit: "c".to_owned(), at };
        let premise = |scope, standing| Premise { named: Named::Path("a".to_owned()), scope, standing };
        let count = |premises: &[Premise]| match verdict(premises) {
            Verdict::Holds => ("holds", 0),
            Verdict::PartlyGone(gone) => ("partly", gone.len()),
            Verdict::Gone(gone) => ("gone", gone.len()),
        };
        assert_eq!(count(&[]), ("holds", 0));
        assert_eq!(count(&[premise(false, Standing::Never)]), ("holds", 0));
        assert_eq!(count(&[premise(false, gone()), premise(false, Standing::Never)]), ("gone", 1));
        assert_eq!(count(&[premise(false, gone()), premise(false, Standing::Present)]), ("partly", 1));
        assert_eq!(count(&[premise(false, gone()), premise(true, Standing::Present)]), ("gone", 1));
        assert_eq!(count(&[premise(false, Standing::Present), premise(true, gone())]), ("gone", 1));
        assert_eq!(count(&[premise(true, Standing::Present), premise(true, gone())]), ("partly", 1));
    }
}
