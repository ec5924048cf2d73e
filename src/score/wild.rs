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
    let mut glob_rest = Some(glob);
    let mut path_rest = Some(path);
    let mut retry = any_depth.then_some((Some(glob), Some(path)));
    loop {
        match (glob_rest, path_rest) {
            (None, None) if end == End::Beneath => return false,
            (None, None) => return true,
            (None, Some(_)) if end != End::Exact => return true,
            (None, Some(_)) => {}
            (Some(_), None) => return false,
            (Some(rest), Some(at)) => {
                let (part, after) = split(rest);
                if part == "**" {
                    if after.is_none() {
                        return end != End::Beneath || at.contains('/');
                    }
                    retry = Some((after, path_rest));
                    glob_rest = after;
                    continue;
                }
                let (name, below) = split(at);
                if component(part.as_bytes(), name.as_bytes()) {
                    (glob_rest, path_rest) = (after, below);
                    continue;
                }
            }
        }
        let Some((glob_at, Some(path_at))) = retry else { return false };
        let (_, below) = split(path_at);
        if below.is_none() {
            return false;
        }
        retry = Some((glob_at, below));
        (glob_rest, path_rest) = (glob_at, below);
    }
}

fn split(rest: &str) -> (&str, Option<&str>) {
    match rest.split_once('/') {
        Some((part, rest)) => (part, Some(rest)),
        None => (rest, None),
    }
}

/// One component against one part of the glob, byte by byte as git does.
fn component(part: &[u8], name: &[u8]) -> bool {
    let (mut p, mut n) = (0, 0);
    let mut retry: Option<(usize, usize)> = None;
    while n < name.len() {
        match part.get(p) {
            Some(b'*') => {
                retry = Some((p + 1, n));
                p += 1;
            }
            Some(&byte) if byte == b'?' || byte == name[n] => {
                p += 1;
                n += 1;
            }
            _ => match retry {
                Some((star, at)) => {
                    retry = Some((star, at + 1));
                    (p, n) = (star, at + 1);
                }
                None => return false,
            },
        }
    }
    part[p..].iter().all(|&byte| byte == b'*')
}
