//! `marvel merge-driver` on two files of 10,000 lessons as a whole process, against `git merge-file` on the same three, in
//! turn. Both sides edit, add and remove lessons, none of them the same.
//!
//! `cargo bench --bench merge [ROUNDS]`; `MARVEL_BIN` names another binary to measure.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark is a program of its own")]

#[allow(dead_code, reason = "each benchmark takes what it needs")]
mod measure;

use measure::{compare, git, marvel, time, time_and_code, write};

const LESSONS: usize = 10_000;
const PATH: &str = "marvel/packs/security/lessons.jsonl";

fn main() {
    let rounds = measure::rounds(25);
    let dir = tempfile::tempdir().unwrap();
    let [base, ours, theirs, result] = ["base", "ours", "theirs", "result"].map(|name| dir.path().join(name));
    write(&base, &side(0));
    write(&ours, &side(1));
    write(&theirs, &side(2));
    let mut taken = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        std::fs::copy(&ours, &result).unwrap();
        taken[0].push(time(marvel().arg("merge-driver").args([&base, &result, &theirs]).arg(PATH).current_dir(dir.path())));
        // by lines there may be conflicts, which its code counts
        taken[1].push(time_and_code(git(dir.path()).args(["merge-file", "-p", "-q"]).args([&ours, &base, &theirs])).0);
    }
    let merged = std::fs::read_to_string(&result).unwrap();
    assert!(
        merged.contains("by side 1")
            && merged.contains("by side 2")
            && merged.contains("ffff0003e8")
            && merged.contains("ffff0007d0")
    );
    let [ours, git] = taken;
    println!("two files of {LESSONS} lessons, {rounds} rounds, medians of whole processes");
    compare("lesson by lesson against line by line", ours, "git", git);
}

/// Side 0 is the base. The others each change one lesson in a hundred, remove one in a thousand, and add a hundred.
fn side(side: usize) -> String {
    let line = |number: usize, text: &str| {
        format!(
            r#"{{"timestamp":"2026-11-{:02}T10:15:00.000Z","category":"auth","title":"Lesson {number} of many","description":"What was learned when it went wrong the last time, in a sentence or two{text}.","actionable":"Do this instead of that, number {number}","run_id":"run_20261101_101500","utility_score":0.85,"injection_count":12,"id":"{number:010x}"}}"#,
            number % 28 + 1,
        ) + "\n"
    };
    let mut file = String::new();
    for number in 0..LESSONS {
        match (side, number % 1_000) {
            (1, 300) | (2, 600) => {}
            // far enough apart that git finds no conflict either
            (1, at) if at % 100 == 20 => file += &line(number, ", as told by side 1"),
            (2, at) if at % 100 == 70 => file += &line(number, ", as told by side 2"),
            _ => file += &line(number, ""),
        }
    }
    // new ids, each side's its own
    if side > 0 {
        let new: String = (0..100).map(|new| line(0xff_ff00_0000 + side * 1_000 + new, "")).collect();
        // where both append git has a conflict: one side puts its own at the beginning
        file = if side == 1 { new + &file } else { file + &new };
    }
    file
}
