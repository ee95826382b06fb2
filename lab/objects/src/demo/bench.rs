//! The demo benchmark: eight prompts, three generators that differ in nothing but the damage they
//! do.

use super::damage::{Damage, NONE, spoiled};
use super::glb::{Packing, write};

/// Name and what it does to each prompt's object, in the order of [`PROMPTS`].
type Generator = (&'static str, [Damage; 8]);

/// What the generators were asked for, by the names of the library's objects.
pub const PROMPTS: [&str; 8] =
    ["chair", "vase", "toadstool", "cactus", "lighthouse", "rocket", "boat", "cottage"];

/// Careful; only the cactus is left with crumbs around it and painted too coarsely.
const ATELIER: Generator = (
    "atelier",
    [
        NONE,
        NONE,
        NONE,
        Damage { crumbs: (2, 0.02), texture_px: Some(64), ..NONE },
        NONE,
        NONE,
        NONE,
        NONE,
    ],
);

/// Hasty: something small is wrong with most of them, and the rocket failed.
const WORKSHOP: Generator = (
    "workshop",
    [
        Damage { holes: (1, 0.05), noise: 0.002, texture_px: Some(32), ..NONE },
        Damage { crumbs: (1, 0.02), texture_px: Some(64), ..NONE },
        Damage { crumbs: (1, 0.02), noise: 0.003, texture_px: Some(64), ..NONE },
        NONE,
        Damage { crumbs: (2, 0.02), slip: 0.05, ..NONE },
        Damage { holes: (3, 0.08), crumbs: (3, 0.025), noise: 0.006, texture_px: Some(64), ..NONE },
        Damage { crumbs: (1, 0.025), noise: 0.002, texture_px: Some(32), ..NONE },
        Damage { holes: (2, 0.05), crumbs: (2, 0.025), texture_px: Some(32), ..NONE },
    ],
);

/// A draft: torn, lumpy, blurred.
const SKETCH: Generator = (
    "sketch",
    [
        Damage { holes: (5, 0.05), crumbs: (4, 0.022), noise: 0.006, texture_px: Some(16), ..NONE },
        Damage { holes: (4, 0.07), crumbs: (3, 0.022), noise: 0.006, texture_px: Some(32), ..NONE },
        Damage { holes: (4, 0.08), crumbs: (5, 0.02), noise: 0.007, texture_px: Some(16), ..NONE },
        Damage { holes: (5, 0.06), crumbs: (3, 0.02), noise: 0.006, texture_px: Some(16), ..NONE },
        Damage {
            holes: (6, 0.05),
            crumbs: (4, 0.022),
            noise: 0.006,
            texture_px: Some(64),
            slip: 0.05,
        },
        Damage { holes: (3, 0.07), crumbs: (4, 0.025), noise: 0.007, texture_px: Some(16), ..NONE },
        Damage { holes: (4, 0.06), crumbs: (4, 0.02), noise: 0.006, texture_px: Some(8), ..NONE },
        Damage { holes: (6, 0.06), crumbs: (3, 0.02), noise: 0.006, texture_px: Some(16), ..NONE },
    ],
);

/// Paths under `assets/demo` and bytes, in a fixed order.
pub fn files() -> Vec<(String, Vec<u8>)> {
    let mut files = Vec::new();
    for (p, prompt) in PROMPTS.into_iter().enumerate() {
        let clean = super::clean(prompt);
        for (g, (name, damages)) in [ATELIER, WORKSHOP, SKETCH].into_iter().enumerate() {
            let seed = 100 * g as u32 + 7 * p as u32;
            let made = spoiled(&clean, &damages[p], seed);
            files.push((format!("bench/{name}/{prompt}.glb"), write(&made, Packing::Small)));
        }
    }
    files
}
