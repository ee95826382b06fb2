//! Numbers with their definitions, and limits on them.
//!
//! | module | takes → gives |
//! | --- | --- |
//! | [`metrics`] | one asset, two surfaces, or two pictures → numbers, each with its definition |
//! | [`check`] | an asset and a profile of limits → what it breaks, and where |

pub mod check;
pub mod metrics;

use meshjudge_load as load;
use meshjudge_measure as measure;
use meshjudge_render::{render, rig};
use meshjudge_scene as scene;
