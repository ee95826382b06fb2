//! When to retry a failure: exponential pauses with seeded jitter, or what the server asks for.

use super::failure::Failure;
use std::time::Duration;

/// How failed requests are tried again.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Backoff {
    /// Requests for one question, the first included, before it is left for the next run.
    pub attempts_max: u32,
    /// The same without a connection: a server that is down is not worth a minute per question.
    pub connects_max: u32,
    /// Batches that may end without an answer to one question, in all commands of a run together.
    pub batches_max: u32,
    /// The first pause; each further one may be twice as long.
    pub base: Duration,
    /// No pause of ours is longer.
    pub cap: Duration,
    /// A server that asks for a longer pause than this is left for the next run.
    pub retry_after_max: Duration,
    /// A server that says nothing but "too many requests" for so long is left for the next run.
    pub throttled_max: Duration,
}

impl Default for Backoff {
    fn default() -> Self {
        Self {
            attempts_max: 6,
            connects_max: 3,
            batches_max: 2,
            base: Duration::from_secs(1),
            cap: Duration::from_secs(60),
            retry_after_max: Duration::from_secs(600),
            throttled_max: Duration::from_secs(1800),
        }
    }
}

impl Backoff {
    /// How long to wait before the next request, after `failures` failed ones in a row of which
    /// `last` is the newest; `None` when there is no next one. `key` and `seed` decide the jitter,
    /// so that a run can be repeated.
    pub fn pause(&self, last: &Failure, failures: u32, key: &str, seed: u64) -> Option<Duration> {
        let fewer = match last {
            Failure::Connect { .. } => self.connects_max,
            Failure::BatchEnded { .. } => self.batches_max,
            _ => self.attempts_max,
        };
        if last.is_final() || failures >= fewer.min(self.attempts_max) {
            return None;
        }
        self.pause_of(last, failures, key, seed)
    }

    /// The same after `times` rate limits in a row. They are no fault of the question's, so there
    /// is always a next request, unless the server asks for too long a pause.
    pub fn throttled(&self, last: &Failure, times: u32, key: &str, seed: u64) -> Option<Duration> {
        self.pause_of(last, times, key, seed)
    }

    fn pause_of(&self, last: &Failure, failures: u32, key: &str, seed: u64) -> Option<Duration> {
        let doubled = self.base.saturating_mul(1 << failures.saturating_sub(1).min(16));
        // Between half and all of it: spread out, and never at once.
        let ours = doubled.min(self.cap).mul_f64(0.5 + 0.5 * unit(key, failures, seed));
        match last.retry_after() {
            None => Some(ours),
            Some(theirs) if theirs > self.retry_after_max => None,
            // A little later than asked, so that waiting questions do not return all at once.
            Some(theirs) => Some(theirs + ours.mul_f64(0.25)),
        }
    }

    /// Why the server is left for the next run, where it asks for too long a pause.
    pub fn postponed(&self, last: &Failure) -> Option<String> {
        let theirs = last.retry_after()?;
        (theirs > self.retry_after_max).then(|| {
            format!(
                "the server asks to wait {}, and a run waits {} at most; run the same command again after that; it said: {last}",
                span(theirs),
                span(self.retry_after_max)
            )
        })
    }
}

/// A time in words.
fn span(time: Duration) -> String {
    const YEAR_SECS: u64 = 365 * 86_400;
    match time.as_secs() {
        secs @ 0..120 => format!("{secs} s"),
        secs @ 120..7200 => format!("{} min", secs / 60),
        secs @ 7200..172_800 => format!("{} h", secs / 3600),
        secs if secs < YEAR_SECS => format!("{} days", secs / 86_400),
        _ => "more than a year".to_owned(),
    }
}

/// A number from 0 to 1 that depends on nothing but its arguments.
fn unit(key: &str, failures: u32, seed: u64) -> f64 {
    let hash = blake3::hash(format!("{seed}/{failures}/{key}").as_bytes());
    let word = u32::from_le_bytes([
        hash.as_bytes()[0],
        hash.as_bytes()[1],
        hash.as_bytes()[2],
        hash.as_bytes()[3],
    ]);
    f64::from(word) / f64::from(u32::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(status: u16, retry_after: Option<Duration>) -> Failure {
        Failure::Status {
            status,
            code: None,
            message: String::new(),
            retry_after,
            should_retry: None,
        }
    }

    #[test]
    fn pauses_double_within_their_jitter_and_end() {
        let backoff = Backoff::default();
        for failures in 1..6 {
            let pause = backoff.pause(&status(500, None), failures, "q", 7).expect("another try");
            let full = Duration::from_secs(1 << (failures - 1));
            assert!(pause >= full / 2 && pause <= full, "{failures}: {pause:?}");
            assert_eq!(backoff.pause(&status(500, None), failures, "q", 7), Some(pause));
        }
        assert_eq!(backoff.pause(&status(500, None), 6, "q", 7), None);
        let down = Failure::Connect { reason: String::new() };
        assert_eq!(backoff.pause(&down, 3, "q", 7), None);
    }

    #[test]
    fn the_servers_wish_counts_up_to_a_limit() {
        let backoff = Backoff::default();
        let pause = |secs| backoff.pause(&status(429, Some(Duration::from_secs(secs))), 1, "q", 7);
        assert!(
            pause(30).is_some_and(|p| p >= Duration::from_secs(30) && p < Duration::from_secs(31))
        );
        assert_eq!(pause(3600), None);
    }

    #[test]
    fn what_cannot_succeed_is_not_tried_again() {
        for code in [400, 401, 402, 403, 404, 413, 422] {
            assert!(status(code, None).is_final(), "{code}");
        }
        for code in [408, 409, 429, 498, 499, 500, 502, 503, 529] {
            assert!(!status(code, None).is_final(), "{code}");
        }
    }
}
