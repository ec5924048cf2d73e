//! The starter packs, embedded in the binary: what a repository that has no packs begins with. They are written where
//! nothing stands, and never over anything.

use crate::model::pack::{META_FILE, PackName};
use crate::model::schema;

/// A file of a starter pack: the pack, the file's name in its folder, its text.
type Embedded = (&'static str, &'static str, &'static str);

macro_rules! pack {
    ($name:literal) => {
        [
            ($name, "pack.json", include_str!(concat!("../../marvel/packs/", $name, "/pack.json"))),
            ($name, "guardrails.md", include_str!(concat!("../../marvel/packs/", $name, "/guardrails.md"))),
            ($name, "lessons.jsonl", ""),
        ]
    };
}

const PACKS: [[Embedded; 3]; 4] = [pack!("code-quality"), pack!("git-workflow"), pack!("security"), pack!("testing")];

/// What stands beside the packs, by its path from the repository's root. An old one that nobody changed is no loss.
pub const BESIDE: [(&str, &str); 4] = [
    ("marvel/packs/.gitattributes", include_str!("../../marvel/packs/.gitattributes")),
    ("marvel/packs/_pack.schema.json", schema::PACK),
    ("marvel/packs/_lesson.schema.json", schema::LESSON),
    ("marvel/_config.schema.json", schema::CONFIG),
];

/// The names of the starter packs, in order.
pub fn names() -> Vec<PackName> {
    PACKS.iter().map(|files| PackName::new(files[0].0).expect("our names are valid")).collect()
}

/// A starter pack's files by name, `pack.json` first; `None` where there is no such pack.
pub fn files(pack: &PackName) -> Option<Vec<(&'static str, &'static str)>> {
    let files = PACKS.iter().find(|files| files[0].0 == pack.as_str())?;
    debug_assert_eq!(files[0].1, META_FILE);
    Some(files.iter().map(|(_, file, text)| (*file, *text)).collect())
}

#[cfg(test)]
mod tests {
    use super::{BESIDE, files, names};
    use crate::model::pack::PackMeta;
    use std::path::Path;

    #[test]
    fn what_this_repository_ships_is_what_the_binary_holds() {
        let dir = Path::new(env!("CARGO_MANIFEST_DIR")).join("marvel/packs");
        let mut there: Vec<String> = Vec::new();
        for entry in std::fs::read_dir(&dir).unwrap() {
            let entry = entry.unwrap();
            let name = entry.file_name().into_string().unwrap();
            if entry.path().is_dir() {
                there.extend(
                    std::fs::read_dir(entry.path())
                        .unwrap()
                        .map(|file| format!("{name}/{}", file.unwrap().file_name().into_string().unwrap())),
                );
            } else {
                assert!(BESIDE.iter().any(|(path, _)| *path == format!("marvel/packs/{name}")), "{name} is not embedded");
            }
        }
        there.sort();
        let mut embedded = Vec::new();
        for name in names() {
            let files = files(&name).unwrap();
            assert_eq!(PackMeta::parse(files[0].1.as_bytes()).unwrap().name, name);
            embedded.extend(files.iter().map(|(file, _)| format!("{name}/{file}")));
        }
        embedded.sort();
        assert_eq!(there, embedded);
    }
}
