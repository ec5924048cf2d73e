//! The message of a commit on the packs branch: written in one form, and its trailers read back from any commit's
//! message. Whatever a lesson's text says, it cannot pass for a trailer. Which commits are read is `history`'s.

use std::fmt;
use std::fmt::Write as _;

use crate::model::lesson::{Lesson, LessonId};
use crate::model::pack::PackName;
use crate::model::visible::strip;

/// Columns of a line, the subject included.
const WIDTH: usize = 72;

/// What a commit did.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Action {
    Promote,
    Teach,
    Edit,
    Graduate,
    Prune,
    Restore,
    Record,
    Pack,
    Sync,
}

impl Action {
    const ALL: [Self; 9] = [
        Self::Promote,
        Self::Teach,
        Self::Edit,
        Self::Graduate,
        Self::Prune,
        Self::Restore,
        Self::Record,
        Self::Pack,
        Self::Sync,
    ];

    pub fn as_str(self) -> &'static str {
        match self {
            Self::Promote => "promote",
            Self::Teach => "teach",
            Self::Edit => "edit",
            Self::Graduate => "graduate",
            Self::Prune => "prune",
            Self::Restore => "restore",
            Self::Record => "record",
            Self::Pack => "pack",
            Self::Sync => "sync",
        }
    }

    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|action| action.as_str() == text)
    }
}

impl fmt::Display for Action {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

/// How often a lesson was injected, and how often that was good, in the runs that a `record` commit counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Count {
    pub pack: PackName,
    pub lesson: LessonId,
    pub injected: u64,
    pub good: u64,
    /// Runs in which it was injected, recurred, was contradicted; 0 where the trailer does not say.
    pub runs: u64,
    pub recurred: u64,
    pub contradicted: u64,
}

/// What a commit says about itself in a form that programs read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Trailers {
    pub action: Option<Action>,
    pub pack: Option<PackName>,
    pub lesson: Option<LessonId>,
    pub run: Option<String>,
    /// Ids of the guidance that is done with this commit.
    pub guidance: Vec<String>,
    pub counts: Vec<Count>,
    /// `<session>#<segment>` of the runs that are counted.
    pub segments: Vec<String>,
}

/// A whole message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message {
    pub title: String,
    /// Paragraphs; a paragraph may have several lines.
    pub body: Vec<String>,
    pub trailers: Trailers,
}

impl Message {
    pub fn new(action: Action, pack: Option<PackName>, title: impl Into<String>) -> Self {
        let trailers = Trailers { action: Some(action), pack, ..Trailers::default() };
        Self { title: title.into(), body: Vec::new(), trailers }
    }

    /// The message of a commit about one lesson: what it teaches, what to do, and why now.
    pub fn about(action: Action, pack: &PackName, lesson: &Lesson, why_now: Option<&str>) -> Self {
        let mut message = Self::new(action, Some(pack.clone()), &lesson.title);
        let why_now = why_now.map(|why| format!("\nWhy now: {}", one_line(why))).unwrap_or_default();
        message.body = vec![lesson.description.clone(), format!("Do: {}{why_now}", lesson.actionable)];
        message.trailers.lesson = Some(lesson.id.clone());
        message.trailers.run.clone_from(&lesson.run_id);
        message
    }

    /// The text as git stores it.
    pub fn to_text(&self) -> String {
        let action = self.trailers.action.map_or("marvel", Action::as_str);
        let scope = self.trailers.pack.as_ref().map(|pack| format!("({pack})")).unwrap_or_default();
        let title = one_line(&self.title);
        let prefix = format!("{action}{scope}: ");
        let short = shorten(&title, WIDTH.saturating_sub(prefix.chars().count()).max(20));
        let mut text = format!("{prefix}{short}\n");
        // a title that had to be cut stands in full where there is room
        let full = (short != title).then_some(title);
        for paragraph in full.iter().chain(&self.body) {
            let paragraph = paragraph_text(paragraph);
            if !paragraph.is_empty() {
                let _ = write!(text, "\n{paragraph}\n");
            }
        }
        let trailers = self.trailers.to_text();
        if !trailers.is_empty() {
            let _ = write!(text, "\n{trailers}");
        }
        text
    }
}

impl Trailers {
    /// Every block of MARVEL's trailers in a message: one in a commit of ours, several where a host squashed commits
    /// into one and put their messages together. Lines of others (`Signed-off-by`) may stand among them.
    pub fn parse_all(message: &str) -> Vec<Self> {
        let message = message.replace("\r\n", "\n");
        message.split("\n\n").filter_map(Self::parse_block).collect()
    }

    fn parse_block(paragraph: &str) -> Option<Self> {
        let mut trailers = Self::default();
        for line in paragraph.lines() {
            let line = line.strip_prefix(SQUASHED).unwrap_or(line);
            let Some((key, value)) = line.strip_prefix("Marvel-").and_then(|line| line.split_once(':')) else { continue };
            let value = value.trim();
            match key {
                "Action" => trailers.action = Action::parse(value),
                "Pack" => trailers.pack = PackName::new(value),
                "Lesson" => trailers.lesson = LessonId::parse(value),
                "Run" => trailers.run = Some(value.to_owned()),
                "Guidance" => trailers.guidance.extend(list(value)),
                "Count" => trailers.counts.extend(Count::parse(value)),
                "Segments" => trailers.segments.extend(list(value)),
                _ => {}
            }
        }
        trailers.action.is_some().then_some(trailers)
    }

    /// The lines; empty where nothing is said.
    fn to_text(&self) -> String {
        let mut text = String::new();
        let mut line = |key: &str, value: &str| {
            let _ = writeln!(text, "Marvel-{key}: {}", one_line(value));
        };
        if let Some(action) = self.action {
            line("Action", action.as_str());
        }
        if let Some(pack) = &self.pack {
            line("Pack", pack.as_str());
        }
        if let Some(lesson) = &self.lesson {
            line("Lesson", lesson.as_str());
        }
        if let Some(run) = &self.run {
            line("Run", run);
        }
        for ids in self.guidance.chunks(8) {
            line("Guidance", &ids.join(", "));
        }
        for count in &self.counts {
            line("Count", &count.to_text());
        }
        for segments in self.segments.chunks(4) {
            line("Segments", &segments.join(", "));
        }
        text
    }
}

impl Count {
    /// `<pack>/<id> injected=24 good=23`, and what else is not 0.
    fn to_text(&self) -> String {
        let mut text = format!("{}/{} injected={} good={}", self.pack, self.lesson, self.injected, self.good);
        for (name, number) in [("runs", self.runs), ("recurred", self.recurred), ("contradicted", self.contradicted)] {
            if number > 0 {
                let _ = write!(text, " {name}={number}");
            }
        }
        text
    }

    fn parse(value: &str) -> Option<Self> {
        let mut fields = value.split_whitespace();
        let (pack, lesson) = fields.next()?.split_once('/')?;
        let numbers: Vec<(&str, u64)> = fields
            .filter_map(|field| field.split_once('='))
            .filter_map(|(name, number)| Some((name, number.parse().ok()?)))
            .collect();
        let number = |name: &str| numbers.iter().find(|(known, _)| *known == name).map(|(_, number)| *number);
        Some(Self {
            pack: PackName::new(pack)?,
            lesson: LessonId::parse(lesson)?,
            injected: number("injected")?,
            good: number("good")?,
            runs: number("runs").unwrap_or(0),
            recurred: number("recurred").unwrap_or(0),
            contradicted: number("contradicted").unwrap_or(0),
        })
    }
}

fn list(value: &str) -> impl Iterator<Item = String> + '_ {
    value.split(',').map(str::trim).filter(|item| !item.is_empty()).map(str::to_owned)
}

/// The words with one space between them and nothing hidden among them.
fn one_line(text: &str) -> String {
    strip(text).split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Cuts at a word, if there is one near enough, and says so.
fn shorten(text: &str, width: usize) -> String {
    if text.chars().count() <= width {
        return text.to_owned();
    }
    let cut = text.char_indices().nth(width - 1).map_or(text.len(), |(at, _)| at);
    let head = match text[..cut].rfind(' ') {
        Some(space) if text[..space].chars().count() >= width / 2 => &text[..space],
        _ => &text[..cut],
    };
    format!("{}…", head.trim_end_matches([' ', ',', ';', ':', '.', '-']))
}

/// A paragraph's lines, wrapped, blank ones at its ends taken away, none of them readable as anything but text.
fn paragraph_text(text: &str) -> String {
    let text = strip(text);
    let lines = text.trim_matches(['\n', '\r']).lines().flat_map(wrap).map(harmless);
    lines.collect::<Vec<_>>().join("\n").trim_end().to_owned()
}

/// Breaks a long line at spaces. Indented ones are code, and stay.
fn wrap(line: &str) -> Vec<String> {
    let line = line.trim_end();
    if line.chars().count() <= WIDTH || line.starts_with("    ") || line.starts_with('\t') {
        return vec![line.to_owned()];
    }
    let mut lines: Vec<String> = Vec::new();
    for word in line.split_whitespace() {
        match lines.last_mut() {
            Some(last) if last.chars().count() + 1 + word.chars().count() <= WIDTH => {
                last.push(' ');
                last.push_str(word);
            }
            _ => lines.push(word.to_owned()),
        }
    }
    lines
}

/// How git moves the messages of commits in when it squashes them into one.
const SQUASHED: &str = "    ";

/// Moves a line off the margin that would be taken for a trailer, a comment, or the end of the message: by us, by git
/// (`am`, `interpret-trailers`, `rebase`), by a host.
fn harmless(line: String) -> String {
    let lower = line.to_ascii_lowercase();
    let key = lower.split_once(':').map(|(key, _)| key.trim());
    let trailer = key.is_some_and(|key| key.starts_with("marvel-") || (key.ends_with("-by") && !key.contains(' ')));
    let marks = ["---", "#", "diff -", "Index: ", "From "].iter().any(|mark| line.starts_with(mark));
    if !(trailer || marks) {
        return line;
    }
    // neither at the margin nor where git puts what it squashes
    let short = line.starts_with("   ") && !line.starts_with(SQUASHED);
    format!("{}{line}", if short { "  " } else { " " })
}

/// The evidence that a message gives for its lesson, on one line.
pub fn why_now(message: &str) -> Option<String> {
    let (_, rest) = message.split_once("\nWhy now: ")?;
    let text = rest.split("\n\n").next().unwrap_or_default();
    Some(text.split_whitespace().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::{Action, Count, Message, Trailers};
    use crate::model::lesson::{Lesson, LessonId};
    use crate::model::pack::PackName;

    fn lesson(title: &str, description: &str, actionable: &str) -> Lesson {
        Lesson {
            id: LessonId::parse("7f3a9c12d0").unwrap(),
            pinned: true,
            timestamp: String::new(),
            category: String::new(),
            title: title.to_owned(),
            description: description.to_owned(),
            actionable: actionable.to_owned(),
            run_id: Some("run_20261129_101500".to_owned()),
            utility_score: None,
            injection_count: None,
            paths: Vec::new(),
        }
    }

    fn security() -> PackName {
        PackName::new("security").unwrap()
    }

    #[test]
    fn a_message_reads_as_the_format_says() {
        let lesson =
            lesson("Validate inputs at API boundaries", "Unchecked bodies reached the handlers.", "Parse the body first.");
        let why = "3 corrections in 2 runs, last on src/api/user.ts";
        let mut message = Message::about(Action::Promote, &security(), &lesson, Some(why));
        message.trailers.guidance = vec!["g_01".to_owned(), "g_02".to_owned()];
        assert_eq!(
            message.to_text(),
            "promote(security): Validate inputs at API boundaries

Unchecked bodies reached the handlers.

Do: Parse the body first.
Why now: 3 corrections in 2 runs, last on src/api/user.ts

Marvel-Action: promote
Marvel-Pack: security
Marvel-Lesson: 7f3a9c12d0
Marvel-Run: run_20261129_101500
Marvel-Guidance: g_01, g_02
"
        );
        assert_eq!(Trailers::parse_all(&message.to_text()), [message.trailers]);
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut message = Message::new(Action::Record, None, "Counts of 2 runs");
        let count = Count {
            pack: security(),
            lesson: LessonId::parse("7f3a9c12d0").unwrap(),
            injected: 24,
            good: 23,
            runs: 5,
            recurred: 1,
            contradicted: 0,
        };
        message.trailers.counts = vec![count.clone(), Count { injected: 1, good: 0, ..count }];
        message.trailers.segments = (0..9).map(|i| format!("a-session#{i}")).collect();
        message.trailers.guidance = (0..20).map(|i| format!("g_{i}")).collect();
        let text = message.to_text();
        assert!(text.starts_with("record: Counts of 2 runs\n\nMarvel-Action: record\n"), "{text}");
        assert_eq!(Trailers::parse_all(&text), [message.trailers]);
    }

    #[test]
    fn trailers_that_git_moved_in_when_it_squashed_are_read() {
        let mut message = Message::new(Action::Record, None, "Counts of 1 run");
        message.trailers.segments = vec!["s#1".to_owned()];
        let moved: String = message.to_text().lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect();
        let squashed = format!("Squashed commit of the following:\n\ncommit 1\nAuthor: A <a@b>\n\n{moved}");
        assert_eq!(Trailers::parse_all(&squashed), [message.trailers]);
    }

    #[test]
    fn a_long_title_is_cut_at_a_word_and_stands_in_full_below() {
        let title = "Never build SQL by concatenating strings that came from a request, whatever\nthe ORM says";
        let text = Message::new(Action::Teach, Some(security()), title).to_text();
        let mut lines = text.lines();
        assert_eq!(lines.next(), Some("teach(security): Never build SQL by concatenating strings that came…"));
        assert_eq!(lines.next(), Some(""));
        assert!(text.lines().all(|line| line.chars().count() <= 72));
        assert!(text.replace('\n', " ").contains("whatever the ORM says"));
        let unbroken = Message::new(Action::Teach, None, "x".repeat(200)).to_text();
        assert_eq!(unbroken.lines().next().map(|line| line.chars().count()), Some(72));
        assert!(Message::new(Action::Teach, None, "入力を検証する".repeat(20)).to_text().starts_with("teach: 入力"));
    }

    #[test]
    fn no_text_of_a_lesson_passes_for_a_trailer() {
        let attack =
            "Fine.\n\nMarvel-Action: prune\nMarvel-Lesson: 0000000000\nSigned-off-by: Eve <e@x>\n---\n# gone\ndiff --git a b";
        let padded = format!("{} marvel-guidance : g_stolen", "word ".repeat(14).trim_end());
        let moved: Vec<String> = (1..10).map(|by| format!("x\n\n{}Marvel-Action: prune", " ".repeat(by))).collect();
        let others = [attack, padded.as_str(), "\r\nMarvel-Action: prune", "\u{200B}Marvel-Action: prune"];
        for text in moved.iter().map(String::as_str).chain(others) {
            let lesson = lesson(text, text, text);
            let message = Message::about(Action::Promote, &security(), &lesson, Some(text));
            assert_eq!(Trailers::parse_all(&message.to_text()), std::slice::from_ref(&message.trailers), "{}", message.to_text());
            let squashed: String =
                message.to_text().lines().map(|line| format!("    {line}").trim_end().to_owned() + "\n").collect();
            assert_eq!(Trailers::parse_all(&squashed), std::slice::from_ref(&message.trailers), "{squashed}");
            for line in message.to_text().lines().filter(|line| !line.starts_with("Marvel-")) {
                let lower = line.to_ascii_lowercase();
                assert!(!["marvel-", "signed-off-by", "---", "#", "diff -"].iter().any(|mark| lower.starts_with(mark)), "{line}");
            }
        }
        let mut message = Message::new(Action::Promote, None, "x");
        message.trailers.run = Some("run\nMarvel-Lesson: 0000000000".to_owned());
        assert_eq!(Trailers::parse_all(&message.to_text())[0].lesson, None);
    }

    #[test]
    fn a_squashed_message_gives_up_all_its_commits() {
        let one = Message::about(Action::Promote, &security(), &lesson("One", "d", "a"), None);
        let two = Message::new(Action::Pack, Some(security()), "Two");
        let squashed = format!("Packs (#12)\r\n\r\n* {}\r\n* {}\nSigned-off-by: A <a@x>\n", one.to_text(), two.to_text());
        let found = Trailers::parse_all(&squashed);
        assert_eq!(found, [one.trailers, two.trailers]);
        assert_eq!(Trailers::parse_all("fix: a bug\n\nMarvel-Lesson: 7f3a9c12d0\n"), []);
    }

    #[test]
    fn the_evidence_is_read_as_one_line() {
        let message = "promote(a): T\n\nDo: x\nWhy now: 3 corrections in\n2 runs\n\nMarvel-Action: promote\n";
        assert_eq!(super::why_now(message).as_deref(), Some("3 corrections in 2 runs"));
        assert_eq!(super::why_now("promote(a): T\n"), None);
    }
}
