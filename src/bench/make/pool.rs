//! Threads that make assets while others are drawn and judged.

use super::guard::Guard;
use super::job::AssetSpec;
use super::maker::{Maker, Method};
use super::paid;
use super::recipe::RECIPE_FILE;
use super::server::Kept;
use super::till::Till;
use crate::bench::prompt::Prompt;
use crate::bench::slot::SlotIdx;
use crate::judge::Purse;
use crate::save::NewFolder;
use std::collections::{BTreeMap, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// One asset to be made.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub slot: SlotIdx,
    pub method: Method,
    pub prompt: Prompt,
    pub seed: u32,
    /// Its recipe, which is stored next to it.
    pub recipe: Option<String>,
}

/// A job that has ended.
#[derive(Debug)]
pub(crate) struct Delivered {
    pub slot: SlotIdx,
    /// Why there is no asset, as the run stores it.
    pub result: Result<(), String>,
    /// Whether it was not made because the budget is spent, which is no failure of its.
    pub is_unaffordable: bool,
    /// How long all tries took.
    pub seconds: f64,
}

/// Running jobs; dropping it ends their commands.
#[derive(Debug)]
pub(crate) struct Pool {
    stop: Arc<AtomicBool>,
    threads: Vec<JoinHandle<()>>,
    delivered: mpsc::Receiver<Delivered>,
    /// Goes last, when all threads have ended: what still runs then was left in the background.
    _guard: Arc<Guard>,
}

impl Pool {
    /// Starts `workers` threads for jobs without a graphics card, one for each of `gpus`, and as
    /// many for each service as it takes jobs at a time. All jobs end when `stop` is set.
    pub(crate) fn start(
        jobs: Vec<Job>,
        run: &Path,
        workers: usize,
        gpus: &[String],
        till: Arc<Till>,
        stop: Arc<AtomicBool>,
    ) -> Self {
        let (to, delivered) = mpsc::channel();
        let guard = Arc::new(if jobs.is_empty() { Guard::default() } else { Guard::start() });
        let (on_gpu, elsewhere): (VecDeque<Job>, VecDeque<Job>) =
            jobs.into_iter().partition(|job| job.method.maker.needs_gpu());
        let (services, elsewhere): (VecDeque<Job>, VecDeque<Job>) =
            elsewhere.into_iter().partition(|job| job.method.maker.in_flight().is_some());
        let mut threads = Vec::new();
        let mut lanes = vec![
            (on_gpu, gpus.iter().cloned().map(Some).collect::<Vec<_>>()),
            (elsewhere, vec![None; workers]),
        ];
        let mut by_service: BTreeMap<String, VecDeque<Job>> = BTreeMap::new();
        for job in services {
            by_service.entry(job.method.name.clone()).or_default().push_back(job);
        }
        for jobs in by_service.into_values() {
            let in_flight = jobs.front().and_then(|job| job.method.maker.in_flight());
            lanes.push((jobs, vec![None; in_flight.unwrap_or(1)]));
        }
        for (jobs, hands) in lanes {
            let count = hands.len().min(jobs.len());
            let jobs = Arc::new(Mutex::new(jobs));
            for gpu in hands.into_iter().take(count) {
                let (jobs, stop, to) = (Arc::clone(&jobs), Arc::clone(&stop), to.clone());
                let (run, guard) = (run.to_owned(), Arc::clone(&guard));
                let till = Arc::clone(&till);
                threads.push(std::thread::spawn(move || {
                    let shop = Shop {
                        stop: &stop,
                        run: &run,
                        gpu: gpu.as_deref(),
                        guard: &guard,
                        till: &till,
                    };
                    work(&jobs, &to, &shop);
                }));
            }
        }
        Self { stop, threads, delivered, _guard: guard }
    }

    /// The next job that ends, if one does within that time.
    pub(crate) fn next_within(&self, time: Duration) -> Option<Delivered> {
        match self.delivered.recv_timeout(time) {
            Ok(delivered) => Some(delivered),
            Err(mpsc::RecvTimeoutError::Timeout) => None,
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                // All threads have ended; another call must not spin.
                std::thread::sleep(time);
                None
            }
        }
    }

    /// Whether all threads have ended although nothing stopped them.
    pub(crate) fn is_over(&self) -> bool {
        !self.stop.load(Ordering::Relaxed) && self.threads.iter().all(JoinHandle::is_finished)
    }

    /// A job that has ended already.
    pub(crate) fn try_next(&self) -> Option<Delivered> {
        self.delivered.try_recv().ok()
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        self.stop.store(true, Ordering::Relaxed);
        for thread in self.threads.drain(..) {
            // A thread that panicked has said so already.
            let _ = thread.join();
        }
    }
}

/// Makes assets of programs one after the other, without a pool.
#[derive(Debug)]
pub(crate) struct Worker {
    kept: Kept,
    stop: AtomicBool,
    /// Programs without services book nothing.
    till: Till,
    /// Goes last: what still runs then was left in the background.
    guard: Guard,
}

impl Worker {
    pub(crate) fn start(run: &Path) -> Self {
        Self {
            kept: Kept::default(),
            stop: AtomicBool::new(false),
            till: Till::new(run, Arc::new(Purse::new(None, 0.0, 0.0))),
            guard: Guard::start(),
        }
    }

    /// All tries of one asset. A program that stays is kept for the next one of its method.
    pub(crate) fn make(&mut self, job: &Job, run: &Path, gpu: Option<&str>) -> Delivered {
        let shop = Shop { stop: &self.stop, run, gpu, guard: &self.guard, till: &self.till };
        all_tries(job, &shop, &mut self.kept)
    }
}

/// The state of a thread.
struct Shop<'a> {
    stop: &'a AtomicBool,
    run: &'a Path,
    gpu: Option<&'a str>,
    guard: &'a Guard,
    till: &'a Till,
}

fn work(jobs: &Mutex<VecDeque<Job>>, to: &mpsc::Sender<Delivered>, shop: &Shop<'_>) {
    let stop = shop.stop;
    let mut kept = Kept::default();
    loop {
        let job = {
            let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
            // Another method's server would have to be started first.
            let same = |job: &Job| kept.method() == Some(job.method.name.as_str());
            let next = jobs.iter().position(same).unwrap_or(0);
            jobs.remove(next)
        };
        let Some(job) = job.filter(|_| !stop.load(Ordering::Relaxed)) else {
            return;
        };
        let delivered = all_tries(&job, shop, &mut kept);
        if stop.load(Ordering::Relaxed) && delivered.result.is_err() {
            // Interrupted is not failed: the next call makes it.
            return;
        }
        if to.send(delivered).is_err() {
            return;
        }
    }
}

fn all_tries(job: &Job, shop: &Shop<'_>, kept: &mut Kept) -> Delivered {
    let start = Instant::now();
    (kept.is_final, kept.limit) = (false, None);
    let mut result = Err("not tried".to_owned());
    for _ in 0..=job.method.maker.retries() {
        result = once(job, shop, kept);
        if result.is_ok() || kept.is_final || shop.stop.load(Ordering::Relaxed) {
            break;
        }
    }
    Delivered {
        slot: job.slot,
        is_unaffordable: result.is_err() && kept.limit.is_some(),
        result,
        seconds: start.elapsed().as_secs_f64(),
    }
}

/// Makes an asset under a temporary path and then moves it to its place.
fn once(job: &Job, shop: &Shop<'_>, kept: &mut Kept) -> Result<(), String> {
    let place = job.method.made_folder(shop.run, &job.prompt, job.seed);
    let failed = |e: std::io::Error| format!("its folder cannot be written ({e}): {place:?}");
    let made = NewFolder::create_in(place.parent().unwrap_or(&place), &place).map_err(failed)?;
    let spec = AssetSpec {
        method: &job.method.name,
        prompt: &job.prompt,
        seed: job.seed,
        folder: made.path(),
        place: &place,
        recipe: job.recipe.as_deref().unwrap_or_default(),
        gpu: shop.gpu,
        guard: shop.guard,
        till: shop.till,
        stop: shop.stop,
    };
    let maker = &job.method.maker;
    let mut result = maker.make(&spec, kept).map_err(|why| maker.scrub(why));
    if let (Ok(()), Some(recipe)) = (&result, &job.recipe) {
        result = made.write(RECIPE_FILE, recipe.as_bytes()).map_err(failed);
    }
    match (&result, &job.method.maker) {
        (Ok(()), _) => made.replace(&place).map_err(failed)?,
        // Its log may say why.
        (Err(_), Maker::Program(program)) if program.start_timeout.is_none() => {
            made.replace(&place.with_extension("failed")).map_err(failed)?;
        }
        (Err(_), _) => {}
    }
    if result.is_ok() {
        // The job of a service has ended now, and not before. Others have none.
        paid::remove(&place);
    }
    result
}
