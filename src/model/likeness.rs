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
    let close = closeness(&words(a), &words(b));
    if close < 0.5 {
        return Likeness::Different;
    }
    let (a, b) = (Sense::of(a), Sense::of(b));
    let agree = a.wanted.intersection(&b.wanted).count() + a.unwanted.intersection(&b.unwanted).count();
    let clash = a.wanted.intersection(&b.unwanted).count() + a.unwanted.intersection(&b.wanted).count();
    match close {
        _ if clash > agree => Likeness::Opposite,
        // with other words around it, a clash leaves open what is meant
        close if close > 0.9 && clash == 0 => Likeness::Same,
        close => Likeness::Close(close),
    }
}

/// What a text asks for and what it warns of: "use a, not b".
#[derive(Default)]
struct Sense {
    wanted: BTreeSet<String>,
    unwanted: BTreeSet<String>,
}

impl Sense {
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
    use super::{Likeness, compare};

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
}
