//! The rules for every text that reaches an agent, wherever it stands: nothing hidden, no orders to the harness
//! or the shell. Whether it says anything is `vague`'s.

use crate::model::visible::{self, Hidden};

use super::code;
use super::json::Tree;
use super::orders::Orders;
use super::place::in_json_string;
use super::sink::{At, Sink};

pub(super) struct Prose {
    orders: Orders,
}

impl Prose {
    pub(super) fn new(review: bool) -> Self {
        Self { orders: Orders::new(review) }
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
    }

    /// Whether a text without escapes, in printable ASCII, has anything that [`Prose::check`] would report.
    pub(super) fn is_plain(&self, text: &str) -> bool {
        self.orders.find(text).is_empty()
    }
}
