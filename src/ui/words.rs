//! Two versions of one text, word by word: what went between `[-` and `-]`, what came between `{+` and `+}`, as git marks
//! them; struck out and bold in Markdown.

use similar::{ChangeTag, TextDiff};

use super::style;
use crate::model::visible::escape;

pub fn text(before: &str, after: &str) -> String {
    let (gone, new) = (style::REMOVED, style::ADDED);
    runs(before, after, |tag, text| match tag {
        ChangeTag::Equal => escape(text).into_owned(),
        ChangeTag::Delete => format!("{gone}[-{}-]{gone:#}", escape(text)),
        ChangeTag::Insert => format!("{new}{{+{}+}}{new:#}", escape(text)),
    })
}

pub fn markdown(before: &str, after: &str) -> String {
    runs(before, after, |tag, text| {
        // marks beside white space are none
        let inner = text.trim();
        let (lead, tail) = (&text[..text.len() - text.trim_start().len()], &text[text.trim_end().len()..]);
        match tag {
            _ if inner.is_empty() => super::markdown::escape(text),
            ChangeTag::Equal => super::markdown::escape(text),
            ChangeTag::Delete => format!("{lead}~~{}~~{tail}", super::markdown::escape(inner)),
            ChangeTag::Insert => format!("{lead}**{}**{tail}", super::markdown::escape(inner)),
        }
    })
}

/// Neighbouring words of one kind are told as one.
fn runs(before: &str, after: &str, tell: impl Fn(ChangeTag, &str) -> String) -> String {
    let mut runs: Vec<(ChangeTag, String)> = Vec::new();
    for change in TextDiff::from_words(before, after).iter_all_changes() {
        match runs.last_mut() {
            Some((tag, text)) if *tag == change.tag() => text.push_str(change.value()),
            _ => runs.push((change.tag(), change.value().to_owned())),
        }
    }
    runs.iter().map(|(tag, text)| tell(*tag, text)).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn words_that_went_and_came_are_marked() {
        let plain = |before, after| anstream::adapter::strip_str(&super::text(before, after)).to_string();
        assert_eq!(plain("Use npm here", "Use pnpm here"), "Use [-npm-]{+pnpm+} here");
        assert_eq!(super::markdown("Use npm here", "Use pnpm here"), "Use ~~npm~~**pnpm** here");
        assert_eq!(plain("same", "same"), "same");
    }
}
