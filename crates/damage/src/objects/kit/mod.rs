//! The vocabulary that our objects are modelled in: closed shapes, pictures painted by formula, and
//! the surfaces that join both.

mod atlas;
mod letters;
mod paint;
mod shape;
mod solid;
mod surface;

pub use atlas::{MARGIN, Rect, inside, paint, stone, to_disc, to_joint, to_line, wave, zigzag};
pub use letters::is_ink;
pub use paint::{Picture, hash, noise, wood_value};
pub use shape::{Shape, cos_turn, fluted_rod, rounded_box, sin_turn, skin};
pub use solid::{
    Station, ball, bar, block, curve, curved, hoop, hull, lathe, lumpy, on_panel, plate, station,
    tube, wheel,
};
pub use surface::{Surface, scene};
