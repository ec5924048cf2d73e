//! `marvel/config.json`: the schema, and packs that it names.

use std::collections::BTreeSet;

use crate::model::config::{CONFIG_PATH, Config};

use super::code;
use super::pack::read;
use super::schema;
use super::sink::{At, Sink};

pub(super) fn check(bytes: &[u8], folders: &BTreeSet<&str>, sink: &mut Sink<'_>) {
    super::encoding::check(CONFIG_PATH, bytes, sink);
    let Some((tree, place)) = read(CONFIG_PATH, bytes, sink) else { return };
    let schema = schema::CONFIG.or_own(sink.options().config_schema, sink);
    let wrong = schema.check(CONFIG_PATH, &tree, &place, sink);
    for text in tree.strings() {
        if text.pointer.starts_with("/inject/hold_first_edit/") && !wrong.contains(&text.pointer) && !folders.contains(text.meant)
        {
            let message = format!("there is no pack `{}`", super::shown(text.meant));
            let hint = "`marvel pack list` shows the packs that there are";
            sink.report(code::UNKNOWN_PACK, At::new(CONFIG_PATH, place.of(text.start)), message, hint);
        }
    }
    if wrong.is_empty()
        && tree.repeated_keys().is_empty()
        && let Err(error) = Config::parse(bytes)
    {
        let message = format!("the settings cannot be read: {}", super::shown(&error.to_string()));
        sink.report(code::INVALID_VALUE, At::file(CONFIG_PATH), message, "");
    }
}
