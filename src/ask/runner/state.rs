//! What the loop holds: lanes of flights, what is in the air, what may be spent.

use super::archive::Archive;
use super::lane::{Flight, Lane, Ticket};
use crate::ask::progress::Summary;
use crate::ask::settings::AskSettings;
use crate::judge::{BatchEnd, BatchReply, BatchState, Budget, Failure, Judge, Response};
use crate::store::{NewBatch, OpenBatch, Store};
use std::collections::{BTreeMap, HashMap};
use std::time::{Instant, SystemTime};
use tokio::task::JoinSet;

/// A request that has ended.
pub(super) struct Landed {
    pub flight: Flight,
    pub ticket: Option<Ticket>,
    pub asked_at: SystemTime,
    pub response: Response,
}

/// Everything the loop holds.
pub(super) struct Runner<'a> {
    pub judges: &'a [Judge],
    pub settings: &'a AskSettings,
    pub store: &'a mut Store,
    pub asking: JoinSet<Landed>,
    pub pausing: JoinSet<Flight>,
    pub lanes: Vec<Lane>,
    pub batches: Batches,
    /// What is sent next, all at once.
    pub boarded: Vec<(Flight, Option<Ticket>)>,
    /// Who begins the next round of launches.
    pub turn: usize,
    pub budget: Budget,
    pub summary: Summary,
    pub archive: Archive,
    /// Flights that wait for the reply to the same request of another one.
    pub followers: HashMap<String, Vec<Flight>>,
    pub total: Option<u64>,
    pub start: Instant,
    pub spent_before_usd: f64,
}

/// What is gathered and what is under way.
#[derive(Default)]
pub(super) struct Batches {
    /// Being filled, by judge.
    pub bundles: BTreeMap<usize, Bundle>,
    pub under_way: BTreeMap<i64, UnderWay>,
    /// Who waits for a batch, by id.
    pub flights: HashMap<String, Flight>,
    pub stepping: JoinSet<(i64, Stepped)>,
}

pub(super) struct Bundle {
    pub file: NewBatch,
    pub flights: Vec<Flight>,
}

pub(super) struct UnderWay {
    pub batch: OpenBatch,
    pub judge: usize,
    pub failures: u32,
    /// How often the account had no room for it, while no other batch of ours took it.
    pub turned_away: u32,
    /// Whether it may have been taken although nobody said so.
    pub may_be_taken: bool,
}

/// What is done next with a batch.
pub(super) enum Step {
    /// Hand it in, unless it is found to have been.
    Submit {
        lines: Vec<u8>,
        looks_first: bool,
    },
    Poll,
    Collect(BatchEnd),
}

/// What a step brought.
pub(super) enum Stepped {
    Submitted(Result<String, Failure>),
    Polled(Result<BatchState, Failure>),
    Collected(Result<Vec<(String, BatchReply)>, Failure>),
}
