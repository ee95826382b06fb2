//! What no renderer can do without, measured: reading an asset, decoding its textures side by side,
//! encoding its pictures side by side.
//!
//! `cargo run --release --example floor -- ASSET.glb FOLDER`, where `meshjudge render` wrote the
//! asset's pictures to FOLDER. Prints the median of 15 rounds; docs/runs/speed compares it with the
//! time of the whole program.

use meshjudge_render::render::Image;
use rayon::prelude::*;
use std::path::Path;
use std::time::{Duration, Instant};

const ROUNDS: usize = 15;

type Error = Box<dyn std::error::Error + Send + Sync>;

fn main() -> Result<(), Error> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [asset, folder] = arguments.as_slice() else {
        return Err("floor ASSET.glb FOLDER".into());
    };
    let pictures = pictures_in(Path::new(folder))?;
    let mut rounds = Vec::new();
    for _ in 0..ROUNDS {
        let start = Instant::now();
        let file = std::fs::read(asset)?;
        let read = start.elapsed();
        let longest = decode_all(&file)?;
        let decode = start.elapsed() - read;
        let encoded: Result<Vec<_>, _> = pictures.par_iter().map(Image::to_png).collect();
        encoded?;
        let all = start.elapsed();
        rounds.push([read, decode, all - read - decode, all, longest]);
    }
    for (column, name) in ["read", "decode", "encode", "all", "longest texture"].iter().enumerate()
    {
        let mut times: Vec<Duration> = rounds.iter().map(|round| round[column]).collect();
        times.sort();
        let median = times[ROUNDS / 2].as_secs_f64() * 1e3;
        println!("{name}: {median:.1} ms");
    }
    println!("{} pictures", pictures.len());
    Ok(())
}

fn pictures_in(folder: &Path) -> Result<Vec<Image>, Error> {
    let mut pictures = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "png") {
            pictures.push(Image::decode(&std::fs::read(path)?)?);
        }
    }
    Ok(pictures)
}

/// Decodes a `.glb`'s pictures, those of most bytes first; returns the slowest picture's time.
fn decode_all(file: &[u8]) -> Result<Duration, Error> {
    let (document, bytes) = chunks(file).ok_or("not a .glb of two chunks")?;
    let document: serde_json::Value = serde_json::from_slice(document)?;
    let number = |value: &serde_json::Value| value.as_u64().unwrap_or(0) as usize;
    let mut parts = Vec::new();
    for image in document["images"].as_array().into_iter().flatten() {
        let view = &document["bufferViews"][number(&image["bufferView"])];
        let start = number(&view["byteOffset"]);
        let end = start + number(&view["byteLength"]);
        parts.push(bytes.get(start..end).ok_or("a view beyond the end")?);
    }
    parts.sort_by_key(|part| std::cmp::Reverse(part.len()));
    let times: Result<Vec<Duration>, Error> = parts
        .into_iter()
        .par_bridge()
        .map(|part| {
            let start = Instant::now();
            std::hint::black_box(image::load_from_memory(part)?);
            Ok(start.elapsed())
        })
        .collect();
    Ok(times?.into_iter().max().unwrap_or_default())
}

/// The JSON and the bytes of a `.glb` (glTF 2.0, section 4.4).
fn chunks(file: &[u8]) -> Option<(&[u8], &[u8])> {
    let chunk = |at: usize| {
        let length = u32::from_le_bytes(file.get(at..at + 4)?.try_into().ok()?) as usize;
        file.get(at + 8..at + 8 + length)
    };
    let document = chunk(12)?;
    Some((document, chunk(20 + document.len())?))
}
