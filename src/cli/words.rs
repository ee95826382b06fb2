//! Numbers in the words of messages.

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
