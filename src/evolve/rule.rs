//! A lesson as a rule of `guardrails.md`: one imperative, under the heading that fits it best by vocabulary, or under a
//! new one. Every other byte of the file stays.

use std::collections::BTreeMap;

use crate::model::guardrails::{Guardrails, Section};
use crate::model::lesson::Lesson;
use crate::model::words::words;

/// The file with the rule in it, and what was put where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Placed {
    pub text: String,
    pub heading: String,
    pub rule: String,
}

pub fn place(guardrails: &str, lesson: &Lesson) -> Placed {
    let rule = imperative(lesson);
    let parsed = Guardrails::parse(guardrails);
    let end = if guardrails.contains("\r\n") { "\r\n" } else { "\n" };
    let mut text = guardrails.to_owned();
    if let Some(section) = best_section(&parsed, lesson) {
        let (at, new) = match section.rules.last() {
            Some(last) => (last.range.end, format!("{end}{} {rule}", mark(last.raw))),
            None => (section.range.start + section.text.trim_end().len(), format!("{end}{end}- {rule}")),
        };
        text.insert_str(at, &new);
        if !text.ends_with('\n') {
            text.push_str(end);
        }
        return Placed { text, heading: section.heading.unwrap_or_default().to_owned(), rule };
    }
    let heading = heading_of(&lesson.category);
    if !text.is_empty() {
        text.truncate(text.trim_end().len());
        text.push_str(end);
        text.push_str(end);
    }
    text.push_str(&format!("## {heading}{end}{end}- {rule}{end}"));
    Placed { text, heading, rule }
}

/// One sentence that says what to do. The concrete instruction is it; the title leads where the instruction alone does not
/// say what it is about.
pub fn imperative(lesson: &Lesson) -> String {
    let action = sentence(&lesson.actionable);
    let (title_words, action_words) = (words(&lesson.title), words(&action));
    let covered = title_words.intersection(&action_words).count();
    let mut rule = if action.is_empty() {
        sentence(&lesson.title)
    } else if title_words.is_empty() || covered * 2 >= title_words.len() {
        action
    } else {
        format!("{}: {action}", sentence(&lesson.title).trim_end_matches(['.', ':']))
    };
    if !rule.ends_with(['.', '!', '?', '。', '！', '？', '`', ')']) {
        rule.push('.');
    }
    if !lesson.paths.is_empty() {
        let paths: Vec<_> = lesson.paths.iter().map(|glob| format!("`{glob}`")).collect();
        rule.push_str(&format!(" (In {}.)", paths.join(", ")));
    }
    rule
}

/// White space folded, list marks and polite openings taken off, a capital first.
fn sentence(text: &str) -> String {
    const OPENINGS: [&str; 12] = [
        "do:",
        "please ",
        "you should ",
        "you must ",
        "you need to ",
        "we should ",
        "we must ",
        "we need to ",
        "developers should ",
        "it is important to ",
        "remember to ",
        "make sure to ",
    ];
    let folded = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let mut rest = folded.trim_start_matches(['-', '*', '+', '#']).trim_start();
    while let Some(opening) =
        OPENINGS.iter().find(|opening| rest.get(..opening.len()).is_some_and(|s| s.eq_ignore_ascii_case(opening)))
    {
        rest = rest[opening.len()..].trim_start();
    }
    // "should not x" has become "not x"
    let rest = match rest.get(..4) {
        Some(not) if not.eq_ignore_ascii_case("not ") => format!("do {rest}"),
        _ => rest.to_owned(),
    };
    let mut chars = rest.chars();
    chars.next().map_or_else(String::new, |first| first.to_uppercase().chain(chars).collect())
}

/// The section that shares most with the lesson, a word weighing less the more sections have it, and one in the heading
/// more; `None` where none shares enough.
fn best_section<'a, 'b>(guardrails: &'b Guardrails<'a>, lesson: &Lesson) -> Option<&'b Section<'a>> {
    const ENOUGH: f64 = 0.15;
    const HEADING: f64 = 0.5;
    let headed: Vec<_> = guardrails.sections.iter().filter(|section| section.heading.is_some()).collect();
    let bags: Vec<_> = headed.iter().map(|section| words(section.text)).collect();
    let mut spread: BTreeMap<&str, f64> = BTreeMap::new();
    for word in bags.iter().flatten() {
        *spread.entry(word).or_default() += 1.0;
    }
    let category = lesson.category.replace('-', " ");
    let about = words(&format!("{} {} {category}", lesson.title, lesson.actionable));
    let score = |at: usize| {
        let heading = words(headed[at].heading.unwrap_or_default());
        let shared: f64 = about.intersection(&bags[at]).map(|word| 1.0 / spread[word.as_str()]).sum();
        let in_heading = about.intersection(&heading).count() as f64 / heading.len().max(1) as f64;
        shared / about.len().max(1) as f64 + HEADING * in_heading
    };
    let scored: Vec<_> = (0..headed.len()).map(|at| (score(at), at)).collect();
    let best = scored.into_iter().reduce(|best, next| if next.0 > best.0 { next } else { best })?;
    (best.0 >= ENOUGH).then(|| headed[best.1])
}

/// `api-design` is "Api design".
fn heading_of(category: &str) -> String {
    sentence(&category.replace(['-', '_'], " "))
}

/// The mark of the next item after this one.
fn mark(raw: &str) -> String {
    let digits: String = raw.chars().take_while(char::is_ascii_digit).collect();
    match digits.parse::<u64>() {
        Ok(number) => format!("{}{}", number.saturating_add(1), if raw[digits.len()..].starts_with(')') { ')' } else { '.' }),
        Err(_) => raw.chars().next().filter(|c| matches!(c, '*' | '+')).unwrap_or('-').to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{imperative, place};
    use crate::model::lesson::Lesson;

    fn lesson(category: &str, title: &str, actionable: &str) -> Lesson {
        let line = serde_json::json!({"timestamp": "t", "category": category, "title": title, "description": "", "actionable": actionable});
        Lesson::parse(&line.to_string()).expect("valid")
    }

    #[test]
    fn a_rule_is_one_imperative_sentence() {
        for (title, actionable, expected) in [
            ("Validate inputs", "Please validate  all inputs\nwith zod", "Validate all inputs with zod."),
            ("Validate inputs", "You should not trust inputs.", "Do not trust inputs."),
            ("Use pnpm", "Run `x install`", "Use pnpm: Run `x install`"),
            ("Use pnpm", "", "Use pnpm."),
            ("使用 pnpm", "请使用 pnpm 安装。", "请使用 pnpm 安装。"),
        ] {
            assert_eq!(imperative(&lesson("c", title, actionable)), expected);
        }
        let mut scoped = lesson("c", "Use pnpm", "Use pnpm!");
        scoped.paths = vec!["web/**".to_owned()];
        assert_eq!(imperative(&scoped), "Use pnpm! (In `web/**`.)");
    }

    const RULES: &str = "# Security\n\nIntro.\n\n## Input\n- Validate the body with a schema.\n- Bound lengths.\n\n## Sessions\n\n1. Verify tokens fully.\n   Really.\n\nProse.\n\n## Empty\n";

    #[test]
    fn the_heading_that_fits_takes_the_rule() {
        for (lesson, heading, expected) in [
            (
                lesson("validation", "Validate query input", "Validate the query with a schema"),
                "Input",
                "- Bound lengths.\n- Validate the query with a schema.\n\n## Sessions",
            ),
            (
                lesson("auth", "Expire tokens", "Verify that tokens expire"),
                "Sessions",
                "   Really.\n2. Verify that tokens expire.\n\nProse.",
            ),
            (lesson("empty", "Fill it", "Fill it"), "Empty", "## Empty\n\n- Fill it.\n"),
            (
                lesson("api-design", "Page lists", "Page long lists"),
                "Api design",
                "## Empty\n\n## Api design\n\n- Page long lists.\n",
            ),
        ] {
            let placed = place(RULES, &lesson);
            assert_eq!(placed.heading, heading);
            assert!(placed.text.contains(expected), "{}", placed.text);
        }
    }

    #[test]
    fn line_ends_and_missing_ones_are_kept_in_order() {
        let crlf = place("## Input\r\n* Validate input", &lesson("c", "Validate input", "Validate all input"));
        assert_eq!(crlf.text, "## Input\r\n* Validate input\r\n* Validate all input.\r\n");
        let new = place("", &lesson("build", "Use pnpm", "Use pnpm"));
        assert_eq!(new.text, "## Build\n\n- Use pnpm.\n");
    }
}
