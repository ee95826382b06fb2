//! Rate limits of raters and uninvited clients: a bucket of requests each, refilled over time.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How full a bucket can be, and how fast it fills.
#[derive(Debug, Clone, Copy)]
pub(super) struct Rate {
    pub burst: f64,
    pub per_second: f64,
}

/// A ballot takes five requests; nobody answers one in less than a second for long.
pub(super) const RATER: Rate = Rate { burst: 60.0, per_second: 5.0 };
/// Requests without a valid token from one address: the page's own files, ten of them, and wrong
/// links. A class of 30 that sits behind one address opens its links within the burst.
pub(super) const ADDRESS: Rate = Rate { burst: 320.0, per_second: 10.0 };
/// All of these together, from whatever addresses.
pub(super) const STRANGERS: Rate = Rate { burst: 1000.0, per_second: 100.0 };
/// Buckets that are kept; beyond, those are forgotten that are full again.
const BUCKETS_MAX: usize = 20_000;

/// Whose bucket.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) enum Whose {
    Rater(String),
    /// For a client without a valid token; in IPv6 the network: a client can have all of one.
    Address(IpAddr),
    Strangers,
}

#[derive(Debug, Clone, Copy)]
struct Bucket {
    left: f64,
    since: Instant,
}

#[derive(Debug, Default)]
pub(super) struct Limits {
    buckets: Mutex<HashMap<Whose, (Bucket, Rate)>>,
}

impl Bucket {
    fn at(self, now: Instant, rate: Rate) -> Self {
        let filled = now.saturating_duration_since(self.since).as_secs_f64() * rate.per_second;
        Self { left: (self.left + filled).min(rate.burst), since: now }
    }
}

impl Limits {
    /// Takes a request from that bucket.
    ///
    /// # Errors
    /// The bucket is empty: after how long it is not.
    pub(super) fn take(&self, whose: Whose, rate: Rate, now: Instant) -> Result<(), Duration> {
        let mut buckets = self.buckets.lock().unwrap_or_else(PoisonError::into_inner);
        if buckets.len() >= BUCKETS_MAX && !buckets.contains_key(&whose) {
            buckets.retain(|_, (bucket, rate)| bucket.at(now, *rate).left < rate.burst);
            // All of them in use: then the limit of all strangers together has to do.
            if buckets.len() >= BUCKETS_MAX && matches!(whose, Whose::Address(_)) {
                return Ok(());
            }
        }
        let full = Bucket { left: rate.burst, since: now };
        let (bucket, _) = buckets.entry(whose).or_insert((full, rate));
        *bucket = bucket.at(now, rate);
        if bucket.left >= 1.0 {
            bucket.left -= 1.0;
            return Ok(());
        }
        Err(Duration::from_secs_f64((1.0 - bucket.left) / rate.per_second))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bucket_is_emptied_and_fills_again() {
        let limits = Limits::default();
        let rate = Rate { burst: 3.0, per_second: 2.0 };
        let whose = |name: &str| Whose::Rater(name.to_owned());
        let start = Instant::now();
        let after = |secs: f64| start + Duration::from_secs_f64(secs);
        assert!((0..3).all(|_| limits.take(whose("a"), rate, start).is_ok()));
        assert_eq!(limits.take(whose("a"), rate, start), Err(Duration::from_millis(500)));
        assert_eq!(limits.take(whose("b"), rate, start), Ok(()));
        assert_eq!(limits.take(whose("a"), rate, after(0.5)), Ok(()));
        assert!(limits.take(whose("a"), rate, after(0.5)).is_err());
        // It holds no more than its burst.
        assert!((0..3).all(|_| limits.take(whose("a"), rate, after(1000.0)).is_ok()));
        assert!(limits.take(whose("a"), rate, after(1000.0)).is_err());
    }

    #[test]
    fn addresses_by_the_million_take_no_memory() {
        let limits = Limits::default();
        let start = Instant::now();
        let address = |n: u32| Whose::Address(IpAddr::from(n.to_be_bytes()));
        for n in 0..BUCKETS_MAX as u32 + 1000 {
            assert!(limits.take(address(n), ADDRESS, start).is_ok());
        }
        assert_eq!(limits.buckets.lock().unwrap().len(), BUCKETS_MAX);
        // Those that are full again make room.
        let later = start + Duration::from_secs(60);
        assert!(limits.take(address(u32::MAX), ADDRESS, later).is_ok());
        assert_eq!(limits.buckets.lock().unwrap().len(), 1);
    }
}
