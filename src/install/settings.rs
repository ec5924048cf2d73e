//! The client's settings file: MARVEL's hook entries put in, found again, brought up to date, taken out. Bytes in, bytes
//! out; other people's entries keep theirs. Where the file is and how it is written is `place`'s and `change`'s.

use serde::{Deserialize, Serialize};

use super::entries::{EVENTS, Event, Form, Handler, is_ours};
use super::json_text::{JsonText, Node, Problem, Step};

const HOOKS: &str = "hooks";

/// One of our handlers, as it stands in a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Found {
    /// The client's name of the event.
    pub event: String,
    pub matcher: Option<String>,
    pub command: String,
    pub args: Vec<String>,
    group: usize,
    item: usize,
    /// Whether the group holds nothing of anybody else's.
    alone: bool,
}

impl Found {
    /// Whether it is what is written today.
    fn is_current(&self, event: &Event, handler: &Handler) -> bool {
        self.event == event.name && self.command == handler.command && self.args == handler.args && self.matches_like(event)
    }

    /// An empty matcher and `*` mean the same as none.
    fn matches_like(&self, event: &Event) -> bool {
        self.matcher.as_deref().filter(|text| !["", "*"].contains(text)) == event.matcher
    }
}

/// Our handlers in the order of the file.
pub fn entries(bytes: &[u8]) -> Result<Vec<Found>, Problem> {
    let json = JsonText::parse(bytes)?;
    check_shape(&json)?;
    Ok(find(&json))
}

/// Whether every event has its entry, each once, and none is out of date.
pub fn is_complete(found: &[Found], form: &Form) -> bool {
    found.len() == EVENTS.len()
        && EVENTS.iter().all(|event| found.iter().any(|entry| entry.is_current(event, &event.handler(form))))
}

/// The file with our entries: each once, current, after those of others. The same bytes where nothing is to do.
pub fn install(bytes: &[u8], form: &Form) -> Result<Vec<u8>, Problem> {
    let mut json = JsonText::parse(bytes)?;
    check_shape(&json)?;
    if is_complete(&find(&json), form) {
        return Ok(bytes.to_vec());
    }
    if json.root().get(HOOKS).is_none() {
        json.insert(&[], HOOKS, &serde_json::Map::new());
    }
    for event in EVENTS {
        let handler = event.handler(form);
        let ours: Vec<_> = find(&json).into_iter().filter(|entry| entry.event == event.name).collect();
        // The one that stays: the first in a group that we may change, or whose matcher is right.
        let kept = ours.iter().position(|entry| entry.alone || entry.matches_like(&event));
        let extra: Vec<_> = ours.iter().enumerate().filter(|(at, _)| Some(*at) != kept).map(|(_, entry)| entry.clone()).collect();
        take_out(&mut json, &extra, &[]);
        let kept = kept.and_then(|_| find(&json).into_iter().find(|entry| entry.event == event.name));
        match kept {
            Some(entry) if entry.is_current(&event, &handler) => {}
            Some(entry) if entry.alone => {
                json.replace(&[Step::Key(HOOKS), Step::Key(event.name), Step::Index(entry.group)], &event.group(form));
            }
            Some(entry) => json.replace(&entry.path(), &handler),
            None if json.at(&[Step::Key(HOOKS), Step::Key(event.name)]).is_some() => {
                json.push(&[Step::Key(HOOKS), Step::Key(event.name)], &event.group(form));
            }
            None => json.insert(&[Step::Key(HOOKS)], event.name, &[event.group(form)]),
        }
    }
    let foreign: Vec<_> = find(&json).into_iter().filter(|entry| EVENTS.iter().all(|event| event.name != entry.event)).collect();
    take_out(&mut json, &foreign, &[]);
    Ok(json.into_bytes())
}

/// What of a file cannot be told from what we make: it is remembered, so that taking our entries out gives the file as it was.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Before {
    /// The whole text of a file without a member; `None` where there was no file, or more in it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    text: Option<String>,
    /// Whether there were `hooks`.
    hooks: bool,
    /// Events with an empty list.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    empty: Vec<String>,
}

impl Before {
    /// Of a file without our entries.
    pub fn of(bytes: Option<&[u8]>) -> Option<Self> {
        let Some(bytes) = bytes else { return Some(Self::default()) };
        let json = JsonText::parse(bytes).ok().filter(|json| find(json).is_empty())?;
        let hooks = json.root().get(HOOKS);
        let empty = hooks.map(Node::members).unwrap_or_default().iter().filter(|event| event.value.items().is_empty());
        Some(Self {
            text: json.root().members().is_empty().then(|| String::from_utf8_lossy(bytes).into_owned()),
            hooks: hooks.is_some(),
            empty: empty.map(|event| event.name.clone()).collect(),
        })
    }
}

/// The file without our entries, and without the containers that they leave empty and that were not there before; `None`
/// where nothing is left at all.
pub fn uninstall(bytes: &[u8], before: &Before) -> Result<Option<Vec<u8>>, Problem> {
    let mut json = JsonText::parse(bytes)?;
    check_shape(&json)?;
    let ours = find(&json);
    if ours.is_empty() {
        return Ok(Some(bytes.to_vec()));
    }
    take_out(&mut json, &ours, &before.empty);
    if !before.hooks && json.root().get(HOOKS).is_some_and(|hooks| hooks.members().is_empty()) {
        json.remove(&[Step::Key(HOOKS)]);
    }
    if json.root().members().is_empty() {
        return Ok(before.text.as_ref().map(|text| text.clone().into_bytes()));
    }
    Ok(Some(json.into_bytes()))
}

/// Settings of others that decide whether our entries run, or run twice.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Switches {
    /// No hook runs at all.
    pub hooks_off: bool,
    /// MARVEL's plugin is on: its hooks run as well.
    pub plugin: bool,
}

pub fn switches(bytes: &[u8]) -> Switches {
    let Ok(json) = JsonText::parse(bytes) else { return Switches::default() };
    let on = |node: &Node| json.value(node) == Some(true);
    let plugins = json.root().get("enabledPlugins").map(Node::members).unwrap_or_default();
    Switches {
        hooks_off: json.root().get("disableAllHooks").is_some_and(on),
        plugin: plugins.iter().any(|plugin| plugin.name.split('@').next() == Some("marvel") && on(&plugin.value)),
    }
}

impl Found {
    fn path(&self) -> [Step<'_>; 5] {
        [Step::Key(HOOKS), Step::Key(&self.event), Step::Index(self.group), Step::Key(HOOKS), Step::Index(self.item)]
    }
}

fn find(json: &JsonText) -> Vec<Found> {
    let mut found = Vec::new();
    for member in json.root().get(HOOKS).map(Node::members).unwrap_or_default() {
        for (group_at, group) in member.value.items().iter().enumerate() {
            let items = group.get(HOOKS).map(Node::items).unwrap_or_default();
            let ours = |item: &Node| {
                let command = item.get("command")?.as_str()?.to_owned();
                let args: Vec<String> = match item.get("args") {
                    None => Vec::new(),
                    Some(args) => json.value(args)?,
                };
                is_ours(&command, &args).then_some((command, args))
            };
            let alone = items.iter().all(|item| ours(item).is_some())
                && group.members().iter().all(|member| [HOOKS, "matcher"].contains(&member.name.as_str()));
            found.extend(items.iter().enumerate().filter_map(|(at, item)| {
                let (command, args) = ours(item)?;
                let matcher = group.get("matcher").and_then(Node::as_str).map(str::to_owned);
                Some(Found { event: member.name.clone(), matcher, command, args, group: group_at, item: at, alone })
            }));
        }
    }
    found
}

/// Takes handlers out, last one first so that the places of the others hold, and with them what they leave empty.
fn take_out(json: &mut JsonText, entries: &[Found], keep: &[String]) {
    for entry in entries.iter().rev() {
        json.remove(&entry.path());
        let group = [Step::Key(HOOKS), Step::Key(&entry.event), Step::Index(entry.group)];
        if entry.alone && json.at(&entry.path()[..4]).is_some_and(|handlers| handlers.items().is_empty()) {
            json.remove(&group);
        }
        if !keep.contains(&entry.event) && json.at(&group[..2]).is_some_and(|groups| groups.items().is_empty()) {
            json.remove(&group[..2]);
        }
    }
}

/// What the client would not take either is not built upon.
fn check_shape(json: &JsonText) -> Result<(), Problem> {
    let Some(hooks) = json.root().get(HOOKS) else { return Ok(()) };
    if !hooks.is_object() {
        return Err(json.problem(hooks, "`hooks` is expected to be an object"));
    }
    for member in hooks.members() {
        if EVENTS.iter().any(|event| event.name == member.name) && !member.value.is_array() {
            return Err(json.problem(&member.value, format!("`hooks.{}` is expected to be a list", member.name)));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::{Before, Switches, entries, install, is_complete, switches, uninstall};
    use crate::install::entries::{EVENTS, Form};

    fn direct() -> Form {
        Form::Direct { program: "marvel".to_owned() }
    }

    fn installed(text: &str, form: &Form) -> String {
        let once = install(text.as_bytes(), form).unwrap();
        assert_eq!(install(&once, form).unwrap(), once, "twice is once");
        assert!(is_complete(&entries(&once).unwrap(), form));
        String::from_utf8(once).unwrap()
    }

    fn uninstalled(text: &str) -> Option<String> {
        uninstall(text.as_bytes(), &Before::default()).unwrap().map(|bytes| String::from_utf8(bytes).unwrap())
    }

    /// The lines of `after` that are not in `before`, in order; the others must all be there, unchanged.
    fn added<'a>(before: &str, after: &'a str) -> Vec<&'a str> {
        let mut old = before.lines().peekable();
        let new: Vec<_> = after.lines().filter(|line| old.next_if(|next| next == line).is_none()).collect();
        assert_eq!(old.next(), None, "a line of the file is gone:\n{after}");
        new
    }

    #[test]
    fn st01_st02_st03_a_file_that_is_no_strict_json_is_refused_with_its_place() {
        for (text, line, column) in [
            ("{ // team\n \"model\":\"opus\", \"permissions\":{\"deny\":[\"Read(x)\"]} }", 1, 3),
            ("{\"model\":\"opus\",\"hooks\":{},}", 1, 28),
            ("{\"model\":\"opus\",\n\"hooks\":{\"Stop\":[{", 2, 18),
            ("{\"hooks\":[]}", 1, 10),
            ("{\"hooks\":{\"Stop\":{}}}", 1, 18),
        ] {
            for result in [install(text.as_bytes(), &direct()).map(Some), uninstall(text.as_bytes(), &Before::default())] {
                let problem = result.expect_err(text);
                assert_eq!((problem.line, problem.column), (line, column), "{text}: {problem}");
            }
        }
    }

    #[test]
    fn st04_only_an_object_and_an_empty_file_are_taken() {
        for text in ["[]", "null", "42", "\"\"", "true"] {
            install(text.as_bytes(), &direct()).expect_err(text);
        }
        for text in ["", " \n", "{}", "{}\n"] {
            assert!(installed(text, &direct()).starts_with("{\n  \"hooks\": {\n    \"SessionStart\": [\n"), "{text:?}");
        }
    }

    #[test]
    fn st07_only_our_lines_change_whatever_the_style() {
        for text in [
            "{\n\t\"z\": 1e400,\n\t\"a\": \"\\u00e9\\/\",\n\n\t\"big\": 12345678901234567890123\n}",
            "{\n    \"z\": 1,\n    \"hooks\": {\n        \"Stop\": [\n            {\"hooks\": [{\"type\":\"command\", \"command\":\"x\"}]}\n        ]\n    }\n}\n",
        ] {
            let after = installed(text, &Form::Guarded);
            // a comma after what was the last member is all that a line of theirs gets
            let before =
                text.replace("123\n}", "123,\n}").replace("}]}\n", "}]},\n").replace("        ]\n    }", "        ],\n    }");
            let indent = if text.contains('\t') { "\t" } else { "    " };
            assert!(added(&before, &after).iter().all(|line| line.starts_with(indent)), "{after}");
            assert_eq!(uninstalled(&after).as_deref(), Some(text));
        }
    }

    #[test]
    fn st08_other_tools_keep_their_entries_and_come_first() {
        let group = |name: &str| format!("{{\"matcher\":\"*\",\"hooks\":[{{\"type\":\"command\",\"command\":\"{name}\"}}]}}");
        let events: Vec<_> =
            EVENTS.iter().map(|event| format!("\"{}\":[{},{}]", event.name, group("one"), group("two"))).collect();
        let text = format!("{{\"hooks\":{{{}}}}}", events.join(","));
        let after = installed(&text, &direct());
        let value: serde_json::Value = serde_json::from_str(&after).unwrap();
        for event in EVENTS {
            let commands: Vec<_> = (0..3).map(|at| value["hooks"][event.name][at]["hooks"][0]["command"].clone()).collect();
            assert_eq!(commands, ["one", "two", "marvel"]);
        }
        assert_eq!(uninstalled(&after), Some(text));
    }

    #[test]
    fn st12_duplicates_of_ours_collapse_to_one() {
        let own = r#"{"hooks":[{"type":"command","command":"marvel","args":["hook","stop"]}]}"#;
        let shared = r#"{"hooks":[{"type":"command","command":"x"},{"type":"command","command":"marvel hook stop"}]}"#;
        let text = format!("{{\"hooks\":{{\"Stop\":[{shared},{own},{own}]}}}}");
        let after = installed(&text, &direct());
        assert_eq!(entries(after.as_bytes()).unwrap().iter().filter(|entry| entry.event == "Stop").count(), 1);
        assert!(after.contains(r#""command":"x""#), "{after}");
        assert_eq!(uninstalled(&after).as_deref(), Some(r#"{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"x"}]}]}}"#));
    }

    #[test]
    fn st13_old_entries_are_migrated_in_their_place_and_look_alikes_stay() {
        let text = r#"{"hooks":{
  "PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":"/opt/marvel-0.1/marvel hook x"}]},{"matcher":"Edit","hooks":[{"type":"command","command":"marvel-extra hook x"}]}],
  "PostToolUse":[{"hooks":[{"type":"command","command":"marvel hook post"}]}]
}}"#;
        let after = installed(text, &Form::Guarded);
        let value: serde_json::Value = serde_json::from_str(&after).unwrap();
        assert_eq!(value["hooks"]["PreToolUse"][0]["matcher"], "Read|Edit|Write|NotebookEdit|Grep|Bash");
        assert_eq!(value["hooks"]["PreToolUse"][1]["hooks"][0]["command"], "marvel-extra hook x");
        assert_eq!(value["hooks"].get("PostToolUse"), None);
    }

    #[test]
    fn a_narrow_group_that_is_shared_keeps_its_matcher() {
        let text = r#"{"hooks":{"PreToolUse":[{"matcher":"Edit","hooks":[{"type":"command","command":"marvel hook pre-tool-use"},{"type":"command","command":"x"}]}]}}"#;
        let value: serde_json::Value = serde_json::from_str(&installed(text, &direct())).unwrap();
        let groups = value["hooks"]["PreToolUse"].as_array().unwrap();
        assert_eq!((groups.len(), &groups[0]["matcher"], &groups[0]["hooks"][0]["command"]), (2, &"Edit".into(), &"x".into()));
    }

    #[test]
    fn what_we_alone_made_goes_altogether() {
        for form in [Form::Guarded, direct()] {
            assert_eq!(uninstalled(&installed("", &form)), None);
            assert_eq!(uninstalled(&installed("{\"a\": 1}", &form)).as_deref(), Some("{\"a\": 1}"));
        }
        assert_eq!(uninstalled("{\"hooks\":{}}\n").as_deref(), Some("{\"hooks\":{}}\n"));
    }

    #[test]
    fn what_was_empty_before_is_left_as_it_was() {
        for text in [
            "",
            " \n",
            "{}",
            "{ }\n",
            "{\"hooks\":{}}",
            "{\n  \"hooks\": {\n    \"Stop\": []\n  }\n}\n",
            "{\"a\":1,\"hooks\":{}}",
        ] {
            let before = Before::of(Some(text.as_bytes())).unwrap();
            let before: Before = serde_json::from_str(&serde_json::to_string(&before).unwrap()).unwrap();
            let after = installed(text, &Form::Guarded);
            assert_eq!(Before::of(Some(after.as_bytes())), None);
            let out = uninstall(after.as_bytes(), &before).unwrap().map(|bytes| String::from_utf8(bytes).unwrap());
            assert_eq!(out.as_deref(), Some(text));
        }
        assert_eq!(uninstall(installed("", &direct()).as_bytes(), &Before::of(None).unwrap()), Ok(None));
    }

    #[test]
    fn what_switches_hooks_off_or_doubles_them_is_seen() {
        let all = switches(br#"{"disableAllHooks":true,"enabledPlugins":{"marvel@x":true,"other@x":true}}"#);
        assert_eq!(all, Switches { hooks_off: true, plugin: true });
        assert_eq!(
            switches(br#"{"disableAllHooks":false,"enabledPlugins":{"marvel@x":false,"marvellous@x":true}}"#),
            Switches::default()
        );
    }
}
