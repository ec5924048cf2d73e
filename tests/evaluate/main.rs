//! How well prompts are judged, over a file of labelled ones: `cargo bench --bench evaluate -- FILE [--quiet]`.
//!
//! A line is `{"prompt", "label", "also_ok"?, "lang", "hard"?}`; a judgement that `also_ok` lists counts as the label.
//! Printed: precision, recall and F1 of what would be stored (corrections and directions) and of every label, for
//! English, for the others, in all; and every miss with the row that fired. Timings are of the whole file.

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "a command that prints what it found")]

use std::collections::BTreeMap;
use std::process::ExitCode;
use std::time::Instant;

use marvel::capture::classify::{Judgement, Turn, classify};
use marvel::capture::strip::strip;
use marvel::model::guidance::GuidanceType;
use serde::Deserialize;

#[derive(Deserialize)]
struct Labelled {
    prompt: String,
    label: GuidanceType,
    #[serde(default)]
    also_ok: Vec<GuidanceType>,
    lang: String,
    #[serde(default)]
    hard: bool,
}

impl Labelled {
    /// The label that a judgement is held against: the judged one where a fair judge could give it too.
    fn fair(&self, judged: GuidanceType) -> GuidanceType {
        if self.also_ok.contains(&judged) { judged } else { self.label }
    }
}

#[derive(Clone, Copy, Default)]
struct Counts {
    hit: usize,
    found: usize,
    all: usize,
}

impl Counts {
    fn add(&mut self, expected: bool, judged: bool) {
        self.hit += usize::from(expected && judged);
        self.found += usize::from(judged);
        self.all += usize::from(expected);
    }

    fn show(self, name: &str) {
        let part = |of: usize| if of == 0 { 1.0 } else { self.hit as f64 / of as f64 };
        let (precision, recall) = (part(self.found), part(self.all));
        let f1 = if precision + recall > 0.0 { 2.0 * precision * recall / (precision + recall) } else { 0.0 };
        println!(
            "  {name:<14} precision {precision:.3}  recall {recall:.3}  F1 {f1:.3}  ({} of {}, {} found)",
            self.hit, self.all, self.found
        );
    }
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let quiet = arguments.iter().any(|argument| argument == "--quiet");
    let Some(path) = arguments.iter().find(|argument| !argument.starts_with("--")) else {
        eprintln!("usage: evaluate FILE [--quiet]");
        return ExitCode::from(2);
    };
    let text = match std::fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let prompts: Vec<Labelled> = match text.lines().filter(|line| !line.trim().is_empty()).map(serde_json::from_str).collect() {
        Ok(prompts) => prompts,
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    };
    let turn = Turn { acted: true, ..Turn::default() };
    let start = Instant::now();
    let judged: Vec<Judgement> = prompts.iter().map(|labelled| classify(&strip(&labelled.prompt), &turn)).collect();
    let time = start.elapsed();
    for (name, wanted) in [("all", None), ("English", Some(true)), ("other languages", Some(false))] {
        let part = || {
            prompts.iter().zip(&judged).filter(|(labelled, _)| wanted.is_none_or(|english| (labelled.lang == "en") == english))
        };
        report(name, &part().collect::<Vec<_>>());
    }
    report("hard ones", &prompts.iter().zip(&judged).filter(|(labelled, _)| labelled.hard).collect::<Vec<_>>());
    if !quiet {
        println!("misses");
        for (labelled, judgement) in prompts.iter().zip(&judged) {
            if labelled.fair(judgement.kind) != judgement.kind {
                let stored = labelled.label.is_stored() != judgement.kind.is_stored();
                let mark = if stored { "!" } else { " " };
                println!("{mark} {} {} -> {} {:.2}", labelled.lang, labelled.label, judgement.kind, judgement.confidence);
                println!("      {:?}\n      {}", labelled.prompt, judgement.reason);
            }
        }
    }
    println!("{} prompts in {time:.2?}", prompts.len());
    ExitCode::SUCCESS
}

fn report(name: &str, part: &[(&Labelled, &Judgement)]) {
    println!("{name} ({})", part.len());
    let mut stored = Counts::default();
    let mut labels: BTreeMap<GuidanceType, Counts> = BTreeMap::new();
    let mut right = 0;
    for (labelled, judgement) in part {
        let expected = labelled.fair(judgement.kind);
        stored.add(expected.is_stored(), judgement.kind.is_stored());
        right += usize::from(expected == judgement.kind);
        for kind in GuidanceType::ALL {
            labels.entry(kind).or_default().add(expected == kind, judgement.kind == kind);
        }
    }
    stored.show("stored");
    for (kind, counts) in labels {
        counts.show(kind.as_str());
    }
    println!("  right          {right} of {}", part.len());
}
