//! How many requests go out at a time, and when the next one may: slow start, then growth by a
//! twentieth a round; ×0.8 once for each episode of 429; pauses that the server asks for; limits a
//! minute; and slower before the server's own limit is reached.

use super::breaker::Gate;
use super::quota::Quota;
use std::time::{Duration, Instant};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct PaceSettings {
    /// Requests at a time, at most.
    pub slots_max: usize,
    pub requests_per_minute: Option<u32>,
    /// Tokens a minute, read and written, as far as they are known beforehand.
    pub tokens_per_minute: Option<u32>,
}

/// Requests at a time in the beginning.
const SLOTS_FIRST: f64 = 4.0;
/// A round is as many replies as there are slots.
const SLOW_START: f64 = 2.0;
const GROWTH: f64 = 1.05;
const CUT: f64 = 0.8;
/// If less of the server's quota remains, the rest is spread over the time until it is full again.
const SHARE_LOW: f64 = 0.1;
/// No gap between two requests is longer, whatever the quota says.
const GAP_MAX: Duration = Duration::from_secs(60);
/// What may go out at once of a limit a minute.
const BURST: Duration = Duration::from_secs(3);

/// What came of a request, as far as the pace is concerned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Landing {
    /// A reply, or an error that concerns the question only.
    Reply,
    /// Too many requests; the pause that is asked for.
    RateLimit(Duration),
    /// A server in trouble.
    Outage,
}

#[derive(Debug, Clone)]
pub struct Pace {
    slots: f64,
    slots_max: f64,
    is_slow_start: bool,
    may_grow: bool,
    landed_in_round: f64,
    /// Requests are numbered; those sent before the last cut belong to its episode.
    next: u64,
    cut_before: u64,
    not_before: Option<Instant>,
    gap: Duration,
    last_sent: Option<Instant>,
    last_tokens: u64,
    requests: Option<Bucket>,
    tokens: Option<Bucket>,
}

impl Pace {
    /// At the beginning of a run.
    pub fn new(settings: PaceSettings, now: Instant) -> Self {
        let slots_max = settings.slots_max.max(1) as f64;
        let bucket = |per_minute: Option<u32>| per_minute.map(|n| Bucket::new(n, now));
        Self {
            slots: SLOTS_FIRST.min(slots_max),
            slots_max,
            is_slow_start: true,
            may_grow: true,
            landed_in_round: 0.0,
            next: 0,
            cut_before: 0,
            not_before: None,
            gap: Duration::ZERO,
            last_sent: None,
            last_tokens: 0,
            requests: bucket(settings.requests_per_minute),
            tokens: bucket(settings.tokens_per_minute),
        }
    }

    /// Requests at a time, now.
    pub fn slots(&self) -> usize {
        self.slots as usize
    }

    /// Whether a request of so many tokens may go out at `now`, with so many in flight.
    pub fn gate(&self, in_flight: usize, tokens: u64, now: Instant) -> Gate {
        if in_flight >= self.slots() {
            return Gate::Full;
        }
        let spaced = self.last_sent.map(|sent| sent + self.gap);
        let buckets = [
            self.requests.as_ref().map(|bucket| bucket.ready(1.0, now)),
            self.tokens.as_ref().map(|bucket| bucket.ready(tokens as f64, now)),
        ];
        let latest = [self.not_before, spaced].into_iter().chain(buckets).flatten().max();
        match latest {
            Some(then) if then > now => Gate::At(then),
            _ => Gate::Open,
        }
    }

    /// A request of so many tokens goes out; returns its number.
    pub fn sent(&mut self, tokens: u64, now: Instant) -> u64 {
        if let Some(bucket) = &mut self.requests {
            bucket.take(1.0, now);
        }
        if let Some(bucket) = &mut self.tokens {
            bucket.take(tokens as f64, now);
        }
        self.last_sent = Some(now);
        self.last_tokens = tokens;
        self.next += 1;
        self.next - 1
    }

    /// Request `number` has ended.
    pub fn landed(&mut self, number: u64, landing: Landing, quota: Option<&Quota>, now: Instant) {
        if let Some(quota) = quota {
            self.gap = self.gap_for(quota);
        }
        match landing {
            Landing::Reply => {
                self.landed_in_round += 1.0;
                if self.landed_in_round >= self.slots.floor() {
                    self.end_round();
                }
            }
            Landing::Outage => self.may_grow = false,
            Landing::RateLimit(pause) => {
                let until = now + pause;
                self.not_before = Some(self.not_before.map_or(until, |then| then.max(until)));
                if number >= self.cut_before {
                    self.slots = (self.slots * CUT).max(1.0);
                    self.is_slow_start = false;
                    self.landed_in_round = 0.0;
                    self.cut_before = self.next;
                }
                self.may_grow = false;
            }
        }
    }

    fn end_round(&mut self) {
        if self.may_grow {
            let factor = if self.is_slow_start { SLOW_START } else { GROWTH };
            self.slots = (self.slots * factor).min(self.slots_max);
        } else {
            self.is_slow_start = false;
        }
        self.may_grow = true;
        self.landed_in_round = 0.0;
    }

    fn gap_for(&self, quota: &Quota) -> Duration {
        if quota.share_left >= SHARE_LOW {
            return Duration::ZERO;
        }
        let per_request = if quota.is_tokens { self.last_tokens.max(1) as f64 } else { 1.0 };
        let requests_left = (quota.left / per_request).max(1.0);
        quota.reset.div_f64(requests_left).min(GAP_MAX)
    }
}

/// A limit a minute that refills evenly.
#[derive(Debug, Clone)]
struct Bucket {
    per_second: f64,
    level_max: f64,
    level: f64,
    at: Instant,
}

impl Bucket {
    fn new(per_minute: u32, now: Instant) -> Self {
        let per_second = f64::from(per_minute.max(1)) / 60.0;
        let level_max = (per_second * BURST.as_secs_f64()).max(1.0);
        Self { per_second, level_max, level: level_max, at: now }
    }

    fn level_at(&self, now: Instant) -> f64 {
        let since = now.saturating_duration_since(self.at).as_secs_f64();
        (self.level + since * self.per_second).min(self.level_max)
    }

    /// When so much may be taken; more than the bucket holds waits for a full one, and is owed.
    fn ready(&self, amount: f64, now: Instant) -> Instant {
        let lacking = amount.min(self.level_max) - self.level_at(now);
        if lacking <= 0.0 {
            return now;
        }
        now + Duration::from_secs_f64(lacking / self.per_second)
    }

    fn take(&mut self, amount: f64, now: Instant) {
        self.level = self.level_at(now) - amount;
        self.at = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pace(slots_max: usize) -> (Pace, Instant) {
        let now = Instant::now();
        let settings = PaceSettings { slots_max, ..PaceSettings::default() };
        (Pace::new(settings, now), now)
    }

    fn round(pace: &mut Pace, landing: Landing, now: Instant) {
        for _ in 0..pace.slots() {
            let number = pace.sent(1, now);
            pace.landed(number, landing, None, now);
        }
    }

    #[test]
    fn it_doubles_until_the_first_429_and_then_grows_by_a_twentieth() {
        let (mut pace, now) = pace(1000);
        let mut seen = vec![pace.slots()];
        for _ in 0..3 {
            round(&mut pace, Landing::Reply, now);
            seen.push(pace.slots());
        }
        assert_eq!(seen, [4, 8, 16, 32]);
        let number = pace.sent(1, now);
        pace.landed(number, Landing::RateLimit(Duration::ZERO), None, now);
        assert_eq!(pace.slots(), 25, "32 × 0.8 = 25.6");
        // The round in which it was cut does not grow.
        round(&mut pace, Landing::Reply, now);
        round(&mut pace, Landing::Reply, now);
        assert_eq!(pace.slots(), 26, "25.6 × 1.05 = 26.88");
    }

    #[test]
    fn an_episode_cuts_once_and_each_429_extends_the_pause() {
        let (mut pace, now) = pace(4);
        let numbers: Vec<u64> = (0..4).map(|_| pace.sent(1, now)).collect();
        for (number, secs) in numbers.into_iter().zip([1, 5, 3, 2]) {
            let asked = Landing::RateLimit(Duration::from_secs(secs));
            pace.landed(number, asked, None, now);
        }
        assert_eq!(pace.slots(), 3, "4 × 0.8 = 3.2, once");
        let then = now + Duration::from_secs(5);
        assert_eq!(pace.gate(0, 1, now), Gate::At(then));
        assert_eq!(pace.gate(0, 1, then), Gate::Open);
        let number = pace.sent(1, then);
        pace.landed(number, Landing::RateLimit(Duration::ZERO), None, then);
        assert_eq!(pace.slots(), 2, "a new episode cuts again");
        for _ in 0..20 {
            let number = pace.sent(1, then);
            pace.landed(number, Landing::RateLimit(Duration::ZERO), None, then);
        }
        assert_eq!(pace.slots(), 1, "never less than one");
    }

    #[test]
    fn an_outage_stops_growth_and_cuts_nothing() {
        let (mut pace, now) = pace(100);
        let number = pace.sent(1, now);
        pace.landed(number, Landing::Outage, None, now);
        round(&mut pace, Landing::Reply, now);
        assert_eq!(pace.slots(), 4);
        for _ in 0..5 {
            round(&mut pace, Landing::Reply, now);
        }
        assert_eq!(pace.slots(), 5, "4 × 1.05⁵ = 5.1");
    }

    #[test]
    fn what_is_left_of_a_low_quota_is_spread() {
        let (mut pace, now) = pace(100);
        let low = Quota {
            share_left: 0.05,
            left: 10.0,
            reset: Duration::from_secs(20),
            is_tokens: false,
        };
        let number = pace.sent(500, now);
        pace.landed(number, Landing::Reply, Some(&low), now);
        assert_eq!(pace.gate(0, 1, now), Gate::At(now + Duration::from_secs(2)));
        let tokens = Quota { left: 5000.0, is_tokens: true, ..low };
        pace.landed(number, Landing::Reply, Some(&tokens), now);
        assert_eq!(pace.gate(0, 1, now), Gate::At(now + Duration::from_secs(2)));
        let whole = Quota { share_left: 0.9, ..low };
        pace.landed(number, Landing::Reply, Some(&whole), now);
        assert_eq!(pace.gate(0, 1, now), Gate::Open);
    }

    #[test]
    fn limits_a_minute_hold() {
        let mut now = Instant::now();
        let start = now;
        let settings = PaceSettings {
            slots_max: 1000,
            requests_per_minute: Some(120),
            tokens_per_minute: Some(6000),
        };
        for (tokens, expected) in [(1, 120), (100, 60), (1000, 6)] {
            let mut pace = Pace::new(settings, now);
            let begin = now;
            let mut sent = 0;
            while now - begin < Duration::from_secs(60) {
                match pace.gate(0, tokens, now) {
                    Gate::Open => {
                        pace.sent(tokens, now);
                        sent += 1;
                    }
                    Gate::At(then) => now = then,
                    Gate::Full => panic!("nothing is in flight"),
                }
            }
            // And what may go out at once.
            assert!((expected..=expected + 7).contains(&sent), "{tokens}: {sent}");
        }
        assert!(now > start);
    }
}
