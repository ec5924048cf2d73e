//! The laws of the merge of lessons, over generated files: few lessons, few values, many ways to spell them, so that
//! edits meet. `MARVEL_LAW_CASES` sets how many cases each law sees.

use marvel::merge::Side;
use marvel::merge::account;
use marvel::merge::lessons::{Merged, Options, merge};
use marvel::merge::text::edited_fields;
use marvel::model::jsonl::LessonFile;
use marvel::model::lesson::{COUNTERS, LessonId};
use marvel::model::record::Record;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// A line of a generated file.
#[derive(Clone, Debug, PartialEq)]
enum Row {
    Lesson(Lesson),
    /// No lesson: one of [`NOISE`].
    Noise(u8),
}

const NOISE: [&[u8]; 7] = [b"", b"  ", b"# note", b"{torn", b"\xff\xfe", b"\0\0\0", br#"["a"]"#];

/// Fields as small numbers; 0 is what most lessons have.
#[derive(Clone, Debug, PartialEq)]
struct Lesson {
    id: u8,
    /// Written out, or derived from time, category and title.
    pinned: bool,
    texts: [u8; 5],
    counters: Option<(u8, u8)>,
    unknown: Option<u8>,
    spaced: bool,
    crlf: bool,
    unknown_first: bool,
}

impl Lesson {
    fn new(id: u8, pinned: bool) -> Self {
        let texts = [id, 0, if pinned { 0 } else { id }, 0, 0];
        Self { id, pinned, texts, counters: None, unknown: None, spaced: false, crlf: false, unknown_first: false }
    }

    fn line(&self) -> String {
        let [time, category, title, description, actionable] = self.texts;
        let timestamp = if time == 9 { "never".to_owned() } else { format!("2026-11-29T10:{:02}:00Z", time % 3) };
        let unknown = self.unknown.map(|value| format!(r#""x":{{"v": {value}}},"#)).unwrap_or_default();
        let (first, last) = if self.unknown_first { (unknown.as_str(), "") } else { ("", unknown.as_str()) };
        let counters = match self.counters {
            Some((count, score)) => format!(r#""utility_score":0.{score},"injection_count":{count},"#),
            None => String::new(),
        };
        let id = LessonId::derive(&timestamp, &format!("c{category}"), &format!("t{title}"));
        let id = if self.id == 9 { id.to_string() } else { format!("000000000{}", self.id) };
        let id = if self.pinned { format!(r#","id":"{id}""#) } else { String::new() };
        let line = format!(
            r#"{{{first}"timestamp":"{timestamp}","category":"c{category}","title":"t{title}","description":"d{description}",{last}{counters}"actionable":"a{actionable}"{id}}}"#
        );
        if self.spaced { line.replace(",\"", ", \"") } else { line }
    }
}

fn write(rows: &[Row], last_end: bool, bom: bool) -> Vec<u8> {
    let mut out = if bom { b"\xef\xbb\xbf".to_vec() } else { Vec::new() };
    for (i, row) in rows.iter().enumerate() {
        let crlf = match row {
            Row::Lesson(lesson) => {
                out.extend(lesson.line().into_bytes());
                lesson.crlf
            }
            Row::Noise(kind) => {
                out.extend(NOISE[usize::from(*kind) % NOISE.len()]);
                kind % 2 == 1
            }
        };
        if last_end || i + 1 < rows.len() {
            out.extend(if crlf { b"\r\n".as_slice() } else { b"\n" });
        }
    }
    out
}

/// What somebody does to a file; numbers name lines and values, modulo what there is.
#[derive(Clone, Debug)]
enum Edit {
    Remove(u8),
    Text(u8, u8, u8),
    Count(u8, u8, u8),
    Unknown(u8, u8),
    Spell(u8, u8),
    Pin(u8),
    Add(u8, bool, u8),
    Noise(u8, u8),
    Copy(u8, u8),
    Swap(u8, u8),
}

fn edit() -> impl Strategy<Value = Edit> {
    prop_oneof![
        any::<u8>().prop_map(Edit::Remove),
        (any::<u8>(), 0..5_u8, 0..3_u8).prop_map(|(at, field, value)| Edit::Text(at, field, value)),
        (any::<u8>(), 0..4_u8, 1..4_u8).prop_map(|(at, count, score)| Edit::Count(at, count, score)),
        (any::<u8>(), 0..3_u8).prop_map(|(at, value)| Edit::Unknown(at, value)),
        (any::<u8>(), 0..3_u8).prop_map(|(at, how)| Edit::Spell(at, how)),
        any::<u8>().prop_map(Edit::Pin),
        (0..6_u8, any::<bool>(), any::<u8>()).prop_map(|(id, pinned, at)| Edit::Add(id, pinned, at)),
        (any::<u8>(), 0..7_u8).prop_map(|(at, kind)| Edit::Noise(at, kind)),
        (any::<u8>(), any::<u8>()).prop_map(|(from, to)| Edit::Copy(from, to)),
        (any::<u8>(), any::<u8>()).prop_map(|(a, b)| Edit::Swap(a, b)),
    ]
}

fn apply(rows: &mut Vec<Row>, edit: &Edit) {
    let place = |at: u8, rows: &[Row]| usize::from(at) % (rows.len() + 1);
    let line = |at: u8, rows: &[Row]| if rows.is_empty() { None } else { Some(usize::from(at) % rows.len()) };
    let lesson = |at: u8, rows: &mut Vec<Row>, change: &dyn Fn(&mut Lesson)| {
        if let Some(at) = line(at, rows)
            && let Row::Lesson(lesson) = &mut rows[at]
        {
            change(lesson);
        }
    };
    match *edit {
        Edit::Remove(at) => {
            if let Some(at) = line(at, rows) {
                rows.remove(at);
            }
        }
        Edit::Text(at, field, value) => {
            lesson(at, rows, &|lesson| lesson.texts[usize::from(field)] = if value == 2 { 9 } else { value });
        }
        Edit::Count(at, count, score) => lesson(at, rows, &|lesson| lesson.counters = (count > 0).then_some((count, score))),
        Edit::Unknown(at, value) => lesson(at, rows, &|lesson| lesson.unknown = (value > 0).then_some(value)),
        Edit::Spell(at, how) => lesson(at, rows, &|lesson| match how {
            0 => lesson.spaced ^= true,
            1 => lesson.crlf ^= true,
            _ => lesson.unknown_first ^= true,
        }),
        Edit::Pin(at) => lesson(at, rows, &|lesson| {
            if !lesson.pinned {
                (lesson.pinned, lesson.id) = (true, 9);
            }
        }),
        Edit::Add(id, pinned, at) => rows.insert(place(at, rows), Row::Lesson(Lesson::new(id, pinned))),
        Edit::Noise(at, kind) => rows.insert(place(at, rows), Row::Noise(kind)),
        Edit::Copy(from, to) => {
            if let Some(from) = line(from, rows) {
                rows.insert(place(to, rows), rows[from].clone());
            }
        }
        Edit::Swap(a, b) => {
            if let (Some(a), Some(b)) = (line(a, rows), line(b, rows)) {
                rows.swap(a, b);
            }
        }
    }
}

#[derive(Clone, Debug)]
struct Three {
    base: Vec<u8>,
    ours: Vec<u8>,
    theirs: Vec<u8>,
}

impl Three {
    fn merge(&self) -> Merged {
        merge(Some(&self.base), &self.ours, &self.theirs, &Options::default()).expect("merged")
    }

    fn swapped(&self) -> Self {
        Self { base: self.base.clone(), ours: self.theirs.clone(), theirs: self.ours.clone() }
    }
}

fn file() -> impl Strategy<Value = Vec<Row>> {
    prop::collection::vec(edit(), 0..10).prop_map(|edits| {
        let mut rows: Vec<Row> = (0..3).map(|id| Row::Lesson(Lesson::new(id, id > 0))).collect();
        edits.iter().for_each(|edit| apply(&mut rows, edit));
        rows
    })
}

fn three() -> impl Strategy<Value = Three> {
    let edits = || (prop::collection::vec(edit(), 0..6), prop::bool::weighted(0.9), prop::bool::weighted(0.05));
    (file(), edits(), edits(), prop::bool::weighted(0.1)).prop_map(|(base, ours, theirs, no_base)| {
        let side = |(edits, last_end, bom): (Vec<Edit>, bool, bool)| {
            let mut rows = base.clone();
            edits.iter().for_each(|edit| apply(&mut rows, edit));
            write(&rows, last_end, bom)
        };
        let (ours, theirs) = (side(ours), side(theirs));
        Three { base: if no_base { Vec::new() } else { write(&base, true, false) }, ours, theirs }
    })
}

/// Checks a law over `cases` generated triples.
fn hold(cases: u32, law: impl Fn(&Three) -> Result<(), TestCaseError>) {
    let cases = std::env::var("MARVEL_LAW_CASES").ok().and_then(|text| text.parse().ok()).unwrap_or(cases);
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    if let Err(failure) = TestRunner::new(config).run(&three(), |three| law(&three)) {
        let proptest::test_runner::TestError::Fail(reason, three) = &failure else { panic!("{failure}") };
        let show = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let merged = merge(Some(&three.base), &three.ours, &three.theirs, &Options::default());
        let merged = merged.map(|merged| show(&merged.bytes)).unwrap_or_else(|refused| refused.to_string());
        panic!(
            "{reason}\n--- base\n{}\n--- ours\n{}\n--- theirs\n{}\n--- merged\n{merged}",
            show(&three.base),
            show(&three.ours),
            show(&three.theirs)
        );
    }
}

#[test]
fn equal_sides_come_out_byte_for_byte() {
    hold(500, |three| {
        let same = Three { base: three.ours.clone(), ours: three.ours.clone(), theirs: three.ours.clone() };
        prop_assert_eq!(&same.merge().bytes, &three.ours);
        prop_assert_eq!(&Three { base: three.base.clone(), ..same }.merge().bytes, &three.ours);
        Ok(())
    });
}

#[test]
fn an_unchanged_side_gives_the_other_sides_bytes() {
    let silent = |_: &LessonId, _: Option<&_>, _: Option<&_>| None;
    hold(500, |three| {
        for newer in [None, Some(&silent as &marvel::merge::lessons::Newer<'_>)] {
            let options = Options { newer, ..Options::default() };
            let base = Some(three.base.as_slice());
            prop_assert_eq!(&merge(base, &three.base, &three.theirs, &options).unwrap().bytes, &three.theirs);
            prop_assert_eq!(&merge(base, &three.theirs, &three.base, &options).unwrap().bytes, &three.theirs);
        }
        Ok(())
    });
}

#[test]
fn both_directions_give_the_same_bytes() {
    hold(500, |three| {
        let (one, other) = (three.merge(), three.swapped().merge());
        let swapped = swap_sides(&other.bytes);
        prop_assert_eq!(String::from_utf8_lossy(&one.bytes), String::from_utf8_lossy(&swapped));
        prop_assert_eq!(one.conflicts.len(), other.conflicts.len());
        Ok(())
    });
}

/// The file with the two sides of every conflict changed about.
fn swap_sides(bytes: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut parts: Vec<Vec<u8>> = Vec::new();
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if line.starts_with(b"<<<<<<<") || line.starts_with(b"|||||||") || line.starts_with(b"=======") {
            parts.push(line.to_vec());
        } else if line.starts_with(b">>>>>>>") {
            let label = |line: &[u8], from: &str, to: &str| String::from_utf8_lossy(line).replacen(from, to, 1).into_bytes();
            let first_end = parts[0].iter().position(|&byte| byte == b'\n').unwrap() + 1;
            out.extend(label(line, ">>>>>>> theirs", "<<<<<<< ours"));
            out.extend(&parts[2][b"=======\n".len()..]);
            out.extend(&parts[1]);
            out.extend(b"=======\n");
            out.extend(&parts[0][first_end..]);
            out.extend(label(&parts[0][..first_end], "<<<<<<< ours", ">>>>>>> theirs"));
            parts.clear();
        } else if let Some(part) = parts.last_mut() {
            part.extend(line);
        } else {
            out.extend(line);
        }
    }
    out
}

/// The file once one side was chosen in every conflict.
fn choose(bytes: &[u8], side: Side) -> Vec<u8> {
    let mut out = Vec::new();
    let mut part = b'>';
    for line in bytes.split_inclusive(|&byte| byte == b'\n') {
        if [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"].iter().any(|marker| line.starts_with(*marker)) {
            part = line[0];
        } else if part == b'>' || part == if side == Side::Ours { b'<' } else { b'=' } {
            out.extend(line);
        }
    }
    out
}

#[test]
fn a_result_is_whole_lines_and_any_choice_in_a_conflict_makes_a_valid_file() {
    hold(500, |three| {
        let merged = three.merge();
        let untouched = [&three.ours, &three.theirs].contains(&&merged.bytes);
        prop_assert!(untouched || merged.bytes.is_empty() || merged.bytes.ends_with(b"\n"));
        for side in [Side::Ours, Side::Theirs] {
            let chosen = LessonFile::parse(&choose(&merged.bytes, side));
            prop_assert!(chosen.ensure_editable().is_ok());
            for conflict in &merged.conflicts {
                let lesson = chosen.find(&conflict.id);
                prop_assert!(lesson.is_some());
                let file = LessonFile::parse(if side == Side::Ours { &three.ours } else { &three.theirs });
                let (record, original) = (chosen.record(&conflict.id).unwrap(), file.record(&conflict.id).unwrap());
                for field in &conflict.fields {
                    prop_assert_eq!(record.raw(field), original.raw(field));
                }
            }
        }
        Ok(())
    });
}

#[test]
fn fields_that_are_not_known_survive() {
    hold(500, |three| {
        let merged = three.merge();
        let read = |bytes: &[u8]| LessonFile::parse(bytes);
        let (base, ours, theirs) = (read(&three.base), read(&three.ours), read(&three.theirs));
        let [result, chose_theirs] = [Side::Ours, Side::Theirs].map(|side| read(&choose(&merged.bytes, side)));
        let x = |file: &LessonFile, id: &LessonId| file.record(id).and_then(|record: Record| record.raw("x").map(str::to_owned));
        for (_, lesson) in ours.numbered().filter(|(_, lesson)| theirs.find(&lesson.id).is_some()) {
            let [base, ours, theirs] = [&base, &ours, &theirs].map(|file| x(file, &lesson.id));
            let expected = if ours == theirs || theirs == base {
                Some(ours)
            } else if ours == base {
                Some(theirs)
            } else {
                None
            };
            if let Some(expected) = expected {
                prop_assert_eq!(&x(&result, &lesson.id), &expected);
                prop_assert_eq!(&x(&chose_theirs, &lesson.id), &expected);
            } else {
                prop_assert!(merged.conflicts.iter().any(|conflict| conflict.fields.contains(&"x".to_owned())));
            }
        }
        Ok(())
    });
}

/// Whether a line is not missed: another one has its id, and either says the same or came after it in the place of what
/// the base says.
fn is_overruled(line: &[u8], others: &[&[u8]], base: &[u8]) -> bool {
    let lesson = |line: &[u8]| LessonFile::parse(line).lessons().first().map(|lesson| lesson.id.clone());
    let text = |line: &[u8], id: &LessonId| LessonFile::parse(line).record(id).unwrap();
    let Some(id) = lesson(line) else { return false };
    let says_the_same =
        |other: &[u8]| lesson(other).as_ref() == Some(&id) && edited_fields(&text(line, &id), &text(other, &id)).is_empty();
    let in_base = base.split_inclusive(|&byte| byte == b'\n').any(says_the_same);
    others.iter().any(|other| says_the_same(other) || (in_base && lesson(other).as_ref() == Some(&id)))
}

#[test]
fn every_lesson_is_accounted_for_and_a_line_taken_out_is_noticed() {
    hold(500, |three| {
        let merged = three.merge(); // which refuses to lose anything
        let lines: Vec<&[u8]> = merged.bytes.split_inclusive(|&byte| byte == b'\n').collect();
        let marks = |line: &[u8]| [b"<<<<<<<", b"|||||||", b"=======", b">>>>>>>"].iter().any(|marker| line.starts_with(*marker));
        let mut part = b'>';
        for (at, line) in lines.iter().enumerate() {
            if marks(line) {
                part = line[0];
                continue;
            }
            if part == b'|' || matches!(LessonFile::parse(line).lines[0].content, marvel::model::jsonl::Content::Blank) {
                continue;
            }
            let others: Vec<&[u8]> = lines.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, line)| *line).collect();
            let broken = Merged { bytes: others.concat(), ..merged.clone() };
            prop_assert!(
                is_overruled(line, &others, &three.base)
                    || !account::losses(&three.base, &three.ours, &three.theirs, &broken).is_empty(),
                "not noticed: {}",
                String::from_utf8_lossy(line)
            );
        }
        Ok(())
    });
}

#[test]
fn what_was_merged_merges_again_into_itself() {
    hold(500, |three| {
        let merged = three.merge();
        if merged.conflicts.is_empty() {
            let again = Three { ours: merged.bytes.clone(), ..three.clone() }.merge();
            let lessons = |bytes: &[u8]| {
                let file = LessonFile::parse(bytes);
                let text = |lesson: &marvel::model::lesson::Lesson| {
                    let mut record = file.record(&lesson.id).unwrap();
                    COUNTERS.iter().for_each(|counter| record.remove(counter));
                    (lesson.id.clone(), record.to_line())
                };
                file.lessons().into_iter().map(text).collect::<std::collections::BTreeMap<_, _>>()
            };
            prop_assert_eq!(again.conflicts.len(), 0);
            prop_assert_eq!(lessons(&again.bytes), lessons(&merged.bytes));
        }
        Ok(())
    });
}
