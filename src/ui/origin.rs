//! Where a lesson's text comes from: the commit that taught it, or worded it anew, as commands show it.

use serde_json::{Value, json};

use super::style;
use crate::evolve::life::{Chronicle, Commit, Event};
use crate::model::timestamp::Timestamp;
use crate::model::visible::escape;

/// A commit, and the run that it is from.
pub struct Origin {
    pub commit: Commit,
    pub run: Option<String>,
    /// The statements that led to it, by id.
    pub guidance: Vec<String>,
}

impl Origin {
    pub fn new(chronicle: &Chronicle, event: &Event) -> Self {
        Self { commit: chronicle.commit(event).clone(), run: event.run.clone(), guidance: event.guidance.clone() }
    }

    /// `commit`, `time` and `author`, and what else there is to say.
    pub fn json(&self) -> Value {
        let mut value = json!({
            "commit": self.commit.id,
            "time": time(self.commit.authored),
            "author": self.commit.author,
        });
        if let Some(run) = &self.run {
            value["run"] = json!(run);
        }
        if !self.guidance.is_empty() {
            value["guidance"] = json!(self.guidance);
        }
        if self.commit.boundary {
            value["boundary"] = json!(true);
        }
        value
    }

    pub fn date(&self) -> String {
        time(self.commit.authored).format("%Y-%m-%d")
    }

    pub fn author(&self) -> String {
        escape(&self.commit.author).into_owned()
    }

    /// What a person types to see it.
    pub fn short(&self) -> String {
        short(&self.commit)
    }
}

/// A commit's id in ten columns; a shallow clone's oldest commit is marked as `git blame` marks it.
pub fn short(commit: &Commit) -> String {
    let (mark, digits) = if commit.boundary { ("^", 9) } else { ("", 10) };
    let id = style::ID;
    format!("{id}{mark}{}{id:#}", &commit.id[..commit.id.len().min(digits)])
}

/// As history has it: in UTC.
pub fn time(seconds: i64) -> Timestamp {
    Timestamp::from_unix(seconds).or_else(|| Timestamp::from_unix(0)).expect("the epoch is in range")
}
