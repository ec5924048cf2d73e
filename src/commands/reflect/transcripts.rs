//! `marvel reflect --transcripts`: what was said before MARVEL listened, from the transcripts that the client keeps. They
//! are read once; what is found waits with the rest.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::super::Context;
use super::Heard;
use crate::capture::category::{Placement, categorise};
use crate::capture::classify::{Turn, classify};
use crate::capture::redact::redact;
use crate::capture::strip::strip;
use crate::capture::transcript::{Reader, Typed};
use crate::error::{Context as _, Error, Result};
use crate::install::place;
use crate::model::guidance::{Guidance, guidance_id};
use crate::model::likeness::{Likeness, compare};
use crate::model::plural::count;
use crate::model::repo_path::RepoPath;
use crate::session::root::Root;
use crate::session::{guidance, transcripts};
use crate::ui::progress::Progress;

/// So many of the last statements are looked through for the same one.
const RECENT: usize = 200;

/// Reads what is new; `folder` is the person's, else those of this project under the client's folder.
pub(super) fn read(folder: Option<&Path>, cx: &Context, heard: &Heard) -> Result<()> {
    let root = heard.repo.root();
    let places = heard.repo.work_trees()?;
    let (files, here_alone) = match folder {
        Some(folder) => {
            let folder = cx.dir.join(folder);
            (transcripts::list(&folder).context(format!("{} cannot be read", folder.display()))?, false)
        }
        None => (of_project(&places)?, true),
    };
    let mut search = Search::new(heard, &root, if here_alone { Some(places) } else { None })?;
    let mut progress = transcripts::progress(&root);
    let mut shown = Progress::new(&cx.ui, "Reading transcripts, prompts");
    let mut prompts = 0;
    for path in &files {
        let name = path.to_string_lossy().into_owned();
        let mut reader = Reader::default();
        let mut typed = Vec::new();
        let from = progress.get(&name).copied().unwrap_or(0);
        let reached = transcripts::read(path, from, &mut |line| {
            typed.extend(reader.line(line));
            shown.at(prompts + typed.len());
        });
        match reached {
            Ok(at) => {
                prompts += typed.len();
                typed.into_iter().try_for_each(|typed| search.judge(typed))?;
                progress.insert(name, at);
            }
            Err(error) => cx.ui.warn(format!("{name} cannot be read: {error}")),
        }
        // what was read once is not read again, whatever ends this
        transcripts::keep_progress(&root, &progress).context("how far the transcripts were read cannot be kept")?;
    }
    cx.ui.note(format!(
        "{}, {} not read before: {} kept",
        count(files.len(), "transcript"),
        count(prompts, "prompt"),
        count(search.kept, "statement")
    ));
    Ok(())
}

/// The transcripts of sessions in these working trees, or below them.
fn of_project(places: &[PathBuf]) -> Result<Vec<PathBuf>> {
    let client = place::client_dir().ok_or_else(|| {
        Error::user("the client's folder is not known")
            .hint("set HOME, or CLAUDE_CONFIG_DIR; or name a folder: `--transcripts DIR`")
    })?;
    let folders = transcripts::folders(&client.join("projects"), places);
    Ok(folders.iter().filter_map(|folder| transcripts::list(folder).ok()).flatten().collect())
}

struct Search<'a> {
    heard: &'a Heard,
    root: &'a Root,
    /// Only sessions that stood here count.
    places: Option<Vec<PathBuf>>,
    known: HashSet<String>,
    /// What hooks heard, by session: it is not counted twice.
    live: HashSet<(String, String)>,
    recent: Vec<String>,
    kept: usize,
}

impl<'a> Search<'a> {
    fn new(heard: &'a Heard, root: &'a Root, places: Option<Vec<PathBuf>>) -> Result<Self> {
        let all = guidance::read_all(root);
        let found = transcripts::found(root).context("what was found in transcripts before cannot be read")?;
        let found: HashSet<String> = found.into_iter().map(|one| one.id).collect();
        Ok(Self {
            heard,
            root,
            places,
            known: all.iter().map(|one| one.id.clone()).collect(),
            live: all.into_iter().filter(|one| !found.contains(&one.id)).map(|one| (one.session_id, one.content)).collect(),
            recent: Vec::new(),
            kept: 0,
        })
    }

    fn judge(&mut self, typed: Typed) -> Result<()> {
        let stood_here = |places: &Vec<PathBuf>| {
            typed.cwd.as_ref().is_some_and(|cwd| places.iter().any(|place| Path::new(cwd).starts_with(place)))
        };
        if self.places.as_ref().is_some_and(|places| !stood_here(places)) {
            return Ok(());
        }
        let stripped = strip(&typed.text);
        if stripped.is_empty() {
            return Ok(());
        }
        let text = stripped.text();
        let said_before = self.recent.iter().rev().take(RECENT).any(|one| matches!(compare(one, &text), Likeness::Same));
        let judgement = classify(&stripped, &Turn { acted: typed.acted, injected_for_file: false, said_before });
        if !judgement.kind.is_stored() {
            return Ok(());
        }
        self.recent.push(text);
        let content = redact(&judgement.content).into_owned();
        let id = guidance_id(typed.at, &[typed.session.as_bytes(), typed.entry.as_bytes(), content.as_bytes()]);
        if self.live.contains(&(typed.session.clone(), content.clone())) || !self.known.insert(id.clone()) {
            return Ok(());
        }
        let file: Option<RepoPath> = typed.file.as_ref().and_then(|file| self.root.relative(Path::new(file)));
        let Placement { category, pack } =
            categorise(&judgement.content, file.as_ref(), &self.heard.packs, &[], &self.heard.config.keywords);
        let guidance = Guidance {
            id,
            timestamp: typed.at,
            run_id: typed.session.clone(),
            session_id: typed.session,
            agent_id: None,
            kind: judgement.kind,
            content,
            category,
            pack: pack.map(|pack| pack.to_string()),
            confidence: judgement.confidence,
            file: file.map(|file| file.to_string()),
            tool: typed.tool,
            injected: Vec::new(),
            lang: judgement.lang.to_owned(),
            reason: Some(judgement.reason),
        };
        transcripts::keep(self.root, &guidance).context("what was found in a transcript cannot be kept")?;
        self.kept += 1;
        Ok(())
    }
}
