//! Where a pull request is opened: the address of the page, from a remote's address. Hosts that we do not know get none.

/// The page on which a pull request from `branch` into `base` is opened; never with credentials in it.
pub fn pull_request_url(remote: &str, base: &str, branch: &str) -> Option<String> {
    let (host, path) = host_and_path(remote)?;
    let name = host.split(':').next()?.to_ascii_lowercase();
    let is = |word: &str| name.split('.').any(|label| label == word || label.starts_with(&format!("{word}-")));
    let (from, into) = (encode(branch), encode(base));
    if is("github") {
        Some(format!("https://{host}/{path}/compare/{into}...{from}?expand=1"))
    } else if is("gitlab") {
        let query = format!("merge_request%5Bsource_branch%5D={from}&merge_request%5Btarget_branch%5D={into}");
        Some(format!("https://{host}/{path}/-/merge_requests/new?{query}"))
    } else if is("bitbucket") {
        Some(format!("https://{host}/{path}/pull-requests/new?source={from}&dest={into}"))
    } else if ["gitea", "forgejo", "codeberg"].into_iter().any(is) {
        Some(format!("https://{host}/{path}/compare/{into}...{from}"))
    } else {
        None
    }
}

/// `host` or `host:port`, and the repository's path without slashes around it and without `.git`.
fn host_and_path(remote: &str) -> Option<(String, String)> {
    let (host, path, web) = match remote.split_once("://") {
        Some((scheme, rest)) => {
            let (authority, path) = rest.split_once('/')?;
            (authority, path, matches!(scheme, "http" | "https"))
        }
        // git@host:owner/repo; a path of this machine has no host, and a drive is none
        None => {
            let (host, path) = remote.split_once(':')?;
            (host, path, false)
        }
    };
    let host = host.rsplit('@').next()?;
    // the port of ssh says nothing about the pages
    let host = if web { host } else { host.split(':').next()? };
    // ssh over the port of https has a host of its own
    let host = host.strip_prefix("ssh.").or_else(|| host.strip_prefix("altssh.")).unwrap_or(host);
    // a query may hold a token
    let path = path.split(['?', '#']).next().unwrap_or_default().trim_matches('/');
    let path = path.strip_suffix(".git").unwrap_or(path);
    let sound = host.len() > 1 && !host.contains('/') && path.contains('/');
    sound.then(|| (host.to_owned(), path.split('/').map(encode).collect::<Vec<_>>().join("/")))
}

/// What stands for itself in a path and in a query stays, and so does the slash of a branch's name.
fn encode(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'~' | b'/' => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::pull_request_url;

    fn url(remote: &str) -> Option<String> {
        pull_request_url(remote, "main", "packs")
    }

    #[test]
    fn every_form_of_address_leads_to_the_same_page() {
        for remote in [
            "git@github.com:team/app.git",
            "ssh://git@github.com/team/app.git",
            "ssh://git@ssh.github.com:443/team/app.git",
            "https://github.com/team/app",
            "https://github.com/team/app.git/",
            "https://ada:ghp_secret@github.com/team/app.git",
            "https://github.com/team/app.git?private_token=secret#x",
            "github.com:team/app",
        ] {
            assert_eq!(url(remote).as_deref(), Some("https://github.com/team/app/compare/main...packs?expand=1"), "{remote}");
        }
    }

    #[test]
    fn each_host_has_its_own_page() {
        assert_eq!(
            url("git@gitlab.example.com:group/sub/app.git").unwrap(),
            "https://gitlab.example.com/group/sub/app/-/merge_requests/new?merge_request%5Bsource_branch%5D=packs&merge_request%5Btarget_branch%5D=main"
        );
        assert_eq!(
            url("https://bitbucket.org/team/app.git").unwrap(),
            "https://bitbucket.org/team/app/pull-requests/new?source=packs&dest=main"
        );
        assert_eq!(url("ssh://git@codeberg.org/team/app.git").unwrap(), "https://codeberg.org/team/app/compare/main...packs");
        assert_eq!(
            url("https://gitea.example.com:3000/team/app").unwrap(),
            "https://gitea.example.com:3000/team/app/compare/main...packs"
        );
    }

    #[test]
    fn names_are_written_so_that_the_page_is_found() {
        assert_eq!(
            pull_request_url("https://github.com/team/my app", "release/1#2", "lessons/a b").unwrap(),
            "https://github.com/team/my%20app/compare/release/1%232...lessons/a%20b?expand=1"
        );
    }

    #[test]
    fn where_no_page_is_known_none_is_named() {
        for remote in
            ["/srv/git/app.git", "../app.git", "C:/git/app.git", "git@example.com:team/app.git", "file:///github.com/x/y", ""]
        {
            assert_eq!(url(remote), None, "{remote}");
        }
    }
}
