//! Assets whose faults are known.
//!
//! | module | takes → gives |
//! | --- | --- |
//! | [`objects`] | a name, or a seed → a clean object of ours |
//! | [`damage`] | an asset, a kind, a level and a seed → the same asset, worse in one known way |

pub mod damage;
pub mod objects;

use meshjudge_load as load;
use meshjudge_scene as scene;
