//! Values that stand beside a name: `NAME=value` and `name: value` where the name says "secret" (in any of our
//! languages), passwords in URLs, `Authorization` headers, and "the password is …".

use std::ops::Range;

use super::{MARK, shapes};

type Hit = (Range<usize>, &'static str);

/// Parts of a name that make its value a secret, folded to lower case without `_` and `-`.
const NAMES: [(&str, &str); 26] = [
    ("password", "password"),
    ("passwd", "password"),
    ("passphrase", "password"),
    ("passwort", "password"),
    ("kennwort", "password"),
    ("motdepasse", "password"),
    ("contraseña", "password"),
    ("contrasena", "password"),
    ("senha", "password"),
    ("пароль", "password"),
    ("密码", "password"),
    ("密碼", "password"),
    ("口令", "password"),
    ("パスワード", "password"),
    ("비밀번호", "password"),
    ("암호", "password"),
    ("secret", "secret"),
    ("token", "token"),
    ("apikey", "api-key"),
    ("accesskey", "access-key"),
    ("accountkey", "access-key"),
    ("privatekey", "private-key"),
    ("encryptionkey", "key"),
    ("signingkey", "key"),
    ("credential", "credential"),
    ("密钥", "key"),
];

/// Short names that only count as the whole name or as its last part: `DB_PWD`, `pwd`.
const SHORT: [(&str, &str); 6] =
    [("pwd", "password"), ("pass", "password"), ("pw", "password"), ("pat", "token"), ("auth", "token"), ("dsn", "secret")];

/// Names with such parts hold no secret.
const HARMLESS: [&str; 11] = [
    "maxtoken",
    "tokens",
    "tokencount",
    "tokenlimit",
    "tokentype",
    "secretname",
    "tokenizer",
    "passwordfield",
    "publickey",
    "tokenurl",
    "tokenendpoint",
];

/// At `=`, `:` or their full-width forms: the value after it, if the name before it says so.
pub(super) fn assigned(text: &str, at: usize) -> Option<Hit> {
    let rest = &text[at..];
    let sign = rest.chars().next().filter(|c| matches!(c, '=' | ':' | '：' | '＝'))?;
    if rest.starts_with("://") {
        return url_password(text, at + 3);
    }
    let after = rest.strip_prefix(":=").or_else(|| rest.strip_prefix("=>")).or_else(|| rest.strip_prefix("=="));
    let after = after.unwrap_or(&rest[sign.len_utf8()..]);
    let assign = matches!(sign, '=' | '＝');
    let tight = !after.starts_with([' ', '\t']);
    let lead = after.len() - after.trim_start_matches([' ', '\t']).len();
    let from = text.len() - after.len() + lead;
    if matches!(text.as_bytes().get(from), Some(b'=' | b':')) {
        return None; // a ruled line, not a value
    }
    let name = name_before(&text[..at]);
    if name.is_empty() {
        return None;
    }
    let (range, quoted) = value(text, from)?;
    let value = &text[range.clone()];
    if let Some(kind) = secret_name(name) {
        let shouted = name.chars().any(char::is_alphabetic) && !name.chars().any(char::is_lowercase) && name.is_ascii();
        let sure = quoted && value.len() >= 4 || assign && tight && shouted && value.len() >= 4;
        if !is_placeholder(value) && (sure || looks_secret(value)) && (quoted || !is_expression(value)) {
            return Some((range, kind));
        }
        return None;
    }
    let in_url = assign && tight;
    (in_url && shapes::is_random(value)).then_some((range, "random-value"))
}

/// Whether a space and this byte may begin one of the links below that are more than a space.
pub(super) fn may_link(next: Option<&u8>) -> bool {
    matches!(next, Some(b'i' | b'e' | b'=' | b'-' | 0xC3))
}

/// At a space or at 是, は: "the password is hunter22", "密码是 hunter22", "--password hunter22".
pub(super) fn stated(text: &str, at: usize) -> Option<Hit> {
    const LINKS: [&str; 13] = [" is ", " ist ", " est ", " es ", " é ", " è ", " = ", " - ", "是", "は", "为", "為", " "];
    let rest = &text[at..];
    let link = LINKS.iter().find(|link| rest.starts_with(**link))?;
    let name = name_before(&text[..at]);
    // Most spaces link nothing: they are seen off before the name is read.
    if *link == " " && !name.starts_with("--") {
        return None;
    }
    let kind = secret_name(name)?;
    let after = &rest[link.len()..];
    let from = text.len() - after.trim_start_matches([' ', '：', ':']).len();
    let (range, quoted) = value(text, from)?;
    let value = &text[range.clone()];
    (!is_placeholder(value) && looks_secret(value) && (quoted || !is_expression(value))).then_some((range, kind))
}

/// `Bearer …`, `Basic …`: what follows is the credential.
pub(super) fn header(text: &str, at: usize) -> Option<Hit> {
    let rest = &text[at..];
    if !matches!(rest.as_bytes().first(), Some(b'b' | b'B' | b't' | b'T')) {
        return None;
    }
    let scheme =
        ["bearer ", "basic ", "token "].iter().find(|s| rest.get(..s.len()).is_some_and(|head| head.eq_ignore_ascii_case(s)))?;
    let from = at + scheme.len();
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~' | b'+' | b'/' | b'=');
    let length = text.as_bytes()[from..].iter().take(4_000).take_while(|byte| is_part(byte)).count();
    let value = &text[from..from + length];
    let varied = value.bytes().any(|byte| byte.is_ascii_digit()) || value.ends_with('=');
    (length >= 16 && varied && looks_secret(value)).then_some((from..from + length, "authorization"))
}

/// `scheme://user:password@host`: from behind `://`.
fn url_password(text: &str, from: usize) -> Option<Hit> {
    let authority = text.as_bytes()[from..]
        .iter()
        .take(400)
        .take_while(|byte| !byte.is_ascii_whitespace() && !matches!(byte, b'/' | b'"' | b'\'' | b'<' | b'>' | b'?' | b'#'));
    let authority = &text.as_bytes()[from..from + authority.count()];
    let host = authority.iter().rposition(|&byte| byte == b'@')?;
    let colon = authority[..host].iter().position(|&byte| byte == b':')?;
    let range = from + colon + 1..from + host;
    let value = text.get(range.clone())?;
    (!value.is_empty() && !is_placeholder(value)).then_some((range, "password"))
}

/// The name that ends here: letters of any script, digits, `_`, `-`, and the quotes around it.
fn name_before(text: &str) -> &str {
    let text = text.trim_end_matches([' ', '\t']);
    let text = text.strip_suffix(['"', '\'', '`']).unwrap_or(text);
    let start = text
        .char_indices()
        .rev()
        .take(40)
        .take_while(|&(_, c)| c.is_alphanumeric() || matches!(c, '_' | '-' | '.'))
        .last()
        .map_or(text.len(), |(at, _)| at);
    &text[start..]
}

fn secret_name(name: &str) -> Option<&'static str> {
    if name.len() < 2 {
        return None;
    }
    let plain: String = name.chars().filter(|c| !matches!(c, '_' | '-' | '.')).flat_map(char::to_lowercase).collect();
    if HARMLESS.iter().any(|part| plain.contains(part)) {
        return None;
    }
    if let Some(&(_, kind)) = NAMES.iter().find(|(part, _)| plain.contains(part)) {
        return Some(kind);
    }
    let last = name.rsplit(['_', '-', '.']).next().unwrap_or(name).to_lowercase();
    // `PASS` alone is a test's result
    let whole = last.len() == name.len();
    SHORT.iter().find(|(short, _)| *short == last && !(whole && matches!(*short, "pass" | "auth" | "pat"))).map(|&(_, kind)| kind)
}

/// The value that begins here, and whether quotes stand around it.
fn value(text: &str, from: usize) -> Option<(Range<usize>, bool)> {
    let rest = &text[from..];
    let first = rest.chars().next()?;
    if let '"' | '\'' | '`' = first {
        let length = rest[1..].bytes().take(300).position(|byte| byte == first as u8 || byte == b'\n')?;
        let inner = from + 1..from + 1 + length;
        return (length > 0 && text.is_char_boundary(inner.end)).then_some((inner, true));
    }
    let ends = |c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\''
                    | '`'
                    | ','
                    | ';'
                    | '&'
                    | '|'
                    | ')'
                    | '}'
                    | ']'
                    | '，'
                    | '。'
                    | '；'
                    | '、'
                    | '）'
                    | '」'
                    | '！'
                    | '？'
            )
    };
    let length: usize = rest.chars().take(300).take_while(|&c| !ends(c)).map(char::len_utf8).sum();
    let length = rest[..length].trim_end_matches(['.', '!', '?', ':']).len();
    (length > 0).then(|| (from..from + length, false))
}

/// What people write where a secret would stand.
fn is_placeholder(value: &str) -> bool {
    const WORDS: [&str; 22] = [
        "changeme",
        "example",
        "placeholder",
        "redacted",
        "your",
        "xxx",
        "...",
        "dummy",
        "null",
        "none",
        "undefined",
        "true",
        "false",
        "string",
        "boolean",
        "number",
        "process.env",
        "os.environ",
        "env.",
        "secrets.",
        "required",
        "optional",
    ];
    let low = value.to_lowercase();
    value.starts_with(['$', '<', '{', '%', '*', '('])
        || value.starts_with(MARK)
        || MARK.starts_with(value)
        || WORDS.iter().any(|word| low.starts_with(word))
        || low.chars().all(|c| low.starts_with(c))
}

/// Code that computes a value is no value.
fn is_expression(value: &str) -> bool {
    value.contains(['(', '[', '{']) || value.contains("://") || {
        // a.b.c and user_name: names of things
        let named = value.split(['.', '_']).all(|part| !part.is_empty() && part.chars().all(char::is_alphabetic));
        value.contains('.') && named
    }
}

/// Letters with digits or marks among them, or both cases mixed: no word of a language.
fn looks_secret(value: &str) -> bool {
    if value.len() < 6 || !value.is_ascii() || value.starts_with('/') || value.starts_with("./") {
        return false;
    }
    let letters = value.bytes().filter(u8::is_ascii_alphabetic).count();
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let marks =
        value.bytes().filter(|byte| matches!(byte, b'!' | b'@' | b'#' | b'$' | b'%' | b'^' | b'&' | b'*' | b'+' | b'~')).count();
    let inner_upper = value.bytes().skip(1).filter(u8::is_ascii_uppercase).count();
    let lower = value.bytes().filter(u8::is_ascii_lowercase).count();
    (letters >= 2 && (digits + marks >= 1)) || (value.len() >= 12 && inner_upper >= 3 && lower >= 3)
}

#[cfg(test)]
mod tests {
    use crate::capture::redact::redact;

    #[test]
    fn a_value_beside_a_secret_name_is_taken_out_and_nothing_else() {
        for (text, redacted) in [
            ("DB_PASSWORD=hunter", "DB_PASSWORD=[redacted:password]"),
            ("export GITHUB_TOKEN='abcd1234'", "export GITHUB_TOKEN='[redacted:token]'"),
            ("api_key: \"ab12cd34ef\",", "api_key: \"[redacted:api-key]\","),
            ("{\"client_secret\":\"zz99yy88\"}", "{\"client_secret\":\"[redacted:secret]\"}"),
            ("password: hunter22, then", "password: [redacted:password], then"),
            ("the password is hunter22.", "the password is [redacted:password]."),
            ("das Passwort ist Geheim123", "das Passwort ist [redacted:password]"),
            ("密码：hunter22，谢谢", "密码：[redacted:password]，谢谢"),
            ("密码是hunter22，谢谢", "密码是[redacted:password]，谢谢"),
            ("パスワードは hunter22 です", "パスワードは [redacted:password] です"),
            ("비밀번호: hunter22", "비밀번호: [redacted:password]"),
            ("пароль: hunter22", "пароль: [redacted:password]"),
            ("contraseña=hunter22", "contraseña=[redacted:password]"),
            ("mysql --password hunter22 -h db", "mysql --password [redacted:password] -h db"),
            ("--token=ab12cd34 now", "--token=[redacted:token] now"),
            ("postgres://app:pass@db:5432/x", "postgres://app:[redacted:password]@db:5432/x"),
            ("https://user:p@ss@host/x", "https://user:[redacted:password]@host/x"),
            ("Authorization: Bearer ab12cd34ef56gh78", "Authorization: Bearer [redacted:authorization]"),
            ("AccountKey=abcdEFGH1234==;End", "AccountKey=[redacted:access-key];End"),
        ] {
            assert_eq!(redact(text), redacted);
        }
    }
}
