//! A year of a team's packs by script: 40 packs, 2,000 promotions by two people, edits, records, graduations, prunes,
//! merges, a squash merge, a revert. Written with `git fast-import`; what it must come to is written down on the way.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};

pub const PACKS: usize = 40;

/// What happened, in order: the commit's mark, the action, the pack and the lesson.
#[derive(Clone, Debug)]
pub struct Fact {
    pub mark: usize,
    pub action: &'static str,
    pub pack: String,
    pub lesson: String,
}

#[derive(Default)]
pub struct Year {
    pub facts: Vec<Fact>,
    /// The titles of the lessons that stand on `packs` in the end, by pack and id.
    pub standing: BTreeMap<(String, String), String>,
    stream: Vec<u8>,
    marks: usize,
    clock: u64,
    random: u64,
    lessons: usize,
    /// The packs' lines on each branch, with their ids: pack, then lines.
    branches: BTreeMap<&'static str, Files>,
    tips: BTreeMap<&'static str, usize>,
}

type Files = BTreeMap<String, Vec<(String, String)>>;

const PEOPLE: [&str; 2] = ["Ada <ada@example.com>", "Bob <bob@example.com>"];

impl Year {
    /// `promotions` in all, over twelve months.
    pub fn new(promotions: usize) -> Self {
        let mut year = Self { clock: 1_764_547_200, random: 7, ..Self::default() };
        year.begin();
        for month in 0..12 {
            year.month(month, promotions / 12 + usize::from(month < promotions % 12));
        }
        year.finish();
        year
    }

    fn begin(&mut self) {
        let mut files = Files::new();
        let mut changes = String::new();
        for pack in 0..PACKS {
            let name = format!("pack-{pack:02}");
            let meta = format!("{{\"name\":\"{name}\",\"version\":\"1.0.0\",\"owner\":\"team\"}}\n");
            let rules = format!("# {name}\n\n## Rules\n\n- Rule of {name}.\n");
            let _ = write!(changes, "{}{}", inline(&name, "pack.json", &meta), inline(&name, "guardrails.md", &rules));
            let _ = write!(changes, "{}", inline(&name, "lessons.jsonl", ""));
            files.insert(name, Vec::new());
        }
        changes.push_str("M 100644 inline src/main.ts\ndata 5\nmain\n\n");
        self.branches.insert("main", files);
        self.commit("main", 0, "first", &[], &changes);
    }

    fn month(&mut self, month: usize, promotions: usize) {
        // what was merged is where the next promotion stands; what was squashed is merged first
        match month {
            0 => self.take_over("packs", "main"),
            6 => self.merge("packs", "main", "sync: Bring the reviewed packs", true),
            _ => self.take_over("packs", "main"),
        }
        for i in 0..promotions {
            self.promote(i % 2);
            match self.below(60) {
                0..3 => self.edit(),
                3 => self.prune(),
                4 => self.graduate(),
                5 => self.code(),
                _ => {}
            }
        }
        self.record(month);
        if month == 8 {
            self.revert();
        }
        self.hand_edit();
        match month {
            5 => self.squash(),
            _ => self.merge("main", "packs", &format!("Merge pull request #{month} from packs"), false),
        }
    }

    fn finish(&mut self) {
        for (pack, lines) in &self.branches["packs"] {
            for (id, line) in lines {
                let lesson: serde_json::Value = serde_json::from_str(line).unwrap();
                self.standing.insert((pack.clone(), id.clone()), lesson["title"].as_str().unwrap().to_owned());
            }
        }
    }

    fn promote(&mut self, who: usize) {
        let (pack, number) = (format!("pack-{:02}", self.below(PACKS)), self.lessons);
        self.lessons += 1;
        let id = format!("{:010x}", 0x10_0000_0000 + number as u64 * 7919);
        let line = lesson(&id, &format!("Lesson {number} of the team"), "Nobody knew it before.", number);
        self.branches.get_mut("packs").unwrap().get_mut(&pack).unwrap().push((id.clone(), line));
        let title = format!("Lesson {number} of the team");
        self.about(
            "promote",
            &pack,
            &id,
            &title,
            who,
            &format!("Marvel-Run: run_{number}\nMarvel-Guidance: g_{number}, g_x{number}\n"),
        );
    }

    /// Another description; every third time another title too, under the same id.
    fn edit(&mut self) {
        let Some((pack, at)) = self.any_lesson() else { return };
        let number = self.marks;
        let lines = self.branches.get_mut("packs").unwrap().get_mut(&pack).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&lines[at].1).unwrap();
        value["description"] = format!("Worded anew, {number}.").into();
        if number.is_multiple_of(3) {
            value["title"] = format!("{}, again", value["title"].as_str().unwrap()).into();
        }
        let id = lines[at].0.clone();
        lines[at].1 = value.to_string();
        self.about("edit", &pack, &id, value["title"].as_str().unwrap(), 1, "");
    }

    fn prune(&mut self) {
        let Some((pack, at)) = self.any_lesson() else { return };
        let (id, line) = self.branches.get_mut("packs").unwrap().get_mut(&pack).unwrap().remove(at);
        self.about("prune", &pack, &id, &title_of(&line), 0, "");
    }

    fn graduate(&mut self) {
        let Some((pack, at)) = self.any_lesson() else { return };
        let (id, line) = self.branches.get_mut("packs").unwrap().get_mut(&pack).unwrap().remove(at);
        self.about("graduate", &pack, &id, &title_of(&line), 0, "");
    }

    fn record(&mut self, month: usize) {
        let packs = self.branches.get_mut("packs").unwrap();
        let mut counts = String::new();
        let mut changed = Vec::new();
        for (pack, lines) in packs.iter_mut() {
            let Some((id, line)) = lines.first_mut() else { continue };
            let mut value: serde_json::Value = serde_json::from_str(line).unwrap();
            value["injection_count"] = (10 * (month + 1)).into();
            *line = value.to_string();
            let _ = writeln!(counts, "Marvel-Count: {pack}/{id} injected=10 good=9");
            changed.push((pack.clone(), id.clone()));
        }
        let message =
            format!("record: Counts of 3 runs\n\nMarvel-Action: record\n{counts}Marvel-Segments: s{month}#1, s{month}#2\n");
        let changes: String = changed.iter().map(|(pack, _)| self.lines_of("packs", pack)).collect();
        let mark = self.commit("packs", 0, &message, &[], &changes);
        self.facts.extend(changed.into_iter().map(|(pack, lesson)| Fact { mark, action: "record", pack, lesson }));
    }

    /// As `git revert` does it, of the newest promotion.
    fn revert(&mut self) {
        let fact = self.facts.iter().rev().find(|fact| fact.action == "promote").unwrap().clone();
        let lines = self.branches.get_mut("packs").unwrap().get_mut(&fact.pack).unwrap();
        let Some(at) = lines.iter().position(|(id, _)| *id == fact.lesson) else { return };
        lines.remove(at);
        let changes = self.lines_of("packs", &fact.pack);
        let mark = self.commit("packs", 1, "Revert \"promote: …\"\n\nThis reverts commit 0123456.\n", &[], &changes);
        self.facts.push(Fact { mark, action: "remove", ..fact });
    }

    /// A line that somebody writes into `main` with an editor, without an id.
    fn hand_edit(&mut self) {
        let number = self.lessons;
        self.lessons += 1;
        let (pack, title) = (format!("pack-{:02}", self.below(PACKS)), format!("By hand {number}"));
        let stamp = "2026-01-01T00:00:00Z";
        let line = format!(
            r#"{{"timestamp":"{stamp}","category":"general","title":"{title}","description":"d{number}","actionable":"a{number}"}}"#
        );
        let id = marvel::model::lesson::LessonId::derive(stamp, "general", &title).to_string();
        self.branches.get_mut("main").unwrap().get_mut(&pack).unwrap().push((id.clone(), line));
        let changes = self.lines_of("main", &pack);
        let mark = self.commit("main", 1, "Write down what we learned", &[], &changes);
        self.facts.push(Fact { mark, action: "add", pack, lesson: id });
    }

    /// Work that has nothing to do with packs.
    fn code(&mut self) {
        let text = format!("// {}\n", self.marks);
        let changes = format!("M 100644 inline src/main.ts\ndata {}\n{text}\n", text.len());
        self.commit("main", 1, "Work", &[], &changes);
    }

    fn about(&mut self, action: &'static str, pack: &str, lesson: &str, title: &str, who: usize, more: &str) {
        let message = format!(
            "{action}({pack}): {title}\n\nWhy.\n\nDo: it\n\nMarvel-Action: {action}\nMarvel-Pack: {pack}\nMarvel-Lesson: {lesson}\n{more}"
        );
        let changes = self.lines_of("packs", pack);
        let mark = self.commit("packs", who, &message, &[], &changes);
        self.facts.push(Fact { mark, action, pack: pack.to_owned(), lesson: lesson.to_owned() });
    }

    /// The branch stands where the other one does.
    fn take_over(&mut self, branch: &'static str, from: &'static str) {
        let (files, tip) = (self.branches[from].clone(), self.tips[from]);
        self.branches.insert(branch, files);
        self.tips.insert(branch, tip);
        let _ = write!(self.stream, "reset refs/heads/{branch}\nfrom :{tip}\n\n");
    }

    /// What either side has that the other lacks is in the result; the packs branch knows best.
    fn merge(&mut self, into: &'static str, from: &'static str, message: &str, ours: bool) {
        let files = self.united();
        self.branches.insert(into, files);
        let trailer = if ours { "\n\nMarvel-Action: sync\n" } else { "\n" };
        let changes: String = (0..PACKS).map(|pack| self.lines_of(into, &format!("pack-{pack:02}"))).collect();
        let other = self.tips[from];
        self.commit(into, 0, &format!("{message}{trailer}"), &[other], &changes);
    }

    /// One commit on `main` with all that `packs` has, and no trace of its commits.
    fn squash(&mut self) {
        let files = self.united();
        self.branches.insert("main", files);
        let changes: String = (0..PACKS).map(|pack| self.lines_of("main", &format!("pack-{pack:02}"))).collect();
        self.commit("main", 1, "Packs (#6)\n", &[], &changes);
    }

    fn united(&self) -> Files {
        let mut files = self.branches["packs"].clone();
        for (pack, lines) in &self.branches["main"] {
            let have = files.get_mut(pack).unwrap();
            for (id, line) in lines {
                let by_hand = line.contains("By hand");
                if by_hand && !have.iter().any(|(known, _)| known == id) {
                    have.push((id.clone(), line.clone()));
                }
            }
        }
        files
    }

    fn any_lesson(&mut self) -> Option<(String, usize)> {
        let pack = format!("pack-{:02}", self.below(PACKS));
        let count = self.branches["packs"][&pack].iter().filter(|(_, line)| !line.contains("By hand")).count();
        if count == 0 {
            return None;
        }
        let nth = self.below(count);
        let lines = self.branches["packs"][&pack].iter().enumerate().filter(|(_, (_, line))| !line.contains("By hand"));
        let at = lines.map(|(at, _)| at).nth(nth)?;
        Some((pack, at))
    }

    fn lines_of(&self, branch: &str, pack: &str) -> String {
        let text: String = self.branches[branch][pack].iter().map(|(_, line)| format!("{line}\n")).collect();
        inline(pack, "lessons.jsonl", &text)
    }

    fn commit(&mut self, branch: &'static str, who: usize, message: &str, others: &[usize], changes: &str) -> usize {
        self.marks += 1;
        self.clock += 7_000;
        let (mark, person, at) = (self.marks, PEOPLE[who], self.clock);
        let _ = write!(
            self.stream,
            "commit refs/heads/{branch}\nmark :{mark}\nauthor {person} {at} +0000\ncommitter {person} {at} +0000\ndata {}\n{message}\n",
            message.len()
        );
        for other in others {
            let _ = writeln!(self.stream, "merge :{other}");
        }
        self.stream.extend_from_slice(changes.as_bytes());
        self.stream.push(b'\n');
        self.tips.insert(branch, mark);
        mark
    }

    fn below(&mut self, limit: usize) -> usize {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as usize % limit
    }

    /// Writes it into a repository; gives the commits by their marks.
    pub fn import(&self, dir: &Path) -> BTreeMap<usize, String> {
        let marks = dir.join(".git/marks");
        let mut import = Command::new("git");
        import.arg("-C").arg(dir).args(["fast-import", "--quiet", "--force"]).arg(format!("--export-marks={}", marks.display()));
        let mut child = import.stdin(Stdio::piped()).spawn().unwrap();
        child.stdin.take().unwrap().write_all(&self.stream).unwrap();
        assert!(child.wait().unwrap().success());
        let text = std::fs::read_to_string(marks).unwrap();
        text.lines()
            .map(|line| {
                let (mark, id) = line.split_once(' ').unwrap();
                (mark.trim_start_matches(':').parse().unwrap(), id.to_owned())
            })
            .collect()
    }
}

fn inline(pack: &str, file: &str, text: &str) -> String {
    format!("M 100644 inline marvel/packs/{pack}/{file}\ndata {}\n{text}\n", text.len())
}

fn title_of(line: &str) -> String {
    serde_json::from_str::<serde_json::Value>(line).unwrap()["title"].as_str().unwrap().to_owned()
}

fn lesson(id: &str, title: &str, description: &str, number: usize) -> String {
    serde_json::json!({
        "timestamp": "2026-01-01T00:00:00Z", "category": "general", "title": title, "description": description,
        "actionable": format!("Do {number}."), "run_id": format!("run_{number}"), "id": id,
    })
    .to_string()
}
