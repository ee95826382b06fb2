//! The objects, one a file, and the table of all of them.

mod boat;
mod cactus;
mod chair;
mod cottage;
mod lighthouse;
mod rocket;
mod toadstool;
mod vase;

use super::kit::Surface;
use super::{Base, Family, Split};

/// A row of the table.
const fn base(
    name: &'static str,
    prompt: &'static str,
    family: Family,
    split: Split,
    surfaces: fn() -> Vec<Surface>,
) -> Base {
    Base {
        name,
        prompt,
        family,
        split,
        surfaces,
    }
}

/// Family by family; the halves alternate within each.
#[rustfmt::skip]
pub(super) const ALL: &[Base] = &[
    base("vase", "a glazed vase with two handles and blue bands", Family::Vessel, Split::Fit, vase::vase),
    base("chair", "a wooden chair with a spindle back", Family::Furniture, Split::Fit, chair::chair),
    base("boat", "a small sailing boat with striped sails", Family::Vehicle, Split::Fit, boat::boat),
    base("rocket", "a toy rocket with four orange fins", Family::Vehicle, Split::Held, rocket::rocket),
    base("cactus", "a cactus with two arms in a painted clay pot", Family::Plant, Split::Fit, cactus::cactus),
    base("toadstool", "a red toadstool with white spots and a small one at its foot", Family::Plant, Split::Held, toadstool::toadstool),
    base("lighthouse", "a red and white lighthouse on a rock", Family::Building, Split::Fit, lighthouse::lighthouse),
    base("cottage", "a cottage with timbered gables and a tiled roof", Family::Building, Split::Held, cottage::cottage),
];
