//! Text of packs inside a Markdown page: it is shown as it is, and does nothing there.

use crate::model::visible;

/// On one line, with nothing that Markdown, HTML or a host's mentions would make something of.
pub fn escape(text: &str) -> String {
    let text = visible::escape(text);
    let mut out = String::with_capacity(text.len() + 8);
    for char in text.chars() {
        match char {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            // a mention would call somebody
            '@' => out.push_str("&#64;"),
            '#' => out.push_str("&#35;"),
            '\\' | '`' | '*' | '_' | '{' | '}' | '[' | ']' | '(' | ')' | '|' | '~' | '!' => {
                out.push('\\');
                out.push(char);
            }
            '\n' | '\r' | '\t' => out.push(' '),
            _ => out.push(char),
        }
    }
    // a bare address would become a link
    out.replace("://", "&#58;//").replace("www.", "www&#46;")
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_of_it_is_markup() {
        assert_eq!(super::escape("a_b `c` <img src=x> [l](u)"), "a\\_b \\`c\\` &lt;img src=x&gt; \\[l\\]\\(u\\)");
        assert_eq!(super::escape("@all see #1\nhttps://x"), "&#64;all see &#35;1 https&#58;//x");
    }
}
