//! Two doors and nothing else: hooks before any parsing, everything else through clap.

fn main() {}
