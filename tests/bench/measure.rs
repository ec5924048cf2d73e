//! What the benchmarks share: whole processes timed from their start to their end, and medians of them.

use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// The binary to measure: the one built for the benchmark, or the one that `MARVEL_BIN` names.
pub fn marvel() -> Command {
    let mut command = Command::new(std::env::var_os("MARVEL_BIN").unwrap_or_else(|| env!("CARGO_BIN_EXE_marvel").into()));
    command.env_remove("MARVEL").env_remove("MARVEL_NOW");
    command
}

pub fn git(dir: &Path) -> Command {
    let mut command = Command::new("git");
    command.current_dir(dir);
    command
}

/// The first argument that is a number, else `default`.
pub fn rounds(default: usize) -> usize {
    std::env::args().skip(1).find_map(|arg| arg.parse().ok()).unwrap_or(default)
}

/// How long the process takes; what it says is thrown away.
pub fn time(command: &mut Command) -> Duration {
    let (taken, code) = time_and_code(command);
    assert_eq!(code, Some(0), "{command:?}");
    taken
}

/// As [`time`], with the exit code.
pub fn time_and_code(command: &mut Command) -> (Duration, Option<i32>) {
    let began = Instant::now();
    let status = command.stdout(Stdio::null()).stderr(Stdio::null()).status().unwrap();
    (began.elapsed(), status.code())
}

/// What it says.
pub fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

/// What it says to that input.
pub fn fed(command: &mut Command, input: &str) -> String {
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success(), "{command:?}");
    String::from_utf8(output.stdout).unwrap()
}

pub fn median(mut all: Vec<Duration>) -> Duration {
    all.sort_unstable();
    all[all.len() / 2]
}

pub fn millis(duration: Duration) -> String {
    format!("{:.2} ms", duration.as_secs_f64() * 1_000.0)
}

/// One line: both medians and their ratio.
pub fn compare(name: &str, ours: Vec<Duration>, other: &str, theirs: Vec<Duration>) {
    let (ours, theirs) = (median(ours), median(theirs));
    let ratio = ours.as_secs_f64() / theirs.as_secs_f64();
    println!("{name:<40} marvel {:>10}   {other} {:>10}   ratio {ratio:.2}", millis(ours), millis(theirs));
}

pub fn write(path: &Path, text: &str) {
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
}
