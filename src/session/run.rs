//! One agent session as a folder, `runs/<session_id>/`, and `run.json` in it: when it began and ended, what it is called,
//! which segment of it this is. What was said, done and shown stands in the files beside it.

use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::file;
use super::root::Root;
use crate::model::timestamp::Timestamp;

/// Runs are deleted when nothing happened in them for so long.
pub const KEEP_DAYS: i64 = 180;

/// Two starts of the same kind within this are one: hooks that are installed twice fire twice.
const SAME_START_MILLIS: i64 = 2_000;

#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Run {
    pub session_id: String,
    /// `run_YYYYMMDD_HHMMSS`, from when the session began.
    pub run_id: String,
    /// From 1; a resumed session starts a new one. `<session_id>#<segment>` is what gets recorded.
    pub segment: u32,
    pub started: Timestamp,
    /// When the segment began.
    pub segment_started: Timestamp,
    /// `startup`, `resume`, `clear`, `compact`, `fork`; empty where no hook told of the start.
    #[serde(default)]
    pub source: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ended: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// Brought up to date at every stop.
    #[serde(default)]
    pub counts: Counts,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    pub prompts: usize,
    pub corrections: usize,
    pub directions: usize,
    pub tools: usize,
    pub injections: usize,
    pub lessons: usize,
}

/// What a start came to.
#[derive(Clone, Debug, PartialEq)]
pub enum Started {
    Began(Run),
    /// The same start was told a moment ago.
    Again(Run),
}

/// The folder of a session. Ids are safe as file names, or made so.
pub fn dir(root: &Root, session_id: &str) -> PathBuf {
    root.data_dir().join("runs").join(file_name(session_id))
}

impl Run {
    pub fn read(dir: &Path) -> Option<Self> {
        serde_json::from_slice(&file::read(&dir.join("run.json")).ok()??).ok()
    }

    fn new(session_id: &str, source: &str, now: Timestamp) -> Self {
        Self {
            session_id: session_id.to_owned(),
            run_id: format!("run_{}", now.format("%Y%m%d_%H%M%S")),
            segment: 1,
            started: now,
            segment_started: now,
            source: source.to_owned(),
            ended: None,
            model: None,
            counts: Counts::default(),
        }
    }

    /// The session's run; where no hook told of its start, it starts now.
    pub fn open(dir: &Path, session_id: &str, now: Timestamp) -> io::Result<Self> {
        if let Some(run) = Self::read(dir) {
            return Ok(run);
        }
        let _lock = file::lock(&dir.join("run.lock"), file::LOCK_WAIT)?;
        if let Some(run) = Self::read(dir) {
            return Ok(run);
        }
        let run = Self::new(session_id, "", now);
        run.write(dir)?;
        Ok(run)
    }

    /// A session starts, or goes on: a resumed one in a new segment, a compacted or cleared one in the same.
    pub fn start(dir: &Path, session_id: &str, source: &str, model: Option<&str>, now: Timestamp) -> io::Result<Started> {
        let _lock = file::lock(&dir.join("run.lock"), file::LOCK_WAIT)?;
        let mut run = match Self::read(dir) {
            None => Self::new(session_id, source, now),
            Some(run) => {
                let apart = now.since(run.segment_started).num_milliseconds();
                if run.source == source && (0..SAME_START_MILLIS).contains(&apart) && run.ended.is_none() {
                    return Ok(Started::Again(run));
                }
                let segment =
                    if matches!(source, "compact" | "clear") || run.source.is_empty() { run.segment } else { run.segment + 1 };
                Self { segment, segment_started: now, source: source.to_owned(), ended: None, ..run }
            }
        };
        if let Some(model) = model {
            run.model = Some(model.to_owned());
        }
        run.write(dir)?;
        Ok(Started::Began(run))
    }

    /// Changes what is written; where no hook told of the session's start, it starts now.
    pub fn update(dir: &Path, session_id: &str, now: Timestamp, change: impl FnOnce(&mut Self)) -> io::Result<()> {
        let _lock = file::lock(&dir.join("run.lock"), file::LOCK_WAIT)?;
        let before = Self::read(dir);
        let mut run = before.clone().unwrap_or_else(|| Self::new(session_id, "", now));
        change(&mut run);
        if before.as_ref() == Some(&run) { Ok(()) } else { run.write(dir) }
    }

    fn write(&self, dir: &Path) -> io::Result<()> {
        file::write_cache(&dir.join("run.json"), &serde_json::to_vec_pretty(self)?)
    }

    /// How recording names this segment.
    pub fn segment_id(&self) -> String {
        format!("{}#{}", self.session_id, self.segment)
    }

    fn last_sign(&self) -> Timestamp {
        self.ended.unwrap_or(self.segment_started).max(self.segment_started)
    }
}

/// The folders of all runs of this clone.
pub fn dirs(root: &Root) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(root.data_dir().join("runs")) else { return Vec::new() };
    let mut dirs: Vec<_> =
        entries.flatten().filter(|entry| entry.file_type().is_ok_and(|kind| kind.is_dir())).map(|entry| entry.path()).collect();
    dirs.sort_unstable();
    dirs
}

/// All runs of this clone with their folders, oldest first.
pub fn list(root: &Root) -> Vec<(PathBuf, Run)> {
    let mut runs: Vec<_> = dirs(root).into_iter().filter_map(|dir| Run::read(&dir).map(|run| (dir, run))).collect();
    runs.sort_by(|(_, a), (_, b)| (a.started, &a.session_id).cmp(&(b.started, &b.session_id)));
    runs
}

/// Deletes the runs in which nothing happened for [`KEEP_DAYS`], and says how many.
pub fn delete_old(root: &Root, now: Timestamp) -> usize {
    let old = |run: &Run| now.since(run.last_sign()).num_days() >= KEEP_DAYS;
    let gone = list(root).into_iter().filter(|(dir, run)| old(run) && std::fs::remove_dir_all(dir).is_ok());
    gone.count()
}

/// Ids are UUIDs; whatever else comes is made safe, and stays different from every other id.
fn file_name(session_id: &str) -> String {
    let safe = |char: char| char.is_ascii_alphanumeric() || matches!(char, '-' | '_');
    if !session_id.is_empty() && session_id.len() <= 100 && session_id.chars().all(safe) && !is_device(session_id) {
        return session_id.to_owned();
    }
    let digest =
        session_id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
    let start: String = session_id.chars().filter(|&char| safe(char)).take(60).collect();
    format!("{start}.{digest:016x}")
}

/// Names that Windows takes for devices.
fn is_device(name: &str) -> bool {
    let name = name.to_ascii_uppercase();
    matches!(name.as_str(), "CON" | "PRN" | "AUX" | "NUL")
        || (name.len() == 4 && (name.starts_with("COM") || name.starts_with("LPT")))
}

#[cfg(test)]
mod tests {
    use super::{KEEP_DAYS, Run, Started, delete_old, dir, file_name, list};
    use crate::model::timestamp::Timestamp;
    use crate::session::root::Root;

    fn at(text: &str) -> Timestamp {
        Timestamp::parse(text).unwrap().0
    }

    fn world() -> (tempfile::TempDir, Root) {
        let dir = tempfile::tempdir().unwrap();
        let root = Root { work_tree: None, git_dir: dir.path().to_owned(), common_dir: dir.path().to_owned() };
        (dir, root)
    }

    #[test]
    fn a_resumed_session_is_the_same_run_in_a_new_segment() {
        let (_dir, root) = world();
        let dir = dir(&root, "s");
        let start = |source: &str, now: &str| match Run::start(&dir, "s", source, None, at(now)).unwrap() {
            Started::Began(run) => (run.segment, run.run_id, true),
            Started::Again(run) => (run.segment, run.run_id, false),
        };
        let id = "run_20261129_101500".to_owned();
        assert_eq!(start("startup", "2026-11-29T10:15:00Z"), (1, id.clone(), true));
        assert_eq!(start("startup", "2026-11-29T10:15:00.020Z"), (1, id.clone(), false));
        assert_eq!(start("compact", "2026-11-29T10:15:01Z"), (1, id.clone(), true));
        Run::update(&dir, "s", at("2026-11-29T11:00:00Z"), |run| run.ended = Some(at("2026-11-29T11:00:00Z"))).unwrap();
        assert_eq!(start("resume", "2026-11-30T10:15:00Z"), (2, id.clone(), true));
        let run = Run::read(&dir).unwrap();
        assert_eq!((run.ended, run.started, run.segment_id().as_str()), (None, at("2026-11-29T10:15:00Z"), "s#2"));
        assert_eq!(Run::open(&dir, "s", at("2026-12-01")).unwrap(), run);
    }

    #[test]
    fn a_session_whose_start_was_not_told_starts_when_it_is_first_seen() {
        let (_dir, root) = world();
        let dir = dir(&root, "late");
        assert_eq!(Run::open(&dir, "late", at("2026-11-29T10:15:00Z")).unwrap().segment, 1);
        let Started::Began(run) = Run::start(&dir, "late", "startup", Some("m"), at("2026-11-29T10:16:00Z")).unwrap() else {
            panic!("it began");
        };
        assert_eq!((run.segment, run.model.as_deref()), (1, Some("m")));
    }

    #[test]
    fn old_runs_go_and_young_ones_stay() {
        let (_dir, root) = world();
        for (id, began) in [("old", "2026-01-01"), ("young", "2026-11-01"), ("future", "2030-01-01")] {
            Run::start(&dir(&root, id), id, "startup", None, at(began)).unwrap();
        }
        assert_eq!(KEEP_DAYS, 180);
        assert_eq!(delete_old(&root, at("2026-11-29")), 1);
        assert_eq!(list(&root).into_iter().map(|(_, run)| run.session_id).collect::<Vec<_>>(), ["young", "future"]);
    }

    #[test]
    fn any_id_makes_a_file_name_of_its_own() {
        assert_eq!(file_name("0f1e-ab_C"), "0f1e-ab_C");
        let odd = ["", "..", "../x", "a/b", "a\\b", "con", "x.y", "ü", &"a".repeat(300), &"a".repeat(301)];
        let names: std::collections::BTreeSet<_> = odd.iter().map(|id| file_name(id)).collect();
        assert_eq!(names.len(), odd.len());
        assert!(
            names.iter().all(|name| name.len() < 100 && name.bytes().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(&b)))
        );
        assert!(names.iter().all(|name| name.len() > 16));
    }
}
