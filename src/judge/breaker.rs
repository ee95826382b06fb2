//! A server that is down, or turns every question away: after so many failures in a row nothing is
//! sent but single probes, and after so many of those it is given up.

use std::time::{Duration, Instant};

/// When a server counts as down, and for how long it is tried.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BreakerSettings {
    /// Failures in a row, of any questions.
    pub failures_max: u32,
    /// Before the first probe; each further pause is twice as long.
    pub pause: Duration,
    /// No pause is longer.
    pub pause_max: Duration,
    /// Probes without a reply, before the server is given up.
    pub probes_max: u32,
}

impl Default for BreakerSettings {
    /// 12 failures; probes after 5, 10, 20, 40 and 60 s: for a server's restart, not a night.
    fn default() -> Self {
        Self {
            failures_max: 12,
            pause: Duration::from_secs(5),
            pause_max: Duration::from_secs(60),
            probes_max: 5,
        }
    }
}

/// The state of one server.
#[derive(Debug, Clone)]
pub struct Breaker {
    settings: BreakerSettings,
    failures: u32,
    open: Option<Open>,
    has_answered: bool,
    same: Option<Same>,
}

/// The only error that a server has answered with.
#[derive(Debug, Clone)]
struct Same {
    said: String,
    since: Instant,
    count: u32,
}

/// A server that may recover is not given up before it has repeated itself for so long.
const SAME_TIME_MIN: Duration = Duration::from_secs(10);

/// Nor for fewer answers than this.
const SAME_MIN: u32 = 4;

/// What came of a request instead of a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Miss {
    /// The server is in trouble.
    Outage,
    /// The server rejected the request for a reason outside the question.
    TurnedAway,
}

#[derive(Debug, Clone, Copy)]
struct Open {
    until: Instant,
    pause: Duration,
    probes_failed: u32,
    is_probing: bool,
}

/// Whether a request may be sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Gate {
    Open,
    /// Closed until then.
    At(Instant),
    /// Not before one of those in flight has landed.
    Full,
}

impl Breaker {
    /// Nothing is known of the server yet.
    pub fn new(settings: BreakerSettings) -> Self {
        Self { settings, failures: 0, open: None, has_answered: false, same: None }
    }

    /// Whether a request may be sent at `now`.
    pub fn gate(&self, now: Instant) -> Gate {
        match self.open {
            None => Gate::Open,
            Some(open) if open.is_probing => Gate::Full,
            Some(open) if now < open.until => Gate::At(open.until),
            Some(_) => Gate::Open,
        }
    }

    /// A request was sent; returns whether it is a probe.
    pub fn sent(&mut self) -> bool {
        if let Some(open) = &mut self.open {
            open.is_probing = true;
        }
        self.open.is_some()
    }

    /// The server replied, if only to say no to this question.
    pub fn replied(&mut self) {
        self.failures = 0;
        self.open = None;
    }

    /// The server answered a question.
    pub fn answered(&mut self) {
        self.replied();
        self.has_answered = true;
    }

    /// The server answered with this error; returns whether to give it up, because it never gave
    /// another answer. Errors that are final count by questions, others by time.
    pub fn repeats(&mut self, said: String, is_final: bool, now: Instant) -> bool {
        if self.has_answered {
            return false;
        }
        let same = match self.same.take() {
            Some(same) if same.said == said => Same { count: same.count + 1, ..same },
            _ => Same { said, since: now, count: 1 },
        };
        let gives_up = if is_final {
            same.count >= self.settings.failures_max
        } else {
            same.count >= SAME_MIN && now - same.since >= SAME_TIME_MIN
        };
        self.same = Some(same);
        gives_up
    }

    /// No reply; returns whether to give up the server.
    pub fn failed(&mut self, miss: Miss, was_probe: bool, now: Instant) -> bool {
        self.failures = self.failures.saturating_add(1);
        match &mut self.open {
            Some(open) if was_probe => {
                open.probes_failed += 1;
                open.is_probing = false;
                open.pause = open.pause.saturating_mul(2).min(self.settings.pause_max);
                open.until = now + open.pause;
                open.probes_failed >= self.settings.probes_max
            }
            // One that was sent before the server was known to be down.
            Some(_) => false,
            None => {
                if self.failures >= self.settings.failures_max {
                    if miss == Miss::TurnedAway && !self.has_answered {
                        // A wrong model or address, and nothing that will pass.
                        return true;
                    }
                    self.open = Some(Open {
                        until: now + self.settings.pause,
                        pause: self.settings.pause,
                        probes_failed: 0,
                        is_probing: false,
                    });
                }
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dead_server_is_probed_and_then_given_up() {
        let settings =
            BreakerSettings { failures_max: 3, probes_max: 2, ..BreakerSettings::default() };
        let mut now = Instant::now();
        let mut breaker = Breaker::new(settings);
        for _ in 0..3 {
            assert_eq!(breaker.gate(now), Gate::Open);
            assert!(!breaker.sent());
            assert!(!breaker.failed(Miss::Outage, false, now));
        }
        let Gate::At(then) = breaker.gate(now) else { panic!("still open") };
        assert_eq!(then - now, settings.pause);
        assert!(!breaker.failed(Miss::Outage, false, now), "a straggler is no probe");
        now = then;
        assert!(breaker.sent());
        assert_eq!(breaker.gate(now), Gate::Full, "one probe at a time");
        assert!(!breaker.failed(Miss::Outage, true, now));
        let Gate::At(then) = breaker.gate(now) else { panic!("still open") };
        assert_eq!(then - now, 2 * settings.pause);
        assert!(breaker.sent());
        assert!(breaker.failed(Miss::Outage, true, then));
    }

    #[test]
    fn a_server_that_turns_all_away_is_given_up_unless_it_answered_before() {
        let settings = BreakerSettings { failures_max: 3, ..BreakerSettings::default() };
        let now = Instant::now();
        let mut breaker = Breaker::new(settings);
        let given_up = [(); 3].map(|()| breaker.failed(Miss::TurnedAway, false, now));
        assert_eq!(given_up, [false, false, true]);
        let mut breaker = Breaker::new(settings);
        breaker.answered();
        let given_up = [(); 3].map(|()| breaker.failed(Miss::TurnedAway, false, now));
        assert_eq!(given_up, [false; 3]);
        assert_ne!(breaker.gate(now), Gate::Open, "it rests");
    }

    #[test]
    fn a_server_that_only_repeats_itself_is_given_up() {
        let now = Instant::now();
        let later = now + SAME_TIME_MIN;
        let mut breaker = Breaker::new(BreakerSettings::default());
        let given_up = [(); 12].map(|()| breaker.repeats("no".to_owned(), true, now));
        assert_eq!(given_up.iter().position(|up| *up), Some(11), "by questions");
        let mut breaker = Breaker::new(BreakerSettings::default());
        for _ in 0..20 {
            assert!(!breaker.repeats("oops".to_owned(), false, now), "by time");
        }
        assert!(breaker.repeats("oops".to_owned(), false, later));
        assert!(!breaker.repeats("another".to_owned(), false, later));
        breaker.answered();
        assert!(!breaker.repeats("another".to_owned(), true, later + SAME_TIME_MIN));
    }

    #[test]
    fn any_reply_closes_it() {
        let settings = BreakerSettings { failures_max: 1, ..BreakerSettings::default() };
        let now = Instant::now();
        let mut breaker = Breaker::new(settings);
        breaker.failed(Miss::Outage, false, now);
        assert_ne!(breaker.gate(now), Gate::Open);
        breaker.replied();
        assert_eq!(breaker.gate(now), Gate::Open);
        assert!(!breaker.sent());
    }
}
