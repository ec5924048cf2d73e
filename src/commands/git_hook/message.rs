//! `commit-msg`: a commit that a person makes on the packs branch by hand says what it does to which lesson, as those that
//! MARVEL makes do; what is said wrongly is refused.

use std::path::Path;

use super::Verdict;
use crate::commands::Context;
use crate::error::{Context as _, Result};
use crate::merge::changes::{Changes, LessonKind, Told, between};
use crate::model::lesson::LessonId;
use crate::model::pack::PackName;
use crate::model::visible::escape;
use crate::session::{file, packs};
use crate::store::message::Action;

pub(super) fn check(path: &Path, cx: &Context) -> Result<Verdict> {
    let repo = cx.repo()?.without_fetching();
    let (config, _) = packs::config(&repo.root());
    let head = repo.head()?;
    if head.branch.as_deref() != Some(&config.branch_ref()) || repo.git_dir().join("MERGE_HEAD").exists() {
        return Ok(Verdict::default());
    }
    let path = cx.dir.join(path);
    let bytes = file::read(&path).context("git's message file cannot be read")?.unwrap_or_default();
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("Marvel-")).collect();
    let refused: Vec<String> = lines.iter().filter_map(|line| fault(line)).collect();
    if !refused.is_empty() {
        return Ok(Verdict { refused, findings: Vec::new(), advice: "nothing was committed: correct the message" });
    }
    if !lines.is_empty() {
        return Ok(Verdict::default());
    }
    let before = head.tip.map(|tip| repo.packs_at(tip)).transpose()?.unwrap_or_default();
    let changes = between(&before, &repo.packs_in_index()?, &Told::default());
    let trailers = trailers(&changes, &text);
    if trailers.is_empty() {
        let lessons = changes.lessons.iter().filter(|change| change.kind != LessonKind::Recorded).count();
        if lessons > 1 {
            cx.ui.note(format!("marvel: this commit changes {lessons} lessons; one commit a lesson can be reverted alone"));
        }
        return Ok(Verdict::default());
    }
    let mut git = repo.git().args(["interpret-trailers", "--in-place", "--if-exists", "doNothing"]);
    for trailer in trailers {
        git = git.arg("--trailer").arg(trailer);
    }
    git.arg(&path).run().context("the trailers cannot be added to the message")?;
    Ok(Verdict::default())
}

/// What is wrong with a trailer of ours.
fn fault(line: &str) -> Option<String> {
    let (key, value) = line.strip_prefix("Marvel-")?.split_once(':')?;
    let value = value.trim();
    let (wrong, expected) = match key {
        "Action" => (Action::parse(value).is_none(), "promote, teach, edit, graduate, prune, restore, record, pack or sync"),
        "Pack" => (PackName::new(value).is_none(), "the name of a pack"),
        "Lesson" => (LessonId::parse(value).is_none(), "the id of a lesson"),
        _ => return None,
    };
    wrong.then(|| format!("`{}`: {expected} is expected there", escape(line)))
}

/// What a commit that changes one lesson, or brings packs alone, says about itself.
fn trailers(changes: &Changes, message: &str) -> Vec<String> {
    let lessons: Vec<_> = changes.lessons.iter().filter(|change| change.kind != LessonKind::Recorded).collect();
    match (&lessons[..], &changes.packs[..]) {
        ([lesson], _) => {
            let action = match lesson.kind {
                LessonKind::Added if message.starts_with("Revert ") => Action::Restore,
                LessonKind::Added => Action::Teach,
                LessonKind::Edited | LessonKind::Recorded => Action::Edit,
                LessonKind::Removed => Action::Prune,
                LessonKind::Graduated => Action::Graduate,
            };
            vec![
                format!("Marvel-Action: {action}"),
                format!("Marvel-Pack: {}", lesson.pack),
                format!("Marvel-Lesson: {}", lesson.id.as_str()),
            ]
        }
        ([], [pack]) => vec![format!("Marvel-Action: {}", Action::Pack), format!("Marvel-Pack: {}", pack.pack)],
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::fault;

    #[test]
    fn trailers_of_ours_are_checked_and_others_are_not() {
        for (line, wrong) in [
            ("Marvel-Action: teach", false),
            ("Marvel-Action: taught", true),
            ("Marvel-Pack: security", false),
            ("Marvel-Pack: ../x", true),
            ("Marvel-Lesson: 7f3a9c12d0", false),
            ("Marvel-Lesson: 7f", true),
            ("Marvel-Later: x", false),
            ("Signed-off-by: A", false),
        ] {
            assert_eq!(fault(line).is_some(), wrong, "{line}");
        }
    }
}
