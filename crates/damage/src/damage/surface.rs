//! Damage that takes surface away or adds some: holes, floaters, a slab, missing and extra parts, a
//! second front, wrong normals, faces inside.

use super::cut::cut;
use super::error::DamageError;
use super::refine::refine;
use super::rng::CounterRng;
use super::soup::{Corner, Part, Soup, Triangle, area, box_side, face_normal, middle, turned};
use super::weld::Weld;
use crate::scene::Material;
use glam::{Vec2, Vec3, Vec4};

/// Places drawn by area: part and triangle. A seed always gives the same places in the same order.
fn places(soup: &Soup, rng: CounterRng, count: usize) -> Vec<(usize, Triangle)> {
    let areas: Vec<f64> = soup.triangles().map(area).collect();
    let mut sums = Vec::with_capacity(areas.len());
    let total = areas.iter().fold(0.0, |sum, a| {
        sums.push(sum + a);
        sum + a
    });
    let each: Vec<(usize, &Triangle)> = soup
        .parts
        .iter()
        .enumerate()
        .flat_map(|(p, part)| part.triangles.iter().map(move |t| (p, t)))
        .collect();
    (0..count as u64)
        .map(|i| {
            let drawn = total * f64::from(rng.unit(i));
            let at = sums.partition_point(|sum| *sum <= drawn);
            let (part, triangle) = each[at.min(each.len() - 1)];
            (part, *triangle)
        })
        .collect()
}

/// Balls around places of the surface: up to `most` of them, each up to `radius` (share of the
/// diagonal) at level 1.
fn balls(soup: &Soup, level: f32, rng: CounterRng, most: usize, radius: f32) -> Vec<(Vec3, f32)> {
    let diagonal = soup.diagonal();
    places(soup, rng, most)
        .iter()
        .enumerate()
        .map(|(i, (_, triangle))| {
            // One after the other begins to grow.
            let begins = i as f32 / most as f32;
            let grown = ((level - begins) / (1.0 - begins)).max(0.0);
            let own = 0.7 + 0.6 * rng.stream(1).unit(i as u64);
            let size = if grown > 0.0 { 0.25 + 0.75 * grown } else { 0.0 };
            (middle(triangle), radius * own * size * diagonal)
        })
        .filter(|(_, radius)| *radius > 0.0)
        .collect()
}

fn is_inside(balls: &[(Vec3, f32)], p: Vec3) -> bool {
    balls.iter().any(|(centre, radius)| (p - *centre).length_squared() < radius * radius)
}

/// Returns the share of the surface that is gone.
pub(super) fn holes(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    let balls = balls(soup, level, rng, 7, 0.095);
    refine(soup, 0.012 * soup.diagonal())?;
    let before = soup.area();
    for part in &mut soup.parts {
        part.triangles.retain(|t| !is_inside(&balls, middle(t)));
    }
    Ok(1.0 - soup.area() / before)
}

/// Patches whose stored normals point into the surface. Returns their share of it.
pub(super) fn normals(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    let balls = balls(soup, level, rng, 8, 0.14);
    refine(soup, 0.015 * soup.diagonal())?;
    let before = soup.area();
    let mut wrong = 0.0;
    for part in &mut soup.parts {
        part.has_normals = true;
        for triangle in &mut part.triangles {
            if is_inside(&balls, middle(triangle)) {
                wrong += area(triangle);
                for corner in triangle {
                    corner.normal = -corner.normal;
                }
            }
        }
    }
    Ok(wrong / before)
}

/// Lumps in the air around the object, in the colours of the place they hang before. Returns their
/// surface as a share of the object's.
pub(super) fn floaters(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    const MOST: usize = 9;
    let (before, diagonal) = (soup.area(), soup.diagonal());
    let sizes = balls(soup, level, rng, MOST, 0.04);
    let near = places(soup, rng, MOST);
    for (i, ((_, radius), (part, triangle))) in sizes.iter().zip(&near).enumerate() {
        let out = face_normal(triangle);
        let centre = middle(triangle) + out * (radius + 0.06 * diagonal);
        let lump = lump(centre, *radius, triangle[0], rng.stream(2).stream(i as u64));
        soup.parts[*part].triangles.extend(lump);
    }
    Ok(soup.area() / before - 1.0)
}

/// A closed, bumpy ball; it carries what `like` carries.
fn lump(centre: Vec3, radius: f32, like: Corner, rng: CounterRng) -> Vec<Triangle> {
    let mut faces: Vec<[Vec3; 3]> = Vec::new();
    // An octahedron, halved twice.
    for (x, y, z) in [
        (1, 1, 1),
        (1, 1, -1),
        (1, -1, 1),
        (1, -1, -1),
        (-1, 1, 1),
        (-1, 1, -1),
        (-1, -1, 1),
        (-1, -1, -1_i8),
    ] {
        let (a, b, c) = (Vec3::X * f32::from(x), Vec3::Y * f32::from(y), Vec3::Z * f32::from(z));
        faces.push(if x * y * z > 0 { [a, b, c] } else { [a, c, b] });
    }
    for _ in 0..2 {
        faces = faces
            .into_iter()
            .flat_map(|[a, b, c]| {
                let (m, n, o) = ((a + b).normalize(), (b + c).normalize(), (c + a).normalize());
                [[a, m, o], [m, b, n], [o, n, c], [m, n, o]]
            })
            .collect();
    }
    let corner = |way: Vec3| {
        let position = centre + way * (radius * (1.0 + 0.3 * rng.noise(way * 1.7)));
        like.moved_to(position, way)
    };
    faces.into_iter().map(|face| face.map(corner)).collect()
}

/// A slab around the object's base, as from generators that mistake a shadow for an object. Returns
/// its surface as a share of the object's.
pub(super) fn slab(soup: &mut Soup, level: f32, _dice: CounterRng) -> Result<f64, DamageError> {
    let before = soup.area();
    let (min, max) = soup.bounds();
    let (size, diagonal) = (max - min, soup.diagonal());
    let wide = 0.5 * size.x.max(size.z) * (0.5 + 0.9 * level) + 0.02 * diagonal;
    let high = (0.01 + 0.03 * level) * diagonal;
    let middle = 0.5 * (min + max);
    let from = Vec3::new(middle.x - wide, min.y - 0.5 * high, middle.z - wide);
    let to = Vec3::new(middle.x + wide, min.y + 0.5 * high, middle.z + wide);
    let material = soup.materials.len();
    soup.materials.push(Material {
        base_color: Vec4::new(0.32, 0.31, 0.30, 1.0),
        roughness: 0.9,
        ..Material::default()
    });
    let mut part = Part::new(material, 0);
    part.triangles = cuboid(from, to);
    soup.parts.push(part);
    Ok(soup.area() / before - 1.0)
}

fn cuboid(from: Vec3, to: Vec3) -> Vec<Triangle> {
    let corner =
        |is_high: [bool; 3], normal| Corner::plain(Vec3::select(is_high.into(), to, from), normal);
    let sides = (0..3).flat_map(|axis| [false, true].map(|is_far| box_side(axis, is_far, corner)));
    sides.flatten().collect()
}

/// A way across the object, mostly sideways or up, that a piece is cut off along.
fn way(rng: CounterRng) -> Vec3 {
    let way = Vec3::new(rng.signed(0), 0.6 * rng.unit(1) + 0.1, 0.6 * rng.signed(2));
    way.try_normalize().unwrap_or(Vec3::X)
}

/// The height along `way` above which `share` of the area is.
fn height_above(soup: &Soup, way: Vec3, share: f64) -> f32 {
    let mut heights: Vec<(f32, f64)> =
        soup.triangles().map(|t| (middle(t).dot(way), area(t))).collect();
    heights.sort_by(|x, y| y.0.total_cmp(&x.0));
    let wanted = share * soup.area();
    let mut sum = 0.0;
    for (height, area) in &heights {
        sum += area;
        if sum >= wanted {
            return *height;
        }
    }
    heights.last().map_or(0.0, |(height, _)| *height)
}

/// Everything beyond a plane is gone and the cut is open. Returns the lost share of the surface.
pub(super) fn missing_part(
    soup: &mut Soup,
    level: f32,
    rng: CounterRng,
) -> Result<f64, DamageError> {
    let way = way(rng);
    let before = soup.area();
    refine(soup, 0.03 * soup.diagonal())?;
    let height = height_above(soup, way, 0.04 + 0.36 * f64::from(level));
    for part in &mut soup.parts {
        part.triangles = cut(&part.triangles, |p| height - p.dot(way)).0;
    }
    Ok(1.0 - soup.area() / before)
}

/// A piece of the object a second time, turned around the upright axis and sticking out of it.
/// Returns its surface as a share of the object's.
pub(super) fn extra_part(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    let way = way(rng);
    let before = soup.area();
    let (min, max) = soup.bounds();
    let centre = 0.5 * (min + max);
    refine(soup, 0.03 * soup.diagonal())?;
    let height = height_above(soup, way, 0.08 + 0.30 * f64::from(level));
    let (sin, cos) = libm::sincosf((0.6 + 0.8 * rng.unit(3)) * std::f32::consts::PI);
    let about = |v: Vec3| Vec3::new(v.x * cos + v.z * sin, v.y, v.z * cos - v.x * sin);
    let out = about(way).with_y(0.0).normalize_or_zero() * (0.06 * (max - min).length());
    for part in &mut soup.parts {
        let piece = cut(&part.triangles, |p| p.dot(way) - height).0;
        part.triangles.extend(piece.into_iter().map(|triangle| {
            triangle.map(|corner| Corner {
                position: centre + about(corner.position - centre) + out,
                normal: about(corner.normal),
                ..corner
            })
        }));
    }
    Ok(soup.area() / before - 1.0)
}

/// The back becomes a mirror image of the front, from the top down to a height: the face that looks
/// both ways. Returns the share of the surface that was put in place of the back.
pub(super) fn janus(soup: &mut Soup, level: f32, _dice: CounterRng) -> Result<f64, DamageError> {
    let (min, max) = soup.bounds();
    let floor = max.y - level * (max.y - min.y);
    let middle = 0.5 * (min.z + max.z);
    let mut mirrored = 0.0;
    for part in &mut soup.parts {
        let (upper, mut kept) = cut(&part.triangles, |p| p.y - floor);
        let (front, _back) = cut(&upper, |p| p.z - middle);
        for triangle in front {
            let [a, b, c] = triangle.map(|corner| Corner {
                position: corner.position.with_z(2.0 * middle - corner.position.z),
                normal: corner.normal.with_z(-corner.normal.z),
                ..corner
            });
            mirrored += area(&triangle);
            kept.extend([triangle, [a, c, b]]);
        }
        part.triangles = kept;
    }
    Ok(mirrored / soup.area())
}

/// A smaller copy of the object inside itself, turned inside out; nothing of it can be seen from
/// outside a closed object. Returns its surface as a share of the object's.
pub(super) fn internal_faces(
    soup: &mut Soup,
    level: f32,
    _dice: CounterRng,
) -> Result<f64, DamageError> {
    let before = soup.area();
    refine(soup, 0.05 * soup.diagonal())?;
    let weld = Weld::of(soup);
    let depth = 0.004 * soup.diagonal();
    let height = height_above(soup, Vec3::Y, f64::from(level));
    let mut vertices = weld.triangles.iter();
    for part in &mut soup.parts {
        let inner: Vec<Triangle> = part
            .triangles
            .iter()
            .zip(&mut vertices)
            .filter(|(triangle, _)| middle(triangle).y >= height)
            .map(|(triangle, vertices)| {
                let mut moved = *triangle;
                for (corner, vertex) in moved.iter_mut().zip(vertices) {
                    corner.position -= weld.normals[*vertex as usize] * depth;
                }
                turned(moved)
            })
            .collect();
        part.triangles.extend(inner);
    }
    Ok(soup.area() / before - 1.0)
}

/// Which of six ways a surface faces most: the charts of a box projection.
pub(super) fn facing(normal: Vec3) -> usize {
    let size = normal.abs();
    let axis = if size.x >= size.y && size.x >= size.z {
        0
    } else if size.y >= size.z {
        1
    } else {
        2
    };
    2 * axis + usize::from(normal[axis] < 0.0)
}

/// Texture coordinates of every corner that `keep` accepts, moved in all sets.
pub(super) fn shift_uvs(triangle: &mut Triangle, by: Vec2) {
    for corner in triangle {
        corner.uvs.iter_mut().for_each(|uv| *uv += by);
    }
}
