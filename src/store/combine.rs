//! Makes one state of the packs out of two tips': each file by its own rule, with history as the judge of what is newer.
//! Which tips, and what becomes of the result, is `stand`'s and `sync`'s.

use std::collections::BTreeSet;
use std::fmt;

use super::history::{Divergence, History};
use super::id::Id;
use super::repo::Repo;
use super::versions::{Reader, Versions};
use crate::error::{Context as _, Error, Result};
use crate::merge::{Side, lessons, meta};
use crate::model::lesson::Lesson;
use crate::model::pack::{LESSONS_FILE, META_FILE, PACKS_DIR, PackName};
use crate::model::pack_files::PackFiles;
use crate::model::visible::escape;
use crate::session::file::create_dir;

/// Two states made one.
#[derive(Clone, Debug, Default)]
pub struct Combined {
    /// With conflict markers where there are conflicts.
    pub files: PackFiles,
    pub conflicts: Vec<Conflict>,
    /// What became of lessons, by pack.
    pub report: Vec<(PackName, lessons::Resolution)>,
}

/// Where the two sides cannot both be right: in these fields of a lesson, in this property of a `pack.json`, somewhere in
/// a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Conflict {
    Lesson { path: String, title: String, fields: Vec<String> },
    Property { path: String, property: String },
    Text { path: String },
}

impl fmt::Display for Conflict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Lesson { path, title, fields } => {
                write!(f, "{}: {:?} was changed on both sides: {}", escape(path), escape(title), escape(&fields.join(", ")))
            }
            Self::Property { path, property } => write!(f, "{}: {} was changed on both sides", escape(path), escape(property)),
            Self::Text { path } => write!(f, "{} was changed on both sides", escape(path)),
        }
    }
}

/// The packs of two tips, made one.
pub(super) fn combine(history: &mut History<'_>, repo: &Repo, ours: Id, theirs: Id, apart: &Divergence) -> Result<Combined> {
    let mut reader = Reader::new(repo);
    let mut our_versions = reader.stretch(history, ours, &apart.left)?;
    let mut their_versions = reader.stretch(history, theirs, &apart.right)?;
    let base = match apart.bases.split_first() {
        Some((first, others)) => {
            // with several merge bases, what stood at any of them is old news to both sides
            for other in others {
                let packs = history.packs_at(*other)?;
                reader.add_state(&mut our_versions, packs)?;
                reader.add_state(&mut their_versions, packs)?;
            }
            history.packs_at(*first)?
        }
        None => None,
    };
    let (ours, theirs) = (history.packs_at(ours)?, history.packs_at(theirs)?);
    let task = Task { repo, our_versions, their_versions };
    let (base_files, our_files, their_files) = (reader.files(base)?, reader.files(ours)?, reader.files(theirs)?);
    let (base_blobs, our_blobs, their_blobs) = (reader.state(base)?, reader.state(ours)?, reader.state(theirs)?);
    let paths: BTreeSet<&String> = base_blobs.keys().chain(our_blobs.keys()).chain(their_blobs.keys()).collect();
    let mut combined = Combined::default();
    for path in paths {
        let (o, t) = (our_blobs.get(path).copied(), their_blobs.get(path).copied());
        let versions = Three {
            base: base_files.get(path),
            ours: our_files.get(path),
            theirs: their_files.get(path),
            our_blob: o,
            their_blob: t,
        };
        if let Some(bytes) = task.file(path, &versions, &mut combined)? {
            combined.files.set(path.as_str(), bytes);
        }
    }
    Ok(combined)
}

struct Task<'r> {
    repo: &'r Repo,
    our_versions: Versions,
    their_versions: Versions,
}

struct Three<'a> {
    base: Option<&'a [u8]>,
    ours: Option<&'a [u8]>,
    theirs: Option<&'a [u8]>,
    our_blob: Option<Id>,
    their_blob: Option<Id>,
}

impl Task<'_> {
    /// The file as it is to be; `None` where it is to be none.
    fn file(&self, path: &str, three: &Three<'_>, combined: &mut Combined) -> Result<Option<Vec<u8>>> {
        let Three { base, ours, theirs, .. } = *three;
        let own = |bytes: Option<&[u8]>| Ok(bytes.map(<[u8]>::to_vec));
        if ours == theirs {
            return own(ours);
        }
        let (o_known, t_known) =
            (self.their_versions.had_file(path, three.our_blob), self.our_versions.had_file(path, three.their_blob));
        match path.strip_prefix(PACKS_DIR).and_then(|rest| rest.strip_prefix('/')?.split_once('/')) {
            Some((pack, LESSONS_FILE)) if PackName::new(pack).is_some() && ours.is_some() && theirs.is_some() => {
                return self.lessons(path, &PackName::new(pack).expect("just made"), three, combined).map(Some);
            }
            _ => {}
        }
        match (o_known, t_known) {
            (true, false) => return own(theirs),
            (false, true) => return own(ours),
            _ => {}
        }
        match (base, ours, theirs) {
            (base, ours, theirs) if ours == base => own(theirs),
            (base, ours, theirs) if theirs == base => own(ours),
            (base, Some(ours), Some(theirs)) if path.ends_with(&format!("/{META_FILE}")) => {
                match meta::merge(base, ours, theirs, lessons::MARKER_SIZE) {
                    Ok(merged) => {
                        let fields = merged.conflicts.into_iter();
                        let conflict = |property| Conflict::Property { path: path.to_owned(), property };
                        combined.conflicts.extend(fields.map(conflict));
                        Ok(Some(merged.bytes))
                    }
                    // what is no JSON is text like any other
                    Err(_) => self.text(path, base.unwrap_or_default(), ours, theirs, combined).map(Some),
                }
            }
            (base, Some(ours), Some(theirs)) => self.text(path, base.unwrap_or_default(), ours, theirs, combined).map(Some),
            // one side took the file away, the other one changed it: the change stays
            (_, ours, theirs) => own(ours.or(theirs)),
        }
    }

    fn lessons(&self, path: &str, pack: &PackName, three: &Three<'_>, combined: &mut Combined) -> Result<Vec<u8>> {
        let newer = |id: &_, ours: Option<&Lesson>, theirs: Option<&Lesson>| match (
            self.their_versions.had_lesson(pack, id, ours),
            self.our_versions.had_lesson(pack, id, theirs),
        ) {
            (true, false) => Some(Side::Theirs),
            (false, true) => Some(Side::Ours),
            _ => None,
        };
        let options = lessons::Options { newer: Some(&newer), ..lessons::Options::default() };
        let (ours, theirs) = (three.ours.unwrap_or_default(), three.theirs.unwrap_or_default());
        let merged = lessons::merge(three.base, ours, theirs, &options)
            .map_err(|refused| Error::conflict(format!("{path} cannot be merged")).caused_by(refused))?;
        let conflicts = merged.conflicts.into_iter();
        combined.conflicts.extend(conflicts.map(|lessons::Conflict { title, fields, .. }| Conflict::Lesson {
            path: path.to_owned(),
            title,
            fields,
        }));
        combined.report.extend(merged.report.into_iter().map(|resolution| (pack.clone(), resolution)));
        Ok(merged.bytes)
    }

    /// A three-way merge of text, as git does it.
    fn text(&self, path: &str, base: &[u8], ours: &[u8], theirs: &[u8], combined: &mut Combined) -> Result<Vec<u8>> {
        let (merged, clean) = merge_text(self.repo, base, ours, theirs).map_err(|error| {
            let message = format!("{path} cannot be merged: {}", error.message);
            Error { message, ..error }
        })?;
        if !clean {
            combined.conflicts.push(Conflict::Text { path: path.to_owned() });
        }
        Ok(merged)
    }
}

/// `git merge-file`: the merged text, and whether it is free of conflicts.
pub fn merge_text(repo: &Repo, base: &[u8], ours: &[u8], theirs: &[u8]) -> Result<(Vec<u8>, bool)> {
    let folder = repo.common_dir().join("marvel");
    create_dir(&folder).context("there is no place for temporary files")?;
    let folder = tempfile::Builder::new().prefix("merge-").tempdir_in(folder).context("there is no place for temporary files")?;
    let mut paths = Vec::new();
    for (name, bytes) in [("ours", ours), ("base", base), ("theirs", theirs)] {
        let path = folder.path().join(name);
        crate::session::file::replace(&path, bytes).context("a temporary file cannot be written")?;
        paths.push(path);
    }
    let git = repo.git().args(["merge-file", "-p", "-q", "-L", "ours", "-L", "base", "-L", "theirs"]).args(paths);
    let output = git.output().context("git merge-file cannot be run")?;
    match output.code {
        0 => Ok((output.stdout, true)),
        1..=127 => Ok((output.stdout, false)),
        _ => Err(Error::user(format!("git merge-file: {}", output.stderr))),
    }
}
