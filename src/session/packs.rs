//! The packs of this worktree: the files of its working tree, with the overlay on top. What every pack says of itself is
//! read at once; rules and lessons only of the packs that are asked for. Links are not followed, and a pack that does
//! not read silences itself alone.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::file;
use super::meta_cache;
use super::overlay::{InForce, Overlay, PackChanges, StandIn};
use super::root::Root;
use crate::model::config::{CONFIG_PATH, Config};
use crate::model::jsonl::{BOM, Content, LessonFile, Line};
use crate::model::lesson::Lesson;
use crate::model::pack::{GUARDRAILS_FILE, LESSONS_FILE, META_FILE, PACKS_DIR, Pack, PackMeta, PackName};

/// A file of a pack that is larger than this is passed over.
const MAX_BYTES: u64 = 64 * 1024 * 1024;

/// Up to so many packs are read as they are; beyond it the cache pays.
const FEW: usize = 16;

#[derive(Debug)]
pub struct Packs {
    dir: PathBuf,
    overlay: Overlay,
    /// Whether the packs come from [`Overlay::stand_in`], since the working tree has no `marvel/`.
    stands_in: bool,
    metas: Vec<PackMeta>,
    /// Folders that are no packs, and why.
    pub broken: Vec<(String, String)>,
}

impl Packs {
    pub fn load(root: &Root) -> Self {
        let overlay = Overlay::read(root);
        let Some(work_tree) = &root.work_tree else {
            return Self { dir: PathBuf::new(), overlay, stands_in: false, metas: Vec::new(), broken: Vec::new() };
        };
        let dir = work_tree.join(PACKS_DIR);
        let mut packs = Self { dir, overlay, stands_in: false, metas: Vec::new(), broken: Vec::new() };
        packs.stands_in = !packs.overlay.stand_in.is_empty() && fs::symlink_metadata(work_tree.join("marvel")).is_err();
        if packs.stands_in {
            packs.metas.extend(packs.overlay.stand_in.values().map(|pack| pack.meta.clone()));
        } else if is_folder(&work_tree.join("marvel")) && is_folder(&packs.dir) {
            packs.read_metas(root);
        }
        packs.add_new();
        packs.metas.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        packs
    }

    /// Every pack in force, by name.
    pub fn metas(&self) -> &[PackMeta] {
        &self.metas
    }

    pub fn meta(&self, name: &PackName) -> Option<&PackMeta> {
        self.metas.binary_search_by(|meta| meta.name.cmp(name)).ok().map(|at| &self.metas[at])
    }

    /// The lessons of a pack that are in force, in file order, the added ones last.
    pub fn lessons(&self, name: &PackName) -> Vec<InForce> {
        let lessons = match self.stand_in(name) {
            Some(pack) => parse_lessons(pack.lessons.as_bytes()),
            None => self.read(name, LESSONS_FILE).map(|bytes| parse_lessons(&bytes)).unwrap_or_default(),
        };
        match self.changes(name) {
            Some(changes) => changes.lessons(lessons),
            None => lessons.into_iter().map(|lesson| InForce { lesson, pending: false }).collect(),
        }
    }

    /// The guardrails of a pack that are in force; empty where it has none.
    pub fn guardrails(&self, name: &PackName) -> String {
        let text = match self.stand_in(name) {
            Some(pack) => Some(pack.guardrails.clone()),
            None => self.read(name, GUARDRAILS_FILE).map(into_text),
        };
        match self.changes(name) {
            Some(changes) => match changes.guardrails(text.as_deref()) {
                Cow::Owned(changed) => changed,
                Cow::Borrowed(same) => same.to_owned(),
            },
            None => text.unwrap_or_default(),
        }
    }

    /// All packs that are read, as a whole.
    pub fn whole(&self) -> Vec<Pack> {
        self.metas().iter().map(|meta| self.pack(meta, true)).collect()
    }

    /// A pack as a whole; without its text where only what it says of itself is wanted.
    pub fn pack(&self, meta: &PackMeta, with_text: bool) -> Pack {
        if !with_text {
            return Pack { meta: meta.clone(), guardrails: String::new(), lessons: LessonFile::default() };
        }
        let lines = self.lessons(&meta.name).into_iter().map(|InForce { lesson, .. }| Line {
            bytes: format!("{}\n", lesson.to_record().to_line()).into_bytes(),
            content: Content::Lesson(lesson),
        });
        Pack { meta: meta.clone(), guardrails: self.guardrails(&meta.name), lessons: LessonFile { lines: lines.collect() } }
    }

    fn stand_in(&self, name: &PackName) -> Option<&StandIn> {
        if self.stands_in { self.overlay.stand_in.get(name) } else { None }
    }

    fn changes(&self, name: &PackName) -> Option<&PackChanges> {
        self.overlay.packs.get(name)
    }

    fn read(&self, name: &PackName, file: &str) -> Option<Vec<u8>> {
        read_plain(&self.dir.join(name.as_str()).join(file)).ok()
    }

    fn read_metas(&mut self, root: &Root) {
        let mut names = self.folders();
        if names.len() <= FEW {
            for name in names {
                self.read_one(&name);
            }
            return;
        }
        names.sort_unstable();
        let mut cached = meta_cache::read(root).into_iter().peekable();
        let mut entries = Vec::with_capacity(names.len());
        let mut stale = false;
        let mut path = self.dir.clone();
        for name in names {
            while cached.next_if(|entry| entry.meta.name < name).is_some() {
                stale = true;
            }
            path.push(name.as_str());
            path.push(META_FILE);
            let stamp = meta_cache::stamp(&path);
            path.pop();
            path.pop();
            let known = cached.next_if(|entry| entry.meta.name == name).filter(|entry| Some(entry.stamp) == stamp);
            if let Some(entry) = known {
                entries.push(entry);
            } else if self.read_one(&name) {
                stale = true;
                entries.extend(self.metas.pop().zip(stamp).map(|(meta, stamp)| meta_cache::Entry { stamp, meta }));
            }
        }
        stale |= cached.next().is_some();
        if stale {
            meta_cache::write(root, &entries);
        }
        self.metas.extend(entries.into_iter().map(|entry| entry.meta));
    }

    /// The folders that have the name of a pack.
    fn folders(&self) -> Vec<PackName> {
        let Ok(entries) = fs::read_dir(&self.dir) else { return Vec::new() };
        let folders = entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir()));
        folders.filter_map(|entry| PackName::new(entry.file_name().to_str()?)).collect()
    }

    fn read_one(&mut self, name: &PackName) -> bool {
        let path = self.dir.join(name.as_str()).join(META_FILE);
        match read_plain(&path).map_err(|error| error.to_string()).and_then(|bytes| read_meta(name, &bytes)) {
            Ok(meta) => {
                self.metas.push(meta);
                true
            }
            Err(reason) => {
                self.broken.push((name.as_str().to_owned(), reason));
                false
            }
        }
    }

    /// Packs that only the overlay has. A folder that does not read is not replaced by one: the working tree wins.
    fn add_new(&mut self) {
        for (name, changes) in &self.overlay.packs {
            let Some(meta) = changes.meta.as_ref().filter(|meta| meta.name == *name) else { continue };
            let known =
                self.metas.iter().any(|meta| meta.name == *name) || self.broken.iter().any(|(folder, _)| folder == name.as_str());
            if !known {
                self.metas.push(meta.clone());
            }
        }
    }
}

/// The team's settings as they stand in the working tree; the defaults where they do not read, and why.
pub fn config(root: &Root) -> (Config, Option<String>) {
    let Some(work_tree) = &root.work_tree else { return (Config::default(), None) };
    match read_plain(&work_tree.join(CONFIG_PATH)) {
        Ok(bytes) => match Config::parse(&bytes) {
            Ok(config) => (config, None),
            Err(error) => (Config::default(), Some(format!("{CONFIG_PATH} is passed over: {error}"))),
        },
        Err(error) if file::is_missing(&error) => (Config::default(), None),
        Err(error) => (Config::default(), Some(format!("{CONFIG_PATH} is passed over: {error}"))),
    }
}

fn read_meta(name: &PackName, bytes: &[u8]) -> Result<PackMeta, String> {
    let meta = PackMeta::parse(bytes).map_err(|error| error.to_string())?;
    if meta.name == *name { Ok(meta) } else { Err(format!("its name is {:?}", meta.name.as_str())) }
}

/// The lessons that count: bad lines are passed over, and of two lines with one id the later one counts.
fn parse_lessons(bytes: &[u8]) -> Vec<Lesson> {
    let texts = file::lines(bytes).filter_map(|line| std::str::from_utf8(line).ok());
    let mut lessons: Vec<Lesson> = texts.filter_map(|line| Lesson::parse(line).ok()).collect();
    let last: HashMap<_, _> = lessons.iter().enumerate().map(|(at, lesson)| (lesson.id.clone(), at)).collect();
    if last.len() < lessons.len() {
        let mut at = 0;
        lessons.retain(|lesson| {
            at += 1;
            last[&lesson.id] == at - 1
        });
    }
    lessons
}

fn into_text(bytes: Vec<u8>) -> String {
    let bytes = if bytes.starts_with(BOM) { bytes[BOM.len()..].to_vec() } else { bytes };
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

fn is_folder(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|metadata| metadata.is_dir())
}

/// A plain file's bytes, never through a link: a link in a repository may lead anywhere.
fn read_plain(path: &Path) -> io::Result<Vec<u8>> {
    let mut file = open_plain(path)?;
    let metadata = file.metadata()?;
    if !metadata.is_file() || metadata.len() > MAX_BYTES {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "not a plain file, or too large"));
    }
    // one byte more than there should be, so that the first read says that it was all
    let size = usize::try_from(metadata.len()).unwrap_or(0);
    let mut bytes = vec![0; size + 1];
    let got = file.read(&mut bytes)?;
    bytes.truncate(got);
    if got != size {
        file.read_to_end(&mut bytes)?;
    }
    Ok(bytes)
}

fn open_plain(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::custom_flags(&mut options, libc::O_NOFOLLOW | libc::O_NONBLOCK);
    #[cfg(not(unix))]
    if fs::symlink_metadata(path)?.is_symlink() {
        return Err(io::Error::new(io::ErrorKind::InvalidData, "a link"));
    }
    options.open(path)
}

#[cfg(test)]
mod tests {
    use super::{Packs, config, parse_lessons};
    use crate::model::config::Config;
    use crate::model::jsonl::LessonFile;
    use crate::model::pack::{PackMeta, PackName};
    use crate::session::file;
    use crate::session::overlay::{LessonChange, Overlay, PackChanges, StandIn};
    use crate::session::root::Root;
    use std::path::Path;

    fn world(files: &[(&str, &str)]) -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        for (path, text) in files {
            file::replace(&dir.path().join("r").join(path), text.as_bytes()).unwrap();
        }
        let git = dir.path().join("r/.git");
        (
            tempfile::TempDir::new().map(|_| dir).unwrap(),
            Root { work_tree: git.parent().map(Path::to_owned), git_dir: git.clone(), common_dir: git },
        )
    }

    fn meta(name: &str) -> String {
        PackMeta::minimal(PackName::new(name).unwrap(), "o").to_json()
    }

    fn line(title: &str) -> String {
        format!(
            r#"{{"timestamp":"2026-11-29T10:15:00.000Z","category":"c","title":"{title}","description":"d","actionable":"a"}}"#
        )
    }

    fn name(text: &str) -> PackName {
        PackName::new(text).unwrap()
    }

    fn names(packs: &Packs) -> Vec<&str> {
        packs.metas().iter().map(|meta| meta.name.as_str()).collect()
    }

    #[test]
    fn a_broken_pack_silences_itself_alone() {
        let (_dir, root) = world(&[
            ("marvel/packs/b/pack.json", &meta("b")),
            ("marvel/packs/a/pack.json", &format!("\u{feff}{}", meta("a"))),
            ("marvel/packs/a/guardrails.md", "\u{feff}# A\n"),
            ("marvel/packs/a/lessons.jsonl", &format!("{}\n{{torn\n{}\n<<<<<<< x\n", line("one"), line("two"))),
            ("marvel/packs/torn/pack.json", "{"),
            ("marvel/packs/other-name/pack.json", &meta("c")),
            ("marvel/packs/empty/readme", ""),
            ("marvel/packs/Not-A-Name/pack.json", &meta("d")),
            ("marvel/packs/_pack.schema.json", "{}"),
        ]);
        let packs = Packs::load(&root);
        assert_eq!(names(&packs), ["a", "b"]);
        let mut broken: Vec<_> = packs.broken.iter().map(|(folder, _)| folder.as_str()).collect();
        broken.sort_unstable();
        assert_eq!(broken, ["empty", "other-name", "torn"]);
        assert_eq!(packs.guardrails(&name("a")), "# A\n");
        assert_eq!(packs.lessons(&name("a")).iter().map(|one| one.lesson.title.as_str()).collect::<Vec<_>>(), ["one", "two"]);
        assert!(packs.lessons(&name("b")).is_empty() && packs.guardrails(&name("b")).is_empty());
    }

    #[test]
    fn many_packs_are_read_through_a_cache_that_no_change_escapes() {
        let all: Vec<(String, String)> =
            (0..40).map(|i| (format!("marvel/packs/p{i}/pack.json"), meta(&format!("p{i}")))).collect();
        let files: Vec<(&str, &str)> = all.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
        let (_dir, root) = world(&files);
        let path = |name: &str| root.work_tree.clone().unwrap().join("marvel/packs").join(name).join("pack.json");
        let load = || {
            let packs = Packs::load(&root);
            let told = packs.metas().iter().map(|meta| format!("{} {}", meta.name, meta.owner)).collect::<Vec<_>>();
            (told, packs.broken.len())
        };
        let cold = load();
        assert_eq!((cold.0.len(), cold.1), (40, 0));
        assert!(root.git_dir.join("marvel/packs.cache").exists());
        assert_eq!(load(), cold);
        // the same length, at once, in place
        let text = meta("p7").replace("\"o\"", "\"x\"");
        std::fs::OpenOptions::new()
            .write(true)
            .open(path("p7"))
            .and_then(|mut file| std::io::Write::write_all(&mut file, text.as_bytes()))
            .unwrap();
        assert!(load().0.contains(&"p7 x".to_owned()));
        file::replace(&path("p8"), b"{").unwrap();
        std::fs::remove_file(path("p9")).unwrap();
        std::fs::remove_dir_all(path("p10").parent().unwrap()).unwrap();
        file::replace(&path("new"), meta("new").as_bytes()).unwrap();
        for _ in 0..2 {
            let (told, broken) = load();
            assert_eq!((told.len(), broken), (38, 2));
            assert!(told.contains(&"new o".to_owned()) && told.is_sorted());
        }
        file::write_cache(&root.git_dir.join("marvel/packs.cache"), b"marvel pack metas 1\n\xff\xff\xff\xff").unwrap();
        assert_eq!(load().0.len(), 38);
    }

    #[test]
    fn the_fast_reading_of_lessons_is_the_careful_one() {
        let text = format!(
            "\u{feff}{}\r\n\0\0{}\n[]\nnull\n=======\n{}\n  \n{}",
            line("one"),
            line("two"),
            line("one").replace("\"d\"", "\"e\""),
            line("last")
        );
        let mut bytes = text.into_bytes();
        bytes.extend_from_slice(b"\n{\"title\":\"caf\xc3");
        let careful = LessonFile::parse(&bytes);
        assert_eq!(parse_lessons(&bytes).iter().collect::<Vec<_>>(), careful.lessons());
        assert_eq!(careful.lessons().len(), 3);
    }

    #[cfg(unix)]
    #[test]
    fn in09_links_in_packs_are_not_followed() {
        use std::os::unix::fs::symlink;
        let (_dir, root) =
            world(&[("marvel/packs/a/pack.json", &meta("a")), ("secret", "secret"), ("elsewhere/pack.json", &meta("linked"))]);
        let tree = root.work_tree.clone().unwrap();
        symlink(tree.join("elsewhere"), tree.join("marvel/packs/linked")).unwrap();
        symlink(tree.join("secret"), tree.join("marvel/packs/a/guardrails.md")).unwrap();
        symlink("../secret", tree.join("marvel/config.json")).unwrap();
        let packs = Packs::load(&root);
        assert_eq!(names(&packs), ["a"]);
        assert_eq!(packs.guardrails(&name("a")), "");
        assert_eq!(config(&root).0, Config::default());
        std::fs::rename(tree.join("marvel"), tree.join("m")).unwrap();
        symlink("m", tree.join("marvel")).unwrap();
        assert!(Packs::load(&root).metas().is_empty());
    }

    #[test]
    fn the_overlay_adds_packs_and_stands_in_for_a_sparse_checkout() {
        let (_dir, root) = world(&[("marvel/packs/a/pack.json", &meta("a")), ("marvel/packs/torn/pack.json", "{")]);
        let mut overlay = Overlay::default();
        let new = |name: &str| PackChanges {
            meta: Some(PackMeta::parse(meta(name).as_bytes()).unwrap()),
            guardrails: Some("- rule\n".to_owned()),
            lessons: vec![LessonChange {
                id: crate::model::lesson::Lesson::parse(&line("one")).unwrap().id,
                before: None,
                after: Some(line("one")),
                pending: true,
            }],
            ..PackChanges::default()
        };
        overlay.packs.insert(name("new"), new("new"));
        overlay.packs.insert(name("torn"), new("torn"));
        let stand_in = StandIn {
            meta: PackMeta::parse(meta("head").as_bytes()).unwrap(),
            guardrails: "- h\n".to_owned(),
            lessons: line("two"),
        };
        overlay.stand_in.insert(name("head"), stand_in);
        overlay.write(&root).unwrap();
        let packs = Packs::load(&root);
        assert_eq!(names(&packs), ["a", "new"]);
        assert_eq!(packs.guardrails(&name("new")), "- rule\n");
        assert!(packs.lessons(&name("new"))[0].pending);

        std::fs::remove_dir_all(root.work_tree.clone().unwrap().join("marvel")).unwrap();
        let packs = Packs::load(&root);
        assert_eq!(names(&packs), ["head", "new", "torn"]);
        assert_eq!((packs.guardrails(&name("head")).as_str(), packs.lessons(&name("head"))[0].pending), ("- h\n", false));
    }

    #[test]
    fn settings_that_do_not_read_are_the_defaults_and_it_is_said() {
        let (_dir, root) = world(&[("marvel/config.json", "{\"branch\":\"team\"}")]);
        assert_eq!(config(&root).0.branch, "team");
        file::replace(&root.work_tree.clone().unwrap().join("marvel/config.json"), b"{").unwrap();
        assert!(config(&root).1.unwrap().contains("passed over"));
    }
}
