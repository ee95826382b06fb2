//! What a server's headers and errors say of its limits: when to come back, and how much is left.

use reqwest::header::HeaderMap;
use serde_json::Value;
use std::time::{Duration, SystemTime};
use toml::value::{Datetime, Offset};

/// The remainder until a limit starts anew; of several limits the scarcest.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Quota {
    /// From 0 to 1.
    pub share_left: f64,
    /// Requests, or tokens.
    pub left: f64,
    /// Until it is whole again.
    pub reset: Duration,
    pub is_tokens: bool,
}

/// Limit, remainder and reset of each limit, as OpenAI and Anthropic name them.
fn limits() -> impl Iterator<Item = [String; 3]> {
    const WHAT: [&str; 3] = ["limit", "remaining", "reset"];
    let openai = ["requests", "tokens"]
        .map(|counted| WHAT.map(|what| format!("x-ratelimit-{what}-{counted}")));
    let anthropic = ["requests", "tokens", "input-tokens", "output-tokens"]
        .map(|counted| WHAT.map(|what| format!("anthropic-ratelimit-{counted}-{what}")));
    openai.into_iter().chain(anthropic)
}

/// The scarcest of the limits that the headers name.
pub(super) fn quota(headers: &HeaderMap, now: SystemTime) -> Option<Quota> {
    let number = |name: &str| header(headers, name)?.trim().parse::<f64>().ok();
    limits()
        .filter_map(|[limit, remaining, reset]| {
            let (limit, left) = (number(&limit)?, number(&remaining)?);
            Some(Quota {
                share_left: (limit > 0.0).then(|| (left / limit).clamp(0.0, 1.0))?,
                left,
                reset: span(header(headers, &reset)?, now)?,
                is_tokens: remaining.contains("tokens"),
            })
        })
        .min_by(|a, b| a.share_left.total_cmp(&b.share_left))
}

/// When to come back after an error: `retry-after-ms`, else `Retry-After`, else Gemini's
/// `retryDelay` in the body, else the resets of limits of which nothing is left.
pub(super) fn retry_after(
    headers: &HeaderMap,
    body: Option<&Value>,
    now: SystemTime,
) -> Option<Duration> {
    let millis = || {
        let value = header(headers, "retry-after-ms")?.trim().parse::<f64>().ok()?;
        seconds(value / 1000.0)
    };
    let named = || span(header(headers, "retry-after")?, now);
    let inside = || {
        let details = body?.pointer("/error/details")?.as_array()?;
        let delay = details.iter().find_map(|detail| detail.get("retryDelay"))?;
        span(delay.as_str()?, now)
    };
    let resets = || {
        let empty = limits().filter_map(|[_, remaining, reset]| {
            let left: f64 = header(headers, &remaining)?.trim().parse().ok()?;
            (left < 1.0).then(|| span(header(headers, &reset)?, now))?
        });
        empty.max()
    };
    millis().or_else(named).or_else(inside).or_else(resets)
}

/// No span that a server states is taken to be longer: a hundred years, which every clock can add.
const SPAN_MAX: Duration = Duration::from_secs(100 * 365 * 86_400);

/// So many seconds, up to [`SPAN_MAX`]; `None` for negative values and text that is not a number.
fn seconds(count: f64) -> Option<Duration> {
    (count >= 0.0).then(|| Duration::try_from_secs_f64(count).map_or(SPAN_MAX, |s| s.min(SPAN_MAX)))
}

/// A span of time in any spelling: seconds (`7`, `0.5`), a duration (`1h6m0.5s`, `20ms`), an HTTP
/// date, or RFC 3339. A past time is 0.
fn span(text: &str, now: SystemTime) -> Option<Duration> {
    let text = text.trim();
    if let Ok(count) = text.parse::<f64>() {
        return seconds(count);
    }
    let date = httpdate::parse_http_date(text).ok().or_else(|| rfc3339_time(text));
    match date {
        Some(date) => Some(date.duration_since(now).unwrap_or_default().min(SPAN_MAX)),
        None => duration(text),
    }
}

/// Reads `1h6m0.5s`, `20ms` and `6m0s`.
fn duration(text: &str) -> Option<Duration> {
    let mut rest = text;
    let mut sum = 0.0;
    if rest.is_empty() {
        return None;
    }
    while !rest.is_empty() {
        let end = rest.find(|c: char| !(c.is_ascii_digit() || c == '.'))?;
        let number: f64 = rest[..end].parse().ok()?;
        let unit_end =
            rest[end..].find(|c: char| c.is_ascii_digit()).map_or(rest.len(), |i| end + i);
        sum += number
            * match &rest[end..unit_end] {
                "d" => 86_400.0,
                "h" => 3_600.0,
                "m" => 60.0,
                "s" => 1.0,
                "ms" => 1e-3,
                "us" | "µs" => 1e-6,
                "ns" => 1e-9,
                _ => return None,
            };
        rest = &rest[unit_end..];
    }
    seconds(sum)
}

/// `2026-11-21T10:00:30Z`, with or without a fraction, or with an offset; from 1970 on.
pub(crate) fn rfc3339_time(text: &str) -> Option<SystemTime> {
    let Datetime { date: Some(date), time: Some(time), offset: Some(offset) } =
        text.parse().ok()?
    else {
        return None;
    };
    if date.year < 1970 {
        return None;
    }
    let days = days(date.year.into(), date.month.into(), date.day.into());
    let minutes = (days * 24 + u64::from(time.hour)) * 60 + u64::from(time.minute);
    let seconds = minutes * 60 + u64::from(time.second.unwrap_or(0));
    let at = SystemTime::UNIX_EPOCH + Duration::new(seconds, time.nanosecond.unwrap_or(0));
    let ahead = match offset {
        Offset::Z => 0,
        Offset::Custom { minutes } => minutes,
    };
    let span = Duration::from_secs(u64::from(ahead.unsigned_abs()) * 60);
    if ahead > 0 { at.checked_sub(span) } else { at.checked_add(span) }
}

/// Days since 1970-01-01, proleptic Gregorian; years begin in March, so the leap day comes last.
/// After Howard Hinnant, "chrono-Compatible Low-Level Date Algorithms", `days_from_civil`.
fn days(year: u64, month: u64, day: u64) -> u64 {
    let year = year - u64::from(month <= 2);
    let (era, year_of_era) = (year / 400, year % 400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

pub(super) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name)?.to_str().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use reqwest::header::{HeaderName, HeaderValue};
    use serde_json::json;

    fn headers(pairs: &[(&'static str, &'static str)]) -> HeaderMap {
        pairs
            .iter()
            .map(|(name, value)| (HeaderName::from_static(name), HeaderValue::from_static(value)))
            .collect()
    }

    fn now() -> SystemTime {
        httpdate::parse_http_date("Sat, 21 Nov 2026 10:00:00 GMT").expect("a date")
    }

    #[test]
    fn retry_after_is_read_in_all_its_spellings() {
        let read = |name, value| retry_after(&headers(&[(name, value)]), None, now());
        let cases = [
            ("retry-after", "7", Some(7000)),
            ("retry-after", "0.5", Some(500)),
            ("retry-after-ms", "1500", Some(1500)),
            ("retry-after", "Sat, 21 Nov 2026 10:00:30 GMT", Some(30_000)),
            ("retry-after", "Sat, 21 Nov 2026 09:00:00 GMT", Some(0)),
            ("retry-after", "2026-11-21T10:00:30Z", Some(30_000)),
            ("retry-after", "2026-11-21T10:00:30.250Z", Some(30_250)),
            ("retry-after", "2026-11-21T12:00:30+02:00", Some(30_000)),
            ("retry-after", "2026-11-21T09:30:30-00:30", Some(30_000)),
            ("retry-after", "1m30s", Some(90_000)),
            ("retry-after", "soon", None),
            ("retry-after", "-5", None),
            ("retry-after", "", None),
            ("retry-after", "nan", None),
            ("retry-after", "-1e19", None),
            ("retry-after", "2026-11-21T10:00:00+99999999999:00", None),
        ];
        for (name, value, millis) in cases {
            assert_eq!(read(name, value), millis.map(Duration::from_millis), "{value}");
        }
    }

    #[test]
    fn no_span_is_longer_than_a_clock_can_add() {
        for value in ["1e19", "1e300", "1e999", "inf", "99999999999999d"] {
            let far = retry_after(&headers(&[("retry-after", value)]), None, now());
            assert_eq!(far, Some(SPAN_MAX), "{value}");
        }
        let date = [("retry-after", "Fri, 31 Dec 9999 23:59:59 GMT")];
        assert_eq!(retry_after(&headers(&date), None, now()), Some(SPAN_MAX));
    }

    #[test]
    fn without_a_word_the_resets_of_empty_limits_count() {
        let both = headers(&[
            ("x-ratelimit-remaining-requests", "0"),
            ("x-ratelimit-reset-requests", "20ms"),
            ("x-ratelimit-remaining-tokens", "0"),
            ("x-ratelimit-reset-tokens", "6m0s"),
        ]);
        assert_eq!(retry_after(&both, None, now()), Some(Duration::from_secs(360)));
        let one = headers(&[
            ("x-ratelimit-remaining-requests", "12"),
            ("x-ratelimit-reset-requests", "1h"),
            ("anthropic-ratelimit-tokens-remaining", "0"),
            ("anthropic-ratelimit-tokens-reset", "2026-11-21T10:00:05Z"),
        ]);
        assert_eq!(retry_after(&one, None, now()), Some(Duration::from_secs(5)));
        let body = json!({"error": {"code": 429, "details": [{"@type": "QuotaFailure"}, {"@type": "RetryInfo", "retryDelay": "31s"}]}});
        let inside = retry_after(&HeaderMap::new(), Some(&body), now());
        assert_eq!(inside, Some(Duration::from_secs(31)));
        assert_eq!(retry_after(&HeaderMap::new(), None, now()), None);
    }

    #[test]
    fn the_scarcest_limit_is_told() {
        let found = quota(
            &headers(&[
                ("x-ratelimit-limit-requests", "500"),
                ("x-ratelimit-remaining-requests", "499"),
                ("x-ratelimit-reset-requests", "120ms"),
                ("x-ratelimit-limit-tokens", "30000"),
                ("x-ratelimit-remaining-tokens", "1500"),
                ("x-ratelimit-reset-tokens", "57s"),
            ]),
            now(),
        );
        let expected = Quota {
            share_left: 0.05,
            left: 1500.0,
            reset: Duration::from_secs(57),
            is_tokens: true,
        };
        assert_eq!(found, Some(expected));
        assert_eq!(quota(&HeaderMap::new(), now()), None);
    }
}
