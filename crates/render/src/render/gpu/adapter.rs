//! Which graphics cards there are, and which one draws.
//!
//! A software adapter (lavapipe, WARP, SwiftShader) is never chosen on its own: the CPU renderer is
//! faster, and the reference.

use super::pipelines::STORAGE_BUFFERS;
use crate::render::card::{AdapterChoice, AdapterFacts, GpuError};
use std::cmp::Reverse;
use std::future::Future;
use std::pin::pin;
use std::task::{Context, Poll, Waker};

/// Smallest buffer that a device must take, in bytes: what WebGPU promises.
const BINDING_BYTES_MIN: u64 = 1 << 27;

/// Every adapter that a driver offers; empty without drivers.
pub fn adapters() -> Vec<AdapterFacts> {
    found().iter().map(facts).collect()
}

/// Whether to ask drivers for a card at all: on Linux, cards have device files. Asking loads every
/// driver, which takes a tenth of a second, and some of them write to the terminal.
pub(super) fn may_have_card() -> bool {
    if !cfg!(target_os = "linux") {
        return true;
    }
    const PLACES: [(&str, &[&str]); 2] =
        [("/dev/dri", &["renderD"]), ("/dev", &["nvidia", "dxg", "mali", "kgsl", "nvmap", "pvr"])];
    PLACES.iter().any(|(folder, starts)| {
        let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
        entries.into_iter().any(|entry| {
            let name = entry.file_name();
            starts.iter().any(|s| name.to_string_lossy().starts_with(s))
        })
    })
}

/// The adapter of a choice.
pub(super) fn choose(choice: &AdapterChoice) -> Result<(wgpu::Adapter, AdapterFacts), GpuError> {
    let all: Vec<_> = found().into_iter().map(|adapter| (facts(&adapter), adapter)).collect();
    let names: Vec<&str> = all.iter().map(|(facts, _)| facts.name.as_str()).collect();
    let found = match names[..] {
        [] => "no driver was found".to_owned(),
        _ => names.join(", "),
    };
    let chosen = match choice {
        AdapterChoice::Real => all
            .into_iter()
            // The first of equals: a card that has Vulkan is driven by it.
            .filter(|(facts, _)| facts.is_real && facts.lacks.is_none())
            .min_by_key(|(facts, _)| Reverse(rank(&facts.kind)))
            .ok_or(GpuError::NoCard { found })?,
        AdapterChoice::Named(name) => all
            .into_iter()
            .find(|(facts, _)| facts.name.to_lowercase().contains(&name.to_lowercase()))
            .ok_or_else(|| GpuError::NotFound { name: name.clone(), found })?,
    };
    match chosen {
        (AdapterFacts { name, lacks: Some(lacks), .. }, _) => Err(GpuError::Lacks { name, lacks }),
        (facts, adapter) => Ok((adapter, facts)),
    }
}

fn rank(kind: &str) -> u8 {
    match kind {
        "discrete" => 2,
        "integrated" => 1,
        _ => 0,
    }
}

fn found() -> Vec<wgpu::Adapter> {
    let backends = wgpu::Backends::VULKAN | wgpu::Backends::METAL | wgpu::Backends::DX12;
    let instance = wgpu::Instance::new(wgpu::InstanceDescriptor {
        backends,
        // Validation layers are for driver developers, and slow.
        flags: wgpu::InstanceFlags::empty(),
        ..wgpu::InstanceDescriptor::new_without_display_handle()
    });
    ready(instance.enumerate_adapters(backends)).unwrap_or_default()
}

fn facts(adapter: &wgpu::Adapter) -> AdapterFacts {
    let info = adapter.get_info();
    let limits = adapter.limits();
    let kind = match info.device_type {
        wgpu::DeviceType::DiscreteGpu => "discrete",
        wgpu::DeviceType::IntegratedGpu => "integrated",
        wgpu::DeviceType::VirtualGpu => "virtual",
        wgpu::DeviceType::Cpu => "software",
        wgpu::DeviceType::Other => "other",
    };
    let lacks = if limits.max_storage_buffers_per_shader_stage < STORAGE_BUFFERS {
        let has = limits.max_storage_buffers_per_shader_stage;
        Some(format!("a shader can use {has} buffers, but needs {STORAGE_BUFFERS}"))
    } else if limits.max_storage_buffer_binding_size < BINDING_BYTES_MIN {
        let mib = limits.max_storage_buffer_binding_size >> 20;
        Some(format!("its buffers have {mib} MiB, but must have {}", BINDING_BYTES_MIN >> 20))
    } else {
        None
    };
    AdapterFacts {
        name: info.name,
        backend: format!("{:?}", info.backend),
        kind: kind.to_owned(),
        driver: format!("{} {}", info.driver, info.driver_info).trim().to_owned(),
        lacks,
        is_real: matches!(kind, "discrete" | "integrated" | "virtual"),
    }
}

/// The value of a future that is ready at once, as all of wgpu's are outside browsers.
pub(super) fn ready<T>(future: impl Future<Output = T>) -> Option<T> {
    match pin!(future).poll(&mut Context::from_waker(Waker::noop())) {
        Poll::Ready(value) => Some(value),
        Poll::Pending => None,
    }
}
