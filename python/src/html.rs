//! Words and pictures for notebooks.

use base64::Engine;
use meshjudge::unstable::judge::Picture;

/// Text that may be hostile, within a page.
pub(crate) fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            c => safe.push(c),
        }
    }
    safe
}

/// A picture within a page.
pub(crate) fn picture(picture: &Picture, width_px: u32) -> String {
    format!(
        "<img style=\"max-width:100%\" width=\"{}\" src=\"{}\">",
        width_px.min(picture.width_px),
        data_url(picture)
    )
}

/// A picture as an address.
pub(crate) fn data_url(picture: &Picture) -> String {
    format!("data:{};base64,{}", picture.media_type, base64(picture))
}

/// Its bytes as text.
pub(crate) fn base64(picture: &Picture) -> String {
    base64::engine::general_purpose::STANDARD.encode(&picture.bytes)
}
