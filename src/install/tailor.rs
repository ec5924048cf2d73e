//! What a pack is about in this repository, read off the names of the files that it tracks. Names in, patterns out.

use std::collections::{BTreeMap, BTreeSet};

use super::json_text::{JsonText, Problem, Step};
use crate::model::pack::{PackMeta, PackName};
use crate::model::repo_path::RepoPath;

/// The packs that `init` tailors; the others have their sensitive paths.
pub const TAILORED: [&str; 2] = ["code-quality", "testing"];

/// Folders whose files somebody else wrote, or a program.
const FOREIGN: [&str; 9] =
    ["node_modules", "dist", "build", "out", "vendor", "third_party", "coverage", "bower_components", "__generated__"];

/// More folders than this are not listed one by one.
const MANY: usize = 12;

/// What was chosen for a pack.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tailored {
    pub pack: PackName,
    /// Patterns that `references.code_paths` did not have.
    pub added: Vec<String>,
}

/// The patterns that fit a pack to the files: those of test files where the pack is about tests, else the folders where
/// files of its extensions live. None where the repository has nothing for it.
pub fn patterns(meta: &PackMeta, files: &[RepoPath]) -> Vec<String> {
    let extensions: Vec<String> = meta.applies_to.extensions.iter().map(|extension| extension.to_lowercase()).collect();
    let ours: Vec<&RepoPath> = files.iter().filter(|path| !is_foreign(path)).collect();
    let about_tests = !extensions.is_empty() && extensions.iter().all(|extension| test_infix(extension).is_some());
    if about_tests { test_patterns(&extensions, &ours) } else { source_patterns(&extensions, &ours) }
}

/// `pack.json` with those of the patterns that it does not have yet.
pub fn apply(pack_json: &[u8], patterns: &[String]) -> Result<(Vec<u8>, Vec<String>), Problem> {
    let mut json = JsonText::parse(pack_json)?;
    let references = [Step::Key("references")];
    let place = [Step::Key("references"), Step::Key("code_paths")];
    let mut all: Vec<String> = json.at(&place).and_then(|node| json.value(node)).unwrap_or_default();
    let added: Vec<String> = patterns.iter().filter(|pattern| !all.contains(pattern)).cloned().collect();
    if added.is_empty() {
        return Ok((pack_json.to_vec(), added));
    }
    all.extend(added.iter().cloned());
    if json.at(&place).is_some() {
        json.replace(&place, &all);
    } else if json.at(&references).is_some_and(super::json_text::Node::is_object) {
        json.insert(&references, "code_paths", &all);
    } else if let Some(node) = json.at(&references) {
        return Err(json.problem(node, "`references` is expected to be an object"));
    } else {
        json.insert(&[], "references", &serde_json::json!({ "code_paths": all }));
    }
    Ok((json.into_bytes(), added))
}

/// The folders with sources of these extensions, with the extensions that occur there.
fn source_patterns(extensions: &[String], files: &[&RepoPath]) -> Vec<String> {
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut at_root: BTreeSet<&str> = BTreeSet::new();
    for path in files {
        let name = path.file_name().to_lowercase();
        let found =
            extensions.iter().filter(|extension| name.ends_with(extension.as_str())).max_by_key(|extension| extension.len());
        let Some(extension) = found else { continue };
        if is_test(path) || name.contains(".min.") || is_tool_config(&name) {
            continue;
        }
        match path.as_str().split_once('/') {
            Some((top, _)) => _ = folders.entry(top).or_default().insert(extension),
            None => _ = at_root.insert(extension),
        }
    }
    let all: BTreeSet<&str> = folders.values().flatten().chain(&at_root).copied().collect();
    if folders.len() > MANY {
        return vec![format!("**/*{}", alternatives(&all))];
    }
    let mut patterns: Vec<String> =
        folders.into_iter().map(|(top, extensions)| format!("{}/**/*{}", literal(top), alternatives(&extensions))).collect();
    if !at_root.is_empty() {
        patterns.push(format!("/*{}", alternatives(&at_root)));
    }
    patterns
}

/// How the test files of this repository are called. Before there are any, in a repository that has code of that kind or
/// nothing yet, as the pack itself has them.
fn test_patterns(extensions: &[String], files: &[&RepoPath]) -> Vec<String> {
    const KIN: [&str; 8] = [".ts", ".tsx", ".mts", ".cts", ".js", ".jsx", ".mjs", ".cjs"];
    let plain: BTreeSet<&str> = extensions.iter().map(|extension| &extension[extension.rfind('.').unwrap_or(0)..]).collect();
    let kin: Vec<&str> =
        if plain.iter().any(|extension| KIN.contains(extension)) { KIN.to_vec() } else { plain.into_iter().collect() };
    let mut names: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut folders: BTreeMap<&str, BTreeSet<&str>> = BTreeMap::new();
    let mut code = false;
    for path in files {
        let name = path.file_name();
        let Some(at) = name.rfind('.') else { continue };
        let Some(extension) = kin.iter().copied().find(|extension| name[at..].eq_ignore_ascii_case(extension)) else { continue };
        code = true;
        if is_tool_config(name) {
            continue;
        }
        if let Some(infix) = test_infix(name) {
            names.entry(infix).or_default().insert(extension);
        } else if let Some(folder) = test_folder(path) {
            folders.entry(folder).or_default().insert(extension);
        }
    }
    let mut patterns: Vec<String> =
        names.into_iter().map(|(infix, extensions)| format!("*.{infix}{}", alternatives(&extensions))).collect();
    patterns.extend(folders.into_iter().map(|(folder, extensions)| format!("**/{folder}/**/*{}", alternatives(&extensions))));
    if patterns.is_empty() && (code || files.is_empty()) {
        patterns.extend(extensions.iter().map(|extension| format!("*{extension}")));
    }
    patterns
}

fn is_foreign(path: &RepoPath) -> bool {
    let mut folders: Vec<&str> = path.components().collect();
    folders.pop();
    folders.iter().any(|folder| FOREIGN.contains(folder) || folder.starts_with('.'))
}

fn is_test(path: &RepoPath) -> bool {
    test_infix(path.file_name()).is_some() || test_folder(path).is_some()
}

/// The part of a file's name by which it is a test: `a.test.ts`, `.spec.tsx`.
fn test_infix(name: &str) -> Option<&'static str> {
    let parts: Vec<&str> = name.split('.').collect();
    let infix = parts.len().checked_sub(2).and_then(|at| parts.get(at))?;
    ["test", "spec", "cy", "e2e"].into_iter().find(|known| infix.eq_ignore_ascii_case(known))
}

/// The folder by which it is one.
fn test_folder(path: &RepoPath) -> Option<&str> {
    let mut folders: Vec<&str> = path.components().collect();
    folders.pop();
    folders.into_iter().find(|folder| ["__tests__", "test", "tests", "spec", "specs", "e2e", "cypress"].contains(folder))
}

/// `vite.config.ts`, `.eslintrc.js`: set-up of tools, in nobody's style but theirs.
fn is_tool_config(name: &str) -> bool {
    name.starts_with('.') || name.contains(".config.") || name.contains(".setup.")
}

/// `.ts`, or `.{js,ts}`.
fn alternatives(extensions: &BTreeSet<&str>) -> String {
    let bare: Vec<&str> = extensions.iter().map(|extension| extension.trim_start_matches('.')).collect();
    if let [one] = bare[..] { format!(".{one}") } else { format!(".{{{}}}", bare.join(",")) }
}

/// A name as a pattern that stands for itself.
fn literal(name: &str) -> String {
    name.chars().map(|c| if "*?[]{}\\!".contains(c) { '?' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::{apply, patterns};
    use crate::install::starter;
    use crate::model::pack::{PackMeta, PackName};
    use crate::model::repo_path::RepoPath;

    fn chosen(pack: &str, files: &[&str]) -> Vec<String> {
        let name = PackName::new(pack).unwrap();
        let meta = PackMeta::parse(starter::files(&name).unwrap()[0].1.as_bytes()).unwrap();
        let files: Vec<_> = files.iter().map(|path| RepoPath::new(path).unwrap()).collect();
        patterns(&meta, &files)
    }

    #[test]
    fn sources_are_found_by_folder_and_extension() {
        let files = [
            "README.md",
            "package.json",
            "src/index.ts",
            "src/ui/App.tsx",
            "src/ui/App.test.tsx",
            "scripts/build.js",
            "test/a.ts",
            "vite.config.ts",
            ".eslintrc.js",
            "dist/index.js",
            "packages/a/node_modules/x/index.js",
            "src/vendor/jquery.js",
            "docs/site.min.js",
            "server.js",
        ];
        assert_eq!(chosen("code-quality", &files), ["scripts/**/*.js", "src/**/*.{ts,tsx}", "/*.js"]);
        assert_eq!(chosen("testing", &files), ["*.test.tsx", "**/test/**/*.ts"]);
    }

    #[test]
    fn tests_are_found_as_the_repository_calls_them() {
        let files = ["a/x.spec.ts", "a/y.spec.js", "b/z.test.ts", "b/__tests__/q.jsx", "b/__tests__/r.js", "b/r.js"];
        let expected = ["*.spec.{js,ts}", "*.test.ts", "**/__tests__/**/*.{js,jsx}"];
        assert_eq!(chosen("testing", &files), expected);
        assert_eq!(chosen("testing", &["src/a.ts"]), ["*.test.ts", "*.test.tsx", "*.spec.ts", "*.spec.tsx"]);
        assert_eq!(chosen("testing", &[]).len(), 4);
    }

    #[test]
    fn another_language_gets_nothing() {
        let files = ["Cargo.toml", "src/main.rs", "tests/cli.rs"];
        assert_eq!((chosen("code-quality", &files), chosen("testing", &files)), (vec![], vec![]));
        assert_eq!(chosen("code-quality", &[]), Vec::<String>::new());
    }

    #[test]
    fn many_folders_become_one_pattern_and_odd_names_stand_for_themselves() {
        let many: Vec<String> = (0..20).map(|i| format!("pkg{i}/a.ts")).collect();
        assert_eq!(chosen("code-quality", &many.iter().map(String::as_str).collect::<Vec<_>>()), ["**/*.ts"]);
        assert_eq!(chosen("code-quality", &["[app]/a.ts"]), ["?app?/**/*.ts"]);
    }

    #[test]
    fn pack_json_keeps_its_form_and_what_stands_in_it() {
        let name = PackName::new("code-quality").unwrap();
        let text = starter::files(&name).unwrap()[0].1;
        let (after, added) = apply(text.as_bytes(), &["src/**/*.ts".to_owned()]).unwrap();
        let after = String::from_utf8(after).unwrap();
        assert_eq!(after, text.replace("\"code_paths\": []", "\"code_paths\": [\n      \"src/**/*.ts\"\n    ]"));
        assert_eq!(added, ["src/**/*.ts"]);
        assert_eq!(apply(after.as_bytes(), &added).unwrap(), (after.into_bytes(), vec![]));
        let (after, _) = apply(b"{\"name\":\"a\"}", &added).unwrap();
        assert_eq!(String::from_utf8(after).unwrap(), "{\"name\":\"a\",\"references\":{\"code_paths\":[\"src/**/*.ts\"]}}");
    }
}
