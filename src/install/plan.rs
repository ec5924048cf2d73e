//! All that `init` will do, worked out before anything is written, so that a file that cannot be edited stops it whole.

use std::path::{Path, PathBuf};

use super::change::{self, Change};
use super::git_hooks::{self, Folder, HOOKS, State};
use super::json_text::{JsonText, Problem, Step};
use super::place::{Place, Scope};
use super::record::Record;
use super::seal::{self, Owner};
use super::tailor::{self, Tailored};
use super::{merge_driver, settings, skills, starter};
use crate::error::{Context as _, Error, Result};
use crate::model::config::{CONFIG_PATH, Config};
use crate::model::pack::{META_FILE, PACKS_DIR, PackMeta, PackName};
use crate::session::file;

#[derive(Clone, Debug)]
pub struct Options {
    pub scope: Scope,
    pub claude: bool,
    pub git_hooks: bool,
    pub packs: Choice,
    pub tailor: bool,
    /// Another name for the packs branch.
    pub branch: Option<String>,
}

/// Which starter packs are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Choice {
    /// All of them where the repository has no pack yet, else none.
    Default,
    None,
    Named(Vec<PackName>),
}

#[derive(Debug, Default)]
pub struct Plan {
    pub changes: Vec<Change>,
    /// What is set in git's configuration of the repository; no value takes the section out.
    pub git_config: Vec<(&'static str, Option<String>)>,
    pub added_packs: Vec<PackName>,
    pub tailored: Vec<Tailored>,
    /// What a person should know.
    pub notes: Vec<String>,
    /// Whether the mark is to be set that lets sessions of other repositories use these packs.
    mark: bool,
    record: Option<Record>,
    /// Folders that go where they are left empty, each with the one to stop at.
    emptied: Vec<(PathBuf, PathBuf)>,
}

impl Plan {
    pub fn is_empty(&self) -> bool {
        self.changes.is_empty() && self.git_config.is_empty() && !self.mark
    }

    /// Carries it out. Where a sandbox forbids to write git's hooks or configuration, the rest is done all the same.
    pub fn apply(&self, place: &Place) -> Result<()> {
        let within = |change: &&Change| change.path.starts_with(&place.root.common_dir);
        let (inside, outside): (Vec<&Change>, Vec<&Change>) = self.changes.iter().partition(within);
        // What was there before is remembered before it is changed.
        if let Some(record) = &self.record {
            record.write(&place.root).map_err(|error| cannot_write(&place.shown(&Record::path(&place.root)), error))?;
        }
        let carry_out = |change: &Change| change.apply().map_err(|error| cannot_write(&place.shown(&change.path), error));
        outside.into_iter().try_for_each(carry_out)?;
        if self.mark {
            let mark = place.root.mark_file();
            file::write_atomic(&mark, b"").map_err(|error| cannot_write(&place.shown(&mark), error))?;
        }
        let hooks = inside.into_iter().try_for_each(carry_out);
        let config = self.git_config.iter().try_for_each(|(key, value)| match value {
            Some(value) => merge_driver::set(&place.repo, key, value),
            None => merge_driver::remove(&place.repo),
        });
        for (folder, top) in &self.emptied {
            change::remove_empty_folders(folder, top);
        }
        hooks.and(config)
    }
}

/// What installs.
pub fn install(place: &Place, options: &Options) -> Result<Plan> {
    let mut plan = Plan { mark: !place.root.is_marked(), ..Plan::default() };
    branch(place, options, &mut plan)?;
    packs(place, options, &mut plan)?;
    if options.claude {
        hook_entries(place, options.scope, &mut plan)?;
        let folder = place.skill_folder(options.scope).expect("a settings file was found beside it");
        for (name, text) in skills::files() {
            own_file(place, &folder.join(name), Some(text), &mut plan)?;
        }
        notes(place, options, &mut plan)?;
    }
    if options.git_hooks {
        shims(place, &mut plan)?;
    }
    let program = place.recorded_program();
    plan.git_config.extend(merge_driver::missing(&place.repo, &program)?.into_iter().map(|(key, value)| (key, Some(value))));
    Ok(plan)
}

/// What takes out what was put in: the packs stay. A person's own settings serve all their repositories: they are cleared where
/// this one put the hooks there, or where it is `asked` for.
pub fn uninstall(place: &Place, asked: bool) -> Result<Plan> {
    let mut plan = Plan::default();
    let record = Record::read(&place.root).context("what was there before cannot be read")?;
    let personal = asked || place.settings(Scope::User).is_ok_and(|path| record.has(&path));
    for scope in Scope::ALL {
        let Ok(path) = place.settings(scope) else { continue };
        if let Some(bytes) = read(place, &path)? {
            if scope == Scope::User && !personal {
                if settings::entries(&bytes).is_ok_and(|found| !found.is_empty()) {
                    let shown = place.shown(&path);
                    plan.notes.push(format!(
                        "{shown} has marvel's hooks too, for all your repositories: `marvel init --uninstall --scope user`"
                    ));
                }
                continue;
            }
            let after = settings::uninstall(&bytes, &record.before(&path)).map_err(|problem| refused(place, &path, &problem))?;
            // A link is a person's own, whatever it names.
            let after = after.or_else(|| path.is_symlink().then(|| b"{}\n".to_vec()));
            change(place, &path, after, &mut plan)?;
        }
    }
    let scopes = [Some(Scope::Project), personal.then_some(Scope::User)];
    for folder in scopes.into_iter().flatten().filter_map(|scope| place.skill_folder(scope)) {
        for (name, _) in skills::files() {
            let path = folder.join(name);
            own_file(place, &path, None, &mut plan)?;
            plan.emptied
                .extend(Some((path.parent().unwrap_or(&folder).to_owned(), folder.parent().unwrap_or(&folder).to_owned())));
        }
    }
    for folder in git_hooks::places(place)? {
        for hook in HOOKS {
            let path = folder.path.join(hook);
            match folder.state(hook).map_err(|error| cannot_read(place, &path, error))? {
                State::Ours if folder.closed.is_none() => change(place, &path, None, &mut plan)?,
                State::Ours | State::Changed | State::Calls => {
                    plan.notes.push(format!("{} was changed by hand and still calls marvel", place.shown(&path)));
                }
                State::Foreign | State::None => {}
            }
        }
        if let (true, Some(top)) = (folder.private, folder.path.parent()) {
            plan.emptied.push((folder.path.clone(), top.to_owned()));
        }
    }
    if merge_driver::has_section(&place.repo)? {
        plan.git_config.push(("merge.marvel", None));
    }
    for path in [place.root.mark_file(), Record::path(&place.root)] {
        change(place, &path, None, &mut plan)?;
    }
    plan.emptied.push((place.root.data_dir(), place.root.common_dir.clone()));
    Ok(plan)
}

fn hook_entries(place: &Place, scope: Scope, plan: &mut Plan) -> Result<()> {
    let path = place.settings(scope)?;
    let before = read(place, &path)?;
    let bytes = before.as_deref().unwrap_or_default();
    let after = settings::install(bytes, &place.form(scope)).map_err(|problem| refused(place, &path, &problem))?;
    if bytes != after {
        let record_path = Record::path(&place.root);
        let mut record = Record::read(&place.root).map_err(|error| cannot_read(place, &record_path, error))?;
        record.remember(&path, before.as_deref());
        plan.record = Some(record);
    }
    change(place, &path, Some(after), plan)
}

/// A file that is MARVEL's as a whole: put in, renewed, or taken out; never one that a person changed.
fn own_file(place: &Place, path: &Path, after: Option<String>, plan: &mut Plan) -> Result<()> {
    match read(place, path)?.as_deref().map(seal::owner) {
        None | Some(Owner::Us) => change(place, path, after.map(String::into_bytes), plan),
        Some(Owner::Changed | Owner::Other) => {
            plan.notes.push(format!("{} was changed by hand and stays as it is", place.shown(path)));
            Ok(())
        }
    }
}

fn shims(place: &Place, plan: &mut Plan) -> Result<()> {
    let folder = Folder::find(place)?;
    let program = place.recorded_program();
    let mut to_call = Vec::new();
    for hook in HOOKS {
        let path = folder.path.join(hook);
        let state = folder.state(hook).map_err(|error| cannot_read(place, &path, error))?;
        match (state, folder.closed) {
            (State::None | State::Ours, None) => {
                let change = Change::of(path.clone(), Some(folder.shim(hook, &program).into_bytes()))
                    .map_err(|error| cannot_read(place, &path, error))?;
                plan.changes.extend(change.map(|change| Change { executable: true, ..change }));
            }
            (State::None | State::Foreign, _) => to_call.push(hook),
            (State::Ours | State::Changed | State::Calls, _) => {}
        }
    }
    let shown = place.shown(&folder.path);
    if let Some(closed) = folder.closed {
        if !to_call.is_empty() {
            plan.notes.push(format!(
                "no git hooks were written to {shown}: {}; to have packs checked there, add to {} this line, each with its name:\n    {}",
                closed.because(),
                to_call.join(", "),
                git_hooks::line("NAME"),
            ));
        }
    } else {
        for hook in to_call {
            let line = git_hooks::line(hook);
            plan.notes.push(format!(
                "{shown}/{hook} is there already and stays as it is; to have packs checked, add this line to it:\n    {line}"
            ));
        }
    }
    Ok(())
}

fn packs(place: &Place, options: &Options, plan: &mut Plan) -> Result<()> {
    let there = place.repo.packs_here()?;
    let wanted = match &options.packs {
        Choice::Named(names) => names.clone(),
        Choice::Default if there.packs().is_empty() => starter::names(),
        Choice::Default | Choice::None => Vec::new(),
    };
    if wanted.is_empty() && there.is_empty() {
        return Ok(());
    }
    for (path, text) in starter::BESIDE {
        let path = place.work_tree.join(path);
        if read(place, &path)?.is_none() {
            change(place, &path, Some(text.into()), plan)?;
        }
    }
    let tracked = if options.tailor && !wanted.is_empty() { place.files()? } else { Vec::new() };
    for pack in wanted {
        let Some(files) = starter::files(&pack) else {
            let names: Vec<String> = starter::names().iter().map(ToString::to_string).collect();
            return Err(Error::user(format!("there is no starter pack `{pack}`"))
                .hint(format!("the starter packs are {}", names.join(", ")))
                .hint(format!("`marvel pack new {pack}` makes one of your own")));
        };
        if there.has_pack(&pack) || place.work_tree.join(PACKS_DIR).join(pack.as_str()).exists() {
            continue;
        }
        for (file, text) in files {
            let mut bytes = text.as_bytes().to_vec();
            if file == META_FILE && options.tailor && tailor::TAILORED.contains(&pack.as_str()) {
                let meta = PackMeta::parse(&bytes).context("a starter pack does not read")?;
                let (tailored, added) =
                    tailor::apply(&bytes, &tailor::patterns(&meta, &tracked)).context("a starter pack does not read")?;
                bytes = tailored;
                plan.tailored.push(Tailored { pack: pack.clone(), added });
            }
            change(place, &place.work_tree.join(pack.path(file)), Some(bytes), plan)?;
        }
        plan.added_packs.push(pack);
    }
    Ok(())
}

/// Branches that stand where the packs branch shall be, and another name for it.
fn branch(place: &Place, options: &Options, plan: &mut Plan) -> Result<()> {
    let path = place.work_tree.join(CONFIG_PATH);
    let bytes = read(place, &path)?;
    let config = match &bytes {
        Some(bytes) => Config::parse(bytes).context(format!("{CONFIG_PATH} does not read"))?,
        None => Config::default(),
    };
    let branch = options.branch.as_ref().unwrap_or(&config.branch);
    let in_the_way = place.repo.refs_below(&format!("refs/heads/{branch}/"))?;
    if !in_the_way.is_empty() {
        let names: Vec<&str> = in_the_way.iter().map(|name| crate::store::refs::short(name)).collect();
        return Err(Error::user(format!("the branch `{branch}` cannot exist beside {}", names.join(", ")))
            .hint("`marvel init --branch NAME` keeps lessons on a branch of another name")
            .hint("or rename those branches with `git branch -m`"));
    }
    if let Some(branch) = options.branch.as_ref().filter(|branch| **branch != config.branch) {
        place
            .repo
            .git()
            .args(["check-ref-format", "--branch", branch])
            .run()
            .map_err(|_| Error::usage(format!("`{branch}` is no name for a branch")).hint("see `git help check-ref-format`"))?;
        let mut json =
            JsonText::parse(bytes.as_deref().unwrap_or_default()).map_err(|problem| refused(place, &path, &problem))?;
        if json.root().get("branch").is_some() {
            json.replace(&[Step::Key("branch")], branch);
        } else {
            json.insert(&[], "branch", branch);
        }
        change(place, &path, Some(json.into_bytes()), plan)?;
    }
    Ok(())
}

fn notes(place: &Place, options: &Options, plan: &mut Plan) -> Result<()> {
    let others = Scope::ALL.into_iter().filter(|scope| *scope != options.scope);
    for scope in others {
        let Ok(path) = place.settings(scope) else { continue };
        let found = read(place, &path)?.and_then(|bytes| settings::entries(&bytes).ok()).unwrap_or_default();
        if !found.is_empty() {
            plan.notes.push(format!("{} has marvel's hooks too: each event runs both; keep one of them", place.shown(&path)));
        }
    }
    if options.scope == Scope::Project {
        let files = place.files()?;
        let mut packages: Vec<&str> = files
            .iter()
            .filter(|path| MANIFESTS.contains(&path.file_name()))
            .filter_map(|path| path.as_str().rsplit_once('/'))
            .map(|(folder, _)| folder)
            .collect();
        packages.sort_unstable();
        packages.dedup();
        if let Some(first) = packages.first() {
            plan.notes.push(format!(
                "this repository has sub-packages ({first}{}): Claude Code reads a project's settings only from the folder that it is \
                 started in; start it at the repository's root, or use `marvel init --scope user`",
                if packages.len() > 1 { ", …" } else { "" }
            ));
        }
        let path = place.settings(options.scope)?;
        if place.repo.git().args(["check-ignore", "-q", "--"]).arg(&path).output().is_ok_and(|output| output.code == 0) {
            plan.notes.push(format!("{} is ignored by git: your teammates do not get the hooks from it", place.shown(&path)));
        }
    }
    Ok(())
}

/// What makes a folder a package of its own.
const MANIFESTS: [&str; 8] =
    ["package.json", "Cargo.toml", "go.mod", "pyproject.toml", "pom.xml", "build.gradle", "build.gradle.kts", "composer.json"];

fn change(place: &Place, path: &Path, after: Option<Vec<u8>>, plan: &mut Plan) -> Result<()> {
    let change = Change::of(path.to_owned(), after).map_err(|error| cannot_read(place, path, error))?;
    plan.changes.extend(change);
    Ok(())
}

fn read(place: &Place, path: &Path) -> Result<Option<Vec<u8>>> {
    file::read(path).map_err(|error| cannot_read(place, path, error))
}

fn cannot_read(place: &Place, path: &Path, error: std::io::Error) -> Error {
    Error::user(format!("{} cannot be read", place.shown(path))).caused_by(error)
}

fn refused(place: &Place, path: &Path, problem: &Problem) -> Error {
    Error::user(format!("{}:{problem}; nothing was written", place.shown(path)))
        .hint("the file is read as strict JSON: repair it there, then run the command again")
}

fn cannot_write(shown: &str, error: std::io::Error) -> Error {
    let kind = error.kind();
    let result = Error::user(format!("{shown} cannot be written")).caused_by(error);
    match kind {
        std::io::ErrorKind::PermissionDenied | std::io::ErrorKind::ReadOnlyFilesystem => {
            result.hint("an agent's sandbox may forbid it: run `marvel init` in a terminal of your own")
        }
        _ => result,
    }
}
