//! An open graphics card: device, pipelines, and the memory that goes from drawing to drawing.

use super::adapter::{choose, may_have_card, ready};
use super::pipelines::Pipelines;
use crate::render::card::{AdapterChoice, AdapterFacts, GpuError, Notice};
use crate::scene::color::{LINEAR_FROM_SRGB8, srgb8_table};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A graphics card that draws. Clones are the same card.
#[derive(Clone)]
pub struct Gpu(Arc<Inner>);

pub(super) struct Inner {
    pub device: wgpu::Device,
    pub queue: wgpu::Queue,
    pub pipelines: Pipelines,
    /// Compiled when the first splats are drawn.
    pub splats: OnceLock<wgpu::ComputePipeline>,
    /// See `tables` in `shaders/layout.wgsl`.
    pub tables: wgpu::Buffer,
    /// Largest buffer that a shader can see, in bytes.
    pub binding_bytes_max: u64,
    pub workspace: Mutex<Workspace>,
    facts: AdapterFacts,
    /// What the driver complained of first.
    trouble: Arc<Mutex<Option<String>>>,
    notice: Notice,
    num_stood_in: AtomicUsize,
}

/// Buffers that depend on the size of a batch; they only grow.
#[derive(Default)]
pub(super) struct Workspace {
    pub samples: Option<wgpu::Buffer>,
    pub heads: Option<wgpu::Buffer>,
    pub nodes: Option<wgpu::Buffer>,
    pub large: Option<wgpu::Buffer>,
    pub planes: Option<wgpu::Buffer>,
    pub read_back: Option<wgpu::Buffer>,
}

impl Gpu {
    /// Opens the best real card. Loads no driver to look for one where the system shows no card.
    ///
    /// # Errors
    /// [`GpuError::NoCard`] where there is none, [`GpuError::Failed`] where its driver fails.
    pub fn detect(notice: Notice) -> Result<Self, GpuError> {
        if !may_have_card() {
            let found = "the system lists no card".to_owned();
            return Err(GpuError::NoCard { found });
        }
        Self::open(&AdapterChoice::Real, notice)
    }

    /// Opens the card of a choice.
    ///
    /// # Errors
    /// Any [`GpuError`].
    pub fn open(choice: &AdapterChoice, notice: Notice) -> Result<Self, GpuError> {
        Self::open_within(choice, u64::MAX, notice)
    }

    /// As [`Gpu::open`], with no buffer larger than `buffer_bytes_max`, whatever the card allows.
    ///
    /// # Errors
    /// Any [`GpuError`].
    pub fn open_within(
        choice: &AdapterChoice,
        buffer_bytes_max: u64,
        notice: Notice,
    ) -> Result<Self, GpuError> {
        let (adapter, facts) = choose(choice)?;
        let failed = |reason: String| GpuError::Failed { name: facts.name.clone(), reason };
        let limits = adapter.limits();
        let binding_bytes_max = limits
            .max_storage_buffer_binding_size
            .min(limits.max_buffer_size)
            .min(buffer_bytes_max);
        let (device, queue) = ready(adapter.request_device(&wgpu::DeviceDescriptor {
            label: None,
            required_limits: limits,
            ..wgpu::DeviceDescriptor::default()
        }))
        .ok_or_else(|| failed("it does not answer".to_owned()))?
        .map_err(|e| failed(e.to_string()))?;
        let trouble = Arc::new(Mutex::new(None));
        let keep = |trouble: &Mutex<Option<String>>, text: String| {
            lock(trouble).get_or_insert(text);
        };
        let errors = Arc::clone(&trouble);
        device.on_uncaptured_error(Arc::new(move |e: wgpu::Error| keep(&errors, e.to_string())));
        let lost = Arc::clone(&trouble);
        device.set_device_lost_callback(move |_, reason| {
            keep(&lost, format!("device lost: {reason}"))
        });
        let pipelines = Pipelines::new(&device, &queue);
        let tables = tables(&device, &queue);
        let gpu = Self(Arc::new(Inner {
            device,
            queue,
            pipelines,
            splats: OnceLock::new(),
            tables,
            binding_bytes_max,
            workspace: Mutex::default(),
            facts,
            trouble,
            notice,
            num_stood_in: AtomicUsize::new(0),
        }));
        match gpu.0.trouble() {
            Some(reason) => Err(GpuError::Failed { name: gpu.0.facts.name.clone(), reason }),
            None => Ok(gpu),
        }
    }

    pub fn facts(&self) -> &AdapterFacts {
        &self.0.facts
    }

    /// Ends the device, as a driver crash does: everything from now on is drawn by the CPU.
    pub fn lose(&self) {
        self.0.device.destroy();
    }

    /// How many views the CPU has drawn instead so far.
    pub fn num_stood_in(&self) -> usize {
        self.0.num_stood_in.load(Ordering::Relaxed)
    }

    /// Notes that the CPU draws so many views instead, and gives the user the reason.
    pub(in crate::render) fn stand_in(&self, num_views: usize, reason: &str) {
        self.0.num_stood_in.fetch_add(num_views, Ordering::Relaxed);
        self.0.say(&format!("{reason}; the CPU draws instead"));
    }

    pub(super) fn inner(&self) -> &Inner {
        &self.0
    }
}

impl Inner {
    /// What went wrong, if anything did; a device that had trouble once is not used again.
    pub(super) fn trouble(&self) -> Option<String> {
        lock(&self.trouble).clone()
    }

    pub(super) fn say(&self, line: &str) {
        (self.notice)(&format!("{}: {line}", self.facts.name));
    }

    /// A buffer of at least `bytes` that shaders can see.
    pub(super) fn storage(&self, bytes: u64, usage: wgpu::BufferUsages) -> wgpu::Buffer {
        self.device.create_buffer(&wgpu::BufferDescriptor {
            label: None,
            // Bindings may not be empty.
            size: bytes.max(64).next_multiple_of(4),
            usage: usage | wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
            mapped_at_creation: false,
        })
    }

    /// A buffer that holds `data`.
    pub(super) fn storage_of<T: bytemuck::Pod>(&self, data: &[T]) -> wgpu::Buffer {
        let bytes: &[u8] = bytemuck::cast_slice(data);
        let buffer = self.storage(bytes.len() as u64, wgpu::BufferUsages::empty());
        self.queue.write_buffer(&buffer, 0, bytes);
        buffer
    }
}

/// A poisoned lock means that another thread panicked, which ends the drawing anyway.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn tables(device: &wgpu::Device, queue: &wgpu::Queue) -> wgpu::Buffer {
    let mut bytes: Vec<u8> = LINEAR_FROM_SRGB8.iter().flat_map(|v| v.to_le_bytes()).collect();
    bytes.extend_from_slice(srgb8_table());
    bytes.resize(bytes.len().next_multiple_of(4), 0);
    let buffer = device.create_buffer(&wgpu::BufferDescriptor {
        label: None,
        size: bytes.len() as u64,
        usage: wgpu::BufferUsages::STORAGE | wgpu::BufferUsages::COPY_DST,
        mapped_at_creation: false,
    });
    queue.write_buffer(&buffer, 0, &bytes);
    buffer
}

impl fmt::Debug for Gpu {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Gpu").field(&self.0.facts.name).finish()
    }
}

impl PartialEq for Gpu {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl Eq for Gpu {}
