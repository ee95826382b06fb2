//! Points and lines of an OBJ file: elements `p` and `l` and faces of fewer than three corners, or
//! every vertex where the file names no element at all.

use super::super::dots::Sketch;
use super::super::frame::FileFrame;
use super::super::vertex_color::linear_colors;
use super::scan::{each_statement, floats, integer, tokens};
use glam::DVec3;
use std::convert::Infallible;

/// Indices that do not exist are left out. The text is one that `scan` has read.
pub(super) fn read(text: &[u8], frame: &FileFrame) -> Sketch {
    let (mut places, mut colors, mut is_colored) = (Vec::new(), Vec::new(), false);
    let mut elements: Vec<Vec<u32>> = Vec::new();
    let mut has_elements = false;
    let Ok(()) = each_statement(text, |_, statement| {
        let end = statement.iter().position(u8::is_ascii_whitespace);
        let (keyword, rest) = statement.split_at(end.unwrap_or(statement.len()));
        match keyword {
            b"v" => {
                let ([x, y, z, r, g, b], count) = floats::<6>(rest);
                places.push(frame.point(DVec3::new(x, y, z)));
                is_colored |= count >= 6;
                let color = [r, g, b].map(|c| c as f32);
                colors.push(if count >= 6 { color } else { [f32::NAN; 3] });
            }
            b"p" | b"l" | b"f" | b"fo" => {
                has_elements = true;
                let corners = tokens(rest).filter_map(|token| {
                    let index = integer(token.split(|&byte| byte == b'/').next()?)?;
                    let before = places.len() as i64;
                    let index = if index < 0 { before.checked_add(index)? } else { index - 1 };
                    u32::try_from(index).ok()
                });
                let corners: Vec<u32> = corners.collect();
                match keyword {
                    b"p" => elements.extend(corners.into_iter().map(|corner| vec![corner])),
                    b"l" => elements.push(corners),
                    _ if corners.len() < 3 => elements.push(corners),
                    _ => {}
                }
            }
            _ => {}
        }
        Ok::<(), Infallible>(())
    });
    if !has_elements {
        elements = (0..places.len() as u32).map(|vertex| vec![vertex]).collect();
    }
    let srgb = if is_colored { colors } else { Vec::new() };
    let colors = linear_colors(&srgb);
    let mut out = Sketch { colors: is_colored.then(Vec::new), ..Sketch::default() };
    let mut points: Vec<Option<u32>> = vec![None; places.len()];
    for element in &elements {
        let mut before = None;
        for &vertex in element {
            let Some(known) = points.get_mut(vertex as usize) else {
                continue;
            };
            let point = *known.get_or_insert_with(|| {
                out.points.push(places[vertex as usize]);
                if let Some(list) = &mut out.colors {
                    list.push(colors[vertex as usize]);
                }
                out.points.len() as u32 - 1
            });
            out.lines.extend(before.map(|before| [before, point]));
            before = Some(point);
        }
    }
    out
}
