//! The words of a shell command: which of them may name files, and which git commands it runs. A shell's whole grammar is
//! not needed: a word that is no file names none.

use std::path::PathBuf;

/// The words in order, quotes taken off, at operators apart.
pub fn words(command: &str) -> Vec<String> {
    let mut words = Vec::new();
    let mut word = String::new();
    let mut quoted = false;
    let mut chars = command.chars().peekable();
    let mut finish = |word: &mut String, quoted: &mut bool| {
        if !word.is_empty() || *quoted {
            words.push(std::mem::take(word));
        }
        *quoted = false;
    };
    while let Some(char) = chars.next() {
        match char {
            '\'' | '"' => {
                quoted = true;
                while let Some(inner) = chars.next() {
                    match inner {
                        inner if inner == char => break,
                        '\\' if char == '"' && matches!(chars.peek(), Some('"' | '\\' | '$' | '`')) => word.extend(chars.next()),
                        inner => word.push(inner),
                    }
                }
            }
            // an escape where the shell needs one, else a separator of Windows
            '\\' => match chars.peek() {
                Some('\n') => {
                    chars.next();
                }
                Some(&next) if !next.is_alphanumeric() && next != '.' && next != '_' => word.extend(chars.next()),
                _ => word.push('\\'),
            },
            char if char.is_whitespace() || matches!(char, ';' | '|' | '&' | '<' | '>' | '(' | ')' | '`') => {
                finish(&mut word, &mut quoted);
                if matches!(char, ';' | '|' | '&' | '(' | '\n' | '`') {
                    word.push(';');
                    finish(&mut word, &mut quoted);
                }
            }
            char => word.push(char),
        }
    }
    finish(&mut word, &mut quoted);
    words
}

/// The subcommands of git that are run, without options: `git -C x commit -m y` is `commit`.
pub fn git_subcommands(words: &[String]) -> Vec<&str> {
    let mut found = Vec::new();
    let mut first = true;
    let mut at = 0;
    while let Some(word) = words.get(at) {
        at += 1;
        if word == ";" {
            first = true;
        } else if first && (word == "git" || word.ends_with("/git") || word == "git.exe") {
            while let Some(option) = words.get(at).filter(|word| word.starts_with('-')) {
                at += if matches!(option.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace") { 2 } else { 1 };
            }
            let named = |word: &&String| word.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-') && !word.is_empty();
            if let Some(subcommand) = words.get(at).filter(named) {
                found.push(subcommand.as_str());
            }
            first = false;
        } else {
            // `FOO=1 git …`, `sudo git …`, `env git …`
            first = first
                && (word.contains('=')
                    || matches!(
                        word.as_str(),
                        "sudo" | "env" | "command" | "time" | "exec" | "then" | "do" | "else" | "!" | "{"
                    ));
        }
    }
    found.dedup();
    found
}

/// The words that may name a file: no options, no operators, `--option=value` as its value, and behind a `cd` from there.
pub fn paths(words: &[String]) -> Vec<String> {
    let mut folder = PathBuf::new();
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let word = match word.strip_prefix('-') {
            Some(option) => option.split_once('=').map_or("", |(_, value)| value),
            None => word.as_str(),
        };
        if word.is_empty() || word == ";" || word.len() > 1_024 || word.contains(['\n', '\0']) {
            continue;
        }
        let path = if word.contains('\\') { word.to_owned() } else { folder.join(word).to_string_lossy().into_owned() };
        let starts = |at: usize| at == 0 || words[at - 1] == ";";
        if at > 0 && words[at - 1] == "cd" && starts(at - 1) {
            folder = PathBuf::from(&path);
        }
        found.push(path);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::{git_subcommands, paths, words};

    #[test]
    fn words_are_split_as_a_shell_does() {
        let told = |text: &str| words(text).join("·");
        assert_eq!(told("cat src/a.ts"), "cat·src/a.ts");
        assert_eq!(told(r#"sed -i 's/a b/c/' "my file.ts" it\ s.ts>out"#), "sed·-i·s/a b/c/·my file.ts·it s.ts·out");
        assert_eq!(told("cd x&&git commit;ls|wc"), "cd·x·;·;·git·commit·;·ls·;·wc");
        assert_eq!(told(r"type src\auth\login.ts"), r"type·src\auth\login.ts");
        assert_eq!(told("echo '' \"a\\\"b\" 'open"), "echo··a\"b·open");
        assert_eq!(told(""), "");
    }

    #[test]
    fn git_is_seen_where_it_is_run() {
        let told = |text: &str| git_subcommands(&words(text)).join(" ");
        assert_eq!(told("git commit -m 'git push'"), "commit");
        assert_eq!(told("git -C sub -c a=b --no-pager log"), "log");
        assert_eq!(told("cd x && GIT_PAGER=cat /usr/bin/git rebase -i; git push"), "rebase push");
        assert_eq!(told("$(git rev-parse HEAD)"), "rev-parse");
        for none in ["git", "git --version", "echo git commit", "grep git src", "legit commit", "git 'x y'"] {
            assert_eq!(told(none), "", "{none}");
        }
    }

    #[test]
    fn options_are_no_files_but_their_values_may_be() {
        let words = words("tool -v --file=src/a.ts --dry src/b.ts; x");
        assert_eq!(paths(&words), ["tool", "src/a.ts", "src/b.ts", "x"]);
    }

    #[test]
    fn paths_count_from_the_folder_that_was_gone_to() {
        let told = |text: &str| paths(&words(text)).join(" ");
        assert_eq!(told("cd a && cat b /c; cd ../d; ls e"), "cd a a/cat a/b /c a/cd a/../d a/../d/ls a/../d/e");
        assert_eq!(told("echo cd a; cat b"), "echo cd a cat b");
    }
}
