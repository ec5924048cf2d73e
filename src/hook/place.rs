//! Where an event happens: which repository it is about, and whether MARVEL may speak there. A repository that is neither
//! the session's own nor one where a person ran `marvel init` is a stranger's.

use std::path::{Path, PathBuf};

use super::wire::Input;
use crate::model::repo_path::RepoPath;
use crate::session::root::Root;

#[derive(Debug)]
pub struct Place {
    /// The repository of the session's data: what was said and done.
    pub home: Root,
    /// The folder that relative paths start from.
    cwd: PathBuf,
    /// As the client writes it, to take the start off a path of another system.
    told_cwd: String,
    own: Vec<Root>,
}

impl Place {
    /// From the payload's folder, else from the project's; `None` where neither is in a repository of ours.
    pub fn of(input: &Input<'_>, project_dir: Option<&Path>) -> Option<Self> {
        let told_cwd = input.cwd.get().unwrap_or_default();
        let cwd = Some(Path::new(told_cwd)).filter(|dir| dir.is_absolute() && dir.is_dir());
        let project_dir = project_dir.filter(|dir| dir.is_absolute());
        let project = project_dir.filter(|dir| Some(*dir) != cwd).and_then(Root::find);
        let here = cwd.and_then(Root::find);
        // The folder that the client was started in decides what is the session's own: `cd` leads anywhere.
        let own: Vec<Root> = match (project, &here) {
            (Some(project), _) => vec![project],
            (None, Some(here)) if project_dir.is_none_or(|dir| Some(dir) == cwd) => vec![here.clone()],
            (None, _) => Vec::new(),
        };
        let trusted = |root: &Root| own.iter().any(|known| known.same_repository(root)) || root.is_marked();
        let (home, cwd) = match here.filter(trusted) {
            Some(here) => (here, cwd?.to_owned()),
            None => (own.first()?.clone(), cwd.or(project_dir)?.to_owned()),
        };
        Some(Self { home, cwd, told_cwd: told_cwd.to_owned(), own })
    }

    /// The repository that commands run in, if MARVEL may speak there.
    pub fn here(&self) -> Option<&Root> {
        Some(&self.home)
    }

    /// The repository that a path belongs to, if MARVEL may speak there, and the path in it.
    pub fn locate(&self, path: &str) -> Option<(Root, RepoPath)> {
        let (root, path) = Root::locate(&self.absolute(path)?)?;
        self.is_trusted(&root).then_some((root, path))
    }

    fn is_trusted(&self, root: &Root) -> bool {
        self.home.same_repository(root) || self.own.iter().any(|own| own.same_repository(root)) || root.is_marked()
    }

    /// As [`Place::locate`], for a word that may name a file: only what exists.
    pub fn existing(&self, word: &str) -> Option<(Root, RepoPath)> {
        self.absolute(word)?.exists().then(|| self.locate(word)).flatten()
    }

    fn absolute(&self, path: &str) -> Option<PathBuf> {
        let plain = self.cwd.join(path);
        if cfg!(windows) || !path.contains('\\') || plain.exists() {
            return Some(plain);
        }
        // A path of another system: it counts from the folder that the client names in the same way.
        let (path, cwd) = (path.replace('\\', "/"), self.told_cwd.replace('\\', "/"));
        let below = path.get(..cwd.len()).filter(|start| !cwd.is_empty() && start.eq_ignore_ascii_case(&cwd));
        match below.and_then(|_| path[cwd.len()..].strip_prefix('/')) {
            Some(rest) => Some(self.cwd.join(rest)),
            None if path.as_bytes().get(1) == Some(&b':') => None,
            None => Some(self.cwd.join(path)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Place;
    use crate::hook::wire::Input;
    use crate::session::file;
    use std::path::{Path, PathBuf};

    struct World {
        _dir: tempfile::TempDir,
        top: PathBuf,
    }

    impl World {
        fn new() -> Self {
            let dir = tempfile::tempdir().unwrap();
            let top = std::fs::canonicalize(dir.path()).unwrap();
            for path in [
                "own/.git/HEAD",
                "own/src/a.ts",
                "marked/.git/HEAD",
                "marked/.git/marvel/enabled",
                "stranger/.git/HEAD",
                "plain/x",
            ] {
                file::replace(&top.join(path), b"").unwrap();
            }
            Self { _dir: dir, top }
        }

        fn place(&self, cwd: Option<&str>, project: Option<&str>) -> Option<Place> {
            let cwd = cwd.map(|cwd| if cwd.is_empty() { String::new() } else { self.top.join(cwd).display().to_string() });
            let text = serde_json::json!({ "cwd": cwd }).to_string();
            let project = project.map(|dir| self.top.join(dir));
            Place::of(&Input::parse(&text).unwrap(), project.as_deref())
        }

        fn home(&self, cwd: Option<&str>, project: Option<&str>) -> Option<String> {
            let tree = self.place(cwd, project)?.home.work_tree?;
            Some(tree.strip_prefix(&self.top).unwrap().display().to_string())
        }
    }

    #[test]
    fn ch08_without_a_usable_folder_the_project_counts_and_never_another() {
        let world = World::new();
        let home = |cwd, project| world.home(cwd, project);
        assert_eq!(home(Some("own/src"), None).as_deref(), Some("own"));
        for cwd in [Some(""), None, Some("gone"), Some("plain")] {
            assert_eq!(home(cwd, Some("own")).as_deref(), Some("own"), "{cwd:?}");
            assert_eq!(home(cwd, None), None, "{cwd:?}");
            assert_eq!(home(cwd, Some("plain")), None, "{cwd:?}");
        }
        assert_eq!(home(Some("marked"), Some("own")).as_deref(), Some("marked"));
        assert_eq!(home(Some("stranger"), Some("own")).as_deref(), Some("own"));
        assert_eq!(home(Some("stranger"), Some("plain")), None);
    }

    #[test]
    fn a_file_belongs_to_its_own_repository_and_a_strangers_is_left_alone() {
        let world = World::new();
        let place = world.place(Some("own/src"), Some("own")).unwrap();
        let told = |path: &str| place.locate(path).map(|(_, path)| path.as_str().to_owned());
        let full = |path: &str| world.top.join(path).display().to_string();
        assert_eq!(told("a.ts").as_deref(), Some("src/a.ts"));
        assert_eq!(told(&full("own/b.ts")).as_deref(), Some("b.ts"));
        assert_eq!(told(&full("marked/new/c.ts")).as_deref(), Some("new/c.ts"));
        assert_eq!(told(&full("stranger/c.ts")), None);
        assert_eq!(told(&full("plain/x")), None);
        assert_eq!(place.existing("a.ts").unwrap().1.as_str(), "src/a.ts");
        assert!(place.existing("b.ts").is_none());
    }

    #[cfg(not(windows))]
    #[test]
    fn paths_of_windows_are_read_from_the_folder_that_the_client_names() {
        let world = World::new();
        let text = r#"{"cwd":"C:\\work\\repo"}"#;
        let project = world.top.join("own");
        let place = Place::of(&Input::parse(text).unwrap(), Some(Path::new(&project))).unwrap();
        let told = |path: &str| place.locate(path).map(|(_, path)| path.as_str().to_owned());
        assert_eq!(told(r"c:\work\repo\src\a.ts").as_deref(), Some("src/a.ts"));
        assert_eq!(told(r"src\a.ts").as_deref(), Some("src/a.ts"));
        assert_eq!(told(r"C:\elsewhere\a.ts"), None);
    }
}
