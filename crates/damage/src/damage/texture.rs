//! Colour damage: blur, low resolution, colour shift, noise, seams, slipping, the wrong side.

use super::error::DamageError;
use super::refine::refine;
use super::rng::CounterRng;
use super::soup::{Soup, Triangle, area, face_normal, middle};
use super::surface::{facing, shift_uvs};
use super::vertices;
use crate::scene::{Texture, Wrap};
use glam::{Vec2, Vec3, Vec4};
use std::collections::BTreeSet;
use std::ops::Range;

/// Indices of textures that are a base colour somewhere.
fn painted(soup: &Soup) -> Result<Vec<usize>, DamageError> {
    let used: BTreeSet<usize> = soup
        .parts
        .iter()
        .filter_map(|part| soup.materials[part.material].base_color_texture())
        .map(|texture| texture.texture)
        .collect();
    if used.is_empty() {
        return Err(DamageError::Needs {
            needs: "a base colour texture, or for some kinds colours at its vertices",
        });
    }
    Ok(used.into_iter().collect())
}

/// Puts other texels in the place of a texture's.
fn repainted(texture: &Texture, texels: Vec<[u8; 4]>) -> Result<Texture, DamageError> {
    Ok(Texture::new(
        texture.name().to_owned(),
        texture.width_px(),
        texture.height_px(),
        texels,
        texture.color_space(),
        texture.wrap(),
    )?
    .nearest(texture.is_nearest()))
}

/// Changes every base colour texture; returns the root mean square change of a channel, 0 to 1.
fn repaint(soup: &mut Soup, paint: impl Fn(&Texture) -> Vec<[u8; 4]>) -> Result<f64, DamageError> {
    let (mut sum, mut count) = (0.0, 0.0);
    for index in painted(soup)? {
        let texture = &soup.textures[index];
        let texels = paint(texture);
        let before = texture.texels();
        let differences = before.iter().zip(&texels);
        sum += differences
            .flat_map(|(a, b)| (0..3).map(move |c| (f64::from(a[c]) - f64::from(b[c])) / 255.0))
            .map(|d| d * d)
            .sum::<f64>();
        count += 3.0 * texels.len() as f64;
        soup.textures[index] = repainted(texture, texels)?;
    }
    Ok((sum / count).sqrt())
}

/// A place in a row that may be outside it.
fn wrapped(at: i64, length: i64, wrap: Wrap) -> usize {
    let at = match wrap {
        Wrap::Repeat => at.rem_euclid(length),
        Wrap::MirroredRepeat => {
            let twice = at.rem_euclid(2 * length);
            twice.min(2 * length - 1 - twice)
        }
        Wrap::ClampToEdge => at.clamp(0, length - 1),
    };
    at as usize
}

/// A box filter of 2 · `radius` + 1 texels along one axis; alpha stays.
fn box_blur(rows: &[Vec<[f32; 3]>], radius: f32, wrap: Wrap) -> Vec<Vec<[f32; 3]>> {
    let whole = radius as i64;
    let rest = radius - whole as f32;
    let blurred = |row: &Vec<[f32; 3]>| {
        let length = row.len() as i64;
        let at = |i: i64| row[wrapped(i, length, wrap)];
        let mut sums = vec![[0.0_f64; 3]];
        // Sums from the left, over the row and its neighbours.
        for i in -(whole + 1)..length + whole + 1 {
            let last = sums[sums.len() - 1];
            let texel = at(i);
            sums.push([0, 1, 2].map(|c| last[c] + f64::from(texel[c])));
        }
        (0..length)
            .map(|i| {
                let from = (i + 1) as usize;
                let to = from + 2 * whole as usize + 1;
                [0, 1, 2].map(|c| {
                    let inside = (sums[to][c] - sums[from][c]) as f32;
                    let rim = at(i - whole - 1)[c] + at(i + whole + 1)[c];
                    (inside + rest * rim) / (2.0 * radius + 1.0)
                })
            })
            .collect()
    };
    parallel::map(rows, blurred)
}

fn transposed(rows: &[Vec<[f32; 3]>]) -> Vec<Vec<[f32; 3]>> {
    let width = rows.first().map_or(0, Vec::len);
    (0..width).map(|x| rows.iter().map(|row| row[x]).collect()).collect()
}

fn rows_of(texture: &Texture) -> Vec<Vec<[f32; 3]>> {
    texture
        .texels()
        .chunks(texture.width_px() as usize)
        .map(|row| row.iter().map(|t| [0, 1, 2].map(|c| f32::from(t[c]))).collect())
        .collect()
}

/// Other colours by the place and the colour of each texel; alpha stays.
fn recolored(texture: &Texture, color: impl Fn(usize, [u8; 3]) -> [u8; 3]) -> Vec<[u8; 4]> {
    let texels = texture.texels();
    let texels = texels.iter().enumerate().map(|(i, &[r, g, b, a])| {
        let [r, g, b] = color(i, [r, g, b]);
        [r, g, b, a]
    });
    texels.collect()
}

/// Three box filters, nearly a Gaussian, in the encoded colours.
pub(super) fn blur(soup: &mut Soup, level: f32, _dice: CounterRng) -> Result<f64, DamageError> {
    if vertices::is_colored(soup) {
        return Ok(vertices::blur(soup, level));
    }
    repaint(soup, |texture| {
        let radius = |side: u32| 0.035 * level * side as f32;
        let mut rows = rows_of(texture);
        for _ in 0..3 {
            rows = box_blur(&rows, radius(texture.width_px()), texture.wrap()[0]);
        }
        rows = transposed(&rows);
        for _ in 0..3 {
            rows = box_blur(&rows, radius(texture.height_px()), texture.wrap()[1]);
        }
        let rows = transposed(&rows).concat();
        recolored(texture, |i, _| rows[i].map(|c| (c + 0.5).clamp(0.0, 255.0) as u8))
    })
}

/// Blocks of texels become their mean, and are drawn as blocks. At level 1 a texture is 8 blocks
/// wide. Returns the largest block's edge as a share of its texture's longer side.
pub(super) fn low_resolution(
    soup: &mut Soup,
    level: f32,
    _dice: CounterRng,
) -> Result<f64, DamageError> {
    if vertices::is_colored(soup) {
        return vertices::low_resolution(soup, level);
    }
    let longest = |texture: &Texture| texture.width_px().max(texture.height_px()) as f32;
    // From as many blocks as texels down to 8, in equal ratios.
    let share = |texture: &Texture| {
        libm::powf((8.0 / longest(texture)).min(1.0), level).recip() / longest(texture)
    };
    let shares = painted(soup)?.into_iter();
    let largest = shares.map(|i| share(&soup.textures[i])).fold(0.0, f32::max);
    repaint(soup, |texture| {
        let (width, height) = (texture.width_px() as usize, texture.height_px() as usize);
        let edge = share(texture) * longest(texture);
        let place = |i: usize| (i as f32 / edge).floor();
        let blocks = |length: usize| -> Vec<Range<usize>> {
            let count = place(length - 1) as usize + 1;
            let block = |k: usize| {
                let to = ((k as f32 + 1.0) * edge).ceil() as usize;
                (k as f32 * edge) as usize..to.min(length)
            };
            (0..count).map(block).collect()
        };
        let (columns, rows) = (blocks(width), blocks(height));
        let texels = texture.texels();
        let mean = |rows: &Range<usize>, columns: &Range<usize>| {
            let mut sum = [0_u64; 3];
            for y in rows.clone() {
                for t in &texels[y * width + columns.start..y * width + columns.end] {
                    (0..3).for_each(|c| sum[c] += u64::from(t[c]));
                }
            }
            let count = (columns.len() * rows.len()) as u64;
            sum.map(|s| ((s + count / 2) / count) as u8)
        };
        let means: Vec<Vec<[u8; 3]>> = parallel::map(&rows, |rows| {
            columns.iter().map(|columns| mean(rows, columns)).collect()
        });
        recolored(texture, |i, _| means[place(i / width) as usize][place(i % width) as usize])
    })?;
    Ok(f64::from(largest))
}

/// Hues turn by up to half a circle (in YIQ, where lightness stays). Works on factors and vertex
/// colours too. Returns the root mean square change of a channel over textures, or of the factors
/// where there are none.
pub(super) fn color_shift(
    soup: &mut Soup,
    level: f32,
    rng: CounterRng,
) -> Result<f64, DamageError> {
    let way = if rng.unit(0) < 0.5 { 1.0 } else { -1.0 };
    let (sin, cos) = libm::sincosf(way * level * std::f32::consts::PI);
    let shifted = |[r, g, b]: [f32; 3]| {
        let y = 0.299 * r + 0.587 * g + 0.114 * b;
        let i = 0.596 * r - 0.274 * g - 0.322 * b;
        let q = 0.211 * r - 0.523 * g + 0.312 * b;
        let (i, q) = (i * cos - q * sin, i * sin + q * cos);
        [y + 0.956 * i + 0.621 * q, y - 0.272 * i - 0.647 * q, y - 1.106 * i + 1.703 * q]
            .map(|c| c.clamp(0.0, 1.0))
    };
    let on = |color: Vec4| {
        let [r, g, b] = shifted([color.x, color.y, color.z]);
        Vec4::new(r, g, b, color.w)
    };
    let (mut sum, mut count) = (0.0_f64, 0.0_f64);
    for material in &mut soup.materials {
        let now = on(material.base_color);
        sum += f64::from((now - material.base_color).length_squared());
        count += 3.0;
        material.base_color = now;
    }
    for part in &mut soup.parts {
        for corner in part.triangles.iter_mut().flatten() {
            corner.color = on(corner.color);
        }
    }
    let of_textures = repaint(soup, |texture| {
        recolored(texture, |_, rgb| {
            shifted(rgb.map(|c| f32::from(c) / 255.0)).map(|c| (c * 255.0 + 0.5) as u8)
        })
    });
    match of_textures {
        Ok(change) => Ok(change),
        Err(DamageError::Needs { .. }) if (sum / count).sqrt() > 1.0 / 255.0 => {
            Ok((sum / count).sqrt())
        }
        Err(DamageError::Needs { .. }) => {
            Err(DamageError::Needs { needs: "a colour that is not grey" })
        }
        Err(other) => Err(other),
    }
}

/// Grains, 192 to a texture's longer side, are moved by chance, each channel for itself. Finer ones
/// would vanish in small pictures.
pub(super) fn texture_noise(
    soup: &mut Soup,
    level: f32,
    rng: CounterRng,
) -> Result<f64, DamageError> {
    if vertices::is_colored(soup) {
        return Ok(vertices::noise(soup, level, rng));
    }
    repaint(soup, |texture| {
        let width = texture.width_px() as usize;
        let edge = (width.max(texture.height_px() as usize) / 192).max(1);
        recolored(texture, |i, rgb| {
            let grain = (i / width / edge) * width + i % width / edge;
            [0, 1, 2].map(|c| {
                let by = 110.0 * level * rng.signed(3 * grain as u64 + c as u64);
                (f32::from(rgb[c]) + by + 0.5).clamp(0.0, 255.0) as u8
            })
        })
    })
}

/// A share of the channels goes a step of 255 up or down: less than a screen shows.
pub(super) fn dithered(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    repaint(soup, |texture| {
        recolored(texture, |i, rgb| {
            [0, 1, 2].map(|c| match rng.unit(3 * i as u64 + c as u64) {
                up if up < 0.5 * level => rgb[c].saturating_add(1),
                down if down < level => rgb[c].saturating_sub(1),
                _ => rgb[c],
            })
        })
    })
}

/// The texture of each of six sides slips its own way, so that it breaks off where sides meet.
/// Returns how far the coordinates moved, as a mean over the surface.
pub(super) fn seams(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    painted(soup)?;
    let (mut sum, total) = (0.0, soup.area());
    for part in &mut soup.parts {
        for triangle in &mut part.triangles {
            let side = facing(face_normal(triangle)) as u64;
            let (sin, cos) = libm::sincosf(std::f32::consts::TAU * rng.unit(2 * side));
            let by = Vec2::new(cos, sin) * (level * (0.08 + 0.08 * rng.unit(2 * side + 1)));
            sum += area(triangle) * f64::from(by.length());
            shift_uvs(triangle, by);
        }
    }
    Ok(sum / total)
}

/// The whole texture has slipped. Returns how far, 1 being the texture's width.
pub(super) fn misaligned(soup: &mut Soup, level: f32, rng: CounterRng) -> Result<f64, DamageError> {
    painted(soup)?;
    let (sin, cos) = libm::sincosf(std::f32::consts::TAU * rng.unit(0));
    let by = Vec2::new(cos, sin) * (0.22 * level);
    for part in &mut soup.parts {
        part.triangles.iter_mut().for_each(|t| shift_uvs(t, by));
    }
    Ok(f64::from(by.length()))
}

/// The back is painted with the front's colours, from the top down to a height: each place takes
/// the colour of the place right before it. Returns the share of the surface that is painted so.
pub(super) fn wrong_side(
    soup: &mut Soup,
    level: f32,
    _dice: CounterRng,
) -> Result<f64, DamageError> {
    painted(soup)?;
    let diagonal = soup.diagonal();
    refine(soup, 0.015 * diagonal)?;
    let (min, max) = soup.bounds();
    let floor = max.y - level * (max.y - min.y);
    let total = soup.area();
    let mut wrong = 0.0;
    for part in &mut soup.parts {
        let front = Front::of(&part.triangles, 0.02 * diagonal);
        for triangle in &mut part.triangles {
            let is_back = face_normal(triangle).z < 0.0 && middle(triangle).y >= floor;
            if let Some(like) = is_back.then(|| front.before(middle(triangle))).flatten() {
                wrong += area(triangle);
                for corner in triangle {
                    corner.uvs = like.uvs;
                    corner.color = like.color;
                }
            }
        }
    }
    Ok(wrong / total)
}

/// Corners of triangles that face the front, in columns along z.
struct Front {
    cell: f32,
    columns: std::collections::HashMap<[i32; 2], super::soup::Corner>,
}

impl Front {
    fn of(triangles: &[Triangle], cell: f32) -> Self {
        let mut columns: std::collections::HashMap<[i32; 2], super::soup::Corner> =
            Default::default();
        for triangle in triangles.iter().filter(|t| face_normal(t).z > 0.0) {
            for corner in triangle {
                let key = Self::key(corner.position, cell);
                let held = columns.entry(key).or_insert(*corner);
                if corner.position.z > held.position.z {
                    *held = *corner;
                }
            }
        }
        Self { cell, columns }
    }

    fn key(p: Vec3, cell: f32) -> [i32; 2] {
        [(p.x / cell).floor() as i32, (p.y / cell).floor() as i32]
    }

    /// The foremost corner at that x and y, or near it.
    fn before(&self, p: Vec3) -> Option<super::soup::Corner> {
        let [x, y] = Self::key(p, self.cell);
        let near = [(0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)];
        near.iter().find_map(|(dx, dy)| self.columns.get(&[x + dx, y + dy]).copied())
    }
}
