//! Starts git: always with `-C`, never with the variables that git itself exports into hooks, with `LC_ALL=C`, standard
//! input closed or fed, and all that it says on standard error kept for the error's cause. What is asked of git is the
//! callers' business.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// What git exports into hooks to say which repository, index and object store it means: right for that one command,
/// wrong for any other. (`git rev-parse --local-env-vars`, without the configuration that a person gave with `-c`.)
const LOCAL_VARIABLES: [&str; 16] = [
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR",
    "GIT_CONFIG",
    "GIT_DIR",
    "GIT_GRAFT_FILE",
    "GIT_IMPLICIT_WORK_TREE",
    "GIT_INDEX_FILE",
    "GIT_INTERNAL_SUPER_PREFIX",
    "GIT_NAMESPACE",
    "GIT_NO_REPLACE_OBJECTS",
    "GIT_OBJECT_DIRECTORY",
    "GIT_PREFIX",
    "GIT_QUARANTINE_PATH",
    "GIT_REPLACE_REF_BASE",
    "GIT_SHALLOW_FILE",
    "GIT_WORK_TREE",
];

/// One call of git.
#[derive(Debug)]
pub struct Git {
    dir: PathBuf,
    args: Vec<OsString>,
    env: Vec<(OsString, OsString)>,
    input: Option<Vec<u8>>,
}

/// How a call ended, and what it said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Output {
    /// The exit code; 128 and the signal where a signal ended it.
    pub code: i32,
    pub stdout: Vec<u8>,
    pub stderr: String,
}

/// Why a call gave nothing.
#[derive(Debug)]
pub enum Failure {
    /// It could not be started at all.
    Start { dir: PathBuf, source: std::io::Error },
    /// It ended with another code than 0.
    Exit { command: String, code: i32, stderr: String },
}

impl Git {
    /// A call with `dir` as git's current folder.
    pub fn at(dir: impl Into<PathBuf>) -> Self {
        Self { dir: dir.into(), args: Vec::new(), env: Vec::new(), input: None }
    }

    pub fn arg(mut self, arg: impl AsRef<OsStr>) -> Self {
        self.args.push(arg.as_ref().to_owned());
        self
    }

    pub fn args<A: AsRef<OsStr>>(mut self, args: impl IntoIterator<Item = A>) -> Self {
        self.args.extend(args.into_iter().map(|arg| arg.as_ref().to_owned()));
        self
    }

    pub fn env(mut self, name: impl AsRef<OsStr>, value: impl AsRef<OsStr>) -> Self {
        self.env.push((name.as_ref().to_owned(), value.as_ref().to_owned()));
        self
    }

    /// What git reads on standard input.
    pub fn input(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.input = Some(bytes.into());
        self
    }

    /// Runs it to its end; any exit code is an answer.
    pub fn output(self) -> Result<Output, Failure> {
        let dir = self.dir.clone();
        self.start().map_err(|source| Failure::Start { dir, source })
    }

    /// Runs it; gives what it wrote. Any exit code but 0 is a failure.
    pub fn run(self) -> Result<Vec<u8>, Failure> {
        let command = self.to_string();
        match self.output()? {
            Output { code: 0, stdout, .. } => Ok(stdout),
            Output { code, stderr, .. } => Err(Failure::Exit { command, code, stderr }),
        }
    }

    /// As [`Git::run`], as text without the last end of line; bytes that are not UTF-8 are replaced.
    pub fn text(self) -> Result<String, Failure> {
        let bytes = self.run()?;
        Ok(String::from_utf8_lossy(&bytes).trim_end_matches(['\n', '\r']).to_owned())
    }

    #[allow(clippy::disallowed_methods, reason = "the one place that starts a program")]
    fn start(self) -> std::io::Result<Output> {
        let mut command = Command::new("git");
        command.arg("-C").arg(&self.dir).args(&self.args);
        for name in LOCAL_VARIABLES {
            command.env_remove(name);
        }
        command.env("LC_ALL", "C").env_remove("LANGUAGE").envs(self.env);
        command.stdin(if self.input.is_some() { Stdio::piped() } else { Stdio::null() });
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn()?;
        let pipe = child.stdin.take().zip(self.input);
        let output = std::thread::scope(|scope| {
            if let Some((mut pipe, bytes)) = pipe {
                scope.spawn(move || {
                    // git may end without reading all of it; its exit code says why
                    let _ = pipe.write_all(&bytes);
                });
            }
            child.wait_with_output()
        })?;
        Ok(Output {
            code: exit_code(output.status),
            stdout: output.stdout,
            stderr: String::from_utf8_lossy(&output.stderr).trim_end().to_owned(),
        })
    }
}

fn exit_code(status: std::process::ExitStatus) -> i32 {
    #[cfg(unix)]
    let signal = std::os::unix::process::ExitStatusExt::signal(&status);
    #[cfg(not(unix))]
    let signal = None::<i32>;
    status.code().or(signal.map(|signal| 128 + signal)).unwrap_or(-1)
}

/// The command as a person would type it.
impl fmt::Display for Git {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("git")?;
        self.args.iter().try_for_each(|arg| write!(f, " {}", arg.to_string_lossy()))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { dir, source } if !Path::new(dir).exists() => {
                write!(f, "git could not be started in {}: {source}", dir.display())
            }
            Self::Start { source, .. } => write!(f, "git could not be started: {source}"),
            Self::Exit { command, code, stderr } if stderr.is_empty() => write!(f, "`{command}` ended with code {code}"),
            Self::Exit { command, stderr, .. } => write!(f, "`{command}`: {stderr}"),
        }
    }
}

impl std::error::Error for Failure {}

#[cfg(test)]
mod tests {
    use super::{Failure, Git};

    #[test]
    fn git_is_asked_in_the_folder_named_and_in_english() {
        let dir = tempfile::tempdir().expect("a folder");
        let failure = Git::at(dir.path()).args(["rev-parse", "--git-dir"]).env("GIT_CEILING_DIRECTORIES", "/").run();
        let Err(Failure::Exit { command, code, stderr }) = failure else { panic!("not a repository: {failure:?}") };
        assert_eq!((command.as_str(), code), ("git rev-parse --git-dir", 128));
        assert!(stderr.contains("not a git repository"), "{stderr}");
    }

    #[test]
    fn a_large_input_is_fed_and_an_unread_one_is_no_error() {
        let dir = tempfile::tempdir().expect("a folder");
        let id = Git::at(dir.path()).args(["hash-object", "--stdin"]).input(vec![b'a'; 1 << 20]).text().expect("hashed");
        assert_eq!(id.len(), 40);
        Git::at(dir.path()).arg("version").input(vec![b'a'; 1 << 20]).run().expect("does not read");
    }

    #[test]
    fn without_git_the_error_says_so() {
        let gone = std::path::Path::new("/nonexistent/folder");
        let failure = Git::at(gone).arg("version").run().expect_err("no such folder");
        assert!(failure.to_string().contains("/nonexistent/folder"), "{failure}");
    }
}
