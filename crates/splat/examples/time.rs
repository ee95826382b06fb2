//! Draws twelve views around each file and prints times and sizes:
//! `time SIDE_PX REPEATS [--geometry] FILE...`; with `OUT=FOLDER`, the pictures too.

use glam::DVec3;
use meshjudge_splat::camera::Camera;
use meshjudge_splat::read;
use meshjudge_splat::render::{Alpha, Settings, render};
use std::path::{Path, PathBuf};
use std::time::Instant;

const VIEWS: u32 = 12;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words: Vec<String> = std::env::args().skip(1).collect();
    let geometry = words.iter().any(|word| word == "--geometry");
    words.retain(|word| word != "--geometry");
    let (side_px, repeats) = (words[0].parse()?, words[1].parse::<usize>()?);
    let out = std::env::var_os("OUT").map(PathBuf::from);
    for path in &words[2..] {
        let start = Instant::now();
        let loaded = read::read_file(Path::new(path))?;
        let read_ms = 1e3 * start.elapsed().as_secs_f64();
        let extent = loaded.splats.extent(0.99);
        let settings = Settings { order: loaded.order, geometry, ..Settings::default() };
        let mut times = Vec::new();
        let before = processor_ms();
        for repeat in 0..repeats {
            for view in 0..VIEWS {
                let angle = std::f64::consts::TAU * f64::from(view) / f64::from(VIEWS);
                let toward = DVec3::new(libm::sin(angle), 0.3, libm::cos(angle)).normalize();
                let eye = extent.center + toward * (extent.radius * 3.2);
                let camera =
                    Camera::square(side_px, eye, extent.center, DVec3::Y, 40f64.to_radians());
                let start = Instant::now();
                let picture = render(&loaded.splats, &camera, &settings)?;
                times.push(1e3 * start.elapsed().as_secs_f64());
                if let (Some(folder), 0) = (&out, repeat) {
                    let name = Path::new(path).file_name().unwrap_or_default().to_string_lossy();
                    let file = std::fs::File::create(folder.join(format!("{name}-{view:02}.png")))?;
                    let mut encoder = png::Encoder::new(file, side_px, side_px);
                    encoder.set_color(png::ColorType::Rgba);
                    encoder
                        .write_header()?
                        .write_image_data(picture.rgba8(Alpha::Straight).as_flattened())?;
                }
            }
        }
        let processor_ms = (processor_ms() - before) / times.len() as f64;
        times.sort_by(f64::total_cmp);
        println!(
            "{path}: {} splats, read {read_ms:.1} ms, a view: processor {processor_ms:.1} ms, median {:.2} ms, fastest {:.2}, slowest {:.2}",
            loaded.splats.len(),
            times[times.len() / 2],
            times[0],
            times[times.len() - 1],
        );
    }
    Ok(())
}

/// Time of all threads so far, user and system; 0 except on Linux.
fn processor_ms() -> f64 {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let after_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = after_name.split(' ').skip(11).take(2).filter_map(|word| word.parse::<f64>().ok());
    10.0 * ticks.sum::<f64>()
}
