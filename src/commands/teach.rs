//! `marvel teach`: a lesson without a correction before it. Pack, category and fields are proposed from the sentence, as
//! for a correction; what becomes of them is `promote`'s.

use super::Context;
use super::promote::{self, Fields, How, Wording};
use super::reflect::Heard;
use crate::capture::category::{Placement, categorise};
use crate::capture::wording;
use crate::error::Result;
use crate::store::message::Action;
use crate::store::proposal::Proposal;
use crate::ui::{Report, prompt};

/// Teach a lesson that nobody had to correct: `marvel teach "Use pnpm, not npm"`
#[derive(clap::Args)]
pub struct Args {
    /// What to teach, in a sentence
    #[arg(value_name = "SENTENCE", required_unless_present_all = ["title", "description", "actionable"])]
    sentence: Option<String>,
    #[command(flatten)]
    wording: Wording,
    #[command(flatten)]
    how: How,
}

pub fn run(args: &Args, cx: &Context) -> Result<Box<dyn Report>> {
    let heard = Heard::read(cx)?;
    let fields = fields(args, cx, &heard)?;
    promote::refuse_known(heard.known(&fields.actionable).or_else(|| heard.known(&fields.title)).as_ref(), args.how)?;
    let proposal = Proposal {
        action: Action::Teach,
        pack: fields.pack.clone(),
        lesson: promote::lesson(cx, fields, None),
        why_now: None,
        guidance: Vec::new(),
    };
    promote::commit(cx, &heard, &[proposal], args.how)
}

fn fields(args: &Args, cx: &Context, heard: &Heard) -> Result<Fields> {
    let flags = &args.wording;
    let sentence = args.sentence.as_deref().or(flags.actionable.as_deref()).unwrap_or_default();
    let proposed = wording::word(sentence);
    let Placement { category, pack } = categorise(sentence, None, &heard.packs, &[], &heard.config.keywords);
    let placed = pack.map(|pack| pack.to_string());
    let take = |flag: &Option<String>, proposed: String| flag.clone().unwrap_or(proposed);
    let pack = match flags.pack.clone().or(placed.clone()) {
        None if cx.ui.is_interactive() => Some(promote::choose_pack(heard, None)?),
        pack => pack,
    };
    let proposed_category = category.filter(|_| pack == placed);
    let category = flags.category.clone().or_else(|| Some(heard.category_in(pack.as_deref()?, proposed_category.as_deref())));
    let mut title = take(&flags.title, proposed.title);
    if cx.ui.is_interactive() && flags.title.is_none() {
        title = prompt::line("Title", &title)?;
    }
    promote::complete(
        pack.as_deref(),
        category.as_deref(),
        &title,
        &take(&flags.description, proposed.description),
        &take(&flags.actionable, proposed.actionable),
        &flags.paths,
    )
    .map_err(|error| error.hint("`marvel pack list` shows the packs"))
}
