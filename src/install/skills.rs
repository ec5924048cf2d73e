//! The skills: what a person types as `/marvel-…` in the client. Their texts stand in `marvel/claude/skills`, which is a plugin
//! as well; here they are embedded, and given the seal by which `init` knows its own files.

use super::seal::{self, PLACEHOLDER};

macro_rules! skill {
    ($name:literal) => {
        ($name, include_str!(concat!("../../marvel/claude/skills/", $name, "/SKILL.md")))
    };
}

const SKILLS: [(&str, &str); 7] = [
    skill!("marvel-evolve"),
    skill!("marvel-health"),
    skill!("marvel-lessons"),
    skill!("marvel-reflect"),
    skill!("marvel-status"),
    skill!("marvel-teach"),
    skill!("marvel-why"),
];

/// Every skill's file, from the client's folder (`.claude`), with its text.
pub fn files() -> impl Iterator<Item = (String, String)> {
    SKILLS.iter().map(|(name, text)| {
        let (front, body) = text[3..].split_once("\n---\n").expect("a skill begins with its front matter");
        let sealed = format!("---{front}\nmetadata:\n  {PLACEHOLDER}\n---\n{body}");
        (format!("skills/{name}/SKILL.md"), seal::sign(&sealed))
    })
}

#[cfg(test)]
mod tests {
    use super::{SKILLS, files};
    use crate::install::entries::{EVENTS, Form};
    use crate::install::seal::{Owner, owner};
    use std::path::Path;

    fn plugin() -> std::path::PathBuf {
        Path::new(env!("CARGO_MANIFEST_DIR")).join("marvel/claude")
    }

    fn json(file: &str) -> serde_json::Value {
        serde_json::from_slice(&std::fs::read(plugin().join(file)).unwrap()).unwrap()
    }

    #[test]
    fn what_the_plugin_ships_is_what_the_binary_holds() {
        let mut there: Vec<String> = std::fs::read_dir(plugin().join("skills"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        there.sort();
        assert_eq!(there, SKILLS.map(|(name, _)| name));
        assert!(files().all(|(_, text)| owner(text.as_bytes()) == Owner::Us));
    }

    #[test]
    fn each_skill_names_itself_and_its_commands_and_only_two_are_loaded_unasked() {
        for (name, text) in SKILLS {
            assert!(text.starts_with(&format!("---\nname: {name}\ndescription: ")), "{name}");
            assert!(text.contains("\nallowed-tools: Bash(marvel "), "{name}");
            let unasked = ["marvel-reflect", "marvel-teach"].contains(&name);
            assert_eq!(text.contains("\ndisable-model-invocation: true\n"), !unasked, "{name}");
            assert!(text.len() < 2_600, "{name} is {} bytes", text.len());
        }
    }

    #[test]
    fn the_plugin_has_the_version_and_the_hooks_of_the_binary() {
        assert_eq!(json(".claude-plugin/plugin.json")["version"], env!("CARGO_PKG_VERSION"));
        let hooks: serde_json::Map<_, _> =
            EVENTS.iter().map(|event| (event.name.to_owned(), serde_json::json!([event.group(&Form::Guarded)]))).collect();
        assert_eq!(json("hooks/hooks.json")["hooks"], serde_json::Value::Object(hooks));
    }
}
