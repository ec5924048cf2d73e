//! What the person wrote, out of all that stands in a prompt. Taken out: what the client or MARVEL put there
//! ([`harness`]), blocks of code and quotes ([`blocks`]), pasted output ([`paste`]); what is left is cut into sentences
//! ([`sentence`]). What the sentences mean is `classify`'s.

mod blocks;
mod harness;
mod paste;
mod sentence;

pub use sentence::Sentence;

/// The person's sentences, wherever they stood in the prompt.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stripped {
    pub sentences: Vec<Sentence>,
    /// Whether text of the client's (or ours) was taken out.
    pub harness: bool,
    /// Whether code, quotes or pasted output were taken out.
    pub pasted: bool,
}

impl Stripped {
    /// Whether the person wrote nothing at all.
    pub fn is_empty(&self) -> bool {
        self.sentences.is_empty()
    }

    /// The sentences as they were written, one space or one new line between them.
    pub fn text(&self) -> String {
        let mut out = String::new();
        for sentence in &self.sentences {
            if !out.is_empty() {
                out.push(if sentence.new_line { '\n' } else { ' ' });
            }
            out.push_str(&sentence.text);
        }
        out
    }
}

/// Takes out what the person did not write. Linear in the prompt.
pub fn strip(prompt: &str) -> Stripped {
    let typed = harness::remove(prompt);
    let lines = blocks::typed_lines(&typed.text);
    let sentences = sentence::split(&lines.lines);
    Stripped { sentences, harness: typed.removed, pasted: lines.removed }
}

#[cfg(test)]
mod tests {
    use super::strip;

    fn left(prompt: &str) -> Vec<String> {
        strip(prompt).sentences.into_iter().map(|sentence| sentence.text).collect()
    }

    #[test]
    fn only_what_the_person_wrote_is_left() {
        for (prompt, sentences) in [
            ("no, use pnpm. you used npm", &["no, use pnpm.", "you used npm"][..]),
            ("  <task-notification>\n<summary>Perfect!</summary>\n</task-notification>\n\nno, it is not.", &["no, it is not."]),
            ("<system-reminder>Never do it.</system-reminder>", &[]),
            ("<anything-new a=\"1\">stop</anything-new> go on", &["go on"]),
            ("<marvel-context file=\"a\">\nno\n</marvel-context>\nyes", &["yes"]),
            ("<system-reminder>never closed\nno, use x", &[]),
            ("[Request interrupted by user for tool use]", &[]),
            ("[Request interrupted by user]no, the other file", &["no, the other file"]),
            ("[SYSTEM NOTIFICATION - NOT USER INPUT] Monitor event: build failed. Don't wait.", &[]),
            ("[Image #1] make it blue", &["make it blue"]),
            ("/review 142 --strict", &[]),
            ("/usr/lib is the wrong path", &["/usr/lib is the wrong path"]),
            ("This session is being continued from a previous conversation that ran out of context. No, use pnpm.", &[]),
            ("- step:\n  ```\n  never\n  ```\nno, use the other one", &["step:", "no, use the other one"]),
            ("1. ```sh\nno\n```\n2. yes", &["yes"]),
            ("see:\n~~~~\n```\nno\n~~~\n~~~~\nyes", &["see:", "yes"]),
            ("look\n```\nno, never\nstill open", &["look"]),
            ("> I'll use npm\n\nplease don't", &["please don't"]),
            ("here:\n\n    never(do_it)\n\nfix it", &["here:", "fix it"]),
            ("Traceback (most recent call last):\n  File \"a.py\", line 1, in <module>\nValueError: use meters instead", &[]),
            ("npm ERR! code ERESOLVE\nnpm ERR! this is incorrect\nplease look", &["please look"]),
            ("{\"type\":\"tool_result\",\"content\":\"you should read first\"}", &[]),
            ("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-no\n+yes\n same\n\nwrong file", &["wrong file"]),
            ("违う。用 pnpm！好吗？", &["违う。", "用 pnpm！", "好吗？"]),
            ("use e.g. pnpm 9.1 for this, i.e. not npm. ok", &["use e.g. pnpm 9.1 for this, i.e. not npm.", "ok"]),
        ] {
            assert_eq!(left(prompt), sentences, "{prompt}");
        }
    }

    #[test]
    fn what_is_quoted_is_spoken_of_not_spoken() {
        for (prompt, plain) in [
            ("add a 'Don't show this again' box", "add a \u{FFFC} box"),
            ("the users' files don't match", "the users' files don't match"),
            ("run `npm ci`, \"no\" and “never”", "run \u{FFFC}, \u{FFFC} and \u{FFFC}"),
            ("un bouton « Ne plus afficher » ici", "un bouton \u{FFFC} ici"),
            ("登录时提示“密码错误”，但密码是对的", "登录时提示\u{FFFC}，但密码是对的"),
            ("「違う」ボタン", "\u{FFFC}ボタン"),
            ("in „Falsch“ ändern", "in \u{FFFC} ändern"),
            ("it's 5\" wide, not 6\"", "it's 5\" wide, not 6\""),
            ("a ` alone", "a ` alone"),
        ] {
            let sentences = strip(prompt).sentences;
            assert_eq!(sentences[0].plain, plain, "{prompt}");
        }
    }
}
