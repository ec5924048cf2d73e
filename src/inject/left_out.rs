//! The last line: what found no room, with the file where it stands.

use super::clean::{one_line, units};
use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE, PACKS_DIR, PackName};
use crate::model::plural::count;

/// What one pack had to leave out for want of room.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeftOut<'a> {
    pub pack: &'a PackName,
    pub lessons: usize,
    /// Names of sections.
    pub sections: Vec<&'a str>,
}

/// Headings longer than this are counted, not named.
const LONGEST_NAME: usize = 60;
const MAX_NAMES: usize = 4;

/// The fullest line that `room` allows; `None` where nothing was left out or not even the shortest one fits.
pub(super) fn line(left: &[LeftOut<'_>], room: usize) -> Option<String> {
    let left: Vec<_> = left.iter().filter(|one| one.lessons > 0 || !one.sections.is_empty()).collect();
    if left.is_empty() {
        return None;
    }
    let full = |named: bool| {
        let parts: Vec<String> = left.iter().flat_map(|one| describe(one, named)).collect();
        format!("Left out for want of room: {}.", parts.join("; "))
    };
    [full(true), full(false), format!("Left out for want of room: more in {PACKS_DIR}.")]
        .into_iter()
        .find(|line| units(line) <= room)
}

/// Room for whatever line is needed in the end, at most `most`.
pub(super) fn reserve(all: &[LeftOut<'_>], most: usize) -> usize {
    line(all, most).map_or(0, |line| units(&line))
}

fn describe(one: &LeftOut<'_>, named: bool) -> Vec<String> {
    let mut parts = Vec::new();
    if one.lessons > 0 {
        parts.push(format!("{} of {}", count(one.lessons, "lesson"), one.pack.path(LESSONS_FILE)));
    }
    if !one.sections.is_empty() {
        let names: Vec<String> = one.sections.iter().map(|name| one_line(name)).collect();
        let short = names.len() <= MAX_NAMES && names.iter().all(|name| !name.is_empty() && units(name) <= LONGEST_NAME);
        let what = if named && short {
            names.iter().map(|name| format!("\"{name}\"")).collect::<Vec<_>>().join(", ")
        } else {
            count(one.sections.len(), "section")
        };
        parts.push(format!("{what} of {}", one.pack.path(GUARDRAILS_FILE)));
    }
    parts
}

#[cfg(test)]
mod tests {
    use super::{LeftOut, line};
    use crate::model::pack::PackName;

    #[test]
    fn the_fullest_line_that_fits_is_taken() {
        let (a, b) = (PackName::new("a").unwrap(), PackName::new("b").unwrap());
        let left = [
            LeftOut { pack: &a, lessons: 1, sections: vec!["Secrets", "Tokens"] },
            LeftOut { pack: &b, lessons: 0, sections: vec![] },
        ];
        let full = "Left out for want of room: 1 lesson of marvel/packs/a/lessons.jsonl; \"Secrets\", \"Tokens\" of marvel/packs/a/guardrails.md.";
        assert_eq!(line(&left, 200).as_deref(), Some(full));
        let counted = full.replace("\"Secrets\", \"Tokens\"", "2 sections");
        assert_eq!(line(&left, full.len() - 1), Some(counted));
        assert_eq!(line(&left, 60).as_deref(), Some("Left out for want of room: more in marvel/packs."));
        assert_eq!(line(&left, 20), None);
        assert_eq!(line(&left[1..], 200), None);
    }
}
