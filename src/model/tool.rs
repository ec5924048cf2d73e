//! The client's tools, by what they do. What is made of a call is `hook`'s and `capture`'s.

/// Whether the tool changes the file that it names.
pub fn is_edit(tool: &str) -> bool {
    matches!(tool, "Edit" | "Write" | "MultiEdit" | "NotebookEdit")
}

pub fn is_shell(tool: &str) -> bool {
    matches!(tool, "Bash" | "PowerShell")
}

/// Whether a turn with this tool acted, or only looked.
pub fn is_action(tool: &str) -> bool {
    is_edit(tool) || is_shell(tool)
}
