//! Whether two statements say the same, the opposite, or something else. Used to group candidates, to find
//! duplicates and contradictions, and to tell a lesson that recurred from one that was wrong.

use std::collections::BTreeSet;

use super::words::{closeness, words};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Likeness {
    /// The same statement: case, white space, punctuation and small rewordings aside.
    Same,
    /// About the same thing, in other words; 0.5 to 1.
    Close(f64),
    /// About the same thing, with the opposite sense.
    Opposite,
    Different,
}

pub fn compare(a: &str, b: &str) -> Likeness {
    Statement::new(a).compare(&Statement::new(b))
}

/// A text, ready to be compared with many others.
#[derive(Clone, Debug)]
pub struct Statement {
    words: BTreeSet<String>,
    sense: Sense,
}

impl Statement {
    pub fn new(text: &str) -> Self {
        Self { words: words(text), sense: Sense::of(text) }
    }

    pub fn compare(&self, other: &Self) -> Likeness {
        let close = closeness(&self.words, &other.words);
        if close < 0.5 {
            return Likeness::Different;
        }
        let (agree, clash) = self.sense.against(&other.sense);
        match close {
            _ if clash > agree => Likeness::Opposite,
            // with other words around it, a clash leaves open what is meant
            close if close > 0.9 && clash == 0 && !self.decides_otherwise(other) => Likeness::Same,
            close => Likeness::Close(close),
        }
    }

    /// Whether both probably say the same, for a person to decide: also where they differ in numbers alone, or in how
    /// they say "use a, not b". Statements that name different things do not repeat each other.
    pub fn repeats(&self, other: &Self) -> bool {
        if self.sense.against(&other.sense).1 > 0 {
            return false;
        }
        let (a, b) = (self.core(), other.core());
        if a.is_empty() || b.is_empty() {
            return self.words == other.words && !self.words.is_empty();
        }
        let close = 2.0 * a.intersection(&b).count() as f64 / (a.len() + b.len()) as f64;
        close > 0.85 && !self.decides_otherwise(other)
    }

    /// Whether both use the same words, numbers included.
    pub fn has_words_of(&self, other: &Self) -> bool {
        self.words == other.words
    }

    /// How many words name things.
    pub fn weight(&self) -> usize {
        self.core().len()
    }

    /// The words that name things: no numbers, nothing that only says "use this and not that".
    fn core(&self) -> BTreeSet<&str> {
        self.words.iter().map(String::as_str).filter(|word| names_something(word)).collect()
    }

    /// Whether each names something that the other does not.
    fn decides_otherwise(&self, other: &Self) -> bool {
        let own = |a: &Self, b: &Self| a.words.difference(&b.words).any(|word| names_something(word));
        own(self, other) && own(other, self)
    }
}

fn names_something(word: &str) -> bool {
    !word.bytes().all(|byte| byte.is_ascii_digit()) && CHOOSING.binary_search(&word).is_err()
}

/// Words that only choose between things; sorted.
const CHOOSING: [&str; 16] = [
    "avoid", "choose", "don", "ensure", "instead", "make", "never", "no", "not", "only", "prefer", "rather", "take", "than",
    "use", "without",
];

/// What a text asks for and what it warns of: "use a, not b".
#[derive(Clone, Debug, Default)]
struct Sense {
    wanted: BTreeSet<String>,
    unwanted: BTreeSet<String>,
}

impl Sense {
    /// How many words both want or both do not, and how many one wants and the other does not.
    fn against(&self, other: &Self) -> (usize, usize) {
        let agree = self.wanted.intersection(&other.wanted).count() + self.unwanted.intersection(&other.unwanted).count();
        let clash = self.wanted.intersection(&other.unwanted).count() + self.unwanted.intersection(&other.wanted).count();
        (agree, clash)
    }

    fn of(text: &str) -> Self {
        let mut sense = Self::default();
        let text = text.to_lowercase().replace('’', "'");
        for clause in
            text.split([',', '.', ';', ':', '!', '?', '(', ')', '—', '–', '\n', '，', '。', '；', '：', '！', '？', '、'])
        {
            let (before, after) = split_at_negation(clause);
            sense.wanted.extend(words(before));
            sense.unwanted.extend(words(after));
        }
        let both: Vec<_> = sense.wanted.intersection(&sense.unwanted).cloned().collect();
        for word in both {
            // "don't use a, use b" says nothing about `use`
            sense.wanted.remove(&word);
            sense.unwanted.remove(&word);
        }
        sense
    }
}

/// What stands before and what after the first negation of a clause. Where nothing stands after it ("benutze npm nicht") all
/// of the clause is negated.
fn split_at_negation(clause: &str) -> (&str, &str) {
    let Some((at, length)) = negation(clause) else { return (clause, "") };
    let (before, after) = (&clause[..at], &clause[at + length..]);
    if words(after).is_empty() { ("", before) } else { (before, after) }
}

/// Where the first negation stands, and how long it is.
fn negation(clause: &str) -> Option<(usize, usize)> {
    // a phrase takes along the word that would be read as asked for
    const PHRASES: [&str; 5] = ["instead of", "rather than", "au lieu de", "en lugar de", "em vez de"];
    const WORDS: [&str; 43] = [
        "aucun",
        "avoid",
        "don't",
        "dont",
        "evita",
        "evite",
        "except",
        "jamais",
        "kein",
        "keine",
        "keinen",
        "mai",
        "nada",
        "ne",
        "never",
        "nie",
        "niemals",
        "nicht",
        "no",
        "non",
        "not",
        "nunca",
        "não",
        "ohne",
        "over",
        "pas",
        "sans",
        "sem",
        "senza",
        "sin",
        "statt",
        "stop",
        "stopp",
        "than",
        "vermeide",
        "without",
        "évite",
        "évitez",
        "без",
        "не",
        "нет",
        "никогда",
        "избегай",
    ];
    const UNSPACED: [&str; 9] = ["不", "别", "別", "勿", "没有", "没", "ない", "ません", "마세요"];
    let phrase = PHRASES.iter().filter_map(|phrase| Some((clause.find(phrase)?, phrase.len())));
    let unspaced = UNSPACED.iter().filter_map(|mark| Some((clause.find(mark)?, mark.len())));
    let mut at = 0;
    let word = clause.split(|c: char| !c.is_alphanumeric() && c != '\'').find_map(|word| {
        let start = at + clause[at..].find(word)?;
        at = start + word.len();
        WORDS.contains(&word).then_some((start, word.len()))
    });
    phrase.chain(unspaced).chain(word).min()
}

#[cfg(test)]
mod tests {
    use super::{CHOOSING, Likeness, Statement, compare};

    #[test]
    fn a_negation_or_a_swap_makes_the_opposite() {
        assert_eq!(compare("Use pnpm, not npm", "use PNPM not npm!"), Likeness::Same);
        assert_eq!(compare("Use pnpm, not npm", "Use npm, not pnpm"), Likeness::Opposite);
        assert_eq!(compare("Commit lock files", "Never commit lock files"), Likeness::Opposite);
        assert_eq!(compare("Commit lock files", "Write tests first"), Likeness::Different);
    }

    #[test]
    fn what_is_asked_for_and_what_is_warned_of_are_told_apart() {
        let lesson = "Use pnpm, not npm";
        for (said, opposite) in [
            ("No, use pnpm, not npm!", false),
            ("Use pnpm please", false),
            ("don't use npm, use pnpm", false),
            ("Use pnpm instead of npm", false),
            ("Use npm instead of pnpm", true),
            ("don’t use pnpm, use npm", true),
            ("never use pnpm", true),
        ] {
            assert_eq!(compare(lesson, said) == Likeness::Opposite, opposite, "{said}");
            assert_ne!(compare(lesson, said), Likeness::Different, "{said}");
        }
        for (a, b) in [
            ("Verwende npm", "Verwende npm nicht"),
            ("Utilise npm pour installer", "N'utilise pas npm pour installer"),
            ("使用 npm 安装", "不要使用 npm 安装"),
            ("Используй npm", "Не используй npm"),
        ] {
            assert_eq!(compare(a, b), Likeness::Opposite, "{b}");
            assert_eq!(compare(b, b), Likeness::Same, "{b}");
        }
    }

    #[test]
    fn the_table_is_sorted() {
        assert!(CHOOSING.is_sorted());
    }

    #[test]
    fn dd01_numbers_and_the_way_of_choosing_make_no_other_statement() {
        let repeats = |a, b| Statement::new(a).repeats(&Statement::new(b));
        for (a, b) in [
            ("There are 12 backups left", "There are 9 backups left"),
            ("Search with rg, never grep", "For searches take rg rather than grep"),
            ("Use pnpm, not npm", "Use pnpm instead of npm"),
            ("Validate inputs at the API boundaries", "validate input at API boundaries!"),
        ] {
            assert!(repeats(a, b), "{a} / {b}");
        }
    }

    #[test]
    fn dd02_one_decisive_word_makes_another_statement() {
        for (a, b) in [
            ("host alpha uses Postgres 14", "host beta uses Postgres 14"),
            ("use tabs in Go", "do not use tabs in Go"),
            ("Use pnpm, not npm", "Use npm, not pnpm"),
            ("Write tests first", "Commit lock files"),
            (
                "Keep the client of the billing service in src/clients with its own retry, timeout and logging settings",
                "Keep the client of the mailing service in src/clients with its own retry, timeout and logging settings",
            ),
        ] {
            assert!(!Statement::new(a).repeats(&Statement::new(b)), "{a} / {b}");
            assert_ne!(compare(a, b), Likeness::Same, "{a} / {b}");
        }
    }
}
