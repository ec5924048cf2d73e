//! The sealed world of the tests: a repository in a folder of its own, no configuration of the machine's, a fixed
//! clock and identity. Nothing here knows what a test is about.

#![allow(clippy::disallowed_methods, reason = "tests start git and marvel as a person's shell would")]
#![allow(dead_code, reason = "each test file takes what it needs")]
#![allow(clippy::unwrap_used, reason = "a helper that fails fails the test")]

pub mod api;
pub mod client;
pub mod year;

use std::fmt;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// Where the tests' clock starts.
pub const NOW: &str = "2026-11-29T10:15:00.000Z";

/// What a program said and how it ended.
#[derive(Clone, PartialEq, Eq)]
pub struct Output {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Output {
    /// The output of a command that must succeed.
    #[track_caller]
    pub fn ok(self) -> String {
        assert_eq!(self.code, 0, "{self}");
        self.stdout
    }

    #[track_caller]
    pub fn json(self) -> serde_json::Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self}"))
    }
}

/// As snapshots show it: the code first, then both streams where they said anything.
impl fmt::Display for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "exit {}", self.code)?;
        for (name, text) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !text.is_empty() {
                write!(f, "\n----- {name}\n{text}")?;
            }
        }
        Ok(())
    }
}

impl fmt::Debug for Output {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// A repository with a work tree, in a folder that goes when the value goes.
pub struct TestRepo {
    home: TempDir,
    pub dir: PathBuf,
    pub now: String,
    env: Vec<(String, String)>,
}

impl TestRepo {
    /// An empty repository on `main`, nothing committed.
    pub fn unborn() -> Self {
        let repo = Self::outside();
        repo.git(["init", "-q", "-b", "main", "."]);
        repo
    }

    /// A repository with one commit: `README.md`.
    pub fn new() -> Self {
        let repo = Self::unborn();
        repo.write("README.md", "# A project\n");
        repo.commit("first");
        repo
    }

    /// A folder that is no repository.
    pub fn outside() -> Self {
        let home = tempfile::Builder::new().prefix("marvel-test-").tempdir().unwrap();
        // the real path: on some systems the temporary folder is a link
        let dir = home.path().canonicalize().unwrap().join("repo");
        std::fs::create_dir_all(&dir).unwrap();
        Self { home, dir, now: NOW.to_owned(), env: Vec::new() }
    }

    /// The same sealed world, in another folder of it (a linked worktree, a clone, a sub-folder).
    pub fn beside(&self, dir: impl AsRef<Path>) -> Beside<'_> {
        Beside { repo: self, dir: self.dir.join(dir) }
    }

    /// Sets a variable for all that is started from now on.
    pub fn set_env(&mut self, name: &str, value: impl Into<String>) {
        self.env.push((name.to_owned(), value.into()));
    }

    /// A folder beside the repository, for remotes and clones.
    pub fn sibling(&self, name: &str) -> PathBuf {
        self.dir.parent().unwrap().join(name)
    }

    pub fn write(&self, path: &str, content: impl AsRef<[u8]>) {
        let path = self.dir.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub fn read(&self, path: &str) -> String {
        std::fs::read_to_string(self.dir.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
    }

    pub fn exists(&self, path: &str) -> bool {
        self.dir.join(path).exists()
    }

    /// Stages and commits everything; gives the commit's id.
    pub fn commit(&self, message: &str) -> String {
        self.git(["add", "-A"]);
        self.git(["commit", "-q", "--allow-empty", "--no-verify", "-m", message]);
        self.git(["rev-parse", "HEAD"])
    }

    /// Runs git, which must succeed; gives its output without the last newline.
    #[track_caller]
    pub fn git<const N: usize>(&self, args: [&str; N]) -> String {
        self.beside("").git(args)
    }

    #[track_caller]
    pub fn try_git<const N: usize>(&self, args: [&str; N]) -> Output {
        self.beside("").try_git(args)
    }

    /// Runs `marvel` with standard input closed.
    pub fn marvel<const N: usize>(&self, args: [&str; N]) -> Output {
        self.beside("").marvel(args)
    }

    /// Runs `marvel hook EVENT` with one line of JSON on standard input, as the client does.
    pub fn hook(&self, event: &str, input: &serde_json::Value) -> Output {
        self.run(self.command(env!("CARGO_BIN_EXE_marvel"), &["hook", event], &self.dir), format!("{input}\n").as_bytes())
    }

    /// Starts a program in the sealed world: no variable of the machine's but what is set here.
    pub fn command(&self, program: &str, args: &[&str], dir: &Path) -> Command {
        let mut command = Command::new(program);
        let marvel = Path::new(env!("CARGO_BIN_EXE_marvel")).parent().unwrap();
        let path = std::env::var("PATH").unwrap_or_default();
        command
            .args(args)
            .current_dir(dir)
            .env_clear()
            .env("PATH", format!("{}:{path}", marvel.display()))
            .env("HOME", self.home.path())
            .env("XDG_CONFIG_HOME", self.home.path().join(".config"))
            .env("CLAUDE_CONFIG_DIR", self.home.path().join(".claude"))
            .env("GIT_CONFIG_NOSYSTEM", "1")
            .env("GIT_AUTHOR_NAME", "Ada")
            .env("GIT_AUTHOR_EMAIL", "ada@example.com")
            .env("GIT_COMMITTER_NAME", "Ada")
            .env("GIT_COMMITTER_EMAIL", "ada@example.com")
            .env("GIT_AUTHOR_DATE", &self.now)
            .env("GIT_COMMITTER_DATE", &self.now)
            .env("MARVEL_NOW", &self.now)
            .env("TZ", "UTC")
            .env("LC_ALL", "C.UTF-8")
            .env("TERM", "dumb")
            .envs(self.env.iter().map(|(name, value)| (name, value)));
        command
    }

    /// Runs a prepared command with this standard input and takes all that it says.
    pub fn run(&self, mut command: Command, stdin: &[u8]) -> Output {
        let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let mut pipe = child.stdin.take().unwrap();
        let output = std::thread::scope(|scope| {
            scope.spawn(move || {
                // a program may end without reading all of it
                let _ = pipe.write_all(stdin);
            });
            child.wait_with_output().unwrap()
        });
        Output {
            code: output.status.code().unwrap_or(-1),
            stdout: String::from_utf8(output.stdout).unwrap(),
            stderr: String::from_utf8(output.stderr).unwrap(),
        }
    }
}

/// A place in a [`TestRepo`]'s world.
pub struct Beside<'a> {
    repo: &'a TestRepo,
    pub dir: PathBuf,
}

impl Beside<'_> {
    #[track_caller]
    pub fn git<const N: usize>(&self, args: [&str; N]) -> String {
        let output = self.try_git(args);
        assert_eq!(output.code, 0, "git {args:?}: {output}");
        output.stdout.trim_end_matches('\n').to_owned()
    }

    pub fn try_git<const N: usize>(&self, args: [&str; N]) -> Output {
        self.repo.run(self.repo.command("git", &args, &self.dir), b"")
    }

    pub fn marvel<const N: usize>(&self, args: [&str; N]) -> Output {
        self.repo.run(self.repo.command(env!("CARGO_BIN_EXE_marvel"), &args, &self.dir), b"")
    }

    /// Runs `marvel` with as many arguments as there are.
    pub fn marvel_args(&self, args: &[&str]) -> Output {
        self.repo.run(self.repo.command(env!("CARGO_BIN_EXE_marvel"), args, &self.dir), b"")
    }

    pub fn hook(&self, event: &str, input: &serde_json::Value) -> Output {
        let command = self.repo.command(env!("CARGO_BIN_EXE_marvel"), &["hook", event], &self.dir);
        self.repo.run(command, format!("{input}\n").as_bytes())
    }
}

/// A minimal pack's files, with as many lessons as titles are given.
pub fn write_pack(repo: &TestRepo, name: &str, meta: &serde_json::Value, titles: &[&str]) {
    let mut fields = serde_json::json!({ "name": name, "version": "1.0.0", "owner": "team" });
    for (key, value) in meta.as_object().unwrap() {
        fields[key] = value.clone();
    }
    let lessons: String = titles.iter().map(|title| format!("{}\n", lesson_line(title))).collect();
    repo.write(&format!("marvel/packs/{name}/pack.json"), format!("{fields:#}\n"));
    repo.write(&format!("marvel/packs/{name}/guardrails.md"), format!("# {name}\n\n## Rules\n\n- Rule of {name}.\n"));
    repo.write(&format!("marvel/packs/{name}/lessons.jsonl"), lessons);
}

/// A line of `lessons.jsonl` with that title, learned at [`NOW`].
pub fn lesson_line(title: &str) -> String {
    let field = |text: &str| serde_json::to_string(text).unwrap();
    format!(
        r#"{{"timestamp":"{NOW}","category":"general","title":{},"description":{},"actionable":{}}}"#,
        field(title),
        field(&format!("Why: {title}")),
        field(&format!("Do: {title}"))
    )
}
