//! A pattern's spelling: escapes, classes and braces, and how they are put to `globset` so that the answer is git's.
//! Whether a path matches is `glob`'s to say.

/// What a text looks like at one glance: it has to be quick, most patterns match nothing.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Look {
    pub slash: bool,
    /// `*` or `?`.
    pub wild: bool,
    /// Brackets or braces.
    pub special: bool,
    pub escaped: bool,
    /// A backslash before an ordinary character or at the end: then backslashes are Windows separators.
    pub windows: bool,
    /// `//`, or a component that is `.`.
    pub untidy: bool,
    /// A component that is `..`.
    pub outside: bool,
}

impl Look {
    pub fn at(text: &str) -> Self {
        let bytes = text.as_bytes();
        let mut look = Self::default();
        look.begin_component(bytes);
        let mut at = 0;
        while let Some(&byte) = bytes.get(at) {
            match byte {
                b'/' => {
                    look.slash = true;
                    look.untidy |= bytes.get(at + 1) == Some(&b'/');
                    look.begin_component(&bytes[at + 1..]);
                }
                b'*' | b'?' => look.wild = true,
                b'[' | b'{' | b'}' => look.special = true,
                b'\\' => {
                    look.escaped = true;
                    look.windows |= bytes.get(at + 1).is_none_or(|&next| is_ordinary(next));
                    at += 1;
                }
                _ => {}
            }
            at += 1;
        }
        look
    }

    fn begin_component(&mut self, rest: &[u8]) {
        if rest.first() == Some(&b'.') {
            self.untidy |= matches!(rest.get(1), None | Some(b'/'));
            self.outside |= rest.get(1) == Some(&b'.') && matches!(rest.get(2), None | Some(b'/'));
        }
    }
}

/// Nobody takes away the meaning of a character that has none.
fn is_ordinary(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte >= 0x80 || matches!(byte, b'.' | b'_' | b'(' | b'@')
}

/// With `/` alone between components, none of them empty or `.`; a slash at either end stays. A leading `./` means the
/// root.
pub(super) fn tidy(text: &str, windows: bool) -> String {
    let text = if windows { text.replace('\\', "/") } else { text.to_owned() };
    let parts: Vec<&str> = text.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let start = if text.starts_with('/') || text.starts_with("./") { "/" } else { "" };
    let end = if text.ends_with('/') { "/" } else { "" };
    format!("{start}{}{end}", parts.join("/"))
}

/// A plain path without its escapes.
pub(super) fn unescape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut chars = text.chars();
    while let Some(char) = chars.next() {
        match char {
            '\\' => out.extend(chars.next()),
            char => out.push(char),
        }
    }
    out
}

/// Whether every literal part of a glob stands somewhere in the path: where one does not, the glob cannot match.
pub(super) fn literals_occur(glob: &str, path: &str) -> bool {
    let bytes = glob.as_bytes();
    let (mut at, mut start, mut depth) = (0, 0, 0_usize);
    while at < bytes.len() {
        let next = match bytes[at] {
            b'\\' => at + 2,
            b'[' => class_end(glob, at).unwrap_or(at) + 1,
            b'{' | b'}' | b'*' | b'?' | b'/' => at + 1,
            _ => {
                at += 1;
                continue;
            }
        };
        if depth == 0 && !occurs(&bytes[start..at], path.as_bytes()) {
            return false;
        }
        match bytes[at] {
            b'{' => depth += 1,
            b'}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // what an escape takes away is one character, of any length
        at = next;
        while at < bytes.len() && !glob.is_char_boundary(at) {
            at += 1;
        }
        start = at;
    }
    depth > 0 || start >= bytes.len() || occurs(&bytes[start..], path.as_bytes())
}

/// Both are short: nothing is prepared.
fn occurs(part: &[u8], path: &[u8]) -> bool {
    let Some(&first) = part.first() else { return true };
    let last = (path.len() + 1).saturating_sub(part.len());
    (0..last).any(|at| path[at] == first && path[at..].starts_with(part))
}

/// The glob as `globset` has to read it: a class or a pair of braces without a comma also matches as it is spelled, and
/// a backslash inside a class is an escape.
pub(super) fn translate(glob: &str) -> String {
    let mut out = String::with_capacity(glob.len() + 16);
    let mut at = 0;
    // for every open brace: whether it has a comma
    let mut open: Vec<bool> = Vec::new();
    while let Some(char) = glob[at..].chars().next() {
        let next = at + char.len_utf8();
        match char {
            '\\' => {
                let escaped = glob[next..].chars().next();
                out.push('\\');
                out.extend(escaped);
                at = next + escaped.map_or(0, char::len_utf8);
                continue;
            }
            '[' => {
                if let Some(end) = class_end(glob, at) {
                    out.push('{');
                    out.push_str(&class(&glob[at + 1..end]));
                    out.push(',');
                    for char in glob[at..=end].chars() {
                        out.push('\\');
                        out.push(char);
                    }
                    out.push('}');
                    at = end + 1;
                    continue;
                }
                out.push('[');
            }
            '{' => {
                let comma = has_comma(&glob[next..]);
                open.push(comma);
                out.push_str(if comma { "{" } else { r"{,\{}" });
            }
            '}' => match open.pop() {
                Some(false) => out.push_str(r"{,\}}"),
                _ => out.push('}'),
            },
            char => out.push(char),
        }
        at = next;
    }
    // an unclosed brace stays a mistake
    if open.contains(&false) {
        out.push('{');
    }
    out
}

/// Whether the braces that have just been opened hold several alternatives.
fn has_comma(inner: &str) -> bool {
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(&byte) = inner.as_bytes().get(at) {
        match byte {
            b'\\' => at += 1,
            b'[' => at = class_end(inner, at).unwrap_or(at),
            b'{' => depth += 1,
            b'}' if depth == 0 => return false,
            b'}' => depth -= 1,
            b',' if depth == 0 => return true,
            _ => {}
        }
        at += 1;
    }
    false
}

/// Where the class that begins at `start` ends: the place of its `]`.
fn class_end(glob: &str, start: usize) -> Option<usize> {
    let bytes = glob.as_bytes();
    let mut at = start + 1;
    if matches!(bytes.get(at), Some(b'!' | b'^')) {
        at += 1;
    }
    let first = at;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b']' if at > first => return Some(at),
            b'\\' => at += 1,
            b'[' if bytes.get(at + 1) == Some(&b':') => {
                if let Some(close) = glob[at + 2..].find(":]").filter(|&len| is_class_name(&glob[at + 2..at + 2 + len])) {
                    at += close + 3;
                }
            }
            _ => {}
        }
        at += 1;
    }
    None
}

fn is_class_name(name: &str) -> bool {
    !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase())
}

/// A class as `globset` reads it, with git's meaning: `\` is an escape, a range the wrong way round holds nothing.
fn class(inner: &str) -> String {
    let (negation, members) = match inner.strip_prefix(['!', '^']) {
        Some(members) => ("!", members),
        None => ("", inner),
    };
    let mut ordinary = String::new();
    let mut special: Vec<char> = Vec::new();
    let mut rest = members;
    while let Some(low) = take_member(&mut rest) {
        if low == '['
            && rest.starts_with(':')
            && let Some(len) = rest[1..].find(":]").filter(|&len| is_class_name(&rest[1..=len]))
        {
            ordinary.push('[');
            ordinary.push_str(&rest[..len + 3]);
            rest = &rest[len + 3..];
            continue;
        }
        let mut high = low;
        if let Some(mut after) = rest.strip_prefix('-').filter(|after| !after.is_empty()) {
            high = take_member(&mut after).unwrap_or(low);
            rest = after;
        }
        if low > high {
            continue;
        }
        let is_special = |char: char| matches!(char, ']' | '-' | '!' | '^' | '[');
        special.extend(['[', ']', '!', '^', '-'].into_iter().filter(|char| (low..=high).contains(char)));
        if !is_special(low) && !is_special(high) {
            ordinary.push(low);
            if low < high {
                ordinary.push('-');
                ordinary.push(high);
            }
        } else if low < high {
            ordinary.extend((low..=high).filter(|&char| !is_special(char) && char != '/').take(256));
        }
    }
    let put = |char| if special.contains(&char) { String::from(char) } else { String::new() };
    // each special one where it means itself
    let (first, late, last) = (put(']'), put('[') + &put('!') + &put('^'), put('-'));
    match (negation, ordinary.is_empty() && first.is_empty(), late.len()) {
        ("", true, 0) if last.is_empty() => "[/]".to_owned(),
        ("", true, 1) if last.is_empty() => format!("\\{late}"),
        ("", true, _) if last.is_empty() => late.chars().map(|char| format!(",\\{char}")).collect::<String>()[1..].to_owned(),
        ("", true, _) => format!("[{last}{late}]"),
        ("!", true, 0) if last.is_empty() => "?".to_owned(),
        _ => format!("[{negation}{first}{ordinary}{late}{last}]"),
    }
}

/// The next character of a class, its escape taken off.
fn take_member(rest: &mut &str) -> Option<char> {
    let mut chars = rest.chars();
    let char = match chars.next()? {
        '\\' => chars.next()?,
        char => char,
    };
    *rest = chars.as_str();
    Some(char)
}
