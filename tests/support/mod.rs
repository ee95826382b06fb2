//! What the tests of all rooms share.
#![allow(dead_code, unreachable_pub, reason = "each test binary uses a part of it")]

pub mod assets;
pub mod judge_server;
pub mod program;
pub mod runs;
pub mod scenes;
pub mod served;
pub mod trial;
