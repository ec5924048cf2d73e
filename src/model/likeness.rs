//! Whether two statements say the same, the opposite, or something else. Used to group candidates, to find
//! duplicates and contradictions, and to tell a lesson that recurred from one that was wrong.

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
    let (bag_a, bag_b) = (words(a), words(b));
    let close = closeness(&bag_a, &bag_b);
    if close < 0.5 {
        return Likeness::Different;
    }
    if negations(a) % 2 != negations(b) % 2 || swapped(a, b) {
        return Likeness::Opposite;
    }
    if close > 0.9 { Likeness::Same } else { Likeness::Close(close) }
}

fn negations(text: &str) -> usize {
    const NEGATIONS: [&str; 8] = ["not", "never", "no", "without", "avoid", "don't", "dont", "stop"];
    let text = text.to_lowercase();
    text.split(|c: char| !c.is_alphanumeric() && c != '\'').filter(|word| NEGATIONS.contains(word)).count()
}

/// "Use a, not b" against "use b, not a".
fn swapped(a: &str, b: &str) -> bool {
    let halves = |text: &str| {
        let text = text.to_lowercase();
        [" not ", " instead of ", " rather than ", " over "]
            .iter()
            .find_map(|mark| text.split_once(mark).map(|(want, avoid)| (words(want), words(avoid))))
    };
    match (halves(a), halves(b)) {
        (Some((want_a, avoid_a)), Some((want_b, avoid_b))) => {
            avoid_a.intersection(&want_b).next().is_some() && avoid_b.intersection(&want_a).next().is_some()
        }
        _ => false,
    }
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
}
