//! Texts as bags of words: how close two of them are. Whether close texts agree or contradict is `likeness`'s.

use std::collections::BTreeSet;

/// The words that carry meaning: lower case, identifiers in their parts, no filler; scripts without spaces in pairs of
/// characters.
pub fn words(text: &str) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    for run in text.split(|c: char| !c.is_alphanumeric()) {
        for part in identifier_parts(run) {
            if part.chars().any(is_unspaced) {
                let chars: Vec<char> = part.chars().collect();
                set.extend(chars.windows(2.min(chars.len())).map(|pair| pair.iter().collect::<String>()));
            } else {
                let word = stem(&part.to_lowercase());
                if word.chars().count() > 1 && FILLER.binary_search(&word.as_str()).is_err() {
                    set.insert(word);
                }
            }
        }
    }
    set
}

/// 0 (nothing in common) to 1 (the same words): twice the shared words by all words.
pub fn closeness(a: &BTreeSet<String>, b: &BTreeSet<String>) -> f64 {
    if a.is_empty() || b.is_empty() {
        return 0.0;
    }
    let shared = a.intersection(b).count();
    2.0 * shared as f64 / (a.len() + b.len()) as f64
}

/// `userApi2` is user, Api2: an upper-case letter after a lower-case one begins a part.
fn identifier_parts(run: &str) -> Vec<&str> {
    let mut parts = Vec::new();
    let mut start = 0;
    let mut previous_lower = false;
    for (at, char) in run.char_indices() {
        if previous_lower && char.is_uppercase() {
            parts.push(&run[start..at]);
            start = at;
        }
        previous_lower = char.is_lowercase();
    }
    parts.push(&run[start..]);
    parts
}

/// Chinese, Japanese, Thai and their like are written without spaces.
fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// A plural is the same word.
fn stem(word: &str) -> String {
    match word.strip_suffix('s') {
        Some(stem) if word.is_ascii() && stem.len() > 2 && !stem.ends_with(['s', 'u', 'i']) => stem.to_owned(),
        _ => word.to_owned(),
    }
}

/// Words that stand in every sentence; sorted.
const FILLER: [&str; 45] = [
    "about", "all", "also", "always", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can", "do", "for", "from",
    "has", "have", "in", "into", "is", "it", "its", "more", "must", "of", "on", "or", "please", "should", "so", "that", "the",
    "then", "there", "thi", "this", "to", "we", "when", "where", "which", "with", "you",
];

#[cfg(test)]
mod tests {
    use super::{FILLER, closeness, words};

    #[test]
    fn filler_is_sorted() {
        assert!(FILLER.is_sorted());
    }

    #[test]
    fn words_are_folded_split_and_paired() {
        let set = |text| words(text).into_iter().collect::<Vec<_>>();
        assert_eq!(set("Validate the userInputs, at API-boundaries!"), ["api", "boundarie", "input", "user", "validate"]);
        assert_eq!(set("不要使用"), ["不要", "使用", "要使"]);
    }

    #[test]
    fn closeness_is_between_nothing_and_all() {
        let close = |a, b| closeness(&words(a), &words(b));
        assert_eq!(close("Use pnpm", "use PNPM."), 1.0);
        assert_eq!(close("Use pnpm", "write tests"), 0.0);
        assert_eq!(close("", ""), 0.0);
        assert!(close("validate inputs at boundaries", "validate all inputs early") > 0.4);
    }
}
