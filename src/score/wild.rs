//! Globs that have only `*`, `?` and `**`, component by component, without compiling anything: most globs, on the hot
//! path. A law holds this to what `globset` says of the same globs.

/// What a match may leave of the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// Nothing.
    Exact,
    /// Nothing, or what stands in the folder that matched.
    Within,
    /// Only what stands in the folder that matched.
    Beneath,
}

/// Linear in path times glob: only the last `**` is ever gone back to, since an earlier one can gain nothing.
pub(super) fn matches(glob: &str, path: &str, any_depth: bool, end: End) -> bool {
    let (glob, path) = (glob.as_bytes(), path.as_bytes());
    // where the parts begin that are to be matched next; beyond the last one where there is none
    let (mut g, mut p) = (0, 0);
    let mut retry = any_depth.then_some((0, 0));
    loop {
        match (g > glob.len(), p > path.len()) {
            (true, true) if end == End::Beneath => return false,
            (true, true) => return true,
            (true, false) if end != End::Exact => return true,
            (true, false) => {}
            (false, true) => return false,
            (false, false) => {
                if glob[g..].starts_with(b"**") && matches!(glob.get(g + 2), None | Some(b'/')) {
                    g += 3;
                    if g > glob.len() {
                        return end != End::Beneath || path[p..].contains(&b'/');
                    }
                    retry = Some((g, p));
                    continue;
                }
                if let Some(next) = component(glob, g, path, p) {
                    (g, p) = next;
                    continue;
                }
            }
        }
        let Some((glob_at, path_at)) = retry else { return false };
        let Some(slash) = path[path_at..].iter().position(|&byte| byte == b'/') else { return false };
        (g, p) = (glob_at, path_at + slash + 1);
        retry = Some((g, p));
    }
}

/// One component of the path against one part of the glob, byte by byte as git does: where the next ones begin.
fn component(glob: &[u8], mut g: usize, path: &[u8], mut p: usize) -> Option<(usize, usize)> {
    let at = |text: &[u8], at: usize| text.get(at).copied().filter(|&byte| byte != b'/');
    let mut retry: Option<(usize, usize)> = None;
    loop {
        match (at(glob, g), at(path, p)) {
            (None, None) => return Some((g + 1, p + 1)),
            (Some(b'*'), _) => {
                g += 1;
                retry = Some((g, p));
            }
            (Some(byte), Some(other)) if byte == b'?' || byte == other => {
                g += 1;
                p += 1;
            }
            _ => {
                // the star takes one more
                let (star, taken) = retry?;
                at(path, taken)?;
                (g, p) = (star, taken + 1);
                retry = Some((g, p));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use globset::GlobBuilder;
    use proptest::prelude::*;

    use super::{End, matches};

    proptest! {
        #[test]
        fn the_answer_is_what_the_compiled_glob_says(
            glob in "([ab]|[*]|[?]|[*][*]/|/[*][*]|/|a[*]b){1,6}",
            path in "([ab]{1,3}/){0,4}[ab]{1,3}",
            any_depth in proptest::bool::ANY,
        ) {
            // what a pattern has taken off before
            let glob = glob.split('/').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("/");
            // three stars and more are one star with us, in a compiled glob now this, now that
            prop_assume!(!glob.is_empty() && !glob.contains("***"));
            let text = if any_depth { format!("**/{glob}") } else { glob.clone() };
            let compiled = GlobBuilder::new(&text).literal_separator(true).build().unwrap().compile_matcher();
            let beneath = path.match_indices('/').any(|(at, _)| compiled.is_match(&path[..at]));
            let exact = compiled.is_match(&path);
            prop_assert_eq!(matches(&glob, &path, any_depth, End::Exact), exact, "{} {}", glob, path);
            prop_assert_eq!(matches(&glob, &path, any_depth, End::Beneath), beneath, "{}/ {}", glob, path);
            prop_assert_eq!(matches(&glob, &path, any_depth, End::Within), exact || beneath, "{} {}", glob, path);
        }
    }
}
