//! The transcripts that the client keeps, as files: how far each was read, and what was found in them. They are the
//! client's and are never written. What a line says is `capture::transcript`'s.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use super::file;
use super::root::Root;
use crate::model::guidance::Guidance;

/// A longer line is no prompt.
const MAX_LINE: u64 = 4 * 1024 * 1024;

/// Bytes read of each transcript.
pub type Progress = BTreeMap<String, u64>;

fn dir(root: &Root) -> PathBuf {
    root.data_dir().join("transcripts")
}

/// Nothing where nothing was read, or the file does not read: then everything is read again, and nothing is kept twice.
pub fn progress(root: &Root) -> Progress {
    let bytes = file::read(&dir(root).join("read.json")).ok().flatten();
    bytes.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

pub fn keep_progress(root: &Root, progress: &Progress) -> io::Result<()> {
    file::write_cache(&dir(root).join("read.json"), &serde_json::to_vec_pretty(progress)?)
}

/// What was found, oldest first.
pub fn found(root: &Root) -> io::Result<Vec<Guidance>> {
    file::read_jsonl(&dir(root).join("guidance.jsonl"))
}

pub fn keep(root: &Root, guidance: &Guidance) -> io::Result<()> {
    file::append_json(&dir(root).join("guidance.jsonl"), guidance)
}

/// The transcripts in a folder, by name.
pub fn list(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)?
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "jsonl") && path.is_file())
        .collect();
    paths.sort();
    Ok(paths)
}

/// The folders of a projects folder that may be about one of these places: the client writes every other character of a
/// path than letters and digits as `-`, so that a folder's name says where the session stood, but not for sure.
pub fn folders(projects: &Path, places: &[PathBuf]) -> Vec<PathBuf> {
    let encoded = |place: &PathBuf| -> String {
        place.to_string_lossy().chars().map(|char| if char.is_ascii_alphanumeric() { char } else { '-' }).collect()
    };
    let names: Vec<String> = places.iter().map(encoded).collect();
    let fits = |name: &str| {
        names.iter().any(|own| name.strip_prefix(own.as_str()).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
    };
    let entries = std::fs::read_dir(projects).into_iter().flatten().flatten();
    let mut found: Vec<PathBuf> = entries
        .filter(|entry| fits(&entry.file_name().to_string_lossy()))
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort();
    found
}

/// Gives the whole lines behind `from` to `each`, and says up to where they reach. A file that has become shorter is read
/// from its beginning.
pub fn read(path: &Path, from: u64, each: &mut dyn FnMut(&str)) -> io::Result<u64> {
    let mut file = File::open(path)?;
    let from = if file.metadata()?.len() < from { 0 } else { from };
    file.seek(SeekFrom::Start(from))?;
    let mut reader = BufReader::with_capacity(256 * 1024, file);
    let (mut at, mut line) = (from, Vec::new());
    loop {
        line.clear();
        let taken = reader.by_ref().take(MAX_LINE).read_until(b'\n', &mut line)? as u64;
        if line.last() == Some(&b'\n') {
            at += taken;
            if let Ok(text) = std::str::from_utf8(&line) {
                each(text.trim_end());
            }
        } else if taken == MAX_LINE {
            // a line without an end in sight: what it is does not matter here
            let skipped = skip_line(&mut reader)?;
            let Some(skipped) = skipped else { return Ok(at) };
            at += taken + skipped;
        } else {
            // the client is still writing it
            return Ok(at);
        }
    }
}

/// To behind the end of the line; `None` where the file ends first.
fn skip_line(reader: &mut BufReader<File>) -> io::Result<Option<u64>> {
    let mut skipped = 0;
    loop {
        let buffer = reader.fill_buf()?;
        if buffer.is_empty() {
            return Ok(None);
        }
        let end = buffer.iter().position(|&byte| byte == b'\n');
        let taken = end.map_or(buffer.len(), |end| end + 1);
        reader.consume(taken);
        skipped += taken as u64;
        if end.is_some() {
            return Ok(Some(skipped));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_LINE, folders, read};
    use std::path::PathBuf;

    fn lines(path: &std::path::Path, from: u64) -> (Vec<String>, u64) {
        let mut found = Vec::new();
        let at = read(path, from, &mut |line| found.push(line.chars().take(9).collect())).unwrap();
        (found, at)
    }

    #[test]
    fn only_what_is_new_and_whole_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("t.jsonl");
        let put = |text: &str| crate::session::file::write_cache(&path, text.as_bytes()).unwrap();
        put("one\ntwo\nthr");
        assert_eq!(lines(&path, 0), (vec!["one".to_owned(), "two".to_owned()], 8));
        put("one\ntwo\nthree\n");
        assert_eq!(lines(&path, 8), (vec!["three".to_owned()], 14));
        assert_eq!(lines(&path, 14), (Vec::new(), 14));
        put("new\n");
        assert_eq!(lines(&path, 14), (vec!["new".to_owned()], 4));
        let long = "x".repeat(usize::try_from(MAX_LINE).unwrap() * 2 + 5);
        put(&format!("a\n{long}\nb\n"));
        assert_eq!(lines(&path, 0).0, ["a", "b"]);
        put(&format!("a\n{long}"));
        assert_eq!(lines(&path, 0), (vec!["a".to_owned()], 2));
    }

    #[test]
    fn folders_of_a_place_and_of_what_is_below_it_are_found() {
        let dir = tempfile::tempdir().unwrap();
        for name in ["-home-ada-my-app", "-home-ada-my-app-packages-web", "-home-ada-my-apple", "-home-ada"] {
            std::fs::create_dir(dir.path().join(name)).unwrap();
        }
        let found = folders(dir.path(), &[PathBuf::from("/home/ada/my.app")]);
        let names: Vec<_> = found.iter().map(|path| path.file_name().unwrap().to_string_lossy().into_owned()).collect();
        assert_eq!(names, ["-home-ada-my-app", "-home-ada-my-app-packages-web"]);
        assert!(folders(&dir.path().join("none"), &[]).is_empty());
    }
}
