//! Whether a line was pasted: logs, stack traces, diffs, shell sessions, data, code. Judged by the line's own shape and
//! by what stood before it; when in doubt the line is the person's.

/// What the lines before were.
#[derive(Default)]
pub(super) struct State {
    diff: bool,
    trace: bool,
    output: bool,
}

impl State {
    /// An empty line ends what was pasted.
    pub(super) fn blank(&mut self) {
        *self = Self::default();
    }

    pub(super) fn is_pasted(&mut self, line: &str) -> bool {
        let text = line.trim_start();
        if self.diff && line.starts_with(['+', '-', ' ', '@', '\\']) || starts_diff(line) {
            self.diff = true;
            return true;
        }
        self.diff = false;
        if starts_trace(text) {
            self.trace = true;
            return true;
        }
        let indented = text.len() < line.len();
        if self.trace && (indented || is_error_line(text) || is_frame(text)) {
            self.trace = indented || is_frame(text);
            return true;
        }
        if text.starts_with("$ ") || text.starts_with("% ") || text.starts_with("❯ ") || text.starts_with(">>> ") {
            self.output = true;
            return true;
        }
        let pasted = is_frame(text) || is_error_line(text) || is_log(text) || is_data(text) || is_code(text);
        self.trace = pasted && (self.trace || is_error_line(text));
        pasted
    }
}

fn starts_diff(line: &str) -> bool {
    line.starts_with("diff --git ")
        || line.starts_with("--- a/")
        || line.starts_with("+++ b/")
        || line.starts_with("Index: ")
        || (line.starts_with("@@ -") && line[4..].contains(" @@"))
}

fn starts_trace(text: &str) -> bool {
    text.starts_with("Traceback (most recent call last)")
        || text.starts_with("Exception in thread ")
        || text.starts_with("Caused by: ")
        || text.starts_with("stack backtrace:")
        || text.starts_with("goroutine ") && text.ends_with("]:")
        || (text.starts_with("thread '") && text.contains("panicked at"))
}

/// One frame of a stack: `at f (a.js:1:2)`, `File "a.py", line 3`, `12: core::panic`, `from a.rb:1:in`.
fn is_frame(text: &str) -> bool {
    if let Some(rest) = text.strip_prefix("at ") {
        return has_position(rest);
    }
    if let Some(rest) = text.strip_prefix("--> ").or_else(|| text.strip_prefix("from ")) {
        return has_position(rest);
    }
    text.starts_with("File \"") && text.contains("\", line ")
}

/// `name:12` somewhere: a file and a line.
fn has_position(text: &str) -> bool {
    let bytes = text.as_bytes();
    bytes.windows(3).any(|w| (w[0].is_ascii_alphanumeric() || w[0] == b')') && w[1] == b':' && w[2].is_ascii_digit())
}

/// `ValueError: …`, `error[E0308]: …`, `npm ERR! …`, `fatal: …`.
fn is_error_line(text: &str) -> bool {
    const STARTS: [&str; 15] = [
        "npm ERR!",
        "npm error",
        "npm WARN",
        "npm warn",
        "error[",
        "warning[",
        "error TS",
        "fatal: ",
        "error: ",
        "warning: ",
        "Error: ",
        "make: ***",
        "FAILED ",
        "panic: ",
        "E   ",
    ];
    if STARTS.iter().any(|start| text.starts_with(start)) {
        return true;
    }
    let Some((name, rest)) = text.split_once(':') else { return false };
    let name = name.strip_prefix("Uncaught ").unwrap_or(name);
    (rest.is_empty() || rest.starts_with(' '))
        && name.starts_with(|c: char| c.is_ascii_uppercase() || name.contains('.') && c.is_ascii_lowercase())
        && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b':'))
        && (name.ends_with("Error") || name.ends_with("Exception") || name.ends_with("Warning"))
        && name.len() > 7
}

/// A line of a log: a time first, a level first, a mark of a test runner.
fn is_log(text: &str) -> bool {
    const LEVELS: [&str; 9] = ["INFO", "WARN", "WARNING", "ERROR", "DEBUG", "TRACE", "FATAL", "PASS", "FAIL"];
    let first = text.split(|c: char| c.is_whitespace() || c == ':').find(|part| !part.is_empty()).unwrap_or("");
    let first = first.trim_matches(['[', ']', '(', ')']);
    if LEVELS.contains(&first) && text.len() > first.len() + 3 {
        return true;
    }
    if text.starts_with(['✓', '✔', '✗', '✘', '×', '●', '⨯']) && text.chars().count() > 3 {
        return true;
    }
    let digits = text.trim_start_matches('[').as_bytes();
    let shape = |pattern: &[u8]| {
        digits.len() > pattern.len()
            && pattern.iter().zip(digits).all(|(p, byte)| if *p == b'0' { byte.is_ascii_digit() } else { p == byte })
    };
    shape(b"0000-00-00T00:00") || shape(b"0000-00-00 00:00:") || shape(b"00:00:00") || shape(b"0000/00/00 00:00:")
}

/// JSON, or a row of a drawn table.
fn is_data(text: &str) -> bool {
    let ends = [('{', '}'), ('[', ']')].iter().any(|&(open, close)| {
        text.starts_with(open) && text.trim_end_matches(',').ends_with(close) && (text.contains("\":") || text.contains("\": "))
    });
    ends || text.starts_with(['│', '├', '└', '┌', '╭', '╰', '║', '╔']) || text.starts_with("|--") || text.starts_with("+--")
}

/// A line that only a programming language would write.
fn is_code(text: &str) -> bool {
    if text.ends_with("*/") || text.starts_with("/*") || text.starts_with("//") {
        return true;
    }
    if matches!(text, "{" | "}" | "};" | "});" | ")" | ");" | "]" | "];" | "})" | "}," | "],") {
        return true;
    }
    const STARTS: [&str; 17] = [
        "import ",
        "export ",
        "const ",
        "var ",
        "function ",
        "def ",
        "class ",
        "fn ",
        "pub ",
        "return ",
        "if (",
        "for (",
        "while (",
        "#include",
        "@Override",
        "using ",
        "package ",
    ];
    let ends = text.ends_with(['{', ';', '}']) || text.ends_with("=>") || text.ends_with("):") || text.ends_with("({");
    let signs = text.contains("=>") || text.contains("();") || text.contains(" = ") || text.contains("::") || text.contains("({");
    ends && (signs || text.ends_with('{') || STARTS.iter().any(|start| text.starts_with(start)))
}

#[cfg(test)]
mod tests {
    use super::State;

    #[test]
    fn a_line_is_pasted_by_its_shape() {
        for line in [
            "    at Object.<anonymous> (/app/a.js:1:2)",
            "  --> src/main.rs:3:5",
            "error[E0308]: mismatched types",
            "TypeError: x is not a function",
            "java.lang.IllegalStateException: no",
            "2026-11-29T10:00:00Z never retry",
            "[10:15:00] stop",
            "ERROR  wrong unit",
            "FAIL src/a.test.ts",
            "✗ should not do it",
            "const a = use(b);",
            "if (wrong) {",
            "$ npm ci",
            "{\"a\":1}",
            "├── never",
        ] {
            assert!(State::default().is_pasted(line), "{line}");
        }
        for line in [
            "at the moment it's wrong: 3 of 4",
            "Error handling is missing",
            "let me think;",
            "use a set, not a list",
            "- no",
            "import the helper from utils",
            "[x] done",
            "10:15 is too early",
            "Note: use pnpm",
        ] {
            assert!(!State::default().is_pasted(line), "{line}");
        }
    }
}
