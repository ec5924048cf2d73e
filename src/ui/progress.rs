//! How far long work has come: one line on a terminal, from the second second on. Nothing where nobody watches.

use std::io::{self, IsTerminal as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use super::Ui;

const PATIENCE: Duration = Duration::from_secs(1);

pub struct Progress {
    what: &'static str,
    started: Instant,
    watched: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// `what` is said before the number: "Reading history, commits".
    pub fn new(ui: &Ui, what: &'static str) -> Self {
        Self { what, started: Instant::now(), watched: !ui.quiet && io::stderr().is_terminal(), bar: None }
    }

    pub fn at(&mut self, number: usize) {
        if !self.watched || self.started.elapsed() < PATIENCE {
            return;
        }
        let bar = self.bar.get_or_insert_with(|| {
            let style = ProgressStyle::with_template("{msg}: {human_pos}").expect("a valid template");
            ProgressBar::no_length().with_style(style).with_message(self.what)
        });
        bar.set_position(number as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}
