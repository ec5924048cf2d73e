//! Files that appear whole or not at all, lines that are appended whole, and locks with a deadline. Everything that
//! MARVEL keeps for itself is readable by its owner alone; files of the working tree keep the mode that they have.
//! What the files mean is their own modules'.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::model::jsonl::BOM;

/// How long a writer waits for another one before it gives up.
pub const LOCK_WAIT: Duration = Duration::from_millis(1_000);

/// The file's bytes; `None` where there is no such file.
pub fn read(path: &Path) -> io::Result<Option<Vec<u8>>> {
    match fs::read(path) {
        Ok(bytes) => Ok(Some(bytes)),
        Err(error) if is_missing(&error) => Ok(None),
        Err(error) => Err(error),
    }
}

/// The records of a file of JSON lines. Lines that do not read (torn, foreign, NULs of an unclean stop) are passed over.
pub fn read_jsonl<T: DeserializeOwned>(path: &Path) -> io::Result<Vec<T>> {
    let bytes = read(path)?.unwrap_or_default();
    Ok(lines(&bytes).filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// The lines of a file that are not blank, without their ends, BOMs and NULs at either side.
pub fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n').filter_map(|line| {
        let line = line.strip_prefix(BOM).unwrap_or(line);
        let noise = |byte: &u8| *byte == 0 || byte.is_ascii_whitespace();
        let start = line.iter().position(|byte| !noise(byte))?;
        let end = line.iter().rposition(|byte| !noise(byte))?;
        Some(&line[start..=end])
    })
}

/// Writes a private file durably: a temporary file beside it, synced, then renamed over it.
pub fn write_atomic(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, bytes, Durability::Synced)
}

/// As [`write_atomic`], without waiting for the disk: for what can be computed again.
pub fn write_cache(path: &Path, bytes: &[u8]) -> io::Result<()> {
    put(path, bytes, Durability::Cache)
}

/// Writes a file of the working tree: its mode stays, a link is followed to what it names, and a new file gets the
/// mode that the person's umask gives.
pub fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let target = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    let permissions = fs::metadata(&target).ok().map(|metadata| metadata.permissions());
    let (temporary, mut file) = beside(&target, Privacy::Umask)?;
    let written = (|| {
        file.write_all(bytes)?;
        if let Some(permissions) = permissions {
            file.set_permissions(permissions)?;
        }
        file.sync_all()?;
        drop(file);
        fs::rename(&temporary, &target)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

/// Appends one line with a single write, under a lock on the file itself. A last line without an end gets one first, so
/// that a torn record never swallows the next.
pub fn append_line(path: &Path, line: &str) -> io::Result<()> {
    debug_assert!(!line.contains('\n'), "one line");
    let mut file = match open_append(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_parent(path)?;
            open_append(path)?
        }
        opened => opened?,
    };
    wait_for(&file, LOCK_WAIT)?;
    let mut buffer = Vec::with_capacity(line.len() + 2);
    if !ends_with_newline(&mut file)? {
        buffer.push(b'\n');
    }
    buffer.extend_from_slice(line.as_bytes());
    buffer.push(b'\n');
    file.write_all(&buffer)
}

/// As [`append_line`], for a record.
pub fn append_json(path: &Path, record: &impl Serialize) -> io::Result<()> {
    append_line(path, &serde_json::to_string(record)?)
}

/// Makes a folder, and those above it, for its owner alone.
pub fn create_dir(path: &Path) -> io::Result<()> {
    let mut builder = DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(path)
}

/// Held until it is dropped.
#[derive(Debug)]
pub struct Lock {
    pub file: File,
}

/// Opens (or makes) a private file for reading and appending, and locks it; a lock that is not given within `wait` is an error of kind
/// `WouldBlock`.
pub fn lock(path: &Path, wait: Duration) -> io::Result<Lock> {
    let file = match open_append(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_parent(path)?;
            open_append(path)?
        }
        opened => opened?,
    };
    wait_for(&file, wait)?;
    Ok(Lock { file })
}

#[derive(Clone, Copy)]
enum Durability {
    Synced,
    Cache,
}

fn put(path: &Path, bytes: &[u8], durability: Durability) -> io::Result<()> {
    let (temporary, mut file) = match beside(path, Privacy::Owner) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            create_parent(path)?;
            beside(path, Privacy::Owner)?
        }
        opened => opened?,
    };
    let written = (|| {
        file.write_all(bytes)?;
        if let Durability::Synced = durability {
            file.sync_all()?;
        }
        drop(file);
        fs::rename(&temporary, path)
    })();
    if written.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    written
}

#[derive(Clone, Copy)]
enum Privacy {
    Owner,
    Umask,
}

/// A new file beside `path`, with a name that nobody else takes.
fn beside(path: &Path, privacy: Privacy) -> io::Result<(PathBuf, File)> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let name = path.file_name().ok_or_else(|| io::Error::new(io::ErrorKind::InvalidInput, "not a file's path"))?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    if let Privacy::Owner = privacy {
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    }
    loop {
        let mut temporary = name.to_owned();
        temporary.push(format!(".{}-{}.tmp", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed)));
        let temporary = path.with_file_name(temporary);
        match options.open(&temporary) {
            Ok(file) => return Ok((temporary, file)),
            // left behind by a process of the same number that was killed
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

fn create_parent(path: &Path) -> io::Result<()> {
    path.parent().map_or(Ok(()), create_dir)
}

/// Never through a link: what stands in a repository may have been put there by somebody else.
fn open_append(path: &Path) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).append(true).create(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt as _;
        options.mode(0o600).custom_flags(libc::O_NOFOLLOW);
    }
    options.open(path)
}

fn wait_for(file: &File, wait: Duration) -> io::Result<()> {
    let mut began = None;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(()),
            // a file system without locks: appends stay whole, since each is one write
            Err(TryLockError::Error(error)) if error.kind() == io::ErrorKind::Unsupported => return Ok(()),
            Err(TryLockError::Error(error)) => return Err(error),
            Err(TryLockError::WouldBlock) if began.get_or_insert_with(Instant::now).elapsed() >= wait => {
                return Err(io::Error::new(io::ErrorKind::WouldBlock, "another process holds the lock"));
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    let mut last = [0];
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == [b'\n'])
}

/// Whether the error says that nothing is there: no such file, or something else than a folder on the way to it.
pub fn is_missing(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use super::{append_line, lock, read, read_jsonl, replace, write_atomic};
    use std::io::ErrorKind;
    use std::time::Duration;

    #[test]
    fn jl08_a_torn_line_does_not_swallow_the_next() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a/b.jsonl");
        write_atomic(&path, b"1\n{\"title\":\"caf\xc3").unwrap();
        append_line(&path, "2").unwrap();
        append_line(&path, "3").unwrap();
        assert_eq!(read(&path).unwrap().unwrap(), b"1\n{\"title\":\"caf\xc3\n2\n3\n");
        assert_eq!(read_jsonl::<u32>(&path).unwrap(), [1, 2, 3]);
    }

    #[test]
    fn jl07_a_record_behind_nuls_is_read() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("b.jsonl");
        write_atomic(&path, b"\xef\xbb\xbf1\r\n\0\0\0\x002\n[\n\n3").unwrap();
        assert_eq!(read_jsonl::<u32>(&path).unwrap(), [1, 2, 3]);
        assert!(read_jsonl::<u32>(&dir.path().join("none")).unwrap().is_empty());
        assert_eq!(read(&path.join("below-a-file")).unwrap(), None);
    }

    #[test]
    fn jl14_lines_of_many_writers_stay_whole() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("c.jsonl");
        std::thread::scope(|scope| {
            for writer in 0..8 {
                let path = &path;
                scope.spawn(move || (0..50).for_each(|i| append_line(path, &(writer * 100 + i).to_string()).unwrap()));
            }
        });
        let mut found = read_jsonl::<u32>(&path).unwrap();
        found.sort_unstable();
        assert_eq!(found, (0..8).flat_map(|writer| (0..50).map(move |i| writer * 100 + i)).collect::<Vec<_>>());
    }

    #[test]
    fn a_lock_is_waited_for_only_so_long() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("lock");
        let held = lock(&path, Duration::ZERO).unwrap();
        assert_eq!(lock(&path, Duration::from_millis(5)).unwrap_err().kind(), ErrorKind::WouldBlock);
        drop(held);
        lock(&path, Duration::ZERO).unwrap();
    }

    #[cfg(unix)]
    #[test]
    fn jl16_private_files_are_private_and_never_written_through_a_link() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let mode = |path: &std::path::Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
        let path = dir.path().join("d/e.jsonl");
        append_line(&path, "1").unwrap();
        assert_eq!((mode(&path), mode(&dir.path().join("d"))), (0o600, 0o700));
        write_atomic(&path, b"2").unwrap();
        assert_eq!(mode(&path), 0o600);
        let link = dir.path().join("link");
        std::os::unix::fs::symlink(&path, &link).unwrap();
        append_line(&link, "3").unwrap_err();
        lock(&link, Duration::ZERO).unwrap_err();
        assert_eq!(read(&path).unwrap().unwrap(), b"2");
    }

    #[cfg(unix)]
    #[test]
    fn a_file_of_the_working_tree_keeps_its_mode_and_its_link() {
        use std::os::unix::fs::PermissionsExt as _;
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("hook.sh");
        replace(&path, b"a").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
        let link = dir.path().join("link");
        std::os::unix::fs::symlink("hook.sh", &link).unwrap();
        replace(&link, b"b").unwrap();
        assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o755);
        assert_eq!(read(&path).unwrap().unwrap(), b"b");
        assert_eq!(std::fs::read_dir(dir.path()).unwrap().count(), 2);
    }
}
