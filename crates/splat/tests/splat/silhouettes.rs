//! Objects that exist as meshes and as splats have one silhouette: half-covered pixels against the
//! mesh, filled here and grown by the disks' standard deviation.

use crate::{read_alone, shared};
use glam::{DVec2, DVec3};
use meshjudge_splat::camera::Camera;
use meshjudge_splat::render::{Settings, render};
use std::path::Path;

const SIDE: usize = 512;

/// Vertices, centred with a longest edge of 1, and triangles.
fn mesh(path: &Path) -> (Vec<DVec3>, Vec<[usize; 3]>) {
    let text = std::fs::read_to_string(path).expect("the mesh is readable");
    let (mut vertices, mut triangles) = (Vec::new(), Vec::new());
    for line in text.lines() {
        let mut words = line.split_ascii_whitespace();
        match words.next() {
            Some("v") => {
                let numbers: Vec<f64> =
                    words.take(3).map(|word| word.parse().expect("a number")).collect();
                vertices.push(DVec3::from_slice(&numbers));
            }
            Some("f") => {
                let corner = |word: &str| {
                    word.split('/').next().and_then(|k| k.parse::<usize>().ok()).expect("a corner")
                        - 1
                };
                let corners: Vec<usize> = words.map(corner).collect();
                triangles
                    .extend((2..corners.len()).map(|k| [corners[0], corners[k - 1], corners[k]]));
            }
            _ => {}
        }
    }
    let low = vertices.iter().copied().reduce(DVec3::min).expect("vertices");
    let high = vertices.iter().copied().reduce(DVec3::max).expect("vertices");
    let place = |v: DVec3| (v - 0.5 * (low + high)) / (high - low).max_element();
    (vertices.into_iter().map(place).collect(), triangles)
}

/// Pixels whose centre is in a triangle.
fn fill(camera: &Camera, vertices: &[DVec3], triangles: &[[usize; 3]]) -> Vec<bool> {
    let [right, down, forward] = camera.axes;
    let pixel = |v: &DVec3| {
        let t = *v - camera.eye;
        let slope = DVec2::new(right.dot(t), down.dot(t)) / forward.dot(t);
        slope * camera.focal_px[0] + DVec2::from_array(camera.center_px)
    };
    let pixels: Vec<DVec2> = vertices.iter().map(pixel).collect();
    let mut out = vec![false; SIDE * SIDE];
    for corners in triangles {
        let [a, b, c] = corners.map(|k| pixels[k]);
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        for row in low.y as usize..=(high.y as usize).min(SIDE - 1) {
            for column in low.x as usize..=(high.x as usize).min(SIDE - 1) {
                let p = DVec2::new(column as f64 + 0.5, row as f64 + 0.5);
                let side = |from: DVec2, to: DVec2| (to - from).perp_dot(p - from);
                let sides = [side(a, b), side(b, c), side(c, a)];
                let is_inside = sides.iter().all(|&s| s >= 0.0) || sides.iter().all(|&s| s <= 0.0);
                out[row * SIDE + column] |= is_inside;
            }
        }
    }
    out
}

/// Number of pixels in both.
fn both(a: &[bool], b: &[bool]) -> f64 {
    a.iter().zip(b).filter(|&(&a, &b)| a && b).count() as f64
}

/// Share of the pixels of `a` that are in `b`.
fn share(a: &[bool], b: &[bool]) -> f64 {
    both(a, b) / both(a, a)
}

/// Pixels within a distance of the given ones.
fn grow(pixels: &[bool], distance_px: f64) -> Vec<bool> {
    let reach = distance_px as usize;
    let near = |row: usize, column: usize| {
        let rows = row.saturating_sub(reach)..=(row + reach).min(SIDE - 1);
        rows.into_iter().any(|y| {
            let columns = column.saturating_sub(reach)..=(column + reach).min(SIDE - 1);
            columns.into_iter().any(|x| {
                let squared = (y.abs_diff(row).pow(2) + x.abs_diff(column).pow(2)) as f64;
                pixels[y * SIDE + x] && squared <= distance_px * distance_px
            })
        })
    };
    (0..SIDE * SIDE).map(|k| near(k / SIDE, k % SIDE)).collect()
}

#[test]
fn splats_of_a_mesh_have_its_silhouette() {
    let Some(folder) = shared::folder() else {
        return;
    };
    // Those whose mesh is the source of the splats, not a coarser one.
    for name in ["penguin", "teapot", "wingnut"] {
        let bytes = std::fs::read(folder.join(format!("objects/{name}_10k.splat")))
            .expect("the splats are readable");
        let splats = read_alone(&bytes, "a.splat").expect("splats").splats;
        let (vertices, triangles) = mesh(&folder.join(format!("meshes/{name}.obj")));
        let turned: Vec<DVec3> = vertices.iter().map(|v| DVec3::new(-v.x, -v.y, v.z)).collect();
        let views = [[0.2, 0.1, 1.0], [1.0, -0.4, 0.3], [-0.5, 0.8, -0.6]];
        for (view, toward) in views.into_iter().enumerate() {
            let eye = DVec3::from_array(toward).normalize() * 2.2;
            let camera = Camera::square(SIDE as u32, eye, DVec3::ZERO, DVec3::Y, 0.6);
            let drawn =
                render(&splats, &camera, &Settings::default()).expect("a good camera").mask();
            let filled = fill(&camera, &turned, &triangles);
            // Disks at the rim reach beyond the surface: half of the light is lost about one
            // standard deviation outside.
            let sigma_px = f64::from(splats.scale(0)[0]) * camera.focal_px[0] / camera.eye.length();
            let grown = grow(&filled, sigma_px);
            let in_both = both(&grown, &drawn);
            let iou = in_both / (both(&grown, &grown) + both(&drawn, &drawn) - in_both);
            let found = share(&filled, &drawn);
            println!("{name} {view}: {iou:.4} of the grown silhouette, {found:.4} of the mesh");
            assert!(iou >= 0.97 && found >= 0.999, "{name}: {iou}, {found}");
        }
    }
}
