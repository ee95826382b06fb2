//! Photos of one object by the names of their sides → the order in which a judge sees them.

use std::collections::BTreeMap;

/// Characters in the name of a side.
const NAME_CHARS_MAX: usize = 32;

/// Sides in the order in which a judge sees them; others follow by name.
pub const SIDE_NAMES: [&str; 6] = ["front", "left", "back", "right", "top", "bottom"];

/// Images with their names and masks. The name of the only image is empty.
pub type Sides<T> = Vec<(String, T, Option<T>)>;

/// Named images and masks of the same names, in order.
///
/// # Errors
/// A name that cannot be shown, or a mask without a photo; reads on from "the prompt has …".
pub fn ordered_sides<T>(
    images: BTreeMap<String, T>,
    mut masks: BTreeMap<String, T>,
) -> Result<Sides<T>, String> {
    if let Some(side) = masks.keys().find(|side| !images.contains_key(*side)) {
        return Err(format!("a mask {side:?} but no photo of that name"));
    }
    // A judge reads them.
    let is_plain = |c: char| c.is_ascii_alphanumeric() || " -_".contains(c);
    let is_name = |side: &&String| {
        !side.is_empty() && side.len() <= NAME_CHARS_MAX && side.chars().all(is_plain)
    };
    if let Some(side) = images.keys().find(|side| !is_name(side)) {
        return Err(format!(
            "a photo called {side:?}; give it a short name of letters and digits, such as front"
        ));
    }
    let mut sides: Sides<T> = (images.into_iter())
        .map(|(side, image)| {
            let mask = masks.remove(&side);
            (side, image, mask)
        })
        .collect();
    let place = |side: &str| SIDE_NAMES.iter().position(|known| *known == side);
    sides.sort_by_key(|(side, ..)| place(side).unwrap_or(SIDE_NAMES.len()));
    Ok(sides)
}
