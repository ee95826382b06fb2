//! Composes the pictures that a rubric shows: frames, or a photo with its mask → one
//! [`Image`](crate::render::Image) each.
//!
//! Pure functions on pictures: [`pair`] and [`grid`] (GPTEval3D's layout), [`four_view`],
//! [`reference`](fn@reference) (highlighted photo and zooms), [`cut_out`] (a photo's object alone),
//! [`fit`] and [`resize`] (our own filter). No file access, no mesh drawing, no labels.

mod cutout;
mod error;
mod grid;
mod mask;
mod reference;
mod resize;
mod transfer;

pub use self::cutout::{MaskSource, PhotoStyle, cut_out, marks_background, object_mask};
pub use self::error::{SHEET_SIDE_PX_MAX, SheetError};
pub use self::grid::{
    below_strip, fit_tiles, four_view, grid, layout, pair, pair_fitted, select_views,
};
pub use self::mask::{MaskBox, mask_box, read_mask};
pub use self::reference::{
    Reference, ReferenceStyle, ZoomWindow, close_up, highlight, reference, zoom_window,
};
pub use self::resize::{fit, resize};
pub use self::transfer::{Transfer, decode_srgb, encode_srgb};
