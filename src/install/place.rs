//! Where things go: the repository, its files, the person's own settings. What is put there is the other files'.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::entries::{Form, USUAL_PLACES};
use crate::error::{Error, Result};
use crate::model::repo_path::RepoPath;
use crate::session::root::Root;
use crate::store::Repo;

/// Whose settings file the hook entries go into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scope {
    /// Committed: the whole team's.
    Project,
    /// This person's, in this repository.
    Local,
    /// This person's, everywhere.
    User,
}

impl Scope {
    pub const ALL: [Self; 3] = [Self::Project, Self::Local, Self::User];

    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Local => "local",
            Self::User => "user",
        }
    }
}

/// A repository with a working tree, and the person who works in it.
pub struct Place {
    pub repo: Repo,
    pub root: Root,
    pub work_tree: PathBuf,
    /// The client's folder for this person; `None` where there is no home.
    config_dir: Option<PathBuf>,
    /// The folders of `PATH`.
    path: Option<OsString>,
}

/// The client's own folder, for this person.
pub fn client_dir() -> Option<PathBuf> {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    set("CLAUDE_CONFIG_DIR").or_else(|| Some(set("HOME").or_else(|| set("USERPROFILE"))?.join(".claude")))
}

impl Place {
    /// The repository that `dir` lies in.
    pub fn find(dir: &Path) -> Result<Self> {
        let repo = Repo::discover(dir)?;
        let Some(work_tree) = repo.work_tree().map(Path::to_owned) else {
            return Err(Error::user(format!(
                "{} is a bare repository: it has no files to install into",
                repo.git_dir().display()
            ))
            .hint("run it in a clone, or in a worktree of this repository (`git worktree add`)"));
        };
        let root = repo.root();
        Ok(Self { repo, root, work_tree, config_dir: client_dir(), path: std::env::var_os("PATH") })
    }

    /// The settings file of a scope.
    pub fn settings(&self, scope: Scope) -> Result<PathBuf> {
        match scope {
            Scope::Project => Ok(self.work_tree.join(".claude/settings.json")),
            Scope::Local => Ok(self.work_tree.join(".claude/settings.local.json")),
            Scope::User => self.config_dir.as_ref().map(|dir| dir.join("settings.json")).ok_or_else(|| {
                Error::user("there is no home folder to find the client's settings in")
                    .hint("set HOME, or CLAUDE_CONFIG_DIR to the client's folder")
            }),
        }
    }

    /// Where the skills of a scope go.
    pub fn skill_folder(&self, scope: Scope) -> Option<PathBuf> {
        match scope {
            Scope::Project | Scope::Local => Some(self.work_tree.join(".claude")),
            Scope::User => self.config_dir.clone(),
        }
    }

    /// Everywhere that skills may stand.
    pub fn skill_folders(&self) -> Vec<PathBuf> {
        let mut folders: Vec<_> =
            [Scope::Project, Scope::User].into_iter().filter_map(|scope| self.skill_folder(scope)).collect();
        folders.dedup();
        folders
    }

    /// The binary's path to write down: the one that a person's `PATH` gives where that is this binary, since it stays when a
    /// package manager changes versions.
    pub fn recorded_program(&self) -> String {
        let this = std::env::current_exe().ok();
        let real = |path: &Path| path.canonicalize().ok();
        let on_path = self.on_path("marvel").filter(|path| this.as_deref().is_some_and(|this| real(this) == real(path)));
        on_path.or(this).and_then(|path| path.to_str().map(str::to_owned)).unwrap_or_else(|| "marvel".to_owned())
    }

    /// How an entry in that scope's file finds the binary.
    pub fn form(&self, scope: Scope) -> Form {
        match scope {
            Scope::Project => Form::Guarded,
            Scope::Local | Scope::User => Form::Direct { program: self.program() },
        }
    }

    /// `marvel` where it is found by its name, else this very binary.
    fn program(&self) -> String {
        match self.on_path("marvel") {
            Some(_) => "marvel".to_owned(),
            None => self.recorded_program(),
        }
    }

    /// The first program of that name on `PATH`.
    pub fn on_path(&self, program: &str) -> Option<PathBuf> {
        let name = format!("{program}{}", std::env::consts::EXE_SUFFIX);
        std::env::split_paths(self.path.as_ref()?)
            .filter(|folder| folder.is_absolute())
            .map(|folder| folder.join(&name))
            .find(|file| is_program(file))
    }

    /// The first of the places where the guard of a project's entries looks beside `PATH`.
    pub fn in_usual_places(&self) -> Option<PathBuf> {
        let home = std::env::var_os("HOME").map(PathBuf::from).unwrap_or_default();
        USUAL_PLACES
            .iter()
            .map(|place| place.strip_prefix("~/").map_or_else(|| place.into(), |rest| home.join(rest)))
            .find(|file| is_program(file))
    }

    /// A path as a person of this repository calls it.
    pub fn shown(&self, path: &Path) -> String {
        let inside = path.strip_prefix(&self.work_tree).ok().or_else(|| {
            // The common folder of a linked worktree lies outside of it.
            path.strip_prefix(self.root.common_dir.parent()?).ok().filter(|rest| rest.starts_with(".git"))
        });
        let path = inside.unwrap_or(path).display().to_string().replace('\\', "/");
        crate::model::visible::escape(&path).into_owned()
    }

    /// The files that the repository tracks; before any are, those that it would.
    pub fn files(&self) -> Result<Vec<RepoPath>> {
        let tracked = self.repo.tracked_files()?;
        if !tracked.is_empty() {
            return Ok(tracked);
        }
        let list = self
            .repo
            .git()
            .args(["ls-files", "-z", "--others", "--exclude-standard"])
            .run()
            .map_err(|failure| Error::user("the repository's files cannot be listed").caused_by(failure))?;
        Ok(list
            .split(|&byte| byte == 0)
            .filter_map(|path| RepoPath::new(&String::from_utf8_lossy(path)))
            .filter(|path| !path.is_root())
            .collect())
    }
}

fn is_program(file: &Path) -> bool {
    let Ok(metadata) = file.metadata() else { return false };
    #[cfg(unix)]
    let runs = std::os::unix::fs::PermissionsExt::mode(&metadata.permissions()) & 0o111 != 0;
    #[cfg(not(unix))]
    let runs = true;
    metadata.is_file() && runs
}
