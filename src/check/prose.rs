//! The rules for every text that reaches an agent, wherever it stands: nothing hidden, no secrets, no orders to the harness
//! or the shell. Whether it says anything is `vague`'s.

use std::sync::OnceLock;

use crate::capture::redact;
use crate::model::visible::{self, Hidden};

use super::code;
use super::json::Tree;
use super::orders::Orders;
use super::place::in_json_string;
use super::sink::{At, Sink};

const SECRET_HINT: &str = "take it out and rotate it: what was pushed cannot be unpushed";

pub(super) struct Prose {
    orders: Orders,
    review: bool,
}

impl Prose {
    /// The rules of a review, or those for all other times; made once.
    pub(super) fn for_review(review: bool) -> &'static Self {
        static MADE: [OnceLock<Prose>; 2] = [OnceLock::new(), OnceLock::new()];
        MADE[usize::from(review)].get_or_init(|| Self { orders: Orders::new(review), review })
    }

    /// Checks one text. `place` knows where a byte of it stands; `field` is its name in a JSON object.
    pub(super) fn check(
        &self,
        file: &str,
        text: &str,
        field: Option<&str>,
        place: &dyn Fn(usize) -> (usize, usize),
        sink: &mut Sink<'_>,
    ) {
        let within = field.map(|field| format!(" in `{field}`")).unwrap_or_default();
        for spot in visible::hidden(text) {
            // of a file's bytes, `encoding` speaks: a NUL, the mark of a file that was put behind another
            let mark = spot.char == '\u{FEFF}' && text[..spot.range.start].ends_with('\n');
            if field.is_none() && (mark || spot.char == '\0') {
                continue;
            }
            let code = if spot.what == Hidden::SoftHyphen { code::SOFT_HYPHEN } else { code::HIDDEN_CHARACTER };
            let message = format!("{} U+{:04X}{within}", spot.what.describe(), u32::from(spot.char));
            sink.report(
                code,
                At::new(file, place(spot.range.start)),
                message,
                "take it out: nobody sees it, and an agent reads it",
            );
        }
        let secrets = redact::find(text);
        for secret in &secrets {
            let message = format!("a secret ({}){within}", secret.kind);
            sink.report(code::SECRET, At::new(file, place(secret.range.start)), message, SECRET_HINT);
        }
        if self.review {
            for range in redact::suspicious(text) {
                if !secrets.iter().any(|secret| secret.range.start < range.end && range.start < secret.range.end) {
                    let at = At::new(file, place(range.start));
                    let message = format!("a long random word{within}: is it a secret?");
                    sink.report(code::POSSIBLE_SECRET, at, message, "if it is one, take it out and rotate it");
                }
            }
        }
        for order in self.orders.find(text) {
            let hint = match order.code {
                code::OUTSIDE_LINK => "look where it leads: an agent may follow it",
                code::OWN_TAG => "leave the tag out: it is neutralised when it is injected",
                _ => "say what the agent is to do, in plain words, or forbid it",
            };
            sink.report(order.code, At::new(file, place(order.range.start)), format!("{}{within}", order.message), hint);
        }
    }

    /// Checks every string of a JSON text. `place` knows where a byte of the text stands.
    pub(super) fn check_strings(
        &self,
        file: &str,
        tree: &Tree<'_>,
        place: &dyn Fn(usize) -> (usize, usize),
        sink: &mut Sink<'_>,
    ) {
        for string in tree.strings() {
            let field = string.pointer.trim_start_matches('/').replace('/', ".");
            let at = |byte: usize| place(string.start + in_json_string(string.raw, byte));
            self.check(file, string.meant, Some(&super::shown(&field)), &at, sink);
        }
        // the name of a field may be what gives a value away
        let strings = tree.strings();
        for secret in redact::find(tree.text) {
            let inside =
                strings.iter().find(|string| (string.start..string.start + string.raw.len()).contains(&secret.range.start));
            if inside.is_none_or(|string| redact::find(string.meant).is_empty()) {
                let field = inside.map(|string| string.pointer.trim_start_matches('/').replace('/', "."));
                let within = field.map(|field| format!(" in `{}`", super::shown(&field))).unwrap_or_default();
                let message = format!("a secret ({}){within}", secret.kind);
                sink.report(code::SECRET, At::new(file, place(secret.range.start)), message, SECRET_HINT);
            }
        }
    }

    /// Whether a text in printable ASCII has nothing that [`Prose::check`] would report.
    pub(super) fn is_plain(&self, text: &str) -> bool {
        redact::find(text).is_empty()
            && self.orders.find(text).is_empty()
            && (!self.review || redact::suspicious(text).is_empty())
    }
}
