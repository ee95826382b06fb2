//! The state of the loop: lanes, requests in flight, batches, budget.

use super::archive::Archive;
use super::lane::{Flight, Lane, Ticket};
use crate::ask::progress::Summary;
use crate::ask::settings::AskSettings;
use crate::judge::{BatchEnd, BatchReply, BatchState, Budget, Failure, Found, Judge, Response};
use crate::store::{NewBatch, OpenBatch, Store};
use std::collections::{BTreeMap, HashMap};
use std::time::{Instant, SystemTime};
use tokio::task::JoinSet;

/// A request that has ended.
pub(super) struct Landed {
    pub flight: Flight,
    pub way: Way,
    pub asked_at: SystemTime,
    pub response: Response,
}

/// How a request went out.
pub(super) enum Way {
    /// On its own; without a ticket to a judge that has no server.
    Request(Option<Ticket>),
    Batch,
}

pub(super) struct Runner<'a> {
    pub judges: &'a [Judge],
    pub settings: &'a AskSettings,
    pub store: &'a mut Store,
    pub asking: JoinSet<Landed>,
    pub pausing: JoinSet<Flight>,
    pub lanes: Vec<Lane>,
    pub batches: Batches,
    /// Sent next, all at once.
    pub boarded: Vec<(Flight, Option<Ticket>)>,
    /// Who begins the next round of launches.
    pub turn: usize,
    /// Judges that wait for longer than a moment, each with the reason.
    pub waiting: Vec<String>,
    pub budget: Budget,
    pub summary: Summary,
    pub archive: Archive,
    /// Flights that wait for the reply to the same request of another one.
    pub followers: HashMap<String, Vec<Flight>>,
    pub total: Option<u64>,
    pub start: Instant,
    pub spent_before_usd: f64,
}

/// Batches that are being filled, and batches at the provider.
#[derive(Default)]
pub(super) struct Batches {
    /// Being filled, by judge.
    pub bundles: BTreeMap<usize, Bundle>,
    pub under_way: BTreeMap<i64, UnderWay>,
    /// Flights that wait for a batch, by request id.
    pub flights: HashMap<String, Flight>,
    pub stepping: JoinSet<(i64, Stepped)>,
}

pub(super) struct Bundle {
    pub file: NewBatch,
    pub flights: Vec<Flight>,
}

/// A batch that has not ended. Its row in the store and this are changed together.
pub(super) struct UnderWay {
    pub batch: OpenBatch,
    pub judge: usize,
    pub step: Step,
    /// This step's failures in a row; submitting and looking for what was submitted count as one.
    pub tries: u32,
    /// How often in a row the provider did not have it.
    pub looks: u32,
    /// How often the account had no room for it although no other batch of ours took any.
    pub turned_away: u32,
}

/// The next step of a batch.
#[derive(Debug, Clone)]
pub(super) enum Step {
    /// Look for it at the provider, which may have accepted it although no confirmation arrived.
    Find,
    /// Submit it: the provider does not have it.
    Submit,
    Poll,
    /// Read its results: it has ended.
    Collect(BatchEnd),
}

/// The result of a step.
pub(super) enum Stepped {
    Found(Result<Found, Failure>),
    Submitted(Result<String, Failure>),
    Polled(Result<BatchState, Failure>),
    Collected(Vec<(String, BatchReply)>, Option<Failure>),
}
