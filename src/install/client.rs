//! The client itself: whether it is there, and whether its version delivers what the hooks say.

use std::fmt;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use super::place::Place;

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version(pub u32, pub u32, pub u32);

/// Below, context of `PreToolUse` is lost where the tool call fails.
pub const DELIVERS: Version = Version(2, 1, 110);
/// Below, a handler's `args` are not known: an entry that needs them would start `marvel` without a word.
pub const TAKES_ARGS: Version = Version(2, 1, 139);

/// How long the client is given to say its version.
const DEADLINE: Duration = Duration::from_secs(5);

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Client {
    Missing,
    /// There, but it does not say its version.
    Unknown(PathBuf),
    Found(PathBuf, Version),
}

impl Client {
    pub fn find(place: &Place) -> Self {
        match place.on_path("claude") {
            None => Self::Missing,
            Some(path) => match ask(&path) {
                Some(version) => Self::Found(path, version),
                None => Self::Unknown(path),
            },
        }
    }
}

impl Version {
    /// The first `1.2.3` in a text.
    pub fn parse(text: &str) -> Option<Self> {
        text.split(|c: char| !c.is_ascii_digit() && c != '.').find_map(|word| {
            let mut numbers = word.split('.').map(|part| part.parse().ok());
            Some(Self(numbers.next()??, numbers.next()??, numbers.next()??))
        })
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.0, self.1, self.2)
    }
}

#[allow(clippy::disallowed_methods, reason = "the one program besides git that is asked anything")]
fn ask(program: &Path) -> Option<Version> {
    let mut child =
        Command::new(program).arg("--version").stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().ok()?;
    let start = Instant::now();
    loop {
        match child.try_wait() {
            Ok(None) if start.elapsed() < DEADLINE => std::thread::sleep(Duration::from_millis(10)),
            Ok(Some(_)) => break,
            _ => {
                let _ = child.kill();
                let _ = child.wait();
                return None;
            }
        }
    }
    let mut text = String::new();
    child.stdout.take()?.take(4096).read_to_string(&mut text).ok()?;
    Version::parse(&text)
}

#[cfg(test)]
mod tests {
    use super::Version;

    #[test]
    fn a_version_is_read_out_of_what_the_client_says() {
        for (text, expected) in [
            ("2.1.332 (Claude Code)\n", Some(Version(2, 1, 332))),
            ("claude v2.1.9-beta", Some(Version(2, 1, 9))),
            ("2.1", None),
            ("", None),
        ] {
            assert_eq!(Version::parse(text), expected, "{text}");
        }
        assert!(Version(2, 1, 110) > Version(2, 1, 99) && Version(3, 0, 0) > Version(2, 9, 9));
    }
}
