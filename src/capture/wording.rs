//! The person's words, cut into what a lesson needs: a title (imperative, under ten words), a description, an
//! instruction. A proposal for a person to edit, never published as it is.

use super::strip::strip;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    pub title: String,
    pub description: String,
    pub actionable: String,
}

/// Words that a title has at most.
const TITLE_WORDS: usize = 9;
/// Characters that a title has at most, in scripts without spaces.
const TITLE_CHARS: usize = 60;

pub fn word(said: &str) -> Wording {
    let sentences = strip(said).sentences;
    let all = sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" ");
    let best = sentences.iter().map(|sentence| instruction(&sentence.text)).max_by_key(String::len).unwrap_or_default();
    Wording { title: title(&best), description: all, actionable: best }
}

/// How people begin when they correct or direct, in lower case: it says nothing to whoever reads the rule later.
const OPENINGS: [&str; 54] = [
    "no",
    "nope",
    "wrong",
    "that is wrong",
    "that's wrong",
    "not like that",
    "actually",
    "please",
    "remember",
    "remember that",
    "remember to",
    "from now on",
    "in future",
    "in the future",
    "going forward",
    "next time",
    "note",
    "note that",
    "again",
    "as i said",
    "i told you",
    "ok",
    "okay",
    "but",
    "and",
    "also",
    "so",
    "well",
    "hey",
    "you should",
    "you must",
    "you need to",
    "nein",
    "bitte",
    "ab jetzt",
    "in zukunft",
    "künftig",
    "non",
    "s'il te plaît",
    "désormais",
    "à partir de maintenant",
    "por favor",
    "a partir de ahora",
    "a partir de agora",
    "de ahora en adelante",
    "per favore",
    "d'ora in poi",
    "нет",
    "пожалуйста",
    "впредь",
    "不",
    "今后",
    "いいえ",
    "아니",
];

/// How a team speaks of its habit, and how the same is asked of somebody.
const HABITS: [(&str, &str); 8] = [
    ("we always ", "Always "),
    ("we never ", "Never "),
    ("we do not ", "Do not "),
    ("we don't ", "Don't "),
    ("we use ", "Use "),
    ("we prefer ", "Prefer "),
    ("we want ", "Use "),
    ("i want you to ", ""),
];

/// The sentence as an instruction: without its opening, in the imperative where that is plain, with a capital.
fn instruction(sentence: &str) -> String {
    let mut rest = sentence.trim();
    while let Some(shorter) = without_opening(rest) {
        rest = shorter;
    }
    let lower = rest.to_lowercase();
    let habit = HABITS.iter().find(|(said, _)| lower.starts_with(said) && rest.is_char_boundary(said.len()));
    let text = match habit {
        Some((said, asked)) => format!("{asked}{}", &rest[said.len()..]),
        None => rest.to_owned(),
    };
    capitalised(text.trim_end_matches(['!', ' ']))
}

fn without_opening(text: &str) -> Option<&str> {
    let lower = text.to_lowercase();
    // where lower case has another length the text is not one of ours
    let openings = OPENINGS.iter().filter(|opening| lower.len() == text.len() && lower.starts_with(**opening));
    let longest = openings.max_by_key(|opening| opening.len())?;
    let after = &text[longest.len()..];
    let rest = after.trim_start_matches([',', '.', ':', ';', '!', '-', '–', '—', '，', '。', '、', '：', '！', ' ']);
    // "no" opens "no, …" and not "no tabs"; a phrase may run on
    let closed = after.starts_with(|c: char| !c.is_alphanumeric() && c != ' ' && c != '\'');
    let runs_on =
        (longest.contains(' ') || matches!(*longest, "please" | "bitte" | "actually" | "remember")) && after.starts_with(' ');
    ((closed || runs_on) && rest.split_whitespace().nth(1).is_some()).then_some(rest)
}

/// The beginning of the instruction, up to the end of a thought, never of a phrase.
fn title(instruction: &str) -> String {
    let words: Vec<&str> = instruction.split_whitespace().collect();
    let clean = |text: &str| text.trim_end_matches(['.', ',', ';', ':', '!', '。', '，', '、', ' ']).to_owned();
    if words.len() <= TITLE_WORDS {
        let text = clean(instruction);
        return match text.char_indices().nth(TITLE_CHARS).filter(|_| words.len() < 3) {
            Some((at, _)) => text[..at].to_owned(),
            None => text,
        };
    }
    let ends_thought = |word: &str| word.ends_with([',', ';', ':', '.', ')', '—']);
    let cut = (3..=TITLE_WORDS).rev().find(|&count| ends_thought(words[count - 1]));
    let mut count = cut.unwrap_or(TITLE_WORDS);
    while cut.is_none() && count > 3 && LEADS_ON.contains(&words[count - 1].to_lowercase().as_str()) {
        count -= 1;
    }
    clean(&words[..count].join(" "))
}

/// Words that nothing ends with.
const LEADS_ON: [&str; 36] = [
    "a", "an", "the", "to", "of", "at", "for", "with", "in", "on", "and", "or", "not", "is", "are", "be", "by", "from", "that",
    "which", "before", "after", "when", "if", "so", "as", "than", "always", "never", "use", "because", "instead", "into", "its",
    "this", "your",
];

fn capitalised(text: &str) -> String {
    let mut chars = text.chars();
    match chars.next() {
        // an identifier keeps its spelling
        Some(first) if first.is_lowercase() && !text.split_whitespace().next().unwrap_or("").contains(['_', '.', '(', '/']) => {
            first.to_uppercase().chain(chars).collect()
        }
        _ => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::word;

    #[test]
    fn an_opening_is_no_part_of_the_rule() {
        for (said, title) in [
            ("remember: we use pnpm in this repo, not npm", "Use pnpm in this repo, not npm"),
            ("No, please always run the linter first.", "Always run the linter first"),
            ("From now on, type API responses with a zod schema.", "Type API responses with a zod schema"),
            ("no tabs in this file", "No tabs in this file"),
            (
                "We never compare OAuth state with ===; always use timingSafeEqual for tokens.",
                "Never compare OAuth state with ===",
            ),
            ("Nein, bitte keine Tabs verwenden", "Keine Tabs verwenden"),
            ("parse_body() must stay pure", "parse_body() must stay pure"),
            ("actually", "Actually"),
        ] {
            assert_eq!(word(said).title, title, "{said}");
        }
    }

    #[test]
    fn a_title_ends_with_a_thought_and_stays_short() {
        let said = "We always validate it with zod at the API boundary, before the handler runs.";
        assert_eq!(word(said).title, "Always validate it with zod at the API boundary");
        let long = "use the shared client for every request that leaves this service and never the global one";
        let title = word(long).title;
        assert!(title.split(' ').count() < 10 && !title.ends_with("that") && !title.ends_with("and"), "{title}");
    }
}
