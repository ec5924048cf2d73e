//! An open repository: where it lies, what its configuration says, and how git is started in it. Reading and writing
//! are the other files'.

use std::path::{Path, PathBuf};

use super::process::{Failure, Git};
use crate::error::{Error, Result};
use crate::model::visible::escape;
use crate::session::root::Root;

pub struct Repo {
    pub(super) git: gix::Repository,
    git_dir: PathBuf,
    common_dir: PathBuf,
    work_tree: Option<PathBuf>,
    /// What tells git which repository this is, where its folder alone does not.
    explicit: Vec<std::ffi::OsString>,
    /// The index that a surrounding git command works on, where it is not the usual one.
    index_file: Option<PathBuf>,
    reftable: bool,
    /// Whether objects that a partial clone lacks may be fetched.
    pub(super) may_fetch: bool,
}

/// Repository extensions that change nothing we do, or that gix knows about.
const KNOWN_EXTENSIONS: [&str; 9] = [
    "compatobjectformat",
    "noop",
    "noop-v1",
    "objectformat",
    "partialclone",
    "preciousobjects",
    "refstorage",
    "relativeworktrees",
    "worktreeconfig",
];

/// Bytes of decoded objects that are kept.
const OBJECT_CACHE: usize = 4 << 20;

impl Repo {
    /// The repository that a git command started in `dir` would mean: `GIT_DIR`, `GIT_WORK_TREE` and `GIT_INDEX_FILE`
    /// count, since a git hook may be what started us.
    pub fn discover(dir: &Path) -> Result<Self> {
        let dir = absolute(dir)?;
        if !dir.is_dir() {
            return Err(Error::user(format!("there is no folder {}", escape(&dir.display().to_string()))));
        }
        let explicit = std::env::var_os("GIT_DIR");
        let options = gix::discover::upwards::Options { match_ceiling_dir_or_error: false, ..Default::default() };
        let git = gix::ThreadSafeRepository::discover_with_environment_overrides_opts(&dir, options, Default::default())
            .map_err(|error| cannot_open(&dir, error))?;
        let mut repo = Self::new(git.to_thread_local())?;
        if explicit.is_some() {
            repo.explicit.push(option("--git-dir=", &repo.git_dir));
            if let Some(work_tree) = &repo.work_tree {
                repo.explicit.push(option("--work-tree=", work_tree));
            }
        }
        repo.index_file = std::env::var_os("GIT_INDEX_FILE").filter(|file| !file.is_empty()).map(PathBuf::from);
        Ok(repo)
    }

    /// The repository that `dir` lies in, whatever the environment says.
    pub fn open(dir: &Path) -> Result<Self> {
        let dir = absolute(dir)?;
        let mut options = gix::sec::trust::Mapping::<gix::open::Options>::default();
        if ["GIT_WORK_TREE", "GIT_NAMESPACE", "GIT_SHALLOW_FILE"].iter().any(|name| std::env::var_os(name).is_some()) {
            let mut permissions = gix::open::Permissions::all();
            permissions.env.git_prefix = gix::sec::Permission::Deny;
            options.full = options.full.permissions(permissions);
        }
        let git = gix::ThreadSafeRepository::discover_opts(&dir, Default::default(), options)
            .map_err(|error| cannot_open(&dir, error))?;
        Self::new(git.to_thread_local())
    }

    fn new(mut git: gix::Repository) -> Result<Self> {
        git.clear_namespace();
        // a command reads the same few commits and trees again and again
        git.object_cache_size_if_unset(OBJECT_CACHE);
        let reftable = git.config_snapshot().string("extensions.refStorage").is_some_and(|format| format != "files");
        if let Some(extension) = unknown_extension(&git) {
            return Err(Error::user(format!("the repository uses an extension that marvel does not know: {extension}"))
                .hint("a newer marvel may know it"));
        }
        let place = |path: &Path| absolute(path).map(|path| path.canonicalize().unwrap_or(path));
        let git_dir = place(git.git_dir())?;
        let common_dir = place(git.common_dir())?;
        let work_tree = git.workdir().map(place).transpose()?;
        Ok(Self { git, git_dir, common_dir, work_tree, explicit: Vec::new(), index_file: None, reftable, may_fetch: true })
    }

    /// The same repository, never fetching an object that a partial clone lacks: a hook does not use the network.
    pub fn without_fetching(mut self) -> Self {
        self.may_fetch = false;
        self
    }

    /// This worktree's own folder in the repository (`.git`, or `.git/worktrees/<name>`).
    pub fn git_dir(&self) -> &Path {
        &self.git_dir
    }

    /// What all linked worktrees share.
    pub fn common_dir(&self) -> &Path {
        &self.common_dir
    }

    /// `None` in a bare repository.
    pub fn work_tree(&self) -> Option<&Path> {
        self.work_tree.as_deref()
    }

    /// The same place, as the hooks know it.
    pub fn root(&self) -> Root {
        let Self { work_tree, git_dir, common_dir, .. } = self;
        Root { work_tree: work_tree.clone(), git_dir: git_dir.clone(), common_dir: common_dir.clone() }
    }

    pub(super) fn index_file(&self) -> Option<&Path> {
        self.index_file.as_deref()
    }

    /// Whether refs are stored in a way that only git reads.
    pub(super) fn is_reftable(&self) -> bool {
        self.reftable
    }

    pub fn is_shallow(&self) -> bool {
        self.git.is_shallow().unwrap_or(false)
    }

    /// A call of git in this repository.
    pub fn git(&self) -> Git {
        Git::at(self.work_tree.as_deref().unwrap_or(&self.git_dir)).args(&self.explicit)
    }

    /// A value of git's configuration, as text; `None` where it is not set.
    pub fn config(&self, key: &str) -> Result<Option<String>> {
        if std::env::var_os("GIT_CONFIG_PARAMETERS").is_none() {
            return Ok(self.git.config_snapshot().string(key).map(|value| value.to_string()));
        }
        // what a person gave with `git -c` reaches us in a form that is git's own
        self.config_by_git(&["--get", key])
    }

    /// As [`Repo::config`], as bytes: names may be in any encoding.
    pub(super) fn config_bytes(&self, key: &str) -> Result<Option<Vec<u8>>> {
        if std::env::var_os("GIT_CONFIG_PARAMETERS").is_none() {
            return Ok(self.git.config_snapshot().string(key).map(Into::into));
        }
        Ok(self.config_by_git(&["--get", key])?.map(String::into_bytes))
    }

    /// As [`Repo::config`], as a truth value.
    pub fn config_bool(&self, key: &str) -> Result<Option<bool>> {
        if std::env::var_os("GIT_CONFIG_PARAMETERS").is_none() {
            return Ok(self.git.config_snapshot().boolean(key));
        }
        Ok(self.config_by_git(&["--type=bool", "--get", key])?.map(|value| value == "true"))
    }

    fn config_by_git(&self, args: &[&str]) -> Result<Option<String>> {
        match self.git().arg("config").args(args).text() {
            Ok(value) => Ok(Some(value)),
            Err(Failure::Exit { code: 1, .. }) => Ok(None),
            Err(failure) => Err(Error::user("git's configuration cannot be read").caused_by(failure)),
        }
    }

    /// Every value of a key that may stand more than once.
    pub(super) fn config_all(&self, key: &str) -> Vec<String> {
        let config = self.git.config_snapshot();
        config.plumbing().raw_values(key).map(|values| values.iter().map(ToString::to_string).collect()).unwrap_or_default()
    }
}

fn absolute(path: &Path) -> Result<PathBuf> {
    std::path::absolute(path)
        .map_err(|error| Error::user(format!("{} is not a path", escape(&path.display().to_string()))).caused_by(error))
}

fn option(name: &str, path: &Path) -> std::ffi::OsString {
    let mut option = std::ffi::OsString::from(name);
    option.push(path);
    option
}

fn unknown_extension(git: &gix::Repository) -> Option<String> {
    let config = git.config_snapshot();
    let sections = config.plumbing().sections_by_name("extensions")?;
    let names: Vec<String> = sections.flat_map(|section| section.body().value_names().collect::<Vec<_>>()).collect();
    names.into_iter().find(|name| !KNOWN_EXTENSIONS.contains(&name.to_ascii_lowercase().as_str()))
}

fn cannot_open(dir: &Path, error: gix::Error) -> Error {
    let place = dir.display().to_string();
    if error.is_not_found() {
        return Error::user(format!("{} is not in a git repository", escape(&place)))
            .hint("run marvel in your project, or name its folder: `marvel -C DIR …`");
    }
    Error::user(format!("the git repository at {} cannot be opened", escape(&place))).caused_by(error)
}
