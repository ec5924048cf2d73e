//! Tokens whose shape gives them away: a prefix that its issuer chose for that purpose, and a body of a known alphabet
//! and length. A row more is a token more.

/// What the body is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Body {
    /// Letters and digits.
    Alnum,
    /// Upper-case letters and digits.
    Upper,
    Hex,
    /// Letters, digits, `_`, `-`.
    Url,
    /// As `Url`, and `.`.
    Dotted,
}

struct Shape {
    prefix: &'static str,
    body: Body,
    /// The fewest and the most characters of the body.
    length: (usize, usize),
    kind: &'static str,
    /// Something that begins so and is none.
    #[cfg_attr(not(test), expect(dead_code, reason = "the table's test reads it"))]
    harmless: &'static str,
}

const fn shape(prefix: &'static str, body: Body, length: (usize, usize), kind: &'static str, harmless: &'static str) -> Shape {
    Shape { prefix, body, length, kind, harmless }
}

const SHAPES: [Shape; 73] = [
    shape("AKIA", Body::Upper, (16, 16), "aws-access-key", "AKIA keys"),
    shape("ASIA", Body::Upper, (16, 16), "aws-access-key", "ASIA PACIFIC"),
    shape("ABIA", Body::Upper, (16, 16), "aws-access-key", "ABIA"),
    shape("ACCA", Body::Upper, (16, 16), "aws-access-key", "ACCA certificate"),
    shape("ghp_", Body::Alnum, (36, 255), "github-token", "ghp_prefix"),
    shape("gho_", Body::Alnum, (36, 255), "github-token", "gho_x"),
    shape("ghu_", Body::Alnum, (36, 255), "github-token", "ghu_x"),
    shape("ghs_", Body::Dotted, (36, 600), "github-token", "ghs_x"),
    shape("ghr_", Body::Alnum, (36, 255), "github-token", "ghr_x"),
    shape("github_pat_", Body::Url, (36, 255), "github-token", "github_pat_name"),
    shape("glpat-", Body::Dotted, (20, 100), "gitlab-token", "glpat-x"),
    shape("gldt-", Body::Dotted, (20, 100), "gitlab-token", "gldt-x"),
    shape("glrt-", Body::Dotted, (20, 100), "gitlab-token", "glrt-x"),
    shape("glptt-", Body::Dotted, (20, 100), "gitlab-token", "glptt-x"),
    shape("glft-", Body::Dotted, (20, 100), "gitlab-token", "glft-x"),
    shape("glsoat-", Body::Dotted, (20, 100), "gitlab-token", "glsoat-x"),
    shape("glcbt-", Body::Dotted, (20, 100), "gitlab-token", "glcbt-x"),
    shape("glimt-", Body::Dotted, (20, 100), "gitlab-token", "glimt-x"),
    shape("glagent-", Body::Dotted, (20, 100), "gitlab-token", "glagent-config"),
    shape("xoxb-", Body::Url, (10, 255), "slack-token", "xoxb-"),
    shape("xoxa-", Body::Url, (10, 255), "slack-token", "xoxa-"),
    shape("xoxp-", Body::Url, (10, 255), "slack-token", "xoxp-"),
    shape("xoxr-", Body::Url, (10, 255), "slack-token", "xoxr-"),
    shape("xoxs-", Body::Url, (10, 255), "slack-token", "xoxs-"),
    shape("xoxe-", Body::Url, (10, 255), "slack-token", "xoxe-"),
    shape("xoxe.xoxp-", Body::Url, (10, 400), "slack-token", "xoxe.xoxp-"),
    shape("xapp-", Body::Url, (10, 255), "slack-token", "xapp-one"),
    shape("sk_live_", Body::Alnum, (10, 255), "stripe-key", "sk_live_x"),
    shape("sk_test_", Body::Alnum, (10, 255), "stripe-key", "sk_test_x"),
    shape("rk_live_", Body::Alnum, (10, 255), "stripe-key", "rk_live_x"),
    shape("rk_test_", Body::Alnum, (10, 255), "stripe-key", "rk_test_x"),
    shape("whsec_", Body::Alnum, (24, 255), "webhook-secret", "whsec_x"),
    shape("sk-ant-", Body::Url, (24, 255), "anthropic-key", "sk-ant-x"),
    shape("sk-proj-", Body::Url, (24, 255), "openai-key", "sk-proj-x"),
    shape("sk-svcacct-", Body::Url, (24, 255), "openai-key", "sk-svcacct-x"),
    shape("sk-admin-", Body::Url, (24, 255), "openai-key", "sk-admin-x"),
    shape("sk-or-v1-", Body::Hex, (64, 64), "openrouter-key", "sk-or-v1-x"),
    shape("sk-", Body::Alnum, (32, 255), "api-key", "sk-learn-contribution-guidelines-document"),
    shape("xai-", Body::Alnum, (40, 255), "xai-key", "xai-x"),
    shape("gsk_", Body::Alnum, (40, 255), "groq-key", "gsk_x"),
    shape("pplx-", Body::Alnum, (40, 255), "perplexity-key", "pplx-x"),
    shape("r8_", Body::Alnum, (37, 40), "replicate-token", "r8_x"),
    shape("hf_", Body::Alnum, (30, 60), "hugging-face-token", "hf_hub_download"),
    shape("AIza", Body::Url, (35, 35), "google-api-key", "AIza is the prefix"),
    shape("GOCSPX-", Body::Url, (28, 28), "google-oauth-secret", "GOCSPX-x"),
    shape("ya29.", Body::Dotted, (20, 2000), "google-oauth-token", "ya29.x"),
    shape("npm_", Body::Alnum, (36, 36), "npm-token", "npm_config_registry"),
    shape("pypi-AgE", Body::Url, (50, 500), "pypi-token", "pypi-AgEnt"),
    shape("rubygems_", Body::Hex, (48, 48), "rubygems-token", "rubygems_x"),
    shape("cio", Body::Alnum, (32, 32), "crates-io-token", "cio"),
    shape("dckr_pat_", Body::Url, (27, 60), "docker-token", "dckr_pat_x"),
    shape("dckr_oat_", Body::Url, (27, 60), "docker-token", "dckr_oat_x"),
    shape("SG.", Body::Dotted, (60, 80), "sendgrid-key", "SG.1"),
    shape("dop_v1_", Body::Hex, (64, 64), "digitalocean-token", "dop_v1_x"),
    shape("doo_v1_", Body::Hex, (64, 64), "digitalocean-token", "doo_v1_x"),
    shape("dor_v1_", Body::Hex, (64, 64), "digitalocean-token", "dor_v1_x"),
    shape("shpat_", Body::Hex, (32, 32), "shopify-token", "shpat_x"),
    shape("shpca_", Body::Hex, (32, 32), "shopify-token", "shpca_x"),
    shape("shppa_", Body::Hex, (32, 32), "shopify-token", "shppa_x"),
    shape("shpss_", Body::Hex, (32, 32), "shopify-token", "shpss_x"),
    shape("sq0atp-", Body::Url, (22, 60), "square-token", "sq0atp-x"),
    shape("sq0csp-", Body::Url, (43, 60), "square-token", "sq0csp-x"),
    shape("lin_api_", Body::Alnum, (40, 40), "linear-key", "lin_api_x"),
    shape("ATATT3", Body::Url, (150, 250), "atlassian-token", "ATATT3x"),
    shape("ATCTT3", Body::Url, (150, 250), "atlassian-token", "ATCTT3x"),
    shape("NRAK-", Body::Upper, (27, 27), "new-relic-key", "NRAK-x"),
    shape("PMAK-", Body::Url, (59, 59), "postman-key", "PMAK-x"),
    shape("sntrys_", Body::Dotted, (40, 400), "sentry-token", "sntrys_x"),
    shape("sntryu_", Body::Hex, (64, 64), "sentry-token", "sntryu_x"),
    shape("hvs.", Body::Url, (24, 300), "vault-token", "hvs.x"),
    shape("tskey-", Body::Url, (20, 100), "tailscale-key", "tskey-x"),
    shape("AGE-SECRET-KEY-1", Body::Upper, (58, 58), "age-key", "AGE-SECRET-KEY-1 is the prefix"),
    shape("pat-na1-", Body::Url, (36, 36), "hubspot-token", "pat-na1-x"),
];

impl Body {
    fn has(self, byte: u8) -> bool {
        match self {
            Self::Alnum => byte.is_ascii_alphanumeric(),
            Self::Upper => byte.is_ascii_uppercase() || byte.is_ascii_digit(),
            Self::Hex => byte.is_ascii_hexdigit(),
            Self::Url => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'),
            Self::Dotted => byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'),
        }
    }
}

/// By the first byte of a prefix, the bits of the second ones: almost every word is seen off with one look.
const BEGINNINGS: [u128; 128] = {
    let mut beginnings = [0; 128];
    let mut at = 0;
    while at < SHAPES.len() {
        let prefix = SHAPES[at].prefix.as_bytes();
        beginnings[prefix[0] as usize] |= 1 << prefix[1];
        at += 1;
    }
    beginnings
};

fn may_begin(bytes: &[u8]) -> bool {
    matches!(bytes, [first @ 0..128, second @ 0..128, ..] if BEGINNINGS[usize::from(*first)] >> second & 1 == 1)
}

/// The length and kind of the token that the text begins with.
pub(super) fn token(text: &str) -> Option<(usize, &'static str)> {
    let bytes = text.as_bytes();
    let first = *bytes.first()?;
    let shapes = if may_begin(bytes) { &SHAPES[..] } else { &[] };
    let shaped = shapes.iter().filter(|shape| shape.prefix.as_bytes()[0] == first).find_map(|shape| {
        let body = text.strip_prefix(shape.prefix)?.as_bytes();
        let mut length = body.iter().take(shape.length.1 + 1).take_while(|&&byte| shape.body.has(byte)).count();
        while shape.body == Body::Dotted && length > 0 && body[length - 1] == b'.' {
            length -= 1;
        }
        let fits = (shape.length.0..=shape.length.1).contains(&length) && varied(&body[..length]);
        fits.then_some((shape.prefix.len() + length, shape.kind))
    });
    shaped
        .or_else(|| match first {
            b'e' => jwt(text),
            b'h' => webhook(text),
            b'0'..=b'9' => telegram(bytes),
            _ => None,
        })
        .or_else(|| azure(bytes))
}

/// A run of words is no key: a body has digits, or both cases mixed.
fn varied(body: &[u8]) -> bool {
    let digits = body.iter().filter(|byte| byte.is_ascii_digit()).count();
    let upper = body.iter().filter(|byte| byte.is_ascii_uppercase()).count();
    let lower = body.iter().filter(|byte| byte.is_ascii_lowercase()).count();
    digits > 0 || (upper > 2 && lower > 2)
}

/// Three base64url parts, the first two of them JSON objects.
fn jwt(text: &str) -> Option<(usize, &'static str)> {
    let rest = text.strip_prefix("eyJ")?;
    let part = |from: usize| rest.as_bytes()[from..].iter().take(16_000).take_while(|&&byte| Body::Url.has(byte)).count();
    let head = part(0);
    let middle_at = head + 1;
    if head < 8 || rest.as_bytes().get(head) != Some(&b'.') || !rest.get(middle_at..)?.starts_with("eyJ") {
        return None;
    }
    let middle = part(middle_at);
    let sign_at = middle_at + middle + 1;
    let sign = if rest.as_bytes().get(sign_at - 1) == Some(&b'.') { part(sign_at) } else { return None };
    Some((3 + sign_at + sign, "jwt"))
}

/// `123456789:AA…`: a bot's number and its key.
fn telegram(bytes: &[u8]) -> Option<(usize, &'static str)> {
    let digits = bytes.iter().take(11).take_while(|byte| byte.is_ascii_digit()).count();
    if !(8..=10).contains(&digits) || bytes.get(digits..digits + 3)? != b":AA" {
        return None;
    }
    let length = bytes[digits + 1..].iter().take(36).take_while(|&&byte| Body::Url.has(byte)).count();
    (length == 35).then_some((digits + 1 + length, "telegram-token"))
}

/// Three characters, a digit, `Q~` and 31 to 34 more.
fn azure(bytes: &[u8]) -> Option<(usize, &'static str)> {
    if !bytes.get(3)?.is_ascii_digit() || bytes.get(4..6)? != b"Q~" {
        return None;
    }
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | b'~');
    let length = bytes[6..].iter().take(35).take_while(|byte| is_part(byte)).count();
    (31..=34).contains(&length).then_some((6 + length, "azure-client-secret"))
}

/// An address that is itself the key to post to a channel.
fn webhook(text: &str) -> Option<(usize, &'static str)> {
    const STARTS: [(&str, &str); 3] = [
        ("https://hooks.slack.com/services/T", "slack-webhook"),
        ("https://discord.com/api/webhooks/", "discord-webhook"),
        ("https://discordapp.com/api/webhooks/", "discord-webhook"),
    ];
    let (start, kind) = STARTS.iter().find(|(start, _)| text.starts_with(start))?;
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'/' | b'_' | b'-');
    let length = text.as_bytes()[start.len()..].iter().take(200).take_while(|byte| is_part(byte)).count();
    (length >= 20).then_some((start.len() + length, *kind))
}

/// Whether a long word looks drawn by lot: all of upper case, lower case and digits, mixed all over, no hex, no path.
pub(super) fn is_random(word: &str) -> bool {
    let bytes = word.trim_end_matches('=').as_bytes();
    if !(32..=512).contains(&bytes.len()) || bytes.iter().filter(|&&byte| byte == b'/').count() > 3 {
        return false;
    }
    let class = |byte: &u8| match byte {
        b'0'..=b'9' => 0,
        b'a'..=b'z' => 1,
        b'A'..=b'Z' => 2,
        _ => 3,
    };
    let mut seen = [0usize; 4];
    for byte in bytes {
        seen[class(byte)] += 1;
    }
    let changes = bytes.windows(2).filter(|pair| class(&pair[0]) != class(&pair[1])).count();
    let distinct = (0..=255u8).filter(|byte| bytes.contains(byte)).count();
    seen[..3].iter().all(|&count| count * 16 >= bytes.len())
        && seen[3] * 8 <= bytes.len()
        && changes * 3 >= bytes.len()
        && distinct >= 16
}

#[cfg(test)]
mod tests {
    use super::{Body, SHAPES, token};
    use crate::capture::redact::{find, redact};

    /// A body that only a machine would write; made here, so that no scanner takes these tests for a leak.
    pub(in crate::capture::redact) fn body(letters: &str, length: usize) -> String {
        letters.chars().cycle().take(length).collect()
    }

    #[test]
    fn every_shape_is_found_next_to_any_script_and_its_look_alike_is_not() {
        for shape in &SHAPES {
            let letters = match shape.body {
                Body::Upper => "A2B3C4D5E6F7",
                Body::Hex => "0a1b2c3d4e5f",
                _ => "a1B2c3D4e5F6g7",
            };
            let secret = format!("{}{}", shape.prefix, body(letters, shape.length.0));
            for (before, after) in [
                ("", ""),
                ("key ", " there"),
                ("密钥是", "，好吗"),
                ("鍵は", "です"),
                ("ключ ", "."),
                ("키는 ", "이야"),
                ("(", ")"),
            ] {
                let text = format!("{before}{secret}{after}");
                let found = find(&text);
                assert_eq!(found.len(), 1, "{text}");
                assert_eq!(found[0].range, before.len()..before.len() + secret.len(), "{text}");
                assert_eq!(found[0].kind, shape.kind, "{text}");
            }
            assert_eq!(redact(shape.harmless), shape.harmless);
            assert_eq!(
                token(&secret[..secret.len() - 1]).filter(|(_, kind)| *kind == shape.kind),
                None,
                "one short: {}",
                shape.prefix
            );
        }
    }

    #[test]
    fn tokens_of_several_parts_are_found() {
        let part = body("a1B2c3", 30);
        for (text, kind) in [
            (format!("eyJ{part}.eyJ{part}.{part}"), "jwt"),
            (format!("123456789:AA{}", body("x9Y-", 33)), "telegram-token"),
            (format!("aB_1Q~{}", body("x9Y-", 33)), "azure-client-secret"),
            (format!("https://hooks.slack.com/services/T0{}/B0{}", body("A1", 9), body("a1B2", 24)), "slack-webhook"),
            (format!("https://discord.com/api/webhooks/{}/{}", body("12345", 18), body("a1B2", 40)), "discord-webhook"),
        ] {
            assert_eq!(find(&text).iter().map(|secret| secret.kind).collect::<Vec<_>>(), [kind], "{text}");
        }
        for text in ["eyJhbGciOi.only.two", "12345678:ABC", "10:30", "https://hooks.slack.com/services/TEAM"] {
            assert_eq!(redact(text), text);
        }
    }
}
