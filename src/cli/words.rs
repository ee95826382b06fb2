//! Numbers, lists and folders in the words of messages.

use std::path::Path;

/// More names of one kind are counted, not listed.
const NAMES_SHOWN_MAX: usize = 10;

/// `1 vertex`, `2 vertices`.
pub(super) fn several(count: usize, one: &str, many: &str) -> String {
    let noun = if count == 1 { one } else { many };
    format!("{count} {noun}")
}

pub(super) fn percent(share: f64) -> String {
    format!("{:.1} %", share * 100.0)
}

/// `1.000 × 2.000 × 0.500`.
pub(super) fn sizes(edges: [f64; 3]) -> String {
    edges.map(|edge| format!("{edge:.3}")).join(" × ")
}

/// The last part of a path; empty if it has none.
pub(super) fn name_of(folder: &Path) -> String {
    let name = folder.file_name();
    name.map_or_else(String::new, |name| name.to_string_lossy().into_owned())
}

/// The first names, and how many more there are.
pub(super) fn some_of(names: impl Iterator<Item = String>) -> String {
    let names: Vec<String> = names.collect();
    let shown = names[..names.len().min(NAMES_SHOWN_MAX)].join(", ");
    match names.len().saturating_sub(NAMES_SHOWN_MAX) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
