//! Shares in words.

/// 12 %, 1.2 %, 0.1 %.
pub fn percent(share: f64) -> String {
    match 100.0 * share {
        tiny if tiny > 0.0 && tiny < 0.05 => "less than 0.1 %".to_owned(),
        small if small > 0.0 && small < 9.95 => format!("{small:.1} %"),
        share => format!("{share:.0} %"),
    }
}
