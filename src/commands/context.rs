//! What every command is given: where it runs, how it talks, what time it is.

use std::path::PathBuf;

use anstream::ColorChoice;

use crate::error::{Error, Result};
use crate::evolve::life::Chronicle;
use crate::model::config::{CONFIG_PATH, Config};
use crate::model::pack::Pack;
use crate::model::timestamp::Timestamp;
use crate::session::packs::Packs;
use crate::session::root::Root;
use crate::store::{Repo, overlay, recency};
use crate::ui::Ui;
use crate::ui::progress::Progress;

#[derive(clap::Args)]
pub struct GlobalArgs {
    /// Run as if started in this directory
    #[arg(short = 'C', global = true, value_name = "DIR", help_heading = "Global options")]
    directory: Option<PathBuf>,
    /// Print one JSON document instead of text
    #[arg(long, global = true, help_heading = "Global options")]
    json: bool,
    /// When to use colours
    #[arg(long, global = true, value_enum, default_value = "auto", value_name = "WHEN", help_heading = "Global options")]
    color: When,
    /// Say nothing but results and errors
    #[arg(short, long, global = true, help_heading = "Global options")]
    quiet: bool,
}

#[derive(Clone, Copy, clap::ValueEnum)]
enum When {
    Auto,
    Always,
    Never,
}

impl GlobalArgs {
    pub(super) fn ui(&self) -> Ui {
        let color = match self.color {
            When::Auto => ColorChoice::Auto,
            When::Always => ColorChoice::Always,
            When::Never => ColorChoice::Never,
        };
        Ui { json: self.json, quiet: self.quiet, color }
    }
}

pub struct Context {
    /// Where the command runs; absolute.
    pub dir: PathBuf,
    pub ui: Ui,
    pub now: Timestamp,
}

impl Context {
    pub(super) fn new(args: &GlobalArgs) -> Result<Self> {
        let here = std::env::current_dir()
            .map_err(|error| Error::user("the current directory cannot be read: was it removed?").caused_by(error))?;
        let dir = match &args.directory {
            None => here,
            Some(dir) => {
                let dir = here.join(dir);
                if !dir.is_dir() {
                    return Err(Error::usage(format!("cannot change to `{}`: no such directory", dir.display())));
                }
                dir
            }
        };
        Ok(Self { dir, ui: args.ui(), now: crate::session::clock::now() })
    }

    /// The repository that the command runs in.
    pub fn repo(&self) -> Result<Repo> {
        Repo::discover(&self.dir)
    }

    /// The team's settings as they stand in the working tree. A file that does not read stops a command: what it would do
    /// without them is not what the team wants.
    pub fn config(&self, repo: &Repo) -> Result<Config> {
        let Some(work_tree) = repo.work_tree() else { return Ok(Config::default()) };
        let path = work_tree.join(CONFIG_PATH);
        match crate::session::file::read(&path) {
            Ok(None) => Ok(Config::default()),
            Ok(Some(bytes)) => Config::parse(&bytes).map_err(|error| {
                Error::user(format!("{CONFIG_PATH}:{}:{}: the settings do not read", error.line(), error.column()))
                    .caused_by(error)
                    .hint("type `marvel validate` to see all that is wrong")
            }),
            Err(error) => Err(Error::user(format!("{} cannot be read", path.display())).caused_by(error)),
        }
    }

    /// What history says about the packs' lessons. What hooks rank by is brought up to date with it.
    pub fn chronicle(&self, repo: &Repo, config: &Config) -> Result<Chronicle> {
        let mut progress = Progress::new(&self.ui, "Reading history, commits");
        let chronicle = repo.chronicle(config, &mut |commits| progress.at(commits))?;
        // what cannot be written is worked out again next time
        let _ = recency::refresh(&repo.root(), &chronicle);
        Ok(chronicle)
    }

    /// Where the repository's files are, for what hooks and commands share.
    pub fn root(&self, repo: &Repo) -> Root {
        Root {
            work_tree: repo.work_tree().map(ToOwned::to_owned),
            git_dir: repo.git_dir().to_owned(),
            common_dir: repo.common_dir().to_owned(),
        }
    }

    /// The packs in force in this worktree, as they are now: a hook may have looked long ago.
    pub fn packs_in_force(&self, repo: &Repo, config: &Config) -> Result<Vec<Pack>> {
        overlay::refresh(repo, config)?;
        Ok(Packs::load(&repo.root()).whole())
    }

    /// The packs in force in this worktree, to look at: what is pending is left out, with a warning, where it cannot be
    /// worked out.
    pub fn packs(&self) -> Result<Packs> {
        let repo = self.repo()?;
        if let Err(error) = self.config(&repo).and_then(|config| overlay::refresh(&repo, &config)) {
            self.ui.warn(format!("lessons that are pending may be missing: {error}"));
        }
        Ok(Packs::load(&self.root(&repo)))
    }
}
