//! What addresses and headers hold that nobody else may read.

use crate::judge::Secret;

/// Characters of a server's answer that are quoted.
const QUOTED_CHARS: usize = 200;

/// Fields of an address whose values are taken to be secret, by what their names hold.
const SECRET_NAMES: [&str; 7] = ["key", "token", "secret", "sig", "auth", "pass", "cred"];

/// An address as it may be shown and kept: without user and password, and without the values of its fields.
pub(in crate::bench) fn redacted_url(url: &str) -> String {
    let Ok(mut shown) = reqwest::Url::parse(url) else {
        return "(no address)".to_owned();
    };
    // Both fail only for addresses that cannot hold them.
    let _ = shown.set_username("");
    let _ = shown.set_password(None);
    shown.set_fragment(None);
    let names: Vec<String> = (shown.query_pairs())
        .map(|(name, _)| name.into_owned())
        .collect();
    shown.set_query(None);
    let fields: Vec<String> = (names.iter())
        .map(|name| format!("{name}=[redacted]"))
        .collect();
    match fields.is_empty() {
        true => shown.to_string(),
        false => format!("{shown}?{}", fields.join("&")),
    }
}

/// The secrets of an address.
pub(super) fn secrets_of(url: &reqwest::Url) -> Vec<Secret> {
    let decoded = |text: &str| {
        let mut url = url.clone();
        url.set_query(Some(&format!("x={}", text.replace('+', "%2B"))));
        let (_, text) = url.query_pairs().next()?;
        Some(text.into_owned())
    };
    let user = [Some(url.username()), url.password()];
    let users = user.into_iter().flatten().filter_map(decoded);
    let is_secret = |name: &str| {
        let name = name.to_lowercase();
        SECRET_NAMES.iter().any(|part| name.contains(part))
    };
    let fields = (url.query_pairs())
        .filter(|(name, _)| is_secret(name))
        .map(|(_, value)| value.into_owned());
    users
        .chain(fields)
        .filter_map(|text| Secret::new(&text))
        .collect()
}

/// The start of a foreign answer, without our secrets.
pub(super) fn quoted(bytes: &[u8], secrets: &[Secret]) -> String {
    let text = String::from_utf8_lossy(&bytes[..bytes.len().min(16 * QUOTED_CHARS)]);
    let scrub = |text: String, secret: &Secret| secret.scrub(&text);
    let text = secrets.iter().fold(text.into_owned(), scrub);
    format!("{:?}", text.chars().take(QUOTED_CHARS).collect::<String>())
}
