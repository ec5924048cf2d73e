//! A file as it is and as it shall be: shown as a diff, or carried out. What shall be is worked out elsewhere.

use std::io;
use std::path::{Path, PathBuf};

use crate::session::file;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    pub path: PathBuf,
    /// `None`: there is no such file.
    pub before: Option<Vec<u8>>,
    /// `None`: the file goes.
    pub after: Option<Vec<u8>>,
    /// Whether a new file is a program.
    pub executable: bool,
}

impl Change {
    /// A plain file's; nothing where it is as it shall be.
    pub fn of(path: PathBuf, after: Option<Vec<u8>>) -> io::Result<Option<Self>> {
        let before = file::read(&path)?;
        Ok((before != after).then_some(Self { path, before, after, executable: false }))
    }

    /// Carries it out: whole or not at all.
    pub fn apply(&self) -> io::Result<()> {
        let Some(after) = &self.after else {
            return match std::fs::remove_file(&self.path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
                _ => Ok(()),
            };
        };
        file::replace(&self.path, after)?;
        #[cfg(unix)]
        if self.executable && self.before.is_none() {
            use std::os::unix::fs::PermissionsExt as _;
            let mode = std::fs::metadata(&self.path)?.permissions().mode();
            // whoever may read it may run it, as the person's umask has it
            std::fs::set_permissions(&self.path, std::fs::Permissions::from_mode(mode | ((mode & 0o444) >> 2)))?;
        }
        Ok(())
    }
}

/// Takes folders away that are empty, from `folder` up to, but without, `top`.
pub fn remove_empty_folders(folder: &Path, top: &Path) {
    for folder in folder.ancestors().take_while(|folder| *folder != top && folder.starts_with(top)) {
        if std::fs::remove_dir(folder).is_err() {
            return;
        }
    }
}
