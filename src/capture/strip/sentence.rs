//! Lines cut into sentences, and what is quoted inside them taken out of what is judged.

use super::blocks::Line;
use crate::capture::token::{OBJECT, is_single};

/// One sentence of the person's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sentence {
    /// As it was written.
    pub text: String,
    /// With inline code and quoted speech replaced by [`OBJECT`].
    pub plain: String,
    /// Whether it begins a line.
    pub new_line: bool,
}

/// A line that is not full, or that ends like a sentence, ends one.
const WRAPPED: usize = 60;

pub(super) fn split(lines: &[Line<'_>]) -> Vec<Sentence> {
    let mut out: Vec<Sentence> = Vec::new();
    let mut paragraph = String::new();
    for line in lines {
        let joins = line.continues
            && paragraph.len() >= WRAPPED
            && !paragraph.ends_with(['.', '!', '?', ':', '。', '！', '？'])
            && line.text.starts_with(char::is_lowercase);
        if joins {
            paragraph.push(' ');
        } else {
            sentences(&paragraph, &mut out);
            paragraph.clear();
        }
        paragraph.push_str(line.text);
    }
    sentences(&paragraph, &mut out);
    out
}

fn sentences(paragraph: &str, out: &mut Vec<Sentence>) {
    let objects = objects(paragraph);
    let mut objects = objects.iter().peekable();
    let mut new_line = true;
    let mut start = 0;
    let mut plain = String::new();
    let mut chars = paragraph.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        if let Some(&&(_, end)) = objects.peek().filter(|(from, _)| *from == at) {
            objects.next();
            plain.push_str(OBJECT);
            while chars.peek().is_some_and(|&(next, _)| next < end) {
                chars.next();
            }
            continue;
        }
        plain.push(char);
        let next = chars.peek().map(|&(_, next)| next);
        if ends_sentence(char, next, &plain) {
            let end = at + char.len_utf8();
            push(out, &paragraph[start..end], &plain, &mut new_line);
            plain.clear();
            start = end;
        }
    }
    push(out, &paragraph[start..], &plain, &mut new_line);
}

fn push(out: &mut Vec<Sentence>, text: &str, plain: &str, new_line: &mut bool) {
    let text = text.trim();
    if !text.is_empty() {
        out.push(Sentence { text: text.to_owned(), plain: plain.trim().to_owned(), new_line: std::mem::take(new_line) });
    }
}

fn ends_sentence(char: char, next: Option<char>, before: &str) -> bool {
    match char {
        '。' | '｡' => true,
        '！' | '？' => !next.is_some_and(|c| matches!(c, '！' | '？' | '!' | '?')),
        '!' | '?' => next.is_none_or(|c| c.is_whitespace() || is_single(c)),
        '.' | '…' => next.is_none_or(|c| c.is_whitespace() || is_single(c)) && !is_abbreviation(before),
        _ => false,
    }
}

/// `e.g.`, `z.B.`, `vs.`, `1.`: a full stop that ends no sentence.
fn is_abbreviation(before: &str) -> bool {
    const SHORT: [&str; 26] = [
        "e.g", "i.e", "eg", "ie", "vs", "cf", "approx", "resp", "no", "fig", "z.b", "d.h", "bzw", "ca", "usw", "evtl", "ggf",
        "p.ex", "ex", "p.e", "ad.es", "es", "т.е", "т.к", "т.д", "напр",
    ];
    let body = before.trim_end_matches('.');
    let word = body.rsplit(|c: char| c.is_whitespace() || c == '(').next().unwrap_or("").to_lowercase();
    // "no." and "es." are abbreviations only where they do not stand alone
    let alone = word.len() == body.trim().len();
    before.ends_with('.') && !before.ends_with("..") && !alone && SHORT.contains(&word.as_str()) && word != "no" && word != "es"
}

/// Stretches of inline code and quoted speech, in bytes, in order.
fn objects(text: &str) -> Vec<(usize, usize)> {
    const PAIRS: [(char, char); 10] = [
        ('`', '`'),
        ('"', '"'),
        ('\'', '\''),
        ('“', '”'),
        ('„', '“'),
        ('«', '»'),
        ('「', '」'),
        ('『', '』'),
        ('‘', '’'),
        ('‹', '›'),
    ];
    let mut found = Vec::new();
    if !text.contains(PAIRS.map(|(open, _)| open)) {
        return found;
    }
    let mut previous: Option<char> = None;
    let mut skip_to = 0;
    let last = PAIRS.map(|(_, close)| text.rfind(close).unwrap_or(0));
    for (at, char) in text.char_indices() {
        if at >= skip_to
            && let Some(pair) = PAIRS.iter().position(|(open, _)| *open == char)
            && last[pair] > at
            && let (open, close) = PAIRS[pair]
            && (open != '\'' && open != '"' && open != '‘' || previous.is_none_or(|c| !c.is_alphanumeric() || is_single(c)))
        {
            let inner = at + open.len_utf8();
            if let Some(length) = partner(&text[inner..], open, close) {
                skip_to = inner + length;
                found.push((at, skip_to));
            }
        }
        previous = Some(char);
    }
    found
}

/// How far a quotation may reach, in bytes.
const REACH: usize = 600;

/// Up to and with the closing mark.
fn partner(text: &str, open: char, close: char) -> Option<usize> {
    if matches!(open, '\'' | '"' | '‘') && text.starts_with(char::is_whitespace) {
        return None;
    }
    let mut previous = ' ';
    let mut chars = text.char_indices().take_while(|&(at, _)| at < REACH).peekable();
    while let Some((at, char)) = chars.next() {
        if char == close {
            let next = chars.peek().map(|&(_, next)| next);
            let straight = matches!(close, '\'' | '"' | '’');
            let ends = next.is_none_or(|c| !c.is_alphanumeric() || is_single(c)) && !previous.is_whitespace();
            if at > 0 && (!straight || ends) {
                return Some(at + close.len_utf8());
            }
        }
        previous = char;
    }
    None
}
