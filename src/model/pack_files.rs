//! All files under `marvel/packs` of one state of the world (a revision, the index, a working tree, an overlay), as
//! bytes. Where they come from is `store`'s and `session`'s; what is wrong with them is `check`'s.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::guardrails::Guardrails;
use super::jsonl::{BOM, LessonFile};
use super::pack::{GUARDRAILS_FILE, LESSONS_FILE, META_FILE, PACKS_DIR, PackMeta, PackName};

/// Keyed by the path from the repository's root; nothing outside `marvel/packs/` is taken in. A clone copies no file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PackFiles {
    files: BTreeMap<String, Arc<[u8]>>,
}

impl PackFiles {
    /// Puts a file in; a path that is not under `marvel/packs/` is passed over, and the answer is `false`.
    pub fn set(&mut self, path: impl Into<String>, bytes: impl Into<Arc<[u8]>>) -> bool {
        let path = path.into();
        let belongs = below(&path).is_some();
        if belongs {
            self.files.insert(path, bytes.into());
        }
        belongs
    }

    pub fn remove(&mut self, path: &str) -> Option<Arc<[u8]>> {
        self.files.remove(path)
    }

    pub fn get(&self, path: &str) -> Option<&[u8]> {
        self.files.get(path).map(|bytes| &**bytes)
    }

    pub fn set_file(&mut self, pack: &PackName, file: &str, bytes: impl Into<Arc<[u8]>>) {
        self.files.insert(pack.path(file), bytes.into());
    }

    pub fn remove_file(&mut self, pack: &PackName, file: &str) -> Option<Arc<[u8]>> {
        self.files.remove(&pack.path(file))
    }

    /// Takes out a pack's folder with all that is in it.
    pub fn remove_pack(&mut self, pack: &PackName) {
        let folder = pack.path("");
        self.files.retain(|path, _| !path.starts_with(&folder));
    }

    /// One of a pack's own files (`pack.json`, `guardrails.md`, `lessons.jsonl`).
    pub fn file(&self, pack: &PackName, file: &str) -> Option<&[u8]> {
        self.get(&pack.path(file))
    }

    /// Every path with its bytes, in order of the paths.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &[u8])> {
        self.files.iter().map(|(path, bytes)| (path.as_str(), &**bytes))
    }

    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    pub fn len(&self) -> usize {
        self.files.len()
    }

    /// The folders directly under `marvel/packs/`, whatever they are called, in order.
    pub fn folders(&self) -> impl Iterator<Item = &str> {
        let mut last = None;
        self.files.keys().filter_map(|path| below(path)?.split_once('/')).filter_map(move |(folder, _)| {
            // Paths of one folder stand together, since they begin alike.
            (last.replace(folder) != Some(folder)).then_some(folder)
        })
    }

    /// The packs that have a folder with at least one file in it, in order of their names.
    pub fn packs(&self) -> Vec<PackName> {
        let mut names: Vec<_> = self.folders().filter_map(PackName::new).collect();
        names.sort();
        names
    }

    pub fn has_pack(&self, pack: &PackName) -> bool {
        let folder = pack.path("");
        self.files.range(folder.clone()..).next().is_some_and(|(path, _)| path.starts_with(&folder))
    }

    /// `pack.json`; `None` where there is none.
    pub fn meta(&self, pack: &PackName) -> Option<serde_json::Result<PackMeta>> {
        self.file(pack, META_FILE).map(PackMeta::parse)
    }

    /// `lessons.jsonl`, bad lines and all; empty where there is none.
    pub fn lessons(&self, pack: &PackName) -> LessonFile {
        LessonFile::parse(self.file(pack, LESSONS_FILE).unwrap_or_default())
    }

    /// The text of `guardrails.md` without a BOM, invalid bytes replaced; empty where there is none. Give it to
    /// [`Guardrails::parse`].
    pub fn guardrails(&self, pack: &PackName) -> String {
        let bytes = self.file(pack, GUARDRAILS_FILE).unwrap_or_default();
        String::from_utf8_lossy(bytes.strip_prefix(BOM).unwrap_or(bytes)).into_owned()
    }

    /// Every rule of a pack's `guardrails.md`, with the heading that it stands under.
    pub fn rules(&self, pack: &PackName) -> Vec<(Option<String>, String)> {
        let text = self.guardrails(pack);
        Guardrails::parse(&text)
            .rules()
            .map(|(section, rule)| (section.heading.map(str::to_owned), rule.raw.to_owned()))
            .collect()
    }
}

impl<P: Into<String>, B: Into<Arc<[u8]>>> FromIterator<(P, B)> for PackFiles {
    fn from_iter<T: IntoIterator<Item = (P, B)>>(files: T) -> Self {
        let mut all = Self::default();
        for (path, bytes) in files {
            all.set(path, bytes);
        }
        all
    }
}

/// What of a path stands below `marvel/packs/`.
fn below(path: &str) -> Option<&str> {
    path.strip_prefix(PACKS_DIR)?.strip_prefix('/').filter(|rest| !rest.is_empty())
}

#[cfg(test)]
mod tests {
    use super::PackFiles;
    use crate::model::pack::{LESSONS_FILE, PackName};

    fn files(paths: &[&str]) -> PackFiles {
        paths.iter().map(|path| (*path, path.as_bytes())).collect()
    }

    #[test]
    fn packs_are_the_folders_with_a_valid_name() {
        let all = files(&[
            "marvel/packs/a/pack.json",
            "marvel/packs/a-b/pack.json",
            "marvel/packs/a/x/deep.md",
            "marvel/packs/B/pack.json",
            "marvel/packs/_pack.schema.json",
            "marvel/packs/",
            "marvel/config.json",
            "src/main.rs",
        ]);
        assert_eq!(all.len(), 5);
        assert_eq!(all.packs().iter().map(PackName::as_str).collect::<Vec<_>>(), ["a", "a-b"]);
        assert_eq!(all.folders().collect::<Vec<_>>(), ["B", "a-b", "a"]);
    }

    #[test]
    fn a_pack_is_its_folder_and_no_other() {
        let mut all = files(&["marvel/packs/a/lessons.jsonl", "marvel/packs/ab/lessons.jsonl"]);
        let a = PackName::new("a").expect("valid");
        assert_eq!(all.file(&a, LESSONS_FILE), Some(b"marvel/packs/a/lessons.jsonl".as_slice()));
        assert!(all.has_pack(&a) && all.meta(&a).is_none());
        assert_eq!(all.lessons(&a).bad_lines().count(), 1);
        all.remove_pack(&a);
        assert!(!all.has_pack(&a) && all.len() == 1);
        assert!(all.lessons(&a).lines.is_empty() && all.guardrails(&a).is_empty());
    }

    #[test]
    fn rules_come_with_their_heading() {
        let mut all = PackFiles::default();
        let a = PackName::new("a").expect("valid");
        all.set_file(&a, "guardrails.md", "\u{feff}- zero\n\n## One\n- one\n".as_bytes());
        let rules = all.rules(&a);
        assert_eq!(rules, [(None, "- zero".to_owned()), (Some("One".to_owned()), "- one".to_owned())]);
    }
}
