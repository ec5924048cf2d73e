//! The person's words, cut into what a lesson needs: a title (imperative, under ten words), a description, an
//! instruction. A proposal for a person to edit, never published as it is.

use super::strip::strip;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Wording {
    pub title: String,
    pub description: String,
    pub actionable: String,
}

/// Fewer words than this make a title.
const TITLE_WORDS: usize = 9;

pub fn word(said: &str) -> Wording {
    let sentences = strip(said).sentences;
    let all = sentences.iter().map(|sentence| sentence.text.as_str()).collect::<Vec<_>>().join(" ");
    let best = sentences.iter().map(|sentence| sentence.text.as_str()).max_by_key(|text| text.len()).unwrap_or("");
    let title = best.split_whitespace().take(TITLE_WORDS).collect::<Vec<_>>().join(" ");
    Wording { title: title.trim_end_matches(['.', ',', '!']).to_owned(), description: all, actionable: best.to_owned() }
}
