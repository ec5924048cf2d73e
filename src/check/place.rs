//! Where in a text something stands: bytes to line and column.

use std::ops::Range;

/// A file's text as a person counts it: lines and columns from 1, columns in characters.
pub(super) struct Place<'a> {
    text: &'a str,
    /// The first byte of every line.
    starts: Vec<usize>,
}

impl<'a> Place<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        let starts = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
        Self { text, starts }
    }

    pub(super) fn of(&self, byte: usize) -> (usize, usize) {
        let line = self.starts.partition_point(|&start| start <= byte).max(1);
        (line, column(&self.text[self.starts[line - 1]..], byte - self.starts[line - 1]))
    }
}

/// The column, from 1, of a byte of a line; inside a character it is that character's.
pub(super) fn column(line: &str, byte: usize) -> usize {
    line.char_indices().take_while(|(at, _)| *at < byte).count() + 1 - usize::from(!line.is_char_boundary(byte.min(line.len())))
}

/// Where, in a JSON string with its quotes, a byte of the string that it means is written.
pub(super) fn in_json_string(raw: &str, byte: usize) -> usize {
    let body: Range<usize> = 1..raw.len().saturating_sub(1);
    let (mut at, mut meant) = (body.start, 0);
    while at < body.end && meant < byte {
        let rest = &raw[at..body.end];
        let (written, length) = match rest.strip_prefix('\\') {
            None => rest.chars().next().map_or((1, 1), |char| (char.len_utf8(), char.len_utf8())),
            Some(escape) if escape.starts_with('u') => unicode_escape(rest),
            Some(_) => (2, 1),
        };
        at += written;
        meant += length;
    }
    at.min(raw.len())
}

/// How long `\uXXXX` (or a pair of surrogates) is as written, and as UTF-8.
fn unicode_escape(text: &str) -> (usize, usize) {
    let unit = |at: usize| text.get(at..at + 4).and_then(|digits| u32::from_str_radix(digits, 16).ok());
    let Some(first) = unit(2) else { return (2, 1) };
    if (0xD800..0xDC00).contains(&first) && text.get(6..8) == Some("\\u") && unit(8).is_some() {
        return (12, 4);
    }
    (6, char::from_u32(first).map_or(3, char::len_utf8))
}

#[cfg(test)]
mod tests {
    use super::{Place, in_json_string};

    #[test]
    fn bytes_become_lines_and_columns() {
        let place = Place::new("aé\n\nx李y\n");
        for (byte, expected) in [(0, (1, 1)), (1, (1, 2)), (3, (1, 3)), (4, (2, 1)), (5, (3, 1)), (6, (3, 2)), (9, (3, 3))] {
            assert_eq!(place.of(byte), expected, "{byte}");
        }
        assert_eq!(place.of(11), (4, 1));
    }

    #[test]
    fn a_byte_of_the_meaning_is_found_as_written() {
        let raw = r#""a\n\u00e9\ud83d\ude00\"b""#;
        let meant: String = serde_json::from_str(raw).expect("JSON");
        assert_eq!(meant, "a\né😀\"b");
        for (needle, written) in [("a", "a"), ("\n", "\\n"), ("é", "\\u00e9"), ("😀", "\\ud83d"), ("\"", "\\\""), ("b", "b")] {
            let at = in_json_string(raw, meant.find(needle).expect("there"));
            assert!(raw[at..].starts_with(written), "{needle}: {}", &raw[at..]);
        }
    }
}
