//! `pack.json`: the schema, and what a schema cannot say.

use std::collections::{BTreeMap, BTreeSet};

use crate::model::jsonl::{BOM, is_conflict_marker};
use crate::model::pack::{PackMeta, PackName};

use super::code;
use super::globs;
use super::json::Tree;
use super::place::Place;
use super::prose::Prose;
use super::schema::Schema;
use super::sink::{At, Sink};

/// What other packs and the lessons are judged by.
pub(super) struct Meta {
    pub(super) categories: Vec<String>,
    /// Names with the place that each stands at.
    depends_on: Vec<(String, (usize, usize))>,
}

/// Reads a JSON file for rules that want positions; reports where it is none.
pub(super) fn read<'a>(file: &str, bytes: &'a [u8], sink: &mut Sink<'_>) -> Option<(Tree<'a>, Place<'a>)> {
    let text = std::str::from_utf8(bytes.strip_prefix(BOM).unwrap_or(bytes)).ok()?;
    if text.lines().any(|line| is_conflict_marker(line.as_bytes())) {
        // reported as what it is
        return None;
    }
    let place = Place::new(text);
    match Tree::parse(text) {
        Ok(tree) => {
            for (key, at) in tree.repeated_keys() {
                let message = format!("the key `{}` stands twice", super::shown(&key));
                sink.report(code::DUPLICATE_KEY, At::new(file, place.of(at)), message, "only the last one counts; keep that one");
            }
            Some((tree, place))
        }
        Err(error) => {
            let message = format!("not valid JSON: {}", error.reason);
            sink.report(code::INVALID_JSON, At::new(file, place.of(error.at)), message, "");
            None
        }
    }
}

/// Reports on one `pack.json`.
pub(super) fn check(folder: &str, file: &str, bytes: &[u8], schema: &Schema, prose: &Prose, sink: &mut Sink<'_>) -> Option<Meta> {
    let (tree, place) = read(file, bytes, sink)?;
    let wrong = schema.check(file, &tree, &place, sink);
    let at = |pointer: &str| At::new(file, place.of(tree.at(pointer)));
    let strings: BTreeMap<String, &str> = tree.strings().into_iter().map(|text| (text.pointer, text.meant)).collect();
    prose.check_strings(file, &tree, &|byte| place.of(byte), sink);
    let fine = |pointer: &str| !wrong.contains(pointer) && strings.contains_key(pointer);
    if fine("/name") && strings["/name"] != folder {
        let name = super::shown(strings["/name"]);
        let hint = "rename one of the two: a pack is known by its folder";
        sink.report(
            code::NAME_MISMATCH,
            at("/name"),
            format!("the pack calls itself `{name}` and its folder is `{folder}`"),
            hint,
        );
    }
    if fine("/version") && semver::Version::parse(strings["/version"]).is_err() {
        let message = format!("{:?} is no semantic version", super::shown(strings["/version"]));
        sink.report(code::INVALID_VERSION, at("/version"), message, "write it as `1.0.0`");
    }
    for (pointer, pattern) in &strings {
        let is_pattern = ["/sensitive_paths/", "/excludes_paths/", "/references/code_paths/"];
        if is_pattern.iter().any(|list| pointer.starts_with(list))
            && fine(pointer)
            && let Some((code, message, hint)) = globs::problem(pattern)
        {
            sink.report(code, at(pointer), message, hint);
        }
    }
    if wrong.is_empty()
        && let Err(error) = PackMeta::parse(bytes)
        && tree.repeated_keys().is_empty()
    {
        // a repository's own schema that allows what no reader can use
        let message = format!("this pack cannot be read: {}", super::shown(&error.to_string()));
        sink.report(code::INVALID_VALUE, At::file(file), message, "");
    }
    let list = |name: &str| -> Vec<(String, String)> {
        let prefix = format!("/{name}/");
        // by pointer, so that ten does not come before two
        let mut items: Vec<_> = strings.iter().filter(|(pointer, _)| pointer.starts_with(&prefix)).collect();
        items.sort_by_key(|(pointer, _)| (pointer.len(), pointer.as_str()));
        items.into_iter().map(|(pointer, text)| (pointer.clone(), (*text).to_owned())).collect()
    };
    Some(Meta {
        categories: list("categories").into_iter().map(|(_, category)| category).collect(),
        depends_on: list("depends_on").into_iter().map(|(pointer, name)| (name, place.of(tree.at(&pointer)))).collect(),
    })
}

/// Reports dependencies that do not exist, and circles of them.
pub(super) fn check_dependencies(metas: &BTreeMap<PackName, (String, Meta)>, folders: &BTreeSet<&str>, sink: &mut Sink<'_>) {
    for (file, meta) in metas.values() {
        for (name, place) in &meta.depends_on {
            if PackName::new(name).is_some() && !folders.contains(name.as_str()) {
                let message = format!("there is no pack `{name}`");
                let hint = "`marvel pack list` shows the packs that there are";
                sink.report(code::UNKNOWN_DEPENDENCY, At::new(file, *place), message, hint);
            }
        }
    }
    let mut done = BTreeSet::new();
    for start in metas.keys() {
        let mut path = Vec::new();
        walk(start, metas, &mut path, &mut done, sink);
    }
}

fn walk<'a>(
    name: &'a PackName,
    metas: &'a BTreeMap<PackName, (String, Meta)>,
    path: &mut Vec<&'a PackName>,
    done: &mut BTreeSet<&'a PackName>,
    sink: &mut Sink<'_>,
) {
    let Some((file, meta)) = metas.get(name) else { return };
    path.push(name);
    for (dependency, place) in &meta.depends_on {
        let Some((dependency, _)) = PackName::new(dependency).and_then(|name| metas.get_key_value(&name)) else { continue };
        if let Some(at) = path.iter().position(|seen| *seen == dependency) {
            let circle: Vec<_> = path[at..].iter().map(|name| name.as_str()).chain([dependency.as_str()]).collect();
            let message = format!("packs depend on each other in a circle: {}", circle.join(" → "));
            sink.report(code::DEPENDENCY_CYCLE, At::new(file, *place), message, "take one of these dependencies out");
        } else if !done.contains(dependency) {
            walk(dependency, metas, path, done, sink);
        }
    }
    path.pop();
    done.insert(name);
}
