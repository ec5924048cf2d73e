//! What of the client's settings was there before MARVEL came, where the files themselves cannot tell: kept in the clone, so that
//! `--uninstall` gives back what was.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::settings::Before;
use crate::session::file;
use crate::session::root::Root;

#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Record {
    /// By the settings file's path.
    settings: BTreeMap<String, Before>,
}

impl Record {
    pub fn path(root: &Root) -> PathBuf {
        root.data_dir().join("install.json")
    }

    /// A record that does not read counts as none.
    pub fn read(root: &Root) -> io::Result<Self> {
        Ok(file::read(&Self::path(root))?.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default())
    }

    /// Whether this clone put our entries into that file.
    pub fn has(&self, settings: &Path) -> bool {
        self.settings.contains_key(&*settings.to_string_lossy())
    }

    pub fn before(&self, settings: &Path) -> Before {
        self.settings.get(&*settings.to_string_lossy()).cloned().unwrap_or_default()
    }

    /// Remembers a file that is about to get our entries; one that has them already was remembered then.
    pub fn remember(&mut self, settings: &Path, bytes: Option<&[u8]>) {
        if let Some(before) = Before::of(bytes) {
            self.settings.insert(settings.to_string_lossy().into_owned(), before);
        }
    }

    pub fn write(&self, root: &Root) -> io::Result<()> {
        let text = serde_json::to_string(self).expect("plain data always serialises");
        file::write_atomic(&Self::path(root), text.as_bytes())
    }
}
