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

use super::token::{Token, Tokens, fold, is_single};

/// A word list: name, then entries in the pattern language's `a|b_c` form.
pub type Lists = [(&'static str, &'static str)];

#[derive(Clone, Debug)]
pub struct Pattern {
    items: Vec<Item>,
}

#[derive(Clone, Debug)]
enum Item {
    Any { of: Vec<Vec<Atom>>, optional: bool },
    Not(Vec<Vec<Atom>>),
    Gap(usize),
    Begin,
    End,
    Break,
    ClauseBegin,
    ClauseEnd,
    More(usize),
}

#[derive(Clone, Debug)]
enum Atom {
    Word(String),
    Prefix(String),
    Suffix(String),
    Identifier,
    Any,
}

/// A sentence with where its openers end and its closers begin.
pub struct Text<'a> {
    pub tokens: &'a Tokens,
    pub begin: usize,
    pub end: usize,
}

impl Pattern {
    /// Reads a pattern. An unknown list is a mistake in the table, which the test of every row's example finds.
    pub fn parse(text: &str, lists: &Lists) -> Self {
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
                Some(part) => Item::Not(alternatives(part, lists)),
                None => match part.strip_suffix('?') {
                    Some(part) => Item::Any { of: alternatives(part, lists), optional: true },
                    None => Item::Any { of: alternatives(part, lists), optional: false },
                },
            },
        });
        Self { items: items.collect() }
    }

    /// Whether it is found anywhere in the text.
    pub fn is_in(&self, text: &Text<'_>) -> bool {
        let words = &text.tokens.words;
        match self.items.first() {
            Some(Item::Begin) => (0..=text.begin.min(words.len())).any(|at| here(&self.items[1..], text, at)),
            _ => (0..=words.len()).any(|at| here(&self.items, text, at)),
        }
    }
}

/// The alternatives of one place; a list's entries stand for its name.
fn alternatives(part: &str, lists: &Lists) -> Vec<Vec<Atom>> {
    part.split('|')
        .flat_map(|choice| match choice.strip_prefix('@') {
            Some(name) => {
                let entries = lists.iter().find(|(known, _)| *known == name).map_or("", |(_, entries)| entries);
                entries.split(['|', ' ']).filter(|entry| !entry.is_empty()).map(sequence).collect::<Vec<_>>()
            }
            None => vec![sequence(choice)],
        })
        .collect()
}

fn sequence(choice: &str) -> Vec<Atom> {
    let mut atoms = Vec::new();
    for word in choice.split('_').filter(|word| !word.is_empty()) {
        match word {
            "#" => atoms.push(Atom::Identifier),
            "*" => atoms.push(Atom::Any),
            _ => literal(word, &mut atoms),
        }
    }
    atoms
}

/// A word, or what it begins or ends with; scripts without spaces one character at a time.
fn literal(word: &str, atoms: &mut Vec<Atom>) {
    let mut run = String::new();
    for char in fold(word).chars() {
        if is_single(char) {
            if !run.is_empty() {
                atoms.push(Atom::Word(std::mem::take(&mut run)));
            }
            atoms.push(Atom::Word(char.to_string()));
        } else {
            run.push(char);
        }
    }
    if !run.is_empty() {
        atoms.push(match (run.strip_prefix('*'), run.strip_suffix('*')) {
            (Some(end), _) => Atom::Suffix(end.to_owned()),
            (None, Some(stem)) => Atom::Prefix(stem.to_owned()),
            (None, None) => Atom::Word(run),
        });
    }
}

impl Atom {
    fn fits(&self, token: &Token) -> bool {
        match self {
            Self::Word(word) => token.text == *word,
            Self::Prefix(stem) => !token.identifier && token.text.starts_with(stem.as_str()),
            // a word is longer than its ending: "bring" ends with "ing" and is no such form
            Self::Suffix(end) => {
                !token.identifier && token.text.chars().count() > end.chars().count() + 1 && token.text.ends_with(end.as_str())
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
        Item::Not(of) => !of.iter().any(|atoms| fits(atoms, words, at)) && here(rest, text, at),
        Item::Any { of, optional } => {
            of.iter().any(|atoms| fits(atoms, words, at) && here(rest, text, at + atoms.len()))
                || (*optional && here(rest, text, at))
        }
    }
}

/// Whether the atoms stand here, nothing between them.
fn fits(atoms: &[Atom], words: &[Token], at: usize) -> bool {
    !atoms.is_empty()
        && at + atoms.len() <= words.len()
        && atoms.iter().zip(&words[at..]).enumerate().all(|(i, (atom, word))| atom.fits(word) && (i == 0 || word.cut.is_none()))
}

#[cfg(test)]
mod tests {
    use super::{Pattern, Text};
    use crate::capture::token::Tokens;

    fn found(pattern: &str, text: &str) -> bool {
        let lists = [("fault", "forgot missed left_out")];
        let tokens = Tokens::read(text, 100);
        let end = tokens.words.len();
        Pattern::parse(pattern, &lists).is_in(&Text { tokens: &tokens, begin: 0, end })
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
