//! A branch of its own for a few lessons: from the base, each lesson one commit with the message that it has on the packs
//! branch, which stays as it is.

use super::branch::{Committed, Outcome};
use super::history::{Follow, History};
use super::id::Id;
use super::identity::Identity;
use super::message::{Action, Message, Trailers};
use super::repo::Repo;
use super::swap::{Target, swing};
use crate::error::{Error, Result};
use crate::model::config::Config;
use crate::model::lesson::{Lesson, LessonId};
use crate::model::pack::{LESSONS_FILE, PACKS_DIR, PackName};
use crate::model::pack_files::PackFiles;
use crate::model::visible::escape;

/// Makes the branch (without `refs/heads/`), which must not exist yet. `lessons` are the first digits of ids.
pub fn make(repo: &Repo, config: &Config, identity: &Identity, lessons: &[String], branch: &str) -> Result<Outcome> {
    let name = format!("refs/heads/{branch}");
    refuse_name(repo, config, branch, &name)?;
    let sign = repo.signs(config.sign)?;
    swing(repo, &name, identity, || {
        refuse_name(repo, config, branch, &name)?;
        let (root, outcome) = plan(repo, config, lessons, branch)?;
        let mut parent = root;
        let mut tree = root.map(|root| repo.commit(root)).transpose()?.map(|commit| commit.tree);
        let mut commits = Vec::new();
        for committed in outcome.commits {
            let written = repo.write_packs(tree, &committed.before, &committed.after)?;
            let id = repo.write_commit(written, parent.as_slice(), &committed.message.to_text(), identity, sign)?;
            (parent, tree) = (Some(id), Some(written));
            commits.push(Committed { id: Some(id), ..committed });
        }
        let target = parent.map(|new| Target { old: None, new, log: "marvel: sync: a branch for lessons".to_owned() });
        Ok((Outcome { commits, ..outcome }, target))
    })
}

/// What [`make`] would commit; nothing is written.
pub fn dry_run(repo: &Repo, config: &Config, lessons: &[String], branch: &str) -> Result<Outcome> {
    refuse_name(repo, config, branch, &format!("refs/heads/{branch}"))?;
    Ok(plan(repo, config, lessons, branch)?.1)
}

fn refuse_name(repo: &Repo, config: &Config, branch: &str, name: &str) -> Result<()> {
    let shown = escape(branch).into_owned();
    if gix::refs::FullName::try_from(name).is_err() || branch.starts_with('-') {
        return Err(Error::usage(format!("`{shown}` is no name for a branch")));
    }
    if branch == config.branch {
        return Err(Error::usage(format!("{shown} is the packs branch itself: name another one")));
    }
    match repo.find_ref(name)? {
        None => Ok(()),
        Some(_) => {
            Err(Error::user(format!("there is a branch {shown} already")).hint("name one that does not exist: --as OTHER"))
        }
    }
}

/// The commit that the branch begins at, and the commits to come.
fn plan(repo: &Repo, config: &Config, lessons: &[String], branch: &str) -> Result<(Option<Id>, Outcome)> {
    let base = repo.base(config)?;
    let packs_branch = repo.packs_branch(config)?;
    let Some(tip) = packs_branch.tip() else {
        return Err(Error::user(format!("there is no branch {} yet", escape(&config.branch))).hint("`marvel promote` makes it"));
    };
    let packs = repo.packs_at(tip)?;
    let base_packs = base.tip.map_or_else(|| Ok(PackFiles::default()), |base| repo.packs_at(base))?;
    let messages = Messages::read(repo, tip, base.tip)?;
    let mut now = base_packs.clone();
    let mut commits = Vec::new();
    for which in lessons {
        let (pack, id) = find(which, &packs, &base_packs)?;
        if !now.has_pack(&pack) {
            let before = now.clone();
            bring_pack(&pack, &packs, &mut now);
            let message = Message::new(Action::Pack, Some(pack.clone()), format!("Add the pack {pack}"));
            commits.push(Committed { id: None, message, before, after: now.clone() });
        }
        let before = now.clone();
        let wanted = packs.lessons(&pack);
        let mut file = now.lessons(&pack);
        let changed = match (wanted.record(&id), file.find(&id).is_some()) {
            (Some(record), true) => file.replace(&id, &record),
            (Some(record), false) => file.append(&record),
            (None, true) => file.remove(&id),
            (None, false) => Ok(()),
        };
        changed.map_err(|error| Error::conflict(format!("{} cannot be changed", pack.path(LESSONS_FILE))).caused_by(error))?;
        now.set_file(&pack, LESSONS_FILE, file.to_bytes());
        if now == before {
            return Err(Error::user(format!("{} has lesson {id} of pack {pack} as it is already", escape(base.short()))));
        }
        let lesson = wanted.find(&id).cloned().or_else(|| base_packs.lessons(&pack).find(&id).cloned());
        let message = messages.of(&pack, &id, lesson.as_ref(), wanted.find(&id).is_none());
        commits.push(Committed { id: None, message, before, after: now.clone() });
    }
    let outcome = Outcome { branch: branch.to_owned(), commits, skipped: Vec::new(), before: base_packs, after: now };
    Ok((base.tip, outcome))
}

/// The lesson that the digits mean, on the packs branch or (where it was taken out there) in the base.
fn find(which: &str, packs: &PackFiles, base: &PackFiles) -> Result<(PackName, LessonId)> {
    let all = |files: &PackFiles| -> Vec<(PackName, LessonId)> {
        let of = |pack: &PackName| files.lessons(pack).lessons().into_iter().map(|lesson| lesson.id.clone()).collect::<Vec<_>>();
        files.packs().iter().flat_map(|pack| of(pack).into_iter().map(|id| (pack.clone(), id))).collect()
    };
    let mut found: Vec<_> = all(packs).into_iter().chain(all(base)).filter(|(_, id)| id.starts_with(which)).collect();
    found.sort();
    found.dedup();
    match found.len() {
        1 => Ok(found.remove(0)),
        0 => Err(Error::user(format!("no lesson begins with `{}`", escape(which)))
            .hint("`marvel lessons` shows them; give 4 digits or more")),
        several => Err(Error::user(format!("`{}` means {several} lessons", escape(which))).hint("give more digits")),
    }
}

/// The pack's own files without its lessons.
fn bring_pack(pack: &PackName, from: &PackFiles, into: &mut PackFiles) {
    let (folder, lessons) = (pack.path(""), pack.path(LESSONS_FILE));
    for (path, bytes) in from.iter().filter(|(path, _)| path.starts_with(&folder) && *path != lessons) {
        into.set(path, bytes.to_vec());
    }
    into.set_file(pack, LESSONS_FILE, Vec::new());
    let attributes = format!("{PACKS_DIR}/.gitattributes");
    if let (None, Some(bytes)) = (into.get(&attributes), from.get(&attributes)) {
        into.set(attributes, bytes.to_vec());
    }
}

/// What the commits of the packs branch that the base has not say about lessons; the newest first.
struct Messages(Vec<(Trailers, String)>);

impl Messages {
    fn read(repo: &Repo, tip: Id, base: Option<Id>) -> Result<Self> {
        let mut history = History::new(repo)?;
        let within = base.map(|base| history.compare(tip, base)).transpose()?;
        let within = within.map(|apart| apart.left.into_iter().collect());
        let mut all = Vec::new();
        for touch in history.touching(&[tip], within.as_ref(), Follow::Simplified)? {
            let message = repo.commit(touch.commit)?.message;
            all.extend(Trailers::parse_all(&message).into_iter().map(|trailers| (trailers, message.clone())));
        }
        Ok(Self(all))
    }

    /// The message that brought a lesson, or that took it out; one made of the lesson where none is found.
    fn of(&self, pack: &PackName, id: &LessonId, lesson: Option<&Lesson>, removed: bool) -> Message {
        let about = |trailers: &Trailers| {
            trailers.pack.as_ref() == Some(pack)
                && trailers.lesson.as_ref() == Some(id)
                && removed == matches!(trailers.action, Some(Action::Prune | Action::Graduate))
        };
        let action = if removed { Action::Prune } else { Action::Teach };
        let own = || match lesson {
            Some(lesson) => Message::about(action, pack, lesson, None),
            None => Message::new(action, Some(pack.clone()), id.as_str()),
        };
        let Some((trailers, text)) = self.0.iter().find(|(trailers, _)| about(trailers)) else { return own() };
        let mut message =
            Message::new(trailers.action.unwrap_or(action), Some(pack.clone()), lesson.map_or("", |lesson| &lesson.title));
        let paragraphs = text.trim_end().split("\n\n").skip(1);
        message.body = paragraphs.filter(|paragraph| Trailers::parse_all(paragraph).is_empty()).map(str::to_owned).collect();
        message.trailers = trailers.clone();
        message
    }
}
