//! `guardrails.md` as sections and rules: what injection packs into its budget and the overlay adds and removes.
//! Whether a rule is any good is `check`'s to say.

use std::ops::Range;

/// The file's parts, as byte ranges of its text: together they are the whole of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Guardrails<'a> {
    pub text: &'a str,
    /// What stands before the first `##` heading (a title, an introduction), then a section a heading.
    pub sections: Vec<Section<'a>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Section<'a> {
    /// The heading without its marks; `None` for what stands before the first one.
    pub heading: Option<&'a str>,
    /// The line that it begins on, from 1.
    pub line: usize,
    /// Heading and all, up to the next heading.
    pub text: &'a str,
    pub range: Range<usize>,
    pub rules: Vec<Rule<'a>>,
}

/// One list item at the left margin, its continuation lines and nested items included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rule<'a> {
    /// The line that it begins on, from 1.
    pub line: usize,
    /// As it stands in the file, without the end of its last line.
    pub raw: &'a str,
    pub range: Range<usize>,
}

impl Rule<'_> {
    /// The words alone: no list mark, one space between words.
    pub fn words(&self) -> String {
        let text = self.raw.trim_start();
        let text = text
            .strip_prefix(['-', '*', '+'])
            .unwrap_or_else(|| text.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ')']));
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    }
}

impl<'a> Guardrails<'a> {
    pub fn parse(text: &'a str) -> Self {
        let mut guardrails = Self { text, sections: Vec::new() };
        let mut open = Section { heading: None, line: 1, text: "", range: 0..0, rules: Vec::new() };
        let mut fence: Option<&str> = None;
        let mut at = 0;
        for (i, full) in text.split_inclusive('\n').enumerate() {
            let line = full.trim_end();
            let (start, number) = (at, i + 1);
            at += full.len();
            let mark = fence_mark(line);
            match (fence, mark) {
                (None, Some(mark)) => fence = Some(mark),
                (Some(open), Some(mark)) if mark.starts_with(open) => fence = None,
                _ => {}
            }
            let in_fence = fence.is_some() || mark.is_some();
            if !in_fence && line.starts_with("## ") {
                guardrails.close(open, start);
                let heading = Some(line[3..].trim().trim_end_matches('#').trim_end());
                open = Section { heading, line: number, text: "", range: start..start, rules: Vec::new() };
            } else if !in_fence && is_item(line) {
                open.rules.push(Rule { line: number, raw: line, range: start..start + line.len() });
            } else if let Some(rule) = open.rules.last_mut().filter(|rule| continues(text, rule, start, line)) {
                rule.range.end = start + line.len();
                rule.raw = &text[rule.range.clone()];
            }
        }
        guardrails.close(open, at);
        guardrails
    }

    fn close(&mut self, mut section: Section<'a>, end: usize) {
        section.range.end = end;
        section.text = &self.text[section.range.clone()];
        if section.heading.is_some() || !section.text.trim().is_empty() {
            self.sections.push(section);
        }
    }

    pub fn rules(&self) -> impl Iterator<Item = (&Section<'a>, &Rule<'a>)> {
        self.sections.iter().flat_map(|section| section.rules.iter().map(move |rule| (section, rule)))
    }
}

/// The run of three or more backticks or tildes that opens or closes a block, wherever it is indented.
fn fence_mark(line: &str) -> Option<&str> {
    let text = line.trim_start();
    let run = text.len() - text.trim_start_matches(text.chars().next().filter(|c| matches!(c, '`' | '~'))?).len();
    (run >= 3).then(|| &text[..run])
}

fn is_item(line: &str) -> bool {
    let digits = line.trim_start_matches(|c: char| c.is_ascii_digit());
    line.starts_with("- ")
        || line.starts_with("* ")
        || line.starts_with("+ ")
        || (digits.len() < line.len() && (digits.starts_with(". ") || digits.starts_with(") ")))
}

/// Whether a line belongs to the rule above it: indented, or wrapped without a blank line between.
fn continues(text: &str, rule: &Rule<'_>, start: usize, line: &str) -> bool {
    if line.is_empty() {
        return false;
    }
    let adjacent = text[rule.range.end..start].trim_matches(['\r', '\n']).is_empty()
        && text[rule.range.end..start].matches('\n').count() == 1;
    line.starts_with([' ', '\t']) || (adjacent && !line.starts_with('#'))
}

#[cfg(test)]
mod tests {
    use super::Guardrails;

    const TEXT: &str = "# Title\n\nIntro.\n\n## One\n\n- First rule\n  goes on\n\n  ```\n  ## not a heading\n  - not a rule\n  ```\n* Second\nlazy\n\nProse.\n\n## Two ##\n1. Third\n";

    #[test]
    fn sections_and_rules_are_found_and_cover_the_text() {
        let parsed = Guardrails::parse(TEXT);
        let headings: Vec<_> =
            parsed.sections.iter().map(|section| (section.heading, section.line, section.rules.len())).collect();
        assert_eq!(headings, [(None, 1, 0), (Some("One"), 5, 2), (Some("Two"), 19, 1)]);
        assert_eq!(parsed.sections.iter().map(|section| section.text).collect::<String>(), TEXT);
        let words: Vec<_> = parsed.rules().map(|(_, rule)| rule.words()).collect();
        assert_eq!(words, ["First rule goes on ``` ## not a heading - not a rule ```", "Second lazy", "Third"]);
    }

    #[test]
    fn an_empty_file_has_no_sections() {
        assert!(Guardrails::parse("").sections.is_empty());
        assert!(Guardrails::parse("\n\n").sections.is_empty());
    }
}
