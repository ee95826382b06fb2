//! How often a rater, or whoever has no invitation, is answered: a bucket of requests each, which fills again with time.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How full a bucket can be, and how fast it fills.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    pub burst: f64,
    pub per_second: f64,
}

/// A ballot takes five requests; nobody answers one in less than a second for long.
pub(super) const RATER: Rate = Rate {
    burst: 60.0,
    per_second: 5.0,
};
/// All requests without a valid token together: the page's own files, ten of them, and wrong links.
pub(super) const STRANGERS: Rate = Rate {
    burst: 400.0,
    per_second: 40.0,
};

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    since: Instant,
}

/// Buckets by name; there are as many as invited raters, and one for everybody else.
#[derive(Debug, Default)]
pub(super) struct Limits {
    buckets: Mutex<HashMap<String, Bucket>>,
}

impl Limits {
    /// Takes a request from the bucket of that name.
    ///
    /// # Errors
    /// The bucket is empty: after how long it is not.
    pub(super) fn take(&self, name: &str, rate: Rate, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        let bucket = buckets.entry(name.to_owned()).or_insert(Bucket {
            left: rate.burst,
            since: now,
        });
        let filled = now.saturating_duration_since(bucket.since).as_secs_f64() * rate.per_second;
        *bucket = Bucket {
            left: (bucket.left + filled).min(rate.burst),
            since: now,
        };
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64(
            (1.0 - bucket.left) / rate.per_second,
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_emptied_and_fills_again() {
        let limits = Limits::default();
        let rate = Rate {
            burst: 3.0,
            per_second: 2.0,
        };
        let start = Instant::now();
        let after = |secs: f64| start + Duration::from_secs_f64(secs);
        assert!((0..3).all(|_| limits.take("a", rate, start).is_ok()));
        assert_eq!(
            limits.take("a", rate, start),
            Err(Duration::from_millis(500))
        );
        assert_eq!(limits.take("b", rate, start), Ok(()));
        assert_eq!(limits.take("a", rate, after(0.5)), Ok(()));
        assert!(limits.take("a", rate, after(0.5)).is_err());
        // It holds no more than its burst.
        assert!((0..3).all(|_| limits.take("a", rate, after(1000.0)).is_ok()));
        assert!(limits.take("a", rate, after(1000.0)).is_err());
    }
}
