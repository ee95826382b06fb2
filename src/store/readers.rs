//! The records of a run, read by several connections side by side and handed on in their order.

use super::read_records::{Walked, check_whole, walk};
use super::{Record, Store};
use crate::error::Error;
use std::path::Path;
use std::sync::mpsc::sync_channel;

/// The consumer of the records runs in parallel.
const READERS_MAX: usize = 2;

/// Requests that a connection reads in one go.
const REQUESTS_PER_BATCH: i64 = 512;

/// Batches of a connection that wait.
const BATCHES_WAITING_MAX: usize = 2;

/// A run that is written may change between two connections' first looks; they look again so often.
const LOOKS_MAX: usize = 8;

/// Calls `each` with every record of a run, in the order of recording, also while another process
/// works on it. Returns how many requests have no outcome yet.
///
/// # Errors
/// [`Error`], for example for a folder that is not a run.
pub fn each_record(folder: &Path, mut each: impl FnMut(Record)) -> Result<usize, Error> {
    let (stores, last) = at_one_moment(folder)?;
    if !is_dense(&stores[0], last)? {
        return stores[0].records(|record| {
            each(record);
            Ok(())
        });
    }
    let num_readers = stores.len();
    let num_batches = last.div_ceil(REQUESTS_PER_BATCH as u64) as usize;
    std::thread::scope(|scope| {
        let (mut readers, mut batches) = (Vec::new(), Vec::new());
        for (reader, store) in stores.into_iter().enumerate() {
            let (to, from) = sync_channel(BATCHES_WAITING_MAX);
            batches.push(from);
            readers.push(scope.spawn(move || {
                let mut walked = Walked::default();
                for batch in (reader..num_batches).step_by(num_readers) {
                    let first = batch as i64 * REQUESTS_PER_BATCH + 1;
                    let mut records = Vec::new();
                    let found = walk(&store, first, first + REQUESTS_PER_BATCH - 1, |record| {
                        records.push(record);
                        Ok::<(), Error>(())
                    })?;
                    walked = walked.and(found);
                    // Nobody listens where another reader failed.
                    if to.send(records).is_err() {
                        break;
                    }
                }
                Ok::<_, Error>((store, walked))
            }));
        }
        let is_read = (0..num_batches).all(|batch| {
            let records = batches[batch % num_readers].recv();
            records.is_ok_and(|records| {
                records.into_iter().for_each(&mut each);
                true
            })
        });
        drop(batches);
        let mut stores = Vec::new();
        let mut walked = Walked::default();
        for reader in readers {
            let joined = reader.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            let (store, found) = joined?;
            walked = walked.and(found);
            stores.push(store);
        }
        if is_read {
            check_whole(&stores[0], walked)?;
        }
        Ok(walked.without_outcome)
    })
}

/// Connections that see the run as it was at one moment, and the number of its last request.
fn at_one_moment(folder: &Path) -> Result<(Vec<Store>, u64), Error> {
    let mut stores = vec![Store::read(folder)?];
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    for _ in 1..cores.min(READERS_MAX) {
        stores.push(Store::read(folder)?);
    }
    let mut looks = 0;
    loop {
        let mut seen = Vec::new();
        for store in &stores {
            seen.push((store.begin()?, store.num_questions()?));
        }
        if seen.iter().all(|state| *state == seen[0]) {
            return Ok((stores, seen[0].1));
        }
        for store in &stores {
            store.connection.execute_batch("COMMIT").map_err(|e| store.failed(&e))?;
        }
        looks += 1;
        if looks == LOOKS_MAX {
            stores.truncate(1);
        }
    }
}

/// Whether request numbers have no large gaps, as this program's: each batch is looked up.
fn is_dense(store: &Store, last: u64) -> Result<bool, Error> {
    let count = store.number("SELECT count(*) FROM questions")?;
    Ok(last / 4 <= count.unsigned_abs())
}
