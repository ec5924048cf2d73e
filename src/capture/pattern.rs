//! The small language that the rows of [`super::rows`] are written in, and its matcher.
//!
//! ```text
//! that|this is wrong       words one after the other; | separates what may stand in one place
//! no_need                  _ joins words with nothing, not even a comma, between them
//! forg*   *ing             a word that begins so, that ends so
//! please?                  may be missing
//! ..  ...  ....            up to two, up to eight, up to twenty words of any kind
//! *                        any one word
//! @fault                   any entry of the language's word list of that name
//! #                        a path, a number, a name with marks in it, something quoted
//! ^ $                      where the sentence begins (openers aside) and ends (closers aside)
//! ,                        a comma, a colon, a dash
//! < >                      where a clause begins (after a comma, a colon, a dash) and ends
//! !not                     the next word is another one
//! +3                       at least three more words follow
//! ```
//!
//! A literal of a script without spaces is read character by character, so `じゃなくて` is found wherever it stands,
//! and words of other scripts are found as whole words only. Gaps are bounded and nest at most a few deep, so the time
//! is linear in the length of the text.

use std::borrow::Cow;
use std::sync::Arc;

use super::token::{Token, Tokens, fold, is_single};

/// A word list: name, then entries in the pattern language's `a|b_c` form.
pub type Lists = [(&'static str, &'static str)];

/// The word lists of a table, read once for all its patterns.
pub struct ReadLists {
    lists: Vec<(&'static str, Arc<[Choice]>)>,
}

#[derive(Clone, Debug)]
pub struct Pattern {
    items: Vec<Item>,
    /// One of these words has to be somewhere in the text: the marks of the rarest place that is not optional.
    needs: Marks,
}

/// A mark for each of some words, which other words may share: a text that has none of them has none of the words.
type Marks = u128;

#[derive(Clone, Debug)]
enum Item {
    Any { of: Box<[Choice]>, optional: bool },
    Not(Box<[Choice]>),
    Gap(usize),
    Begin,
    End,
    Break,
    ClauseBegin,
    ClauseEnd,
    More(usize),
}

/// What may stand in one place.
#[derive(Clone, Debug)]
enum Choice {
    One(Atom),
    /// One after the other, nothing between them.
    Joined(Box<[Atom]>),
    List(Arc<[Self]>),
}

#[derive(Clone, Debug)]
enum Atom {
    Word(Cow<'static, str>),
    Prefix(Cow<'static, str>),
    Suffix(Cow<'static, str>),
    Identifier,
    Any,
}

/// A sentence with where its openers end and its closers begin.
pub struct Text<'a> {
    pub tokens: &'a Tokens,
    pub begin: usize,
    pub end: usize,
    marks: Marks,
}

impl<'a> Text<'a> {
    pub fn new(tokens: &'a Tokens, begin: usize, end: usize) -> Self {
        let marks = tokens.words.iter().fold(0, |marks, word| marks | mark(&word.text));
        Self { tokens, begin, end, marks }
    }
}

impl ReadLists {
    pub fn new(lists: &Lists) -> Self {
        let read = |entries: &'static str| entries.split(['|', ' ']).filter(|entry| !entry.is_empty()).map(sequence).collect();
        Self { lists: lists.iter().map(|&(name, entries)| (name, read(entries))).collect() }
    }

    fn get(&self, name: &str) -> Arc<[Choice]> {
        self.lists.iter().find(|(known, _)| *known == name).map_or_else(Arc::default, |(_, choices)| Arc::clone(choices))
    }
}

impl Pattern {
    /// Reads a pattern. An unknown list is a mistake in the table, which the test of every row's example finds.
    pub fn parse(text: &'static str, lists: &ReadLists) -> Self {
        let items = text.split(' ').filter(|part| !part.is_empty()).map(|part| match part {
            "^" => Item::Begin,
            "$" => Item::End,
            "," => Item::Break,
            "<" => Item::ClauseBegin,
            ">" => Item::ClauseEnd,
            ".." => Item::Gap(2),
            "..." => Item::Gap(8),
            "...." => Item::Gap(20),
            _ if part.len() == 2 && part.starts_with('+') => Item::More(part[1..].parse().unwrap_or(1)),
            _ => match part.strip_prefix('!') {
                Some(part) => Item::Not(choices(part, lists)),
                None => match part.strip_suffix('?') {
                    Some(part) => Item::Any { of: choices(part, lists), optional: true },
                    None => Item::Any { of: choices(part, lists), optional: false },
                },
            },
        });
        let items: Vec<Item> = items.collect();
        let required = items.iter().filter_map(|item| match item {
            Item::Any { of, optional: false } => Some(of.iter().fold(0, |marks, choice| marks | choice.marks())),
            _ => None,
        });
        let needs = required.min_by_key(|marks| marks.count_ones()).unwrap_or(Marks::MAX);
        Self { items, needs }
    }

    /// Whether it is found anywhere in the text.
    pub fn is_in(&self, text: &Text<'_>) -> bool {
        if self.needs != Marks::MAX && self.needs & text.marks == 0 {
            return false;
        }
        let words = &text.tokens.words;
        match self.items.first() {
            Some(Item::Begin) => (0..=text.begin.min(words.len())).any(|at| here(&self.items[1..], text, at)),
            _ => (0..=words.len()).any(|at| here(&self.items, text, at)),
        }
    }
}

/// The alternatives of one place; a list's entries stand for its name.
fn choices(part: &'static str, lists: &ReadLists) -> Box<[Choice]> {
    part.split('|')
        .map(|choice| match choice.strip_prefix('@') {
            Some(name) => Choice::List(lists.get(name)),
            None => sequence(choice),
        })
        .collect()
}

fn sequence(choice: &'static str) -> Choice {
    let mut atoms = Vec::new();
    for word in choice.split('_').filter(|word| !word.is_empty()) {
        match word {
            "#" => atoms.push(Atom::Identifier),
            "*" => atoms.push(Atom::Any),
            _ => literal(word, &mut atoms),
        }
    }
    match atoms.pop() {
        Some(only) if atoms.is_empty() => Choice::One(only),
        last => Choice::Joined(atoms.into_iter().chain(last).collect()),
    }
}

/// A word, or what it begins or ends with; scripts without spaces one character at a time.
fn literal(word: &'static str, atoms: &mut Vec<Atom>) {
    // most words stand in the tables as they are looked for
    if word.bytes().all(|byte| byte.is_ascii() && !byte.is_ascii_uppercase()) {
        return atoms.push(affix(Cow::Borrowed(word)));
    }
    let mut run = String::new();
    for char in fold(word).chars() {
        if is_single(char) {
            if !run.is_empty() {
                atoms.push(Atom::Word(std::mem::take(&mut run).into()));
            }
            atoms.push(Atom::Word(char.to_string().into()));
        } else {
            run.push(char);
        }
    }
    if !run.is_empty() {
        atoms.push(affix(run.into()));
    }
}

fn affix(word: Cow<'static, str>) -> Atom {
    match (word.strip_prefix('*'), word.strip_suffix('*')) {
        (Some(end), _) => Atom::Suffix(end.to_owned().into()),
        (None, Some(stem)) => Atom::Prefix(stem.to_owned().into()),
        (None, None) => Atom::Word(word),
    }
}

/// One bit for a word.
fn mark(word: &str) -> Marks {
    // FNV-1a: a few words a sentence are told apart well enough
    let hash = word.bytes().fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    1 << ((hash ^ (hash >> 15)) % Marks::BITS)
}

impl Choice {
    fn marks(&self) -> Marks {
        match self {
            Self::One(atom) => atom.marks(),
            Self::Joined(atoms) => atoms.iter().map(Atom::marks).min_by_key(|marks| marks.count_ones()).unwrap_or(0),
            Self::List(of) => of.iter().fold(0, |marks, choice| marks | choice.marks()),
        }
    }
}

impl Atom {
    fn marks(&self) -> Marks {
        match self {
            Self::Word(word) => mark(word),
            Self::Prefix(_) | Self::Suffix(_) | Self::Identifier | Self::Any => Marks::MAX,
        }
    }

    fn fits(&self, token: &Token) -> bool {
        match self {
            Self::Word(word) => token.text == *word,
            Self::Prefix(stem) => !token.identifier && token.text.starts_with(&**stem),
            // a word is longer than its ending: "bring" ends with "ing" and is no such form
            Self::Suffix(end) => {
                !token.identifier && token.text.chars().count() > end.chars().count() + 1 && token.text.ends_with(&**end)
            }
            Self::Identifier => token.identifier,
            Self::Any => true,
        }
    }
}

/// Whether the items match from this word on.
fn here(items: &[Item], text: &Text<'_>, at: usize) -> bool {
    let words = &text.tokens.words;
    let Some((item, rest)) = items.split_first() else { return true };
    match item {
        Item::Begin => at <= text.begin && here(rest, text, at),
        Item::End => at >= text.end && here(rest, text, at),
        Item::More(least) => at + least <= words.len() && here(rest, text, at),
        Item::Break => at > 0 && words.get(at).is_some_and(|word| word.cut.is_some()) && here(rest, text, at),
        Item::ClauseBegin => (at <= text.begin || words.get(at).is_some_and(|word| word.cut.is_some())) && here(rest, text, at),
        Item::ClauseEnd => (at >= text.end || words.get(at).is_some_and(|word| word.cut.is_some())) && here(rest, text, at),
        Item::Gap(most) => (at..=(at + most).min(words.len())).any(|at| here(rest, text, at)),
        Item::Not(of) => !any(of, words, at, &|_| true) && here(rest, text, at),
        Item::Any { of, optional } => any(of, words, at, &|end| here(rest, text, end)) || (*optional && here(rest, text, at)),
    }
}

/// Whether one of them stands here, and what comes after it is as it has to be.
fn any(of: &[Choice], words: &[Token], at: usize, then: &dyn Fn(usize) -> bool) -> bool {
    of.iter().any(|choice| {
        let atoms = match choice {
            Choice::One(atom) => std::slice::from_ref(atom),
            Choice::Joined(atoms) => atoms,
            Choice::List(of) => return any(of, words, at, then),
        };
        fits(atoms, words, at) && then(at + atoms.len())
    })
}

/// Whether the atoms stand here, nothing between them.
fn fits(atoms: &[Atom], words: &[Token], at: usize) -> bool {
    !atoms.is_empty()
        && at + atoms.len() <= words.len()
        && atoms.iter().zip(&words[at..]).enumerate().all(|(i, (atom, word))| atom.fits(word) && (i == 0 || word.cut.is_none()))
}

#[cfg(test)]
mod tests {
    use super::{Pattern, ReadLists, Text};
    use crate::capture::token::Tokens;

    fn found(pattern: &'static str, text: &str) -> bool {
        let lists = ReadLists::new(&[("fault", "forgot missed left_out")]);
        let tokens = Tokens::read(text, 100);
        let end = tokens.words.len();
        Pattern::parse(pattern, &lists).is_in(&Text::new(&tokens, 0, end))
    }

    #[test]
    fn each_sign_of_the_language_means_what_it_says() {
        for (pattern, yes, no) in [
            ("that|this is wrong", "no, THIS is wrong", "that was wrong"),
            ("no_need to", "no need to ask", "no, need to ask"),
            ("forg*", "you forgot", "he ergo"),
            ("you just? @fault", "you left out the test", "you left it"),
            ("you .. forgot", "you have once forgot", "you have more than once forgot"),
            ("^ stop $", "Stop!", "please stop"),
            ("< use", "no, use it", "no use"),
            ("use .. , not", "use pnpm, not npm", "use pnpm not npm"),
            ("stop , +2", "stop, use it", "stop, now"),
            ("stop *ing", "stop adding", "stop it"),
            ("stop >", "stop, now", "stop now"),
            ("not # !yet", "not src/a.ts today", "not src/a.ts yet"),
            ("じゃなくて", "main じゃなくて develop", "main じゃない"),
            ("undo", "undo it", "segundo"),
        ] {
            assert!(found(pattern, yes), "{pattern}: {yes}");
            assert!(!found(pattern, no), "{pattern}: {no}");
        }
    }
}
