//! Threads that make assets while others are drawn and judged.

use super::command::Program;
use super::guard::Guard;
use super::job::AssetSpec;
use super::maker::Method;
use super::paid;
use super::recipe::RECIPE_FILE;
use super::server::Kept;
use super::till::Till;
use crate::bench::prompt::Prompt;
use crate::bench::slot::SlotIdx;
use crate::judge::Purse;
use crate::save::NewFolder;
use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// One asset to be made.
#[derive(Debug, Clone)]
pub(crate) struct Job {
    pub slot: SlotIdx,
    pub method: Method,
    /// The method's.
    pub program: Arc<Program>,
    pub prompt: Prompt,
    pub seed: u32,
    /// Its recipe, which is stored next to it.
    pub recipe: String,
}

impl Job {
    /// None where the method's assets exist.
    pub(crate) fn new(
        slot: SlotIdx,
        (method, prompt, seed): (&Method, &Prompt, u32),
        recipe: Option<String>,
    ) -> Option<Self> {
        let (program, recipe) = (Arc::clone(method.maker.program()?), recipe?);
        Some(Self { slot, method: method.clone(), program, prompt: prompt.clone(), seed, recipe })
    }
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
        let mut threads = Vec::new();
        let mut lanes: BTreeMap<(bool, Option<String>), VecDeque<Job>> = BTreeMap::new();
        for job in jobs {
            let needs_gpu = job.program.needs_gpu;
            let is_service = !needs_gpu && job.program.in_flight.is_some();
            let service = is_service.then(|| job.method.name.clone());
            lanes.entry((needs_gpu, service)).or_default().push_back(job);
        }
        for ((needs_gpu, service), jobs) in lanes {
            let in_flight = service.and_then(|_| jobs.front()?.program.in_flight);
            let hands = match needs_gpu {
                true => gpus.iter().cloned().map(Some).collect(),
                false => vec![None; in_flight.unwrap_or(workers)],
            };
            let count = hands.len().min(jobs.len());
            let jobs = Arc::new(Mutex::new(jobs));
            for gpu in hands.into_iter().take(count) {
                let worker = Worker {
                    kept: Kept::default(),
                    run: run.to_owned(),
                    gpu,
                    stop: Arc::clone(&stop),
                    till: Arc::clone(&till),
                    guard: Arc::clone(&guard),
                };
                let (jobs, to) = (Arc::clone(&jobs), to.clone());
                threads.push(std::thread::spawn(move || worker.work(&jobs, &to)));
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

/// Makes assets of programs one after the other.
#[derive(Debug)]
pub(crate) struct Worker {
    kept: Kept,
    run: PathBuf,
    /// As CUDA_VISIBLE_DEVICES names it.
    pub gpu: Option<String>,
    stop: Arc<AtomicBool>,
    till: Arc<Till>,
    /// Goes last: what still runs then was left in the background.
    guard: Arc<Guard>,
}

impl Worker {
    /// One that books nothing, as programs without services do.
    pub(crate) fn start(run: &Path) -> Self {
        Self {
            kept: Kept::default(),
            run: run.to_owned(),
            gpu: None,
            stop: Arc::default(),
            till: Arc::new(Till::new(run, Arc::new(Purse::new(None, 0.0, 0.0)))),
            guard: Arc::new(Guard::start()),
        }
    }

    fn work(mut self, jobs: &Mutex<VecDeque<Job>>, to: &mpsc::Sender<Delivered>) {
        loop {
            let job = {
                let mut jobs = jobs.lock().unwrap_or_else(PoisonError::into_inner);
                // Another method's server would have to be started first.
                let same = |job: &Job| self.kept.method() == Some(job.method.name.as_str());
                let next = jobs.iter().position(same).unwrap_or(0);
                jobs.remove(next)
            };
            let Some(job) = job.filter(|_| !self.is_stopped()) else {
                return;
            };
            let delivered = self.make(&job);
            // Interrupted is not failed: the next call makes it.
            let is_interrupted = self.is_stopped() && delivered.result.is_err();
            if is_interrupted || to.send(delivered).is_err() {
                return;
            }
        }
    }

    fn is_stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// All tries of one asset. A program that stays is kept for the next one of its method.
    pub(crate) fn make(&mut self, job: &Job) -> Delivered {
        let start = Instant::now();
        (self.kept.is_final, self.kept.limit) = (false, None);
        let mut result = Err("not tried".to_owned());
        for _ in 0..=job.program.retries {
            result = self.once(job);
            if result.is_ok() || self.kept.is_final || self.is_stopped() {
                break;
            }
        }
        Delivered {
            slot: job.slot,
            is_unaffordable: result.is_err() && self.kept.limit.is_some(),
            result,
            seconds: start.elapsed().as_secs_f64(),
        }
    }

    /// Makes an asset under a temporary path and then moves it to its place.
    fn once(&mut self, job: &Job) -> Result<(), String> {
        let Self { kept, run, gpu, stop, till, guard } = self;
        let Job { method, program, prompt, seed, recipe, .. } = job;
        let place = method.made_folder(run, prompt, *seed);
        let failed = |e: std::io::Error| format!("its folder cannot be written ({e}): {place:?}");
        let made =
            NewFolder::create_in(place.parent().unwrap_or(&place), &place).map_err(failed)?;
        let spec = AssetSpec {
            method: &method.name,
            prompt,
            seed: *seed,
            folder: made.path(),
            place: &place,
            recipe,
            gpu: gpu.as_deref(),
            guard,
            till,
            stop,
        };
        let result = match program.start_timeout {
            None => program.run(&spec),
            Some(start_timeout) => program.order(&spec, start_timeout, kept),
        };
        if let Err(why) = result {
            if program.start_timeout.is_none() {
                // Its log may say why.
                made.replace(&place.with_extension("failed")).map_err(failed)?;
            }
            return Err(program.scrub(&why));
        }
        made.write(RECIPE_FILE, recipe.as_bytes()).map_err(failed)?;
        made.replace(&place).map_err(failed)?;
        // The job of a service has ended now, and not before. Others have none.
        paid::remove(&place);
        Ok(())
    }
}
