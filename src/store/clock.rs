//! The time of day in UTC as text.

use crate::judge::rfc3339_time;
use std::time::{SystemTime, UNIX_EPOCH};

/// RFC 3339 with milliseconds: `2026-11-21T10:03:55.120Z`. Times before 1970 are given as 1970.
pub fn rfc3339(time: SystemTime) -> String {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    let secs = since.as_secs();
    let (year, month, day) = civil(secs / 86_400);
    let (hour, minute, second) = (secs / 3600 % 24, secs / 60 % 60, secs % 60);
    let millis = since.subsec_millis();
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}.{millis:03}Z")
}

/// The microseconds since 1970 of such a text; `None` for another text.
pub fn micros_of(time: &str) -> Option<i64> {
    let since = rfc3339_time(time)?.duration_since(UNIX_EPOCH).ok()?;
    i64::try_from(since.as_micros()).ok()
}

/// Year, month and day of a day since 1970-01-01, proleptic Gregorian. Counts in eras of 400 years
/// (146,097 days) that begin on 1 March, so the leap day is the last of its year (after Howard
/// Hinnant, "chrono-Compatible Low-Level Date Algorithms", `civil_from_days`).
fn civil(days: u64) -> (u64, u64, u64) {
    let shifted = days + 719_468;
    let era = shifted / 146_097;
    let day_of_era = shifted % 146_097;
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 { month_from_march + 3 } else { month_from_march - 9 };
    (year_of_era + era * 400 + u64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn dates_agree_with_the_calendar() {
        let at = |secs: u64| rfc3339(UNIX_EPOCH + Duration::from_millis(secs * 1000 + 7));
        assert_eq!(at(0), "1970-01-01T00:00:00.007Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00.007Z");
        assert_eq!(at(1_709_251_199), "2024-02-29T23:59:59.007Z");
        assert_eq!(at(1_795_255_435), "2026-11-21T10:03:55.007Z");
        assert_eq!(at(4_107_542_400), "2100-03-01T00:00:00.007Z");
        for secs in [0, 951_782_400, 1_709_251_199, 1_795_255_435, 4_107_542_400] {
            assert_eq!(micros_of(&at(secs)), Some(secs as i64 * 1_000_000 + 7000));
        }
        assert_eq!(micros_of("yesterday"), None);
    }
}
