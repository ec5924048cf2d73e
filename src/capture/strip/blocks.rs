//! Lines: which of them the person typed. Fenced blocks (in lists too, unclosed too), quoted lines, indented code and
//! pasted output go; list marks and heading marks are taken off.

use super::paste;

/// One typed line, without its marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Line<'a> {
    pub(super) text: &'a str,
    /// Whether it may be the rest of a sentence that began on the line before.
    pub(super) continues: bool,
}

/// A line longer than this, in bytes, was not typed.
const LONGEST: usize = 8 * 1024;

/// How much of what looks typed is looked at, in bytes, from either end: nobody types more.
const MOST: usize = 32 * 1024;

pub(super) struct Lines<'a> {
    pub(super) lines: Vec<Line<'a>>,
    pub(super) removed: bool,
}

pub(super) fn typed_lines(text: &str) -> Lines<'_> {
    let mut out = Lines { lines: Vec::new(), removed: false };
    let mut fence: Option<(char, usize)> = None;
    let mut state = paste::State::default();
    let mut blank = true;
    let mut in_list = false;
    let mut indented_code = false;
    let mut adjacent = false;
    for raw in text.lines() {
        let line = raw.trim_end();
        let (body, marked) = unmark(line);
        let mark = fence_mark(body);
        if let Some((char, length)) = fence {
            let closes =
                fence_mark(line.trim_start()).is_some_and(|(c, l, rest)| c == char && l >= length && rest.trim().is_empty());
            if closes {
                fence = None;
            }
            adjacent = false;
            continue;
        }
        if let Some((char, length, info)) = mark
            && !(char == '`' && info.contains('`'))
        {
            fence = Some((char, length));
            out.removed = true;
            adjacent = false;
            blank = false;
            continue;
        }
        if line.is_empty() {
            blank = true;
            adjacent = false;
            state.blank();
            continue;
        }
        let indent = line.len() - line.trim_start().len();
        let deep = line.starts_with('\t') || indent >= 4;
        let code = deep && !marked && !in_list && (blank || indented_code);
        if code || line.len() > LONGEST || line.trim_start().starts_with(['>', '＞']) || state.is_pasted(line) {
            indented_code = code;
            out.removed = true;
            adjacent = false;
            blank = false;
            continue;
        }
        indented_code = false;
        in_list = marked || (in_list && (indent > 0 || !blank));
        out.lines.push(Line { text: body, continues: adjacent && !marked });
        adjacent = true;
        blank = false;
    }
    keep_ends(&mut out);
    out
}

/// Of a very long text only the beginning and the end.
fn keep_ends(out: &mut Lines<'_>) {
    let take = |lines: &mut dyn Iterator<Item = &Line<'_>>| {
        let mut size = 0;
        lines
            .take_while(|line| {
                size += line.text.len();
                size <= MOST
            })
            .count()
    };
    let head = take(&mut out.lines.iter());
    let tail = take(&mut out.lines.iter().rev());
    if head + tail < out.lines.len() {
        out.lines.drain(head..out.lines.len() - tail);
        out.removed = true;
    }
}

/// The line without white space, list marks, check boxes and heading marks before it; and whether it was a list item.
fn unmark(line: &str) -> (&str, bool) {
    let mut text = line.trim_start();
    let mut marked = false;
    loop {
        let digits = text.len() - text.trim_start_matches(|c: char| c.is_ascii_digit()).len();
        let after = if (1..=3).contains(&digits) {
            text[digits..].strip_prefix(['.', ')'])
        } else {
            text.strip_prefix(['-', '*', '+', '•', '–'])
        };
        match after {
            Some(after) if after.starts_with([' ', '\t']) => {
                text = after.trim_start();
                marked = true;
            }
            _ => break,
        }
    }
    for box_mark in ["[ ] ", "[x] "] {
        text = text.strip_prefix(box_mark).unwrap_or(text);
    }
    let hashes = text.len() - text.trim_start_matches('#').len();
    if (1..=6).contains(&hashes) && text[hashes..].starts_with(' ') {
        return (text[hashes..].trim_start(), true);
    }
    (text, marked)
}

/// The run of three or more backticks or tildes that the text begins with, and what follows it.
fn fence_mark(text: &str) -> Option<(char, usize, &str)> {
    let char = text.chars().next().filter(|c| matches!(c, '`' | '~'))?;
    let rest = text.trim_start_matches(char);
    let length = text.len() - rest.len();
    (length >= 3).then_some((char, length, rest))
}
