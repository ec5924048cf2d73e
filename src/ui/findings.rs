//! Findings as a person, a program and GitHub read them. What is a finding is `check`'s to say.

use std::fmt::{self, Write as _};

use super::style;
use crate::model::finding::{Finding, Severity};
use crate::model::plural;
use crate::model::visible::escape;

/// How many findings are errors, and how many are warnings.
pub fn count(findings: &[Finding]) -> (usize, usize) {
    let errors = findings.iter().filter(|finding| finding.severity == Severity::Error).count();
    (errors, findings.len() - errors)
}

/// `2 errors, 1 warning`
pub fn summary(findings: &[Finding]) -> String {
    let some = |number: usize, what: &str| (number > 0).then(|| plural::count(number, what));
    let (errors, warnings) = count(findings);
    let parts: Vec<_> = [some(errors, "error"), some(warnings, "warning")].into_iter().flatten().collect();
    if parts.is_empty() { "no findings".to_owned() } else { parts.join(", ") }
}

/// Each finding with its place, which editors and terminals take as a link, and its hint.
pub fn text(findings: &[Finding], out: &mut String) -> fmt::Result {
    for finding in findings {
        let (style, word) = match finding.severity {
            Severity::Error => (style::ERROR, "error"),
            Severity::Warning => (style::WARNING, "warning"),
        };
        let (title, faint, hint) = (style::TITLE, style::FAINT, style::HINT);
        writeln!(out, "{style}{word}[{}]:{style:#} {title}{}{title:#}", finding.code, escape(&finding.message))?;
        writeln!(out, "  {faint}-->{faint:#} {}", place(finding))?;
        if let Some(text) = &finding.hint {
            writeln!(out, "  {hint}hint:{hint:#} {}", escape(text))?;
        }
        out.push('\n');
    }
    Ok(())
}

/// `file:line:column`, as far as it is known.
pub fn place(finding: &Finding) -> String {
    let file = escape(&finding.file);
    match (finding.line, finding.column) {
        (0, _) => file.into_owned(),
        (line, 0) => format!("{file}:{line}"),
        (line, column) => format!("{file}:{line}:{column}"),
    }
}

/// GitHub's workflow commands: an annotation a finding.
pub fn github(findings: &[Finding], out: &mut String) -> fmt::Result {
    for finding in findings {
        let word = if finding.severity == Severity::Error { "error" } else { "warning" };
        write!(out, "::{word} file={}", property(&finding.file))?;
        if finding.line > 0 {
            write!(out, ",line={}", finding.line)?;
        }
        if finding.column > 0 {
            write!(out, ",col={}", finding.column)?;
        }
        let hint = finding.hint.as_deref().map(|hint| format!("\nhint: {hint}")).unwrap_or_default();
        writeln!(out, ",title={}::{}", property(finding.code), data(&format!("{}{hint}", finding.message)))?;
    }
    Ok(())
}

/// What a workflow command takes as its message.
fn data(text: &str) -> String {
    escape(text).replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

/// What it takes as a property.
fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

#[cfg(test)]
mod tests {
    use super::{github, summary, text};
    use crate::model::finding::{Finding, Severity};

    fn finding(file: &str, line: usize, column: usize, severity: Severity, hint: Option<&str>) -> Finding {
        Finding {
            file: file.to_owned(),
            line,
            column,
            severity,
            code: "vague",
            message: "100% vague:\u{1b}[2J".to_owned(),
            hint: hint.map(str::to_owned),
        }
    }

    #[test]
    fn a_finding_has_a_place_and_a_hint() {
        let all = [finding("a", 3, 5, Severity::Error, Some("say more")), finding("b\u{1b}", 0, 0, Severity::Warning, None)];
        let mut out = String::new();
        text(&all, &mut out).unwrap();
        let plain = anstream::adapter::strip_str(&out).to_string();
        assert_eq!(
            plain,
            "error[vague]: 100% vague:\\u001b[2J\n  --> a:3:5\n  hint: say more\n\nwarning[vague]: 100% vague:\\u001b[2J\n  --> b\\u001b\n\n"
        );
        assert_eq!(summary(&all), "1 error, 1 warning");
        assert_eq!(summary(&[]), "no findings");
    }

    #[test]
    fn no_text_breaks_out_of_an_annotation() {
        let mut out = String::new();
        github(&[finding("a,b:c\n::error::x", 1, 0, Severity::Error, Some("h"))], &mut out).unwrap();
        assert_eq!(out, "::error file=a%2Cb%3Ac%0A%3A%3Aerror%3A%3Ax,line=1,title=vague::100%25 vague:\\u001b[2J%0Ahint: h\n");
    }
}
