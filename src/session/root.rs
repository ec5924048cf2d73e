//! Where a repository is, found by walking up: no git process, no library. What stands in it is read elsewhere.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::model::repo_path::RepoPath;

/// A repository as a set of folders, symlinks resolved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// `None` in a bare repository.
    pub work_tree: Option<PathBuf>,
    /// This worktree's own: HEAD and index stand here.
    pub git_dir: PathBuf,
    /// Shared by all linked worktrees.
    pub common_dir: PathBuf,
}

impl Root {
    /// The repository that a folder belongs to, as git finds it. The folder may not exist (yet).
    pub fn find(dir: &Path) -> Option<Self> {
        Self::walk(&resolve(dir)?)
    }

    /// The repository that a file belongs to, and the file's path in it. The file may not exist (yet). A link that
    /// leads out of every repository counts as the link that it is.
    pub fn locate(path: &Path) -> Option<(Self, RepoPath)> {
        let within = |path: &Path| {
            let root = Self::walk(path.parent()?)?;
            let rest = RepoPath::from_path(path.strip_prefix(root.work_tree.as_ref()?).ok()?)?;
            Some((root, rest))
        };
        resolve(path).as_deref().and_then(within).or_else(|| {
            let folder = resolve(path.parent()?)?;
            within(&folder.join(path.file_name()?))
        })
    }

    /// The path of a file of this repository's working tree: links are followed, `..` is taken out. `None` where the
    /// file is not in it.
    pub fn relative(&self, path: &Path) -> Option<RepoPath> {
        let work_tree = self.work_tree.as_ref()?;
        let within = |path: PathBuf| RepoPath::from_path(path.strip_prefix(work_tree).ok()?);
        resolve(path).and_then(within).or_else(|| within(resolve(path.parent()?)?.join(path.file_name()?)))
    }

    /// What MARVEL keeps for this clone: `$GIT_COMMON_DIR/marvel`.
    pub fn data_dir(&self) -> PathBuf {
        self.common_dir.join("marvel")
    }

    /// What can be computed again.
    pub fn cache_dir(&self) -> PathBuf {
        self.common_dir.join("marvel/cache")
    }

    /// The mark that a person ran `marvel init` here.
    pub fn mark_file(&self) -> PathBuf {
        self.common_dir.join("marvel/enabled")
    }

    pub fn is_marked(&self) -> bool {
        self.mark_file().exists()
    }

    /// Whether both are worktrees of one repository.
    pub fn same_repository(&self, other: &Self) -> bool {
        self.common_dir == other.common_dir
    }

    /// Walks up from a folder that is absolute and free of links.
    fn walk(dir: &Path) -> Option<Self> {
        let ceilings = std::env::var_os("GIT_CEILING_DIRECTORIES").filter(|value| !value.is_empty());
        for folder in dir.ancestors() {
            if folder != dir && ceilings.as_ref().is_some_and(|all| std::env::split_paths(all).any(|one| one == folder)) {
                return None;
            }
            let dot_git = folder.join(".git");
            match fs::metadata(&dot_git) {
                Ok(metadata) if metadata.is_dir() && fs::symlink_metadata(dot_git.join("HEAD")).is_ok() => {
                    return Some(Self::new(Some(folder.to_owned()), fs::canonicalize(dot_git).ok()?));
                }
                Ok(metadata) if metadata.is_file() => {
                    let target = fs::canonicalize(folder.join(path_after("gitdir:", &dot_git)?)).ok()?;
                    return Some(Self::new(Some(folder.to_owned()), target));
                }
                _ if is_git_dir(folder) => return Some(Self::new(None, folder.to_owned())),
                _ => {}
            }
        }
        None
    }

    fn new(work_tree: Option<PathBuf>, git_dir: PathBuf) -> Self {
        let common_dir = path_after("", &git_dir.join("commondir"))
            .and_then(|common| fs::canonicalize(git_dir.join(common)).ok())
            .unwrap_or_else(|| git_dir.clone());
        Self { work_tree, git_dir, common_dir }
    }
}

/// The path without links, `.` and, as far as it exists, `..`; what does not exist is appended as it is.
fn resolve(path: &Path) -> Option<PathBuf> {
    path.ancestors().find_map(|ancestor| {
        let real = fs::canonicalize(ancestor).ok()?;
        let rest = path.strip_prefix(ancestor).ok()?;
        Some(if rest.as_os_str().is_empty() { real } else { real.join(rest) })
    })
}

/// A bare repository, or a git directory that somebody stands in.
fn is_git_dir(folder: &Path) -> bool {
    fs::symlink_metadata(folder.join("HEAD")).is_ok() && folder.join("refs").is_dir() && folder.join("objects").is_dir()
}

/// The path that a small file of git's holds, after `prefix`.
fn path_after(prefix: &str, file: &Path) -> Option<PathBuf> {
    let bytes = fs::read(file).ok()?;
    let bytes = bytes.strip_prefix(prefix.as_bytes())?.trim_ascii();
    (!bytes.is_empty()).then(|| PathBuf::from(os_string(bytes)))
}

#[cfg(unix)]
fn os_string(bytes: &[u8]) -> OsString {
    std::os::unix::ffi::OsStringExt::from_vec(bytes.to_vec())
}

#[cfg(not(unix))]
fn os_string(bytes: &[u8]) -> OsString {
    String::from_utf8_lossy(bytes).into_owned().into()
}

#[cfg(test)]
mod tests {
    use super::Root;
    use std::fs;
    use std::path::{Path, PathBuf};

    fn world() -> (tempfile::TempDir, PathBuf) {
        let dir = tempfile::tempdir().unwrap();
        let path = fs::canonicalize(dir.path()).unwrap();
        (dir, path)
    }

    fn file(path: &Path, text: &str) {
        crate::session::file::replace(path, text.as_bytes()).unwrap();
    }

    #[test]
    fn a_repository_is_found_from_any_folder_and_a_path_is_told_from_its_root() {
        let (_dir, top) = world();
        file(&top.join("r/.git/HEAD"), "ref: refs/heads/main\n");
        file(&top.join("r/src/api/a.ts"), "");
        let root = Root::find(&top.join("r/src/not/there/yet")).unwrap();
        assert_eq!(root, Root { work_tree: Some(top.join("r")), git_dir: top.join("r/.git"), common_dir: top.join("r/.git") });
        let told = |path: &str| root.relative(&top.join(path)).map(|path| path.as_str().to_owned());
        assert_eq!(told("r/src/api/a.ts").as_deref(), Some("src/api/a.ts"));
        assert_eq!(told("r/src/new/../b.ts").as_deref(), Some("src/b.ts"));
        assert_eq!(told("r/src/api/../../c").as_deref(), Some("c"));
        assert_eq!(told("r").as_deref(), Some(""));
        assert_eq!(told("other/a"), None);
        assert_eq!(told("r/../other"), None);
        assert_eq!(Root::locate(&top.join("r/src/api/a.ts")).unwrap().1.as_str(), "src/api/a.ts");
        assert_eq!(Root::locate(&top.join("elsewhere/a.ts")), None);
    }

    #[test]
    fn worktrees_share_a_common_folder_and_an_empty_git_folder_is_none() {
        let (_dir, top) = world();
        file(&top.join("r/.git/HEAD"), "");
        file(&top.join("r/.git/worktrees/w/HEAD"), "");
        file(&top.join("r/.git/worktrees/w/commondir"), "../..\n");
        file(&top.join("w/.git"), &format!("gitdir: {}\n", top.join("r/.git/worktrees/w").display()));
        fs::create_dir_all(top.join("r/sub/.git")).unwrap();
        let linked = Root::find(&top.join("w")).unwrap();
        assert_eq!((&linked.git_dir, &linked.common_dir), (&top.join("r/.git/worktrees/w"), &top.join("r/.git")));
        assert!(linked.same_repository(&Root::find(&top.join("r/sub")).unwrap()));
        file(&top.join("broken/.git"), "gitdir: nowhere\n");
        assert_eq!(Root::find(&top.join("broken")), None);
    }

    #[test]
    fn a_bare_repository_has_no_working_tree() {
        let (_dir, top) = world();
        file(&top.join("b.git/HEAD"), "");
        fs::create_dir_all(top.join("b.git/refs")).unwrap();
        fs::create_dir_all(top.join("b.git/objects")).unwrap();
        let root = Root::find(&top.join("b.git/refs")).unwrap();
        assert_eq!((root.work_tree.as_ref(), &root.git_dir), (None, &top.join("b.git")));
        assert_eq!(root.relative(&top.join("b.git/a")), None);
    }

    #[cfg(unix)]
    #[test]
    fn links_are_followed_to_the_repository_that_the_file_is_in() {
        use std::os::unix::fs::symlink;
        let (_dir, top) = world();
        file(&top.join("r/.git/HEAD"), "");
        file(&top.join("r/src/a.ts"), "");
        file(&top.join("outside.ts"), "");
        symlink(top.join("r/src"), top.join("link")).unwrap();
        symlink("src/a.ts", top.join("r/b.ts")).unwrap();
        symlink("../outside.ts", top.join("r/c.ts")).unwrap();
        symlink("nowhere", top.join("r/d.ts")).unwrap();
        let told = |path: &str| Root::locate(&top.join(path)).map(|(_, path)| path.as_str().to_owned());
        assert_eq!(told("link/a.ts").as_deref(), Some("src/a.ts"));
        assert_eq!(told("link/new.ts").as_deref(), Some("src/new.ts"));
        assert_eq!(told("r/b.ts").as_deref(), Some("src/a.ts"));
        assert_eq!(told("r/c.ts").as_deref(), Some("c.ts"));
        assert_eq!(told("r/d.ts").as_deref(), Some("d.ts"));
    }
}
