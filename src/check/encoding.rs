//! What is wrong with a file's bytes, whatever they mean: marks, NULs, line ends, broken UTF-8, leftovers of a merge.

use crate::model::jsonl::{BOM, is_conflict_marker};
use crate::model::plural;

use super::code;
use super::place::column;
use super::sink::{At, Sink};

/// Reports on the bytes of one file.
pub(super) fn check(file: &str, bytes: &[u8], sink: &mut Sink<'_>) {
    if bytes.is_empty() {
        return;
    }
    let mut crlf: Option<(usize, usize)> = None;
    let valid = std::str::from_utf8(bytes).is_ok();
    // Most files are plain: a few searches of the whole are far cheaper than a close look at each line.
    let mut lines = bytes.split_inclusive(|&byte| byte == b'\n');
    let odd = !valid
        || bytes.contains(&0)
        || bytes.contains(&b'\r')
        || (bytes.contains(&BOM[0]) && bytes.windows(BOM.len()).any(|window| window == BOM))
        || lines.any(|line| matches!(line[0], b'<' | b'|' | b'=' | b'>') && is_conflict_marker(line.trim_ascii_end()));
    if odd {
        for (i, full) in bytes.split_inclusive(|&byte| byte == b'\n').enumerate() {
            line(file, i + 1, full, &mut crlf, sink);
        }
    }
    if let Some((first, count)) = crlf {
        let message = match count {
            1 => "a line ends with CR LF".to_owned(),
            _ => format!("{count} lines end with CR LF, this is the first"),
        };
        let hint = "`marvel/packs/.gitattributes` with `* text eol=lf` keeps git from making them; save the file with LF";
        sink.report(code::CRLF, At { file, line: first, column: 0 }, message, hint);
    }
    if !bytes.ends_with(b"\n") {
        let last = bytes.iter().filter(|&&byte| byte == b'\n').count() + 1;
        sink.report(
            code::NO_FINAL_NEWLINE,
            At { file, line: last, column: 0 },
            "the last line does not end with a newline",
            "end it with one: what is appended next would be glued to it",
        );
    }
}

fn line(file: &str, number: usize, full: &[u8], crlf: &mut Option<(usize, usize)>, sink: &mut Sink<'_>) {
    let text = full.strip_suffix(b"\n").unwrap_or(full);
    let text = match text.strip_suffix(b"\r") {
        Some(text) if full.ends_with(b"\n") => {
            let (first, count) = crlf.unwrap_or((number, 0));
            if sink.wants(file, number) {
                *crlf = Some((first, count + 1));
            }
            text
        }
        _ => text,
    };
    let at = |byte: usize| At::new(file, (number, column(&String::from_utf8_lossy(text), byte)));
    if text.starts_with(BOM) {
        let message = if number == 1 { "the file begins with a byte order mark" } else { "a byte order mark inside the file" };
        sink.report(code::BYTE_ORDER_MARK, at(0), message, "save the file as UTF-8 without one");
    }
    if let Some(first) = text.iter().position(|&byte| byte == 0) {
        let count = text.iter().filter(|&&byte| byte == 0).count();
        let message = plural::count(count, "NUL byte");
        sink.report(code::NUL_BYTE, at(first), message, "an interrupted write leaves them behind; take them out");
    }
    if let Err(error) = std::str::from_utf8(text) {
        let byte = text[error.valid_up_to()];
        let place = At::new(file, (number, String::from_utf8_lossy(&text[..error.valid_up_to()]).chars().count() + 1));
        sink.report(code::INVALID_UTF8, place, format!("the byte 0x{byte:02x} is not UTF-8 here"), "save the file as UTF-8");
    }
    if is_conflict_marker(text) && (text[0] != b'=' || !is_heading(file)) {
        sink.report(
            code::CONFLICT_MARKER,
            at(0),
            "a conflict marker: a merge was not finished",
            "keep the lines that are right, take the markers out; `marvel init` sets up the merge driver that avoids them",
        );
    }
}

/// In Markdown a row of `=` makes the line above it a heading; git's other marks stand beside it where there is a conflict.
fn is_heading(file: &str) -> bool {
    file.ends_with(".md")
}

#[cfg(test)]
mod tests {
    use crate::check::tests::{codes_of, options};

    #[test]
    fn jl06_jl11_what_is_wrong_with_bytes_is_found_by_line() {
        for (bytes, expected) in [
            (&b"plain\n"[..], vec![]),
            (b"", vec![]),
            (b"no end", vec!["1:0 no-final-newline"]),
            (b"\xef\xbb\xbfa\nb\n", vec!["1:1 byte-order-mark"]),
            (b"a\n\xef\xbb\xbfb\n", vec!["2:1 byte-order-mark"]),
            (b"a\r\nb\r\nc\n", vec!["1:0 crlf"]),
            (b"a\n\0\0\0\nb\n", vec!["2:1 nul-byte"]),
            (b"ab\xffc\n", vec!["1:3 invalid-utf8"]),
            (b"caf\xc3", vec!["1:0 no-final-newline", "1:4 invalid-utf8"]),
            (
                b"a\n<<<<<<< ours\nb\n||||||| base\n=======\n>>>>>>> theirs\n",
                vec!["2:1 conflict-marker", "4:1 conflict-marker", "6:1 conflict-marker"],
            ),
            (b"Heading\n=======\n", vec![]),
        ] {
            let found = codes_of(&[("marvel/packs/a/guardrails.md", bytes)], &options(), "a/guardrails.md");
            let expected: Vec<_> = expected.into_iter().map(str::to_owned).collect();
            assert_eq!(found, expected, "{:?}", String::from_utf8_lossy(bytes));
        }
    }
}
