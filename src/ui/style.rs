//! The colours, by what they mean.

use anstyle::{AnsiColor, Style};

pub const ERROR: Style = AnsiColor::Red.on_default().bold();
pub const WARNING: Style = AnsiColor::Yellow.on_default().bold();
pub const HINT: Style = AnsiColor::Cyan.on_default().bold();
pub const ADDED: Style = AnsiColor::Green.on_default();
pub const REMOVED: Style = AnsiColor::Red.on_default();
pub const HUNK: Style = AnsiColor::Cyan.on_default();
pub const ID: Style = AnsiColor::Yellow.on_default();
pub const NAME: Style = AnsiColor::Magenta.on_default();
pub const TITLE: Style = Style::new().bold();
pub const FAINT: Style = Style::new().dimmed();
