//! The arrows between the layers: what a file may name, read off the sources themselves.

use std::path::{Path, PathBuf};

/// In reading order; a layer may use those before it.
const LAYERS: [&str; 14] = [
    "error", "model", "score", "capture", "merge", "check", "evolve", "inject", "session", "store", "hook", "ui", "install",
    "commands",
];

/// Layers that stand side by side: neither may use the other, whatever the order above says.
const APART: [(&str, &[&str]); 4] = [
    ("hook", &["store", "check"]),
    ("ui", &["session", "hook", "score", "capture"]),
    ("session", &["merge", "check", "evolve"]),
    ("merge", &["score", "capture"]),
];

fn sources(dir: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(dir).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|ext| ext == "rs") {
            found.push(path);
        }
    }
}

/// Every source with its layer and its text, comments taken out.
fn files() -> Vec<(String, String, String)> {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&src, &mut found);
    found
        .iter()
        .map(|path| {
            let name = path.strip_prefix(&src).unwrap().to_string_lossy().replace('\\', "/");
            let layer = name.split('/').next().unwrap().trim_end_matches(".rs").to_owned();
            let text = std::fs::read_to_string(path).unwrap();
            let code = text.lines().filter(|line| !line.trim_start().starts_with("//")).collect::<Vec<_>>().join("\n");
            (name, layer, code)
        })
        .collect()
}

#[test]
fn no_layer_uses_one_below_it() {
    let mut wrong = Vec::new();
    for (name, layer, code) in files() {
        let Some(at) = LAYERS.iter().position(|known| *known == layer) else {
            assert!(["build", "lib", "main"].contains(&layer.as_str()), "{name} is in no layer: name it in the order of reading");
            continue;
        };
        let apart = APART.iter().find(|(known, _)| *known == layer).map_or(&[][..], |(_, others)| others);
        let below = LAYERS[at + 1..].iter().chain(apart);
        wrong.extend(below.filter(|other| code.contains(&format!("crate::{other}"))).map(|other| format!("{name} uses {other}")));
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn one_folder_names_gix_and_starts_git() {
    let wrong: Vec<_> = files()
        .into_iter()
        .filter(|(_, layer, code)| layer != "store" && (code.contains("gix::") || code.contains("Command::new(\"git\"")))
        .map(|(name, ..)| name)
        .collect();
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn the_pure_layers_touch_no_world() {
    let pure = ["model", "score", "capture", "merge", "check", "evolve", "inject"];
    let worldly = ["std::fs", "std::env", "std::process", "std::net", "SystemTime", "Utc::now"];
    let mut wrong = Vec::new();
    for (name, layer, code) in files() {
        if pure.contains(&layer.as_str()) {
            let code = code.split("#[cfg(test)]").next().unwrap_or_default();
            wrong.extend(worldly.iter().filter(|word| code.contains(**word)).map(|word| format!("{name} uses {word}")));
        }
    }
    assert_eq!(wrong, Vec::<String>::new());
}

#[test]
fn every_file_says_what_it_is_for() {
    let src = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut found = Vec::new();
    sources(&src, &mut found);
    let wrong: Vec<_> = found.into_iter().filter(|path| !std::fs::read_to_string(path).unwrap().starts_with("//!")).collect();
    assert_eq!(wrong, Vec::<PathBuf>::new());
}
