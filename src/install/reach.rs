//! How many of a repository's files a pack speaks for, with nothing said in the session: a pack that speaks for none is
//! silent until somebody corrects the agent in one of its categories.

use crate::model::pack::{PackMeta, PackName};
use crate::model::repo_path::RepoPath;
use crate::score::glob::Pattern;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reach {
    pub pack: PackName,
    /// Files that select it by their path alone.
    pub matched: usize,
    /// Of how many.
    pub files: usize,
    /// Whether it speaks before git commands.
    pub git_commands: bool,
}

impl Reach {
    /// Whether nothing that the agent touches here calls for it.
    pub fn is_silent(&self) -> bool {
        self.matched == 0 && !self.git_commands
    }
}

/// A code path or a sensitive path passes the threshold alone; nothing else that lies in a path does.
pub fn reach(pack: &PackMeta, files: &[RepoPath]) -> Reach {
    let speaks: Vec<Pattern<'_>> =
        pack.references.code_paths.iter().chain(&pack.sensitive_paths).map(|text| Pattern::lazy(text)).collect();
    let excluded: Vec<Pattern<'_>> = pack.excludes_paths.iter().map(|text| Pattern::lazy(text)).collect();
    let matches = |path: &RepoPath| {
        speaks.iter().any(|pattern| pattern.matches(path)) && !excluded.iter().any(|pattern| pattern.excludes(path))
    };
    let git_command = RepoPath::new(".git/commit").expect("a path");
    Reach {
        pack: pack.name.clone(),
        matched: files.iter().filter(|path| matches(path)).count(),
        files: files.len(),
        git_commands: matches(&git_command),
    }
}

#[cfg(test)]
mod tests {
    use super::reach;
    use crate::install::{starter, tailor};
    use crate::model::pack::{PackMeta, PackName};
    use crate::model::repo_path::RepoPath;
    use crate::model::timestamp::Timestamp;
    use crate::score::select::{Reason, select};
    use crate::score::signals::{Keywords, Moment};

    #[test]
    fn it_counts_what_selection_selects() {
        let names = [
            "src/a.ts",
            "src/a.test.ts",
            "src/auth/x.rs",
            "a.md",
            "CLAUDE.md",
            "node_modules/auth/a.ts",
            "src/dist/b.ts",
            "tests/a.ts",
        ];
        let files: Vec<_> = names.iter().map(|path| RepoPath::new(path).unwrap()).collect();
        let metas: Vec<PackMeta> = starter::names()
            .iter()
            .map(|name: &PackName| {
                let bytes = starter::files(name).unwrap()[0].1.as_bytes();
                let meta = PackMeta::parse(bytes).unwrap();
                let chosen = if tailor::TAILORED.contains(&name.as_str()) { tailor::patterns(&meta, &files) } else { vec![] };
                PackMeta::parse(&tailor::apply(bytes, &chosen).unwrap().0).unwrap()
            })
            .collect();
        let moment = Moment { now: Timestamp::parse("2026-11-29T10:15:00Z").unwrap().0, spoken: &[] };
        for meta in &metas {
            let reach = reach(meta, &files);
            let selected = |path: &&RepoPath| {
                let scored = select(&metas.iter().collect::<Vec<_>>(), path, &moment, &Keywords::default());
                let one = scored.iter().find(|one| one.pack == meta.name).unwrap();
                matches!(one.reason, Reason::Selected | Reason::Outranked)
            };
            assert_eq!(reach.matched, files.iter().filter(selected).count(), "{}", meta.name);
            assert_eq!(reach.git_commands, meta.name.as_str() == "git-workflow");
        }
    }
}
