//! The rules of the merge as named scenarios; its laws over generated files stand with the other tests.

use super::{Merged, Options, What, merge};
use crate::merge::{Refused, Side};
use crate::model::jsonl::LessonFile;
use crate::model::lesson::LessonId;

/// A line with an id that ends in `id`; `more` holds further fields, each with a comma after it.
fn with(id: u8, title: &str, description: &str, more: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-11-{id:02}T10:15:00Z","category":"c","title":"{title}","description":"{description}","actionable":"a",{more}"id":"00000000{id:02}"}}"#
    ) + "\n"
}

fn line(id: u8) -> String {
    with(id, "t", "d", "")
}

/// Merges both ways and holds that they agree.
fn merged(base: &str, ours: &str, theirs: &str) -> Merged {
    let base = Some(base.as_bytes());
    let one = merge(base, ours.as_bytes(), theirs.as_bytes(), &Options::default()).expect("merged");
    let other = merge(base, theirs.as_bytes(), ours.as_bytes(), &Options::default()).expect("merged");
    if one.conflicts.is_empty() {
        assert_eq!(text(&one), text(&other));
    }
    assert_eq!(one.conflicts.len(), other.conflicts.len());
    one
}

fn text(merged: &Merged) -> String {
    String::from_utf8_lossy(&merged.bytes).into_owned()
}

fn clean(base: &str, ours: &str, theirs: &str) -> String {
    let merged = merged(base, ours, theirs);
    assert_eq!(merged.conflicts, []);
    text(&merged)
}

fn whats(merged: &Merged) -> Vec<(&str, What)> {
    merged.report.iter().map(|resolution| (&resolution.id.as_str()[8..], resolution.what)).collect()
}

#[test]
fn mg04_new_lessons_come_by_instant_and_id_after_the_base() {
    let same = |id: u8| line(id).replace(&format!("2026-11-{id:02}"), "2026-11-05");
    let east = line(6).replace("2026-11-06T10:15:00Z", "2026-11-05T09:15:00-04:00");
    let no_time = line(1).replace("2026-11-01T10:15:00Z", "yesterday");
    let ours = [line(9), same(4), no_time.clone()].concat();
    let theirs = [line(9), same(2), east.clone(), line(3)].concat();
    assert_eq!(clean(&line(9), &ours, &theirs), [line(9), line(3), same(2), same(4), east, no_time].concat());
}

#[test]
fn mg05_a_rebase_keeps_every_pick() {
    // git rebase: what was picked so far is "ours".
    let base = line(1);
    let first_pick = clean(&base, &(base.clone() + &line(5)), &(base.clone() + &line(2)));
    assert_eq!(first_pick, [line(1), line(2), line(5)].concat());
    let second_pick = clean(&(base.clone() + &line(2)), &first_pick, &[line(1), line(2), line(3)].concat());
    assert_eq!(LessonFile::parse(second_pick.as_bytes()).lessons().len(), 4);
}

#[test]
fn mg08_the_same_lesson_added_twice_at_different_places_is_one() {
    let base = [line(1), line(2)].concat();
    let ours = [line(1), line(7), line(2)].concat();
    let theirs = [with(1, "T", "d", ""), line(2), line(7)].concat();
    assert_eq!(clean(&base, &ours, &theirs), [with(1, "T", "d", ""), line(2), line(7)].concat());
}

#[test]
fn mg10_what_one_side_removed_stays_removed_unless_the_other_edited_it() {
    let base = [1, 2, 3].map(line).concat();
    let counted = with(1, "t", "d", r#""utility_score":0.9,"injection_count":12,"#);
    let edited = with(2, "t", "better", "");
    let unknown = with(3, "t", "d", r#""x":1,"#);
    let merged = merged(&base, &line(8), &[counted, edited.clone(), unknown.clone()].concat());
    assert_eq!(text(&merged), [edited, unknown, line(8)].concat());
    assert_eq!(
        whats(&merged),
        [
            ("01", What::Removed { by: Some(Side::Ours) }),
            ("02", What::KeptEdit { removed_by: Side::Ours }),
            ("03", What::KeptEdit { removed_by: Side::Ours }),
            ("08", What::Added { by: Some(Side::Ours) })
        ]
    );
}

#[test]
fn mg12_without_a_base_it_is_the_union() {
    let (ours, theirs) = ([line(1), line(3)].concat(), [line(2), line(3)].concat());
    let union = [1, 2, 3].map(line).concat();
    let merged = merge(None, ours.as_bytes(), theirs.as_bytes(), &Options::default()).expect("merged");
    assert_eq!((text(&merged), merged.conflicts.len()), (union.clone(), 0));
    assert_eq!(clean("", &ours, &theirs), union);
    assert_eq!(clean("", "", &theirs), theirs);
}

#[test]
fn jl18_unknown_fields_of_both_sides_survive_in_place() {
    let base = with(1, "t", "d", "");
    let ours = base.replace(r#""title""#, r#""schema": {"v":2},"title""#);
    let theirs = with(1, "t", "new", r#""later":[1,2],"#);
    let both = with(1, "t", "new", r#""later":[1,2],"#).replace(r#""title""#, r#""schema":{"v":2},"title""#);
    assert_eq!(clean(&base, &ours, &theirs), both);
}

#[test]
fn both_sides_edits_of_one_lesson_come_together() {
    let base = [line(1), line(2)].concat();
    let ours = [with(1, "T", "d", r#""injection_count":3,"utility_score":0.5,"#), line(2)].concat();
    let theirs = [with(1, "t", "D", r#""injection_count":9,"utility_score":0.4,"#), with(2, "x", "d", "")].concat();
    let merged = merged(&base, &ours, &theirs);
    let one = with(1, "T", "D", r#""injection_count":9,"utility_score":0.4,"#);
    assert_eq!(text(&merged), one + &with(2, "x", "d", ""));
    assert_eq!(whats(&merged), [("01", What::Edited { by: None }), ("02", What::Edited { by: Some(Side::Theirs) })]);
}

#[test]
fn a_conflict_names_the_lesson_and_any_choice_makes_a_valid_file() {
    let base = [line(1), line(2), line(3)].concat();
    let ours = [line(1), with(2, "Ours", "D", ""), line(3)].concat();
    let theirs = [with(1, "T", "d", ""), with(2, "The\\nirs", "d", r#""x":1,"#), line(3), line(4)].concat();
    let merged = merged(&base, &ours, &theirs);
    assert_eq!(merged.conflicts[0].fields, ["title"]);
    let expected = [
        with(1, "T", "d", ""),
        "<<<<<<< ours: 0000000002 Ours (title)\n".to_owned(),
        with(2, "Ours", "D", r#""x":1,"#),
        "||||||| base\n".to_owned(),
        with(2, "t", "D", r#""x":1,"#),
        "=======\n".to_owned(),
        with(2, "The\\nirs", "D", r#""x":1,"#),
        ">>>>>>> theirs: 0000000002 The irs (title)\n".to_owned(),
        line(3),
        line(4),
    ];
    assert_eq!(text(&merged), expected.concat());
}

#[test]
fn a_merge_within_a_merge_has_longer_markers() {
    let options = Options { marker_size: 9, ..Options::default() };
    let (ours, theirs) = (with(1, "a", "d", ""), with(1, "b", "d", ""));
    let merged = merge(None, ours.as_bytes(), theirs.as_bytes(), &options).expect("merged");
    assert!(text(&merged).starts_with("<<<<<<<<< ours: "));
    assert!(text(&merged).contains("\n||||||||| base\n=========\n") || text(&merged).contains("\n=========\n"));
}

#[test]
fn a_base_with_conflict_markers_is_read_and_a_side_with_them_is_refused() {
    let (ours, theirs) = (with(1, "a", "d", ""), with(1, "b", "d", ""));
    let base = merge(None, ours.as_bytes(), theirs.as_bytes(), &Options::default()).expect("merged").bytes;
    let base = String::from_utf8(base).expect("UTF-8");
    // Both chose the same: done. They chose differently: still a conflict. One edited something else: both.
    assert_eq!(clean(&base, &ours, &ours), ours);
    assert_eq!(merged(&base, &ours, &theirs).conflicts[0].fields, ["title"]);
    assert_eq!(clean(&base, &(ours.clone() + &line(2)), &with(1, "a", "new", "")), with(1, "a", "new", "") + &line(2));
    // Removed by one: the other's choice stays, since it is new.
    assert_eq!(clean(&base, "", &(ours.clone() + &line(2))), ours.clone() + &line(2));
    for (ours, theirs, side) in [(&base, &ours, Side::Ours), (&ours, &base, Side::Theirs), (&base, &base, Side::Ours)] {
        let refused = merge(Some(b""), ours.as_bytes(), theirs.as_bytes(), &Options::default());
        assert_eq!(refused, Err(Refused::ConflictMarker { side, line: 1 }));
    }
}

#[test]
fn lines_that_are_no_lessons_are_carried_along() {
    let base = format!("# head\n{}torn {{\n\n{}", line(1), line(2));
    let ours = format!("# head\n{}torn {{\n\n{}# ours\n", line(1), with(2, "T", "d", ""));
    let theirs = format!("# head\n{}# theirs\n\n{}{}# ours\n", line(1), line(2), line(3));
    // Theirs took out the torn line; what is new stays where it was put, once.
    let expected = format!("# head\n{}# theirs\n\n{}# ours\n{}", line(1), with(2, "T", "d", ""), line(3));
    assert_eq!(clean(&base, &ours, &theirs), expected);
}

#[test]
fn line_ends_and_spelling_come_from_the_side_that_changed_them() {
    let spaced = |line: String| line.replace("\":", "\": ");
    let crlf = |line: String| line.replace('\n', "\r\n");
    let base = [line(1), line(2), line(3)].concat();
    let ours = format!("\u{feff}{}", [crlf(line(1)), spaced(line(2)), line(3)].concat());
    let theirs = [line(1), line(2), with(3, "T", "d", ""), line(4).trim_end().to_owned()].concat();
    assert_eq!(clean(&base, &ours, &theirs), [crlf(line(1)), spaced(line(2)), with(3, "T", "d", ""), line(4)].concat());
}

#[test]
fn a_lesson_is_the_same_with_and_without_its_id_written_out() {
    let bare = |description: &str| {
        format!(
            r#"{{"timestamp":"2026-11-01T10:15:00Z","category":"c","title":"t","description":"{description}","actionable":"a"}}"#
        )
    };
    let id = LessonId::derive("2026-11-01T10:15:00Z", "c", "t");
    let pinned = |text: &str| text.replace('}', &format!(r#","id":"{id}"}}"#));
    // Ours renamed it, which pins the id; theirs edited the line as it was.
    let ours = pinned(&bare("d")).replace(r#""title":"t""#, r#""title":"new""#);
    let done = pinned(&bare("D")).replace(r#""title":"t""#, r#""title":"new""#);
    assert_eq!(clean(&bare("d"), &ours, &bare("D")), done + "\n");
    // Writing the id out is no edit: what the other side removed stays removed.
    assert_eq!(clean(&bare("d"), &(pinned(&bare("d")) + "\n" + &line(2)), ""), line(2));
}

#[test]
fn of_lines_with_one_id_nothing_is_lost_and_the_later_still_counts() {
    let copied = with(1, "copied and changed", "d", "");
    let base = [line(1), line(2)].concat();
    let ours = [copied.clone(), line(1), line(2)].concat();
    let theirs = [line(2), line(3)].concat();
    // Theirs removed lesson 1, ours had put another line before it.
    assert_eq!(clean(&base, &ours, &theirs), [copied.clone(), line(2), line(3)].concat());
    let theirs = [line(1), line(2), with(1, "later", "d", "")].concat();
    let both = clean(&base, &ours, &theirs);
    assert_eq!(both, [copied, with(1, "later", "d", ""), line(2)].concat());
    // A copy that says the same is one too many.
    assert_eq!(
        clean(&base, &[line(1), line(1), line(2)].concat(), &[line(1), line(2), line(3)].concat()),
        [1, 2, 3].map(line).concat()
    );
}

#[test]
fn history_says_which_version_is_newer() {
    let base = [line(1), line(2)].concat();
    let ours = [with(1, "second", "d", r#""injection_count":1,"#), line(3)].concat();
    let theirs = [with(1, "first", "d", r#""injection_count":5,"#), with(2, "first", "d", ""), line(4), line(3)].concat();
    // Everything that theirs has once stood in our history: lesson 2 was edited and removed there, lesson 4 added and removed.
    let newer = |id: &LessonId, _: Option<&_>, _: Option<&_>| (id.as_str() != "0000000003").then_some(Side::Ours);
    let options = Options { newer: Some(&newer), ..Options::default() };
    let merged = merge(Some(base.as_bytes()), ours.as_bytes(), theirs.as_bytes(), &options).expect("merged");
    assert_eq!(text(&merged), [with(1, "second", "d", r#""injection_count":5,"#), line(3)].concat());
    let newer = What::Newer { side: Side::Ours };
    assert_eq!(whats(&merged), [("01", newer), ("02", newer), ("03", What::Added { by: None }), ("04", newer)]);
    // The same where our file is back to what it was at the base.
    let merged = merge(Some(base.as_bytes()), base.as_bytes(), theirs.as_bytes(), &options).expect("merged");
    assert_eq!(
        text(&merged),
        [with(1, "t", "d", ""), line(2), line(3)]
            .concat()
            .replace(r#""a","id":"0000000001""#, r#""a","injection_count":5,"id":"0000000001""#)
    );
}

#[test]
fn an_unchanged_side_gives_the_other_sides_bytes_even_where_order_and_ends_are_odd() {
    let odd = format!("\u{feff}{}\r\n\r\n{}  {}", line(2), line(1), line(1).trim_end());
    let base = [line(1), line(2)].concat();
    assert_eq!(clean(&base, &base, &odd), odd);
    let none = |_: &LessonId, _: Option<&_>, _: Option<&_>| None;
    let options = Options { newer: Some(&none), ..Options::default() };
    assert_eq!(text(&merge(Some(base.as_bytes()), base.as_bytes(), odd.as_bytes(), &options).expect("merged")), odd);
}
