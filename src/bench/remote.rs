//! What of a benchmark is under way on a cluster.

use super::cluster::{Cluster, DrawTask, Job, JobDone, Look};
use super::make::Delivered;
use super::slot::{PlaceIdx, SlotIdx};
use crate::error::Error;
use std::collections::{HashMap, HashSet};
use std::time::Duration;

/// Jobs that were sent to a cluster and have not come back.
pub(super) struct Remote<'a> {
    cluster: &'a mut dyn Cluster,
    /// Whether a judge of this process measures the assets, which are then read here as well.
    pub is_measured: bool,
    making: HashMap<u64, SlotIdx>,
    drawing: HashSet<u64>,
    last_id: u64,
}

/// The results.
pub(super) enum Back {
    Made(Delivered),
    Drawn { job: u64, looks: Vec<Look>, pictures: Vec<Option<Vec<u8>>> },
}

impl<'a> Remote<'a> {
    pub(super) fn new(cluster: &'a mut dyn Cluster, is_measured: bool) -> Self {
        Self { cluster, is_measured, making: HashMap::new(), drawing: HashSet::new(), last_id: 0 }
    }

    /// Has an asset made.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn make(
        &mut self,
        slot: SlotIdx,
        method: usize,
        needs_gpu: bool,
    ) -> Result<(), Error> {
        let job = Job::Make { slot: slot.0, method, needs_gpu };
        let id = self.submit(&job)?;
        self.making.insert(id, slot);
        Ok(())
    }

    /// Has pictures drawn and composed; the job's number.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn draw(&mut self, place: PlaceIdx, tasks: Vec<DrawTask>) -> Result<u64, Error> {
        let place = place.0;
        let id = self.submit(&Job::Draw { place, tasks })?;
        self.drawing.insert(id);
        Ok(id)
    }

    /// Whether a machine may be without work.
    pub(super) fn has_room(&self) -> bool {
        self.drawing.len() < self.cluster.draw_jobs().max(1)
    }

    pub(super) fn is_drawing(&self) -> bool {
        !self.drawing.is_empty()
    }

    /// Whether nothing will come back.
    pub(super) fn is_idle(&self) -> bool {
        self.making.is_empty() && self.drawing.is_empty()
    }

    /// A job that has ended, if one does within that time.
    ///
    /// # Errors
    /// [`Error`].
    pub(super) fn next(&mut self, wait: Duration) -> Result<Option<Back>, Error> {
        let Some((job, done)) = self.cluster.next(wait).map_err(cluster_failed)? else {
            return Ok(None);
        };
        let is_drawing = self.drawing.remove(&job);
        Ok(match (done, self.making.remove(&job)) {
            (JobDone::Made { result, seconds }, Some(slot)) => Some(Back::Made(Delivered {
                slot,
                result,
                // What has a price is made here.
                is_unaffordable: false,
                seconds,
            })),
            (JobDone::Drawn { looks, pictures }, _) if is_drawing => {
                Some(Back::Drawn { job, looks, pictures })
            }
            _ => None,
        })
    }

    fn submit(&mut self, job: &Job) -> Result<u64, Error> {
        self.last_id += 1;
        self.cluster.submit(self.last_id, job).map_err(cluster_failed)?;
        Ok(self.last_id)
    }
}

pub(super) fn cluster_failed(reason: impl std::fmt::Display) -> Error {
    Error::bench(format!(
        "the cluster failed ({reason}); what was answered is kept, run it again to resume"
    ))
}
