//! The three-way merge of `pack.json`: property by property, lists as sets, properties that we do not know included.
//!
//! A version that both sides raised is the higher one; a property that one side removed and the other changed stays; one
//! with two new values is a conflict. Where the result says what a side's file says it is that file, byte for byte.

mod print;
mod value;

use print::{Printer, Style};
use value::{Three, Value};

use super::lessons::MARKER_SIZE;
use super::{Refused, Side, first_marker, unchanged_side};
use crate::model::jsonl::BOM;
use crate::model::record::{Record, same_value};

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Merged {
    /// The file; with conflict markers in it where there are conflicts.
    pub bytes: Vec<u8>,
    /// The properties that both sides changed to different values: `owner`, `references.later`.
    pub conflicts: Vec<String>,
}

/// Merges three versions of a `pack.json`. A base that does not read counts as none, and nothing is removed then.
pub fn merge(base: Option<&[u8]>, ours: &[u8], theirs: &[u8], marker_size: usize) -> Result<Merged, Refused> {
    for (side, bytes) in [(Side::Ours, ours), (Side::Theirs, theirs)] {
        if let Some(line) = first_marker(bytes).filter(|_| unchanged_side(base, ours, theirs) != Some(side)) {
            return Err(Refused::ConflictMarker { side, line });
        }
    }
    if let Some(side) = unchanged_side(base, ours, theirs) {
        let taken = if side == Side::Ours { theirs } else { ours };
        return Ok(Merged { bytes: taken.to_vec(), conflicts: Vec::new() });
    }
    let (our_text, their_text) = (read(Side::Ours, ours)?, read(Side::Theirs, theirs)?);
    let bases = base.map(versions).unwrap_or_default();
    let value = value::merge(
        "",
        &Three { bases: bases.iter().map(|base| Some(base.as_str())).collect(), ours: Some(our_text), theirs: Some(their_text) },
        0,
    )
    .unwrap_or(Value::Raw("{}".to_owned()));
    let style = Style::pick(bases.last().map(|base| Style::of(base)), Style::of(our_text), Style::of(their_text));
    let text = Printer { style, marker_size: marker_size.max(MARKER_SIZE) }.print(&value);
    let mut conflicts = Vec::new();
    value.conflicts(&mut conflicts);
    // What a side wrote already is taken as it wrote it.
    let written = [our_text, their_text].into_iter().filter(|side| conflicts.is_empty() && same_value(side, &text)).min();
    Ok(Merged { bytes: written.map_or(text.as_str(), |side| side).as_bytes().to_vec(), conflicts })
}

fn read(side: Side, bytes: &[u8]) -> Result<&str, Refused> {
    let unreadable = |reason: String| Refused::Unreadable { side, reason };
    let text = std::str::from_utf8(bytes.strip_prefix(BOM).unwrap_or(bytes)).map_err(|error| unreadable(error.to_string()))?;
    Record::parse(text).map_err(|error| unreadable(error.to_string()))?;
    Ok(text)
}

/// Every version that the base is: of a base that is an unfinished merge both sides.
fn versions(base: &[u8]) -> Vec<String> {
    let parts =
        [b'<', b'='].map(|part| String::from_utf8_lossy(&chosen(base.strip_prefix(BOM).unwrap_or(base), part)).into_owned());
    let mut versions: Vec<String> = parts.into_iter().filter(|text| Record::parse(text).is_ok()).collect();
    versions.dedup();
    versions
}

/// The file with the part after this marker in every conflict.
fn chosen(bytes: &[u8], part: u8) -> Vec<u8> {
    let mut open = b'>';
    let mut out = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if first_marker(line).is_some() {
            open = line[0];
        } else if open == b'>' || open == part {
            out.extend_from_slice(line);
        }
    }
    out
}

#[cfg(test)]
mod tests;
