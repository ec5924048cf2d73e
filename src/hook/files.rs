//! Which files an event is about: those that a tool call or a prompt names, in one repository.

use super::command_words as command;
use super::place::Place;
use super::wire::{Input, ToolInput};
use crate::model::repo_path::RepoPath;
use crate::model::tool::is_shell;
use crate::session::root::Root;

/// Files of one event that are looked at.
const MAX_FILES: usize = 10;
/// Words of a command or a prompt that are tried as paths.
const MAX_WORDS: usize = 400;
/// How much of a prompt is searched for paths: what is behind it was pasted.
const MAX_PROMPT: usize = 64 * 1024;

/// Files of one repository.
#[derive(Debug)]
pub struct Files {
    pub root: Root,
    pub paths: Vec<RepoPath>,
}

impl Files {
    fn collect(all: impl IntoIterator<Item = (Root, RepoPath)>) -> Option<Self> {
        let mut all = all.into_iter().filter(|(_, path)| !path.is_root());
        let (root, first) = all.next()?;
        let mut files = Self { root, paths: vec![first] };
        for (root, path) in all {
            if root == files.root && !files.paths.contains(&path) {
                files.paths.push(path);
            }
            if files.paths.len() == MAX_FILES {
                break;
            }
        }
        Some(files)
    }
}

/// The files that a tool call names.
pub fn of_tool(place: &Place, input: &Input<'_>) -> Option<Files> {
    let ToolInput { file_path, notebook_path, path, command } = &input.tool_input;
    match input.tool_name.get()? {
        tool if is_shell(tool) => of_command(place, command.get()?),
        "Grep" | "Glob" => Files::collect(place.locate(path.get()?)),
        "NotebookEdit" => Files::collect(place.locate(notebook_path.get().or(file_path.get())?)),
        _ => Files::collect(place.locate(file_path.get().or(notebook_path.get())?)),
    }
}

/// The files that a command names, and the git commands that it runs, as paths in `.git/`: they have their rules too.
fn of_command(place: &Place, text: &str) -> Option<Files> {
    let words = command::words(text);
    let named = command::paths(&words);
    let files = named.iter().take(MAX_WORDS).filter_map(|word| place.existing(word));
    let git = command::git_subcommands(&words).into_iter();
    let git = git.filter_map(|name| Some((place.here()?.clone(), RepoPath::new(&format!(".git/{name}"))?)));
    // git first: what names many files must not push it out
    Files::collect(git.chain(files))
}

/// The files that a prompt names: `@path`, or a path that exists.
pub fn of_prompt(place: &Place, prompt: &str) -> Option<Files> {
    let end = (0..=MAX_PROMPT.min(prompt.len())).rev().find(|&at| prompt.is_char_boundary(at)).unwrap_or(0);
    let words = prompt_words(&prompt[..end]);
    Files::collect(words.into_iter().take(MAX_WORDS).filter_map(|word| place.existing(&word)))
}

/// The words that look like a path: marked with `@`, or with a dot or slash inside.
fn prompt_words(prompt: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut rest = prompt;
    while let Some(at) = rest.find("@\"") {
        let Some((quoted, after)) = rest[at + 2..].split_once('"') else { break };
        words.push(quoted.to_owned());
        rest = after;
    }
    let is_frame = |c: char| {
        matches!(
            c,
            '`' | '"'
                | '\''
                | '('
                | ')'
                | '['
                | ']'
                | '<'
                | '>'
                | '{'
                | '}'
                | ','
                | ';'
                | '*'
                | '“'
                | '”'
                | '«'
                | '»'
                | '、'
                | '，'
                | '。'
        )
    };
    for word in prompt.split(|c: char| c.is_whitespace() || is_frame(c)) {
        let word = word.trim_end_matches(['.', ':', '!', '?', '…']);
        let marked = word.strip_prefix('@');
        let word = marked.unwrap_or(word);
        // `a.ts#L10-20`, `a.ts:12:3`
        let word = word.split_once('#').map_or(word, |(path, _)| path);
        let word = without_position(without_position(word)).trim_end_matches(':');
        if word.len() > 1 && word.len() <= 1_024 && (marked.is_some() || word.contains(['/', '\\', '.'])) {
            words.push(word.to_owned());
        }
    }
    words
}

/// `a.ts:12` is `a.ts`.
fn without_position(word: &str) -> &str {
    match word.rsplit_once(':') {
        Some((path, number)) if !path.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit()) => path,
        _ => word,
    }
}

#[cfg(test)]
mod tests {
    use super::{Files, of_prompt, of_tool, prompt_words};
    use crate::hook::place::Place;
    use crate::hook::wire::Input;
    use crate::session::file;
    use std::path::PathBuf;

    struct World {
        _dir: tempfile::TempDir,
        top: PathBuf,
    }

    fn world() -> World {
        let dir = tempfile::tempdir().unwrap();
        let top = std::fs::canonicalize(dir.path()).unwrap();
        for path in
            ["r/.git/HEAD", "r/src/auth/login.ts", "r/src/my file.ts", "r/README.md", "r/v1.2", "other/.git/HEAD", "other/x.ts"]
        {
            file::replace(&top.join(path), b"").unwrap();
        }
        World { _dir: dir, top }
    }

    fn told(files: Option<Files>) -> String {
        files
            .map(|files| files.paths.iter().map(|path| path.as_str().to_owned()).collect::<Vec<_>>().join(" "))
            .unwrap_or_default()
    }

    impl World {
        fn tool(&self, tool: &str, tool_input: &serde_json::Value) -> String {
            let text = serde_json::json!({ "cwd": self.top.join("r"), "tool_name": tool, "tool_input": tool_input }).to_string();
            let input = Input::parse(&text).unwrap();
            let place = Place::of(&input, None).unwrap();
            told(of_tool(&place, &input))
        }

        fn prompt(&self, prompt: &str) -> String {
            let text = serde_json::json!({ "cwd": self.top.join("r"), "prompt": prompt }).to_string();
            let input = Input::parse(&text).unwrap();
            let place = Place::of(&input, None).unwrap();
            told(of_prompt(&place, input.prompt.get().unwrap()))
        }
    }

    #[test]
    fn a_tool_call_names_files_in_its_own_way() {
        let world = world();
        let full = world.top.join("r/src/new.ts");
        for (tool, input, files) in [
            ("Write", serde_json::json!({"file_path": full, "content": "x"}), "src/new.ts"),
            ("NotebookEdit", serde_json::json!({"notebook_path": "a.ipynb"}), "a.ipynb"),
            ("Grep", serde_json::json!({"pattern": "x", "path": "src/auth"}), "src/auth"),
            ("Grep", serde_json::json!({"pattern": "x"}), ""),
            ("Glob", serde_json::json!({"pattern": "x", "path": "."}), ""),
            ("Read", serde_json::json!({"file_path": world.top.join("other/x.ts")}), ""),
            (
                "Bash",
                serde_json::json!({"command": "cat src/auth/login.ts none.ts 'src/my file.ts' README.md README.md"}),
                "src/auth/login.ts src/my file.ts README.md",
            ),
            ("Bash", serde_json::json!({"command": "cd src && cat auth/login.ts"}), "src src/auth/login.ts"),
            ("Bash", serde_json::json!({"command": "git add README.md && git commit -m x"}), ".git/add .git/commit README.md"),
            ("Bash", serde_json::json!({"command": "echo hello"}), ""),
            ("Bash", serde_json::json!({}), ""),
            ("Agent", serde_json::json!({"prompt": "src/auth/login.ts"}), ""),
        ] {
            assert_eq!(world.tool(tool, &input), files, "{tool} {input}");
        }
    }

    #[test]
    fn a_prompt_names_files_by_mark_or_by_being_there() {
        let world = world();
        for (prompt, files) in [
            ("look at @src/auth/login.ts please", "src/auth/login.ts"),
            ("fix `src/auth/login.ts:12:3`, then README.md.", "src/auth/login.ts README.md"),
            ("(see src/auth/login.ts#L3-9)", "src/auth/login.ts"),
            ("@\"src/my file.ts\"", "src/my file.ts"),
            ("@src", "src"),
            ("src and auth are words, and/or so. v1.2 is a file", "v1.2"),
            ("nothing here: a.b c/d", ""),
            ("", ""),
        ] {
            if !prompt.is_empty() {
                assert_eq!(world.prompt(prompt), files, "{prompt}");
            }
        }
        let many: String = (0..2_000).map(|i| format!(" a/{i}.ts")).collect();
        assert_eq!(world.prompt(&format!("{many} README.md")), "");
        assert_eq!(prompt_words("@xy. @\"open"), ["xy"]);
    }
}
