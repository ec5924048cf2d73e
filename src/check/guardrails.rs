//! `guardrails.md`: rules that say something, that fit, and that address nobody but their reader.

use crate::model::guardrails::Guardrails;
use crate::model::jsonl::BOM;

use super::code;
use super::place::Place;
use super::prose::Prose;
use super::sink::{At, Sink};
use super::vague;

/// A rule that was read: for what concerns several of them.
pub(super) struct Entry {
    pub(super) line: usize,
    pub(super) words: String,
}

/// Reports on one `guardrails.md`. `budget` is what an injection holds of guardrails, in UTF-16 units.
pub(super) fn check(file: &str, bytes: &[u8], budget: usize, prose: &Prose, sink: &mut Sink<'_>) -> Vec<Entry> {
    let Ok(text) = std::str::from_utf8(bytes.strip_prefix(BOM).unwrap_or(bytes)) else { return Vec::new() };
    let place = Place::new(text);
    prose.check(file, text, None, &|byte| place.of(byte), sink);
    let units = text.encode_utf16().count();
    if units > budget {
        let message = format!("{units} characters; an injection holds {budget} of guardrails");
        let hint = "split the pack, or shorten: sections that do not fit are left out until a later file";
        sink.report(code::GUARDRAILS_TOO_LONG, At::file(file), message, hint);
    }
    let mut entries = Vec::new();
    for (_, rule) in Guardrails::parse(text).rules() {
        let words = rule.words();
        if vague::is_vague(&words) {
            let column = 1 + rule.raw.chars().take_while(|c| !c.is_alphabetic()).count();
            let hint = "say what to do and where, so that a reviewer can see whether it was done; or take it out";
            let message = format!("a rule that nobody can check: {:?}", super::shown(&words));
            sink.report(code::VAGUE, At { file, line: rule.line, column }, message, hint);
        }
        entries.push(Entry { line: rule.line, words });
    }
    entries
}
