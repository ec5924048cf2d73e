//! `marvel validate` over 500 packs of 100 lessons as a whole process, against `jq -c .` over the same lines, in turn: once
//! with lessons that all differ, once with lessons that differ in their numbers alone, each of them a finding.
//!
//! `cargo bench --bench validate [ROUNDS]`; `MARVEL_BIN` names another binary to measure.

#![allow(clippy::disallowed_methods, clippy::unwrap_used, clippy::print_stdout, reason = "a benchmark is a program of its own")]

#[allow(dead_code, reason = "each benchmark takes what it needs")]
mod measure;

use std::path::{Path, PathBuf};
use std::process::Command;

use measure::{compare, git, marvel, time, write};
use serde_json::json;

const PACKS: usize = 500;
const LESSONS: usize = 100;

fn main() {
    let rounds = measure::rounds(15);
    let dir = tempfile::tempdir().unwrap();
    println!("{PACKS} packs x {LESSONS} lessons, {rounds} rounds, medians of whole processes");
    for (name, differ) in [("lessons that differ", true), ("lessons that repeat each other", false)] {
        let world = world(&dir.path().join(name.replace(' ', "-")), differ);
        let mut taken = [Vec::new(), Vec::new()];
        for _ in 0..rounds {
            taken[0].push(time(marvel().arg("validate").current_dir(&world)));
            taken[1].push(time(Command::new("jq").args(["-c", ".", "all.jsonl"]).current_dir(&world)));
        }
        let [ours, jq] = taken;
        compare(name, ours, "jq", jq);
    }
}

fn world(dir: &Path, differ: bool) -> PathBuf {
    let mut words = Words(7);
    let mut all = String::new();
    for pack in 0..PACKS {
        let folder = dir.join(format!("marvel/packs/pack-{pack}"));
        let meta = json!({"name": format!("pack-{pack}"), "version": "1.0.0", "owner": "team", "categories": ["patterns"],
            "sensitive_paths": [format!("**/area-{pack}/**")], "references": {"code_paths": [format!("src/area-{pack}")]}});
        write(&folder.join("pack.json"), &format!("{meta:#}\n"));
        let rules: String = (0..25).map(|_| format!("- Always {}.\n", words.some(9))).collect();
        write(&folder.join("guardrails.md"), &format!("# Pack {pack}\n\n## Rules\n\n{rules}"));
        let line = |lesson: usize, words: &mut Words| {
            let (title, why, what) = match differ {
                true => (words.some(5), words.some(18), words.some(14)),
                false => (
                    format!("Lesson {lesson} of pack {pack}"),
                    "What was learned when it went wrong the last time, in a sentence or two.".to_owned(),
                    format!("Do this instead of that, number {lesson}"),
                ),
            };
            let id = if lesson.is_multiple_of(2) { format!(",\"id\":\"{:010x}\"", pack * 1_000 + lesson) } else { String::new() };
            format!(
                r#"{{"timestamp":"2026-11-{:02}T10:15:00.000Z","category":"patterns","title":"Use {title}","description":"Because {why}.","actionable":"In src/area-{pack} {what}.","run_id":"run_20261101_101500","utility_score":0.85,"injection_count":12{id}}}"#,
                lesson % 28 + 1
            ) + "\n"
        };
        let lessons: String = (0..LESSONS).map(|lesson| line(lesson, &mut words)).collect();
        write(&folder.join("lessons.jsonl"), &lessons);
        all.push_str(&lessons);
    }
    write(&dir.join("all.jsonl"), &all);
    time(git(dir).args(["init", "-q"]));
    dir.to_owned()
}

/// Words by lot, the same in every run.
struct Words(u64);

impl Words {
    const ALL: &str = "validate parse store cache retry token session handler request response schema column index \
        migration queue worker stream buffer cursor parser router middleware invoice amount currency ledger \
        account tenant policy signature header cookie origin timeout signal listener socket lock mutex \
        branch rebase commit merge snapshot fixture factory assertion mock clock zone locale render effect \
        state reducer selector component prop theme layout grid bundle chunk import export module package \
        workspace lint format compiler type union enum literal guard boundary tracing metric alert budget \
        quota replica shard backup restore digest nonce cipher vault gateway proxy balancer probe rollout \
        canary";

    fn some(&mut self, count: usize) -> String {
        let all: Vec<&str> = Self::ALL.split_whitespace().collect();
        let mut next = || {
            self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            all[usize::try_from(self.0 >> 33).unwrap() % all.len()]
        };
        (0..count).map(|_| next()).collect::<Vec<_>>().join(" ")
    }
}
