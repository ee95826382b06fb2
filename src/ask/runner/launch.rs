//! The next requests: units queue, and requests start as lanes, rate limits and budget allow.

use super::archive::Archive;
use super::lane::{Flight, Lane};
use super::settle::can_be_restated;
use super::state::{Batches, Landed, Runner, Way};
use crate::ask::progress::{Failed, Progress, Stop, Summary};
use crate::ask::settings::AskSettings;
use crate::ask::work::{Unit, Work};
use crate::error::Error;
use crate::judge::{Budget, Gate, Judge, Limit, Restate};
use crate::rubric::Outcome;
use crate::store::{Attempt, Request, Store, Unread};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant, SystemTime};
use tokio::task::JoinSet;

impl<'a> Runner<'a> {
    pub(super) fn new(
        judges: &'a [Judge],
        settings: &'a AskSettings,
        store: &'a mut Store,
    ) -> Result<Self, Error> {
        let spent = store.spent()?;
        let now = Instant::now();
        let mut runner = Self {
            judges,
            settings,
            archive: Archive::open(settings, judges)?,
            store,
            asking: JoinSet::new(),
            pausing: JoinSet::new(),
            lanes: judges
                .iter()
                .map(|judge| Lane::new(settings, judge.concurrency_max(), now))
                .collect(),
            batches: Batches::default(),
            boarded: Vec::new(),
            waiting: Vec::new(),
            turn: 0,
            budget: Budget::new(
                judges.len(),
                settings.requests_max,
                settings.cost_usd_max,
                spent.requests,
                spent.usd,
            )
            .sharing(Arc::clone(&settings.purse)),
            summary: Summary { ended: settings.refused.clone(), ..Summary::default() },
            followers: HashMap::new(),
            total: settings.total,
            start: now,
            spent_before_usd: spent.usd,
        };
        for (place, judge) in judges.iter().enumerate().filter(|(_, judge)| !judge.is_free()) {
            let times = runner.store.excess(&judge.name(), judge.base_url())?;
            runner.budget.raise(place, times);
            let settings = judge.settings();
            if let Some(endpoint) = judge.endpoint()
                && runner.store.was_asked_for_text(&judge.name(), judge.base_url(), &settings)?
            {
                endpoint.refuse_schema();
            }
        }
        runner.take_up_batches()?;
        Ok(runner)
    }

    /// Whether anything is under way or waits to be.
    pub(super) fn is_busy(&self) -> bool {
        !self.asking.is_empty()
            || !self.pausing.is_empty()
            || self.batches.is_busy()
            || self.lanes.iter().any(|lane| !lane.is_empty())
    }

    /// Whether more questions are wanted: some judge has few. What the others have too many of is
    /// parked, so no judge waits for another. Only the meshes that a measuring judge looks at
    /// cannot be parked, nor anything of a run in memory.
    pub(super) fn has_room(&self) -> bool {
        let few = self.settings.concurrency.max(1);
        let lanes = || self.judges.iter().zip(&self.lanes);
        let has_ended =
            |(judge, _): &(&Judge, &Lane)| self.summary.ended.contains_key(&judge.name());
        let is_full = |(judge, lane): (&Judge, &Lane)| {
            lane.ready.len() >= 4 * few + 16 && !self.can_park(judge)
        };
        let mut asked = lanes().filter(|lane| !has_ended(lane)).peekable();
        // What nobody is asked any more is taken in to be named.
        let wants = asked.peek().is_none() || asked.any(|(_, lane)| lane.is_hungry());
        wants && !lanes().any(is_full)
    }

    fn can_park(&self, judge: &Judge) -> bool {
        !judge.is_free() && self.store.keeps_messages()
    }

    /// Brings parked questions back to lanes that have room for them.
    fn unpark(&mut self) -> Result<(), Error> {
        for judge in 0..self.lanes.len() {
            if self.summary.ended.contains_key(&self.judges[judge].name()) {
                self.drop_parked(judge);
            }
            // Units that started together are brought back together.
            let mut together = 0_usize;
            while (self.lanes[judge].ready.len() < self.settings.concurrency.max(1) || together > 1)
                && let Some(parked) = self.lanes[judge].parked.pop_front()
            {
                together = parked.together.max(together.saturating_sub(1));
                let id = parked.id.to_hex();
                let request = self.store.request(id.as_str(), &parked.rubric)?;
                if let Some(flight) = self.begun(request, judge, parked.what)? {
                    let flight = Flight { together: parked.together, ..flight };
                    self.lanes[judge].ready.push_back(flight);
                }
            }
        }
        Ok(())
    }

    /// Ends everything that is parked for a judge that is given up.
    fn drop_parked(&mut self, judge: usize) {
        let name = self.judges[judge].name();
        let reason = self.reason_not_asked(&name);
        for parked in std::mem::take(&mut self.lanes[judge].parked) {
            self.summary.fail(Failed {
                id: parked.id.to_hex().to_string(),
                what: parked.what.to_string(),
                judge: name.clone(),
                outcome: "not_asked",
                reason: reason.clone(),
            });
            let waiting = self.followers.remove(parked.content.to_hex().as_str());
            for flight in waiting.into_iter().flatten() {
                self.fail(&flight, "not_asked", reason.clone());
            }
        }
    }

    fn reason_not_asked(&self, judge: &str) -> String {
        let reason = self.summary.ended.get(judge).map_or("", String::as_str);
        format!("not asked, because {judge} stopped: {reason}")
    }

    /// Boards requests while there is room for them and records that they are under way; returns
    /// when to try again, where a rate limit decides. `is_last`: no more questions will come.
    pub(super) fn launch(&mut self, is_last: bool) -> Result<Option<Instant>, Error> {
        let mut wake: Option<Instant> = None;
        let mut waiting = vec![false; self.lanes.len()];
        self.waiting.clear();
        self.unpark()?;
        while let Some(judge) = self.next_lane(&waiting) {
            let now = Instant::now();
            let flight = self.lanes[judge].ready.front().expect("it is not empty");
            if self.summary.ended.contains_key(&flight.request.judge) {
                let reason = self.reason_not_asked(&flight.request.judge);
                self.drop_front(judge, "not_asked", &reason);
                // Another judge may be waiting for what was reserved for it.
                waiting.fill(false);
                continue;
            }
            let gathers = self.gathers(judge) && !self.is_alone(judge);
            let tokens = self.judges[judge].input_tokens_max(&flight.request.question);
            let gate = if gathers {
                Gate::Open
            } else {
                self.lanes[judge].gate(&self.judges[judge], tokens, now)
            };
            match gate {
                Gate::Open => {}
                Gate::Full => {
                    waiting[judge] = true;
                    continue;
                }
                Gate::At(then) => {
                    self.tell_wait(judge, then, now);
                    wake = Some(wake.map_or(then, |wake| wake.min(then)));
                    waiting[judge] = true;
                    continue;
                }
            }
            if !self.hold(judge)? {
                waiting[judge] = true;
                continue;
            }
            // The budget may have stopped the front.
            if self.lanes[judge].ready.front().is_some_and(|flight| flight.held_usd.is_some()) {
                if gathers {
                    self.gather(judge)?;
                } else {
                    self.board(judge, tokens, now)?;
                }
            }
        }
        self.record_boarded()?;
        self.seal_idle(is_last, &waiting)?;
        Ok(wake)
    }

    fn tell_wait(&mut self, judge: usize, until: Instant, now: Instant) {
        /// Shorter ones are the usual pace.
        const TOLD_MIN: Duration = Duration::from_secs(10);
        let left = until.saturating_duration_since(now);
        if left >= TOLD_MIN {
            let reason = match self.lanes[judge].breaker.gate(now) {
                Gate::At(_) => "because its server fails",
                Gate::Open | Gate::Full => "as its server asks",
            };
            let name = self.judges[judge].name();
            let told = format!("{name} waits {} s, {reason}", left.as_secs());
            self.waiting.push(told);
        }
    }

    /// Whether that judge is asked in batches.
    pub(super) fn gathers(&self, judge: usize) -> bool {
        self.judges[judge].endpoint().is_some_and(|endpoint| endpoint.in_batches())
    }

    /// Whether the flight at the front is one of a few restatements, which need no batch.
    fn is_alone(&self, judge: usize) -> bool {
        /// A batch takes minutes at least.
        const BATCH_MIN: usize = 20;
        let is_restating = |flight: &&Flight| flight.restate.is_some();
        let ready = self.lanes[judge].ready.iter();
        let gathered = self.batches.bundles.get(&judge).into_iter().flat_map(|it| &it.flights);
        self.lanes[judge].ready.front().as_ref().is_some_and(is_restating)
            && ready.chain(gathered).filter(is_restating).count() < BATCH_MIN
    }

    /// The next lane, in turn, that has something ready and need not wait.
    fn next_lane(&mut self, waiting: &[bool]) -> Option<usize> {
        let len = self.lanes.len();
        let found = (0..len)
            .map(|i| (self.turn + i) % len)
            .find(|&judge| !waiting[judge] && !self.lanes[judge].ready.is_empty())?;
        self.turn = found + 1;
        Some(found)
    }

    /// Reserves the maximum cost of the front of a lane and of the units that start with it.
    /// `false` if it must wait for others to end; where that cannot help, it is stopped.
    fn hold(&mut self, judge: usize) -> Result<bool, Error> {
        let lane = &self.lanes[judge];
        let front = &lane.ready[0];
        let judged = &self.judges[judge];
        if let Some(held_usd) = front.held_usd {
            return match self.budget.overrun().filter(|_| !judged.is_free()) {
                None => Ok(true),
                Some(_) if self.lanes.iter().any(|lane| lane.in_flight > 0) => Ok(false),
                // Others cost more than was reserved for them, so this one is not covered any more.
                Some(limit) => {
                    if let Some(flight) = self.lanes[judge].ready.pop_front() {
                        self.budget.release(judge, held_usd);
                        self.budget.no_follow_up(judge, flight.follow_usd);
                        self.stop_for_budget(&flight, limit)?;
                    }
                    Ok(true)
                }
            };
        }
        let together = front.together.min(lane.ready.len());
        if judged.is_free() {
            self.lanes[judge].ready[0].held_usd = Some(0.0);
            return Ok(true);
        }
        // Of the next request, and of the restatement that may follow.
        let costs: Vec<(f64, f64)> = lane
            .ready
            .iter()
            .take(together)
            .map(|flight| {
                let question = &flight.request.question;
                let follow_usd = judged.restatement_usd_max(question).unwrap_or(0.0);
                let usd = || judged.cost_usd_max(question).unwrap_or(0.0);
                match &flight.restate {
                    Some(_) => (follow_usd, 0.0),
                    None => (flight.bare_usd.unwrap_or_else(usd), follow_usd),
                }
            })
            .collect();
        let sum = costs.iter().map(|(usd, follow_usd)| usd + follow_usd).sum();
        match (self.budget).reserve(judge, together as u64, sum) {
            Ok(()) => {
                for (flight, (usd, follow_usd)) in self.lanes[judge].ready.iter_mut().zip(costs) {
                    (flight.held_usd, flight.follow_usd) = (Some(usd), follow_usd);
                    flight.together = 1;
                }
                Ok(true)
            }
            Err(limit) => {
                // Only reservations can be freed.
                let waits = self.batches.is_busy();
                if self.lanes.iter().any(|lane| lane.holds_money(waits)) {
                    return Ok(false);
                }
                for _ in 0..together {
                    if let Some(flight) = self.lanes[judge].ready.pop_front() {
                        self.stop_for_budget(&flight, limit)?;
                    }
                }
                Ok(true)
            }
        }
    }

    /// Moves the front of a lane to the requests that are sent next.
    fn board(&mut self, judge: usize, tokens: u64, now: Instant) -> Result<(), Error> {
        if let Some(flight) = self.lanes[judge].ready.pop_front() {
            let flight = self.whole(flight)?;
            let is_free = self.judges[judge].is_free();
            self.lanes[judge].in_flight += 1;
            let ticket = (!is_free).then(|| self.lanes[judge].sent(tokens, now));
            self.boarded.push((flight, ticket));
        }
        Ok(())
    }

    fn record_boarded(&mut self) -> Result<(), Error> {
        let under_way: Vec<(&str, Option<f64>)> = self
            .boarded
            .iter()
            .filter(|(_, ticket)| ticket.is_some())
            .map(|(flight, _)| {
                let endpoint = self.judges[flight.judge].endpoint();
                let is_priced = endpoint.is_some_and(|endpoint| endpoint.facts().price.is_some());
                let usd = flight.held_usd.filter(|_| is_priced);
                let usd = usd.map(|usd| usd * self.budget.excess(flight.judge));
                (flight.request.id.as_str(), usd)
            })
            .collect();
        if !under_way.is_empty() {
            self.store.keep_sending(&under_way)?;
        }
        self.summary.requests += under_way.len() as u64;
        Ok(())
    }

    /// Makes the requests that were boarded; their records are on the disk by now.
    pub(super) fn send(&mut self) {
        for (flight, ticket) in std::mem::take(&mut self.boarded) {
            let judged = self.judges[flight.judge].clone();
            self.asking.spawn(async move {
                let asked_at = SystemTime::now();
                let response = judged
                    .ask(&flight.request.question, flight.restate.as_ref(), flight.as_text)
                    .await;
                Landed { flight, way: Way::Request(ticket), asked_at, response }
            });
        }
    }

    /// Puts a flight back after its pause.
    pub(super) fn resume(&mut self, flight: Flight) {
        self.lanes[flight.judge].again(flight);
    }

    /// Puts a flight back after `pause`.
    pub(super) fn pause(&mut self, flight: Flight, pause: Duration) {
        self.lanes[flight.judge].pausing += 1;
        self.pausing.spawn(async move {
            tokio::time::sleep(pause).await;
            flight
        });
    }

    pub(super) fn take(&mut self, work: Work) -> Result<(), Error> {
        match work {
            Work::Ask(unit) => self.accept(&unit)?,
            Work::Answered(ids) => {
                self.summary.answered_before += ids.len() as u64;
                for id in ids {
                    self.summary.came(id);
                }
            }
            Work::Made(made) => self.store.keep_made(&made)?,
            Work::Pairs(pairs) => self.store.keep_pairs(&pairs)?,
            Work::Fewer(count) => {
                self.total = self.total.map(|total| total.saturating_sub(count));
            }
            Work::Unaffordable => {
                self.summary.stop.get_or_insert(Stop::Budget);
            }
        }
        Ok(())
    }

    /// Queues the unanswered part of a unit, for every judge and sample.
    fn accept(&mut self, unit: &Unit) -> Result<(), Error> {
        let what: Arc<str> = unit.what.as_str().into();
        let samples = if unit.is_once { 1 } else { self.settings.samples };
        for sample in 0..samples {
            for (judge_idx, judge) in self.judges.iter().enumerate() {
                if (unit.judges.as_ref()).is_some_and(|judges| !judges.contains(&judge_idx)) {
                    continue;
                }
                let mut open = Vec::new();
                for question in &unit.questions {
                    let request = Request::new(question, judge, sample);
                    self.summary.came(request.id.clone());
                    if self.store.is_answered(&request)? {
                        self.summary.answered_before += 1;
                        continue;
                    }
                    self.store.keep_request(&request)?;
                    if let Some(flight) = self.begun(request, judge_idx, Arc::clone(&what))? {
                        open.extend(self.await_batch(flight)?);
                    }
                }
                self.queue(judge_idx, open)?;
            }
        }
        Ok(())
    }

    /// A flight that goes on where an earlier command ended: with the restatement of a reply that
    /// could not be read. None where that was of no use.
    fn begun(
        &mut self,
        request: Request,
        judge: usize,
        what: Arc<str>,
    ) -> Result<Option<Flight>, Error> {
        let mut flight = Flight::new(request, judge, what);
        if self.judges[judge].is_free() {
            return Ok(Some(flight));
        }
        if let Some(Unread { reply, asked_at, restated }) = self.store.unread(&flight.request.id)?
            && can_be_restated(&flight, &reply)
        {
            if let Some(reason) = restated {
                self.fail(&flight, "invalid", reason);
                return Ok(None);
            }
            flight.restate = Some(Restate { raw: reply.text.into(), asked_at });
        }
        Ok(Some(flight))
    }

    /// Answers flights from recorded replies, keeps those waiting whose request is in flight, and
    /// queues the rest as one.
    fn queue(&mut self, judge: usize, flights: Vec<Flight>) -> Result<(), Error> {
        let mut open = Vec::new();
        for flight in flights {
            // It gives the same reply again, in a moment.
            if self.judges[judge].is_deterministic() {
                open.push(flight);
                continue;
            }
            if let Some(recorded) = self.archive.find(self.store, &flight.request)?
                && self.reuse(&flight, recorded)?
            {
                continue;
            }
            if self.settings.is_replay {
                let reason = "no reply is recorded for it, and nothing is sent in a replay";
                self.fail(&flight, "not_recorded", reason.to_owned());
                continue;
            }
            // Counted over all commands, so that no schedule of commands submits it without end.
            if self.gathers(judge) && flight.failures >= self.settings.backoff.batches_max {
                let reason = format!(
                    "{} batches with it ended without an answer, so it is put into no other; ask it outside batches",
                    flight.failures
                );
                self.fail(&flight, "provider_error", reason);
                continue;
            }
            match self.followers.get_mut(&flight.request.content_hash) {
                Some(followers) => followers.push(flight),
                // An earlier command put the same request into a batch.
                None if self.store.is_in_batch(&flight.request.content_hash)? => {
                    let request = flight.request.content_hash.clone();
                    self.followers.insert(request, vec![flight]);
                }
                None => {
                    self.followers.insert(flight.request.content_hash.clone(), Vec::new());
                    open.push(flight);
                }
            }
        }
        let together = open.len();
        if let Some(first) = open.first_mut() {
            first.together = together;
        }
        let parks = self.lanes[judge].is_stocked() && self.can_park(&self.judges[judge]);
        let lane = &mut self.lanes[judge];
        for flight in open {
            match parks.then(|| flight.parked()).flatten() {
                Some(parked) => lane.parked.push_back(parked),
                None => lane.ready.push_back(flight),
            }
        }
        Ok(())
    }

    /// Flights waiting for the same request as an ended one are answered or take their turn.
    pub(super) fn end(&mut self, flight: &Flight) -> Result<(), Error> {
        let Some(waiting) = self.followers.remove(&flight.request.content_hash) else {
            return Ok(());
        };
        for flight in waiting {
            self.queue(flight.judge, vec![flight])?;
        }
        Ok(())
    }

    /// Ends the flight at the front of a lane without asking.
    fn drop_front(&mut self, judge: usize, outcome: &'static str, reason: &str) {
        if let Some(flight) = self.lanes[judge].ready.pop_front() {
            if let Some(usd) = flight.held_usd
                && !self.judges[judge].is_free()
            {
                self.budget.release(judge, usd);
                self.budget.no_follow_up(judge, flight.follow_usd);
            }
            let waiting = self.followers.remove(&flight.request.content_hash);
            for flight in std::iter::once(flight).chain(waiting.into_iter().flatten()) {
                self.fail(&flight, outcome, reason.to_owned());
            }
        }
    }

    pub(super) fn stop_for_budget(&mut self, flight: &Flight, limit: Limit) -> Result<(), Error> {
        let reason = limit.to_string();
        let outcome = Outcome::BudgetStopped { reason: reason.clone() };
        let name = outcome.name();
        let attempt = Attempt::without_sending(outcome);
        self.store.keep_attempt(&flight.request, &attempt)?;
        self.summary.stop.get_or_insert(Stop::Budget);
        self.fail(flight, name, reason);
        self.end(flight)
    }

    /// Nothing new is asked or tried again; requests in flight can finish.
    pub(super) fn interrupt(&mut self) {
        self.summary.stop = Some(Stop::Interrupted);
        for lane in &mut self.lanes {
            lane.ready.clear();
            lane.parked.clear();
            lane.pausing = 0;
        }
        self.pausing.abort_all();
        self.pausing = JoinSet::new();
        self.followers.clear();
        self.leave_batches();
    }

    pub(super) fn fail(&mut self, flight: &Flight, outcome: &'static str, reason: String) {
        self.summary.fail(Failed {
            id: flight.request.id.clone(),
            what: flight.what.to_string(),
            judge: flight.request.judge.clone(),
            outcome,
            reason,
        });
    }

    pub(super) fn progress(&self) -> Progress {
        let failed = self.summary.failed_count();
        let done = self.summary.answered_before + self.summary.verdicts + failed;
        let minutes = self.start.elapsed().as_secs_f64() / 60.0;
        let verdicts_per_minute =
            if minutes > 0.0 { self.summary.verdicts as f64 / minutes } else { 0.0 };
        let left = self.total.map(|total| total.saturating_sub(done) as f64);
        let spent_usd = self.budget.spent_usd();
        let ended = (self.summary.verdicts + failed) as f64;
        let each_usd = (spent_usd - self.spent_before_usd) / ended.max(1.0);
        Progress {
            total: self.total,
            done,
            in_flight: (self.asking.len() + self.pausing.len()) as u64,
            in_batches: self.batches.num_waiting(),
            failed,
            verdicts_per_minute,
            time_left: left
                .filter(|_| verdicts_per_minute > 0.0)
                .map(|left| Duration::from_secs_f64(left / verdicts_per_minute * 60.0)),
            spent_usd: spent_usd + self.budget.others_usd(),
            waiting: self.waiting.clone(),
            projected_usd: left
                .filter(|_| ended > 0.0)
                .map(|left| spent_usd + self.budget.others_usd() + left * each_usd),
        }
    }

    pub(super) fn into_summary(mut self) -> Summary {
        self.summary.spent_usd = self.budget.spent_usd() - self.spent_before_usd;
        let following: usize = self.followers.values().map(Vec::len).sum();
        self.summary.in_batches = self.batches.num_waiting() + following as u64;
        if self.summary.in_batches > 0 {
            self.summary.stop.get_or_insert(Stop::InBatches);
        }
        self.summary
    }
}
