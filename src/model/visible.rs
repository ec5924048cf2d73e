//! What a person cannot see in a text: terminal escapes, control characters, invisible, bidirectional and tag
//! characters. One judgement, three uses: taken out of what an agent reads, spelled out on a terminal, reported in review.

use std::borrow::Cow;
use std::fmt::Write as _;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Hidden {
    /// A control character other than tab and newline, or a whole escape sequence of a terminal.
    Control,
    /// Zero width, and not joining what has to be joined.
    Invisible,
    /// Changes the order in which text is shown.
    Bidirectional,
    /// A tag character: a second alphabet that nobody sees.
    Tag,
    /// A soft hyphen: copied along, harmless.
    SoftHyphen,
}

impl Hidden {
    pub fn describe(self) -> &'static str {
        match self {
            Self::Control => "control character",
            Self::Invisible => "invisible character",
            Self::Bidirectional => "bidirectional control character",
            Self::Tag => "invisible tag character",
            Self::SoftHyphen => "soft hyphen",
        }
    }
}

/// One hidden stretch of a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Spot {
    /// In bytes.
    pub range: std::ops::Range<usize>,
    /// The first of its characters.
    pub char: char,
    pub what: Hidden,
}

/// Every hidden stretch, in order. Emoji sequences and the joiners that scripts need are not hidden.
pub fn hidden(text: &str) -> Vec<Spot> {
    if text.bytes().all(|byte| matches!(byte, b' '..=b'~' | b'\n' | b'\t')) {
        return Vec::new();
    }
    let mut spots = Vec::new();
    let mut previous: Option<char> = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        let next = chars.peek().map(|&(_, next)| next);
        if char == '\u{1F3F4}' && flag_length(&text[at..]) > 0 {
            let end = at + flag_length(&text[at..]);
            while chars.peek().is_some_and(|&(next, _)| next < end) {
                chars.next();
            }
        } else if char == '\u{1b}' || char == '\u{9b}' {
            let end = at + escape_length(&text[at..]);
            while chars.peek().is_some_and(|&(next, _)| next < end) {
                chars.next();
            }
            spots.push(Spot { range: at..end, char, what: Hidden::Control });
        } else if let Some(what) = judge(char, previous, next) {
            // `\r\n` is an end of line, not a hidden character
            if !(char == '\r' && next == Some('\n')) {
                spots.push(Spot { range: at..at + char.len_utf8(), char, what });
            }
            continue;
        }
        previous = Some(char);
    }
    spots
}

/// The text without what is hidden: what goes into an agent's context.
pub fn strip(text: &str) -> Cow<'_, str> {
    rewrite(text, |_, _| {})
}

/// The text with what is hidden spelled out as `\u001b`: what a terminal shows.
pub fn escape(text: &str) -> Cow<'_, str> {
    rewrite(text, |out, stretch| {
        for char in stretch.chars() {
            if char.is_control() || !char.is_ascii() {
                let _ = write!(out, "\\u{:04x}", u32::from(char));
            } else {
                out.push(char);
            }
        }
    })
}

fn rewrite(text: &str, mut put: impl FnMut(&mut String, &str)) -> Cow<'_, str> {
    let spots = hidden(text);
    if spots.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for spot in spots {
        out.push_str(&text[at..spot.range.start]);
        put(&mut out, &text[spot.range.clone()]);
        at = spot.range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

fn judge(char: char, previous: Option<char>, next: Option<char>) -> Option<Hidden> {
    match char {
        '\n' | '\t' => None,
        char if char.is_control() => Some(Hidden::Control),
        '\u{2028}' | '\u{2029}' => Some(Hidden::Control),
        '\u{AD}' => Some(Hidden::SoftHyphen),
        '\u{61C}' | '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}' => Some(Hidden::Bidirectional),
        '\u{E0000}'..='\u{E007F}' => Some(Hidden::Tag),
        '\u{200C}' => (!previous.is_some_and(joins) || !next.is_some_and(joins)).then_some(Hidden::Invisible),
        '\u{200D}' => {
            let emoji = previous.is_some_and(|c| is_pictograph(c) || c == '\u{FE0F}') && next.is_some_and(is_pictograph);
            (!emoji && !previous.is_some_and(joins)).then_some(Hidden::Invisible)
        }
        '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}' | '\u{180B}'..='\u{180D}' => {
            let after_variation = previous.is_some_and(|c| matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{E0100}'..='\u{E01EF}'));
            let visible = previous.is_some_and(|c| !c.is_whitespace() && !c.is_ascii_alphabetic());
            (after_variation || !visible).then_some(Hidden::Invisible)
        }
        '\u{34F}'
        | '\u{115F}'
        | '\u{1160}'
        | '\u{17B4}'
        | '\u{17B5}'
        | '\u{180E}'
        | '\u{200B}'
        | '\u{2060}'..='\u{2065}'
        | '\u{206A}'..='\u{206F}'
        | '\u{3164}'
        | '\u{FEFF}'
        | '\u{FFA0}'
        | '\u{FFF0}'..='\u{FFFB}'
        | '\u{1D173}'..='\u{1D17A}'
        | '\u{E0080}'..='\u{E00FF}'
        | '\u{E01F0}'..='\u{E0FFF}' => Some(Hidden::Invisible),
        _ => None,
    }
}

/// Whether a letter's script needs zero-width joiners: Arabic and its kin, the Indic scripts, their neighbours.
fn joins(char: char) -> bool {
    matches!(char, '\u{600}'..='\u{8FF}' | '\u{900}'..='\u{DFF}' | '\u{E80}'..='\u{109F}' | '\u{1780}'..='\u{18AF}'
        | '\u{A840}'..='\u{A8FF}' | '\u{FB50}'..='\u{FDFF}' | '\u{FE70}'..='\u{FEFE}')
}

fn is_pictograph(char: char) -> bool {
    matches!(char, '\u{2190}'..='\u{2BFF}' | '\u{1F000}'..='\u{1FAFF}' | '\u{3030}' | '\u{303D}' | '\u{3297}' | '\u{3299}')
}

/// The length of a flag made of tags (Scotland's, say), or 0: black flag, letters, cancel tag.
fn flag_length(text: &str) -> usize {
    let tags = text.chars().skip(1).take_while(|c| matches!(c, '\u{E0030}'..='\u{E0039}' | '\u{E0061}'..='\u{E007A}')).count();
    let closed = text.chars().nth(1 + tags) == Some('\u{E007F}');
    if closed && (3..=6).contains(&tags) { 4 * (tags + 2) } else { 0 }
}

/// The length of a terminal's escape sequence: CSI, OSC and its like up to their end, else the two characters.
fn escape_length(text: &str) -> usize {
    let mut chars = text.char_indices();
    let Some((_, first)) = chars.next() else { return 0 };
    let (kind, body) = if first == '\u{9b}' {
        ('[', first.len_utf8())
    } else {
        match chars.next() {
            Some((at, kind)) if kind.is_ascii() && !kind.is_ascii_control() => (kind, at + kind.len_utf8()),
            _ => return first.len_utf8(),
        }
    };
    let rest = &text[body..];
    match kind {
        '[' => rest
            .find(|c: char| !matches!(c, ' '..='?'))
            .map_or(text.len(), |end| body + end + usize::from(matches!(rest.as_bytes()[end], b'@'..=b'~'))),
        ']' | 'P' | 'X' | '^' | '_' => {
            // an unclosed one ends with its line: it must not hide what follows
            let line = rest.find('\n').unwrap_or(rest.len());
            match rest[..line].find(['\u{7}', '\u{1b}', '\u{9c}']) {
                Some(end) if rest[end..].starts_with("\u{1b}\\") => body + end + 2,
                Some(end) if rest[end..].starts_with('\u{1b}') => body + end,
                Some(end) => body + end + rest[end..].chars().next().map_or(0, char::len_utf8),
                None => body,
            }
        }
        _ => body,
    }
}

/// A commit's id as people are shown it.
pub fn abbreviated(commit: &str) -> &str {
    commit.get(..10).unwrap_or(commit)
}

#[cfg(test)]
mod tests {
    use super::{Hidden, escape, hidden, strip};

    #[test]
    fn what_scripts_and_emoji_need_is_kept() {
        for text in [
            "plain\ttext\n",
            "👩‍💻 and ❤️‍🔥 ✔️ 1️⃣",
            "می‌خواهم",
            "क्‍ष",
            "🏴\u{E0067}\u{E0062}\u{E0073}\u{E0063}\u{E0074}\u{E007F}",
            "a\r\nb",
            "Zoë 李 葛\u{E0100}",
        ] {
            assert_eq!(hidden(text), [], "{text:?}");
        }
    }

    #[test]
    fn what_nobody_sees_is_found_and_taken_out() {
        for (text, what, stripped) in [
            ("a\u{200B}b", Hidden::Invisible, "ab"),
            ("a\u{200D}b", Hidden::Invisible, "ab"),
            ("a\u{202E}b", Hidden::Bidirectional, "ab"),
            ("a\u{E0041}\u{E0042}b", Hidden::Tag, "ab"),
            ("a\u{FE01}b", Hidden::Invisible, "ab"),
            ("co\u{AD}op", Hidden::SoftHyphen, "coop"),
            ("\u{1b}[31mred\u{1b}[0m", Hidden::Control, "red"),
            ("\u{1b}]52;c;aGk=\u{7}x", Hidden::Control, "x"),
            ("\u{1b}]0;title\u{1b}\\x", Hidden::Control, "x"),
            ("\u{1b}]unclosed\nx", Hidden::Control, "unclosed\nx"),
            ("a\rb", Hidden::Control, "ab"),
            ("\u{9b}2Jx", Hidden::Control, "x"),
            ("x\u{1b}", Hidden::Control, "x"),
            ("x\u{1b}[", Hidden::Control, "x"),
            ("x\u{1b}[é", Hidden::Control, "xé"),
        ] {
            assert_eq!(hidden(text)[0].what, what, "{text:?}");
            assert_eq!(strip(text), stripped, "{text:?}");
        }
        assert_eq!(escape("\u{1b}[2Jok\u{202E}"), "\\u001b[2Jok\\u202e");
    }
}
