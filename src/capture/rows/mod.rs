//! The ways of speaking, a table a language. A language or a pattern is added by adding a row with its example, in the
//! language of [`super::pattern`]; a test lets every row's own example fire that row.
//!
//! A row says *how people speak*, not what one person once wrote: its example is one of many sentences that it is for.

mod de;
mod en;
mod es;
mod fr;
mod it;
mod ja;
mod ko;
mod pt;
mod ru;
mod zh;

use std::sync::OnceLock;

use super::lang::Lang;
use super::pattern::{Lists, Pattern, ReadLists};

/// What a row says about the sentence that it is found in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Sense {
    Correction,
    Direction,
    Rejection,
    Approval,
    Clarification,
    TaskStart,
    TaskEnd,
    /// Small talk, thanks, an acknowledgement.
    Idle,
    /// Hypothetical, reported, quoted, joking, the person correcting themselves: whatever else is found says nothing.
    Shield,
    /// Holds for this once.
    Once,
    /// Holds beyond the moment.
    Lasting,
    /// Asks for a reason: with a demand behind it, a correction.
    Why,
    /// Praise that may be followed by a "but".
    Praise,
}

/// One way of speaking.
#[derive(Debug)]
pub struct Row {
    pub sense: Sense,
    /// 1 to 9: how sure it is. From [`super::classify::STORED`] on it decides alone; 9 holds in a question too.
    pub weight: u8,
    pub pattern: &'static str,
    pub example: &'static str,
}

const fn row(sense: Sense, weight: u8, pattern: &'static str, example: &'static str) -> Row {
    Row { sense, weight, pattern, example }
}

/// All rows of a language, and its word lists.
#[derive(Debug)]
pub struct Table {
    pub lists: &'static Lists,
    pub rows: &'static [Row],
}

/// The lists that every table has: words that may stand before a sentence proper, and after it.
pub const OPENERS: &str = "openers";
pub const CLOSERS: &str = "closers";

pub fn table(lang: Lang) -> &'static Table {
    match lang {
        Lang::En => &en::TABLE,
        Lang::De => &de::TABLE,
        Lang::Fr => &fr::TABLE,
        Lang::Es => &es::TABLE,
        Lang::Pt => &pt::TABLE,
        Lang::It => &it::TABLE,
        Lang::Ru => &ru::TABLE,
        Lang::Zh => &zh::TABLE,
        Lang::Ja => &ja::TABLE,
        Lang::Ko => &ko::TABLE,
    }
}

/// What people of every language put before a sentence.
const POLITE: &str = "bitte please pls por favor ok okay hm hmm";

/// A table ready to be used; each is read once, when its language is first met.
#[derive(Debug)]
pub struct Compiled {
    pub patterns: Vec<(&'static Row, Pattern)>,
    pub openers: Vec<String>,
    pub closers: Vec<String>,
}

pub fn compiled(lang: Lang) -> &'static Compiled {
    static TABLES: [OnceLock<Compiled>; Lang::ALL.len()] = [const { OnceLock::new() }; Lang::ALL.len()];
    let at = Lang::ALL.iter().position(|&known| known == lang).expect("all languages are listed");
    TABLES[at].get_or_init(|| {
        let table = table(lang);
        let list = |name: &str| {
            let entries = table.lists.iter().find(|(known, _)| *known == name).map_or("", |(_, entries)| entries);
            entries.split(' ').chain(POLITE.split(' ')).filter(|entry| !entry.is_empty()).map(super::token::fold).collect()
        };
        let lists = ReadLists::new(table.lists);
        Compiled {
            patterns: table.rows.iter().map(|row| (row, Pattern::parse(row.pattern, &lists))).collect(),
            openers: list(OPENERS),
            closers: list(CLOSERS),
        }
    })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{compiled, table};
    use crate::capture::classify::fired;
    use crate::capture::lang::Lang;

    #[test]
    fn every_rows_example_fires_that_row() {
        let mut silent = Vec::new();
        for lang in Lang::ALL {
            for row in table(lang).rows {
                if !fired(row.example, lang).iter().any(|found| std::ptr::eq(*found, row)) {
                    silent.push(format!("{}: {} <- {}", lang.code(), row.pattern, row.example));
                }
            }
        }
        assert!(silent.is_empty(), "{silent:#?}");
    }

    #[test]
    fn no_row_stands_twice_and_every_list_that_is_named_exists() {
        for lang in Lang::ALL {
            let table = table(lang);
            let mut seen = HashSet::new();
            for row in table.rows {
                assert!(seen.insert(row.pattern), "{}: {}", lang.code(), row.pattern);
                assert!((1..=9).contains(&row.weight), "{}", row.pattern);
                for part in row.pattern.split([' ', '|']) {
                    if let Some(name) = part.trim_start_matches('!').strip_prefix('@') {
                        let name = name.trim_end_matches('?');
                        assert!(table.lists.iter().any(|(known, _)| *known == name), "{}: @{name}", lang.code());
                    }
                }
            }
            assert_eq!(compiled(lang).patterns.len(), table.rows.len());
        }
    }
}
