//! Texts as bags of words: how close two of them are. Whether close texts agree or contradict is `likeness`'s.

use std::collections::BTreeSet;

/// The words that carry meaning: lower case, identifiers in their parts, no filler; scripts without spaces in pairs of
/// characters.
pub fn words(text: &str) -> BTreeSet<String> {
    let mut set = BTreeSet::new();
    for part in parts(text) {
        if part.chars().any(is_unspaced) {
            let chars: Vec<char> = part.chars().collect();
            set.extend(chars.windows(2.min(chars.len())).map(|pair| pair.iter().collect::<String>()));
        } else {
            let lower = part.to_lowercase();
            let word = stem(&lower);
            if word.chars().count() > 1 && FILLER.binary_search(&word).is_err() {
                set.insert(word.to_owned());
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

/// How many of `wanted` stand among the words of the texts: as the sets' intersection, without making those sets.
pub fn count_shared(texts: &[&str], wanted: &BTreeSet<String>) -> usize {
    let wanted: Vec<&str> = wanted.iter().map(String::as_str).collect();
    // most words begin otherwise than any that is wanted, or are of another length
    let first = |word: &str| 1_u32 << (word.as_bytes().first().copied().unwrap_or_default() & 31);
    let firsts = wanted.iter().fold(0, |firsts, word| firsts | first(word));
    let lengths = wanted.iter().fold(0_u64, |lengths, word| lengths | (1 << word.len().min(63)));
    let mut found = vec![false; wanted.len()];
    let mut look_up = |part: &str| {
        if part.is_ascii() {
            if firsts & first(part) == 0 {
                return;
            }
            let word = stem(part);
            if lengths & (1 << word.len().min(63)) != 0
                && let Some(at) = wanted.iter().position(|wanted| wanted.eq_ignore_ascii_case(word))
            {
                found[at] = true;
            }
        } else {
            for word in words(part) {
                if let Some(at) = wanted.iter().position(|wanted| *wanted == word) {
                    found[at] = true;
                }
            }
        }
    };
    for text in texts {
        if text.is_ascii() {
            ascii_parts(text, &mut look_up);
        } else {
            parts(text).for_each(&mut look_up);
        }
    }
    found.into_iter().filter(|&found| found).count()
}

/// As [`parts`], for a text of ASCII.
fn ascii_parts<'a>(text: &'a str, mut each: impl FnMut(&'a str)) {
    let bytes = text.as_bytes();
    let mut start = 0;
    for at in 0..=bytes.len() {
        let byte = bytes.get(at).copied().unwrap_or_default();
        if !byte.is_ascii_alphanumeric() {
            if start < at {
                each(&text[start..at]);
            }
            start = at + 1;
        } else if byte.is_ascii_uppercase() && start < at && bytes[at - 1].is_ascii_lowercase() {
            each(&text[start..at]);
            start = at;
        }
    }
}

/// Runs of letters and digits, identifiers in their parts.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !c.is_alphanumeric()).flat_map(identifier_parts)
}

/// `userApi2` is user, Api2: an upper-case letter after a lower-case one begins a part, and so does another kind of script.
fn identifier_parts(run: &str) -> impl Iterator<Item = &str> {
    let mut rest = Some(run);
    std::iter::from_fn(move || {
        let text = rest?;
        let mut previous: Option<char> = None;
        let cut = text.char_indices().find(|&(_, char)| {
            previous.replace(char).is_some_and(|previous| {
                (previous.is_lowercase() && char.is_uppercase()) || is_unspaced(previous) != is_unspaced(char)
            })
        });
        let (part, after) = text.split_at(cut.map_or(text.len(), |(at, _)| at));
        rest = cut.map(|_| after);
        Some(part)
    })
}

/// Chinese, Japanese, Thai and their like are written without spaces.
fn is_unspaced(char: char) -> bool {
    matches!(char, '\u{E00}'..='\u{EFF}' | '\u{1000}'..='\u{109F}' | '\u{1780}'..='\u{17FF}' | '\u{3040}'..='\u{30FF}'
        | '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// A plural is the same word: without its `s`, and without the `e` that it may have put in ("searches", and so "caches" too).
fn stem(word: &str) -> &str {
    if !word.is_ascii() {
        return word;
    }
    let singular = match word.strip_suffix(['s', 'S']) {
        Some(stem) if stem.len() > 2 && !stem.ends_with(['s', 'u', 'i', 'S', 'U', 'I']) => stem,
        _ => word,
    };
    match singular.strip_suffix(['e', 'E']) {
        Some(stem) if ends_with_sibilant(stem.as_bytes()) => stem,
        _ => singular,
    }
}

fn ends_with_sibilant(word: &[u8]) -> bool {
    let ends = |end: &[u8]| word.len() > end.len() && word[word.len() - end.len()..].eq_ignore_ascii_case(end);
    ends(b"ch") || ends(b"sh") || ends(b"ss") || ends(b"x")
}

/// Words that stand in every sentence; sorted.
const FILLER: [&str; 45] = [
    "about", "all", "also", "always", "an", "and", "any", "are", "as", "at", "be", "but", "by", "can", "do", "for", "from",
    "has", "have", "in", "into", "is", "it", "its", "more", "must", "of", "on", "or", "please", "should", "so", "that", "the",
    "then", "there", "thi", "this", "to", "we", "when", "where", "which", "with", "you",
];

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::{FILLER, closeness, count_shared, words};

    proptest! {
        #[test]
        fn shared_words_are_counted_as_the_sets_have_them(
            text in "([a-zA-Z]{1,5}[ ._-]|class|Users|K|ünits|不要使|[A-Z][a-z]{2}s){0,12}",
            other in "([a-zA-Z]{1,5}[ /]|Class|USERS|k|ÜNITS|使用|[A-Z][a-z]{2}){0,6}",
        ) {
            let wanted = words(&other);
            prop_assert_eq!(count_shared(&[&text], &wanted), words(&text).intersection(&wanted).count());
        }
    }

    #[test]
    fn filler_is_sorted() {
        assert!(FILLER.is_sorted());
    }

    #[test]
    fn words_are_folded_split_and_paired() {
        let set = |text| words(text).into_iter().collect::<Vec<_>>();
        assert_eq!(set("Validate the userInputs, at API-boundaries!"), ["api", "boundarie", "input", "user", "validate"]);
        assert_eq!(set("Searches, Search, CACHES, cache, boxes"), ["box", "cach", "search"]);
        assert_eq!(set("不要使用"), ["不要", "使用", "要使"]);
        assert_eq!(set("使用Pnpm而不"), ["pnpm", "使用", "而不"]);
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
