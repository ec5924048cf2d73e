//! What a prompt is: each sentence judged by the rows of its languages, then the prompt by its sentences.
//! The rows are [`super::rows`]'s; what was typed at all is [`super::strip`]'s.

use super::lang::{Lang, Languages, detect};
use super::pattern::Text;
use super::rows::{Compiled, Row, Sense, compiled};
use super::strip::Stripped;
use super::token::Tokens;
use crate::model::guidance::GuidanceType;

/// What is known besides the text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Turn {
    /// Whether the agent's last turn edited or ran something, or only talked.
    pub acted: bool,
    /// Whether something was put before the agent for the file at hand.
    pub injected_for_file: bool,
    /// Whether the person said the same before.
    pub said_before: bool,
}

/// What a prompt was judged to be.
#[derive(Clone, Debug, PartialEq)]
pub struct Judgement {
    pub kind: GuidanceType,
    /// 0 to 1.
    pub confidence: f64,
    /// The row that fired: language, what it says, its pattern. What was missing where none did.
    pub reason: String,
    /// ISO 639-1, `mixed`, or `und` where the language was not recognised.
    pub lang: &'static str,
    /// Whether the person wrote something in a language that is not read: seen, not understood.
    pub understood: bool,
    /// What the person wrote, without what was pasted or put there by the client.
    pub content: String,
    /// 0 (of this moment) to 1 (a rule).
    pub standing: f64,
}

/// From this weight on a row makes a correction or a direction.
pub const STORED: u8 = 5;

/// More words than this make no sentence.
const LONGEST: usize = 80;

/// The rows that a text fires when read as that language, for tests and explanations.
pub fn fired(text: &str, lang: Lang) -> Vec<&'static Row> {
    super::strip::strip(text)
        .sentences
        .iter()
        .flat_map(|sentence| rows_in(&Tokens::read(&sentence.plain, LONGEST), compiled(lang)).collect::<Vec<_>>())
        .collect()
}

pub fn classify(stripped: &Stripped, turn: &Turn) -> Judgement {
    let sentences: Vec<Tokens> = stripped
        .sentences
        .iter()
        .map(|sentence| Tokens::read(&sentence.plain, LONGEST))
        .filter(|t| !t.words.is_empty())
        .collect();
    let words: Vec<_> = sentences.iter().flat_map(|tokens| tokens.words.iter().cloned()).take(400).collect();
    let languages = detect(&words);
    let verdicts: Vec<Verdict> = sentences.iter().map(|tokens| judge(tokens, &languages)).collect();
    let (kind, weight, row) = combine(&verdicts, *turn);
    let words = words.len();
    let understood = !languages.foreign || row.is_some();
    let standing =
        super::standing::standing(&verdicts.iter().flat_map(|v| v.lasting.iter().copied()).collect::<Vec<_>>(), kind, turn);
    Judgement {
        kind,
        confidence: confidence(kind, weight, turn),
        reason: match row {
            Some((lang, row)) => format!("{} {:?}: {}", lang.code(), row.sense, row.pattern),
            None if words == 0 => "nothing that a person typed".to_owned(),
            None if languages.foreign => "a language that is not read".to_owned(),
            None => "no row fired".to_owned(),
        },
        lang: match row {
            Some((lang, _)) if languages.found.is_empty() => lang.code(),
            _ => languages.label(),
        },
        understood,
        content: stripped.text(),
        standing,
    }
}

/// What one sentence says: the best row of each sense.
#[derive(Default)]
struct Verdict {
    best: Vec<(Sense, u8, Lang, &'static Row)>,
    question: bool,
    lasting: Vec<&'static Row>,
    words: usize,
}

impl Verdict {
    fn of(&self, sense: Sense) -> Option<(u8, Lang, &'static Row)> {
        self.best.iter().find(|(known, ..)| *known == sense).map(|&(_, weight, lang, row)| (weight, lang, row))
    }

    fn weight(&self, sense: Sense) -> u8 {
        self.of(sense).map_or(0, |(weight, ..)| weight)
    }
}

fn judge(tokens: &Tokens, languages: &Languages) -> Verdict {
    let own = detect(&tokens.words);
    let mut langs: Vec<Lang> = own.found.clone();
    langs.extend(languages.found.iter().take(1).filter(|lang| !own.found.contains(lang)));
    if langs.is_empty() && !languages.foreign {
        langs = vec![Lang::En, Lang::De, Lang::Fr, Lang::Es, Lang::Pt, Lang::It];
    }
    let mut verdict = Verdict { question: tokens.question, words: tokens.words.len(), ..Verdict::default() };
    for lang in langs {
        for row in rows_in(tokens, compiled(lang)) {
            if row.sense == Sense::Lasting {
                verdict.lasting.push(row);
            }
            match verdict.best.iter_mut().find(|(sense, ..)| *sense == row.sense) {
                Some(best) if best.1 >= row.weight => {}
                Some(best) => *best = (row.sense, row.weight, lang, row),
                None => verdict.best.push((row.sense, row.weight, lang, row)),
            }
        }
    }
    verdict
}

fn rows_in<'a>(tokens: &'a Tokens, table: &'static Compiled) -> impl Iterator<Item = &'static Row> + 'a {
    let count = tokens.words.len();
    let begin = tokens.words.iter().take_while(|word| table.openers.contains(&word.text)).count();
    let closing = tokens.words.iter().rev().take_while(|word| table.closers.contains(&word.text)).count();
    let most = count.saturating_sub(1);
    let text = Text::new(tokens, begin.min(most), count - closing.min(most));
    table.patterns.iter().filter(move |(_, pattern)| pattern.is_in(&text)).map(|&(row, _)| row)
}

type Found = (Lang, &'static Row);

/// What follows a "no" or a "why" and is neither an answer nor small talk: what the person wants instead.
fn demands(verdict: &Verdict) -> bool {
    let quiet = [Sense::Rejection, Sense::Approval, Sense::Clarification, Sense::TaskEnd, Sense::Idle, Sense::Shield];
    let task = verdict.weight(Sense::TaskStart);
    verdict.words >= DEMAND
        && !verdict.question
        && quiet.iter().all(|&sense| verdict.weight(sense) <= task.saturating_sub(1).max(4))
}

/// The fewest words of a demand.
const DEMAND: usize = 3;

/// The prompt's kind from its sentences'.
fn combine(verdicts: &[Verdict], turn: Turn) -> (GuidanceType, u8, Option<Found>) {
    let lift = u8::from(turn.said_before);
    let mut best: Option<(GuidanceType, u8, Found)> = None;
    let mut task_before = 0;
    for verdict in verdicts {
        let (kind, weight, found) = stored(verdict, lift);
        if weight >= STORED
            && weight > task_before
            && best.as_ref().is_none_or(|&(_, w, _)| weight > w)
            && let Some(found) = found
        {
            best = Some((kind, weight, found));
        }
        if verdict.weight(Sense::TaskStart) >= weight.max(6) && !verdict.question {
            task_before = task_before.max(6);
        }
    }
    if let Some((kind, weight, found)) = best {
        return (kind, weight, Some(found));
    }
    for (at, verdict) in verdicts.iter().enumerate() {
        let said_no = verdict.of(Sense::Rejection).filter(|&(weight, ..)| weight >= 6 && !verdict.question);
        let asked_why = verdict.of(Sense::Why).filter(|_| verdict.words <= 14);
        if let Some((_, lang, row)) = said_no.or(asked_why)
            && verdicts[at + 1..].first().is_some_and(demands)
        {
            return (GuidanceType::Correction, 6, Some((lang, row)));
        }
    }
    other(verdicts)
}

/// What a sentence says that is worth storing, if nothing else outweighs it.
fn stored(verdict: &Verdict, lift: u8) -> (GuidanceType, u8, Option<Found>) {
    let nothing = (GuidanceType::None, 0, None);
    let correction = verdict.of(Sense::Correction);
    let direction = verdict.of(Sense::Direction);
    let shield = verdict.weight(Sense::Shield);
    let kind = match (correction, direction) {
        (Some(c), Some(d)) if d.0 > c.0 => (GuidanceType::Direction, d),
        (Some(c), _) => (GuidanceType::Correction, c),
        (None, Some(d)) => (GuidanceType::Direction, d),
        (None, None) => return nothing,
    };
    let (kind, (weight, lang, row)) = kind;
    let against =
        [Sense::Rejection, Sense::Approval, Sense::Clarification, Sense::TaskStart, Sense::TaskEnd, Sense::Idle, Sense::Once]
            .iter()
            .map(|&sense| verdict.weight(sense))
            .max()
            .unwrap_or(0);
    let weight = weight + lift;
    if shield >= weight || against >= weight || (verdict.question && row.weight < 9) {
        return nothing;
    }
    (kind, weight.min(9), Some((lang, row)))
}

fn other(verdicts: &[Verdict]) -> (GuidanceType, u8, Option<Found>) {
    const ORDER: [(Sense, GuidanceType); 6] = [
        (Sense::TaskStart, GuidanceType::TaskStart),
        (Sense::TaskEnd, GuidanceType::TaskEnd),
        (Sense::Rejection, GuidanceType::Rejection),
        (Sense::Clarification, GuidanceType::Clarification),
        (Sense::Approval, GuidanceType::Approval),
        (Sense::Idle, GuidanceType::None),
    ];
    let mut best: Option<(GuidanceType, u8, Option<Found>)> = None;
    for verdict in verdicts {
        for (sense, kind) in ORDER {
            if let Some((weight, lang, row)) = verdict.of(sense)
                && best.as_ref().is_none_or(|&(_, w, _)| weight > w)
            {
                best = Some((kind, weight, Some((lang, row))));
            }
        }
        if verdict.question && best.as_ref().is_none_or(|&(kind, w, _)| w < 6 || kind == GuidanceType::Approval) {
            best = Some((GuidanceType::Clarification, 6, best.and_then(|(_, _, found)| found)));
        }
    }
    best.unwrap_or_else(|| {
        let words: usize = verdicts.iter().map(|verdict| verdict.words).sum();
        (if words > 2 { GuidanceType::Clarification } else { GuidanceType::None }, 0, None)
    })
}

fn confidence(kind: GuidanceType, weight: u8, turn: &Turn) -> f64 {
    let base = match weight {
        0..=2 => 0.3,
        3 | 4 => 0.45,
        5 => 0.55,
        6 => 0.7,
        7 => 0.8,
        8 => 0.9,
        _ => 0.95,
    };
    let context = if kind.is_stored() {
        let acted = if kind == GuidanceType::Correction && !turn.acted { -0.1 } else { 0.0 };
        acted + if turn.injected_for_file { 0.03 } else { 0.0 } + if turn.said_before { 0.05 } else { 0.0 }
    } else {
        0.0
    };
    f64::clamp(base + context, 0.05, 0.99)
}
