//! What is installed, read from the files as they are now: what `init` sums up, `status` shows and `doctor` judges.

use std::path::PathBuf;

use super::entries::EVENTS;
use super::git_hooks::{self, Folder, HOOKS};
use super::json_text::Problem;
use super::place::{Place, Scope};
use super::reach::{Reach, reach};
use super::seal::{self, Owner};
use super::settings::{self, Found, Switches};
use super::{merge_driver, skills};
use crate::error::{Context as _, Result};
use crate::session::file;

#[derive(Clone, Debug)]
pub struct Installed {
    /// Whether sessions that were started elsewhere may use these packs.
    pub marked: bool,
    pub settings: Vec<SettingsFile>,
    pub skills: Vec<Skill>,
    pub hooks_folder: Folder,
    pub git_hooks: Vec<(&'static str, git_hooks::State)>,
    pub merge_driver: bool,
    pub packs: Vec<Reach>,
}

/// One of the client's settings files.
#[derive(Clone, Debug)]
pub struct SettingsFile {
    pub scope: Scope,
    pub path: PathBuf,
    /// As a person calls it.
    pub shown: String,
    pub exists: bool,
    /// Our handlers, or why the file does not read.
    pub entries: Result<Vec<Found>, Problem>,
    /// Whether every event has its handler, once and as of this version.
    pub complete: bool,
    pub switches: Switches,
}

impl SettingsFile {
    /// How many of our events have a handler here.
    pub fn alive(&self) -> usize {
        let found = self.entries.as_deref().unwrap_or_default();
        EVENTS.iter().filter(|event| found.iter().any(|entry| entry.event == event.name)).count()
    }
}

/// One skill's file.
#[derive(Clone, Debug)]
pub struct Skill {
    pub shown: String,
    pub owner: Owner,
    pub current: bool,
}

impl Installed {
    /// The files that hold handlers of ours.
    pub fn hooked(&self) -> impl Iterator<Item = &SettingsFile> {
        self.settings.iter().filter(|file| file.alive() > 0)
    }

    /// Whether the client's hooks run: with all events, from a settings file or the plugin.
    pub fn is_alive(&self) -> bool {
        !self.settings.iter().any(|file| file.switches.hooks_off)
            && (self.has_plugin() || self.settings.iter().any(|file| file.alive() == EVENTS.len()))
    }

    pub fn has_plugin(&self) -> bool {
        self.settings.iter().any(|file| file.switches.plugin)
    }

    /// Packs that nothing here calls for.
    pub fn silent_packs(&self) -> impl Iterator<Item = &Reach> {
        self.packs.iter().filter(|pack| pack.is_silent())
    }
}

pub fn read(place: &Place) -> Result<Installed> {
    let hooks_folder = Folder::find(place)?;
    let mut git_hooks = Vec::new();
    for hook in HOOKS {
        let state = hooks_folder.state(hook).context(format!("the git hook {hook} cannot be read"))?;
        git_hooks.push((hook, state));
    }
    let mut settings = Vec::new();
    for scope in Scope::ALL {
        if let Ok(path) = place.settings(scope) {
            settings.push(settings_file(place, scope, path)?);
        }
    }
    let packs = place.repo.packs_here()?;
    let files = place.files()?;
    let metas = packs.packs().into_iter().filter_map(|name| packs.meta(&name)?.ok());
    Ok(Installed {
        marked: place.root.is_marked(),
        settings,
        skills: skills_in(place)?,
        hooks_folder,
        git_hooks,
        merge_driver: merge_driver::is_registered(&place.repo)?,
        packs: metas.map(|meta| reach(&meta, &files)).collect(),
    })
}

fn settings_file(place: &Place, scope: Scope, path: PathBuf) -> Result<SettingsFile> {
    let shown = place.shown(&path);
    let bytes = file::read(&path).context(format!("{shown} cannot be read"))?;
    let exists = bytes.is_some();
    let bytes = bytes.unwrap_or_default();
    let entries = settings::entries(&bytes);
    let complete = entries.as_ref().is_ok_and(|found| settings::is_complete(found, &place.form(scope)));
    Ok(SettingsFile { scope, path, shown, exists, entries, complete, switches: settings::switches(&bytes) })
}

/// The skills of ours that are there, in the repository and among the person's own.
fn skills_in(place: &Place) -> Result<Vec<Skill>> {
    let mut found = Vec::new();
    for folder in place.skill_folders() {
        for (name, text) in skills::files() {
            let path = folder.join(name);
            let shown = place.shown(&path);
            if let Some(bytes) = file::read(&path).context(format!("{shown} cannot be read"))? {
                found.push(Skill { shown, owner: seal::owner(&bytes), current: bytes == text.as_bytes() });
            }
        }
    }
    Ok(found)
}
