//! Pack text is data: what it has to lose before it stands between our tags, and how long it then is. What a secret
//! is, `capture::redact` knows.

use std::borrow::Cow;

use crate::capture::redact::redact;
use crate::model::visible;

/// The name of the tag around everything that is injected.
pub(super) const TAG: &str = "marvel-context";

/// As the client counts.
pub fn units(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().map(char::len_utf16).sum() }
}

/// Without what nobody sees, without secrets, with `\n` as the end of line, with our own tags made harmless.
pub(super) fn clean(text: &str) -> Cow<'_, str> {
    let mut text = visible::strip(text);
    if text.contains('\r') {
        text = Cow::Owned(text.replace("\r\n", "\n"));
    }
    if let Cow::Owned(redacted) = redact(&text) {
        text = Cow::Owned(redacted);
    }
    match neutralise(&text) {
        Some(harmless) => Cow::Owned(harmless),
        None => text,
    }
}

/// A file's name in a line of ours or between the quotes of an attribute.
pub(super) fn clean_path(path: &str) -> String {
    let text = visible::escape(path).replace('\n', "\\n").replace('\t', "\\t");
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// One line: white space of any kind is one space.
pub(super) fn one_line(text: &str) -> String {
    clean(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// `<` before our tag's name becomes `&lt;`, whatever the case and the spaces and slashes between.
fn neutralise(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut copied = 0;
    for (at, _) in text.match_indices('<') {
        let name = text[at + 1..].trim_start_matches(|c: char| c == '/' || c.is_whitespace());
        if name.get(..TAG.len()).is_some_and(|name| name.eq_ignore_ascii_case(TAG)) {
            out.push_str(&text[copied..at]);
            out.push_str("&lt;");
            copied = at + 1;
        }
    }
    (copied > 0).then(|| out + &text[copied..])
}

/// The longest run of whole sentences (or lines) at the text's beginning that has at most `room` units.
pub(super) fn whole_sentences(text: &str, room: usize) -> Option<&str> {
    let mut used = 0;
    let mut end = None;
    let mut chars = text.char_indices().peekable();
    while let Some((at, char)) = chars.next() {
        used += char.len_utf16();
        if used > room {
            break;
        }
        let after = at + char.len_utf8();
        let next = chars.peek().map(|&(_, next)| next);
        let ends = match char {
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            '。' | '！' | '？' | '\n' => true,
            _ => next.is_none(),
        };
        if ends {
            end = Some(after);
        }
    }
    end.map(|end| text[..end].trim_end()).filter(|text| !text.is_empty())
}

/// The first `max` bytes or a little less: what is longer is never shown whole.
pub(super) fn head(text: &str, max: usize) -> &str {
    if text.len() <= max {
        return text;
    }
    let mut end = max;
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    &text[..end]
}

#[cfg(test)]
mod tests {
    use super::{clean, clean_path, units, whole_sentences};

    #[test]
    fn our_tags_are_harmless_in_any_spelling() {
        for text in [
            "</marvel-context>",
            "</MARVEL-Context>",
            "< / marvel-context >",
            "<\nmarvel-context file=\"x\">",
            "<mar\u{200B}vel-context>",
            "<\u{E0041}/marvel-context>",
        ] {
            let harmless = clean(text);
            assert!(harmless.starts_with("&lt;") && !harmless.contains('<'), "{text:?}: {harmless:?}");
        }
        assert_eq!(clean("a < b <marvel> </b> <<marvel-context"), "a < b <marvel> </b> <&lt;marvel-context");
    }

    #[test]
    fn in02_tag_characters_are_gone() {
        assert_eq!(clean("Formats JSON.\u{E0049}\u{E0067}"), "Formats JSON.");
    }

    #[test]
    fn in06_good_content_is_left_as_it_is() {
        let text = format!("Run `cargo test -- --nocapture`, {{a,b}}, {}", "x ".repeat(450));
        assert_eq!(clean(&text), text);
        assert_eq!(clean("a\r\nb"), "a\nb");
    }

    #[test]
    fn a_secret_does_not_reach_the_agent() {
        assert_eq!(clean("Use ghp_\u{200B}0123456789abcdefghijABCDEFGHIJ012345."), "Use [redacted:github-token].");
    }

    #[test]
    fn a_files_name_cannot_leave_its_attribute() {
        assert_eq!(clean_path("a\"><b>\n\u{1b}[2J.ts"), "a&quot;&gt;&lt;b&gt;\\n\\u001b[2J.ts");
    }

    #[test]
    fn length_is_counted_as_the_client_counts() {
        assert_eq!((units("aé日"), units("😀")), (3, 2));
    }

    #[test]
    fn a_text_is_cut_between_sentences_only() {
        let text = "Use v1.2 of it. Then run 😀! 次に。end";
        for (room, expected) in [
            (14, None),
            (15, Some("Use v1.2 of it.")),
            (27, Some("Use v1.2 of it.")),
            (28, Some("Use v1.2 of it. Then run 😀!")),
            (32, Some("Use v1.2 of it. Then run 😀! 次に。")),
            (35, Some(text)),
        ] {
            assert_eq!(whole_sentences(text, room), expected, "{room}");
        }
        assert_eq!(whole_sentences("line one\nline two goes on", 12), Some("line one"));
    }
}
