//! The merge of `pack.json` as named scenarios.

use super::merge;
use crate::merge::{Refused, Side};
use crate::model::pack::PackMeta;

const BASE: &str = r#"{
  "name": "security",
  "version": "1.0.0",
  "owner": "team",
  "categories": ["security", "auth"],
  "applies_to": {
    "extensions": [
      ".ts",
      ".tsx"
    ]
  }
}
"#;

/// Merges both ways and holds that they agree; gives the text and the properties in conflict.
fn merged(base: Option<&str>, ours: &str, theirs: &str) -> (String, Vec<String>) {
    let base = base.map(str::as_bytes);
    let one = merge(base, ours.as_bytes(), theirs.as_bytes(), 7).expect("merged");
    let other = merge(base, theirs.as_bytes(), ours.as_bytes(), 7).expect("merged");
    if one.conflicts.is_empty() {
        assert_eq!(String::from_utf8_lossy(&one.bytes), String::from_utf8_lossy(&other.bytes));
    }
    assert_eq!(one.conflicts, other.conflicts);
    (String::from_utf8(one.bytes).expect("UTF-8"), one.conflicts)
}

fn clean(base: &str, ours: &str, theirs: &str) -> String {
    let (text, conflicts) = merged(Some(base), ours, theirs);
    assert_eq!(conflicts, [""; 0]);
    text
}

#[test]
fn properties_of_both_sides_come_together_in_the_layout_of_the_file() {
    let ours = BASE.replace("1.0.0", "1.1.0").replace(r#"["security", "auth"]"#, r#"["security", "auth", "crypto"]"#);
    let theirs = BASE
        .replace(r#""owner": "team","#, "\"owner\": \"team\",\n  \"later\": {\"a\": [1,2]},")
        .replace(r#"["security", "auth"]"#, r#"["security", "sessions"]"#)
        .replace(",\n      \".tsx\"", ",\n      \".mts\"");
    let expected = BASE
        .replace("1.0.0", "1.1.0")
        .replace(r#""owner": "team","#, "\"owner\": \"team\",\n  \"later\": {\"a\": [1,2]},")
        .replace(r#"["security", "auth"]"#, r#"["security", "crypto", "sessions"]"#)
        .replace(",\n      \".tsx\"", ",\n      \".mts\"");
    assert_eq!(clean(BASE, &ours, &theirs), expected);
}

#[test]
fn an_unchanged_side_gives_the_other_sides_bytes() {
    let odd = "\u{feff}{\"name\":\"security\",\n\n\"owner\":\"me\"}";
    assert_eq!(clean(BASE, BASE, odd), odd);
    assert_eq!(clean(odd, odd, BASE), BASE);
    assert_eq!(clean(BASE, odd, odd), odd);
}

#[test]
fn a_side_that_says_all_already_is_taken_byte_for_byte() {
    let ours = BASE.replace("\"team\"", "\"me\"");
    let theirs = ours.replace("1.0.0", "2.0.0").replace("  ", "\t").replace('\n', "\r\n");
    assert_eq!(clean(BASE, &ours, &theirs), theirs);
    // Both did the same in other layouts.
    let other = ours.replace("  ", "    ");
    assert!([&ours, &other].contains(&&clean(BASE, &ours, &other)));
}

#[test]
fn layout_follows_the_side_that_changed_it() {
    let ours = BASE.replace("  ", "\t").replace('\n', "\r\n").trim_end().to_owned();
    let ours = ours.replace("\"auth\"", "\"crypto\"");
    let theirs = BASE.replace("team", "me").replace("1.0.0", "1.0.1");
    assert_eq!(clean(BASE, &ours, &theirs), ours.replace("team", "me").replace("1.0.0", "1.0.1"));
    let compact = r#"{"name":"a","categories":["x"],"owner":"o"}"#;
    let done = clean(compact, &compact.replace("\"o\"", "\"p\""), &compact.replace("[\"x\"]", "[\"x\",\"y\"]"));
    assert_eq!(done, r#"{"name":"a","categories":["x","y"],"owner":"p"}"#);
}

#[test]
fn a_version_that_both_raised_is_the_higher_one() {
    let version = |version: &str| BASE.replace("1.0.0", version);
    assert_eq!(clean(BASE, &version("1.10.0"), &version("1.9.3")), version("1.10.0"));
    assert_eq!(clean(BASE, &version("2.0.0-rc.1"), &version("2.0.0")), version("2.0.0"));
    assert_eq!(merged(Some(BASE), &version("two"), &version("2.0.0")).1, ["version"]);
}

#[test]
fn two_new_values_are_a_conflict_and_any_choice_is_valid_json() {
    let ours =
        BASE.replace("team", "us").replace("1.0.0", "1.0.1").replace("\"extensions\"", "\"later\": 1,\n    \"extensions\"");
    let theirs =
        BASE.replace("team", "them").replace("\"extensions\"", "\"later\": 2,\n    \"extensions\"").replace(", \"auth\"", "");
    let (text, conflicts) = merged(Some(BASE), &ours, &theirs);
    assert_eq!(conflicts, ["owner", "applies_to.later"]);
    let expected = r#"{
  "name": "security",
  "version": "1.0.1",
<<<<<<< ours: owner
  "owner": "us",
||||||| base
  "owner": "team",
=======
  "owner": "them",
>>>>>>> theirs: owner
  "categories": ["security"],
  "applies_to": {
<<<<<<< ours: applies_to.later
    "later": 1,
||||||| base
=======
    "later": 2,
>>>>>>> theirs: applies_to.later
    "extensions": [
      ".ts",
      ".tsx"
    ]
  }
}
"#;
    assert_eq!(text, expected);
    for (part, owner) in [(b'<', "us"), (b'=', "them"), (b'|', "team")] {
        assert_eq!(PackMeta::parse(&super::chosen(text.as_bytes(), part)).expect("valid").owner, owner);
    }
}

#[test]
fn what_one_removed_and_the_other_changed_stays() {
    let without = BASE.replace("  \"categories\": [\"security\", \"auth\"],\n", "").replace("\"team\"", "\"me\"");
    let more = BASE.replace("\"auth\"]", "\"auth\", \"crypto\"]");
    assert!(clean(BASE, &without, &more).contains(r#""categories": ["crypto"]"#));
    let swapped = BASE.replace(r#"["security", "auth"]"#, r#"["auth", "security"]"#);
    assert_eq!(clean(BASE, &without, &swapped), without);
    let unowned = BASE.replace("  \"owner\": \"team\",\n", "");
    assert_eq!(clean(BASE, &unowned, &BASE.replace("team", "me")), BASE.replace("team", "me"));
}

#[test]
fn without_a_base_it_is_the_union() {
    let ours = BASE.replace("\"auth\"", "\"crypto\"");
    let (text, conflicts) = merged(None, &ours, BASE);
    assert_eq!((text, conflicts.len()), (BASE.replace(r#"["security", "auth"]"#, r#"["security", "auth", "crypto"]"#), 0));
    assert_eq!(merged(Some("not JSON"), &ours, &BASE.replace("team", "me")).1, ["owner"]);
}

#[test]
fn a_base_that_is_a_conflict_itself_is_read() {
    let (ours, theirs) = (BASE.replace("team", "us"), BASE.replace("team", "them"));
    let base = merged(Some(BASE), &ours, &theirs).0;
    assert_eq!(merged(Some(&base), &ours, &theirs).1, ["owner"]);
    assert_eq!(clean(&base, &ours, &ours.replace("1.0.0", "1.0.1")), ours.replace("1.0.0", "1.0.1"));
    for (ours, theirs, side) in [(&base, &ours, Side::Ours), (&ours, &base, Side::Theirs)] {
        let refused = merge(Some(BASE.as_bytes()), ours.as_bytes(), theirs.as_bytes(), 7);
        assert_eq!(refused, Err(Refused::ConflictMarker { side, line: 4 }));
    }
}

#[test]
fn what_is_no_json_object_is_refused_and_deep_nesting_ends() {
    for bad in ["[]", "{", "\u{1}"] {
        let refused = merge(Some(BASE.as_bytes()), bad.as_bytes(), BASE.replace("team", "me").as_bytes(), 7);
        assert!(matches!(refused, Err(Refused::Unreadable { side: Side::Ours, .. })), "{bad}");
    }
    let deep = |leaf: &str| format!("{}{leaf}{}", "{\"a\":".repeat(20_000), "}".repeat(20_000));
    assert_eq!(merged(Some(&deep("0")), &deep("1"), &deep("2")).1.len(), 1);
}
