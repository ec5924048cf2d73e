//! The tree below `marvel/packs`: names that work everywhere, packs that are whole, nothing that does not belong there.

use std::collections::BTreeMap;

use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE, META_FILE, PACKS_DIR, is_slug};
use crate::model::pack_files::PackFiles;

use super::code;
use super::sink::{At, Sink};

const PACK_FILES: [&str; 3] = [META_FILE, GUARDRAILS_FILE, LESSONS_FILE];
const BESIDE: [&str; 5] = ["_pack.schema.json", "_lesson.schema.json", ".gitattributes", ".gitignore", "README.md"];
/// Names that Windows keeps for devices.
const DEVICES: [&str; 4] = ["con", "prn", "aux", "nul"];
const MAX_NAME: usize = 64;

pub(super) fn check(files: &PackFiles, sink: &mut Sink<'_>) {
    let mut last = None;
    for (path, _) in files.iter() {
        // paths of one folder stand together, since they begin alike
        let folder = path[PACKS_DIR.len()..].trim_start_matches('/').split_once('/').map(|(folder, _)| folder);
        if let Some(folder) = folder.filter(|_| folder != last) {
            check_folder(folder, path, files, sink);
        }
        last = folder;
    }
    let mut folded: BTreeMap<String, &str> = BTreeMap::new();
    for (path, _) in files.iter() {
        let below = path[PACKS_DIR.len()..].trim_start_matches('/');
        check_file(path, below, sink);
        let shown = super::shown(path);
        if let Some(other) = folded.insert(path.to_lowercase(), path) {
            let message = format!("`{shown}` and `{}` differ in case only", super::shown(other));
            sink.report(code::CASE_COLLISION, At::file(path), message, "rename one of them: many machines take them for one");
        }
    }
}

/// Checks a folder; `first` is the first file in it.
fn check_folder(folder: &str, first: &str, files: &PackFiles, sink: &mut Sink<'_>) {
    let meta = format!("{PACKS_DIR}/{folder}/{META_FILE}");
    let at = if files.get(&meta).is_some() { meta.as_str() } else { first };
    let shown = super::shown(folder);
    let is_device = DEVICES.contains(&folder)
        || (folder.len() == 4
            && (folder.starts_with("com") || folder.starts_with("lpt"))
            && folder.ends_with(|c: char| c.is_ascii_digit()));
    if !is_slug(folder) {
        let hint = "lower-case letters, digits and `-`, beginning with a letter; until then the folder is passed over";
        sink.report(code::INVALID_PACK_NAME, At::file(at), format!("`{shown}` cannot be the name of a pack"), hint);
    } else if is_device {
        let hint = "rename the pack: no clone on Windows can check it out";
        sink.report(code::RESERVED_NAME, At::file(at), format!("`{shown}` is a device on Windows"), hint);
    } else if folder.len() > MAX_NAME {
        let message = format!("a name of {} characters", folder.len());
        sink.report(code::RESERVED_NAME, At::file(at), message, &format!("keep it within {MAX_NAME}"));
    }
    if files.get(&meta).is_none() {
        let hint = format!("`marvel pack new {shown}` makes one");
        let hint = if is_slug(folder) { hint.as_str() } else { "" };
        sink.report(code::MISSING_PACK_JSON, At::file(first), format!("the folder `{shown}` has no {META_FILE}"), hint);
    }
}

fn check_file(path: &str, below: &str, sink: &mut Sink<'_>) {
    let known: &[&str] = if below.contains('/') { &PACK_FILES } else { &BESIDE };
    let name = below.split_once('/').map_or(below, |(_, name)| name);
    if known.contains(&name) {
        return;
    }
    let near = known.iter().find(|known| known.eq_ignore_ascii_case(name));
    let hint = match near {
        Some(near) => format!("did you mean `{near}`?"),
        None if below.contains('/') => "a pack is pack.json, guardrails.md and lessons.jsonl; nothing else is read".to_owned(),
        None => "a pack is a folder; nothing else is read".to_owned(),
    };
    sink.report(code::STRAY_FILE, At::file(path), format!("`{}` belongs to no pack", super::shown(name)), &hint);
}
