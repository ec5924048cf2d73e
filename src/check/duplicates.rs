//! Statements that say what another one says already, or its opposite: lessons and rules of a pack against each other, and
//! in a review new ones against those of all packs. How alike two statements are is `model::likeness`'s; here the pairs worth
//! a look are found without comparing all with all.

use std::collections::hash_map::Entry;
use std::collections::{HashMap, HashSet};
use std::hash::{BuildHasherDefault, Hasher};

use crate::model::likeness::{Likeness, Statement};
use crate::model::words::words;

use super::code;
use super::sink::{At, Sink};
use super::{guardrails, lessons};

/// How much of their words two texts share before anybody looks closer.
const WORTH_A_LOOK: f64 = 0.75;

/// The distinct words of a text as numbers, sorted; numerals and words that only choose are left out.
type Marks = Vec<u64>;

/// Keyed by what is a digest already.
type ByMark<T> = HashMap<u64, T, BuildHasherDefault<AsIs>>;

#[derive(Default)]
struct AsIs(u64);

impl Hasher for AsIs {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, _: &[u8]) {
        unreachable!("only u64 keys are hashed");
    }

    fn write_u64(&mut self, value: u64) {
        self.0 = value;
    }
}

/// One rule, or the title and instruction of one lesson.
struct Said<'a> {
    file: &'a str,
    line: usize,
    parts: [&'a str; 2],
    part_marks: [Marks; 2],
    /// The words of both parts.
    marks: Marks,
}

impl<'a> Said<'a> {
    fn new(file: &'a str, line: usize, parts: [&'a str; 2]) -> Self {
        let part_marks = parts.map(marks);
        let mut both = part_marks.concat();
        both.sort_unstable();
        both.dedup();
        Self { file, line, parts, part_marks, marks: both }
    }

    fn rule(file: &'a str, rule: &'a guardrails::Entry) -> Self {
        Self::new(file, rule.line, [&rule.words, ""])
    }

    fn lesson(file: &'a str, lesson: &'a lessons::Entry<'_>) -> Self {
        Self::new(file, lesson.line, [&lesson.title, &lesson.actionable])
    }

    fn is_lesson(&self) -> bool {
        !self.parts[1].is_empty()
    }

    fn statements(&self) -> Vec<Statement> {
        self.parts.iter().filter(|part| !part.is_empty()).map(|part| Statement::new(part)).collect()
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Verdict {
    Same,
    Opposite,
}

/// Whether two statements say the same or the opposite. Lessons do where both their parts do, or where one part is word for
/// word the other's; a lesson and a rule where one part of the lesson does.
fn verdict(a: &Said<'_>, b: &Said<'_>) -> Option<Verdict> {
    let both_lessons = a.is_lesson() && b.is_lesson();
    if both_lessons && a.parts.iter().zip(b.parts).all(|(a, b)| differ_in_digits_alone(a, b)) {
        // as the words would say it, at a fraction of the work: files that a program wrote are full of them
        return Some(Verdict::Same);
    }
    let (a, b) = (a.statements(), b.statements());
    let pairs: Vec<(&Statement, &Statement)> = match both_lessons {
        true => a.iter().zip(&b).collect(),
        false => a.iter().flat_map(|a| b.iter().map(move |b| (a, b))).collect(),
    };
    if pairs.iter().any(|(a, b)| a.compare(b) == Likeness::Opposite) {
        return Some(Verdict::Opposite);
    }
    let repeated = |(a, b): &(&Statement, &Statement)| a.repeats(b);
    let word_for_word = |(a, b): &(&Statement, &Statement)| a.repeats(b) && a.has_words_of(b);
    let same = if both_lessons {
        // short instructions ("run the tests") fit many lessons
        pairs.iter().all(repeated) || word_for_word(&pairs[0]) || (word_for_word(&pairs[1]) && pairs[1].0.weight() > 3)
    } else {
        pairs.iter().any(repeated)
    };
    same.then_some(Verdict::Same)
}

fn differ_in_digits_alone(a: &str, b: &str) -> bool {
    let bytes = |text: &'_ str| text.bytes().filter(|byte| !byte.is_ascii_digit()).collect::<Vec<_>>();
    a == b || (a.bytes().any(|byte| byte.is_ascii_digit()) && bytes(a) == bytes(b))
}

/// Reports on what one pack says twice.
pub(super) fn check_pack(pack: &Pack<'_>, sink: &mut Sink<'_>) {
    let rules: Vec<_> = pack.rules.iter().map(|rule| Said::rule(&pack.rules_file, rule)).collect();
    let lessons: Vec<_> = pack.lessons.iter().map(|lesson| Said::lesson(&pack.lessons_file, lesson)).collect();
    report_pairs(&rules, sink);
    let reported = report_pairs(&lessons, sink);
    if rules.is_empty() {
        return;
    }
    let index = Index::new(rules.iter().map(|rule| rule.marks.as_slice()).collect());
    for lesson in lessons.iter().enumerate().filter(|(i, _)| !reported.contains(i)).map(|(_, lesson)| lesson) {
        let mut close = lesson.part_marks.iter().flat_map(|marks| index.close_to(marks));
        if let Some((rule, verdict)) = close.find_map(|i| Some((&rules[i], verdict(lesson, &rules[i])?))) {
            report_new(lesson, rule, verdict, sink);
        }
    }
}

/// What one pack says, and in which files.
pub(super) struct Pack<'a> {
    pub(super) rules_file: String,
    pub(super) rules: Vec<guardrails::Entry>,
    pub(super) lessons_file: String,
    pub(super) lessons: Vec<lessons::Entry<'a>>,
}

/// In a review: what is new in one pack, against what other packs say already.
pub(super) fn check_across(packs: &[Pack<'_>], sink: &mut Sink<'_>) {
    let mut all: Vec<(usize, Said<'_>)> = Vec::new();
    for (i, pack) in packs.iter().enumerate() {
        all.extend(pack.rules.iter().map(|rule| (i, Said::rule(&pack.rules_file, rule))));
        all.extend(pack.lessons.iter().map(|lesson| (i, Said::lesson(&pack.lessons_file, lesson))));
    }
    let wanted: Vec<_> = all.iter().filter(|(_, said)| sink.wants(said.file, said.line)).collect();
    for (pack, new) in wanted {
        let mut others = all.iter().filter(|(other, said)| other != pack && share(&new.marks, &said.marks) >= WORTH_A_LOOK);
        if let Some((other, verdict)) = others.find_map(|(_, said)| Some((said, verdict(new, said)?))) {
            report(new, other, verdict, sink);
        }
    }
}

/// Reports each statement of a list that repeats or contradicts an earlier one, once. Gives which they are.
fn report_pairs(all: &[Said<'_>], sink: &mut Sink<'_>) -> HashSet<usize> {
    let mut reported = HashSet::new();
    let index = Index::new(all.iter().map(|said| said.marks.as_slice()).collect());
    // Of statements with the very same words only the first is looked at further; parts are looked up by theirs.
    let mut whole: ByMark<usize> = ByMark::default();
    let mut parts: [ByMark<usize>; 2] = Default::default();
    for (i, said) in all.iter().enumerate().filter(|(_, said)| !said.marks.is_empty()) {
        let mut candidates = Vec::new();
        match whole.entry(digest(&said.marks)) {
            Entry::Occupied(first) => candidates.push(*first.get()),
            Entry::Vacant(free) => {
                free.insert(i);
                candidates = index.close_to(&said.marks);
                candidates.retain(|&other| other < i);
            }
        }
        for (seen, marks) in parts.iter_mut().zip(&said.part_marks).filter(|(_, marks)| !marks.is_empty()) {
            let first = *seen.entry(digest(marks)).or_insert(i);
            if first != i {
                candidates.push(first);
            }
        }
        let pair = candidates.into_iter().find_map(|other| Some((&all[other], verdict(said, &all[other])?)));
        if let Some((other, verdict)) = pair {
            report_new(said, other, verdict, sink);
            reported.insert(i);
        }
    }
    reported
}

fn digest(marks: &[u64]) -> u64 {
    marks.iter().fold(0, |sum: u64, mark| sum.rotate_left(5).wrapping_mul(MULTIPLIER) ^ mark)
}

/// Whichever line is new is the one to speak about.
fn report_new(a: &Said<'_>, b: &Said<'_>, verdict: Verdict, sink: &mut Sink<'_>) {
    if sink.wants(a.file, a.line) {
        report(a, b, verdict, sink);
    } else {
        report(b, a, verdict, sink);
    }
}

fn report(a: &Said<'_>, b: &Said<'_>, verdict: Verdict, sink: &mut Sink<'_>) {
    let place = if a.file == b.file { format!("line {}", b.line) } else { format!("{}:{}", b.file, b.line) };
    let other = super::shown(b.parts[0]);
    let (code, message, hint) = match verdict {
        Verdict::Same => (
            code::NEAR_DUPLICATE,
            format!("says much the same as {place}: {other:?}"),
            "keep one of the two; if the agent did not follow it, reword it instead of repeating it",
        ),
        Verdict::Opposite => (
            code::CONTRADICTION,
            format!("says the opposite of {place}: {other:?}"),
            "decide which one holds, or say in both where each applies",
        ),
    };
    sink.report(code, At { file: a.file, line: a.line, column: 1 }, message, hint);
}

/// Finds texts that share most of their words: by their rarest words, since two texts that share three quarters of them
/// share at least one of those.
struct Index<'a> {
    all: Vec<&'a [u64]>,
    sketches: Vec<u128>,
    counts: ByMark<u32>,
    by_rare: ByMark<Vec<usize>>,
}

impl<'a> Index<'a> {
    fn new(all: Vec<&'a [u64]>) -> Self {
        let mut counts: ByMark<u32> = ByMark::default();
        for mark in all.iter().copied().flatten() {
            *counts.entry(*mark).or_default() += 1;
        }
        let sketches = all.iter().map(|marks| sketch(marks)).collect();
        let mut index = Self { all, sketches, counts, by_rare: ByMark::default() };
        for i in 0..index.all.len() {
            for mark in index.rare(index.all[i]) {
                index.by_rare.entry(mark).or_default().push(i);
            }
        }
        index
    }

    /// The rarest words of a text: as many as cannot all be missing from one that is close to it.
    fn rare(&self, marks: &[u64]) -> Vec<u64> {
        let mut rare: Vec<_> = marks.iter().map(|mark| (self.counts.get(mark).copied().unwrap_or(0), *mark)).collect();
        rare.sort_unstable();
        // with d = 2s / (a + b), s is at least a · d / (2 - d)
        let must_share = (marks.len() as f64 * WORTH_A_LOOK / (2.0 - WORTH_A_LOOK)).ceil() as usize;
        rare.truncate((marks.len() + 1).saturating_sub(must_share.max(1)));
        rare.into_iter().map(|(_, mark)| mark).collect()
    }

    fn close_to(&self, marks: &[u64]) -> Vec<usize> {
        let mut found: Vec<usize> =
            self.rare(marks).iter().filter_map(|mark| self.by_rare.get(mark)).flatten().copied().collect();
        found.sort_unstable();
        found.dedup();
        let own = sketch(marks);
        found.retain(|&other| {
            let theirs = self.all[other];
            // each of our bits that they have not is a word that they have not
            let most = marks.len() - (own & !self.sketches[other]).count_ones() as usize;
            portion(most, marks, theirs) >= WORTH_A_LOOK && share(marks, theirs) >= WORTH_A_LOOK
        });
        found
    }
}

/// A bit for each word, which other words may have too: tells most texts that share little apart at once.
fn sketch(marks: &[u64]) -> u128 {
    marks.iter().fold(0, |sketch, mark| sketch | 1 << (mark.wrapping_mul(MULTIPLIER) >> 57))
}

/// How much two texts share that share so many words: 0 to 1.
fn portion(shared: usize, a: &[u64], b: &[u64]) -> f64 {
    2.0 * shared as f64 / (a.len() + b.len()).max(1) as f64
}

/// How much two sorted lists share: 0 to 1.
fn share(a: &[u64], b: &[u64]) -> f64 {
    if portion(a.len().min(b.len()), a, b) < WORTH_A_LOOK {
        return 0.0;
    }
    let (mut i, mut k, mut shared) = (0, 0, 0usize);
    while i < a.len() && k < b.len() {
        match a[i].cmp(&b[k]) {
            std::cmp::Ordering::Less => i += 1,
            std::cmp::Ordering::Greater => k += 1,
            std::cmp::Ordering::Equal => (i, k, shared) = (i + 1, k + 1, shared + 1),
        }
    }
    portion(shared, a, b)
}

const MULTIPLIER: u64 = 0x9E37_79B9_7F4A_7C15;

/// The words of a text. Plain ones are taken apart here, fast and roughly as `words` does it.
fn marks(text: &str) -> Marks {
    let mut marks = Vec::new();
    if text.is_ascii() {
        ascii_marks(text.as_bytes(), &mut marks);
    } else {
        marks.extend(words(text).iter().filter_map(|word| mark(word.as_bytes())));
    }
    marks.sort_unstable();
    marks.dedup();
    marks
}

fn ascii_marks(text: &[u8], marks: &mut Marks) {
    for run in text.split(|byte| !byte.is_ascii_alphanumeric()).filter(|run| run.len() > 1) {
        let mut start = 0;
        for at in 1..run.len() {
            if run[at].is_ascii_uppercase() && run[at - 1].is_ascii_lowercase() {
                marks.extend(mark(&run[start..at]));
                start = at;
            }
        }
        marks.extend(mark(&run[start..]));
    }
}

/// A word as a number; `None` for numerals and for words that stand everywhere.
fn mark(word: &[u8]) -> Option<u64> {
    if word.len() < 2 || word.iter().all(u8::is_ascii_digit) || is_everywhere(word) {
        return None;
    }
    // as `words` does it
    let word = match word {
        [stem @ .., b's' | b'S']
            if stem.len() > 2 && !matches!(stem[stem.len() - 1], b's' | b'u' | b'i' | b'S' | b'U' | b'I') =>
        {
            stem
        }
        word => word,
    };
    let word = match word {
        [stem @ .., b'e' | b'E'] if [&b"ch"[..], b"sh", b"ss", b"x"].iter().any(|end| ends_with(stem, end)) => stem,
        word => word,
    };
    let digest = word.iter().fold(word.len() as u64, |sum, byte| {
        (sum.rotate_left(5) ^ u64::from(byte.to_ascii_lowercase())).wrapping_mul(MULTIPLIER)
    });
    // the low bits of a product are its worst: a table looks at them first
    Some(digest ^ (digest >> 32))
}

/// Words of at most eight bytes fit into a number, which is compared faster than they are.
const fn packed(word: &[u8]) -> u64 {
    let (mut number, mut i) = (0, 0);
    while i < word.len() {
        number = (number << 8) | word[i].to_ascii_lowercase() as u64;
        i += 1;
    }
    number
}

fn is_everywhere(word: &[u8]) -> bool {
    const WORDS: [&[u8]; 28] = [
        b"an", b"and", b"as", b"at", b"be", b"by", b"do", b"for", b"from", b"in", b"is", b"it", b"never", b"no", b"not", b"of",
        b"on", b"or", b"prefer", b"rather", b"should", b"take", b"than", b"that", b"the", b"to", b"use", b"with",
    ];
    const PACKED: [u64; 28] = {
        let (mut all, mut i) = ([0; 28], 0);
        while i < WORDS.len() {
            all[i] = packed(WORDS[i]);
            i += 1;
        }
        all
    };
    word.len() <= 6 && PACKED.contains(&packed(word))
}

fn ends_with(word: &[u8], end: &[u8]) -> bool {
    word.len() > end.len() && word[word.len() - end.len()..].eq_ignore_ascii_case(end)
}

#[cfg(test)]
mod tests {
    use super::{Index, WORTH_A_LOOK, marks, share};
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn no_close_pair_is_overlooked(texts in prop::collection::vec("([a-h]{2} ){1,12}", 1..12)) {
            let all: Vec<_> = texts.iter().map(|text| marks(text)).collect();
            let index = Index::new(all.iter().map(Vec::as_slice).collect());
            for (i, own) in all.iter().enumerate().filter(|(_, own)| !own.is_empty()) {
                let expected: Vec<_> = (0..all.len()).filter(|&k| share(own, &all[k]) >= WORTH_A_LOOK).collect();
                prop_assert_eq!(index.close_to(own), expected, "{}", i);
            }
        }
    }

    #[test]
    fn words_are_told_apart_roughly() {
        assert_eq!(marks("Validate the userInputs, at API-boundaries!"), marks("validate user input api Boundaries"));
        assert_eq!(marks("12 and the use of it"), Vec::<u64>::new());
        assert_ne!(marks("alpha"), marks("beta"));
    }
}
