//! Git hooks: one-line shims that call `marvel git-hook NAME`. They are written only where no hook of that name stands, into the
//! folder that git looks into; where that folder is somebody else's to fill, the line to add is told. What a hook does is
//! `commands::git_hook`'s.

use std::path::PathBuf;

use super::entries::USUAL_PLACES;
use super::place::Place;
use super::seal::{self, Owner, PLACEHOLDER};
use crate::error::{Error, Result};
use crate::session::file;

pub const HOOKS: [&str; 7] =
    ["pre-commit", "pre-merge-commit", "commit-msg", "pre-push", "post-merge", "post-checkout", "post-rewrite"];

/// The folder that git takes hooks from, and why none are written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Folder {
    pub path: PathBuf,
    /// Whether it belongs to this repository's own `.git`: then a hook may name a path of this machine.
    pub private: bool,
    pub closed: Option<Closed>,
}

/// Why a folder is not written into.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Closed {
    /// The person's configuration names it for all repositories.
    Global,
    /// It lies outside of this repository.
    Elsewhere,
    /// A hook manager makes its content.
    Managed,
    /// The configuration names a folder that is not there.
    Missing,
}

impl Closed {
    pub fn because(self) -> &'static str {
        match self {
            Self::Global => "your global git configuration (core.hooksPath) takes hooks from there, for all repositories",
            Self::Elsewhere => "core.hooksPath names this folder outside of the repository",
            Self::Managed => "a hook manager writes this folder anew",
            Self::Missing => "core.hooksPath names this folder, which does not exist here: no hook runs",
        }
    }
}

/// One hook as it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// Our shim, current or not.
    Ours,
    /// A shim of ours that a person changed.
    Changed,
    /// Somebody else's, which calls us.
    Calls,
    /// Somebody else's.
    Foreign,
    None,
}

impl Folder {
    pub fn find(place: &Place) -> Result<Self> {
        let config = place.repo.git().args(["config", "-z", "--show-scope", "--get", "--type=path", "core.hooksPath"]).output();
        let config = config.map_err(|failure| Error::user("git's configuration cannot be read").caused_by(failure))?;
        let own = place.root.common_dir.join("hooks");
        let text = String::from_utf8_lossy(&config.stdout).into_owned();
        let Some((scope, path)) = text.trim_end_matches('\0').split_once('\0').filter(|_| config.code == 0) else {
            return Ok(Self { path: own, private: true, closed: None });
        };
        let path = place.work_tree.join(path);
        if path == own {
            return Ok(Self { path, private: true, closed: None });
        }
        let local = ["local", "worktree"].contains(&scope);
        // Husky writes `.husky/_` on every `npm install`.
        let managed = path.ends_with("_") && path.parent().is_some_and(|parent| parent.ends_with(".husky"));
        let closed = match () {
            () if !local => Some(Closed::Global),
            () if !path.is_dir() => Some(Closed::Missing),
            () if managed => Some(Closed::Managed),
            () if !path.starts_with(&place.work_tree) => Some(Closed::Elsewhere),
            () => None,
        };
        Ok(Self { path, private: false, closed })
    }

    pub fn state(&self, hook: &str) -> std::io::Result<State> {
        let path = self.path.join(hook);
        if std::fs::symlink_metadata(&path).is_ok_and(|metadata| metadata.is_symlink()) {
            return Ok(if calls_us(&std::fs::read(&path).unwrap_or_default(), hook) { State::Calls } else { State::Foreign });
        }
        Ok(match file::read(&path)? {
            None => State::None,
            Some(bytes) => match seal::owner(&bytes) {
                Owner::Us => State::Ours,
                Owner::Changed if calls_us(&bytes, hook) => State::Changed,
                Owner::Other if calls_us(&bytes, hook) => State::Calls,
                Owner::Changed | Owner::Other => State::Foreign,
            },
        })
    }

    /// The shim for this folder.
    pub fn shim(&self, hook: &str, program: &str) -> String {
        shim(hook, self.private.then_some(program))
    }
}

/// The line that calls us from somebody else's hook.
pub fn line(hook: &str) -> String {
    format!("if command -v marvel >/dev/null; then marvel git-hook {hook} \"$@\" || exit 1; fi")
}

fn calls_us(bytes: &[u8], hook: &str) -> bool {
    String::from_utf8_lossy(bytes).contains(&format!("git-hook {hook}"))
}

/// Only the code 1 of a hook that judges stops git: a binary that is broken, or does not know the hook, never does.
fn shim(hook: &str, recorded: Option<&str>) -> String {
    let recorded = recorded.map(|path| format!("{} ", quoted(path))).unwrap_or_default();
    let otherwise = match hook {
        "pre-commit" | "pre-merge-commit" => {
            "git diff --cached --quiet -- marvel/packs || echo \"marvel: not found, so marvel/packs was not checked\" >&2; "
        }
        "pre-push" => "grep -q refs/heads/packs && echo \"marvel: not found, so the packs branch was not checked\" >&2; ",
        _ => "",
    };
    seal::sign(&format!(
        "#!/bin/sh\n\
         # Written by `marvel init`; MARVEL=0 switches it off. {PLACEHOLDER}\n\
         [ \"$MARVEL\" = 0 ] && exit 0; for m in {recorded}marvel {}; do command -v \"$m\" >/dev/null 2>&1 && {{ \"$m\" git-hook {hook} \"$@\"; [ $? -ne 1 ]; exit; }}; done; \
         {otherwise}exit 0\n",
        USUAL_PLACES.join(" ")
    ))
}

/// A path as one word of a shell, with the separators that every shell keeps.
pub(super) fn quoted(path: &str) -> String {
    let drive = path.as_bytes().get(1) == Some(&b':') || path.starts_with("\\\\");
    let path = if drive { path.replace('\\', "/") } else { path.to_owned() };
    format!("'{}'", path.replace('\'', "'\\''"))
}

/// The folders where shims of ours may stand: the one that git looks into, and the repository's own.
pub fn places(place: &Place) -> Result<Vec<Folder>> {
    let found = Folder::find(place)?;
    let own = Folder { path: place.root.common_dir.join("hooks"), private: true, closed: None };
    Ok(if found.path == own.path { vec![found] } else { vec![found, own] })
}

#[cfg(test)]
mod tests {
    use super::{HOOKS, quoted, shim};
    use crate::install::seal::{Owner, owner};

    #[test]
    fn gh27_gh28_gh29_a_shim_is_plain_sh_whatever_the_path() {
        for hook in HOOKS {
            let text = shim(hook, Some("C:\\tools\\new\\Jo's marvel.exe"));
            assert!(text.starts_with("#!/bin/sh\n# ") && !text.contains('\r') && text.lines().count() == 3, "{text}");
            assert!(text.contains("'C:/tools/new/Jo'\\''s marvel.exe'"), "{text}");
            assert_eq!(owner(text.as_bytes()), Owner::Us);
        }
        assert_eq!(quoted("/a b/c\\d"), "'/a b/c\\d'");
    }

    #[test]
    fn this_repository_has_the_shims_of_the_binary() {
        let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join(".githooks");
        for hook in HOOKS {
            assert_eq!(std::fs::read_to_string(folder.join(hook)).unwrap(), shim(hook, None), "{hook}");
        }
        assert_eq!(std::fs::read_dir(folder).unwrap().count(), HOOKS.len());
    }

    #[cfg(unix)]
    #[test]
    #[allow(clippy::disallowed_methods, reason = "a shell is what git starts")]
    fn gh26_a_shim_finds_the_binary_without_path_and_stops_git_for_the_code_1_alone() {
        use std::os::unix::fs::PermissionsExt as _;
        use std::process::Command;
        let dir = tempfile::tempdir().unwrap();
        let fake = dir.path().join("It's here/marvel");
        for (code, expected) in [(0, 0), (1, 1), (2, 0), (70, 0), (127, 0)] {
            crate::session::file::replace(&fake, format!("#!/bin/sh\necho \"$@\"\nexit {code}\n").as_bytes()).unwrap();
            std::fs::set_permissions(&fake, std::fs::Permissions::from_mode(0o755)).unwrap();
            for shell in ["sh", "bash", "dash", "zsh"] {
                let run = |text: &str, off: &str| {
                    let mut command = Command::new(shell);
                    command.args(["-c", text, "hook", "a b", "c"]).current_dir(dir.path()).env_clear().env("MARVEL", off);
                    command.env("PATH", "/usr/bin:/bin").env("HOME", dir.path()).output()
                };
                let Ok(output) = run(&shim("commit-msg", fake.to_str()), "") else { continue };
                assert_eq!(
                    (output.status.code(), &*output.stdout),
                    (Some(expected), &b"git-hook commit-msg a b c\n"[..]),
                    "{shell}"
                );
                let output = run(&shim("commit-msg", fake.to_str()), "0").unwrap();
                assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0), "{shell}");
                let output = run(&shim("post-merge", Some("/nowhere/marvel")), "").unwrap();
                assert_eq!((output.status.code(), output.stdout.len(), output.stderr.len()), (Some(0), 0, 0), "{shell}");
            }
        }
    }
}
