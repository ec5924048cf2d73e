//! Secrets, found and taken out: before the first write of anything a person typed, when packs are validated, and once
//! more before anything is put into a context. What it never takes: commit ids, UUIDs, paths, names, test summaries.
//!
//! Three sorts: tokens whose shape gives them away ([`shapes`]), values beside a name that says "secret" ([`named`]),
//! and keys between armour lines. Hand-written matchers, one pass, linear; nothing is compiled at start.

mod named;
mod shapes;

use std::borrow::Cow;
use std::ops::Range;

/// One secret: where its value stands, and what it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// In bytes, the value alone.
    pub range: Range<usize>,
    /// Kebab-case, for people: `github-token`, `password`.
    pub kind: &'static str,
}

/// The text with every secret replaced by `[redacted:<kind>]`. Doing it twice changes nothing more.
pub fn redact(text: &str) -> Cow<'_, str> {
    let secrets = find(text);
    if secrets.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for Secret { range, kind } in secrets {
        out.push_str(&text[at..range.start]);
        out.push_str(MARK);
        out.push_str(kind);
        out.push(']');
        at = range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

const MARK: &str = "[redacted:";

/// Every secret in the text, in order, none inside another.
pub fn find(text: &str) -> Vec<Secret> {
    let bytes = text.as_bytes();
    let has_flags = text.contains("--");
    let mut found: Vec<Secret> = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let hit = match bytes[at] {
            b'-' if text[at..].starts_with("-----BEGIN ") => armour(&text[at..]).map(|length| (at..at + length, "private-key")),
            b'=' | b':' | 0xEF => named::assigned(text, at),
            b' ' if !(has_flags || named::may_link(bytes.get(at + 1))) => None,
            b' ' | 0xE6 | 0xE3 => named::stated(text, at),
            byte if is_word(byte) => {
                let hit = match starts_word(bytes, at) {
                    true => shapes::token(&text[at..])
                        .map(|(length, kind)| (at..at + length, kind))
                        .or_else(|| named::header(text, at)),
                    false => None,
                };
                if hit.is_none() {
                    // nothing begins inside a word
                    at += bytes[at..].iter().take_while(|&&byte| is_word(byte)).count();
                    continue;
                }
                hit
            }
            _ => None,
        };
        match hit {
            Some((range, kind)) => {
                at = range.end.max(at + 1);
                // a name may be told before its value turns out to have a shape of its own
                let kind = shapes::token(&text[range.clone()]).map_or(kind, |(_, kind)| kind);
                found.push(Secret { range, kind });
            }
            None => at += 1,
        }
    }
    found
}

/// Long random-looking words that stand alone: worth a warning when packs are reviewed, too uncertain to take out.
pub fn suspicious(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '_' | '-' | '=');
    let mut start = None;
    for (at, char) in text.char_indices().chain([(text.len(), ' ')]) {
        match (start, is_part(char)) {
            (None, true) => start = Some(at),
            (Some(from), false) => {
                if shapes::is_random(&text[from..at]) {
                    found.push(from..at);
                }
                start = None;
            }
            _ => {}
        }
    }
    found
}

/// A letter or digit that no letter, digit or underscore stands before; other scripts do not count as letters here, so a
/// key is found right after 是 or は.
fn starts_word(bytes: &[u8], at: usize) -> bool {
    bytes[at] != b'_' && (at == 0 || !is_word(bytes[at - 1]))
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// The length of a private key between its armour lines; an unclosed one ends with the last line that looks like one.
fn armour(text: &str) -> Option<usize> {
    /// The longest there are have some 13,000 bytes; and how far the kind of key may stand from the line's beginning.
    const LONGEST: usize = 16_000;
    const NAME: usize = 64;
    let text = head(text, LONGEST);
    if !head(text, NAME).contains("PRIVATE KEY") {
        return None;
    }
    let first = text.lines().next()?;
    if !first.contains("PRIVATE KEY") || !first.trim_end().ends_with("-----") && !first.contains("\\n") {
        return None;
    }
    if let Some(end) = text.find("-----END ") {
        let close = text[end + 9..].find("-----").map_or(text.len(), |at| end + 9 + at + 5);
        return Some(close);
    }
    let mut length = first.len();
    for line in text[first.len()..].split_inclusive('\n') {
        let body = line.trim();
        if !body
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b':' | b'-' | b' ' | b','))
        {
            break;
        }
        length += line.len();
    }
    Some(length)
}

/// The first `max` bytes or, not to cut a character, a little less.
fn head(text: &str, max: usize) -> &str {
    let end = (0..=max.min(text.len())).rev().find(|&end| text.is_char_boundary(end));
    &text[..end.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::{find, redact, suspicious};

    #[test]
    fn private_keys_go_as_a_whole() {
        let key = format!("-----BEGIN RSA {0}-----\nMIIEow\nAbc+/=\n-----END RSA {0}-----", "PRIVATE KEY");
        assert_eq!(redact(&format!("use {key} here")), "use [redacted:private-key] here");
        let open = format!("-----BEGIN {0}-----\nMIIEow\nAbc+/=\n\nand this, no!", "PRIVATE KEY");
        assert_eq!(redact(&open), "[redacted:private-key]and this, no!");
        let public = "-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----";
        assert_eq!(redact(public), public);
    }

    #[test]
    fn what_is_no_secret_is_never_touched() {
        for text in [
            "commit 3f2a91c0d4e5f60718293a4b5c6d7e8f90a1b2c3",
            "sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
            "550e8400-e29b-41d4-a716-446655440000",
            "src/api/auth/passwordResetTokenHandler.ts",
            "PASS: 12 tests; auth options; key point: use tabs; code review",
            "getUserAuthenticationTokenFromRequestHeaderOrCookie",
            "the token is passed in a header",
            "password: string; token: boolean",
            "const token = getToken(request)",
            "password = req.body.password",
            "SECRET_KEY=${SECRET_KEY}",
            "API_KEY=<your key>",
            "API_KEY=xxxxxxxx",
            "set PASSWORD=changeme",
            "https://example.com:8080/a@b",
            "git@github.com:team/repo.git",
            "https://user@host/x",
            "ghp_ tokens and sk-learn, xoxb tokens, AKIA ids",
            "tokens: 1500 in, 300 out",
            "max_tokens=4096",
            "keyboard=us author=Ada",
            "secret santa: bring a gift",
            "the secret is to keep it simple",
            "sha512-AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEf0123456789AbCdEf==",
            "密码错误，请检查",
        ] {
            assert_eq!(redact(text), text);
        }
    }

    #[test]
    fn redacting_twice_changes_nothing_more() {
        let text = format!("DB_PASSWORD=hunter22 and {}{} at postgres://app:s3cr3t@db/x", "ghp_", "aB3".repeat(12));
        let once = redact(&text).into_owned();
        assert_eq!(
            once,
            "DB_PASSWORD=[redacted:password] and [redacted:github-token] at postgres://app:[redacted:password]@db/x"
        );
        assert_eq!(redact(&once), once);
        assert!(find(&once).is_empty());
    }

    #[test]
    fn a_bare_random_word_is_only_suspicious() {
        let word = "q8Zk2LmXv0Rt7Yw4Bn9Cd3Fg6Hj1Ks5Pz8Qa2WeT";
        assert_eq!(redact(word), word);
        assert_eq!(suspicious(&format!("look: {word}.")).len(), 1);
        assert!(suspicious("getUserAuthenticationTokenFromRequestHeaderOrCookie src/a/b/c/dddddddddddddddddddddddd").is_empty());
        assert_eq!(redact(&format!("VALUE={word}")), "VALUE=[redacted:random-value]");
        assert_eq!(redact(&format!("https://x.y/?id={word}&a=b")), "https://x.y/?id=[redacted:random-value]&a=b");
    }

    #[test]
    fn a_large_adversarial_text_is_one_pass() {
        for unit in
            ["=", ":", "password=", "://a:", "eyJ", "-----BEGIN ", "-----BEGIN A PRIVATE KEY", "sk-", "Bearer ", "密码", "a.b.c."]
        {
            let text = unit.repeat(200_000 / unit.len());
            let _ = find(&text);
        }
    }
}
